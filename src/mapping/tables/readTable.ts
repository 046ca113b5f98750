import { Effect } from "effect"
import type { Span } from "../../diagnostic/Span.ts"
import { beginsAsObject } from "../../json/unparsed.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { checkNumbers } from "../language/checkNumbers.ts"
import { parseYaml } from "../language/parseYaml.ts"
import { readConceptMapTable } from "./conceptMapTable.ts"
import { namesColumns, readCsvTable } from "./csvTable.ts"
import { gazetteerRows, isGazetteer, readGazetteerTable } from "./gazetteerTable.ts"
import { TableReader, type TableRows } from "./TableRows.ts"

/** 64 MiB; a hundred thousand rows are about ten megabytes. */
const maxBytes = 64 * 1024 * 1024

/**
 * Reads a code table from a file: CSV, a gazetteer in CSV, a FHIR ConceptMap in JSON, or YAML with a value for each code. `named` is
 * where the file is named; an unreadable file is reported there. The text is returned to show source locations.
 */
export const readTable = Effect.fn("readTable")(function*(
  file: string,
  named: Span,
  accept: ReadonlyArray<string> = []
) {
  const text = yield* readTableText(file)
  if (text._tag === "Unreadable") {
    const reader = new TableReader(file)
    reader.report("unreadable-file", named, `the table file \`${file}\` cannot be read: ${text.why}`, {
      help: text.help
    })
    return { ...reader.done(), text: "" }
  }
  if (!isTable(file, text.text)) {
    const reader = new TableReader(file)
    reader.report("unreadable-file", named, `the file \`${file}\` is not a code table`, {
      help: [
        "CSV: the first line names the columns:  code,value   (or  source,target)",
        "YAML: a line for each code:  CODE: VALUE   JSON: a FHIR ConceptMap"
      ]
    })
    return { ...reader.done(), text: "" }
  }
  return { ...(parseTable(file, text.text, accept)), text: text.text }
})

/** Whether a text looks like a table. Nothing of another file is shown: it can hold secrets. */
const isTable = (file: string, text: string): boolean => {
  if (text.trim() === "") return true
  if (beginsAsObject(text)) return ["resourceType", "group"].some((name) => text.includes(`"${name}"`))
  if (/\.ya?ml$/iu.test(file)) {
    const { syntax } = parseYaml(file, text)
    return syntax === undefined ? /^[^\s#:][^:\n]*:(?:\s|$)/mu.test(text) : syntax.kind === "map"
  }
  return isGazetteer(text) || namesColumns(file, text)
}

/** Returns the text of a table file without its byte order mark, or why it cannot be read. */
export const readTableText = Effect.fnUntraced(function*(file: string) {
  const read = yield* readTextFile(file, maxBytes)
  if (read._tag === "Text") return read
  return {
    ...read,
    help: read.isUtf8 ? [] : ["save it as \"CSV UTF-8\" in the spreadsheet program"]
  }
})

const parseTable = (
  file: string,
  text: string,
  accept: ReadonlyArray<string>
): TableRows => {
  if (beginsAsObject(text)) return readConceptMapTable(file, text, accept)
  if (/\.ya?ml$/iu.test(file)) return readYamlTable(file, text)
  return isGazetteer(text) ? gazetteerRows(readGazetteerTable(file, text), file) : readCsvTable(file, text)
}

const readYamlTable = (file: string, text: string): TableRows => {
  const { problems, syntax } = parseYaml(file, text)
  const reader = new TableReader(file)
  reader.problems.push(...problems)
  if (syntax !== undefined) checkNumbers(reader, syntax)
  if (syntax?.kind === "map") return { rows: syntax, problems: reader.problems }
  if (syntax !== undefined) {
    reader.report("invalid-value", syntax.span, "a table in YAML must be a map of codes and values")
  }
  return reader.done()
}
