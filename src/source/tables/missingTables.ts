import { plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import type { Input } from "../read/findInputs.ts"
import { tablesOfFile } from "./matchFiles.ts"
import type { TableFile, TableLayout } from "./TableLayout.ts"

/** Returns the tables without an input file. `read`: the files of tables that were read. */
export const missingTables = (
  tables: ReadonlyArray<TableLayout>,
  inputs: ReadonlyArray<Input>,
  read: ReadonlyArray<TableFile>
): ReadonlyArray<TableLayout> =>
  tables.filter((table) =>
    // An unreadable file of the table was already reported.
    !inputs.some(({ name }) => tablesOfFile(name, [table]).length > 0) &&
    !read.some((file) => file.tables.includes(table.name))
  )

/**
 * Reports missing tables in three groups. Without the table whose rows are the visits, the other tables give no visit. Without a table
 * that the facility requires, no visit is sent. Without another expected table, visits are sent without its rows.
 */
export const reportMissing = (
  root: string,
  missing: ReadonlyArray<TableLayout>,
  inputs: ReadonlyArray<Input>,
  read: ReadonlyArray<TableFile>
): ReadonlyArray<Diagnostic> => {
  const taken = new Set(read.map(({ file }) => file))
  const unread = inputs.flatMap(({ name }) => taken.has(name) ? [] : [name.slice(name.lastIndexOf("/") + 1)])
  const visits = missing.find(({ name }) => name === root)
  const others = missing.filter(({ name }) => name !== root)
  return [
    ...(visits === undefined ? [] : [withoutVisits(visits, unread)]),
    ...withoutRows(others.filter(({ expected }) => expected === "needed"), inputs, unread),
    ...withoutRows(others.filter(({ expected }) => expected === true), inputs, unread)
  ]
}

const nearOf = ({ files }: TableLayout, unread: ReadonlyArray<string>): string | undefined =>
  files.map((file) => suggest(file, unread)).find((name) => name !== undefined)

const withoutVisits = (table: TableLayout, unread: ReadonlyArray<string>): Diagnostic => {
  const near = nearOf(table, unread)
  return {
    code: "missing-table",
    severity: "error",
    title: `no input is a file of the table \`${table.name}\`, whose rows are the visits: ${filesOf(table)}`,
    mapping: table.span,
    ...(near === undefined ? {} : { label: didYouMean(near) }),
    ...factsOf([], unread),
    help: ["add the file to the input", fileHelp(near)]
  }
}

const withoutRows = (
  tables: ReadonlyArray<TableLayout>,
  inputs: ReadonlyArray<Input>,
  unread: ReadonlyArray<string>
): ReadonlyArray<Diagnostic> => {
  const [first] = tables
  if (first === undefined) return []
  const one = tables.length === 1
  const isNeeded = first.expected === "needed"
  const near = nearOf(first, unread)
  const labels = tables.slice(1).flatMap((table) => {
    const other = nearOf(table, unread)
    return other === undefined ? [] : [{ span: table.span, text: didYouMean(other) }]
  })
  return [{
    code: "missing-table",
    severity: isNeeded ? "error" : "warning",
    title: one
      ? `no input is a file of the table \`${first.name}\`: ${filesOf(first)}`
      : `no input is a file of ${plural(tables.length, "table")} that the mapping ${isNeeded ? "names" : "declares"}`,
    mapping: first.span,
    label: near !== undefined
      ? didYouMean(near)
      : isNeeded
      ? "no visit is sent without its rows"
      : "visits are sent without its rows",
    ...(labels.length === 0 ? {} : { labels }),
    ...factsOf(one ? [] : tables, unread),
    help: [
      inputs.every(({ _tag }) => _tag === "StandardInput")
        ? "standard input has one table: name the folder with all of them"
        : `add the ${
          one ? "file" : "files"
        } to the input: a visit that was sent without these rows cannot be completed later`,
      ...(near === undefined && labels.length === 0 ? [] : [fileHelp(near)]),
      "an empty table still has its header; if the file is optional, set under the table:  fileOptional: true"
    ]
  }]
}

const factsOf = (tables: ReadonlyArray<TableLayout>, unread: ReadonlyArray<string>): Pick<Diagnostic, "facts"> => {
  const files = unread.filter((name) => /\.(?:csv|tsv|tab|psv|txt)(?:\.gz)?$/iu.test(name))
  const facts = [
    ...(tables.length === 0
      ? []
      : [["tables", tables.map((table) => `\`${table.name}\` (${filesOf(table)})`).join(", ")] as const]),
    ...(files.length === 0
      ? []
      : [
        [
          "unused",
          `${files.slice(0, 6).map((name) => `\`${name}\``).join(", ")}${
            files.length > 6 ? ` and ${files.length - 6} others` : ""
          }: no table reads ${files.length === 1 ? "this input" : "these inputs"}`
        ] as const
      ])
  ]
  return facts.length === 0 ? {} : { facts }
}

const fileHelp = (near: string | undefined): string =>
  `if it has another name, set under the table:  file: ${near === undefined ? "…" : JSON.stringify(near)}`

const filesOf = ({ files }: TableLayout): string => files.map((file) => `\`${file}\``).join(" or ")
