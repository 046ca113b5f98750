import { isJsonObject } from "../json/JsonObject.ts"
import { getOrMake } from "../maps.ts"
import { valueAt } from "./decode.ts"
import { addressCodesNest } from "./rules/addressCodesNest.ts"
import { addressIsInGazetteer } from "./rules/addressIsInGazetteer.ts"
import { makeRuleCheck } from "./rules/applyRules.ts"
import { codesAreUnique } from "./rules/codesAreUnique.ts"
import { codesAreUsual } from "./rules/codesAreUsual.ts"
import { codesBelongToVisit, linesBelongToInvoice, linksBelongToVisit } from "./rules/codesBelongToVisit.ts"
import { contentIsGiven } from "./rules/contentIsGiven.ts"
import { deceasedAgrees } from "./rules/deceasedAgrees.ts"
import { diagnosisIsIcd10 } from "./rules/diagnosisIsIcd10.ts"
import { emptyIsWrittenEmpty } from "./rules/emptyIsWrittenEmpty.ts"
import { endsAfterStart } from "./rules/endsAfterStart.ts"
import { fieldsAreGiven } from "./rules/fieldsAreGiven.ts"
import { imagesCanBeReached } from "./rules/imagesCanBeReached.ts"
import { insideVisit } from "./rules/insideVisit.ts"
import { invoiceAddsUp } from "./rules/invoiceAddsUp.ts"
import { labValueHasItsType } from "./rules/labValueHasItsType.ts"
import { linesAreCharges } from "./rules/linesAreCharges.ts"
import { listMembership } from "./rules/listMembership.ts"
import { namesAreUsed } from "./rules/namesAreUsed.ts"
import { nullsAreShown } from "./rules/nullsAreShown.ts"
import { onePrimaryDiagnosis } from "./rules/onePrimaryDiagnosis.ts"
import { defaultRuleSettings, type LeafRule, type Rule, type RuleSettings } from "./rules/Rule.ts"
import { schemeHasCard } from "./rules/schemeHasCard.ts"
import { textIsClean } from "./rules/textIsClean.ts"
import { timesArePossible } from "./rules/timesArePossible.ts"
import { transferHasReferral } from "./rules/transferHasReferral.ts"
import {
  ageIsPossible,
  measuresArePossible,
  numbersArePossible,
  resultsArePossible
} from "./rules/valuesArePossible.ts"
import { visitTypeAgrees } from "./rules/visitTypeAgrees.ts"
import type { VisitProblem } from "./VisitProblem.ts"

/** Every rule for a single visit. `uniqueInRun` checks the rules between visits. */
const rules: ReadonlyArray<Rule | LeafRule> = [
  // documented (§4.5), so an error
  codesBelongToVisit,
  linksBelongToVisit,
  linesBelongToInvoice,
  codesAreUnique,
  transferHasReferral,
  linesAreCharges,
  // missing content, so an error that a facility can lower
  contentIsGiven,
  // permitted but suspicious, so a warning
  emptyIsWrittenEmpty,
  nullsAreShown,
  listMembership,
  endsAfterStart,
  insideVisit,
  timesArePossible,
  visitTypeAgrees,
  deceasedAgrees,
  onePrimaryDiagnosis,
  labValueHasItsType,
  schemeHasCard,
  invoiceAddsUp,
  measuresArePossible,
  numbersArePossible,
  ageIsPossible,
  resultsArePossible,
  addressCodesNest,
  addressIsInGazetteer,
  textIsClean,
  codesAreUsual,
  diagnosisIsIcd10,
  namesAreUsed,
  imagesCanBeReached,
  // severity by the facility's settings
  fieldsAreGiven
]

const check = makeRuleCheck(rules)

/** The input of validation: the current time, and any setting that differs from its default. */
export type ValidationSettings = Pick<RuleSettings, "now"> & Partial<RuleSettings>

/**
 * Returns all problems of a visit at once: those of form (§2.4 to §2.6), those between fields (§4.5), and warnings. The value can be a
 * visit or an invalid one. Errors violate the documented specification; such a visit is not sent. The order is fixed: form first, then rule
 * by rule, each in the order of the visit.
 */
export const validateVisit = (visit: unknown, settings: ValidationSettings): ReadonlyArray<VisitProblem> => {
  const all = getOrMake(completed, settings, () => ({ ...defaultRuleSettings, ...settings }))
  const { ofForm, ofRules } = check(visit, all)
  // What is no object lacks every field: that is one problem.
  return isJsonObject(visit) ? [...ofForm.map((problem) => lenient(visit, problem, all.mayBeNull)), ...ofRules] : ofForm
}

/** Settings with all defaults. All visits of a run have the same settings. */
const completed = new WeakMap<ValidationSettings, RuleSettings>()

/** Lowers the error for a null that the settings allow to a warning, so that the visit can be sent. A field is never removed. */
const lenient = (visit: unknown, problem: VisitProblem, mayBeNull: RuleSettings["mayBeNull"]): VisitProblem =>
  problem.code === "required-field" && mayBeNull.includes(problem.path.filter(isName).join(".")) &&
    valueAt(visit, problem.path) === null
    ? { ...problem, severity: "warning" }
    : problem

const isName = (step: string | number): boolean => typeof step === "string"

/** Returns true if no problem stops the visit from being sent. */
export const hasNoErrors = (problems: ReadonlyArray<VisitProblem>): boolean =>
  problems.every((problem) => problem.severity !== "error")
