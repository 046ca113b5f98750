import { plural } from "../../diagnostic/count.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import type { InputProblem } from "../InputProblem.ts"
import type { RowFacts } from "../records/SourceRecord.ts"
import type { CellReader, CellUse } from "./cells/readCell.ts"
import { cellReader } from "./cells/readCell.ts"
import { foldedName } from "./rows/findDialect.ts"
import type { ColumnLayout, TableLayout } from "./TableLayout.ts"

/** A column of a table, and the indexes of the cells that hold it. */
export interface BoundColumn {
  readonly column: ColumnLayout
  /** From 0. */
  readonly indexes: ReadonlyArray<number>
  readonly read: CellReader
}

/** A table in a file, with its columns found. `facts` apply to each of its rows. */
export interface BoundTable {
  readonly layout: TableLayout
  readonly columns: ReadonlyArray<BoundColumn>
  readonly indexes: ReadonlyArray<number>
  readonly facts: RowFacts
  /** The columns of a composite key without which a row has no key. */
  readonly needed: ReadonlyArray<string>
}

/** The names of a header as written. `undefined` if the file has no header and the columns are in the order of their declaration. */
export type TableHeader = ReadonlyArray<string> | undefined

/** What a header holds of a table. */
interface Binding {
  readonly table?: BoundTable
  /** A table that is not read, kept to report whose rows are lost. */
  readonly unread?: BoundTable
  readonly problems: ReadonlyArray<InputProblem>
  /** The header, if it may be shown. The first line of a file without a header can be patient data. */
  readonly titles: TableHeader
}

/**
 * Finds the columns of a table in a header. An exact name matches first. Otherwise a name may differ in case, `_`, `-` and spaces, if
 * only one column matches. A table with missing columns is not read, so no field is left empty unreported.
 */
export const bindTable = (layout: TableLayout, header: TableHeader): Binding => {
  const problems: Array<InputProblem> = []
  const indexesOf = new Map<string, ReadonlyArray<number>>()
  const missing: Array<Missing> = []
  for (const [index, column] of layout.columns.entries()) {
    const indexes: Array<number> = []
    for (const from of column.from) {
      const found = typeof from === "number"
        ? (header !== undefined && from > header.length ? undefined : from - 1)
        : header === undefined
        ? index
        : indexOfName(header, from, column, problems)
      if (found === undefined) missing.push({ column, name: String(from), isNumber: typeof from === "number" })
      else indexes.push(found)
    }
    if (indexes.length > 0) indexesOf.set(column.name, indexes)
  }
  const taken = new Set([...indexesOf.values()].flat())
  const spare = (header ?? []).filter((name, index) => !taken.has(index) && isReadable(name))
  const [first, ...others] = missing.filter(({ column }) => !column.optional)
  const titles = header !== undefined && namesColumns(header, layout, missing, spare) ? header : undefined
  for (const { column, name } of missing) {
    const near = column.optional && titles !== undefined ? suggest(name, spare) : undefined
    if (near === undefined) continue
    problems.push({
      code: "unknown-column",
      severity: "warning",
      title: `the header has no column \`${name}\``,
      mapping: column.span,
      label: didYouMean(near),
      help: [fromNear(near)]
    })
  }
  const names = new Map(
    [...indexesOf].map(([name, indexes]) =>
      [name, indexes.map((index) => columnTitle(titles, index)).join(" + ")] as const
    )
  )
  for (const link of layout.links) {
    names.set(link.name, link.on.flatMap((name) => names.get(name) ?? []).join(" + "))
  }
  const keys = new Set([...layout.key, ...layout.links.flatMap(({ name, on }) => [name, ...on])])
  const naming = layout.order === undefined ? keys : new Set([...keys, layout.order])
  const useOf = (name: string): CellUse => keys.has(name) ? "key" : naming.has(name) ? "order" : "none"
  const columns = layout.columns.flatMap((column): ReadonlyArray<BoundColumn> => {
    const indexes = indexesOf.get(column.name)
    return indexes === undefined ? [] : [{ column, indexes, read: cellReader(column, useOf(column.name)) }]
  })
  const needed = layout.key.length < 2
    ? []
    : layout.key.filter((name) => layout.columns.find((column) => column.name === name)?.optional !== true)
  const indexes = [...taken].toSorted((one, other) => one - other)
  const currencies = new Map(columns.flatMap(({ column: { currency, name } }) => {
    const sign = currency?.find((one) => one !== "")
    return sign === undefined ? [] : [[name, sign] as const]
  }))
  const facts: RowFacts = {
    nameOf: (element) => names.get(element),
    naming,
    ...(currencies.size === 0 ? {} : { currencies })
  }
  const table = { layout, columns, indexes, needed, facts }
  if (first === undefined) return { table, problems, titles }
  const problem = missingColumns(layout, [first, ...others], spare, titles !== undefined)
  return { unread: table, problems: [...problems, problem], titles }
}

/**
 * Returns whether a line names columns. Either half of its cells are column names, or it holds half of the columns that a table declares
 * by name. Otherwise some cells must be names, and the others distinct words without digits.
 */
const namesColumns = (
  header: ReadonlyArray<string>,
  { columns }: TableLayout,
  missing: ReadonlyArray<Missing>,
  spare: ReadonlyArray<string>
): boolean => {
  const declared = columns.flatMap(({ from }) => from.filter((name) => typeof name === "string")).length
  const absent = missing.filter(({ isNumber, name }) => !isNumber && suggest(name, spare) === undefined).length
  const found = declared - absent
  if (found === 0) return false
  if (found * 2 >= Math.min(declared, header.length)) return true
  return new Set(spare).size === spare.length && !spare.some((cell) => /\p{N}/u.test(cell))
}

/** A column, or a part of one, that a header lacks. */
interface Missing {
  readonly column: ColumnLayout
  readonly name: string
  /** The column is declared by its number. */
  readonly isNumber: boolean
}

/** Reports a file that cannot be read as a table as one problem, however many columns it lacks. */
const missingColumns = (
  layout: TableLayout,
  missing: readonly [Missing, ...ReadonlyArray<Missing>],
  spare: ReadonlyArray<string>,
  isHeader: boolean
): InputProblem => {
  const [first, ...others] = missing
  const nearOf = ({ name }: Missing): string | undefined => isHeader ? suggest(name, spare) : undefined
  const nearFirst = nearOf(first)
  const shown = missing.slice(0, 8).map(({ name }) => `\`${name}\``).join(", ")
  const more = missing.length > 8 ? ` and ${missing.length - 8} more` : ""
  const labels = others.flatMap((one) => {
    const near = nearOf(one)
    return near === undefined ? [] : [{ span: one.column.span, text: didYouMean(near) }]
  })
  return {
    code: "unknown-column",
    severity: "error",
    title: `the header has no column${missing.length === 1 ? "" : "s"} ${shown}${more}`,
    mapping: first.column.span,
    label: nearFirst === undefined ? `a column of the table \`${layout.name}\`` : didYouMean(nearFirst),
    ...(labels.length === 0 ? {} : { labels }),
    ...(isHeader || spare.length === 0 ? {} : { value: spare.join(", ") }),
    help: [
      ...(!isHeader
        ? [
          `the line that should name the columns looks like a row (${plural(spare.length, "cell")}): add the header`,
          "if the file has no header and uses the declared column order:  header: false"
        ]
        : nearFirst !== undefined && others.length === 0
        ? [fromNear(nearFirst)]
        : spare.length > 0 && spare.length < 60
        ? [
          `columns of the header that are not used: ${spare.join(", ")}`,
          "set under a column the name that the header uses:  from: …"
        ]
        : []),
      "if a file can lack it:  optional: true"
    ]
  }
}

/** Whether a name can be written into a mapping: all of its bytes were decoded. */
const isReadable = (name: string): boolean => name.trim() !== "" && !name.includes("\uFFFD")

const fromNear = (near: string): string => `set under the column:  from: ${JSON.stringify(near)}`

/** Returns a column of a file for messages: its name in the header and its number. */
export const columnTitle = (header: TableHeader, index: number): string => {
  const name = header?.[index]?.trim()
  return name === undefined || name === "" ? String(index + 1) : `${name} (${index + 1})`
}

/** Returns the index of the column with a name; of several, the first. */
const indexOfName = (
  header: ReadonlyArray<string>,
  name: string,
  column: ColumnLayout,
  problems: Array<InputProblem>
): number | undefined => {
  const comparisons = [
    (one: string) => one === name,
    (one: string) => one.trim() === name,
    (one: string) => foldedName(one) === foldedName(name)
  ]
  for (const isSame of comparisons) {
    const found = header.flatMap((one, index) => isSame(one) ? [{ index, written: one.trim() }] : [])
    const [first] = found
    if (first === undefined) continue
    if (found.length > 1) {
      problems.push({
        code: "unknown-column",
        severity: "warning",
        title: `the header has ${found.length} columns \`${first.written}\`, and the first is read`,
        mapping: column.span,
        facts: [["columns", found.map(({ index }) => String(index + 1)).join(", ")]],
        help: [`select one by its number:  from: ${first.index + 1}`]
      })
    }
    return first.index
  }
  return undefined
}
