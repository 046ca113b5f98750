import { plural } from "../../../../diagnostic/count.ts"
import { printable } from "../../../../diagnostic/render/printable.ts"
import { glucose } from "../../../../mapping/codes/commonUnits.ts"
import { assumedPath } from "../../draft/assumptions.ts"
import { quotedText } from "../../draft/Draft.ts"
import { vitalSigns } from "../../vitalSigns.ts"
import { numberInText } from "../columns/decimalSigns.ts"
import { besideInches, isInInches } from "../columns/measureOf.ts"
import type { ColumnProfile } from "../facts/TableProfile.ts"
import type { TableDraft } from "../TableDraft.ts"
import type { TableFinder } from "../TableFinder.ts"
import { type Declared, isOther, type Role } from "../TableRole.ts"
import { columnWordsOf, namesPressures, namesSign } from "../words/columnWords.ts"
import { spellingsIn, unitColumnOf, unitInName } from "../words/unitSpellings.ts"
import {
  beginning,
  codeOfRows,
  firstOf,
  inCondition,
  ownEncounter,
  pathOf,
  pathTo,
  valueOfRows,
  yamlOf
} from "../writePath.ts"

const canReach = (role: Role, draft: TableDraft): boolean => role.name === "visit" || draft.reachesVisits(role)

/** Drafts vital signs from the table with a column for each sign, or otherwise from a table with a row for each. */
export const suggestVitals = (draft: TableDraft): void => {
  const [wide] = draft.roles.filter((role) => role.name !== "patient" && isOfSigns(role) && canReach(role, draft))
    .toSorted((one, other) => signsIn(other).length - signsIn(one).length)
  if (wide === undefined) suggestLong(draft)
  else suggestWide(wide, draft)
  suggestTriages(draft)
}

const signsIn = ({ columns }: Role): ReadonlyArray<Declared> =>
  columns.filter(({ column }) => column.vital !== undefined || column.pressures === true)

/** Whether a table has columns of vital signs. One is enough if its name is a word, and its table is that of visits or of measures. */
const isOfSigns = (role: Role): boolean => {
  const signs = signsIn(role)
  return signs.length > 1 ||
    (role.name === "visit" ||
        /\b(?:vitals?|signs?|triages?|screening|obs\w*|constantes)\b/u.test(columnWordsOf(role.table.name))) &&
      signs.some(({ column: { name, pressures } }) => pressures === true || columnWordsOf(name).length > 3)
}

/** The key that reads a table's rows. Each visit is itself one row. */
const rowsOf = (role: Role): readonly [key: string, yaml: string] =>
  role.name === "visit" ? ["forEach", quotedText("%visit")] : ["resource", role.name]

/** Matches a column of the person who measures, who need not be the person who sees the patient. */
const measures = /\b(?:nurse|recorded|taken|measured|triage|infirmiere?|enfermer[oa]|perawat|krankenschwester|y ta)\b/u

/** Drafts the time of a section's rows, and the person who made them. */
const suggestTimeAndStaff = (
  role: Role,
  section: "vital_signs" | "triages",
  draft: TableDraft,
  { isGrouped = false } = {}
): void => {
  const { put } = draft.section("visit", section)
  const finder = draft.finder(role)
  const time = firstOf(role.name === "visit" ? undefined : pathTo(finder.time()), beginning)
  put("recorded_at", isGrouped ? `{path: ${time}, take: first}` : time)
  const who = finder.staff()
  const isAttendant = role.name === "visit" && who !== undefined && !measures.test(columnWordsOf(who))
  put(
    "recorded_by",
    who === undefined
      ? "null"
      : isAttendant
      ? `[${assumedPath(draft, who, "attendant-measured")}]`
      : isGrouped
      ? valueOfRows(who)
      : yamlOf(who)
  )
  put("title", "null")
}

/** Whether one of some columns has a value, as a condition. */
const isMeasured = (columns: ReadonlyArray<Declared | undefined>): string =>
  quotedText(
    columns.filter((column) => column !== undefined).map(({ name }) => `${pathOf(name)}.exists()`).join(" or ")
  )

const suggestWide = (role: Role, draft: TableDraft): void => {
  const { put } = draft.section("visit", "vital_signs")
  if (role.name !== "visit") draft.use(role)
  const [key, rows] = rowsOf(role)
  put(key, rows, "a column for each sign")
  draft.dropByState(role, ["visit", "vital_signs"])
  const signs = signsIn(role)
  put(["where", "measured"], isMeasured(signs))
  put("encounter_code", ownEncounter)
  suggestTimeAndStaff(role, "vital_signs", draft)
  put(["observations", "forEach"], quotedText("$this"))
  for (const column of signs) {
    const path = pathOf(column.name)
    const { pressures, shortPressures, vital } = column.column
    const putBranch = (name: string | undefined, value: string, reason: Reason) => {
      const sign = vitalSigns.find((one) => one.name === name)
      if (sign === undefined) return
      putFor(
        reason,
        draft,
        ["visit", "vital_signs", "observations", "unionAll", sign.branch],
        `{where: {measured: ${isMeasured([column])}}, name: {value: ${sign.name}}, value: ${quotedText(value)}}`
      )
    }
    if (pressures === true) {
      const cell = `${path}.where(matches('${twoPressures}'))`
      const split = "replaceMatches('[^0-9.,]+', '/').split('/')"
      const part = (part: string): string =>
        shortPressures === true
          ? `${cell}.select(iif(matches('${shortPair}'), 10, 1) * ${split}${part}.trim().replace(',', '.').toDecimal())`
          : `${cell}.${split}${part}.trim().toDecimal()`
      const why = `two pressures in one cell${
        shortPressures === true ? "; pairs such as 12/8 are in centimetres of mercury, and sent in millimetres" : ""
      }`
      putBranch("Systolic Blood Pressure", part(".first()"), { why })
      putBranch("Diastolic Blood Pressure", part("[1]"), {})
    } else putBranch(vital, convertedPath(column.column, path), reasonOf(column))
  }
}

/** Another cell, such as `120`, has no two pressures: it rejects its visit. */
const twoPressures = "^[0-9.,]+ ?[/xX\u00D7-] ?[0-9.,]+( ?mm ?[Hh][Gg])?$"

/** Two pressures in centimetres of mercury: no living person has a systolic pressure below 30 mmHg and a diastolic one below 20. */
const shortPair = "^([5-9]|[12][0-9])([.,][0-9])? ?[/xX\u00D7-] ?([3-9]|1[0-9])([.,][0-9])?$"

/** Why a line reads the numbers of a column as it does, or what only people can confirm about it. */
interface Reason {
  readonly why?: string
  readonly question?: string
}

const reasonOf = ({ column: { conversion }, name }: Declared): Reason =>
  conversion !== undefined && "question" in conversion
    ? { question: `\`${name}\`: ${conversion.question.replaceAll("$", pathOf(name))}` }
    : conversion ?? {}

const putFor = ({ question, why }: Reason, draft: TableDraft, path: ReadonlyArray<string>, yaml: string): void =>
  question === undefined ? draft.put(path, yaml, why) : draft.ask(path, yaml, question)

/** A path to a number in the unit that is sent, or `null` if people must say first which unit it has. */
const convertedPath = ({ conversion }: ColumnProfile, path: string): string =>
  conversion === undefined ? path : conversion.path?.replaceAll("$", path) ?? "null"

/** Finds the tables with a row for each measure, and their columns of values and times. */
const measuresIn = (draft: TableDraft) =>
  draft.roles.flatMap((role) => {
    if (!isOther(role) || !draft.reachesVisits(role)) return []
    const finder = draft.finder(role)
    const value = finder.own(valueWords)
    const time = finder.time()
    return value === undefined || time === undefined ? [] : [{ role, finder, value, time }]
  })

/** Drafts vital signs from rows: those of one time are one entry. Rows whose sign is not recognised by name or code are skipped. */
const suggestLong = (draft: TableDraft): void => {
  for (const { finder, role, time, value } of measuresIn(draft)) {
    const found = signNamesIn(role, finder)
    if (found === undefined) continue
    draft.use(role)
    const { doubt, put } = draft.section("visit", "vital_signs")
    const signMap = draft.section("conceptMap", "vital_sign")
    for (const [code, sign] of found.signs) signMap.put(["table", code], sign)
    signMap.put("unmapped", "skip")
    put("resource", role.name, "a row for each sign; those of one time are one entry")
    draft.dropByState(role, ["visit", "vital_signs"])
    put(["where", "sign"], quotedText(`${found.path}.mapped('vital_sign')`))
    put("groupBy", `[${pathOf(time.name)}]`)
    put("encounter_code", ownEncounter)
    suggestTimeAndStaff(role, "vital_signs", draft, { isGrouped: true })
    put(["observations", "forEach"], quotedText("$this"))
    put(["observations", "onePer"], "[name]")
    put(["observations", "name"], `{path: ${quotedText(found.path)}, conceptMap: vital_sign}`)
    const unit = unitColumnOf(finder)
    const units = unitsOf(role, { unit, path: found.path, names: found.signs.map(([code]) => code) }, draft)
    const sign = doubtOfSign(value)
    if (units === undefined) {
      doubt(
        ["observations", "value"],
        quotedText(numberOf(value)),
        ["in the unit of the source", sign].filter((why) => why !== undefined).join("; ")
      )
    } else {
      const unitMap = draft.section("conceptMap", "vital_unit")
      for (const [code, name] of found.signs) {
        const one = vitalSigns.find((other) => other.name === name)
        if (one !== undefined) unitMap.put(["table", code], quotedText(one.unit))
      }
      unitMap.put("unmapped", "skip")
      const hasGlucose = found.signs.some(([, name]) => name === "Random Blood Glucose")
      if (unit !== undefined) spellUnits(role, unit, draft)
      const molarMass = hasGlucose ? `, molarMass: ${glucose}` : ""
      const [number, from] = [numberOf(value), units.path]
      const { path, unit: ofNumber } = units.isFull ? { path: quotedText(number), unit: yamlOf(from) } : {
        path: pathsWithUsualUnit(draft, `iif(${from}.exists(), ${number}, {})`, `iif(${from}.exists(), {}, ${number})`),
        unit: quotedText(`${from}.combine(${found.path}.translated('vital_unit')).first()`)
      }
      const yaml = `{path: ${path}, unit: {conceptMap: vital_unit, of: ${
        quotedText(found.path)
      }, from: ${ofNumber}, spelling: unit_spelling${molarMass}}}`
      if (sign === undefined) put(["observations", "value"], yaml)
      else doubt(["observations", "value"], yaml, sign)
    }
    return
  }
}

/**
 * Drafts the path of a row to the unit of its number: in a column, otherwise in the name of the measure, as in `Weight (lb)`. `isFull`:
 * each row has one. `undefined` if no unit is written anywhere.
 */
const unitsOf = (
  role: Role,
  { names, path, unit }: {
    readonly unit: Declared | undefined
    readonly path: string
    readonly names: ReadonlyArray<string>
  },
  draft: TableDraft
): { readonly path: string; readonly isFull: boolean } | undefined => {
  const named = names.flatMap((name) => {
    const unit = unitInName(name)
    return unit === undefined ? [] : [[name, unit] as const]
  })
  const isFull = named.length === names.length || unit !== undefined && isInEachRow(role, unit)
  if (named.length === 0) return unit === undefined ? undefined : { path: pathOf(unit.name), isFull }
  for (const [name, unit] of named) {
    draft.put(["conceptMap", "unit_in_name", "table", name], quotedText(unit), "the unit in the name of the measure")
  }
  draft.put(["conceptMap", "unit_in_name", "unmapped"], "skip")
  const inName = `${path}.translated('unit_in_name')`
  return { path: unit === undefined ? inName : `${pathOf(unit.name)}.combine(${inName}).first()`, isFull }
}

const isInEachRow = ({ table }: Role, { column }: Declared): boolean => column.filled === table.rows

/** The paths to a number with a unit, otherwise to a number without one, which is an assumption. */
const pathsWithUsualUnit = (draft: TableDraft, withUnit: string, without: string): string =>
  `[${quotedText(withUnit)}, ${assumedPath(draft, without, "number-without-unit-is-in-usual-unit")}]`

/** Drafts the units that the spellings in a column mean. It asks about unknown ones, except in a table that also has results of tests. */
const spellUnits = (role: Role, { column, name }: Declared, draft: TableDraft): void => {
  const { known, unknown } = spellingsIn(column)
  for (const [spelling, unit] of known) draft.put(["conceptMap", "unit_spelling", "table", spelling], quotedText(unit))
  const question = `which units are ${unknown.map((one) => `\`${one}\``).join(", ")} in \`${role.name}.${name}\``
  const isAboutMeasures = hasOnlyMeasures(role) || unknown.length === column.codes.length
  if (unknown.length === 0 || !isAboutMeasures || draft.questions.includes(question)) return
  draft.askWithoutLine(
    question,
    "Values in them are dropped with a warning. For each, write its unit as UCUM has it:  conceptMap: {unit_spelling: {table: {…: …}}}"
  )
}

/** Whether a column names only vital signs, heights and weights. The results of tests have other units. */
const hasOnlyMeasures = ({ columns }: Role): boolean =>
  columns.some(({ column: { different, signs = [], sizes = [] } }) =>
    different > 0 && new Set([...signs, ...sizes].map(([value]) => value)).size === different
  )

const valueWords = [/^value ?num\w*$|^numeric value$/u, /^(?:value|result|reading)$/u]

/** A path to the number of a cell. A sign that three digits always follow is read as the decimal sign: vital signs are small. */
const numberOf = ({ column, name, yaml }: Declared): string => {
  const path = pathOf(name)
  if (isTyped(yaml)) return path
  const written = column.either === undefined && column.grouped === true
    ? numberInText(column)
    : (column.either ?? column.decimal) === ","
    ? "replace(',', '.')"
    : undefined
  return written === undefined ? path : `${path}.${written}`
}

/** Whether the table itself reads the cells of a column as numbers. */
const isTyped = (yaml: string): boolean => /\b(?:integer|decimal)\b(?!:)/u.test(yaml)

/** Why the numbers of a column may be wrong by a factor of a thousand. */
const doubtOfSign = ({ column: { either }, yaml }: Declared): string | undefined =>
  either === undefined || isTyped(yaml)
    ? undefined
    : `three digits follow every ${either === "," ? "comma" : "point"}: read as decimals`

/** Finds the column with the most values that name signs: in the table itself or in a table of names. */
const signNamesIn = (role: Role, finder: TableFinder) =>
  [
    ...role.columns.map((one) => ({ path: pathOf(one.name), signs: one.column.signs ?? [] })),
    ...finder.names.flatMap((other) => {
      const link = role.links.find(({ target }) => target === other.name)
      return link === undefined ? [] : other.columns.map((one) => ({
        path: `${link.name}.resolve().${pathOf(one.name)}`,
        signs: one.column.signs ?? []
      }))
    })
  ].filter(({ signs }) => signs.length > 1).toSorted((one, other) => other.signs.length - one.signs.length)[0]

/** Drafts height, weight and chief complaint. */
const suggestTriages = (draft: TableDraft): void => {
  const sizeIn = (role: Role, size: "height" | "weight") => role.columns.find(({ column }) => column.size === size)
  const role = draft.roles.find((one) =>
    one.name !== "patient" && (sizeIn(one, "height") ?? sizeIn(one, "weight")) !== undefined && canReach(one, draft)
  )
  if (role === undefined) return suggestLongTriages(draft)
  if (role.name !== "visit") draft.use(role)
  const { doubt, put } = draft.section("visit", "triages")
  draft.dropByState(role, ["visit", "triages"])
  const [key, rows] = rowsOf(role)
  const height = sizeIn(role, "height")
  const weight = weightBeside(height, sizeIn(role, "weight"))
  const unitOf = (one: Declared | undefined) => (one === undefined ? undefined : unitBeside(role, one))
  const assumed = [height, weight].flatMap((one) =>
    unitOf(one) === undefined && one?.column.conversion?.path !== null ? one?.column.assumedUnit ?? [] : []
  )
  if (assumed.length === 0) put(key, rows)
  else doubt(key, rows, `assumed to be in ${assumed.join(" and ")}`)
  const complaint = complaintOf(role)
  const sent = [height, weight].filter((one) => one?.column.conversion?.path !== null)
  const filled = isMeasured(sent) === quotedText("")
    ? role.columns.filter(({ name }) => name === complaint)
    : sent
  if (filled.length === 0) {
    put(
      ["where", "answered"],
      quotedText("false"),
      "no row is sent before the questions below are answered: then remove this line"
    )
  }
  put(["where", "measured"], isMeasured(filled.length === 0 ? [height, weight] : filled))
  put("code", quotedText("keyOf('record')"))
  put("chief_complaint", complaint ?? "null")
  for (const [field, one] of [["height", height], ["weight", weight]] as const) {
    const unit = unitOf(one)
    if (one === undefined) put(field, "null")
    else if (unit !== undefined) {
      spellUnits(role, unit, draft)
      const to = field === "height" ? "cm" : "kg"
      put(field, `{path: ${pathOf(one.name)}, unit: {to: ${to}, from: ${pathOf(unit.name)}, spelling: unit_spelling}}`)
    } else {
      const path = convertedPath(one.column, pathOf(one.name))
      const yaml = one.column.conversion?.path == null ? path : quotedText(path)
      putFor(reasonOf(one), draft, ["visit", "triages", field], yaml)
    }
  }
  suggestTimeAndStaff(role, "triages", draft)
  draft.generateCodes()
}

/** A column of weights. Where no unit is written, next to heights in inches or feet, they can be pounds. */
const weightBeside = (height: Declared | undefined, weight: Declared | undefined): Declared | undefined =>
  weight?.column.assumedUnit === undefined || weight.column.conversion !== undefined ||
    !isInInches(height?.column)
    ? weight
    : { ...weight, column: { ...weight.column, conversion: besideInches } }

/** Finds the column with the unit of another column: `weight_unit` of `weight`. */
const unitBeside = ({ columns }: Role, { column: { name } }: Declared): Declared | undefined => {
  const measure = columnWordsOf(name)
  return columns.find(({ column }) =>
    column.filled > 0 &&
    [`${measure} unit`, `${measure} units`, `${measure} uom`, `unit of ${measure}`].includes(columnWordsOf(column.name))
  )
}

/** Drafts triages from rows: the height and the weight of one time are one triage. */
const suggestLongTriages = (draft: TableDraft): void => {
  for (const { finder, role, time, value } of measuresIn(draft)) {
    const names = role.columns.find(({ column }) => column.sizes !== undefined)
    if (names === undefined) continue
    draft.use(role)
    const { doubt, put } = draft.section("visit", "triages")
    const sizes = names.column.sizes ?? []
    const isAmong = (expected: ReadonlyArray<string>): string => inCondition(pathOf(names.name), expected)
    const unit = unitColumnOf(finder)
    const measured = (size: "height" | "weight"): string => {
      const codes = sizes.flatMap(([code, one]) => (one === size ? [code] : []))
      if (codes.length === 0) return "null"
      const units = unitsOf(role, { unit, path: pathOf(names.name), names: codes }, draft)
      if (units === undefined) {
        return valueOfRows(`where(${isAmong(codes)}).${numberOf(value)}`)
      }
      const to = size === "height" ? "cm" : "kg"
      const { isFull, path: from } = units
      // The number and its unit are of one row.
      const rowWith = (more: string): string =>
        `where(${isAmong(codes)} and ${pathOf(value.name)}.exists()${more}).first()`
      const row = rowWith(isFull ? "" : ` and ${from}.exists()`)
      const number = `${row}.${numberOf(value)}`
      const path = isFull
        ? quotedText(number)
        : pathsWithUsualUnit(draft, number, `${rowWith(` and ${from}.empty()`)}.${numberOf(value)}`)
      const ofRow = from.includes("(") ? `${row}.select(${from})` : `${row}.${from}`
      const ofNumber = isFull ? ofRow : `${ofRow}.combine('${to}').first()`
      return `{path: ${path}, unit: {to: ${to}, from: ${quotedText(ofNumber)}, spelling: unit_spelling}}`
    }
    const measures = { height: measured("height"), weight: measured("weight") }
    const sign = doubtOfSign(value)
    const doubts = [
      Object.values(measures).every((yaml) => yaml === "null" || yaml.includes("unit:"))
        ? undefined
        : "assumed to be in cm and kg",
      sign
    ].filter((why) => why !== undefined)
    if (doubts.length === 0) put("resource", role.name, "a row for each measure")
    else doubt("resource", role.name, ["a row for each measure", ...doubts].join("; "))
    draft.dropByState(role, ["visit", "triages"])
    if (unit !== undefined) spellUnits(role, unit, draft)
    put(["where", "size"], quotedText(isAmong(sizes.map(([code]) => code))))
    put("groupBy", `[${pathOf(time.name)}]`)
    put("code", codeOfRows)
    put("chief_complaint", "null")
    put("height", measures.height)
    put("weight", measures.weight)
    suggestTimeAndStaff(role, "triages", draft, { isGrouped: true })
    draft.generateCodes()
    return
  }
}

/** Asks about columns that are called after vital signs, heights or weights, and whose cells are not numbers in a unit that is read. */
export const askAboutUnreadSigns = (draft: TableDraft): void => {
  for (const role of draft.roles) {
    if (role.name === "patient" || !canReach(role, draft)) continue
    for (const { filled, name } of role.table.columns) {
      if (filled > 0 || !namesSign(name) || role.columns.some(({ column }) => column.name === name)) continue
      if (signsIn(role).length === 0) continue
      draft.askWithoutLine(
        `in which unit will \`${role.name}.${printable(name)}\` be? It is empty in these files, and no line reads it`,
        "Write the unit in the header, such as (kg), (cm) or (mg/dL), or run  init  with files in which it has values"
      )
    }
    for (const { column: { filled, name, pressures, size, vital } } of role.columns) {
      if (filled === 0 || pressures === true || vital !== undefined || size !== undefined) continue
      const column = `\`${role.name}.${printable(name)}\``
      if (namesPressures(name)) {
        draft.askWithoutLine(
          `how are the blood pressures in ${column} written? Most cells are not two numbers, and none is sent`,
          "Export both as 120/80, or each in its own column"
        )
      } else if (namesSign(name) && (signsIn(role).length > 0 || columnWordsOf(name).length > 3)) {
        draft.askWithoutLine(
          `in which unit is ${column}? Its cells are not numbers of a vital sign, a height or a weight in a unit that is read, and none is sent`,
          `Export numbers in the unit of the specification: ${vitalSigns.map(({ unit }) => unit).join(", ")}`
        )
      }
    }
  }
}

/** Asks about rows that are neither vital signs nor heights and weights, in tables of which no other section reads the rows. */
export const askAboutOtherMeasures = (draft: TableDraft): void => {
  const tables = new Set(
    ["vital_signs", "triages"].map((section) => draft.role(draft.at(["visit", section, "resource"])))
  )
  for (const role of tables) {
    if (role === undefined || draft.mentionsUnder(["visit", "laboratories"], role.name)) continue
    const linked = draft.finder(role).names
    const [most] = [role, ...linked].flatMap(({ columns }) => columns.map(({ column }) => column)).map((column) => ({
      column,
      known: new Set([...column.signs ?? [], ...column.sizes ?? []].map(([value]) => value))
    })).filter(({ known }) => known.size > 0).toSorted((one, other) => other.known.size - one.known.size)
    if (most === undefined) continue
    const { column: { codes, different }, known } = most
    const others = different - known.size
    if (others <= 0) continue
    const shown = codes.flatMap(([code]) => known.has(code) ? [] : [printable(code)]).slice(0, 6)
    draft.askWithoutLine(
      `which rows of \`${role.name}\` are results of a laboratory? ${
        plural(others, "other name")
      } than those of vital signs, height and weight${others === 1 ? " is" : " are"} in it: ${
        shown.length === 0 ? "hidden, as they may name people" : shown.map((code) => `\`${code}\``).join(", ")
      }${shown.length > 0 && others > shown.length ? " …" : ""}. They are not sent`,
      "Add a column `category` with `lab` to the export, or map them under  visit: {laboratories: …}"
    )
  }
}

/** Matches names of common tests of a laboratory. */
const testWords =
  /^(?:hb|hgb|ha?emoglobin\w*|hct|ha?ematocrit\w*|wbc|rbc|plt|platelets?|plaquet\w*|leu[ck]ocyt\w*|glucos\w*|glicose|gl[iy]cemi[ae]|glucemia|fbs|fbg|rbs|rbg|hba1c|creat\w*|urea|uree|bun|alt|ast|alat|asat|sgot|sgpt|tgo|tgp|bilirubin\w*|albumin\w*|sodium|potassium|[ck]h?olesterol|triglycerid\w*|crp|esr|hiv\w*|vih|vdrl|rpr|hbsag|hcv|malaria|paludisme|rdt|tdr|ns1|dengue|widal|tsh|psa|cd4|genexpert|afb|hcg|upt)\b(?! ?(?:status|type|date|at|by|no|code|dose))/u

/** Asks about columns that are called after tests of a laboratory, in tables that other sections read: no line has their results. */
export const askAboutTests = (draft: TableDraft): void => {
  for (const role of draft.roles) {
    if (role.name !== "visit" && !draft.used.has(role)) continue
    const tests = role.columns.filter(({ column: { filled, kind, name, vital }, name: own }) =>
      filled > 0 && vital === undefined && kind !== "date" && kind !== "timestamp" &&
      testWords.test(columnWordsOf(name)) &&
      !draft.reads(role, pathOf(own))
    )
    if (tests.length === 0) continue
    draft.askWithoutLine(
      `are ${
        tests.map(({ name }) => `\`${role.name}.${name}\``).join(", ")
      } results of a laboratory? No line reads them, and nothing of them is sent`,
      "If they are, export a row for each result, with the number of its visit; or write a branch for each under  laboratories: results: unionAll:  (docs/csv.md, Many measurements in one row)"
    )
  }
}

/** Returns the column of the chief complaint, in the patient's words. */
export const complaintOf = (role: Role): string | undefined =>
  role.columns.find(({ column }) =>
    column.kind !== "empty" &&
    /^(?:(?:chief |presenting )?complaint|cc|reason(?: for (?:visit|encounter)| ?description)?|symptoms?|motif(?: (?:de |d )?(?:consultation|visite|entree|venue|recours|admission))?|plaintes?|motivo(?: de (?:la )?(?:consulta|visita|ingreso|atencion))?|queixa(?: principal)?|keluhan(?: utama)?|ly do kham|beschwerden|symptomes?|sintomas?)$/u
      .test(
        columnWordsOf(column.name)
      )
  )?.name
