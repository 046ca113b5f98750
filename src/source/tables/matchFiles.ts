import { getOrMake } from "../../maps.ts"
import { UserPattern } from "../../pattern/UserPattern.ts"
import { bindTable } from "./bindTable.ts"
import { findDelimiter } from "./rows/findDialect.ts"
import type { TableLayout } from "./TableLayout.ts"

/** Returns the tables whose file names match the name of an input, with or without `.gz`. Case is ignored. */
export const tablesOfFile = (
  name: string,
  tables: ReadonlyArray<TableLayout>
): ReadonlyArray<TableLayout> => {
  const names = [name, name.replace(/\.gz$/iu, "")]
  return tables.filter(({ files }) => files.some((file) => names.some((one) => matchesName(file, one))))
}

const matchesName = (file: string, name: string): boolean => {
  const found = patternOf(file).test(name)
  // To skip the file would be silent.
  if (found === undefined) throw new Error(`the pattern ${file} of a table takes too long on a file name`)
  return found
}

const patterns = new Map<string, UserPattern>()

/** A pattern matches a whole file name; one with `/` matches the end of a path. */
const patternOf = (file: string): UserPattern =>
  getOrMake(patterns, file, () => {
    const body = file.replace(/^\.?\//u, "").replace(/[.+^${}()|[\]\\]/gu, "\\$&").replaceAll(/\*+/gu, "[^/]*")
      .replaceAll("?", "[^/]")
    return new UserPattern(`(?:^|/)${body}$`, "iu")
  })

/**
 * Returns the tables that a text without a file name can hold. All columns of such a table are in the header, and no table matches more
 * columns.
 */
export const fittingTables = (text: string, tables: ReadonlyArray<TableLayout>): ReadonlyArray<TableLayout> => {
  const ranked = tables.flatMap((table) => {
    const { delimiter = findDelimiter(text, [table], table.dialect.header), header } = table.dialect
    if (header === 0) return []
    const line = text.split(/\r\n|\n|\r/u).filter((one) => one !== "")[header - 1] ?? ""
    const names = line.split(delimiter).map((name) => name.trim().replace(/^"(.*)"$/u, "$1"))
    const { problems, table: bound } = bindTable(table, names)
    return bound === undefined || problems.length > 0 ? [] : [{ table, columns: bound.columns.length }]
  })
  const max = Math.max(0, ...ranked.map(({ columns }) => columns))
  return ranked.filter(({ columns }) => columns === max && columns > 1).map(({ table }) => table).slice(0, 1)
}
