import { entriesOf, isOneOf, type Rule } from "./Rule.ts"

/** Checks that a visit has exactly one primary diagnosis. */
export const onePrimaryDiagnosis: Rule = (visit, settings, report) => {
  if (!Array.isArray(visit.diagnosis)) return
  const primary = entriesOf(visit, "diagnosis").flatMap((entry, index) =>
    isOneOf(entry, "diagnosis_type_name", settings.primaryDiagnosisTypes) ? [index] : []
  )
  if (primary.length === 1) return
  const [, second] = primary
  report({
    code: "primary-diagnosis",
    severity: "warning",
    path: second === undefined ? ["diagnosis"] : ["diagnosis", second, "diagnosis_type_name"],
    title: primary.length === 0
      ? "the visit has no primary diagnosis"
      : `the visit has ${primary.length} primary diagnoses`
  })
}
