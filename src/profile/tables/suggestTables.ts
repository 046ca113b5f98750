import { number, plural } from "../../diagnostic/count.ts"
import { printable } from "../../diagnostic/printable.ts"
import { isType } from "../../fhirpath/Model.ts"
import { OverlayWriter, quoted } from "../OverlayWriter.ts"
import type { Suggestions } from "../suggest.ts"
import { isAmount, isKeyName, vitalColumns, wordsOf } from "./columnWords.ts"
import type { DateForm } from "./DateShapes.ts"
import type { ColumnProfile, ForeignKey, TableProfile } from "./TableProfile.ts"

/** A column as the mapping will call it. */
interface Declared {
  readonly name: string
  readonly column: ColumnProfile
  readonly yaml: string
  readonly why?: string
  /** The column of the time of day, where the day stands in another. */
  readonly clock?: string
}

/** A file and what it will be called in the mapping. */
interface Role {
  readonly table: TableProfile
  readonly name: string
  readonly columns: ReadonlyArray<Declared>
  readonly links: ReadonlyArray<readonly [name: string, link: ForeignKey, target: string]>
}

/** The lines of a mapping for files that no table of the mapping holds. They stand on the mapping `csv`. */
export const suggestTables = (tables: ReadonlyArray<TableProfile>): Suggestions => {
  const writer = new OverlayWriter()
  const notes: Array<string> = []
  const standIns: Array<string> = []
  const unread = tables.filter(({ declared, rows }) => !declared && rows > 0)
  if (unread.length === 0) return { overlay: "", standIns, notes: columnsNotRead(tables) }
  const patients = patientsOf(unread)
  const visits = visitsOf(unread, patients)
  const order = orderOf(unread)
  const roles = rolesOf(unread, { patients, visits, order })
  for (const role of roles) declare(role, writer)
  const own = (table: TableProfile | undefined) => roles.find((role) => role.table === table)
  const visit = own(visits)
  const patient = own(patients)
  const out = { writer, notes, standIns }
  if (visit === undefined) {
    notes.push("no table was found whose rows are the visits: name it  visit  under  table:  and give it its columns")
  } else {
    reachVisits(roles, visit, patient, out)
    suggestVisit(visit, patient, out)
    suggestEncounters(visit, out)
    suggestDiagnoses(roles, out)
    suggestVitals(roles, visit, out)
  }
  if (patient === undefined) notes.push("no table was found whose rows are the patients: the export should have one")
  notes.push(...doubts(unread))
  return {
    overlay: `${String(writer)}\n`,
    standIns,
    notes,
    ...(visit === undefined ? {} : { example: tableCase(visit, patient) })
  }
}

interface Out {
  readonly writer: OverlayWriter
  readonly notes: Array<string>
  readonly standIns: Array<string>
}

/** A first case: an invented patient with a visit, in files with the headers of these. */
const tableCase = (visit: Role, patient: Role | undefined): string => {
  const sheet = (role: Role, values: Readonly<Record<string, string>>): string => {
    // Every column in its place: some are named by their numbers, and a header must have those of the links.
    const said = new Map(
      role.columns.flatMap(({ column, name }): ReadonlyArray<readonly [string, string]> =>
        column.kind === "timestamp" && name.endsWith("ed_at")
          ? partsOf(role, name, column)
          : name.endsWith("ed_at") && column.kind === "date"
          ? [[column.name, written(column.dates, admitted)]]
          : name === "birthdate"
          ? [[column.name, written(column.dates, birth)]]
          : name in values
          ? [[column.name, values[name]!]]
          : []
      )
    )
    const seen = new Set<string>()
    const row = role.table.columns.map(({ name }): readonly [string, string] => {
      const first = !seen.has(name)
      seen.add(name)
      return [name, first ? said.get(name) ?? "" : ""]
    })
    const line = (texts: ReadonlyArray<string>) =>
      texts.map((text) => (/[",\n]/u.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text)).join(",")
    return [
      `\`\`\`csv source ${role.table.file.slice(role.table.file.lastIndexOf("/") + 1).replace(/\.gz$/iu, "")}`,
      line(row.map(([name]) => name)),
      line(row.map(([, text]) => text)),
      "```"
    ].join("\n")
  }
  const woman = codesAt(patient, "sex").find(([code]) => sexOf(code)?.[0] === "F")?.[0] ?? "F"
  const side = codesAt(visit, "visit_type").find(([code]) => sideOf(code)?.[0] === "OPD")?.[0] ?? "OPD"
  const person = { code: "P-1", surname: "Example", name: "Ann", sex: woman }
  const known = Object.fromEntries(
    [["surname", "Example"], ["name", "Ann"], ["sex", "F"]].filter(([name]) => has(patient, name!))
  )
  return [
    "# Visits",
    sheet(visit, { code: "V-1", patient_code: "P-1", visit_type: side }),
    ...(patient === undefined ? [] : [sheet(patient, person)]),
    "## A visit is a row of its table, and its patient a row of another",
    "```json visit",
    JSON.stringify({
      code: "V-1",
      ...(has(visit, "patient_code") ? { patient_code: "P-1" } : {}),
      ...(patient === undefined || !has(visit, "patient_code") ? {} : { patient: known })
    }),
    "```",
    ""
  ].join("\n\n").replaceAll("visit\n\n{", "visit\n{").replaceAll("}\n\n```", "}\n```")
}

const admitted = { year: 2026, month: 3, day: 2, hour: 8, minute: 15 }
const birth = { year: 1990, month: 4, day: 12, hour: 0, minute: 0 }

/** A time in one column, or in the two that it is made of. */
const partsOf = (role: Role, name: string, column: ColumnProfile): ReadonlyArray<readonly [string, string]> => {
  const clock = role.columns.find((one) => one.name === name)?.clock
  const timed = clock === undefined ? [] : [[clock, "08:15"] as const]
  return [[column.name, written(column.dates, admitted)], ...timed]
}

/** A time as a column writes it. */
const written = (
  dates: ReadonlyArray<DateForm>,
  { day, hour, minute, month, year }: typeof admitted
): string => {
  const [form] = dates
  const two = (value: number): string => String(value).padStart(2, "0")
  if (form === undefined || form.format === "ISO 8601") {
    const time = form?.timed === true ? `T${two(hour)}:${two(minute)}:00${form.offset === "none" ? "" : "Z"}` : ""
    return `${year + (form?.calendar === "buddhist" ? 543 : 0)}-${two(month)}-${two(day)}${time}`
  }
  const values: Readonly<Record<string, string>> = {
    YYYY: String(year + (form.calendar === "buddhist" ? 543 : 0)),
    YY: two((year + (form.calendar === "buddhist" ? 543 : 0)) % 100),
    MMM: "Mar",
    MM: two(month),
    M: String(month),
    DD: two(day),
    D: String(day),
    HH: two(hour),
    H: String(hour),
    hh: two(hour),
    h: String(hour),
    mm: two(minute),
    ss: "00",
    SSS: "000",
    A: "AM"
  }
  return form.format.replaceAll(/YYYY|YY|MMM|MM|M|DD|D|HH|H|hh|h|mm|ss|SSS|A/gu, (token) => values[token]!)
}

const find = (table: TableProfile, words: RegExp, fits: (column: ColumnProfile) => boolean = () => true) =>
  table.columns.find((column) => column.filled > 0 && words.test(wordsOf(column.name)) && fits(column))

const isTimed = ({ kind }: ColumnProfile): boolean => kind === "timestamp"
const isDated = ({ kind }: ColumnProfile): boolean => kind === "timestamp" || kind === "date"

const born = /\b(?:birth ?dates?|date of birth|dob|born|birthday)\b/u
const sexed = /^(?:sex|gender)(?: code)?$/u

/** The table of the people the visits are of: those that have a birth, and that the most other tables name. */
const patientsOf = (tables: ReadonlyArray<TableProfile>): TableProfile | undefined =>
  best(
    tables,
    (table) =>
      (find(table, born, isDated) === undefined ? 0 : 4) + (find(table, sexed) === undefined ? 0 : 1) +
      (/\b(?:patients?|persons?|people|demographics?)\b/u.test(wordsOf(table.name)) ? 3 : 0) +
      (table.keys.length > 0 ? 1 : -4),
    4
  )

const begins =
  /\b(?:admi\w*|start\w*|begin\w*|began|arriv\w*|visit date|encounter date|reg(?:istration)? date|vst ?date|time in|date in|checked in)\b/u
const ends = /\b(?:discharg\w*|stop\w*|end|ended|ends|left|leav\w*|time out|date out|dsc ?date|exit|checked out)\b/u

/** Times of a visit that are not its beginning. */
const otherTimes = /\b(?:birth\w*|dob|born|follow\w*|next|appointment|created|updated|modified|printed|expir\w*|due)\b/u

/** The table of visits: named by others, naming the patient, with a beginning. */
const visitsOf = (
  tables: ReadonlyArray<TableProfile>,
  patients: TableProfile | undefined
): TableProfile | undefined =>
  best(
    tables.filter((table) => table !== patients),
    (table) =>
      (/\b(?:visits?|encounters?|admissions?|attendances?|episodes?|stays?|opd|ipd)\b/u.test(wordsOf(table.name))
        ? 4
        : 0) +
      Math.min(3, tables.filter(({ links }) => links.some((link) => link.table === table.name)).length) +
      (table.links.some((link) => link.table === patients?.name) ? 2 : 0) +
      (find(table, begins, isDated) !== undefined ? 2 : table.columns.some(isDated) ? 0 : -3) +
      (table.keys.length > 0 ? 0 : -6),
    4
  )

const best = (
  tables: ReadonlyArray<TableProfile>,
  score: (table: TableProfile) => number,
  least: number
): TableProfile | undefined =>
  tables.map((table) => ({ table, score: score(table) })).filter(({ score }) => score >= least)
    .toSorted((a, b) => b.score - a.score || b.table.rows - a.table.rows)[0]?.table

/** Which of day and month stands first, and whether some column says so. */
interface Order {
  readonly daysFirst: boolean
  readonly sure: boolean
}

const orderOf = (tables: ReadonlyArray<TableProfile>): Order => {
  const sure = tables.flatMap(({ columns }) => columns.flatMap(({ dates }) => dates)).filter(({ ambiguous, mixed }) =>
    !ambiguous && !mixed
  )
  const of = (form: RegExp) => sure.filter(({ format }) => form.test(format)).length
  const days = of(/^DD?[/.-]/u)
  const months = of(/^MM?[/.-]/u)
  return { daysFirst: days >= months, sure: (days > 0) !== (months > 0) }
}

interface Roles {
  readonly patients: TableProfile | undefined
  readonly visits: TableProfile | undefined
  readonly order: Order
}

const rolesOf = (tables: ReadonlyArray<TableProfile>, roles: Roles): ReadonlyArray<Role> => {
  const taken = new Set(["visit", "patient"])
  const names = new Map(tables.map((table) => {
    if (table === roles.visits) return [table, "visit"]
    if (table === roles.patients) return [table, "patient"]
    // The tables of the canonical extract have columns of their own: another table is called otherwise.
    let name = canonical.has(table.name) || taken.has(table.name) || isType(table.name)
      ? `${table.name}_table`
      : table.name
    while (taken.has(name)) name += "_2"
    taken.add(name)
    return [table, name]
  }))
  return tables.map((table): Role => {
    const name = names.get(table)!
    const linked = linksOf(table, names, tables)
    const naming = new Set(linked.map(([, link]) => link.column))
    const own = new Map<ColumnProfile, string>(
      name === "visit" ? visitColumns(table, roles.patients) : name === "patient" ? patientColumns(table) : []
    )
    const used = new Set([...own.values(), ...linked.map(([link]) => link), name, "id", "row", "version"])
    const columns = table.columns.flatMap((column, at): ReadonlyArray<Declared> => {
      const known = own.get(column)
      if (column.kind === "empty" && known === undefined) return []
      // A column `id` is the key of its table, or is called otherwise.
      const isId = column.name === table.keys[0] && plainName(column.name) === "id" && !naming.has(column.name)
      const called = known ?? (isId ? "id" : freeName(column.name, at, used))
      used.add(called)
      return [declared(called, column, at, table, roles.order)]
    })
    return { table, name, columns: withTimes(columns, roles.order), links: linked }
  })
}

/** The tables of the canonical extract. */
const canonical: ReadonlySet<string> = new Set(
  ("visit patient identifications triages vital_signs medical_histories physical_examinations outpatients inpatients emergencies "
    + "surgeries progress_notes soaps laboratories imageries diagnosis consultations prescriptions invoices referrals")
    .split(" ")
)

/** Links by what they lead to; of two that lead to one table the second is called after its column. */
const linksOf = (
  table: TableProfile,
  names: ReadonlyMap<TableProfile, string>,
  tables: ReadonlyArray<TableProfile>
): Role["links"] => {
  const taken = new Set<string>()
  return table.links.flatMap((link) => {
    const target = tables.find(({ name }) => name === link.table)
    if (target === undefined || target.keys[0] !== link.key) return []
    const to = names.get(target)!
    const own = names.get(table)!
    let name = to
    if (taken.has(name) || name === own) name = `${plainName(link.column) ?? "row"}_of_${to}`
    if (taken.has(name)) return []
    taken.add(name)
    return [[name, link, to] as const]
  })
}

const plainName = (name: string): string | undefined => {
  const plain = wordsOf(name).replaceAll(/[^a-z0-9 ]+/gu, "").trim().replaceAll(/ +/gu, "_")
  return /^[a-z][a-z0-9_]*$/u.test(plain) ? plain : undefined
}

const freeName = (name: string, at: number, used: ReadonlySet<string>): string => {
  const plain = plainName(name) ?? `column_${at + 1}`
  if (!used.has(plain)) return plain
  let free = `${plain}_${isKeyName(name) ? "no" : "id"}`
  while (used.has(free)) free += "_2"
  return free
}

/** What of a table of visits the mapping `csv` knows. */
const visitColumns = (
  table: TableProfile,
  patients: TableProfile | undefined
): ReadonlyArray<readonly [ColumnProfile, string]> => {
  const taken = new Set<ColumnProfile>()
  return pick(table, taken, [
    ["code", (column) => column.name === table.keys[0]],
    [
      "patient_code",
      (column) => table.links.some((link) => link.column === column.name && link.table === patients?.name)
    ],
    ["admitted_at", (column, words) => isTimed(column) && begins.test(words)],
    ["admitted_at", (column, words) => isDated(column) && begins.test(words)],
    ["admitted_at", (column, words) => isDated(column) && !ends.test(words) && !otherTimes.test(words)],
    ["discharged_at", (column, words) => isTimed(column) && ends.test(words)],
    ["discharged_at", (column, words) => isDated(column) && ends.test(words)],
    ["visit_type", ({ codes, kind }) => isCoded(kind) && codes.some(([code]) => isSide(code))],
    [
      "visit_type",
      ({ kind }, words) =>
        isCoded(kind) &&
        /\b(?:(?:visit|encounter|patient|pt) ?(?:type|class)|encounterclass|class|service|department)\b/u.test(words)
    ],
    [
      "discharge_type",
      ({ kind }, words) => isCoded(kind) && /\b(?:disposition|discharge (?:type|status)|left)\b/u.test(words)
    ],
    ["visit_outcome", ({ kind }, words) => isCoded(kind) && /\b(?:outcome)\b/u.test(words)],
    [
      "admission_type",
      ({ kind }, words) => isCoded(kind) && /\b(?:admi\w* (?:type|source)|arrival|arrived by)\b/u.test(words)
    ]
  ])
}

const isCoded = (kind: ColumnProfile["kind"]): boolean => kind === "code" || kind === "text"

/** A code that says in so many words on which side of the door somebody stayed. */
const isSide = (code: string): boolean =>
  /^(?:in-?patient|out-?patient|ambulatory|emergency|opd|ipd|er|amb|imp)$/iu.test(code)

/** What of a table of patients the mapping `csv` knows. */
const patientColumns = (table: TableProfile): ReadonlyArray<readonly [ColumnProfile, string]> =>
  pick(table, new Set(), [
    ["code", (column) => column.name === table.keys[0]],
    ["surname", (_, words) => /^(?:sur ?name|family(?: name)?|last(?: ?name)?|lname)$/u.test(words)],
    ["name", (_, words) => /^(?:given(?: names?)?|first(?: ?name)?|fname|fore ?name)$/u.test(words)],
    ["name", (_, words) => /^(?:name|full ?name|patient ?name)$/u.test(words)],
    ["sex", (_, words) => sexed.test(words)],
    ["birthdate", (column, words) => isDated(column) && born.test(words)],
    ["phone", (_, words) => /\b(?:phone|tel(?:ephone)?|mobile)\b/u.test(words)],
    ["marital_status", (_, words) => /\bmarital\b/u.test(words)],
    ["occupation", (_, words) => /\boccupation\b/u.test(words)],
    ["nationality", (_, words) => /\bnationality\b/u.test(words)],
    ["death_at", (column, words) => isDated(column) && /\b(?:death\w*|died|deceased)\b/u.test(words)],
    ["spid", (_, words) => /^spid$/u.test(words)],
    ["address_province_code", (_, words) => /^province (?:code|id)$/u.test(words)],
    ["address_district_code", (_, words) => /^district (?:code|id)$/u.test(words)],
    ["address_commune_code", (_, words) => /^(?:commune|sub ?district) (?:code|id)$/u.test(words)],
    ["address_village_code", (_, words) => /^village (?:code|id)$/u.test(words)],
    ["address_province_name", (_, words) => /^(?:province|state)(?: name)?$/u.test(words)],
    ["address_district_name", (_, words) => /^(?:district|county)(?: name)?$/u.test(words)],
    ["address_commune_name", (_, words) => /^(?:commune|sub ?district|city|town)(?: name)?$/u.test(words)],
    ["address_village_name", (_, words) => /^village(?: name)?$/u.test(words)],
    ["address_location", (_, words) => /^address(?: line)?$/u.test(words)]
  ])

/** The first column that fits each name; a column has one name, a name one column. */
const pick = (
  table: TableProfile,
  taken: Set<ColumnProfile>,
  wanted: ReadonlyArray<readonly [name: string, fits: (column: ColumnProfile, words: string) => boolean]>
): ReadonlyArray<readonly [ColumnProfile, string]> => {
  const found: Array<readonly [ColumnProfile, string]> = []
  for (const [name, fits] of wanted) {
    if (found.some(([, known]) => known === name)) continue
    const column = table.columns.find((one) => one.filled > 0 && !taken.has(one) && fits(one, wordsOf(one.name)))
    if (column === undefined) continue
    taken.add(column)
    found.push([column, name])
  }
  return found
}

const declared = (
  name: string,
  column: ColumnProfile,
  at: number,
  table: TableProfile,
  order: Order
): Declared => {
  const from = fromOf(name, column, at, table)
  const { kind } = column
  // Numbers that are no amounts are names of things; their zeros count.
  const type = kind === "date" || kind === "timestamp"
    ? kind
    : kind === "decimal"
    ? "decimal"
    : kind === "integer" && isAmount(column.name)
    ? "integer"
    : "text"
  const words = [
    ...(type === "text" ? [] : [`type: ${type}`]),
    ...(from === undefined ? [] : [`from: ${from}`]),
    ...(kind === "date" || kind === "timestamp" ? formatOf(column.dates, order) : []),
    ...(column.decimal === "," ? ["decimal: \",\"", ...(column.grouped === true ? ["group: \".\""] : [])] : []),
    ...(column.decimal === "." && column.grouped === true ? ["group: \",\""] : []),
    ...(column.nulls.length === 0 ? [] : [`null: [${column.nulls.map(([word]) => quoted(word)).join(", ")}]`])
  ]
  const doubtful = column.dates.find(({ ambiguous, mixed }) => (ambiguous && !order.sure) || mixed)
  return {
    name,
    column,
    yaml: words.length === 0 ? "text" : words.length === 1 && type !== "text" ? type : `{${words.join(", ")}}`,
    ...(doubtful === undefined ? {} : {
      why: doubtful.mixed
        ? "days first and months first are both in it: ask how it is written"
        : `no day is above 12: read as ${order.daysFirst ? "day, month" : "month, day"}; make sure of it`
    })
  }
}

/** Where the header calls it otherwise: that name; where two columns have one name: its number. */
const fromOf = (name: string, column: ColumnProfile, at: number, table: TableProfile): string | undefined => {
  const fold = (text: string): string => text.trim().toLowerCase().replaceAll(/[\s_-]+/gu, "_")
  const alike = table.columns.filter((one) => fold(one.name) === fold(column.name))
  if (alike.length > 1 || column.name === "" || /[\n\r]/u.test(column.name)) return String(at + 1)
  return fold(column.name) === fold(name) ? undefined : quoted(column.name)
}

const formatOf = (dates: ReadonlyArray<DateForm>, order: Order): ReadonlyArray<string> => {
  const forms = dates.filter(({ format }) => format !== "ISO 8601")
  if (forms.length === 0) return dates.some(({ calendar }) => calendar === "buddhist") ? ["calendar: buddhist"] : []
  const written = forms.map(({ ambiguous, format }) => (ambiguous && !order.daysFirst ? swapped(format) : format))
  const iso = forms.length < dates.length ? ["YYYY-MM-DD", "YYYY-MM-DD HH:mm:ss"] : []
  const all = [...new Set([...written, ...iso])].map(quoted)
  return [
    `format: ${all.length === 1 ? all[0]! : `[${all.join(", ")}]`}`,
    ...(dates.some(({ calendar }) => calendar === "buddhist") ? ["calendar: buddhist"] : [])
  ]
}

const swapped = (format: string): string =>
  format.replace(/^(D+)([/.-])(M+)/u, (_, day: string, sign: string, month: string) => `${month}${sign}${day}`)

/** A day and a time of day in two columns are one time. */
const withTimes = (
  columns: ReadonlyArray<Declared>,
  order: Order
): ReadonlyArray<Declared> => {
  const clocks = columns.filter(({ column }) => column.kind === "clock")
  if (clocks.length === 0) return columns
  const day = columns.find(({ column, name }) => column.kind === "date" && name === "admitted_at") ??
    columns.find(({ column }) => column.kind === "date" && !born.test(wordsOf(column.name)))
  if (day === undefined) return columns
  const at = (name: string, clock: Declared): Declared => {
    const form = formatOf(day.column.dates, order).map((word) =>
      word.replace(/^format: "([^"]*)"$/u, (_, one: string) => `format: "${one} HH:mm"`)
    )
    return {
      name,
      column: { ...day.column, kind: "timestamp" },
      clock: clock.column.name,
      yaml: `{type: timestamp, from: [${quoted(day.column.name)}, ${quoted(clock.column.name)}]${
        form.length === 0 ? "" : `, ${form.join(", ")}`
      }}`,
      ...(day.why === undefined ? {} : { why: day.why })
    }
  }
  const first = clocks.find(({ column }) => /\b(?:in|start|begin|arriv\w*|admi\w*)\b/u.test(wordsOf(column.name))) ??
    clocks[0]!
  const last = clocks.find((one) =>
    one !== first && (ends.test(wordsOf(one.column.name)) || /\bout\b/u.test(wordsOf(one.column.name)))
  )
  const isVisit = columns.some(({ name }) => name === "admitted_at")
  const made = new Map<Declared, Declared>([[day, at(isVisit ? "admitted_at" : day.name, first)]])
  if (last !== undefined && isVisit && !columns.some(({ name }) => name === "discharged_at")) {
    made.set(last, at("discharged_at", last))
  }
  return columns.map((one) => made.get(one) ?? one)
}

/** The declaration of one table. */
const declare = (
  { columns, links, name, table }: Role,
  writer: OverlayWriter
): void => {
  const at = ["table", name]
  const file = table.file.slice(table.file.lastIndexOf("/") + 1)
  writer.put([...at, "file"], quoted(file), plural(table.rows, "row"))
  if (table.encoding !== "utf-8") {
    writer.put(
      [...at, "encoding"],
      table.encoding,
      table.guessed ? "guessed by its bytes: look at the names" : undefined
    )
  }
  if (columns.some(({ column }) => column.guarded > 0)) writer.put([...at, "formulaGuard"], "true")
  const key = columns.find(({ column }) => column.name === table.keys[0])
  const named = canonical.has(name)
  // A row that names another by its key may have company tomorrow; a canonical table has a key already.
  const naming = new Set(links.map(([, link]) => link.column))
  if (key !== undefined && !named && !naming.has(key.column.name)) {
    writer.put([...at, "key"], key.name, key.name === "id" ? undefined : "no two rows have the same")
  }
  if (named) writer.put([...at, "trim"], "true")
  for (const { name: column, why, yaml } of columns) writer.put([...at, "column", column], yaml, why)
  for (const [link, { byName, column, orphans }, target] of links) {
    const on = columns.find((one) => one.column.name === column)
    if (on === undefined || (name === "visit" && link === "patient")) continue
    writer.put(
      [...at, "link", link],
      `{table: ${target}, on: ${on.name}}`,
      orphans > 0
        ? `${share(orphans)} of its rows name one that is not there`
        : byName
        ? undefined
        : "by its values alone: make sure of it"
    )
  }
}

const share = (part: number): string => part < 0.01 ? "under 1%" : `${Math.round(part * 100)}%`

/** How the rows of the other tables reach the visit; those that cannot are left to people. */
const reachVisits = (
  roles: ReadonlyArray<Role>,
  visit: Role,
  patient: Role | undefined,
  { notes, writer }: Out
): void => {
  for (const role of roles) {
    if (role === visit || role === patient || role.links.some(([name]) => name === "visit")) continue
    const through = role.links.find(([, , target]) =>
      roles.find(({ name }) => name === target)?.links.some(([name]) => name === "visit")
    )
    const day = role.columns.find(({ column, name }) =>
      column.kind === "timestamp" && !/^(?:created|updated|modified)/u.test(name)
    )
    if (through !== undefined) {
      writer.put(["grouping", "link", role.name], `${through[0]}.resolve().visit`, "through the row it names")
    } else {
      writer.put(["grouping", "link", role.name], "null", "names no visit")
      if (role.links.some(([, , target]) => target === "patient") && day !== undefined) {
        notes.push(
          `rows of \`${role.name}\` name the patient and a time, and no visit: they can be placed by both:  grouping: window: ${role.name}: {patient: patient, time: ${day.name}}`
        )
      }
    }
  }
}

const has = (role: Role | undefined, name: string): boolean =>
  role?.columns.some((column) => column.name === name) === true

const codesAt = (role: Role | undefined, name: string) =>
  role?.columns.find((column) => column.name === name)?.column.codes ?? []

/** What the visit needs beyond its columns: rows of code tables, and stand-ins for what the extract never has. */
const suggestVisit = (visit: Role, patient: Role | undefined, out: Out): void => {
  const standIn = (path: ReadonlyArray<string>, yaml: string, why: string) => {
    out.standIns.push(path.slice(1).join("."))
    out.writer.put(path, yaml, `stand-in: ${why}`)
  }
  const lost = lostPatients(visit)
  if (lost !== undefined) out.notes.push(lost)
  standIn(
    ["visit", "health_facility_code"],
    "{path: [\"%facility\"], default: \"HF-UNKNOWN\"}",
    "say  facility:  in facility.yaml, and take this line away"
  )
  for (const [column, name] of [["sex", "sex"], ["visit_type", "visit_type"]] as const) {
    const role = column === "sex" ? patient : visit
    if (!has(role, column)) continue
    const codes = codesAt(role, column)
    const rows = codes.flatMap(([code, count]) => {
      const meant = column === "sex" ? sexOf(code) : sideOf(code)
      return meant === undefined ? [] : [[code, meant, count] as const]
    })
    for (const [code, meant, count] of rows) {
      out.writer.put(["conceptMap", name, "table", code], meant[0], `${plural(count, "row")}${meant[1]}`)
    }
    if (rows.length === 0) {
      // A map needs a row; these are what the service itself calls them.
      for (const own of column === "sex" ? ["M", "F"] : ["OPD", "IPD"]) {
        out.writer.put(["conceptMap", name, "table", own], own)
      }
    }
    out.writer.put(["conceptMap", name, "unmapped"], "reject")
    if (column === "visit_type") out.writer.put(["conceptMap", name, "list"], "visit_types")
    out.writer.put(
      column === "sex" ? ["visit", "patient", "sex"] : ["visit", "visit_type"],
      `{path: ${column}, conceptMap: ${name}}`
    )
  }
  if (!has(visit, "visit_type")) standIn(["visit", "visit_type"], "{value: OPD}", "no column says whether they stayed")
  if (!has(visit, "discharged_at")) {
    standIn(["visit", "discharged_at"], "admitted_at", "no column says when they left: the beginning is sent")
  }
  if (patient === undefined) return
  if (!has(patient, "spid")) {
    standIn(
      ["visit", "patient", "spid"],
      "[spid, code]",
      "the service's own patient id is not there; the patient code is sent"
    )
  }
  out.writer.put(["visit", "patient", "created_at"], "[created_at, \"%visit.admitted_at\"]")
  const village = patient.columns.find(({ name }) => name === "address_village_code")
  for (const [level, digits, code] of levels) {
    if (has(patient, `address_${level}_code`) && village === undefined) continue
    const nests = village !== undefined && level !== "village"
    if (nests && !has(patient, `address_${level}_code`)) {
      out.writer.put(
        ["visit", "patient", "address", level, "code"],
        quoted(`address_village_code.substring(0, ${digits})`),
        "the village's code begins with it"
      )
    } else if (village === undefined) {
      standIn(
        ["visit", "patient", "address", level, "code"],
        `{default: ${quoted(code)}}`,
        level === "province"
          ? "addresses have no codes of the national gazetteer; nobody lives at this one: write the facility's own, or map them"
          : "as above"
      )
    }
  }
}

const levels = [["province", 2, "00"], ["district", 4, "0000"], ["commune", 6, "000000"], [
  "village",
  8,
  "00000000"
]] as const

type Meant = readonly [value: string, note: string]

const sexOf = (code: string): Meant | undefined =>
  /^(?:m|male|man|boy)$/iu.test(code)
    ? ["M", ""]
    : /^(?:f|female|woman|girl)$/iu.test(code)
    ? ["F", ""]
    : code === "1"
    ? ["M", "; by ISO 5218: make sure of it"]
    : code === "2"
    ? ["F", "; by ISO 5218: make sure of it"]
    : undefined

const sideOf = (code: string): Meant | undefined =>
  /in-?patient|^IPD?$|^I$|^IMP$|ward|admi(?:t|ssion)|hospice|snf/iu.test(code)
    ? ["IPD", ""]
    : /out-?patient|ambulatory|^AMB$|^OPD?$|^O$|clinic|wellness|urgent|virtual|home|emerg|^ER$|^ED$|^E$/iu.test(code)
    ? ["OPD", ""]
    : ["OPD", "; nothing says that they stayed: make sure of it"]

const lostPatients = ({ links, table }: Role): string | undefined => {
  const link = links.find(([, , target]) => target === "patient")?.[1]
  return link === undefined
    ? `no column of \`${table.name}\` names a row of the patients: without a patient no visit is ready`
    : link.orphans > 0
    ? `${share(link.orphans)} of the visits name a patient that is not in the export`
    : undefined
}

/** Each visit is an encounter of its own: on which side of the door, its type says. */
const suggestEncounters = (visit: Role, { writer }: Out): void => {
  const stays = codesAt(visit, "visit_type").flatMap(([code]) => (sideOf(code)?.[0] === "IPD" ? [code] : []))
  const stayed = `visit_type in (${stays.map((code) => `'${code.replaceAll("'", "\\'")}'`).join(" | ")})`
  const service = visit.columns.find(({ column, name }) =>
    name !== "visit_type" && /\b(?:department|clinic|ward|service|unit)\b/u.test(wordsOf(column.name))
  )
  for (
    const [list, where, name] of [
      ["outpatients", stays.length === 0 ? "%visit" : `%visit.where((${stayed}).not())`, "Outpatient visit"],
      ...(stays.length === 0 ? [] : [["inpatients", `%visit.where(${stayed})`, "Stay"] as const])
    ] as const
  ) {
    const put = (field: string, yaml: string) => writer.put(["visit", list, field], yaml)
    writer.put(["visit", list, "forEach"], quoted(where), "each visit is an encounter of its own")
    put("code", quoted("keyOf('encounter')"))
    put("name", `{value: ${name}}`)
    put("service_type", service?.name ?? (has(visit, "visit_type") ? "visit_type" : "null"))
    put("encountered_by", staffOf(visit) ?? "null")
    put("title", "null")
    put("symptoms", "null")
    for (const field of ["started_at", "created_at"]) put(field, "admitted_at")
    for (const field of ["ended_at", "updated_at"]) {
      put(field, has(visit, "discharged_at") ? "discharged_at" : "admitted_at")
    }
  }
}

const staffOf = (role: Role): string | undefined =>
  role.columns.find(({ column }) =>
    column.kind !== "empty" &&
    /\b(?:doctor|physician|clinician|nurse|staff|seen by|recorded by|taken by)\b/u.test(wordsOf(column.name)) &&
    !role.table.links.some((link) => link.column === column.name)
  )?.name

/** A table with codes of ICD-10 beside each visit. */
const suggestDiagnoses = (roles: ReadonlyArray<Role>, { writer }: Out): void => {
  for (const role of roles) {
    const code = role.columns.find(({ column }) => column.diagnoses === true)
    if (code === undefined || !role.links.some(([name]) => name === "visit")) continue
    const rank = role.columns.find(({ column }) =>
      /\b(?:rank|order|seq|priority|type)\b/u.test(wordsOf(column.name)) && column.numbers === column.filled
    )
    const name = role.columns.find(({ column }) => /\b(?:name|description|display|text)\b/u.test(wordsOf(column.name)))
    const put = (field: string, yaml: string, why?: string) => writer.put(["visit", "diagnosis", field], yaml, why)
    put("resource", role.name, "its codes have the form of ICD-10")
    put("encounter_code", quoted("%visit.keyOf('encounter')"))
    put("diagnosis_type_name", rank === undefined ? "null" : quoted(`iif(${rank.name} = 1, 'Primary', 'Secondary')`))
    put("diagnosis_code", code.name)
    put("diagnosis_name", name?.name ?? "null")
    put("diagnosis_description", "null")
    const time = role.columns.find(({ column }) => column.kind === "timestamp")
    put("diagnosed_at", time === undefined ? quoted("%visit.admitted_at") : ref(time.name))
    put("diagnosed_by", staffOf(role) ?? "null")
    put("title", "null")
    return
  }
}

/** Vital signs that stand in columns of their own become one entry for each row. */
const suggestVitals = (roles: ReadonlyArray<Role>, visit: Role, { writer }: Out): void => {
  for (const role of roles) {
    const signs = role.columns.filter(({ column }) => column.vital !== undefined)
    if (signs.length < 2 || !(role === visit || role.links.some(([name]) => name === "visit"))) continue
    const time = role.columns.find(({ column }) => column.kind === "timestamp")
    const at = ["visit", "vital_signs"]
    writer.put(
      [...at, role === visit ? "forEach" : "resource"],
      role === visit ? "\"%visit\"" : role.name,
      "a column for each sign"
    )
    writer.put([...at, "encounter_code"], quoted("%visit.keyOf('encounter')"))
    writer.put([...at, "recorded_at"], time === undefined ? quoted("%visit.admitted_at") : ref(time.name))
    writer.put([...at, "recorded_by"], staffOf(role) ?? "null")
    writer.put([...at, "title"], "null")
    writer.put([...at, "observations", "forEach"], "\"$this\"")
    for (const { column, name } of signs) {
      const sign = vitalColumns.find((one) => one.name === column.vital)!
      writer.put(
        [...at, "observations", "unionAll", sign.branch],
        `{where: {measured: ${name}.exists()}, name: {value: ${sign.name}}, value: ${name}}`
      )
    }
    return
  }
}

/** Words of FHIRPath: a column that is called like one stands in back-ticks in a path. */
const fhirPathWords: ReadonlySet<string> = new Set(
  ("and or xor implies in contains is as div mod true false year years month months week weeks day days hour hours minute minutes "
    + "second seconds millisecond milliseconds").split(" ")
)

/** A column as a path names it. */
const ref = (name: string): string => (fhirPathWords.has(name) ? quoted(`\`${name}\``) : name)

/** What only people can say of the files. */
const doubts = (tables: ReadonlyArray<TableProfile>): ReadonlyArray<string> =>
  tables.flatMap((table) => [
    ...(table.unreadable > 0
      ? [`${plural(table.unreadable, "row")} of \`${printable(table.file)}\` cannot be read`]
      : []),
    ...(table.guessed
      ? [`\`${printable(table.file)}\` is not UTF-8; it was read as ${table.encoding}: look at the names in it`]
      : []),
    ...table.columns.flatMap(({ dates, name }) => {
      const mixed = dates.find(({ mixed }) => mixed)
      return mixed === undefined
        ? []
        : [
          `dates of \`${printable(name)}\` are written days first and months first: ${
            number(mixed.count)
          } cannot be told apart`
        ]
    })
  ])

/** Of files that the mapping reads: columns that it does not. */
const columnsNotRead = (tables: ReadonlyArray<TableProfile>): ReadonlyArray<string> =>
  tables.flatMap(({ columns, file }) => {
    const unread = columns.filter(({ filled, read }) => read === false && filled > 0).map(({ name }) =>
      `\`${printable(name)}\``
    )
    return unread.length === 0 ? [] : [`columns of ${printable(file)} that no line reads: ${unread.join(", ")}`]
  })
