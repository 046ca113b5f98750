import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { suggest } from "../../diagnostic/suggest.ts"
import type { Input } from "../findInputs.ts"
import { tablesOfFile } from "./matchFiles.ts"
import type { TableFile, TableLayout } from "./TableLayout.ts"

/** That no input holds the table whose rows are the visits: whatever the others hold, no visit comes of it. */
export const missingTable = (
  root: string,
  tables: ReadonlyArray<TableLayout>,
  inputs: ReadonlyArray<Input>,
  read: ReadonlyArray<TableFile>
): Diagnostic | undefined => {
  const table = tables.find(({ name }) => name === root)
  if (table === undefined) return undefined
  // A file of the table that could not be read has been told of.
  if (inputs.some(({ name }) => tablesOfFile(name, [table]).length > 0)) return undefined
  if (read.some((file) => file.tables.includes(root))) return undefined
  const names = inputs.map(({ name }) => name.slice(name.lastIndexOf("/") + 1))
  const taken = new Set(read.map(({ file }) => file))
  const spare = inputs.flatMap(({ name }, at) => (taken.has(name) ? [] : [names[at]!]))
  const near = table.files.map((file) => suggest(file, spare)).find((name) => name !== undefined)
  const files = table.files.map((file) => `\`${file}\``).join(" or ")
  return {
    code: "missing-table",
    severity: "error",
    title: `no input is a file of the table \`${root}\`, whose rows are the visits: ${files}`,
    mapping: table.span,
    ...(near === undefined ? {} : { label: `did you mean \`${near}\`?` }),
    help: [
      "add the file to the input",
      `where it has another name, say so under the table:  file: ${near === undefined ? "…" : JSON.stringify(near)}`
    ]
  }
}
