import type { Bundle, BundleEntry } from "fhir/r4.d.ts"
import type { Visit } from "../../visit/Visit.ts"
import { BundleWriter } from "./BundleWriter.ts"
import { base } from "./Names.ts"
import { normalize } from "./normalize.ts"
import { writeDiagnoses } from "./writeDiagnoses.ts"
import { writeEncounters } from "./writeEncounters.ts"
import { writeExaminations, writeHistories } from "./writeHistories.ts"
import { writeImageries } from "./writeImageries.ts"
import { writeInvoices } from "./writeInvoices.ts"
import { writeLaboratories } from "./writeLaboratories.ts"
import { writeConsultations, writeProgressNotes, writeSoaps } from "./writeNotes.ts"
import { writePatient } from "./writePatient.ts"
import { writePrescriptions } from "./writePrescriptions.ts"
import { writeReferral } from "./writeReferral.ts"
import { writeSurgeries } from "./writeSurgeries.ts"
import { writeTriages, writeVitalSigns } from "./writeVitalSigns.ts"

export interface ToFhirOptions {
  /** `transaction`, which a server stores resource by resource (the default), or `collection`. */
  readonly type?: "transaction" | "collection"
  /** The address the resources would have on a server, for `fullUrl`; references are relative to it. */
  readonly server?: string
  /** ISO 4217 code for amounts; the specification names none, so none is written unless it is given. */
  readonly currency?: string
}

/**
 * A visit as a FHIR R4 Bundle (docs/canonical-fhir.md) that the base mapping `fhir-r4` turns into the same visit again. Every
 * field of §2.4 to §2.6 is in it; the same visit gives the same Bundle, ids included.
 */
export const toFhir = (from: Visit, options: ToFhirOptions = {}): Bundle => {
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
  writeInvoices(to, visit, options.currency)
  const { type = "transaction", server = base } = options
  return {
    resourceType: "Bundle",
    type,
    entry: to.resources.map((resource): BundleEntry => {
      const url = `${resource.resourceType}/${resource.id}`
      return {
        fullUrl: `${server}/${url}`,
        resource,
        ...(type === "transaction" ? { request: { method: "PUT", url } } : {})
      }
    })
  }
}
