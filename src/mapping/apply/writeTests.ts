import type { PathFunction } from "../../fhirpath/FhirPath.ts"
import { effectOf } from "../../fhirpath/generate/effectOf.ts"
import type { Writer } from "../../fhirpath/generate/Writer.ts"
import type { PathPlan } from "../MappingPlan.ts"

/**
 * Writes a function that returns the index of the first condition that does not hold, or -1 if all hold. It reports what functions report
 * for the conditions. If it cannot evaluate a condition, it returns `-2 - index`, and `null` if the variables are not those that it was
 * written for: the definition evaluates this condition and those after it. Its parameters are the focus, the variables, the scope, the
 * context of the visit, where the rows are searched, and the focus as a list.
 */
export const writeTests = (
  writer: Writer,
  conditions: ReadonlyArray<PathPlan>,
  functions: ReadonlyMap<string, PathFunction>
): void => {
  const canReport = conditions.map(({ text }) => effectOf(text, functions) === "reports")
  if (canReport.includes(true)) writer.line("let codes\nconst start = h.pending.length")
  for (const [index, condition] of conditions.entries()) {
    const reports = canReport[index]
    if (reports === true) writer.line("h.forget()\ncodes = h.unmappedCodes.length")
    const value = writer.holds(condition.text)
    if (value === undefined) {
      writer.line(`return ${-2 - index}`)
      return
    }
    const report = (found: "none" | "yes"): string =>
      `h.report(${writer.constant(condition)}, ${found}, e, p.parent, p.section)`
    if (reports === true) writer.line(`if (${value} === true && h.hasReports()) ${report("yes")}`)
    writer.block(`if (${value} !== true)`, () => {
      // What earlier conditions reported is about an element that is not sent.
      if (canReport.slice(0, index + 1).includes(true)) writer.line("h.pending.length = start")
      if (reports === true) {
        writer.block("if (h.hasReports())", () => {
          // A condition without a result makes no assumption, and here `false` could be one.
          writer.line(`if (h.hasRemarks()) { h.unmappedCodes.length = codes; return ${-2 - index} }`)
          writer.line(report("none"))
        })
      }
      writer.line(`return ${index}`)
    })
  }
  writer.line("return -1")
}
