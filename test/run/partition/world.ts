import fc from "fast-check"

export type Json = Readonly<Record<string, unknown>>

const ids = fc.constantFrom("1", "2", "3", "17")
const days = fc.constantFrom(
  "2026-03-01T08:00:00+07:00",
  "2026-03-01T11:30:00+07:00",
  "2026-03-02",
  "2026-03-04T09:00:00Z"
)
export const maybe = <A>(of: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> => fc.option(of, { nil: undefined })

/** A reference to one of a few records, in any notation, sometimes dangling. */
export const reference = (...types: ReadonlyArray<string>): fc.Arbitrary<Json> =>
  fc.tuple(fc.constantFrom(...types), fc.oneof(ids, ids, fc.constant("nobody")), fc.nat(6)).map(([type, id, way]) => {
    switch (way) {
      case 0:
        return { reference: `urn:uuid:${type.toLowerCase()}-${id}` }
      case 1:
        return { reference: `http://one.example/fhir/${type}/${id}` }
      case 2:
        return { type, identifier: { system: "urn:example:numbers", value: `${type}-${id}` } }
      case 3:
        return { reference: `${type}?identifier=urn:example:numbers|${type}-${id}` }
      case 4:
        return { reference: `${type}/${id}/_history/2` }
      default:
        return { reference: `${type}/${id}` }
    }
  })

export const record = (type: string, elements: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Json> =>
  fc.tuple(fc.record(elements), maybe(ids), fc.boolean(), maybe(fc.constantFrom("1", "2"))).map((
    [rest, id, named, versionId]
  ) => ({
    resourceType: type,
    ...(id === undefined ? {} : { id }),
    ...(versionId === undefined ? {} : { meta: { versionId } }),
    ...(named && id !== undefined ? { identifier: [{ system: "urn:example:numbers", value: `${type}-${id}` }] } : {}),
    ...rest
  }))

const period = days.map((start) => ({ start }))
export const anyRecord: fc.Arbitrary<Json> = fc.oneof(
  record("Patient", {
    name: fc.constant([{ family: "Example", given: ["Ann"] }]),
    generalPractitioner: maybe(fc.tuple(reference("Practitioner")))
  }),
  record("Practitioner", { name: fc.constant([{ family: "Example", prefix: ["Dr"] }]) }),
  record("PractitionerRole", { practitioner: reference("Practitioner"), code: fc.constant([{ text: "Nurse" }]) }),
  record("Encounter", {
    status: fc.constantFrom("finished", "finished", "cancelled"),
    class: fc.constant({ code: "AMB" }),
    subject: reference("Patient"),
    period,
    partOf: maybe(reference("Encounter")),
    account: maybe(fc.tuple(reference("Account"))),
    diagnosis: maybe(fc.tuple(fc.record({ condition: reference("Condition") })))
  }),
  record("Encounter", {
    status: fc.constant("finished"),
    class: fc.constant({ code: "AMB" }),
    subject: reference("Patient"),
    period
  }),
  record("Observation", {
    status: fc.constant("final"),
    code: fc.constant({ coding: [{ system: "http://loinc.org", code: "8867-4" }] }),
    subject: reference("Patient"),
    encounter: maybe(reference("Encounter")),
    effectiveDateTime: days,
    performer: maybe(fc.tuple(reference("Practitioner", "PractitionerRole"))),
    hasMember: maybe(fc.tuple(reference("Observation"))),
    valueQuantity: fc.constantFrom({ value: 70, code: "/min" }, { value: 71.5, code: "/min" })
  }),
  record("Condition", {
    subject: reference("Patient"),
    encounter: maybe(reference("Encounter")),
    recordedDate: days,
    code: fc.constant({ text: "cough" })
  }),
  record("DiagnosticReport", {
    status: fc.constant("final"),
    code: fc.constant({ text: "blood count" }),
    subject: reference("Patient"),
    encounter: maybe(reference("Encounter")),
    result: fc.array(reference("Observation"), { maxLength: 2 })
  }),
  record("Procedure", {
    status: fc.constant("completed"),
    code: fc.constant({ text: "suture" }),
    subject: reference("Patient"),
    encounter: maybe(reference("Encounter")),
    report: maybe(fc.tuple(reference("DiagnosticReport"))),
    complicationDetail: maybe(fc.tuple(reference("Condition")))
  }),
  record("AllergyIntolerance", { patient: reference("Patient"), code: fc.constant({ text: "dust" }) }),
  record("Provenance", {
    target: fc.array(reference("Observation", "Encounter"), { minLength: 1, maxLength: 3 }),
    agent: fc.tuple(fc.record({ who: reference("Practitioner") }))
  }),
  // No line of the base mapping reads it, and yet it has facts of a visit.
  record("Flag", {
    status: fc.constant("active"),
    code: fc.constant({ text: "fall risk" }),
    subject: reference("Patient"),
    encounter: maybe(reference("Encounter"))
  }),
  record("Account", { subject: fc.tuple(reference("Patient")), coverage: fc.constant([]) }),
  record("Composition", { encounter: reference("Encounter"), subject: reference("Patient") })
)

export const json = (value: unknown): string =>
  // Some numbers keep their digits.
  JSON.stringify(value).replaceAll("71.5", "71.50")

const entry = (resource: Json, way: number): Json => {
  const name = typeof resource.id === "string" ? resource.id : "x"
  const type = String(resource.resourceType)
  if (way === 0 && typeof resource.id === "string") {
    return { request: { method: "DELETE", url: `${type}/${name}` } }
  }
  return way < 3
    ? { fullUrl: `urn:uuid:${type.toLowerCase()}-${name}`, resource }
    : way < 5
    ? { fullUrl: `http://${way === 3 ? "one" : "other"}.example/fhir/${type}/${name}`, resource }
    : { resource }
}

const lines = fc.array(anyRecord, { minLength: 1, maxLength: 30 }).map((records) => records.map(json).join("\n"))
const bundle = fc.tuple(
  fc.constantFrom("document", "transaction", "history", "searchset"),
  fc.array(fc.tuple(anyRecord, fc.nat(8)), { minLength: 1, maxLength: 12 })
).map(([type, entries]) =>
  json({ resourceType: "Bundle", type, entry: entries.map(([resource, way]) => entry(resource, way)) })
)

/** A few files of records, some of them duplicates. */
export const world: fc.Arbitrary<ReadonlyMap<string, string>> = fc.tuple(
  fc.array(lines, { minLength: 1, maxLength: 2 }),
  fc.array(bundle, { maxLength: 3 }),
  fc.boolean()
).map(([plain, bundles, twice]) =>
  new Map([
    ...plain.map((text, index) => [`records-${index}.ndjson`, `${text}\n`] as const),
    ...bundles.map((text, index) => [`bundle-${index}.json`, text] as const),
    ...plain.slice(0, twice ? 1 : 0).map((text) => ["again.ndjson", `${text}\n`] as const)
  ])
)
