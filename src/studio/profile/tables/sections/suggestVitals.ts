import { assumedPath } from "../../substitutes.ts"
import { columnWordsOf, vitalColumns } from "../columnWords.ts"
import type { Suggesting } from "../Suggesting.ts"
import { generateCodes, reaches, use } from "../Suggesting.ts"
import { firstOf, inCondition, ownEncounter, pathOf, TableFinder } from "../TableFinder.ts"
import type { ColumnProfile } from "../TableProfile.ts"
import type { Declared, Role } from "../TableRole.ts"

const quoted = (text: string): string => JSON.stringify(text)

const mayReach = (role: Role, out: Suggesting): boolean => role.name === "visit" || reaches(role, out)

/** Vital signs, from the table where each has a column of its own, else from one with a row for each. */
export const suggestVitals = (out: Suggesting): void => {
  const wide = out.roles.filter((role) => role.name !== "patient" && signsIn(role).length > 1 && mayReach(role, out))
    .toSorted((one, other) => signsIn(other).length - signsIn(one).length)[0]
  if (wide === undefined) suggestLong(out)
  else suggestWide(wide, out)
  suggestTriages(out)
}

const signsIn = ({ columns }: Role): ReadonlyArray<Declared> =>
  columns.filter(({ column }) => column.vital !== undefined || column.pressures === true)

/** A table's rows, or the visit's own: it is one. */
const rowsOf = (role: Role): readonly [word: string, yaml: string] =>
  role.name === "visit" ? ["forEach", quoted("%visit")] : ["resource", role.name]

/** Who measures, rather than sees the patient. */
const measures = /\b(?:nurse|recorded|taken|measured|triage|infirmiere?|enfermer[oa]|perawat|krankenschwester|y ta)\b/u

/** When the rows of a table were, and who made them. */
const whenAndWho = (role: Role, at: ReadonlyArray<string>, out: Suggesting, grouped = false): void => {
  const finder = new TableFinder(role, out.roles)
  const time = role.name === "visit" ? undefined : finder.time()
  const when = firstOf(time === undefined ? undefined : pathOf(time.name), "%visit.admitted_at")
  out.writer.put([...at, "recorded_at"], grouped ? `{path: ${when}, take: first}` : when)
  const who = finder.staff()
  const isAttendant = role.name === "visit" && who !== undefined && !measures.test(columnWordsOf(who))
  out.writer.put(
    [...at, "recorded_by"],
    who === undefined
      ? "null"
      : isAttendant
      ? `[${assumedPath(out.writer, who, "attendant-measured")}]`
      : grouped
      ? `{path: ${who}, take: first}`
      : who
  )
  out.writer.put([...at, "title"], "null")
}

const suggestWide = (role: Role, out: Suggesting): void => {
  const { writer } = out
  const at = ["visit", "vital_signs"]
  if (role.name !== "visit") use(role, out)
  const [word, rows] = rowsOf(role)
  writer.put([...at, word], rows, "a column for each sign")
  const signs = signsIn(role)
  writer.put([...at, "where", "measured"], quoted(signs.map(({ name }) => `${pathOf(name)}.exists()`).join(" or ")))
  writer.put([...at, "encounter_code"], ownEncounter)
  whenAndWho(role, at, out)
  writer.put([...at, "observations", "forEach"], quoted("$this"))
  for (const { column, name } of signs) {
    const put = (branch: string, sign: string, value: string, why?: string) =>
      writer.put(
        [...at, "observations", "unionAll", branch],
        `{where: {measured: ${quoted(`${pathOf(name)}.exists()`)}}, name: {value: ${sign}}, value: ${quoted(value)}}`,
        why
      )
    if (column.pressures === true) {
      put(
        "systolic",
        "Systolic Blood Pressure",
        `${pathOf(name)}.split('/').first().trim().toDecimal()`,
        "two pressures in one cell"
      )
      put("diastolic", "Diastolic Blood Pressure", `${pathOf(name)}.split('/').last().trim().toDecimal()`)
    } else {
      const sign = vitalColumns.find((one) => one.name === column.vital)!
      put(sign.branch, sign.name, convertedPath(column, pathOf(name)), column.conversion?.why)
    }
  }
}

/** A path to a number in the unit that is sent. */
const convertedPath = ({ conversion }: ColumnProfile, path: string): string =>
  conversion === undefined ? path : conversion.path.replaceAll("$", path)

/** Tables with a row for each measure, and the columns of what was measured and when. */
const measuresIn = (out: Suggesting) =>
  out.roles.flatMap((role) => {
    if (role.name === "visit" || role.name === "patient" || !reaches(role, out)) return []
    const finder = new TableFinder(role, out.roles)
    const value = finder.own(valueWords)
    const time = finder.time()
    return value === undefined || time === undefined ? [] : [{ role, finder, value, time }]
  })

/** A row for each sign of one time, recognised by name or code; others are left out. */
const suggestLong = (out: Suggesting): void => {
  const { writer } = out
  for (const { finder, role, time, value } of measuresIn(out)) {
    const named = nameOfSign(role, finder)
    if (named === undefined) continue
    use(role, out)
    const at = ["visit", "vital_signs"]
    for (const [code, sign] of named.signs) writer.put(["conceptMap", "vital_sign", "table", code], sign)
    writer.put(["conceptMap", "vital_sign", "unmapped"], "skip")
    writer.put([...at, "resource"], role.name, "a row for each sign; of one time they are one entry")
    writer.put([...at, "where", "sign"], quoted(`${named.path}.mapped('vital_sign')`))
    writer.put([...at, "groupBy"], `[${pathOf(time.name)}]`)
    writer.put([...at, "encounter_code"], ownEncounter)
    whenAndWho(role, at, out, true)
    writer.put([...at, "observations", "forEach"], quoted("$this"))
    writer.put([...at, "observations", "onePer"], "[name]")
    writer.put([...at, "observations", "name"], `{path: ${quoted(named.path)}, conceptMap: vital_sign}`)
    const ucum = finder.own(
      [/^(?:units?|value ?uom|uom)$/u],
      ({ column }) => column.codes.some(([code]) => /^(?:mm\[Hg\]|Cel|\[degF\]|\/min)$/u.test(code))
    )
    if (ucum === undefined) {
      writer.doubt([...at, "observations", "value"], yamlNumber(value), "in the unit they are in")
    } else {
      for (const [code, sign] of named.signs) {
        writer.put(["conceptMap", "vital_unit", "table", code], quoted(units[sign]!))
      }
      writer.put(["conceptMap", "vital_unit", "unmapped"], "skip")
      writer.put(
        [...at, "observations", "value"],
        `{path: ${yamlNumber(value)}, unit: {conceptMap: vital_unit, of: ${quoted(named.path)}, from: ${
          pathOf(ucum.name)
        }}}`
      )
    }
    return
  }
}

const valueWords = [/^value ?num\w*$|^numeric value$/u, /^(?:value|result|reading)$/u]

const numberOf = ({ column, name }: Declared): string =>
  column.decimal === "," ? `${pathOf(name)}.replace(',', '.')` : pathOf(name)

const yamlNumber = (one: Declared): string => quoted(numberOf(one))

const units: Readonly<Record<string, string>> = {
  "Systolic Blood Pressure": "mm[Hg]",
  "Diastolic Blood Pressure": "mm[Hg]",
  "Heart Rate": "/min",
  "Respiratory Rate": "/min",
  Temperature: "Cel",
  "Blood Oxygen": "%",
  "Random Blood Glucose": "mg/dL"
}

/** The column whose values name signs: of the table or of a table of names; the one with the most. */
const nameOfSign = (role: Role, finder: TableFinder) =>
  [
    ...role.columns.map((one) => ({ path: pathOf(one.name), signs: one.column.signs ?? [] })),
    ...finder.names.flatMap((other) => {
      const link = role.links.find(([, , target]) => target === other.name)?.[0]
      return other.columns.map((one) => ({
        path: `${link}.resolve().${pathOf(one.name)}`,
        signs: one.column.signs ?? []
      }))
    })
  ].filter(({ signs }) => signs.length > 1).toSorted((one, other) => other.signs.length - one.signs.length)[0]

/** Height, weight and chief complaint. */
const suggestTriages = (out: Suggesting): void => {
  const { writer } = out
  const height = (role: Role) => role.columns.find(({ column }) => column.size === "height")
  const weight = (role: Role) => role.columns.find(({ column }) => column.size === "weight")
  const role = out.roles.find((one) =>
    one.name !== "patient" && (height(one) !== undefined || weight(one) !== undefined) && mayReach(one, out)
  )
  if (role === undefined) return suggestLongTriages(out)
  if (role.name !== "visit") use(role, out)
  const at = ["visit", "triages"]
  const [word, rows] = rowsOf(role)
  const [tall, heavy] = [height(role), weight(role)]
  writer.doubt([...at, word], rows, "taken to be in cm and kg")
  writer.put(
    [...at, "where", "measured"],
    quoted([tall, heavy].flatMap((one) => (one === undefined ? [] : [`${pathOf(one.name)}.exists()`])).join(" or "))
  )
  writer.put([...at, "code"], quoted("keyOf('record')"))
  const complaint = complaintOf(role) ?? "null"
  writer.put([...at, "chief_complaint"], complaint)
  for (const [field, one] of [["height", tall], ["weight", heavy]] as const) {
    const path = one === undefined ? "null" : convertedPath(one.column, pathOf(one.name))
    writer.put([...at, field], one?.column.conversion === undefined ? path : quoted(path), one?.column.conversion?.why)
  }
  whenAndWho(role, at, out)
  generateCodes(out)
}

/** A row for each measure, of one time: those of height and weight are one triage. */
const suggestLongTriages = (out: Suggesting): void => {
  const { writer } = out
  for (const { role, time, value } of measuresIn(out)) {
    const named = role.columns.find(({ column }) => column.sizes !== undefined)
    if (named === undefined) continue
    use(role, out)
    const at = ["visit", "triages"]
    const sizes = named.column.sizes!
    const among = (expected: ReadonlyArray<string>): string => inCondition(pathOf(named.name), expected)
    const measured = (size: "height" | "weight"): string => {
      const codes = sizes.flatMap(([code, one]) => (one === size ? [code] : []))
      return codes.length === 0
        ? "null"
        : `{path: ${quoted(`where(${among(codes)}).${numberOf(value)}`)}, take: first}`
    }
    writer.doubt([...at, "resource"], role.name, "a row for each measure; taken to be in cm and kg")
    writer.put([...at, "where", "size"], quoted(among(sizes.map(([code]) => code))))
    writer.put([...at, "groupBy"], `[${pathOf(time.name)}]`)
    writer.put([...at, "code"], quoted("first().keyOf('record')"))
    writer.put([...at, "chief_complaint"], "null")
    writer.put([...at, "height"], measured("height"))
    writer.put([...at, "weight"], measured("weight"))
    whenAndWho(role, at, out, true)
    generateCodes(out)
    return
  }
}

/** The chief complaint, in the patient's words. */
export const complaintOf = (role: Role): string | undefined =>
  role.columns.find(({ column }) =>
    column.kind !== "empty" &&
    /^(?:(?:chief |presenting )?complaint|cc|reason(?: for (?:visit|encounter)| ?description)?|symptoms?|motif(?: (?:de |d )?(?:consultation|visite|entree|venue|recours|admission))?|plaintes?|motivo(?: de (?:la )?(?:consulta|visita|ingreso|atencion))?|queixa(?: principal)?|keluhan(?: utama)?|ly do kham|beschwerden|symptomes?|sintomas?)$/u
      .test(
        columnWordsOf(column.name)
      )
  )?.name
