import { plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { suggest } from "../../diagnostic/suggest.ts"
import type { Input } from "../findInputs.ts"
import { tablesOfFile } from "./matchFiles.ts"
import type { TableFile, TableLayout } from "./TableLayout.ts"

/**
 * The tables of which no input is a file: the one whose rows are the visits, without which no visit comes of the others; and those that are
 * expected, whose rows the visits go without. `read`: what was read of the inputs.
 */
export const missingTables = (
  root: string,
  tables: ReadonlyArray<TableLayout>,
  inputs: ReadonlyArray<Input>,
  read: ReadonlyArray<TableFile>
): ReadonlyArray<Diagnostic> => {
  const missing = tables.filter((table) =>
    // A file of the table that could not be read has been told of.
    !inputs.some(({ name }) => tablesOfFile(name, [table]).length > 0) &&
    !read.some((file) => file.tables.includes(table.name))
  )
  const visits = missing.find(({ name }) => name === root)
  const others = missing.filter(({ expected, name }) => expected && name !== root)
  return [
    ...(visits === undefined ? [] : [withoutVisits(visits, inputs, read)]),
    ...(others.length === 0 ? [] : [withoutRows(others, inputs)])
  ]
}

const withoutVisits = (
  table: TableLayout,
  inputs: ReadonlyArray<Input>,
  read: ReadonlyArray<TableFile>
): Diagnostic => {
  const taken = new Set(read.map(({ file }) => file))
  const spare = inputs.flatMap(({ name }) => (taken.has(name) ? [] : [name.slice(name.lastIndexOf("/") + 1)]))
  const near = table.files.map((file) => suggest(file, spare)).find((name) => name !== undefined)
  return {
    code: "missing-table",
    severity: "error",
    title: `no input is a file of the table \`${table.name}\`, whose rows are the visits: ${filesOf(table)}`,
    mapping: table.span,
    ...(near === undefined ? {} : { label: `did you mean \`${near}\`?` }),
    help: [
      "add the file to the input",
      `where it has another name, say so under the table:  file: ${near === undefined ? "…" : JSON.stringify(near)}`
    ]
  }
}

const withoutRows = (tables: ReadonlyArray<TableLayout>, inputs: ReadonlyArray<Input>): Diagnostic => {
  const [first] = tables
  const one = tables.length === 1
  return {
    code: "missing-table",
    severity: "warning",
    title: one
      ? `no input is a file of the table \`${first!.name}\`: ${filesOf(first!)}`
      : `no input is a file of ${plural(tables.length, "table")} that the mapping declares`,
    mapping: first!.span,
    label: "visits go without its rows",
    ...(one ? {} : { facts: [["tables", tables.map((table) => `\`${table.name}\` (${filesOf(table)})`).join(", ")]] }),
    help: [
      inputs.every(({ _tag }) => _tag === "StandardInput")
        ? "standard input holds one table: name the folder with all of them"
        : `add the ${
          one ? "file" : "files"
        } to the input: a visit that was sent without these rows cannot be completed later`,
      "a table without rows has its header; where there may be no file, say so under the table:  fileOptional: true"
    ]
  }
}

const filesOf = ({ files }: TableLayout): string => files.map((file) => `\`${file}\``).join(" or ")
