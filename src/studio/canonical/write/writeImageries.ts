import type { Extension } from "fhir/r4.d.ts"
import type { Visit } from "../../../visit/Visit.ts"
import {
  dateTime,
  extension,
  missing,
  noElement,
  nonEmptyList,
  optionalMember,
  partOfRow,
  row,
  stated,
  textExtension,
  words
} from "../Elements.ts"
import { coded, loinc, snomed, terminology } from "../Names.ts"
import { type BundleWriter, recordCode } from "./BundleWriter.ts"

type Result = Visit["imageries"][number]["results"][number]

/** Imageries (§2.6): a ServiceRequest and a DiagnosticReport for each result. */
export const writeImageries = (to: BundleWriter, visit: Visit): void => {
  visit.imageries.forEach((imagery, index) => {
    const { collected_by, requested_by, title } = imagery
    const extensions = [
      row("imageries", index),
      extension("collected-at", { valueDateTime: dateTime(imagery.collected_at) }),
      ...textExtension("collected-by", collected_by),
      ...missing("imageries", { collected_by, requested_by, title })
    ]
    const encounter = to.within("imageries", imagery.encounter_code, extensions)
    const order = to.add({
      resourceType: "ServiceRequest",
      id: to.id("imagery", index + 1, "request"),
      extension: [row("imageries", index)],
      identifier: [recordCode(imagery.request_code)],
      status: "completed",
      intent: "order",
      category: [coded({ system: snomed, code: "363679005", display: "Imaging" })],
      subject: to.patient,
      encounter,
      authoredOn: dateTime(imagery.requested_at),
      ...optionalMember("requester", to.person(requested_by, title))
    })
    const report = (result: Result | null, at: number, more: ReadonlyArray<Extension>): void => {
      const images = result?.images ?? []
      const areAttachments = areUrls(images)
      to.add({
        resourceType: "DiagnosticReport",
        id: to.id("imagery", index + 1, "report", at + 1),
        extension: [
          ...extensions,
          partOfRow("imageries", at),
          ...more,
          ...(areAttachments ? [] : images.map((image) => stated("results.images", image)))
        ],
        basedOn: [order],
        status: "final",
        category: [
          coded({ system: `${terminology}/v2-0074`, code: "RAD", display: "Radiology" }, result?.category ?? undefined)
        ],
        code: result?.name == null
          ? coded({ system: loinc, code: "18748-4", display: "Diagnostic imaging study" })
          : words(result.name),
        subject: to.patient,
        encounter,
        ...(result === null ? {} : {
          effectiveDateTime: dateTime(result.recorded_at),
          issued: dateTime(result.verified_at),
          ...optionalMember("performer", to.person(result.recorded_by, null), (one) => [one]),
          ...optionalMember("resultsInterpreter", to.person(result.verified_by, null), (one) => [one]),
          ...optionalMember("conclusion", result.conclusion),
          ...nonEmptyList("presentedForm", areAttachments ? images.map((url) => ({ url })) : [])
        })
      })
    }
    if (imagery.results.length === 0) report(null, 0, [noElement("imageries.results")])
    imagery.results.forEach((result, at) => {
      const { category, name, result: text, verified_by } = result
      report(result, at, [
        ...missing("results", { category, name, verified_by }),
        ...textExtension("imaging-result", text)
      ])
    })
  })
}

/** Whether locations fit into Attachment.url: no white space, and no duplicates, because equal ones are read as one. */
const areUrls = (images: ReadonlyArray<string>): boolean =>
  new Set(images).size === images.length && images.every((image) => /^\S+$/u.test(image))
