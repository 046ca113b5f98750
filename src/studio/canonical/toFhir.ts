import type { Bundle, BundleEntry } from "fhir/r4.d.ts"
import type { Visit } from "../../visit/Visit.ts"
import { base } from "./Names.ts"
import { normalize } from "./normalize.ts"
import { BundleWriter } from "./write/BundleWriter.ts"
import { writeDiagnoses } from "./write/writeDiagnoses.ts"
import { writeEncounters } from "./write/writeEncounters.ts"
import { writeExaminations, writeHistories } from "./write/writeHistories.ts"
import { writeImageries } from "./write/writeImageries.ts"
import { writeInvoices } from "./write/writeInvoices.ts"
import { writeLaboratories } from "./write/writeLaboratories.ts"
import { writeConsultations, writeProgressNotes, writeSoaps } from "./write/writeNotes.ts"
import { writePatient } from "./write/writePatient.ts"
import { writePrescriptions } from "./write/writePrescriptions.ts"
import { writeReferral } from "./write/writeReferral.ts"
import { writeSurgeries } from "./write/writeSurgeries.ts"
import { writeTriages, writeVitalSigns } from "./write/writeVitalSigns.ts"

/**
 * A visit as a FHIR R4 transaction Bundle (docs/canonical-fhir.md) that the base mapping `fhir-r4` turns into the same visit again. Every
 * field of §2.4 to §2.6 is in it; the same visit gives the same Bundle, ids included.
 */
export const toFhir = (from: Visit): Bundle => {
  const visit = normalize(from)
  const to = new BundleWriter(visit.health_facility_code, visit.code)
  writePatient(to, visit)
  writeEncounters(to, visit)
  writeTriages(to, visit)
  writeVitalSigns(to, visit)
  writeHistories(to, visit)
  writeExaminations(to, visit)
  writeSurgeries(to, visit)
  writeProgressNotes(to, visit)
  writeSoaps(to, visit)
  writeLaboratories(to, visit)
  writeImageries(to, visit)
  writeDiagnoses(to, visit)
  writeConsultations(to, visit)
  writePrescriptions(to, visit)
  writeReferral(to, visit)
  writeInvoices(to, visit)
  return {
    resourceType: "Bundle",
    type: "transaction",
    entry: to.resources.map((resource): BundleEntry => {
      const url = `${resource.resourceType}/${resource.id}`
      return { fullUrl: `${base}/${url}`, resource, request: { method: "PUT", url } }
    })
  }
}
