import { isType } from "../../../fhirpath/infer/Model.ts"
import { addressDigits } from "../draft/assumptions.ts"
import { guessOutcome, isEmergency, isSide, leftAs, sideOf } from "./columns/guessColumn.ts"
import { declareColumn, withTimes } from "./declareTable.ts"
import type { ColumnProfile, TableProfile } from "./facts/TableProfile.ts"
import { canonicalTables, type DateOrder, type Declared, type Role } from "./TableRole.ts"
import { plainest } from "./words/addsToName.ts"
import {
  begins,
  born,
  columnWordsOf,
  ends,
  isKeyName,
  isRowNumber,
  namesCurrency,
  namesField,
  namesLess,
  namesOtherState,
  namesPartOfVisits,
  namesState,
  namesTimeOfDay,
  namesVoid,
  otherTimes,
  ownWordsOf,
  sexed,
  visitDates
} from "./words/columnWords.ts"

const find = (
  table: TableProfile,
  words: Pick<RegExp, "test">,
  fits: (column: ColumnProfile) => boolean = () => true
) => table.columns.find((column) => column.filled > 0 && words.test(columnWordsOf(column.name)) && fits(column))

const isTimed = ({ kind }: ColumnProfile): boolean => kind === "timestamp"

/** Whether a column can hold the beginning or the end of a visit, by its values. */
export const mayBeOfVisit = (column: ColumnProfile): boolean => isDated(column) && column.decades !== true

export const isDated = ({ kind }: ColumnProfile): boolean => kind === "timestamp" || kind === "date"

/** Finds the table of patients: it has a birth date, and most other tables refer to it. */
export const patientsOf = (tables: ReadonlyArray<TableProfile>): TableProfile | undefined =>
  best(
    tables,
    (table) =>
      (find(table, born, isDated) === undefined ? 0 : 4) + (find(table, sexed) === undefined ? 0 : 1) +
      (/\b(?:patients?|pacientes?|pasien|malades?|benh nhan|persons?|people|demographics?)\b/u.test(
          columnWordsOf(table.name)
        )
        ? 3
        : 0) +
      (table.keys.length > 0 ? 1 : -4),
    4
  )

/** Finds the table of visits: others refer to it, it refers to the patient, and it has a start time. */
export const visitsOf = (
  tables: ReadonlyArray<TableProfile>,
  patients: TableProfile | undefined
): TableProfile | undefined => {
  const referringTo = ({ name }: TableProfile): number =>
    tables.filter(({ links }) => links.some((link) => link.table === name)).length
  const likeliest = best(
    tables.filter((table) => table !== patients),
    (table) => {
      const referring = referringTo(table)
      return (isNamedAfterVisits(table.name) ? 4 : 0) -
        (namesPartOfVisits(table.name) ? 1 : 0) -
        // A measurement made at a visit is not the visit, and other tables do not refer to it.
        (table.columns.filter(({ filled, vital }) => filled > 0 && vital !== undefined).length > 1
          ? referring > 1 ? isNamedAfterVisits(table.name) ? 0 : 1 : 3
          : 0) +
        Math.min(3, referring) +
        (table.links.some((link) => link.table === patients?.name) ? 2 : 0) +
        (find(table, begins, isDated) !== undefined ? 2 : table.columns.some(isDated) ? 0 : -3) +
        (table.keys.length > 0 || table.pair !== undefined ? 0 : isUnnumbered(table, patients) ? -2 : -6)
    },
    4
  )
  // A part of a visit refers to the visit, and so do most tables.
  const above = tables.find((table) =>
    table !== patients && likeliest !== undefined &&
    (isNamedAfterVisits(table.name) || referringTo(table) > referringTo(likeliest) + 1) &&
    find(table, begins, isDated) !== undefined &&
    table.links.some((link) => link.table === patients?.name) &&
    likeliest.links.some((link) => link.table === table.name)
  )
  return above ?? likeliest
}

/** Whether the rows of a table are visits by its name, its beginnings and its patients: patient and time can be their code. */
const isUnnumbered = (table: TableProfile, patients: TableProfile | undefined): boolean =>
  patients !== undefined && isNamedAfterVisits(table.name) && find(table, begins, isDated) !== undefined &&
  table.links.some((link) => link.table === patients.name)

/** Whether a table has the name of a table of visits. */
export const isNamedAfterVisits = (name: string): boolean => {
  const words = columnWordsOf(name)
  return visitLike.test(words) && !namesPartOfVisits(name)
}

/** Whether a table has the name of a table of inpatient stays. */
export const isNamedAfterStays = (name: string): boolean =>
  /\b(?:admissions?|in ?patients?|ipd|stays?|confinements?|spells?|apc|rss|rsa|aih|sejours?|hospitalisations?|ipt|egresos?|ingresos|internac\w*|ranap|rawat inap|noi tru)\b/u
    .test(columnWordsOf(name))

const visitLike =
  /\b(?:visits?|encounters?|(?:pat(?:ient)? )?encs?|consultations?|appointments?|admissions?|attendances?|episodes?|stays?|ovst|opd|ipd|passages?|sejours?|visites?|hospitalisations?|atenciones|atendimentos?|consultas|ingresos|kunjungan|reg(?:istrasi)? periksa|pendaftaran|rawat (?:inap|jalan)|ranap|ralan|rajal|luot kham)\b/u

const best = (
  tables: ReadonlyArray<TableProfile>,
  score: (table: TableProfile) => number,
  minScore: number
): TableProfile | undefined =>
  tables.map((table) => ({ table, score: score(table) })).filter(({ score }) => score >= minScore)
    .toSorted((a, b) => b.score - a.score || b.table.rows - a.table.rows)[0]?.table

/** Returns whether the day or the month comes first in the dates of an export, and the calendar of years with two digits. */
export const dateOrderOf = (tables: ReadonlyArray<TableProfile>): DateOrder => {
  const sure = tables.flatMap(({ columns }) => columns.flatMap(({ dates }) => dates)).filter(({ ambiguous, mixed }) =>
    !ambiguous && !mixed
  )
  const of = (form: RegExp) => sure.filter(({ format }) => form.test(format)).length
  const days = of(/^DD?[/.-]/u)
  const months = of(/^MM?[/.-]/u)
  const shortBuddhist = tables.some(({ columns }) =>
    columns.some(({ dates, name }) =>
      !born.test(columnWordsOf(name)) && dates.some((form) => form.shortBuddhist === true)
    )
  )
  return { daysFirst: days >= months, sure: (days > 0) !== (months > 0), shortBuddhist }
}

interface Roles {
  readonly patients: TableProfile | undefined
  readonly visits: TableProfile | undefined
  readonly order: DateOrder
}

/** Names each table and each of its columns. */
export const rolesOf = (tables: ReadonlyArray<TableProfile>, roles: Roles): ReadonlyArray<Role> => {
  const taken = new Set(["visit", "patient"])
  const tableNames = tables.map((table) => {
    if (table === roles.visits) return { table, name: "visit" }
    if (table === roles.patients) return { table, name: "patient" }
    // The tables of the canonical extract have fixed columns, so another table gets a different name.
    let name = canonicalTables.has(table.name) || taken.has(table.name) || isType(table.name)
      ? `${table.name}_table`
      : table.name
    while (taken.has(name)) name += "_2"
    taken.add(name)
    return { table, name }
  })
  return tableNames.map(({ name, table }): Role => {
    const currency = currencyOf(table)
    const own = new Map<ColumnProfile, string>([
      // The check of currencies reads the column of this name.
      ...(currency === undefined ? [] : [[currency, "currency"] as const]),
      ...(name === "visit"
        ? visitColumns(table, roles.patients, tables)
        : name === "patient"
        ? patientColumns(table)
        : [])
    ])
    const links = linksOf(table, [name, ...own.values()], tableNames)
    const references = new Set(
      links.flatMap(({ foreignKey }) => (foreignKey.beside === undefined ? [foreignKey.column] : []))
    )
    const used = new Set([...own.values(), ...links.map((link) => link.name), name, "id", "row", "version"])
    const columns = table.columns.flatMap((column, at): ReadonlyArray<Declared> => {
      const known = own.get(column)
      const isRead = column.kind !== "empty" || known !== undefined || isOfSeries(column, table) ||
        name !== "patient" && (mayCancel(column) || isSignBesideOthers(column, table)) ||
        name !== "visit" && name !== "patient" && isComing(column)
      if (!isRead) return []
      // A column `id` is the key of its table; otherwise it is renamed.
      const isId = column.name === table.keys[0] && plainName(column.name) === "id" && !references.has(column.name)
      const called = known ?? (isId ? "id" : freeName(column.name, at, used))
      used.add(called)
      return [declareColumn({ name: called, column, at, table, order: roles.order })]
    })
    return { table, name, columns: withTimes(columns, roles.order), links }
  })
}

/** Finds the column of the currencies of amounts: one of that name, or of a similar name without other codes than those of currencies. */
const currencyOf = (table: TableProfile): ColumnProfile | undefined =>
  table.columns.find(({ filled, name }) => filled > 0 && plainName(name) === "currency") ??
    table.columns.find(({ codes, kind, name }) =>
      kind === "code" && namesCurrency(name) && codes.filter(([code]) => isCurrency(code)).length * 2 >= codes.length
    )

/** Whether a code is that of a currency (ISO 4217). */
const isCurrency = (code: string): boolean => Intl.supportedValuesOf("currency").includes(code.toUpperCase())

/**
 * Whether another column whose name differs only in its number is filled: `diag5` is empty until a visit has five diagnoses. Or it has the
 * doses of another time of day.
 */
const isOfSeries = ({ name }: ColumnProfile, { columns }: TableProfile): boolean => {
  if (namesTimeOfDay(name) && columns.some((other) => other.filled > 0 && namesTimeOfDay(other.name))) return true
  const series = /^(.*\D)\d{1,2}$/u.exec(name)?.[1]
  return series !== undefined &&
    columns.some((other) => other.name !== name && other.filled > 0 && other.name.replace(/\d{1,2}$/u, "") === series)
}

/** Whether a column that has no value so far is called after a vital sign, or after a size in a unit, next to others that have values. */
const isSignBesideOthers = (column: ColumnProfile, { columns }: TableProfile): boolean =>
  column.filled === 0 && isMeasured(column) && column.assumedUnit === undefined &&
  columns.some((other) => other.filled > 0 && isMeasured(other))

const isMeasured = ({ pressures, size, vital }: ColumnProfile): boolean =>
  pressures === true || size !== undefined || vital !== undefined

/** Whether a column that has no value so far can have one that is sent, or that changes an amount. */
const isComing = ({ different, name }: ColumnProfile): boolean =>
  different === 0 && (namesLess(name) || namesField(name))

/** Whether a value of a column that has none so far can mean that its row is cancelled. */
const mayCancel = ({ different, name }: ColumnProfile): boolean =>
  different === 0 && (namesVoid(name) || namesState(name) && !namesOtherState(name))

/** Names links after their target. If two links have one target, or it has a name of `own`, the link is named after its column. */
const linksOf = (
  table: TableProfile,
  own: ReadonlyArray<string>,
  tableNames: ReadonlyArray<{ readonly table: TableProfile; readonly name: string }>
): Role["links"] => {
  const taken = new Set<string>()
  return table.links.flatMap((foreignKey) => {
    const target = tableNames.find(({ table }) => table.name === foreignKey.table)
    if (target === undefined || (target.table.keys[0] ?? target.table.pair?.[0]) !== foreignKey.key) return []
    let { name } = target
    if (taken.has(name) || own.includes(name)) name = `${plainName(foreignKey.column) ?? "row"}_of_${target.name}`
    if (taken.has(name)) return []
    taken.add(name)
    return [{ name, foreignKey, target: target.name }]
  })
}

const plainName = (name: string): string | undefined => {
  const plain = [ownWordsOf(name), columnWordsOf(name)].map((words) =>
    words.replaceAll(/[^a-z0-9 ]+/gu, "").trim().replaceAll(/ +/gu, "_")
  )
  return plain.find((one) => /^[a-z][a-z0-9_]*$/u.test(one))
}

const freeName = (name: string, at: number, used: ReadonlySet<string>): string => {
  const plain = plainName(name) ?? `column_${at + 1}`
  if (!used.has(plain)) return plain
  let free = `${plain}_${isKeyName(name) ? "no" : "id"}`
  while (used.has(free)) free += "_2"
  return free
}

/** Returns the columns of a table of visits that the mapping `csv` knows. */
const visitColumns = (
  table: TableProfile,
  patients: TableProfile | undefined,
  tables: ReadonlyArray<TableProfile> = []
): ReadonlyArray<readonly [ColumnProfile, string]> => {
  const taken = new Set<ColumnProfile>()
  const isFilledAsOthers = ({ filled }: ColumnProfile): boolean =>
    filled * 2 > table.rows ||
    !table.columns.some((one) =>
      one.filled === table.rows && isTimed(one) && begins.test(columnWordsOf(one.name)) &&
      !ends.test(columnWordsOf(one.name))
    )
  return pick(table, taken, [
    // A list is numbered again each time it is printed.
    [
      "code",
      ({ filled, name, numbers }) =>
        name === table.keys[0] && (!isRowNumber(name) || numbers < filled ||
          tables.some(({ links }) => links.some((link) => link.table === table.name && link.key === name)))
    ],
    [
      "patient_code",
      (column) => table.links.find((link) => link.table === patients?.name)?.column === column.name
    ],
    // Only stays have a time of admission next to the beginning of each visit.
    [
      "admitted_at",
      (column, words) => isTimed(column) && begins.test(words) && isOfAdmission(words) && isFilledAsOthers(column)
    ],
    ["admitted_at", (column, words) => mayBeOfVisit(column) && visitDates.test(words)],
    ["admitted_at", (column, words) => isTimed(column) && begins.test(words)],
    ["admitted_at", (column, words) => mayBeOfVisit(column) && begins.test(words)],
    [
      "admitted_at",
      (column, words) => mayBeOfVisit(column) && !ends.test(words) && !otherTimes.test(words) && !born.test(words)
    ],
    // The rows of a table of appointments are visits that start at the planned time.
    [
      "admitted_at",
      (column, words) =>
        mayBeOfVisit(column) && /\b(?:appointment|rendez vous|rdv|cita|consulta)\b/u.test(words) && !ends.test(words) &&
        !/\b(?:next|follow\w*|created|updated|modified|booked|made)\b/u.test(words)
    ],
    ["followup_at", (column, words) => mayBeOfVisit(column) && comesAgain.test(words)],
    ["discharged_at", (column, words) => isTimed(column) && ends.test(words)],
    ["discharged_at", (column, words) => mayBeOfVisit(column) && ends.test(words)],
    [
      "visit_type",
      ({ codes, kind, withheld }) =>
        isCoded(kind) && codes.filter(([code]) => isSide(code)).length * 2 > codes.length + withheld &&
        // An emergency is how a stay began.
        !(isNamedAfterStays(table.name) && codes.every(([code]) => !isSide(code) || isEmergency(code)))
    ],
    [
      "visit_type",
      ({ kind }, words) =>
        isCoded(kind) &&
        /\b(?:(?:visit|enc|encounter|episode|case|patient|pt(?!type)) ?(?:type|class|kind)|encounterclass|class)\b|^type(?: (?:de |d )?(?:visite|passage|consultation|sejour|prise en charge))?$|^tipo(?: (?:de )?(?:visita|atencion|consulta|atendimento))?$|^jenis (?:kunjungan|pelayanan|rawat)$|^(?:in ?out|i ?o|ip ?op|op ?ip|opd ?ipd|ipd ?opd)(?: (?:patient|code|type|class|status|flag))*$/u
          .test(words)
    ],
    // A department shows the type only if one of them is for stays, outpatients or emergencies.
    [
      "visit_type",
      ({ codes, kind }, words) =>
        isCoded(kind) && /\b(?:service|servicio|servico|department|clinic|poli(?:klinik)?)\b/u.test(words) &&
        codes.some(([code]) => sideOf(code) !== undefined)
    ],
    // Discharge type and outcome are often in one column; its values decide which of the two it is.
    [
      "visit_outcome",
      (column, words) => isCoded(column.kind) && (left.test(words) || fared.test(words)) && isOutcome(column)
    ],
    ["discharge_type", ({ kind }, words) => canBeCoded(kind) && left.test(words)],
    ["visit_outcome", ({ kind }, words) => canBeCoded(kind) && fared.test(words)],
    [
      "admission_type",
      ({ kind }, words) => canBeCoded(kind) && came.test(words)
    ]
  ])
}

/** Matches the time of the next visit. */
const comesAgain =
  /^(?:date (?:of )?)?(?:the )?(?:follow ?up|next (?:visit|appointment|appt|review|consultation))(?: (?:visit|appointment))?(?: (?:date|day|time|at|on|dt))?$|^(?:fecha|data|date)(?: (?:de|da|do|du|de la))? (?:control|retorno|proxima? (?:cita|consulta|visita)|prochain rdv|prochain rendez vous)$|^(?:proxima? (?:cita|consulta)|prochain (?:rdv|rendez vous)|tanggal kontrol)$/u

const came =
  /\b(?:admi\w* (?:type|source|mode)|arrival|arrived by|(?:mode|type) (?:d )?(?:entree|arrivee|admission)|(?:tipo|via|route) de (?:ingreso|admision|entrada)|cara masuk)\b/u

/** Whether a column, by its name, has how patients came, or how visits ended. */
export const namesArrival = (name: string): boolean => came.test(columnWordsOf(name))
export const namesEnd = (name: string): boolean => left.test(columnWordsOf(name)) || fared.test(columnWordsOf(name))

/** Whether a beginning is by its words that of the visit and of nothing else. */
const isOfAdmission = (words: string): boolean =>
  visitDates.test(words) || !/\b(?:start\w*|begin\w*|began|inicio|debut|reg(?:istration)?)\b/u.test(words) ||
  /^(?:start|begin|inicio|debut)$|\b(?:visit|encounter|admi\w*)\b/u.test(words)

const left =
  /\b(?:disposition|disp(?: code)?|discharge (?:type|status|mode|code|way)|left|(?:mode|type) (?:de )?sortie|(?:tipo|motivo) (?:de |del )?(?:alta|egreso)|cara (?:keluar|pulang))\b|^(?:patient )?disposition$|^(?:decision|devenir|destino)(?: (?:du |del |do |de la )?pa(?:tient|ciente))?$/u
const fared =
  /\b(?:outcome|condition (?:on|at) (?:leaving|discharge)|discharge (?:condition|result)|issue|evolution|etat (?:de |a la )?sortie|condic(?:ion|ao) (?:de |del |al |na |no )?(?:alta|egreso)|desenlace|desfecho|kondisi (?:keluar|pulang)|tinh trang ra vien|ket qua dieu tri)\b/u

const isOutcome = ({ codes }: ColumnProfile): boolean =>
  codes.filter(([code]) => guessOutcome(code) !== undefined).length >
    codes.filter(([code]) => leftAs(code) !== undefined).length

const isCoded = (kind: ColumnProfile["kind"]): boolean => kind === "code" || kind === "text"

/** The same, or no value so far. */
const canBeCoded = (kind: ColumnProfile["kind"]): boolean => isCoded(kind) || kind === "empty"

/** Finds the column of the visit's start time; the birth date does not count. */
export const visitBegins = (table: TableProfile): ColumnProfile | undefined =>
  visitColumns(table, undefined).find(([column, name]) =>
    name === "admitted_at" && !born.test(columnWordsOf(column.name))
  )
    ?.[0]

/** Returns the columns of the patient, the beginning and the end of a visit. */
export const timesAndPatient = (
  table: TableProfile,
  patients: TableProfile | undefined
): ReadonlyArray<ColumnProfile> =>
  visitColumns(table, patients).flatMap(([column, name]) =>
    name === "patient_code" || name === "admitted_at" || name === "discharged_at" ? [column] : []
  )

/** Whether a column of a wide table is about the person rather than the visit. */
export const isPersonColumn = (column: ColumnProfile, table: TableProfile): boolean =>
  patientColumns({ ...table, keys: [] }).some(([one, name]) =>
    one === column && name !== "code" && name !== "created_at"
  )

/** Returns the columns of a table of patients that the mapping `csv` knows. */
const patientColumns = (table: TableProfile): ReadonlyArray<readonly [ColumnProfile, string]> =>
  pick(
    table,
    new Set<ColumnProfile>(),
    ofPatients.map(([name, fits]) => [
      name,
      // `Patient surname` is a surname, too.
      (column, words) =>
        (name === "code" || !ofOthers.test(words)) &&
        (fits(column, words, table) ||
          fits(column, words.replace(/^(?:patient|pat|person|client) (?:s )?(?!no$|id$|code$|key$)/u, ""), table))
    ])
  )

/** Matches columns about someone other than the patient. */
const ofOthers =
  /\b(?:nok|kin|mothers?|fathers?|parents?|guardians?|spouse|husband|wife|partner|relatives?|emergency|employers?|insur\w*|subscriber|policy|doctors?|physician|referr\w*|mere|pere|conjoint|accompagnant|madre|padre|mae|pai|tutor|ibu|ayah|suami|istri)\b/u

/** Words of the levels of an address, and further words of their names only. */
const addressWords = [
  ["province", "prov(?:ince)?", "state"],
  ["district", "dist(?:r|rict)?", "county"],
  ["commune", "comm(?:une)?|sub ?district", "city|town"],
  ["village", "vill(?:age)?", "phum"]
] as const

type ColumnTest = readonly [
  name: string,
  fits: (column: ColumnProfile, words: string, table: TableProfile) => boolean
]

const ofPatients: ReadonlyArray<ColumnTest> = [
  ["code", (column, _, table) => column.name === table.keys[0]],
  ["surname", (_, words) => /^(?:ape|apell|apellidos?)$/u.test(words)],
  [
    "surname",
    (_, words) =>
      /^(?:sur ?name|family(?: name)?|last(?: ?name)?|lname|nom|nom de famille|apelidos?|sobrenome|cognome|nachname|ho)$/u
        .test(words)
  ],
  [
    "name",
    (_, words) =>
      /^(?:given(?: names?)?|other ?names?|first(?: ?name)?|fname|fore ?name|prenoms?|nombres?|nom|vorname|ten)$/u.test(
        words
      )
  ],
  [
    "name",
    (_, words) =>
      /^(?:name|full ?name|patient ?name|name of patient|nama(?: pasien)?|nome(?: completo| do paciente)?|ho ten|ho va ten|nom (?:et prenoms?|complet|du patient)|nombre (?:completo|y apellidos?|del paciente))$/u
        .test(words)
  ],
  ["sex", (_, words) => sexed.test(words)],
  ["birthdate", (column, words) => isDated(column) && born.test(words)],
  ["phone", (_, words) => /\b(?:phone|tel(?:ephone|efono?|efone)?|mobile|celular|telepon|dien thoai)\b/u.test(words)],
  [
    "marital_status",
    (_, words) =>
      /\b(?:marital|etat civil|situation (?:matrimoniale|familiale)|estado civil|status (?:kawin|perkawinan)|hon nhan)\b/u
        .test(words)
  ],
  [
    "occupation",
    (_, words) => /\b(?:occupation|profession|profesion|profissao|ocupacion|pekerjaan|nghe nghiep)\b/u.test(words)
  ],
  [
    "nationality",
    (_, words) => /\b(?:nationality|nationalite|nacionalidade?|kewarganegaraan|quoc tich)\b/u.test(words)
  ],
  [
    "death_at",
    (column, words) => (isDated(column) || column.kind === "empty") && /\b(?:death\w*|died|deceased)\b/u.test(words)
  ],
  ["spid", (_, words) => /^spid$/u.test(words)],
  [
    "created_at",
    (column, words) =>
      isDated(column) &&
      /^(?:registered|created|enrolled)(?: (?:on|at|date))?$|^reg(?:istration)? (?:on|at|date|time)$|^(?:date|day) (?:registered|created|enrolled)$|^(?:date )?(?:d )?inscription$/u
        .test(words)
  ],
  // Codes of another length are not those of the national gazetteer, and a number is no name.
  ...addressWords.map(([level, words]): ColumnTest => [
    `address_${level}_code`,
    ({ digits }, name) =>
      digits === addressDigits[level] && new RegExp(`^(?:${words})(?: (?:code|id|no))?$`, "u").test(name)
  ]),
  ...addressWords.map(([level, words, more]): ColumnTest => [
    `address_${level}_name`,
    ({ filled, numbers }, name) =>
      (numbers < filled || filled === 0) && new RegExp(`^(?:${words}|${more})(?: name)?$`, "u").test(name)
  ]),
  [
    "address_location",
    (_, words) => /^(?:address(?: line)?|adresse|direccion|domicilio|endereco|alamat|dia chi)$/u.test(words)
  ]
]

/** Finds the column with the words of the numbers of a category list: `ENC_TYPE_NAME` of `ENC_TYPE_C`. */
const wordsBeside = ({ name }: ColumnProfile, { columns }: TableProfile): ColumnProfile | undefined =>
  name.endsWith("_C")
    ? columns.find((other) => other.filled > 0 && other.name === name.replace(/C$/u, "NAME"))
    : undefined

/** The columns that are read if they are empty so far: a later extract can have values in them. */
const mayBeEmpty =
  /^(?:death_at|phone|occupation|nationality|marital_status|address_(?:province|district|commune|village)_name|address_location|discharge_type|visit_outcome|admission_type)$/u

/** Assigns to each name the first column that fits; a column has one name, and a name one column. */
const pick = (
  table: TableProfile,
  taken: Set<ColumnProfile>,
  expected: ReadonlyArray<readonly [name: string, fits: (column: ColumnProfile, words: string) => boolean]>
): ReadonlyArray<readonly [ColumnProfile, string]> => {
  const found: Array<readonly [ColumnProfile, string]> = []
  for (const [name, fits] of expected) {
    if (found.some(([, known]) => known === name)) continue
    const fitting = table.columns.filter((one) =>
      (one.filled > 0 || mayBeEmpty.test(name)) && !taken.has(one) && fits(one, columnWordsOf(one.name))
    )
    const filled = fitting.filter((one) => one.filled > 0)
    const column = plainest(filled.length > 0 ? filled : fitting, (one) => one.name)
    if (column === undefined) continue
    const chosen = wordsBeside(column, table) ?? column
    taken.add(chosen)
    found.push([chosen, name])
  }
  return found
}
