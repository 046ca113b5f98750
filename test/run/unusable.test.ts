import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ConvertedVisit } from "../../src/run/Conversion.ts"
import { only } from "../present.ts"
import { addressed, bothWays } from "./converted.ts"
import { encounter, type Json, lines, patient } from "./smallRecords.ts"

const of = { subject: { reference: "Patient/1" }, encounter: { reference: "Encounter/e3" } }
const coded = (code: string, text: string) => ({ coding: [{ code }], text })
const verified = (code: string) => ({ verificationStatus: { coding: [{ code }] } })

/** A record whose words are found in the visit if it is used. */
const mark = "Samplemark"

const condition = (more: Json = {}): Json => ({
  resourceType: "Condition",
  id: "x",
  ...of,
  ...verified("confirmed"),
  category: [{ coding: [{ code: "problem-list-item" }] }],
  recordedDate: "2026-03-03T08:10:00+07:00",
  code: { text: mark },
  ...more
})
const observation = (more: Json = {}): Json => ({
  resourceType: "Observation",
  id: "x",
  status: "final",
  ...of,
  code: { text: mark },
  effectiveDateTime: "2026-03-03T08:10:00+07:00",
  issued: "2026-03-03T08:20:00+07:00",
  valueString: mark,
  ...more
})
const report = (kind: "laboratory" | "imaging", more: Json): Json => ({
  resourceType: "DiagnosticReport",
  id: "r",
  status: "final",
  ...of,
  category: [coded(kind === "laboratory" ? "LAB" : "RAD", kind)],
  code: { text: "Report" },
  effectiveDateTime: "2026-03-03T08:10:00+07:00",
  issued: "2026-03-03T08:20:00+07:00",
  conclusion: "Good",
  ...more
})
const operation = (more: Json = {}): Json => ({
  resourceType: "Procedure",
  id: "op",
  status: "completed",
  ...of,
  category: coded("387713003", "Surgery"),
  code: { text: "Operation" },
  performedPeriod: { start: "2026-03-03T08:10:00+07:00", end: "2026-03-03T08:40:00+07:00" },
  ...more
})
const invoice = (item: Json): Json => ({
  resourceType: "Invoice",
  id: "i",
  status: "issued",
  subject: of.subject,
  date: "2026-03-03T08:50:00+07:00",
  extension: [{
    url: "https://fhir2visit.example/fhir/StructureDefinition/encounter",
    valueReference: of.encounter
  }],
  lineItem: [{ ...item, priceComponent: [{ type: "base", amount: { value: 7137, currency: "KHR" } }] }],
  totalNet: { value: 7137, currency: "KHR" }
})
const referral = (more: Json): Json => ({
  resourceType: "ServiceRequest",
  id: "s",
  status: "active",
  intent: "order",
  ...of,
  category: [coded("3457005", "Referral")],
  code: { text: "Surgery" },
  authoredOn: "2026-03-03T08:30:00+07:00",
  ...more
})
const prescription = (more: Json): Json => ({
  resourceType: "MedicationRequest",
  id: "x",
  status: "active",
  intent: "order",
  subject: of.subject,
  authoredOn: "2026-03-03T08:30:00+07:00",
  medicationCodeableConcept: { text: mark },
  ...more
})
const x = (type: string) => ({ reference: `${type}/x` })
const seen = (more: Json) => encounter("e3", "1", more)
const here = encounter("e3", "1")

/** Small worlds: a record that the visit uses only because another record refers to it, or it to another. */
const worlds: ReadonlyArray<
  readonly [what: string, records: ReadonlyArray<Json>, linked: Json, invalid?: ReadonlyArray<Json>]
> = [
  [
    "the reason of an encounter",
    [seen({ reasonReference: [x("Condition")] })],
    condition(),
    [verified("refuted")]
  ],
  [
    "the reason of an operation",
    [here, operation({ reasonReference: [x("Condition")] })],
    condition({ encounter: undefined }),
    [verified("refuted")]
  ],
  ["an observation as a reason", [seen({ reasonReference: [x("Observation")] })], observation(), [{
    status: "cancelled"
  }]],
  ["a result", [here, report("laboratory", { result: [x("Observation")] })], observation()],
  ["the member of a panel", [
    here,
    report("laboratory", { result: [{ reference: "Observation/p" }] }),
    observation({ id: "p", code: { text: "Panel" }, valueString: undefined, hasMember: [x("Observation")] })
  ], observation()],
  [
    "blood loss",
    [here, operation()],
    observation({ code: { coding: [{ code: "8717-9" }] }, partOf: [{ reference: "Procedure/op" }] }),
    [{ status: "cancelled" }, { status: "registered" }]
  ],
  [
    "anaesthesia",
    [here, operation()],
    operation({
      id: "x",
      category: coded("399097000", "A"),
      code: { text: mark },
      partOf: [{ reference: "Procedure/op" }]
    }),
    [{ status: "not-done" }, { status: "preparation" }]
  ],
  [
    "an image",
    [here, report("imaging", { media: [{ link: x("Media") }] })],
    { resourceType: "Media", id: "x", status: "completed", ...of, content: { url: `https://a.example/${mark}.jpg` } },
    [{ status: "not-done" }]
  ],
  [
    "a study",
    [here, report("imaging", { imagingStudy: [x("ImagingStudy")] })],
    { resourceType: "ImagingStudy", id: "x", status: "available", ...of, modality: [{ code: mark }] },
    [{ status: "cancelled" }]
  ],
  [
    "a specimen",
    [here, report("laboratory", { specimen: [x("Specimen")] })],
    { resourceType: "Specimen", id: "x", subject: of.subject, collection: { collector: { display: mark } } }
  ],
  [
    "an order",
    [here, report("laboratory", { basedOn: [x("ServiceRequest")] })],
    {
      resourceType: "ServiceRequest",
      id: "x",
      status: "completed",
      intent: "order",
      ...of,
      requester: { display: mark }
    }
  ],
  [
    "a medicine",
    [
      here,
      prescription({
        id: "m",
        encounter: of.encounter,
        medicationCodeableConcept: undefined,
        medicationReference: { ...x("Medication"), display: mark }
      })
    ],
    { resourceType: "Medication", id: "x", status: "active", code: { text: mark } }
  ],
  [
    "a charge",
    [here, invoice({ chargeItemReference: x("ChargeItem") })],
    {
      resourceType: "ChargeItem",
      id: "x",
      status: "billed",
      subject: of.subject,
      context: of.encounter,
      code: { text: mark }
    },
    [{ status: "aborted" }, { status: "not-billable" }, { status: "planned" }, { status: "unknown" }]
  ],
  [
    "the reason of a referral, with its words in the reference",
    [here, referral({ reasonReference: [{ ...x("Condition"), display: mark }] })],
    condition({ encounter: undefined, category: undefined }),
    [verified("refuted")]
  ],
  [
    "a medicine of a referral",
    [here, referral({ supportingInfo: [x("MedicationRequest")] })],
    prescription({}),
    [{ status: "cancelled" }, { status: "draft" }]
  ],
  [
    "the basis of an impression, with its words in the reference",
    [here, {
      resourceType: "ClinicalImpression",
      id: "c",
      status: "completed",
      ...of,
      date: "2026-03-03T08:30:00+07:00",
      summary: "Good",
      finding: [{ itemReference: { ...x("Condition"), display: mark }, basis: `as ${mark}` }]
    }],
    condition({ encounter: undefined }),
    [verified("refuted")]
  ]
]

const inError = (record: Json): Json =>
  record["resourceType"] === "Condition"
    ? { ...record, ...verified("entered-in-error") }
    : { ...record, status: "entered-in-error" }
const about = (type: string) => (record: Json): Json => ({ ...record, subject: { reference: `${type}/9` } })

const visitOf = (records: ReadonlyArray<Json>) => bothWays({ "a.ndjson": lines(...records) }, {}, addressed)

describe("A record that another refers to", () => {
  for (const [what, records, linked, invalid = []] of worlds) {
    const of = `${String(linked["resourceType"])}/x`
    it.effect(`is used if it is valid: ${what}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* visitOf([patient("1"), ...records, linked])
        const { json, problems } = only(visits)
        assert.include(json, mark)
        assert.notInclude(problems.map(({ code }) => code), "dropped-record")
      }))

    it.effect(
      `is not used if it was entered in error or is not about a patient, and the visit reports it once: ${what}`,
      () =>
        Effect.gen(function*() {
          const valid = yield* visitOf([patient("1"), ...records, linked])
          const changes = [
            inError,
            ...("subject" in linked ? [about("Device"), about("Group"), about("Location")] : [])
          ]
          for (const change of changes) {
            const record = change(linked)
            const { totals, visits } = yield* visitOf([patient("1"), ...records, record])
            const { json, problems, ready } = only(visits)
            assert.notInclude(json, mark, JSON.stringify(record))
            const type = String(record["resourceType"])
            assert.isBelow(totals.used.get(type) ?? 0, valid.totals.used.get(type) ?? 0)
            assert.lengthOf(problems.filter(({ code, source }) => code === "dropped-record" && source === of), 1)
            if (json.includes("7137")) assert.isFalse(ready)
          }
        })
    )

    if (invalid.length > 0) {
      it.effect(`is not used if it did not happen: ${what}`, () =>
        Effect.gen(function*() {
          for (const change of invalid) {
            const { visits } = yield* visitOf([patient("1"), ...records, { ...linked, ...change }])
            const { json, ready } = only(visits)
            assert.notInclude(json, mark, JSON.stringify(change))
            if (json.includes("7137")) assert.isFalse(ready)
          }
        }))
    }
  }

  it.effect("rejects the visit if an invoice has its amount", () =>
    Effect.gen(function*() {
      const charge = {
        resourceType: "ChargeItem",
        id: "x",
        subject: of.subject,
        context: of.encounter,
        code: coded("C1", "Bed"),
        extension: [{
          url: "https://fhir2visit.example/fhir/StructureDefinition/service-category",
          valueCodeableConcept: { text: "C" }
        }]
      }
      for (const status of ["billed", "billable", "entered-in-error", "aborted", "not-billable"]) {
        const { visits } = yield* visitOf([
          patient("1"),
          here,
          invoice({ chargeItemReference: x("ChargeItem") }),
          { ...charge, status }
        ])
        const names = only(visits).problems.filter(({ severity }) => severity === "error").map(({ assumption }) =>
          assumption
        )
        const isBilled = status === "billed" || status === "billable"
        assert.strictEqual(names.includes("line-not-to-be-billed-is-left-out"), !isBilled, status)
      }
    }))

  it.effect("in error from another visit is not reported in this one", () =>
    Effect.gen(function*() {
      const other = operation({
        status: "entered-in-error",
        encounter: { reference: "Encounter/e4" },
        reasonReference: [x("Condition")]
      })
      const { visits } = yield* visitOf([patient("1"), here, encounter("e4", "1"), condition(), other])
      for (const { problems } of visits) assert.notInclude(problems.map(({ code }) => code), "dropped-record")
    }))
})

describe("A result whose report was entered in error", () => {
  it.effect("is not sent without its report", () =>
    Effect.gen(function*() {
      const result = observation({ category: [coded("laboratory", "Laboratory")] })
      const { visits: single } = yield* visitOf([patient("1"), here, result])
      assert.include(only(single).json, mark)
      const withdrawn = report("laboratory", { status: "entered-in-error", result: [x("Observation")] })
      const { visits } = yield* visitOf([patient("1"), here, result, withdrawn])
      assert.notInclude(only(visits).json, mark)
      assert.include(only(visits).problems.map(({ assumption }) => assumption), "result-of-unusable-report-is-left-out")
    }))
})

describe("A record of a cancelled encounter that is part of a visit", () => {
  it.effect("is reported by the visit, unless it was cancelled too", () =>
    Effect.gen(function*() {
      for (const status of ["cancelled", "entered-in-error", "planned"]) {
        const member = encounter("e4", "1", { status, partOf: { reference: "Encounter/e3" } })
        const done = operation({ encounter: { reference: "Encounter/e4" } })
        const retracted = observation({ status: "cancelled", encounter: { reference: "Encounter/e4" } })
        for (const records of [[done], [done, retracted]]) {
          const { json, problems } = only((yield* visitOf([patient("1"), here, member, ...records])).visits)
          assert.notInclude(json, "Operation")
          assert.deepStrictEqual(
            problems.flatMap(({ code, source, times }) => (code === "unused-record" ? [[source, times]] : [])),
            [["Procedure/op", 1]]
          )
        }
      }
    }))
})

describe("A record that a server shortened", () => {
  it.effect("is reported by each visit that uses it, once for each type with a count", () =>
    Effect.gen(function*() {
      const tagged = (system?: string) => ({
        meta: { tag: [{ code: "SUBSETTED", ...(system === undefined ? {} : { system }) }] }
      })
      const standard = tagged("http://terminology.hl7.org/CodeSystem/v3-ObservationValue")
      const reported = (visits: ReadonlyArray<ConvertedVisit>) =>
        visits.map(({ problems }) =>
          problems.flatMap(({ code, severity, source, times }) =>
            code === "incomplete-visit" ? [`${severity} ${source} ${times}`] : []
          )
        )
      const exam = (id: string, more: Json) =>
        observation({ id, category: [coded("exam", "Exam")], code: { text: id }, ...more })
      const { visits } = yield* visitOf([
        patient("1", standard),
        here,
        encounter("e4", "1"),
        exam("x1", standard),
        exam("x2", tagged()),
        exam("x3", tagged("https://hospital.example/tags")),
        exam("x4", { ...standard, status: "cancelled" })
      ])
      assert.deepStrictEqual(reported(visits).toSorted(), [
        ["warning Observation/x1 2", "warning Patient/1 1"],
        ["warning Patient/1 1"]
      ])
    }))
})

describe("A row with a column that has the name of a FHIR element", () => {
  it.effect("is used, because its words are no reference", () =>
    Effect.gen(function*() {
      const { visits } = yield* bothWays(
        {
          "visit.csv": "code,patient_code,visit_type,admitted_at\nV1,P1,OPD,2026-03-03T08:00:00+07:00\n",
          "patient.csv": "code,name,surname,sex,birthdate\nP1,Test,Example,F,1990-01-01\n",
          "diagnosis.csv": `visit_code,diagnosis_code,diagnosis_name,subject\nV1,R50,${mark},Group/7\n`
        },
        {},
        "mapping: example\nextends: csv\ntable: {diagnosis: {column: {subject: text}}}\n"
      )
      const { json, problems } = only(visits)
      assert.include(json, mark)
      assert.notInclude(problems.map(({ code }) => code), "dropped-record")
    }))
})
