import type { JsonObject } from "../../../json/JsonObject.ts"
import { makeRuleCheck } from "../../../visit/rules/applyRules.ts"
import {
  codesBelongToVisit,
  linesBelongToInvoice,
  linksBelongToVisit
} from "../../../visit/rules/codesBelongToVisit.ts"
import { defaultRuleSettings } from "../../../visit/rules/Rule.ts"
import { transferHasReferral } from "../../../visit/rules/transferHasReferral.ts"
import { sentences } from "../../wire.ts"

const check = makeRuleCheck([codesBelongToVisit, linksBelongToVisit, linesBelongToInvoice, transferHasReferral])

/**
 * Checks the links between the components of a visit whose fields are valid. Its codes are its own (§2.4 to §2.6), and a transfer has
 * referral data (§4.5 rule 6). The rules are those that the client checks before it sends. Returns the first error as a sentence, or `null`.
 */
export const checkLinks = (
  visit: JsonObject,
  path: string,
  { transferValues }: { readonly transferValues: ReadonlyArray<string> }
): string | null => {
  const settings = { ...defaultRuleSettings, now: 0, transferDischargeTypes: transferValues }
  const first = check(visit, settings).ofRules.find(({ severity }) => severity === "error")
  if (first === undefined) return null
  const field = [path, ...first.path].join(".")
  return first.code === "referral-required" ? sentences.fieldRequired(field) : `The selected ${field} is invalid.`
}
