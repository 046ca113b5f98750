import { effectOf } from "../effectOf.ts"
import type { CompiledPath, Element, Elements, Variables, ZoneScope } from "../FhirPath.ts"
import { areSame, nameOfRecord } from "./sameElements.ts"
import { nothingGiven, type Units } from "./Units.ts"
import { Variants } from "./Variants.ts"

/** The code of an expression. It returns `null` if the variables are not those that it was written for. */
type Generated = (focus: Element | Elements, variables: Variables, scope: ZoneScope) => Elements | null

/**
 * Adds generated code to an expression. The closures evaluate what it leaves to them. If an expression reports something, they evaluate all
 * of it unless the scope can discard what failed code has reported: they report it again. Only the scope of a visit can. Visits are made
 * both ways as a whole. Other scopes are those of the grouping and the accounts, whose expressions are evaluated both ways here.
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
      const isDue = scope.begin === undefined && variants.isDue()
      try {
        const found = run(focus.length === 1 ? focus[0] : focus, variables, scope)
        if (found !== null) return isDue ? proven(found, () => slowly(focus, variables, scope), focus) : found
      } catch {
        // Of several errors in an expression, the closures report the first.
      }
      units.left.set()
      discard?.()
      return slowly(focus, variables, scope)
    }
  }
  /** Returns what the definition finds, and notes whether that is something else. */
  const proven = (found: Elements, define: () => Elements, focus: Elements): Elements =>
    units.without(() => {
      const defined = define()
      if (!areSame(found, defined)) units.difference ??= nameOfRecord(focus)
      return defined
    })
  return { ...path, evaluate: engine("nodes", path.evaluate), values: engine("values", path.values) }
}
