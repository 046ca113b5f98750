import { number, plural } from "../../diagnostic/count.ts"
import { printable } from "../../diagnostic/render/printable.ts"
import type { Coverage } from "../../run/accounts/coverage.ts"
import type { Profile } from "./Profile.ts"

/** The parts of a sample that no line of the draft reads. */
interface Unread {
  /** Number of columns or elements. */
  readonly elements: number
  /** The types or tables without a record in a visit. */
  readonly types: ReadonlyArray<string>
  /** Number of records that are in a visit, and in no section of it. */
  readonly records: number
  /** All of them as comments for the end of the draft; `""` if everything is read. */
  readonly notes: string
}

/** Lists what was not recognised, by type; names that may be about a person are only counted. */
export const unreadOf = ({ elements, types, unusedRecords }: Coverage, profile: Profile): Unread => {
  const known = new Set(profile.types.flatMap(({ elements }) => elements.flatMap(({ path }) => namesIn(path))))
  const isTable = new Set(profile.tables.length > 0 && profile.records === 0 ? types.map(({ type }) => type) : [])
  const unread = types.flatMap(({ type }) => {
    const own = elements.filter((one) => one.type === type)
    const shown = own.filter(({ element }) => isTable.has(type) || known.has(`${type}.${element}`))
    const hidden = own.length - shown.length
    const listed = [
      ...shown.map(({ element, records }) => `${printable(element)} ${number(records)}`),
      ...(hidden > 0 ? [plural(hidden, "that is not named here", "that are not named here")] : [])
    ]
    return listed.length === 0 ? [] : [`${type}: ${listed.join(", ")}`]
  })
  const unused = types.filter(({ inVisits, leftOut, records }) => inVisits === 0 && records > leftOut)
  const visible = new Set(
    profile.codes.flatMap(({ systems }) => systems.flatMap(({ codes }) => codes.map(({ code }) => code)))
  )
  const notChosen = Map.groupBy(
    unusedRecords.filter(({ why }) => why === "not-chosen"),
    // A row without a key has only the name of its table.
    ({ source }) => source.split("/", 1).join()
  )
  const chosenByNone = [...notChosen].map(([type, records]) => {
    const codes = Map.groupBy(records, ({ code }) => code === null || !visible.has(code.code) ? "" : code.code)
    const shown = [...codes].filter(([code]) => code !== "").toSorted(([, a], [, b]) => b.length - a.length)
    const others = records.length - shown.reduce((sum, [, some]) => sum + some.length, 0)
    return `in a visit, and in no section of it: ${type} ${number(records.length)}${
      shown.length === 0
        ? ""
        : ` (${
          [
            ...shown.slice(0, 12).map(([code, some]) => `${printable(code)} ${number(some.length)}`),
            ...(others > 0 || shown.length > 12 ? ["others"] : [])
          ].join(", ")
        })`
    }`
  })
  const lines = [
    ...unread,
    ...chosenByNone,
    ...(unused.length === 0
      ? []
      : [`in no visit: ${unused.map(({ records, type }) => `${type} ${number(records)}`).join(", ")}`])
  ]
  return {
    elements: elements.length,
    types: unused.map(({ type }) => type),
    records: [...notChosen.values()].reduce((sum, { length }) => sum + length, 0),
    notes: lines.length === 0
      ? ""
      : `\n# What no line reads, with the number of records; \`convert --coverage FILE\` lists their source locations:\n${
        lines.map((line) => `# - ${line}\n`).join("")
      }`
  }
}

/** Maximum number of tables that are named. */
const maxNamed = 8

const named = (types: ReadonlyArray<string>): string =>
  [...types.slice(0, maxNamed).map(printable), ...(types.length > maxNamed ? ["…"] : [])].join(", ")

/** "12 elements and 3 types", "1 column and 1 table (receipts)" */
export const unreadWords = ({ elements, records, types }: Unread, tabular: boolean): string =>
  [
    ...(elements > 0 ? [plural(elements, tabular ? "column" : "element")] : []),
    ...(types.length === 0
      ? []
      : tabular
      ? [`${plural(types.length, "table")} (${named(types)})`]
      : [plural(types.length, "type")]),
    ...(elements + types.length === 0 ? [plural(records, "record")] : [])
  ].join(" and ")

/** Returns the names of a path in a coverage report. A choice element also has its JSON name. */
const namesIn = (path: string): ReadonlyArray<string> => {
  const chosen = path.replaceAll(
    /\.ofType\((\w)(\w*)\)/gu,
    (_, first: string, rest: string) => first.toUpperCase() + rest
  )
  return chosen === path ? [path] : [path, chosen]
}
