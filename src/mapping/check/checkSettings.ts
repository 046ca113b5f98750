import { readKey, readValues } from "../language/grammar/Kind.ts"
import { mappingKeys, timeKeys } from "../language/grammar/mappingGrammar.ts"
import type { SyntaxMap } from "../language/MappingSyntax.ts"
import type { StatementsPlan } from "../language/Statements.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import type { TimePlan } from "../MappingPlan.ts"

/** Reads `stated:`, the prefixes of the extension URLs by which a source states what a record becomes. */
export const checkStatements = (reader: SyntaxReader, root: SyntaxMap): StatementsPlan | undefined => {
  const stated = readKey(reader, mappingKeys, "stated", root)
  if (stated === undefined) return undefined
  const { field, part, row } = stated
  if (row === undefined || part === undefined || field === undefined) {
    const span = root.entries.get("stated")?.value.span ?? root.span
    return reader.report("missing-key", span, "`stated` needs `row`, `part` and `field`")
  }
  return { row, part, field }
}

/** Reads `text: {normalise: none}`: letters in decomposed form are sent unchanged. */
export const checkText = (reader: SyntaxReader, root: SyntaxMap): boolean =>
  readKey(reader, mappingKeys, "text", root)?.normalise === "none"

/** Reads `time:`, the policy for dates and times that are less precise than their field requires. */
export const checkTime = (reader: SyntaxReader, root: SyntaxMap): TimePlan =>
  readKey(reader, mappingKeys, "time", root) ?? readValues(reader, timeKeys, undefined)
