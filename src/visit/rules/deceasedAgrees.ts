import { instantAt, isOneOf, partOf, type Rule } from "./Rule.ts"

/**
 * Returns true if a death is the beginning of the admission day. A death known only by day is sent as the beginning of that day, so it is
 * not before later events of that day.
 */
const isOfSameDay = (death: unknown, admission: unknown): boolean =>
  typeof death === "string" && typeof admission === "string" && /T00:00:00\.000/u.test(death) &&
  death.slice(0, 10) === admission.slice(0, 10)

/** Checks that the discharge type, the visit outcome and the time of death agree. */
export const deceasedAgrees: Rule = (visit, settings, report) => {
  const contradiction = (path: ReadonlyArray<string>, title: string): void =>
    report({ code: "contradiction", severity: "warning", path, title })
  const discharged = isOneOf(visit, "discharge_type", settings.deceasedValues)
  const outcome = isOneOf(visit, "visit_outcome", settings.deceasedValues)
  const patient = partOf(visit, "patient")
  const death = instantAt(patient, "death_at")
  if (discharged && !outcome && typeof visit.visit_outcome === "string") {
    contradiction(["visit_outcome"], "`discharge_type` states that the patient died, and `visit_outcome` does not")
  }
  if (outcome && !discharged && typeof visit.discharge_type === "string") {
    contradiction(["discharge_type"], "`visit_outcome` states that the patient died, and `discharge_type` does not")
  }
  if ((discharged || outcome) && patient.death_at === null) {
    contradiction(["patient", "death_at"], "the visit states that the patient died, and `death_at` is null")
  }
  if (death < instantAt(visit, "admitted_at") && !isOfSameDay(patient.death_at, visit.admitted_at)) {
    contradiction(["patient", "death_at"], "`death_at` is before the visit's `admitted_at`")
  } else if (!discharged && !outcome && death <= instantAt(visit, "discharged_at")) {
    contradiction(
      ["patient", "death_at"],
      "`death_at` lies in the visit, and neither `discharge_type` nor `visit_outcome` states that the patient died"
    )
  }
}
