import type { PathFunction } from "../../fhirpath/FhirPath.ts"
import { effectOf } from "../../fhirpath/generate/effectOf.ts"
import type { Writer } from "../../fhirpath/generate/Writer.ts"
import type { PathPlan } from "../MappingPlan.ts"

/**
 * Writes a function that returns the index of the first condition that does not hold, or -1 if all hold. If a condition reports something,
 * only the definition can evaluate it: the function then returns `-2 - index`. It returns `null` if the variables are not those that it was
 * written for. Its parameters are the focus, the variables, the scope, and the context of the visit.
 */
export const writeTests = (
  writer: Writer,
  conditions: ReadonlyArray<PathPlan>,
  functions: ReadonlyMap<string, PathFunction>
): void => {
  for (const [index, { text }] of conditions.entries()) {
    const reports = effectOf(text, functions) === "reports"
    if (reports) writer.line("h.forget()")
    const value = writer.holds(text)
    if (value === undefined) {
      writer.line(`return ${-2 - index}`)
      return
    }
    if (reports) writer.line(`if (h.hasReports()) return ${-2 - index}`)
    writer.line(`if (${value} !== true) return ${index}`)
  }
  writer.line("return -1")
}
