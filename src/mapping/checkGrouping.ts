import type { Model } from "../fhirpath/Model.ts"
import type { GroupingPlan } from "../grouping/GroupingPlan.ts"
import { GroupingReader } from "./GroupingReader.ts"
import type { SyntaxMap } from "./MappingSyntax.ts"
import type { CompilePath } from "./PathScope.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"
import { groupingWords } from "./words.ts"

/** Reads `grouping:`: which encounters are a visit, and how other records reach them. */
export const checkGrouping = (
  reader: SyntaxReader,
  root: SyntaxMap,
  compile: CompilePath,
  model: Model
): GroupingPlan | undefined => {
  const entry = root.entries.get("grouping")
  if (entry === undefined) {
    return reader.report("missing-key", root.span, "the mapping does not say which records make a visit", undefined, [
      "add `grouping:`, or extend a mapping that has it"
    ])
  }
  const map = reader.names(entry.value, "`grouping`", groupingWords)
  return map === undefined ? undefined : new GroupingReader(reader, map, entry.key, compile, model).plan()
}
