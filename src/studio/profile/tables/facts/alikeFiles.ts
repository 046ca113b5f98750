import { getOrMake } from "../../../../maps.ts"
import { tablesOfFile } from "../../../../source/tables/matchFiles.ts"
import { foldedName } from "../../../../source/tables/rows/findDialect.ts"
import type { SniffedTable } from "../../../../source/tables/rows/sniffTable.ts"
import type { TableProfile } from "./TableProfile.ts"
import type { TableProfiler } from "./TableProfiler.ts"

/** The name of a file without its folder. */
export const baseName = (file: string): string => file.slice(file.lastIndexOf("/") + 1)

/** The number of files of some tables. */
export const countFiles = (tables: ReadonlyArray<TableProfile>): number =>
  tables.reduce((sum, { several }) => sum + (several?.count ?? 1), 0)

/** The names or patterns by which a mapping reads the files of a table. */
export const fileNamesOf = ({ file, several }: TableProfile): ReadonlyArray<string> =>
  several?.names ?? [baseName(file)]

const plainName = (file: string): string => baseName(file).replace(/\.gz$/iu, "")

/** The name of a file without its digits, except those that name a code system: `icd9.csv` is not another part of `icd10.csv`. */
const withoutDigits = (name: string): string =>
  name.toLowerCase().replaceAll(
    /((?:icd|cim|cie|cid|dsm|icpc|icf)[ _-]?)?\d+/gu,
    (digits, system: string | undefined) => system === undefined ? "1" : digits
  )

/** A file of a table. */
export interface SniffedFile<A> {
  readonly input: A
  readonly sniffed: SniffedTable
}

/** Joins files that are written alike, with the same columns, and whose names differ only in digits: `visits_01.csv`, `visits_02.csv`. */
export const joinAlike = <A extends { readonly name: string }>(
  files: ReadonlyArray<SniffedFile<A>>
): ReadonlyArray<ReadonlyArray<SniffedFile<A>>> => {
  const alike = new Map<string, Array<SniffedFile<A>>>()
  for (const file of files) {
    const { input: { name }, sniffed: { declared, encoding, header, headerRow } } = file
    const key = declared.length > 0 || headerRow === 0
      ? [name]
      : [withoutDigits(plainName(name)), encoding, headerRow, ...header.map(foldedName)]
    getOrMake(alike, JSON.stringify(key), () => []).push(file)
  }
  return [...alike.values()]
}

/** Returns the pattern of the names of a table's files, or their list if the pattern would match another file of the export. */
export const filesOf = (
  { parts, sniffed: { layout } }: TableProfiler,
  all: ReadonlyArray<TableProfiler>
): ReadonlyArray<string> => {
  const names = [...new Set(parts.map(({ file }) => plainName(file)))]
  const [first = [], ...others] = names.map((name) => name.split(/(\d+)/u))
  const pattern = first.map((part, at) =>
    /^\d/u.test(part) && others.some(({ [at]: other }) => other !== part) ? "*" : part
  ).join("")
  return all.some(({ file }) =>
      parts.every((part) => part.file !== file) && tablesOfFile(file, [{ ...layout, files: [pattern] }]).length > 0
    )
    ? names
    : [pattern]
}
