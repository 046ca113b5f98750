import { keysOf, readValues } from "../language/grammar/Kind.ts"
import { statedKeys, textKeys, timeKeys } from "../language/grammar/mappingGrammar.ts"
import type { SyntaxMap } from "../language/MappingSyntax.ts"
import { isNull } from "../language/MappingSyntax.ts"
import type { StatementsPlan } from "../language/Statements.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import type { TimePlan } from "../MappingPlan.ts"

/** Reads `stated:`, the prefixes of the extension URLs by which a source states what a record becomes. */
export const checkStatements = (reader: SyntaxReader, root: SyntaxMap): StatementsPlan | undefined => {
  const entry = root.entries.get("stated")
  if (entry === undefined || isNull(entry.value)) return undefined
  const map = reader.names(entry.value, "`stated`", keysOf(statedKeys))
  const { field, part, row } = readValues(reader, statedKeys, map)
  if (map === undefined) return undefined
  if (row === undefined || part === undefined || field === undefined) {
    return reader.report("missing-key", map.span, "`stated` needs `row`, `part` and `field`")
  }
  return { row, part, field }
}

/** Reads `text: {normalise: none}`: letters in decomposed form are sent unchanged. */
export const checkText = (reader: SyntaxReader, root: SyntaxMap): boolean => {
  const entry = root.entries.get("text")
  const map = entry === undefined ? undefined : reader.names(entry.value, "`text`", keysOf(textKeys))
  return readValues(reader, textKeys, map).normalise === "none"
}

/** Reads `time:`, the policy for dates and times that are less precise than their field requires. */
export const checkTime = (reader: SyntaxReader, root: SyntaxMap): TimePlan => {
  const entry = root.entries.get("time")
  const map = entry === undefined ? undefined : reader.names(entry.value, "`time`", keysOf(timeKeys))
  return readValues(reader, timeKeys, map)
}
