import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { jsonListOf } from "../../src/json/JsonObject.ts"
import type { Json } from "../run/smallRecords.ts"
import { encounter, patient, visitOf } from "./visitOf.ts"

const extensions = "https://fhir2visit.example/fhir/StructureDefinition/"
const medications = "https://fhir2visit.example/fhir/CodeSystem/medications"

const to = (reference: string): Json => ({ reference })
const own = { subject: to("Patient/p1"), encounter: to("Encounter/e1") }
const at = (minute: string): string => `2026-03-02T08:${minute}:00+07:00`

const report = (id: string, kind: string, more: Json): Json => ({
  resourceType: "DiagnosticReport",
  id,
  status: "final",
  ...own,
  category: [{ coding: [{ code: kind }] }],
  code: { text: id },
  effectiveDateTime: at("10"),
  issued: at("20"),
  conclusion: "Clear",
  ...more
})

const observation = (id: string): Json => ({
  resourceType: "Observation",
  id,
  status: "final",
  ...own,
  code: { text: id },
  valueString: "Clear"
})

const study: Json = { resourceType: "ImagingStudy", id: "s", status: "available", ...own, started: at("05") }

const order = (...values: ReadonlyArray<string>): Json => ({
  resourceType: "ServiceRequest",
  id: "q",
  status: "active",
  ...own,
  authoredOn: at("01"),
  identifier: values.map((value) => ({ value }))
})

const medicine = { medicationCodeableConcept: { coding: [{ system: medications, code: "M1" }], text: "Medicine" } }

const request = (more: Json): Json => ({
  resourceType: "MedicationRequest",
  id: "m",
  status: "active",
  intent: "order",
  ...own,
  authoredOn: at("20"),
  ...medicine,
  ...more
})

const dispense: Json = {
  resourceType: "MedicationDispense",
  id: "d",
  status: "completed",
  subject: to("Patient/p1"),
  context: to("Encounter/e1"),
  whenHandedOver: at("30"),
  authorizingPrescription: [to("MedicationRequest/m")],
  ...medicine
}

const given: Json = {
  resourceType: "MedicationAdministration",
  id: "a",
  status: "completed",
  subject: to("Patient/p1"),
  context: to("Encounter/e1"),
  effectiveDateTime: at("30"),
  request: to("MedicationRequest/m"),
  ...medicine
}

const note = (period: Json): Json => ({
  resourceType: "DocumentReference",
  id: "n",
  status: "current",
  subject: to("Patient/p1"),
  type: { coding: [{ system: "http://loinc.org", code: "11506-3" }] },
  date: at("30"),
  context: { encounter: [to("Encounter/e1")], ...period }
})

const coverage = (...values: ReadonlyArray<string>): Json => ({
  resourceType: "Coverage",
  id: "c",
  status: "active",
  beneficiary: to("Patient/p1"),
  type: { text: "Scheme" },
  identifier: values.map((value) => ({ value }))
})

const condition = (system: string, ...codes: ReadonlyArray<string>): Json => ({
  resourceType: "Condition",
  id: "c",
  ...own,
  code: { coding: codes.map((code) => ({ system, code, display: code })), text: "Fever" }
})

const typed = (...texts: ReadonlyArray<string>): Json => ({ ...encounter, type: texts.map((text) => ({ text })) })

const charged = (quantity: number): Json => ({
  resourceType: "Claim",
  id: "l",
  status: "active",
  use: "claim",
  patient: to("Patient/p1"),
  created: at("40"),
  total: { value: 300 },
  item: [{
    sequence: 1,
    encounter: [to("Encounter/e1")],
    productOrService: { coding: [{ code: "S1" }], text: "Dressing" },
    quantity: { value: quantity },
    unitPrice: { value: 300 / quantity },
    net: { value: 300 }
  }]
})

const later = {
  ...encounter,
  id: "e2",
  period: { start: "2026-04-02T08:00:00+07:00", end: "2026-04-02T09:00:00+07:00" }
}

const invoice: Json = {
  resourceType: "Invoice",
  id: "i",
  status: "issued",
  subject: to("Patient/p1"),
  date: at("40"),
  extension: [{ url: `${extensions}encounter`, valueReference: to("Encounter/e1") }],
  lineItem: [{
    chargeItemReference: to("ChargeItem/h"),
    priceComponent: [{ type: "base", amount: { value: 5, currency: "KHR" } }]
  }]
}

const charge: Json = {
  resourceType: "ChargeItem",
  id: "h",
  status: "billable",
  subject: to("Patient/p1"),
  code: { coding: [{ code: "S1" }] }
}

const referral: Json = { ...order("1"), intent: "order", category: [{ coding: [{ code: "3457005" }] }] }

const caretaker = (...phones: ReadonlyArray<string>): Json => ({
  resourceType: "RelatedPerson",
  id: "t",
  patient: to("Patient/p1"),
  relationship: [{ coding: [{ code: "CAREGIVER" }] }],
  name: [{ text: "Caretaker Example" }],
  telecom: phones.map((value) => ({ system: "phone", value }))
})

const supplyOf = (code: string): Json => ({
  dispenseRequest: { expectedSupplyDuration: { value: 1, system: "http://unitsofmeasure.org", code } }
})

const pressure = (more: Json): Json => ({
  ...observation("b"),
  valueString: undefined,
  category: [{ coding: [{ code: "vital-signs" }] }],
  code: { coding: [{ system: "http://loinc.org", code: "85354-9" }] },
  component: ["8480-6", "8462-4"].map((code, at) => ({
    code: { coding: [{ system: "http://loinc.org", code }] },
    valueQuantity: { value: 100, system: "http://unitsofmeasure.org", code: "mm[Hg]" },
    ...(at === 0 ? more : {})
  }))
})

const takenInTheMorning = (frequency: number, unit: Json = { unit: "tablet" }): Json => ({
  dosageInstruction: [{
    timing: { repeat: { when: ["MORN"], frequency, period: 1, periodUnit: "d" } },
    doseAndRate: [{ doseQuantity: { value: 1, ...unit } }]
  }]
})

/** The visit of some records, with those that they refer to. */
const converted = (records: ReadonlyArray<Json>) => {
  const more = [observation("o"), study, order("1")].filter(({ id }) =>
    JSON.stringify(records).includes(`/${id}"`) && !records.some((one) => one.id === id)
  )
  const root = records.some(({ resourceType }) => resourceType === "Encounter") ? [] : [encounter]
  return visitOf([patient, ...root, ...records, ...more], claims)
}

const claims = "visit: {invoices: {unionAll: {claim: {enabled: true}}}}\n"

describe("The codes of a concept, and the identifiers of a record,", () => {
  const occupation = (path: string) => `visit: {patient: {occupation: {path: ${JSON.stringify(path)}}}}\n`
  const several = "warning too-many-values patient.occupation"
  const found = (path: string, more: Json) =>
    visitOf([{ ...patient, ...more }, encounter], occupation(path)).pipe(
      Effect.map(({ reported, visit }) => [visit.patient.occupation, reported.includes(several)])
    )
  const identifiers = (...all: ReadonlyArray<Json>) => ({
    identifier: [...jsonListOf(patient.identifier), ...all.map((one) => ({ system: "s", ...one }))]
  })
  const codes = (...all: ReadonlyArray<string>) => ({
    maritalStatus: { coding: all.map((code) => ({ system: "s", code })) }
  })

  it.effect("are reported if they are several", () =>
    Effect.gen(function*() {
      const path = "identifierIn('s')"
      assert.deepStrictEqual(yield* found(path, identifiers({ value: "1" }, { value: "2" })), ["1", true])
      assert.deepStrictEqual(yield* found(path, identifiers({ value: "1" }, { value: "1" })), ["1", false])
      const official = identifiers({ value: "1" }, { value: "2", use: "official" })
      assert.deepStrictEqual(yield* found(path, official), ["2", false])
      assert.deepStrictEqual(yield* found("maritalStatus.conceptCode('s')", codes("A", "B")), ["A", true])
      assert.deepStrictEqual(yield* found("maritalStatus.conceptCode('s')", codes("A", "A")), ["A", false])
    }))

  it.effect("are found without a system only if they have none", () =>
    Effect.gen(function*() {
      const path = "iif(maritalStatus.hasCode('|S http://x|S'), 'yes', 'no')"
      const of = (coding: Json) => found(path, { maritalStatus: { coding: [coding] } })
      assert.deepStrictEqual(yield* of({ code: "S" }), ["yes", false])
      assert.deepStrictEqual(yield* of({ system: "http://x", code: "S" }), ["yes", false])
      assert.deepStrictEqual(yield* of({ system: "http://y", code: "S" }), ["no", false])
    }))
})

describe("A patient whom another record replaces", () => {
  for (const way of ["replaces", "replaced-by"]) {
    it.effect(`keeps the visit from being sent, also if only that record states it: ${way}`, () =>
      Effect.gen(function*() {
        const [one, other] = [patient, { resourceType: "Patient", id: "p2" }]
        const linked = (to: Json) => ({ link: [{ type: way, other: { reference: `Patient/${to.id}` } }] })
        const records = way === "replaces" ? [one, { ...other, ...linked(one) }] : [{ ...one, ...linked(other) }, other]
        const { reported } = yield* visitOf([...records, encounter])
        assert.include(reported, way === "replaces" ? "error assumption patient" : "error no-patient undefined")
        const { reported: unrelated } = yield* visitOf([one, { ...other, link: [] }, encounter])
        assert.notInclude(unrelated, "error assumption patient")
      }))
  }
})

describe("A role of a diagnosis", () => {
  const withUse = (system: string | undefined) =>
    visitOf([
      patient,
      {
        ...encounter,
        diagnosis: [{
          condition: to("Condition/c"),
          use: { coding: [{ ...(system === undefined ? {} : { system }), code: "CC" }] }
        }]
      },
      condition("http://hl7.org/fhir/sid/icd-10", "A90")
    ])

  it.effect("is a chief complaint only in the code system of FHIR: elsewhere CC is a comorbidity", () =>
    Effect.gen(function*() {
      for (const system of [undefined, "http://terminology.hl7.org/CodeSystem/diagnosis-role"]) {
        const { visit } = yield* withUse(system)
        assert.deepStrictEqual([visit.diagnosis.length, visit.outpatients[0].symptoms], [0, ["Fever"]])
      }
      const { assumed, visit } = yield* withUse("http://hospital.example/drg")
      assert.deepStrictEqual([visit.diagnosis.length, visit.outpatients[0].symptoms], [1, []])
      assert.include(assumed, "unknown-use-is-secondary")
    }))
})

describe("The strength of a medicine", () => {
  it.effect("is that of its active ingredients", () =>
    Effect.gen(function*() {
      const ingredient = (value: number, more: Json) => ({
        itemCodeableConcept: { text: "Substance" },
        strength: { numerator: { value, unit: "mg" }, denominator: { value: 1, unit: "tablet" } },
        ...more
      })
      const { visit } = yield* visitOf([
        patient,
        encounter,
        request({ medicationCodeableConcept: undefined, medicationReference: to("Medication/x") }),
        {
          resourceType: "Medication",
          id: "x",
          code: { coding: [{ code: "M1" }], text: "Medicine" },
          ingredient: [ingredient(500, {}), ingredient(65, { isActive: true }), ingredient(30, { isActive: false })]
        }
      ])
      assert.strictEqual(
        visit.prescriptions[0].medications[0].strength,
        "Substance 500 mg/tablet + Substance 65 mg/tablet"
      )
    }))
})

describe("The facility of a referral", () => {
  const code = (...codes: ReadonlyArray<string>) =>
    visitOf([
      patient,
      encounter,
      { ...referral, performer: [to("Organization/o")] },
      {
        resourceType: "Organization",
        id: "o",
        name: "Hospital",
        identifier: codes.map((value) => ({
          system: "https://fhir2visit.example/fhir/NamingSystem/health-facility",
          value
        }))
      }
    ]).pipe(Effect.map(({ reported, visit }) => [
      visit.referrals.referred_to.health_facility.code,
      reported.filter((one) => one.endsWith("health_facility.code"))
    ]))

  it.effect("has one code, or is reported", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* code("HF1"), ["HF1", []])
      const several = ["warning too-many-values referrals.referred_to.health_facility.code"]
      assert.deepStrictEqual(yield* code("HF1", "HF2"), ["HF1", several])
    }))
})

describe("The unit of a dose", () => {
  const unitOf = (low: string, high: string) =>
    visitOf([
      patient,
      encounter,
      request({
        dosageInstruction: [{
          doseAndRate: [{ doseRange: { low: { value: 500, unit: low }, high: { value: 1, unit: high } } }]
        }]
      })
    ]).pipe(Effect.map(({ visit }) => visit.prescriptions[0].medications[0].unit))

  it.effect("is not that of one end of a range with two units", () =>
    Effect.gen(function*() {
      assert.isNull(yield* unitOf("mg", "g"))
      assert.strictEqual(yield* unitOf("mg", "mg"), "mg")
    }))
})

describe("A contact with a code of the hospital", () => {
  const caretaker = (relationship: Json) =>
    visitOf([
      { ...patient, contact: [{ relationship: [{ coding: [relationship] }], name: { text: "Sister Example" } }] },
      encounter,
      {
        ...order("1"),
        intent: "order",
        category: [{ coding: [{ code: "3457005" }] }],
        performer: [{ display: "Hospital" }]
      }
    ]).pipe(Effect.map(({ visit }) => visit.referrals.referred_to.caretaker_name))

  it.effect("is a relative, also if the code is that of an agency in HL7 v2", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* caretaker({ system: "http://hospital.example/relation", code: "S" }), "Sister Example")
      for (const system of ["http://terminology.hl7.org/CodeSystem/v2-0131", "http://hl7.org/fhir/v2/0131"]) {
        assert.isNull(yield* caretaker({ system, code: "S" }))
      }
      assert.isNull(yield* caretaker({ code: "S" }))
    }))
})

describe("Words that state a doubt, the past, or the absence of the patient,", () => {
  const diagnosis = (text: string): Json => ({
    resourceType: "Condition",
    id: "c",
    ...own,
    category: [{ coding: [{ code: "encounter-diagnosis" }] }],
    recordedDate: at("10"),
    code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code: "J18.9", display: "Pneumonia" }], text }
  })
  const typedAs = (text: string): Json => ({ ...encounter, type: [{ text }] })

  for (
    const text of [
      "Sospetta polmonite",
      "Probabile polmonite",
      "Pregressa polmonite",
      "Esiti di polmonite",
      "Antécédent de pneumonie",
      "Antecedentes de neumonía",
      "História de pneumonia"
    ]
  ) {
    it.effect(`are reported in a diagnosis: ${text}`, () =>
      Effect.gen(function*() {
        assert.include((yield* converted([diagnosis(text)])).assumed, "doubtful-diagnosis-is-certain")
      }))
  }

  for (const text of ["Telefonata", "Mancata presentazione", "Rinnovo della ricetta"]) {
    it.effect(`are reported in a type of an encounter: ${text}`, () =>
      Effect.gen(function*() {
        assert.include((yield* converted([typedAs(text)])).assumed, "encounter-without-patient-is-sent")
      }))
  }

  it.effect("are not found in other words", () =>
    Effect.gen(function*() {
      const { assumed } = yield* converted([typedAs("Visita"), diagnosis("Polmonite storica")])
      assert.notInclude(assumed, "doubtful-diagnosis-is-certain")
      assert.notInclude(assumed, "encounter-without-patient-is-sent")
    }))
})

describe("A procedure from long before the visit that recorded it", () => {
  const procedure = (more: Json): Json => ({
    resourceType: "Procedure",
    id: "d",
    status: "completed",
    ...own,
    code: { text: "Tonsillectomy" },
    performedDateTime: "2002",
    ...more
  })
  const decisions = ["operation-before-visit-is-history", "past-procedure-is-operation", "procedure-is-left-out"]

  for (
    const [what, record, assumption, histories] of [
      ["is history, without a category", procedure({}), "past-procedure-is-operation", 1],
      [
        "is history, if it is an operation",
        procedure({ category: { coding: [{ code: "387713003" }] } }),
        "operation-before-visit-is-history",
        1
      ],
      [
        "is reported as dropped, with another category",
        procedure({ category: { text: "Diagnostic" } }),
        "procedure-is-left-out",
        0
      ],
      ["is reported as dropped, if it was stopped", procedure({ status: "stopped" }), "procedure-is-left-out", 0]
    ] as const
  ) {
    it.effect(what, () =>
      Effect.gen(function*() {
        const { assumed, visit } = yield* visitOf([patient, encounter, record])
        assert.deepStrictEqual(visit.surgeries, [])
        assert.lengthOf(visit.medical_histories, histories)
        assert.deepStrictEqual(decisions.filter((name) => JSON.stringify(assumed).includes(name)), [assumption])
      }))
  }
})

describe("What is chosen among several, or sent in place of something else,", () => {
  const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<Json>, ReadonlyArray<Json>]> = [
    [
      "a finding of several imaging reports",
      "result-of-several-reports-is-sent-with-each",
      [
        report("r1", "RAD", { result: [to("Observation/o")] }),
        report("r2", "RAD", { result: [to("Observation/o")] })
      ],
      [report("r1", "RAD", { result: [to("Observation/o")] }), report("r2", "RAD", {})]
    ],
    [
      "a finding of an imaging report and a laboratory report",
      "result-of-several-reports-is-sent-with-each",
      [
        report("r1", "RAD", { result: [to("Observation/o")] }),
        report("r2", "LAB", { result: [to("Observation/o")] })
      ],
      [report("r1", "LAB", { result: [to("Observation/o")] }), report("r2", "LAB", {})]
    ],
    [
      "a study of several reports",
      "result-of-several-reports-is-sent-with-each",
      [
        report("r1", "RAD", { imagingStudy: [to("ImagingStudy/s")] }),
        report("r2", "RAD", { imagingStudy: [to("ImagingStudy/s")] })
      ],
      ["r1", "r2"].map((id) =>
        report(id, "RAD", { basedOn: [to("ServiceRequest/q")], imagingStudy: [to("ImagingStudy/s")] })
      )
    ],
    ["a type of several", "first-of-several-encounter-types", [typed("Clinic", "Dressing")], [
      typed("Clinic", "Clinic")
    ]],
    [
      "a service of several",
      "first-of-several-encounter-types",
      [{ ...encounter, location: [{ location: { display: "A" } }, { location: { display: "B" } }] }],
      [{ ...encounter, location: [{ location: { display: "A" } }] }]
    ],
    ["a visit whose type reads as inpatient", "class-decides-visit-type", [typed("IPD visit")], [typed("OPD visit")]],
    [
      "a stay whose type reads as outpatient",
      "class-decides-visit-type",
      [{ ...typed("Outpatient"), class: { code: "IMP" } }],
      [{ ...typed("Inpatient"), class: { code: "IMP" } }]
    ],
    ["a number of a card", "another-card-code-may-be-in-use", [coverage("1", "2")], [coverage("1", "1")]],
    [
      "a number of an order",
      "another-record-code-may-be-in-use",
      [report("r", "LAB", { basedOn: [to("ServiceRequest/q")] }), order("1", "2")],
      [report("r", "LAB", { basedOn: [to("ServiceRequest/q")] }), order("1")]
    ],
    [
      "a number of a report",
      "another-record-code-may-be-in-use",
      [report("r", "RAD", { identifier: [{ value: "1" }, { value: "2" }] })],
      [report("r", "RAD", { identifier: [{ value: "1" }, { value: "2", use: "old" }] })]
    ],
    [
      "a number of a prescription",
      "another-record-code-may-be-in-use",
      [request({ identifier: [{ value: "1" }, { value: "2" }] })],
      [request({ identifier: [{ value: "1" }] })]
    ],
    [
      "a code of several of a national edition",
      "first-of-several-codes",
      [condition("http://hl7.org/fhir/sid/icd-10-cm", "A00.1", "B00.1")],
      [condition("http://hl7.org/fhir/sid/icd-10-cm", "A00.1")]
    ],
    [
      "a dispense of a cancelled prescription",
      "dispense-of-withdrawn-prescription-is-sent",
      [request({ status: "cancelled" }), dispense],
      [request({}), dispense]
    ],
    [
      "a medicine that was given and must not be",
      "dispense-of-withdrawn-prescription-is-sent",
      [request({ doNotPerform: true }), given],
      [request({ status: "stopped" }), given]
    ],
    [
      "a note without an end",
      "note-has-one-time",
      [note({ period: { start: at("15") } })],
      [note({ period: { start: at("15"), end: at("25") } })]
    ],
    ["a note with a date only", "note-has-one-time", [note({})], [
      note({ period: { start: at("15"), end: at("25") } })
    ]],
    [
      "a result that two reports of one order list",
      "first-of-several-reports",
      ["r1", "r2"].map((id) => report(id, "LAB", { basedOn: [to("ServiceRequest/q")], result: [to("Observation/o")] })),
      [
        report("r1", "LAB", { basedOn: [to("ServiceRequest/q")], result: [to("Observation/o")] }),
        report("r2", "LAB", { basedOn: [to("ServiceRequest/q")] })
      ]
    ],
    [
      "a result of an encounter of another visit",
      "result-of-other-visit-is-sent",
      [encounter, later, report("r", "LAB", { result: [to("Observation/x")] }), {
        ...observation("x"),
        encounter: to("Encounter/e2")
      }],
      [encounter, later, report("r", "LAB", { result: [to("Observation/x")] }), observation("x")]
    ],
    [
      "a charge of another visit",
      "charge-of-other-visit-is-sent",
      [encounter, later, invoice, { ...charge, context: to("Encounter/e2") }],
      [encounter, later, invoice, { ...charge, context: to("Encounter/e1") }]
    ],
    [
      "a code of several systems",
      "first-of-several-code-systems",
      [request({ medicationCodeableConcept: { coding: [{ system: "a", code: "1" }, { system: "b", code: "2" }] } })],
      [request({
        medicationCodeableConcept: { coding: [{ system: "a", code: "1" }, { system: medications, code: "2" }] }
      })]
    ],
    [
      "the number of a subscriber",
      "card-of-subscriber-is-sent",
      [{ ...coverage(), subscriberId: "1", relationship: { coding: [{ code: "child" }] } }],
      [{ ...coverage(), subscriberId: "1", relationship: { coding: [{ code: "self" }] } }]
    ],
    [
      "a prescription that a later prescription of the visit replaces",
      "replaced-prescription-is-sent",
      [request({}), request({ id: "n", priorPrescription: to("MedicationRequest/m") })],
      [request({}), request({ id: "n", status: "cancelled", priorPrescription: to("MedicationRequest/m") })]
    ],
    [
      "the time of a report of several of one order",
      "first-of-several-reports",
      ["r1", "r2"].map((id) =>
        report(id, "RAD", { basedOn: [to("ServiceRequest/q")], effectiveDateTime: at(`1${id.slice(1)}`) })
      ),
      ["r1", "r2"].map((id) => report(id, "RAD", { basedOn: [to("ServiceRequest/q")] }))
    ],
    [
      "a telephone number of a caretaker",
      "first-of-several-telephone-numbers",
      [{ ...encounter, identifier: [] }, referral, caretaker("1", "2")],
      [{ ...encounter, identifier: [] }, referral, caretaker("1", "1")]
    ],
    [
      "the time at which a report of images was issued",
      "collected-when-issued",
      [report("r", "RAD", { effectiveDateTime: undefined })],
      [report("r", "RAD", {})]
    ],
    [
      "the unit of a supply for a dose without one",
      "unit-of-supply-is-of-dose",
      [request({ ...takenInTheMorning(1, {}), dispenseRequest: { quantity: { value: 1, unit: "bottle" } } })],
      [request({ ...takenInTheMorning(1), dispenseRequest: { quantity: { value: 1, unit: "bottle" } } })]
    ],
    [
      "a part of a vital sign that has a reason for no value",
      "part-of-vital-sign-is-left-out",
      [pressure({ dataAbsentReason: { coding: [{ code: "error" }] } })],
      [pressure({})]
    ],
    ["months as days", "month-is-part-of-year", [request(supplyOf("mo"))], [request(supplyOf("wk"))]],
    [
      "a time of day for a medicine that is taken more often",
      "irregular-doses-are-in-the-note",
      [request(takenInTheMorning(3))],
      [request(takenInTheMorning(1))]
    ],
    ["the price of several services", "service-price-is-of-all-pieces", [charged(3)], [charged(1)]]
  ]
  for (const [what, name, chosen, plain] of cases) {
    it.effect(`is an assumption: ${what}`, () =>
      Effect.gen(function*() {
        assert.include((yield* converted(chosen)).assumed, name)
        assert.notInclude((yield* converted(plain)).assumed, name)
      }))
  }
})
