import type { Dialect, TableLayout } from "../TableLayout.ts"

/** The delimiters of tables that are tried. */
export const delimiters = [",", ";", "\t", "|"] as const

/** Delimiters by their names. */
export const delimiterNames: Readonly<Record<string, string>> = {
  comma: ",",
  semicolon: ";",
  tab: "\t",
  pipe: "|",
  "\\t": "\t"
}

/** The name of a delimiter, for messages. */
export const delimiterName = (delimiter: string): string =>
  Object.entries(delimiterNames).find(([, sign]) => sign === delimiter)?.[0] ?? `\`${delimiter}\``

/**
 * Returns the delimiter of a text. It is the delimiter under which the header names the most columns of the tables. Otherwise it is the
 * one that cuts each of the first lines into the same number of cells, and into the most.
 */
export const findDelimiter = (text: string, tables: ReadonlyArray<TableLayout>, header: number): string => {
  const lines = text.split(/\r\n|\n|\r/u).filter((line) => line !== "").slice(0, Math.max(1, header) + 40)
  const expected = new Set(
    tables.flatMap(({ columns }) => columns.flatMap(({ from }) => from.map((name) => foldedName(String(name)))))
  )
  const ranked = delimiters.map((delimiter) => {
    const columns = header === 0
      ? 0
      : (lines[header - 1] ?? "").split(delimiter).filter((cell) =>
        expected.has(foldedName(cell.replace(/^\s*"(.*)"\s*$/u, "$1")))
      ).length
    const counts = lines.slice(Math.max(0, header - 1)).map((line) => line.split(delimiter).length)
    // The largest number of cells that rows share; titles above a header have fewer.
    const cells = counts.map((count) => count > 1 ? counts.filter((other) => other === count).length * count : 0)
    return { delimiter, columns, cells: Math.max(0, ...cells) }
  })
  return ranked.reduce((best, one) =>
    one.columns > best.columns || (one.columns === best.columns && one.cells > best.cells) ? one : best
  ).delimiter
}

/** Returns a name of a column without differences of case, `_`, `-` and spaces. */
export const foldedName = (name: string): string => name.trim().toLowerCase().replace(/[\s_-]+/gu, "_")

/** Merges what the tables of one file declare about its text; the first declaration wins. */
export const dialectOf = (tables: ReadonlyArray<TableLayout>): Dialect =>
  Object.assign({ header: 1 }, ...tables.map(({ dialect }) => dialect).toReversed())
