import type { Extension, Reference } from "fhir/r4.d.ts"
import type { Visit } from "../../../visit/Visit.ts"
import {
  conceptExtension,
  dateTime,
  extension,
  missing,
  noElement,
  optionalMember,
  row,
  textExtension,
  words
} from "../Elements.ts"
import { coded, naming, snomed } from "../Names.ts"
import { type BundleWriter, recordCode } from "./BundleWriter.ts"

/** The referral (§2.6): a ServiceRequest to the other facility, and a Task for its answer. */
export const writeReferral = (to: BundleWriter, visit: Visit): void => {
  if (visit.referrals === null) return
  const { referred_from, referred_to } = visit.referrals
  const extensions: Array<Extension> = [row("referrals", 0)]
  if (referred_from !== null) {
    // Its structure is not in the specification; FHIR has no type for an object of any shape.
    extensions.push(extension("referred-from", { valueString: JSON.stringify(referred_from) }))
  }
  const common = {
    resourceType: "ServiceRequest" as const,
    id: to.id("referral"),
    extension: extensions,
    status: "active" as const,
    intent: "order" as const,
    category: [coded({ system: snomed, code: "3457005", display: "Patient referral" })],
    subject: to.patient,
    encounter: to.root
  }
  if (referred_to === null) {
    extensions.push(noElement("referrals.referred_to"))
    to.add(common)
    return
  }
  const { caretaker_name, caretaker_phone, has_called, health_facility: facility, medications, transportation } =
    referred_to
  extensions.push(...missing("referred_to", { caretaker_name, caretaker_phone, has_called }))
  extensions.push(
    ...conceptExtension("transportation", transportation),
    ...(has_called === null ? [] : [extension("has-called", { valueBoolean: has_called })]),
    ...textExtension("medications", medications)
  )
  const caretaker: Reference | undefined = caretaker_name === null && caretaker_phone === null ? undefined : to.add({
    resourceType: "RelatedPerson",
    id: to.id("caretaker"),
    patient: to.patient,
    ...optionalMember("name", caretaker_name, (text) => [{ text }]),
    ...optionalMember("telecom", caretaker_phone, (value) => [{ system: "phone" as const, value }])
  })
  const request = to.add({
    ...common,
    identifier: [recordCode(referred_to.code)],
    requisition: { value: referred_to.referral_number },
    authoredOn: dateTime(referred_to.referred_at),
    ...optionalMember("requester", to.person(referred_to.referred_by, null, referred_to.referred_by_phone)),
    performer: [
      to.organization({
        identifier: [{ system: naming("health-facility"), value: facility.code }],
        name: facility.name,
        ...optionalMember("alias", facility.label, (text) => [text]),
        ...optionalMember("type", facility.type, (text) => [words(text)])
      })
    ],
    ...optionalMember("reasonCode", referred_to.reason, (text) => [words(text)]),
    ...optionalMember("supportingInfo", caretaker, (one) => [one])
  })
  if (referred_to.received_by !== null || referred_to.received_at !== null) {
    to.add({
      resourceType: "Task",
      id: to.id("referral", "task"),
      status: referred_to.received_at === null ? "accepted" : "completed",
      intent: "order",
      focus: request,
      for: to.patient,
      encounter: to.root,
      ...optionalMember("executionPeriod", referred_to.received_at, (start) => ({ start: dateTime(start) })),
      ...optionalMember("owner", to.person(referred_to.received_by, null))
    })
  }
}
