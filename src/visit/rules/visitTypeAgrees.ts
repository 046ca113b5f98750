import { entriesOf, isOneOf, type Rule } from "./Rule.ts"

/** Checks that a visit of the inpatient type has an inpatient entry and vice versa, and that every visit has a main encounter. */
export const visitTypeAgrees: Rule = (visit, settings, report) => {
  const inpatients = entriesOf(visit, "inpatients").length
  const isInpatient = isOneOf(visit, "visit_type", settings.inpatientVisitTypes)
  if (isInpatient && inpatients === 0) {
    report({
      code: "contradiction",
      severity: "warning",
      path: ["inpatients"],
      title: "`visit_type` states that this is an inpatient stay, and `inpatients` is empty"
    })
  }
  if (!isInpatient && inpatients > 0 && typeof visit.visit_type === "string") {
    report({
      code: "contradiction",
      severity: "warning",
      path: ["visit_type"],
      title: "there are `inpatients`, and `visit_type` does not state that this is an inpatient stay"
    })
  }
  if (
    !isInpatient && inpatients + entriesOf(visit, "outpatients").length + entriesOf(visit, "emergencies").length === 0
  ) {
    report({
      code: "contradiction",
      severity: "warning",
      path: ["outpatients"],
      title: "the visit has no outpatient, inpatient or emergency entry"
    })
  }
}
