import type { Model } from "../../fhirpath/infer/Model.ts"
import type { GroupingPlan } from "../grouping/GroupingPlan.ts"
import { groupingKeys } from "../language/grammar/groupingGrammar.ts"
import { keysOf } from "../language/grammar/Kind.ts"
import type { SyntaxMap } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import type { CompilePath } from "./expressions/PathScope.ts"
import { GroupingReader } from "./GroupingReader.ts"

/** Reads `grouping:`: which encounters form a visit, and how other records reach them. */
export const checkGrouping = (
  reader: SyntaxReader,
  root: SyntaxMap,
  compile: CompilePath,
  model: Model
): GroupingPlan | undefined => {
  const entry = root.entries.get("grouping")
  if (entry === undefined) {
    return reader.report("missing-key", root.span, "the mapping does not declare which records make a visit", {
      help: ["add `grouping:`, or extend a mapping that has it"]
    })
  }
  const map = reader.names(entry.value, "`grouping`", keysOf(groupingKeys))
  return map === undefined ? undefined : new GroupingReader(reader, map, entry.key, compile, model).plan()
}
