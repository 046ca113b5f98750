import { assumedPath } from "../../../draft/assumptions.ts"
import { quotedText } from "../../../draft/Draft.ts"
import { numberInText } from "../../columns/decimalSigns.ts"
import type { ColumnProfile } from "../../facts/TableProfile.ts"
import type { TableDraft } from "../../TableDraft.ts"
import { type Declared, isOther, type Role } from "../../TableRole.ts"
import { columnWordsOf } from "../../words/columnWords.ts"
import { spellingsIn, unitInName } from "../../words/unitSpellings.ts"
import { beginning, firstOf, pathOf, pathTo, titleOfRows, valueOfRows, yamlOf } from "../../writePath.ts"

/** Whether the rows of a table are visits, or lead to their visit. */
export const canReach = (role: Role, draft: TableDraft): boolean => role.name === "visit" || draft.reachesVisits(role)

/** Returns the columns of a table with vital signs, each with one sign or with two pressures. */
export const signColumns = ({ columns }: Role): ReadonlyArray<Declared> =>
  columns.filter(({ column }) => column.vital !== undefined || column.pressures === true)

/** The key that reads a table's rows. Each visit is itself one row. */
export const rowsOf = (role: Role): readonly [key: string, yaml: string] =>
  role.name === "visit" ? ["forEach", quotedText("%visit")] : ["resource", role.name]

/** Matches a column of the person who measures, who need not be the person who sees the patient. */
const measures = /\b(?:nurse|recorded|taken|measured|triage|infirmiere?|enfermer[oa]|perawat|krankenschwester|y ta)\b/u

/** Drafts the time of a section's rows, and the person who made them. */
export const suggestTimeAndStaff = (
  role: Role,
  section: "vital_signs" | "triages",
  draft: TableDraft,
  { isGrouped = false } = {}
): void => {
  const { put } = draft.section("visit", section)
  const finder = draft.finder(role)
  const time = firstOf(role.name === "visit" ? undefined : pathTo(finder.time()), beginning)
  put("recorded_at", isGrouped ? `{path: ${time}, take: first}` : time)
  const who = finder.staff() ??
    (role.name === "visit" ? undefined : finder.person(/\b(?:entered|charted|performed|documented) by\b/u))
  const isAttendant = role.name === "visit" && who !== undefined && !measures.test(columnWordsOf(who.name))
  const yaml = (path: string | undefined, ofRows: string): string =>
    path === undefined
      ? "null"
      : isAttendant
      ? `[${assumedPath(draft, path, "attendant-measured")}]`
      : isGrouped
      ? ofRows
      : yamlOf(path)
  put("recorded_by", yaml(who?.name, valueOfRows(who?.name)))
  put("title", yaml(who?.title, titleOfRows(who)))
}

/** Whether one of some columns has a value, as a condition. */
export const isMeasured = (columns: ReadonlyArray<Declared | undefined>): string =>
  quotedText(
    columns.filter((column) => column !== undefined).map(({ name }) => `${pathOf(name)}.exists()`).join(" or ")
  )

/** Why a line reads the numbers of a column as it does, or what only people can confirm about it. */
export interface Reason {
  readonly why?: string
  readonly question?: string
}

/** Returns why the numbers of a column are converted, with the path of the column in the question. */
export const reasonOf = ({ column: { conversion }, name }: Declared): Reason =>
  conversion !== undefined && "question" in conversion
    ? { question: `\`${name}\`: ${conversion.question.replaceAll("$", pathOf(name))}` }
    : conversion ?? {}

/** Drafts a line: with a question if people must confirm it, otherwise with its reason as a comment. */
export const putFor = ({ question, why }: Reason, draft: TableDraft, path: ReadonlyArray<string>, yaml: string): void =>
  question === undefined ? draft.put(path, yaml, why) : draft.ask(path, yaml, question)

/** A path to a number in the unit that is sent, or `null` if people must say first which unit it has. */
export const convertedPath = ({ conversion }: ColumnProfile, path: string): string =>
  conversion === undefined ? path : conversion.path?.replaceAll("$", path) ?? "null"

/** Finds the tables with a row for each measure, and their columns of values and times. */
export const measuresIn = (draft: TableDraft) =>
  draft.roles.flatMap((role) => {
    if (!isOther(role) || !draft.reachesVisits(role)) return []
    const finder = draft.finder(role)
    const value = finder.own(valueWords)
    const time = finder.time()
    return value === undefined || time === undefined ? [] : [{ role, finder, value, time }]
  })

/**
 * Drafts the path of a row to the unit of its number: in a column, otherwise in the name of the measure, as in `Weight (lb)`. `isFull`:
 * each row has one. `undefined` if no unit is written anywhere.
 */
export const unitsOf = (
  role: Role,
  { names, path, unit }: {
    readonly unit: Declared | undefined
    readonly path: string
    readonly names: ReadonlyArray<string>
  },
  draft: TableDraft
): { readonly path: string; readonly isFull: boolean } | undefined => {
  const columns = names.flatMap((name) => {
    const unit = unitInName(name)
    return unit === undefined ? [] : [[name, unit] as const]
  })
  const isFull = columns.length === names.length || unit !== undefined && unit.column.filled === role.table.rows
  if (columns.length === 0) return unit === undefined ? undefined : { path: pathOf(unit.name), isFull }
  for (const [name, unit] of columns) {
    draft.put(["conceptMap", "unit_in_name", "table", name], quotedText(unit), "the unit in the name of the measure")
  }
  draft.put(["conceptMap", "unit_in_name", "unmapped"], "skip")
  const inName = `${path}.translated('unit_in_name')`
  return { path: unit === undefined ? inName : `${pathOf(unit.name)}.combine(${inName}).first()`, isFull }
}

/** The paths to a number with a unit, otherwise to a number without one, which is an assumption. */
export const pathsWithUsualUnit = (draft: TableDraft, withUnit: string, without: string): string =>
  `[${quotedText(withUnit)}, ${assumedPath(draft, without, "number-without-unit-is-in-usual-unit")}]`

/** Drafts the units that the spellings in a column mean. It asks about unknown ones, except in a table that also has results of tests. */
export const spellUnits = (role: Role, { column, name }: Declared, draft: TableDraft): void => {
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
export const numberPath = ({ column, name, yaml }: Declared): string => {
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
export const doubtOfSign = ({ column: { either }, yaml }: Declared): string | undefined =>
  either === undefined || isTyped(yaml)
    ? undefined
    : `three digits follow every ${either === "," ? "comma" : "point"}: read as decimals`
