import type { TimePlan } from "./MappingPlan.ts"
import type { SyntaxMap } from "./MappingSyntax.ts"
import { isNull } from "./MappingSyntax.ts"
import type { StatementsPlan } from "./Statements.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/** `stated:` the beginnings of the extension addresses by which a source says what a record is to become. */
export const checkStatements = (reader: SyntaxReader, root: SyntaxMap): StatementsPlan | undefined => {
  const entry = root.entries.get("stated")
  if (entry === undefined || isNull(entry.value)) return undefined
  const map = reader.names(entry.value, "`stated`", ["row", "part", "field"])
  const [row, part, field] = (["row", "part", "field"] as const).map((word) =>
    reader.text(map?.entries.get(word), `\`${word}\``)
  )
  if (map === undefined) return undefined
  if (row === undefined || part === undefined || field === undefined) {
    return reader.report("missing-key", map.span, "`stated` needs `row`, `part` and `field`")
  }
  return { row, part, field }
}

/** `text: {normalise: none}`: letters that are written in parts are sent so. */
export const checkText = (reader: SyntaxReader, root: SyntaxMap): boolean => {
  const entry = root.entries.get("text")
  const map = entry === undefined ? undefined : reader.names(entry.value, "`text`", ["normalise"])
  return reader.oneOf(map?.entries.get("normalise"), "`normalise`", ["NFC", "none"]) === "none"
}

/** `time:` what is done with dates and times that say less than their field needs. */
export const checkTime = (reader: SyntaxReader, root: SyntaxMap): TimePlan => {
  const entry = root.entries.get("time")
  const map = entry === undefined
    ? undefined
    : reader.names(entry.value, "`time`", ["partialTimestamp", "partialDate", "missingOffset"])
  return {
    partialTimestamp:
      reader.oneOf(map?.entries.get("partialTimestamp"), "`partialTimestamp`", ["reject", "start-of-day", "midday"]) ??
        "start-of-day",
    partialDate: reader.oneOf(map?.entries.get("partialDate"), "`partialDate`", ["reject", "blank", "first-day"]) ??
      "reject",
    missingOffset: reader.oneOf(map?.entries.get("missingOffset"), "`missingOffset`", ["zone", "local", "reject"]) ??
      "zone"
  }
}
