import type { CompiledPath, Element, Elements, Variables, ZoneScope } from "../FhirPath.ts"
import { notGenerated } from "./Code.ts"
import { effectOf } from "./effectOf.ts"
import type { Units } from "./Units.ts"
import { Variants } from "./Variants.ts"

/** The code of an expression. It returns `undefined` if the variables are not those that it was written for. */
type Generated = (focus: Element | Elements, variables: Variables, scope: ZoneScope) => Elements | undefined

/**
 * Adds generated code to an expression. The closures evaluate what it leaves to them. They evaluate all of an expression that reports
 * something: after generated code has failed, they would report it again.
 */
export const withGenerated = (path: CompiledPath, units: Units): CompiledPath => {
  const { text } = path
  const engine = (as: "nodes" | "values", slowly: CompiledPath["evaluate"]): CompiledPath["evaluate"] => {
    const variants = new Variants<Generated>(units, "v, s", (writer) => {
      if (effectOf(text, units.functions) === "reports") throw notGenerated
      writer.expression(text, as)
    })
    return (focus, variables, scope) => {
      const run = variants.find(focus, variables)
      if (run === undefined) return slowly(focus, variables, scope)
      try {
        return run(focus.length === 1 ? focus[0] : focus, variables, scope) ?? slowly(focus, variables, scope)
      } catch {
        // Of several errors in an expression, the closures report the first.
        return slowly(focus, variables, scope)
      }
    }
  }
  return { ...path, evaluate: engine("nodes", path.evaluate), values: engine("values", path.values) }
}
