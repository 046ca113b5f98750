import { at } from "../src/at.ts"
import type { ExtractColumn, ExtractTable } from "../src/studio/canonical/extractTables.ts"
import { extractTables } from "../src/studio/canonical/extractTables.ts"

const optionalNumbers: ReadonlySet<string> = new Set(["version", "patient_version", "row"])

const columnText = (table: ExtractTable, { name, type }: ExtractColumn): string =>
  optionalNumbers.has(name) && !(name === "row" && table.key.includes("row")) ? "{optional: true}" : type

const tableText = (table: ExtractTable): string => {
  const list = (names: ReadonlyArray<string>): string => (names.length === 1 ? at(names, 0) : `[${names.join(", ")}]`)
  return [
    `  ${table.name}:`,
    "    trim: false",
    "    formulaGuard: true",
    "    optional: true",
    ...(table.key.length === 0 ? [] : [`    key: ${list(table.key)}`]),
    ...(table.order === undefined ? [] : [`    order: ${table.order}`]),
    "    column:",
    ...table.columns.map((column) => `      ${column.name}: ${columnText(table, column)}`),
    ...(table.links.length === 0 ? [] : ["    link:"]),
    ...table.links.map((link) => `      ${link.name}: {table: ${link.table}, on: ${list(link.on)}}`),
    ""
  ].join("\n")
}

/** The tables of the canonical extract as the mapping `csv` declares them. */
export const renderTables = (): string =>
  `# The tables of the canonical extract: one for each list of the Visit, with the specification's field names. Printed from the
# program's own table of them (docs/reference/csv.md).
#
# Texts keep their blanks. An apostrophe before a formula sign prevents spreadsheets from calculating. A file can omit all columns except
# those of its key and links. In a file that your own mapping names, blanks at both ends of a cell are removed.

table:
${extractTables.map(tableText).join("\n")}`

const typeWords = {
  text: "text",
  decimal: "number",
  boolean: "true or false",
  date: "date",
  timestamp: "timestamp",
  integer: "number"
}

const linkOf = (table: ExtractTable, name: string): string | undefined =>
  table.links.find(({ on }) => on.at(-1) === name || (on.includes(name) && on.length === 1))?.table

const row = (table: ExtractTable, column: ExtractColumn): string => {
  const role = table.key.includes(column.name) ? " · key" : ""
  const link = linkOf(table, column.name)
  return `| \`${column.name}\` | ${typeWords[column.type]}${role}${
    link === undefined ? "" : ` · refers to a row of \`${link}\``
  } | ${column.meaning.replaceAll("|", "\\|")} |`
}

/** The page that describes the canonical extract. */
export const renderExtract = (): string =>
  `# The canonical extract, table by table

There is one CSV file for each table, named after it: \`visit.csv\`, \`patient.csv\`, \`laboratories_results.csv\`. The mapping \`csv\` reads them and
\`fhir2visit to-csv\` writes them. A file without rows can be missing, and so can columns that are not part of a key or a link. Columns have
the names of the specification's fields; a field of an object has the object's name before its own. Every list is a separate table. Its rows
refer to the row they belong to, and \`row\` numbers them. What a row shares with its visit (\`patient_code\`, \`visit_code\`) is not repeated.

Timestamps are ISO 8601 (\`2026-03-02T08:15:00+07:00\`), in the facility's zone if they have no offset. Dates are \`2026-03-02\`, numbers have
a decimal point, and an empty cell is no value.

${
    extractTables.map((table) =>
      [
        `## ${table.name}`,
        "",
        table.field === ""
          ? "The visit itself."
          : `Field \`${table.field}\`${table.holds === "component" ? "" : ", one text a row"}.`,
        "",
        "| column | contains | |",
        "|---|---|---|",
        ...table.columns.map((column) => row(table, column)),
        ""
      ].join("\n")
    ).join("\n")
  }`
