import { defaultRuleSettings, isOneOf, partOf, type Rule, textAt, toUnvalidated, wordsOf } from "./Rule.ts"

/** The beginnings of words for a transfer. */
const transferWords = /\b(?:refer|transfer)/u

const isGiven = (value: unknown): boolean => toUnvalidated(value) === value

/**
 * §4.5 rule 6: referral data is required if the patient is transferred between facilities. The discharge types that mean a transfer are a
 * setting. Without the setting, another type in the words of a transfer gives a warning. So does a referral without a transfer, or to
 * the facility itself, and a `referred_from` that contradicts `admission_type`.
 */
export const transferHasReferral: Rule = (visit, settings, report) => {
  const referrals = partOf(visit, "referrals")
  const isReferredAway = isGiven(referrals.referred_to)
  const isTransfer = isOneOf(visit, "discharge_type", settings.transferDischargeTypes)
  if (isTransfer && !isReferredAway) {
    report({
      code: "referral-required",
      severity: "error",
      path: visit.referrals === null || visit.referrals === undefined ? ["referrals"] : ["referrals", "referred_to"],
      title: "`discharge_type` states that the patient was transferred, and the referral is missing",
      help: "send where the patient was referred to in `referrals.referred_to`"
    })
  }
  // A facility that states its values decided about all of them.
  const isUndecided = settings.transferDischargeTypes === defaultRuleSettings.transferDischargeTypes
  if (
    !isTransfer && !isReferredAway && isUndecided && transferWords.test(wordsOf(textAt(visit, "discharge_type") ?? ""))
  ) {
    report({
      code: "contradiction",
      severity: "warning",
      path: ["discharge_type"],
      title: "`discharge_type` may mean that the patient was transferred, and there is no referral",
      help:
        "name the values that mean a transfer to another facility, in facility.yaml:  validation: {transferDischargeTypes: [Refer Out, …]}"
    })
  }
  if (!isTransfer && isReferredAway && typeof visit.discharge_type === "string") {
    report({
      code: "contradiction",
      severity: "warning",
      path: ["referrals", "referred_to"],
      title:
        "there is a referral to another facility, and `discharge_type` does not state that the patient was transferred"
    })
  }
  const receiver = textAt(partOf(partOf(referrals, "referred_to"), "health_facility"), "code")
  if (receiver !== undefined && receiver === textAt(visit, "health_facility_code")) {
    report({
      code: "contradiction",
      severity: "warning",
      path: ["referrals", "referred_to", "health_facility", "code"],
      title: "the patient is referred to the facility that sends the visit",
      help: "leave out requests to departments of the facility, in the mapping, under `referrals: where`"
    })
  }
  const isReferredHere = isGiven(referrals.referred_from)
  const wasReferred = isOneOf(visit, "admission_type", settings.referralAdmissionTypes)
  if (wasReferred !== isReferredHere && typeof visit.admission_type === "string") {
    report({
      code: "contradiction",
      severity: "warning",
      path: isReferredHere
        ? ["admission_type"]
        : visit.referrals === null
        ? ["referrals"]
        : ["referrals", "referred_from"],
      title: isReferredHere
        ? "`referred_from` states that the patient was referred here, and `admission_type` does not"
        : "`admission_type` shows that the patient was referred here, but `referred_from` is empty",
      help: "the specification does not show the form of `referred_from`; ask the service before sending it"
    })
  }
}
