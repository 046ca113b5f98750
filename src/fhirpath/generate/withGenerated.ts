import type { CompiledPath, Element, Elements, Variables, ZoneScope } from "../FhirPath.ts"
import { effectOf } from "./effectOf.ts"
import { nothingGiven, type Units } from "./Units.ts"
import { Variants } from "./Variants.ts"

/** The code of an expression. It returns `null` if the variables are not those that it was written for. */
type Generated = (focus: Element | Elements, variables: Variables, scope: ZoneScope) => Elements | null

/**
 * Adds generated code to an expression. The closures evaluate what it leaves to them. If an expression reports something, they evaluate all
 * of it unless the scope can discard what failed code has reported: they report it again.
 */
export const withGenerated = (path: CompiledPath, units: Units): CompiledPath => {
  const { text } = path
  let reports: boolean | undefined
  const engine = (as: "nodes" | "values", slowly: CompiledPath["evaluate"]): CompiledPath["evaluate"] => {
    const variants = new Variants<Generated>(
      units,
      { name: `${as} ${text}`, given: nothingGiven },
      "v, s",
      (writer) => writer.expression(text, as)
    )
    return (focus, variables, scope) => {
      const run = variants.find(focus, variables)
      if (run === undefined) return slowly(focus, variables, scope)
      reports ??= effectOf(text, units.functions) === "reports"
      if (reports && scope.begin === undefined) return slowly(focus, variables, scope)
      const discard = reports ? scope.begin?.() : undefined
      try {
        const found = run(focus.length === 1 ? focus[0] : focus, variables, scope)
        if (found !== null) return found
      } catch {
        // Of several errors in an expression, the closures report the first.
      }
      units.left.set()
      discard?.()
      return slowly(focus, variables, scope)
    }
  }
  return { ...path, evaluate: engine("nodes", path.evaluate), values: engine("values", path.values) }
}
