import type { JsonObject } from "../../json/JsonObject.ts"
import { codesBelongToVisit } from "../../visit/rules/codesBelongToVisit.ts"
import { defaultRuleSettings } from "../../visit/rules/Rule.ts"
import { transferHasReferral } from "../../visit/rules/transferHasReferral.ts"
import type { VisitProblem } from "../../visit/VisitProblem.ts"
import { sentences } from "../wire.ts"

/**
 * Checks the links between the components of a visit whose fields are valid: its codes are its own (§2.4 to §2.6), and a transfer has
 * referral data (§4.5 rule 6). The rules are those that the client checks before it sends. Returns the first error as a sentence, or `null`.
 */
export const checkLinks = (
  visit: JsonObject,
  path: string,
  { transferValues }: { readonly transferValues: ReadonlyArray<string> }
): string | null => {
  const errors: Array<VisitProblem> = []
  const settings = { ...defaultRuleSettings, now: 0, transferDischargeTypes: transferValues }
  for (const rule of [codesBelongToVisit, transferHasReferral]) {
    rule(visit, settings, (problem) => {
      if (problem.severity === "error") errors.push(problem)
    })
  }
  const [first] = errors
  if (first === undefined) return null
  const field = [path, ...first.path].join(".")
  return first.code === "referral-required" ? sentences.fieldRequired(field) : `The selected ${field} is invalid.`
}
