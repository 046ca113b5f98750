import { Effect, FileSystem } from "effect"
import type { Span } from "../../diagnostic/Span.ts"
import { checkNumbers } from "../checkNumbers.ts"
import { parseYaml } from "../parseYaml.ts"
import { readConceptMapTable } from "./conceptMapTable.ts"
import { readCsvTable } from "./csvTable.ts"
import { gazetteerRows, isGazetteer, readGazetteerTable } from "./gazetteerTable.ts"
import { TableReader, type TableRows } from "./TableRows.ts"

/** A hundred thousand rows are some ten megabytes. */
const maxBytes = 64 * 1024 * 1024

/**
 * Reads a code table from a file: CSV, a gazetteer in CSV, a FHIR ConceptMap in JSON, or YAML with a value for each code. `named` is where the file
 * is named; a file that cannot be read is told there. The text is given for drawing places.
 */
export const readTable = Effect.fn("readTable")(function*(
  file: string,
  named: Span,
  accept: ReadonlyArray<string> = []
) {
  const text = yield* readTableText(file)
  if (text._tag === "Unreadable") {
    const reader = new TableReader(file)
    reader.report(
      "unreadable-file",
      named,
      `the table file \`${file}\` cannot be read: ${text.why}`,
      undefined,
      text.help
    )
    return { ...reader.done(), text: "" }
  }
  return { ...(parseTable(file, text.text, accept)), text: text.text }
})

/** The text of a table file without its byte order mark, or why there is none. */
export const readTableText = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = (why: string, ...help: ReadonlyArray<string>) => ({ _tag: "Unreadable", why, help }) as const
  const bytes = yield* Effect.gen(function*() {
    const { size, type } = yield* fs.stat(file)
    if (type === "Directory") return "it is a folder"
    return size > BigInt(maxBytes) ? "it is larger than 64 MB" : yield* fs.readFile(file)
  }).pipe(
    Effect.catch((error) =>
      Effect.succeed(error.reason._tag === "NotFound" ? "there is no such file" : "it cannot be opened")
    )
  )
  if (typeof bytes === "string") return unreadable(bytes)
  const text = decode(bytes)
  return text === undefined
    ? unreadable("it is not UTF-8", "save it as \"CSV UTF-8\" in the spreadsheet program")
    : { _tag: "Text", text } as const
})

const parseTable = (
  file: string,
  text: string,
  accept: ReadonlyArray<string>
): TableRows => {
  if (/^\s*\{/u.test(text)) return readConceptMapTable(file, text, accept)
  if (/\.ya?ml$/iu.test(file)) return readYamlTable(file, text)
  return isGazetteer(text) ? gazetteerRows(readGazetteerTable(file, text), file) : readCsvTable(file, text)
}

const readYamlTable = (file: string, text: string): TableRows => {
  const { problems, syntax } = parseYaml(file, text)
  const reader = new TableReader(file)
  reader.problems.push(...problems)
  if (syntax !== undefined) checkNumbers(reader, syntax)
  if (syntax?.kind === "map") return { rows: syntax, problems: reader.problems }
  if (syntax !== undefined) reader.report("invalid-value", syntax.span, "a table in YAML is a map of codes and values")
  return reader.done()
}

/** UTF-8, or by its byte order mark UTF-16 as spreadsheets save "Unicode text"; without the mark. `undefined` for anything else. */
const decode = (bytes: Uint8Array): string | undefined => {
  const encoding = bytes[0] === 0xFF && bytes[1] === 0xFE
    ? "utf-16le"
    : bytes[0] === 0xFE && bytes[1] === 0xFF
    ? "utf-16be"
    : "utf-8"
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
