import { adjustable, levelNames } from "../../diagnostic/levels.ts"
import { declareKeys, type Kind, mapByName, oneWord, severalTexts } from "../../mapping/language/grammar/Kind.ts"
import { slowPart } from "../../pattern/slowPattern.ts"
import { defaultRuleSettings, medicinePrices } from "../../visit/rules/Rule.ts"
import { amount, count, listedValues } from "./settingKinds.ts"

/** The settings of the rules that visits are checked by. */

const names = severalTexts("a name, or several")
const fieldPaths = severalTexts("a field of the visit, or several")

const pattern: Kind<string> = {
  shown: "a regular expression",
  schema: { type: "string" },
  read: (reader, entry, what) => {
    const text = reader.text(entry, what)
    if (text === undefined) return undefined
    if (!isPattern(text)) {
      return reader.report("invalid-value", entry.value.span, `${what} must be a regular expression`)
    }
    if (slowPart(text) === undefined) return text
    return reader.report(
      "invalid-value",
      entry.value.span,
      `${what} can cut one text in many ways and take very long`
    )
  }
}

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(`^(?:${text})$`, "u").unicode
  } catch {
    return false
  }
}

export const validationKeys = declareKeys({
  mayBeNull: {
    kind: fieldPaths,
    otherwise: listedValues(defaultRuleSettings.mayBeNull),
    doc:
      "Fields that the service accepts as `null`, according to its operator. A mandatory one (§4.5 rule 7) that is missing is then a warning instead of an error, and a null in any other is not reported. Never null: `code`, `health_facility_code`, `patient_code` and `admitted_at`."
  },
  required: {
    kind: fieldPaths,
    otherwise: listedValues(defaultRuleSettings.required),
    doc: "Further fields without which a visit is not sent."
  },
  expected: {
    kind: fieldPaths,
    otherwise: listedValues(defaultRuleSettings.expected),
    doc: "Fields that are a warning if they are missing. If every patient has a card, add `patient.identifications`."
  },
  codePattern: {
    kind: pattern,
    otherwise: listedValues([defaultRuleSettings.codePattern]),
    doc: "What the codes of visits, patients, and encounters look like. Others are a warning."
  },
  maxLength: {
    kind: count(1),
    otherwise: listedValues([String(defaultRuleSettings.maxLength)]),
    doc: "Codes, names, and titles that are longer are a warning. Nothing is ever cut off."
  },
  maxBytes: {
    kind: count(1),
    otherwise: listedValues([String(defaultRuleSettings.maxBytes)]),
    doc: "A larger visit is a warning. A visit is never split."
  },
  historyNames: {
    kind: names,
    otherwise: listedValues(defaultRuleSettings.historyNames),
    doc: "Names in addition to those of §2.6 that are not reported; `\"*\"` is any."
  },
  examinationNames: {
    kind: names,
    otherwise: listedValues(defaultRuleSettings.examinationNames),
    doc: "The same for physical examinations."
  },
  currencies: {
    kind: names,
    otherwise: "that of the first invoice",
    doc:
      "The currencies that invoices may be in, if their records state one. An invoice in another is an error, because nothing is ever converted."
  },
  invoiceTolerance: {
    kind: amount(0),
    otherwise: listedValues([String(defaultRuleSettings.invoiceTolerance)]),
    doc: "The largest difference between the `total` of an invoice and the sum of its lines."
  },
  medicinePrice: {
    kind: oneWord(medicinePrices),
    otherwise: listedValues([defaultRuleSettings.medicinePrice]),
    doc: "Whether the price of a medicine in an invoice is that of one piece, of the line, or of either."
  },
  transferDischargeTypes: {
    kind: names,
    otherwise: listedValues(defaultRuleSettings.transferDischargeTypes),
    doc: "Discharge types that mean a transfer, which needs a referral (§4.5 rule 6)."
  },
  referralAdmissionTypes: {
    kind: names,
    otherwise: listedValues(defaultRuleSettings.referralAdmissionTypes),
    doc: "Admission types that mean that another facility referred the patient."
  },
  deceasedValues: {
    kind: names,
    otherwise: listedValues(defaultRuleSettings.deceasedValues),
    doc: "Discharge types and outcomes that mean that the patient died."
  },
  inpatientVisitTypes: {
    kind: names,
    otherwise: listedValues(defaultRuleSettings.inpatientVisitTypes),
    doc: "Visit types of an inpatient stay."
  },
  primaryDiagnosisTypes: {
    kind: names,
    otherwise: listedValues(defaultRuleSettings.primaryDiagnosisTypes),
    doc: "Types of a primary diagnosis."
  },
  schemePaymentTypes: {
    kind: names,
    otherwise: listedValues(defaultRuleSettings.schemePaymentTypes),
    doc: "Payment types of a scheme whose members have a card."
  },
  levels: {
    kind: mapByName("a level by problem code", { enum: [...levelNames, false] }, {
      propertyNames: { enum: adjustable }
    }),
    doc:
      "The severity of a problem. A warning of a visit that is raised to `error` rejects the visit; one of a record, a table or the whole run does not, and the run ends with exit code 1. `off` ignores it. Of the errors, only `missing-content`, `foreign-diagnosis`, `mostly-unused`, `incomplete-visit`, `duplicate-record`, `outside-visit`, `test-data` and `restricted-record` can be lowered.",
    example: "levels: {primary-diagnosis: error, outside-visit: off}"
  }
})
