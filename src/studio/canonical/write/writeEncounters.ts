import type { Extension } from "fhir/r4.d.ts"
import type { Visit } from "../../../visit/Visit.ts"
import {
  dateTime,
  extension,
  keptAt,
  missing,
  noElement,
  nonEmptyList,
  optionalMember,
  periodOf,
  row,
  stated,
  words
} from "../Elements.ts"
import {
  admissionTypes,
  coded,
  dischargeTypes,
  encounterClasses,
  naming,
  terminology,
  visitClasses,
  visitOutcomes
} from "../Names.ts"
import type { BundleWriter } from "./BundleWriter.ts"

/** The visit as the Encounter at the top (§2.4), and its outpatient, inpatient and emergency entries as parts of it (§2.6). */
export const writeEncounters = (to: BundleWriter, visit: Visit): void => {
  const extensions: Array<Extension> = [row("visit", 0), ...keptAt(visit)]
  const known = <A>(values: ReadonlyMap<string, A>, field: string, value: string | null): A | undefined => {
    const found = value === null ? undefined : values.get(value)
    if (found === undefined && value !== null) extensions.push(stated(`visit.${field}`, value))
    return found
  }
  const admission = known(admissionTypes, "admission_type", visit.admission_type)
  const discharge = known(dischargeTypes, "discharge_type", visit.discharge_type)
  const outcome = known(visitOutcomes, "visit_outcome", visit.visit_outcome)
  const kind = known(visitClasses, "visit_type", visit.visit_type)
  // The mapping reads a visit with a stay as one of an inpatient, whatever the class of its Encounter.
  const readAsInpatient = visit.inpatients.length > 0 && kind?.code !== encounterClasses.inpatients.code
  if (readAsInpatient && kind !== undefined) extensions.push(stated("visit.visit_type", visit.visit_type))
  extensions.push(...missing("visit", { visit_outcome: visit.visit_outcome, visit_type: visit.visit_type }))
  if (outcome !== undefined) extensions.push(extension("visit-outcome", { valueCodeableConcept: coded(outcome) }))
  if (visit.followup_at === null) extensions.push(noElement("visit.followup_at"))
  else extensions.push(extension("followup-at", { valueDateTime: dateTime(visit.followup_at) }))
  const stay = periodOf(visit.admitted_at, visit.discharged_at, "visit.discharged_at")
  extensions.push(...stay.extensions)
  const ranked = visit.diagnosis.flatMap(({ diagnosis_type_name: type }, index) =>
    type === "Primary" || type === "Secondary"
      ? [{
        condition: { reference: `Condition/${to.id("diagnosis", index + 1)}` },
        rank: type === "Primary" ? 1 : 2
      }]
      : []
  )
  to.root = to.add({
    resourceType: "Encounter",
    id: to.id("visit"),
    ...nonEmptyList("extension", extensions),
    identifier: [{ use: "official", system: naming("visit-code"), value: visit.code }],
    status: "finished",
    class: kind ?? encounterClasses.outpatients,
    ...optionalMember("type", admission, (code) => [coded(code)]),
    subject: to.patient,
    period: stay.period,
    ...nonEmptyList("diagnosis", ranked),
    ...optionalMember("hospitalization", discharge, (code) => ({ dischargeDisposition: coded(code) })),
    serviceProvider: to.organization({
      identifier: [{ use: "official", system: naming("health-facility"), value: visit.health_facility_code }]
    })
  })
  for (const list of ["outpatients", "inpatients", "emergencies"] as const) {
    visit[list].forEach((encounter, index) => writeEncounter(to, list, encounter, index))
  }
}

const writeEncounter = (
  to: BundleWriter,
  list: "outpatients" | "inpatients" | "emergencies",
  encounter: Visit["outpatients"][number],
  index: number
): void => {
  const { name, service_type, encountered_by, title } = encounter
  const lasted = periodOf(encounter.started_at, encounter.ended_at, `${list}.ended_at`)
  const extensions = [
    row(list, index),
    ...keptAt(encounter),
    // If name or service is missing, the other is its substitute.
    ...missing(list, { name, service_type }),
    ...lasted.extensions
  ]
  const reference = to.add({
    resourceType: "Encounter",
    id: to.id(list, index + 1),
    ...nonEmptyList("extension", extensions),
    identifier: [{ use: "official", system: naming("encounter-code"), value: encounter.code }],
    status: "finished",
    class: encounterClasses[list],
    ...optionalMember("type", name, (text) => [words(text)]),
    ...optionalMember("serviceType", service_type, words),
    subject: to.patient,
    ...optionalMember("participant", to.person(encountered_by, title), (individual) => [{
      type: [coded({ system: `${terminology}/v3-ParticipationType`, code: "ATND" })],
      individual
    }]),
    period: lasted.period,
    ...nonEmptyList("reasonCode", (encounter.symptoms ?? []).map(words)),
    partOf: to.root
  })
  to.encounter(encounter.code, reference)
}
