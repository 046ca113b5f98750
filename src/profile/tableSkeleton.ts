import { parse } from "csv-parse/sync"
import { extractTables } from "../canonical/extractTables.ts"
import { plural } from "../diagnostic/count.ts"
import { findDelimiter } from "../source/tables/findDialect.ts"

/** A CSV file of a sample: what it is called, and what its first row calls its columns. */
export interface Sheet {
  readonly file: string
  /** Empty names where the first row is one of data: what stands in it is nobody's name of a column. */
  readonly columns: ReadonlyArray<string>
  readonly headed: boolean
}

/** A number, a date or a time: no header has such a cell, and most rows have one. */
const data = /^[\d\s.,:/+-]*\d[\d\s.,:/+-]*$/u

/** The columns that the first row of a CSV file names; `undefined` where it is one cell, which is no header of a table. */
export const sheetOf = (file: string, beginning: string): Sheet | undefined => {
  const delimiter = findDelimiter(beginning, [], 1)
  const options = { bom: true, delimiter, relaxColumnCount: true, relaxQuotes: true, toLine: 1, trim: true }
  const [columns = []] = parse(`${beginning.split(/\r\n|\n|\r/u, 1)[0]}\n`, options) as ReadonlyArray<
    ReadonlyArray<string>
  >
  const headed = !columns.some((column) => data.test(column))
  return columns.length < 2 ? undefined : { file, columns: headed ? columns : columns.map(() => ""), headed }
}

/** A mapping that declares the tables of a sample and makes nothing of them yet: what they mean is for a person to say. */
export const tablesMapping = (name: string, sheets: ReadonlyArray<Sheet>): string => {
  const tables = unique(sheets.map(({ file }) => wordOf(file.replace(/\.[^./]+(?:\.gz)?$/u, ""), "table")))
  return [
    `# The sample is tables: ${
      plural(sheets.length, "CSV file")
    }. They are declared below, column by column, and nothing is made of them yet:`,
    "# 1. `visit` is the table with a row for each visit, `patient` the one with a row for each patient. Put their names in place of",
    "#    the table's, and the specification's names (code, patient_code, admitted_at …) in place of their columns'.",
    "# 2. Say which columns are dates and numbers, and how the rows of the other tables reach the visit (link).",
    "# 3. Say under  visit:  what is made of each.",
    "# docs/csv.md has an example of everything; `fhir2visit mapping check` knows every column.",
    `mapping: ${name}`,
    "extends: csv",
    "",
    "table:",
    ...sheets.flatMap((sheet, index) => lines(tables[index]!, sheet))
  ].join("\n") + "\n"
}

const lines = (table: string, { columns, file, headed }: Sheet): ReadonlyArray<string> => {
  if (!headed) {
    const places = columns.map((_, index) => `column_${index + 1}`)
    return [
      `  ${table}:`,
      `    file: ${JSON.stringify(file)}`,
      "    header: false",
      `    column: [${places.join(", ")}]`
    ]
  }
  const known = new Set(extractTables.find(({ name }) => name === table)?.columns.map(({ name }) => name))
  const names = unique(columns.map((column) => wordOf(column, "column")))
  const own = columns.flatMap((column, index) =>
    column === "" || known.has(column)
      ? []
      : [
        `      ${names[index]}: ${column.toLowerCase() === names[index] ? "text" : `{from: ${JSON.stringify(column)}}`}`
      ]
  )
  return [
    `  ${table}:`,
    `    file: ${JSON.stringify(file)}`,
    // A column of this name is the key, or is called otherwise.
    ...(known.size === 0 && names.includes("id") ? ["    key: id"] : []),
    ...(own.length === 0 ? [] : ["    column:", ...own])
  ]
}

/** A name as paths spell it: small letters, digits and `_`. */
const wordOf = (name: string, otherwise: string): string => {
  const word = name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "_").replaceAll(/^_+|_+$/gu, "")
  return word === "" ? otherwise : /^[a-z]/u.test(word) ? word : `${otherwise}_${word}`
}

const unique = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name}_${count}`
  })
}
