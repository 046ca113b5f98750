import type { ExtractColumn, ExtractTable } from "../src/studio/canonical/extractTables.ts"
import { extractTables } from "../src/studio/canonical/extractTables.ts"

const optionalNumbers: ReadonlySet<string> = new Set(["version", "patient_version", "row"])

const columnText = (table: ExtractTable, { name, type }: ExtractColumn): string =>
  optionalNumbers.has(name) && !(name === "row" && table.key.includes("row")) ? "{optional: true}" : type

const tableText = (table: ExtractTable): string => {
  const list = (names: ReadonlyArray<string>): string => (names.length === 1 ? names[0]! : `[${names.join(", ")}]`)
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
# In each, texts stand as they are, blanks and all; an apostrophe before a formula sign keeps spreadsheets from calculating; a file may
# leave out columns it has nothing for, all but those of its key and links. Of a file that your own mapping names the blanks are taken off

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
    link === undefined ? "" : ` · names a row of \`${link}\``
  } | ${column.meaning.replaceAll("|", "\\|")} |`
}

/** The page that describes the canonical extract. */
export const renderExtract = (): string =>
  `# The canonical extract, table by table

One CSV file for each table, named after it: \`visit.csv\`, \`patient.csv\`, \`laboratories_results.csv\`. The mapping \`csv\` reads them and
\`fhir2visit to-csv\` writes them. A file without rows may be missing, and so may columns, all but those of a key or a link. Columns have
the names of the specification's fields; what stands in an object is named with the object before it. Every list is a table of its own;
its rows name the row they belong to, and \`row\` numbers them. What a row has from its visit (\`patient_code\`, \`visit_code\`) is not repeated.

Timestamps are ISO 8601 (\`2026-03-02T08:15:00+07:00\`; without an offset they are times of the facility's zone), dates \`2026-03-02\`, numbers have
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
        "| column | holds | |",
        "|---|---|---|",
        ...table.columns.map((column) => row(table, column)),
        ""
      ].join("\n")
    ).join("\n")
  }`
