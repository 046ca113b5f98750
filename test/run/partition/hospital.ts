import fc from "fast-check"
import { json, maybe, record, reference } from "./world.ts"

const doctor = reference("Practitioner", "PractitionerRole")

/** A modifier that no mapping understands: the record must not be used. */
const doubted = maybe(fc.constantFrom([{ url: "http://example.org/not-this-one", valueBoolean: true }], undefined))

/** Records of no patient, which refer to each other. Some occur several times with different contents. */
const sharedRecord = fc.oneof(
  record("Practitioner", {
    name: fc.constantFrom([{ family: "Example", prefix: ["Dr"] }], [{ family: "Other", given: ["Ann"] }]),
    modifierExtension: doubted,
    qualification: maybe(fc.constant([{ code: { text: "Nurse" } }]))
  }),
  record("PractitionerRole", {
    practitioner: fc.oneof(reference("Practitioner"), fc.constant({ reference: "#inside" })),
    contained: fc.constantFrom(
      [{ resourceType: "Practitioner", id: "inside", name: [{ family: "Inside" }] }],
      [{ resourceType: "Practitioner", id: "inside", name: [{ family: "Nested" }], generalPractitioner: "#" }]
    ),
    organization: maybe(reference("Organization")),
    code: fc.constant([{ text: "Nurse" }])
  }),
  record("Organization", { name: fc.constantFrom("Clinic", "Ward"), partOf: maybe(reference("Organization")) }),
  record("Location", {
    name: fc.constant("Room"),
    status: fc.constantFrom("active", "closed-for-ever"),
    managingOrganization: reference("Organization")
  }),
  record("Medication", {
    code: fc.constantFrom({ text: "aspirin" }, { coding: [{ system: "urn:example:drugs", code: "A-1" }] }),
    modifierExtension: doubted,
    manufacturer: maybe(reference("Organization"))
  })
)

/** What one patient of a hospital has: all of it refers to shared records. */
const patient = (id: string) => {
  const subject = { reference: `Patient/p${id}` }
  const encounter = { reference: `Encounter/e${id}` }
  const day = `2026-03-0${id}`
  return fc.record({
    doctors: fc.array(doctor, { minLength: 1, maxLength: 2 }),
    general: maybe(fc.tuple(doctor)),
    clinic: maybe(reference("Organization")),
    room: maybe(reference("Location")),
    drug: reference("Medication"),
    requester: maybe(doctor),
    performer: maybe(fc.tuple(doctor)),
    hasSubject: fc.boolean()
  }).map(({ clinic, doctors, drug, general, hasSubject, performer, requester, room }) => [
    {
      resourceType: "Patient",
      id: `p${id}`,
      name: [{ family: "Example", given: ["Ann"] }],
      generalPractitioner: general,
      managingOrganization: clinic
    },
    {
      resourceType: "Encounter",
      id: `e${id}`,
      status: "finished",
      class: { code: "AMB" },
      subject,
      participant: doctors.map((individual) => ({ individual })),
      period: { start: `${day}T08:00:00+07:00`, end: `${day}T09:00:00+07:00` },
      serviceProvider: clinic,
      location: room === undefined ? undefined : [{ location: room }]
    },
    {
      resourceType: "Observation",
      id: `o${id}`,
      status: "final",
      category: [{ coding: [{ code: "vital-signs" }] }],
      code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
      subject: hasSubject ? subject : undefined,
      encounter,
      effectiveDateTime: `${day}T08:10:00+07:00`,
      performer,
      valueQuantity: { value: 71.5, code: "/min" }
    },
    {
      resourceType: "MedicationRequest",
      id: `m${id}`,
      status: "completed",
      intent: "order",
      subject,
      encounter,
      medicationReference: drug,
      requester,
      authoredOn: `${day}T08:20:00+07:00`
    }
  ])
}

/** A hospital whose patients have doctors, clinics, rooms, and drugs in common. */
export const hospital: fc.Arbitrary<ReadonlyMap<string, string>> = fc.tuple(
  fc.array(sharedRecord, { minLength: 4, maxLength: 16 }),
  fc.tuple(...["1", "2", "3", "4", "5"].map(patient))
).map(([shared, patients]) =>
  new Map(
    Object.entries({ "shared.ndjson": shared, "patients.ndjson": patients.flat() }).map(([name, records]) => [
      name,
      records.map((one) => `${json(one)}\n`).join("")
    ])
  )
)
