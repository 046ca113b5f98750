import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FacilityCode, SystemCode } from "../../src/visit/values/Code.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import type { Json } from "../run/smallRecords.ts"
import { encounter, patient, visitOf } from "./visitOf.ts"

const inVisit = { subject: { reference: "Patient/p1" }, encounter: { reference: "Encounter/e1" } }

describe("keys", () => {
  it.effect("can contain the codes of the settings", () =>
    Effect.gen(function*() {
      const { visit } = yield* visitOf(
        [patient, encounter],
        "key: {visit: \"%system & '-' & %facility & '-' & id\"}\n",
        {
          facility: FacilityCode("HF-1"),
          system: SystemCode("SYS-1")
        }
      )
      assert.strictEqual(visit.code, "SYS-1-HF-1-e1")
    }))
})

describe("an unmapped code", () => {
  const overlay = (unmapped: string, path: string): string =>
    "conceptMap:\n"
    + "  marital_status: {table: {X: Never}}\n"
    + `  local: {table: {A: Single}, unmapped: ${unmapped}}\n`
    + "  other: {table: {B: Widowed}, unmapped: skip}\n"
    + `visit: {patient: {occupation: ${path}}}\n`
  const single = (code: string): Json => ({ ...patient, maritalStatus: { coding: [{ code }] } })
  for (
    const [unmapped, code, value, counted] of [
      ["skip", "A", "Single", undefined],
      ["skip", "Q", null, "local Q 1"],
      ["warn", "Q", null, "local Q 1"],
      ["reject", "Q", null, "local Q 1"],
      ["provided", "Q", "Q", "local Q 1"],
      ["{fixed: Other}", "Q", "Other", "local Q 1"],
      ["{table: other}", "B", "Widowed", undefined],
      ["{table: other}", "Q", null, "other Q 1"]
    ] as const
  ) {
    for (
      const [how, path] of [
        ["translated()", "maritalStatus.translated('local')"],
        ["a line's conceptMap", "{path: maritalStatus, conceptMap: local}"]
      ] as const
    ) {
      it.effect(`${code} by ${how} with unmapped: ${unmapped}`, () =>
        Effect.gen(function*() {
          const reported = yield* visitOf([single(code), encounter], overlay(unmapped, path))
          assert.strictEqual(reported.visit.patient.occupation, value)
          assert.deepStrictEqual(
            reported.unmapped.filter((one) => !one.startsWith("marital_status")),
            counted === undefined ? [] : [counted]
          )
        }))
    }
  }

  it.effect("counts as mapped() if the map delegates to one with a row", () =>
    Effect.gen(function*() {
      const { visit } = yield* visitOf(
        [single("B"), encounter],
        overlay("{table: other}", "maritalStatus.mapped('local').toString()")
      )
      assert.strictEqual(visit.patient.occupation, "true")
    }))
})

describe("rows", () => {
  const condition = (id: string, code: string, recordedDate: string): Json => ({
    resourceType: "Condition",
    id,
    ...inVisit,
    code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code }] },
    recordedDate
  })
  const conditions = [
    condition("c1", "A09", "2026-03-02T08:20:00+07:00"),
    condition("c2", "J06", "2026-03-02T08:10:00+07:00"),
    condition("c3", "B34", "2026-03-02T08:30:00+07:00")
  ]
  const codes = (overlay: string) =>
    Effect.map(
      visitOf([patient, encounter, ...conditions], `visit: {diagnosis: ${overlay}}\n`),
      ({ visit }): ReadonlyArray<string> =>
        visit.diagnosis.map((row: { readonly diagnosis_code: string }) => row.diagnosis_code)
    )
  for (
    const [overlay, expected] of [
      ["{orderBy: diagnosis_code}", ["A09", "B34", "J06"]],
      ["{orderBy: [-diagnosis_code]}", ["J06", "B34", "A09"]],
      ["{orderBy: [{field: diagnosis_code, descending: true}]}", ["J06", "B34", "A09"]],
      ["{orderBy: [{field: -diagnosis_code, descending: false}]}", ["J06", "B34", "A09"]],
      ["{orderBy: [{path: recordedDate}]}", ["J06", "A09", "B34"]],
      ["{orderBy: [{path: recordedDate, descending: true}]}", ["B34", "A09", "J06"]],
      ["{orderBy: [{field: diagnosis_type_name}, {path: recordedDate, descending: true}]}", ["B34", "A09", "J06"]],
      ["{orderBy: [{path: recordedDate}], take: first}", ["J06"]],
      ["{orderBy: null}", ["A09", "J06", "B34"]]
    ] as const
  ) {
    it.effect(`diagnosis: ${overlay}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* codes(overlay), expected)
      }))
  }

  it.effect("makes one row of a record that refers to its patient twice", () =>
    Effect.gen(function*() {
      const allergy: Json = {
        resourceType: "AllergyIntolerance",
        id: "a1",
        patient: { reference: "Patient/p1" },
        asserter: { reference: "Patient/p1" },
        code: { text: "Nuts" }
      }
      const { visit } = yield* visitOf(
        [patient, encounter, allergy],
        "grouping: {patientScope: {AllergyIntolerance: patient | asserter}}\n"
      )
      assert.strictEqual(visit.medical_histories.length, 1)
    }))
})

describe("several values", () => {
  it.effect("count as one if they are equal, without a report", () =>
    Effect.gen(function*() {
      const telecom = [{ system: "phone", value: "1" }, { system: "phone", value: "1" }]
      const overlay = "visit: {patient: {phone: {path: telecom.value, take: null}}}\n"
      const { reported, visit } = yield* visitOf([{ ...patient, telecom }, encounter], overlay)
      assert.strictEqual(visit.patient.phone, "1")
      assert.notInclude(reported.join("\n"), "too-many-values")
      const two = [...telecom, { system: "phone", value: "2" }]
      assert.include(
        (yield* visitOf([{ ...patient, telecom: two }, encounter], overlay)).reported,
        "warning too-many-values patient.phone"
      )
    }))
})

describe("a default", () => {
  it.effect("is not sent in place of a code that is not mapped, or of a date that cannot be used", () =>
    Effect.gen(function*() {
      const { reported, visit } = yield* visitOf(
        [{ ...patient, birthDate: "1990", maritalStatus: { coding: [{ code: "9" }] } }, encounter],
        "visit: {patient: {marital_status: {default: Single}, birthdate: {default: \"1990-01-01\"}}}\n"
      )
      assert.deepStrictEqual([visit.patient.marital_status, visit.patient.birthdate], [null, null])
      assert.include(reported, "warning unmapped-code patient.marital_status")
    }))
})

describe("a default with a warning", () => {
  for (
    const [overlay, sent, isReported] of [
      ["occupation: {default: {value: Farmer, warn: not recorded}}", "Farmer", true],
      ["occupation: {default: {value: Farmer}}", "Farmer", false],
      ["occupation: {path: gender, default: {value: Farmer, warn: not recorded}}", "female", false],
      ["marital_status: {default: {value: Single, warn: not recorded}}", "Single", true]
    ] as const
  ) {
    it.effect(overlay, () =>
      Effect.gen(function*() {
        const { reported, visit } = yield* visitOf([patient, encounter], `visit: {patient: {${overlay}}}\n`)
        const [field = ""] = overlay.split(":")
        assert.strictEqual(visit.patient[field], sent)
        assert.strictEqual(
          reported.includes(`warning substitute-value patient.${field}`),
          isReported,
          reported.join("\n")
        )
      }))
  }
})

describe("times", () => {
  for (
    const [zone, start, sent] of [
      ["Europe/Berlin", "2026-03-29", "2026-03-29T12:00:00.000+02:00"],
      ["Europe/Berlin", "2026-10-25", "2026-10-25T12:00:00.000+01:00"],
      ["Asia/Phnom_Penh", "2026-03-29", "2026-03-29T12:00:00.000+07:00"],
      ["Asia/Phnom_Penh", "2026-03", "2026-03-01T12:00:00.000+07:00"],
      ["Asia/Phnom_Penh", "2026", "2026-01-01T12:00:00.000+07:00"]
    ] as const
  ) {
    it.effect(`reads midday of ${start} in ${zone} as twelve o'clock`, () =>
      Effect.gen(function*() {
        const { visit } = yield* visitOf(
          [patient, { ...encounter, period: { start } }],
          "time: {partialTimestamp: midday, partialDate: first-day}\n",
          { zone }
        )
        assert.strictEqual(visit.admitted_at, sent)
      }))
  }

  it.effect("reach a week in a window", () =>
    Effect.gen(function*() {
      const overlay = "grouping: {window: {Observation: {enabled: true, after: 1 week}}}\n"
      const observed = (effectiveDateTime: string): Json => ({
        resourceType: "Observation",
        id: "o1",
        status: "final",
        subject: inVisit.subject,
        code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
        effectiveDateTime,
        valueQuantity: { value: 88, unit: "beats/min", system: "http://unitsofmeasure.org", code: "/min" }
      })
      const within = yield* visitOf([patient, encounter, observed("2026-03-09T08:59:00+07:00")], overlay)
      assert.strictEqual(within.visit.vital_signs.length, 1)
      const after = yield* visitOf([patient, encounter, observed("2026-03-09T09:01:00+07:00")], overlay)
      assert.strictEqual(after.visit.vital_signs.length, 0)
    }))
})

describe("a document Bundle", () => {
  const bundle = (more: ReadonlyArray<Json>): Json => ({
    resourceType: "Bundle",
    type: "document",
    entry: [
      { resourceType: "Composition", id: "doc", status: "final", type: { text: "Summary" }, subject: inVisit.subject },
      patient,
      encounter,
      ...more,
      {
        resourceType: "Condition",
        id: "c1",
        subject: inVisit.subject,
        code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code: "A09" }] }
      }
    ].map((resource) => ({ fullUrl: `http://x.example/${resource.resourceType}/${resource.id}`, resource }))
  })

  it.effect("uses its only encounter if its Composition names none", () =>
    Effect.gen(function*() {
      const { visit } = yield* visitOf([bundle([])])
      assert.strictEqual(visit.diagnosis.length, 1)
    }))

  it.effect("does not guess among several encounters", () =>
    Effect.gen(function*() {
      const { visit } = yield* visitOf([bundle([{ ...encounter, id: "e2" }])])
      assert.strictEqual(visit.diagnosis.length, 0)
    }))
})

describe("null removes from the base mapping", () => {
  it.effect("a constant, and keys of time, text, grouping and a concept map", () =>
    Effect.gen(function*() {
      const { visit } = yield* visitOf(
        [patient, encounter],
        `
constant: {default_facility: null}
time: {partialDate: null, partialTimestamp: null}
text: {normalise: null}
grouping: {bundle: {document: null}, rootIsEncounter: null, window: {Observation: {several: null, before: null}, Claim: null}}
conceptMap: {marital_status: {unmapped: null, list: null}}
visit: {health_facility_code: id}
`
      )
      assert.strictEqual(visit.health_facility_code, "e1")
    }))

  for (
    const [what, line, visit] of [
      ["take", "phone: {take: null, join: \" / \"}", { phone: "1 / 2" }],
      ["join", "phone: {path: telecom.value, join: null, take: first}", { phone: "1" }],
      ["default", "occupation: {path: [], default: null}", { occupation: null }],
      ["required", "surname: {required: null}", { surname: "Example" }],
      ["a fixed value", "surname: {value: null}", { surname: "Example" }],
      ["a path that a fixed value replaces", "surname: {value: Any, path: null}", { surname: "Any" }]
    ] as const
  ) {
    it.effect(what, () =>
      Effect.gen(function*() {
        const telecom = [{ system: "phone", value: "1" }, { system: "phone", value: "2" }]
        const reported = yield* visitOf([{ ...patient, telecom }, encounter], `visit: {patient: {${line}}}\n`)
        for (const [name, value] of Object.entries(visit)) assert.strictEqual(reported.visit.patient[name], value)
      }))
  }

  it.effect("keys of a component", () =>
    Effect.gen(function*() {
      const pulse = (id: string, value: number) => ({
        resourceType: "Observation",
        id,
        status: "final",
        code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
        effectiveDateTime: "2026-03-02T09:00:00+07:00",
        valueQuantity: { value, unit: "/min" },
        ...inVisit
      })
      const signs = (line: string) =>
        Effect.map(
          visitOf([patient, encounter, pulse("1", 70), pulse("2", 90)], `visit: {vital_signs: {${line}}}\n`),
          ({ visit }) => visit.vital_signs.map((row: Visit["vital_signs"][number]) => row.observations.length)
        )
      assert.deepStrictEqual(yield* signs("observations: {}"), [1])
      assert.deepStrictEqual(yield* signs("observations: {onePer: null}"), [2])
      assert.deepStrictEqual(yield* signs("take: null, needs: null, orderBy: null, enabled: null"), [1])
    }))

  it.effect("a branch", () =>
    Effect.gen(function*() {
      const advice = {
        resourceType: "Communication",
        id: "m1",
        status: "completed",
        category: [{ coding: [{ code: "instruction" }] }],
        payload: [{ contentString: "Rest" }],
        ...inVisit
      }
      const advised = (line: string) =>
        Effect.map(
          visitOf([patient, encounter, advice], `visit: {consultations: {${line}}}\n`),
          ({ visit }) => visit.consultations
        )
      assert.deepStrictEqual(yield* advised("unionAll: {}"), ["Rest"])
      assert.deepStrictEqual(yield* advised("unionAll: {instruction: null}"), [])
    }))
})

describe("needs", () => {
  const measured = (id: string, code: string, value: Json): Json => ({
    resourceType: "Observation",
    id,
    status: "final",
    code: { coding: [{ code }] },
    effectiveDateTime: `2026-03-02T08:0${id}:00+07:00`,
    ...inVisit,
    ...value
  })

  it.effect("accepts one field of a nested list", () =>
    Effect.gen(function*() {
      const { reported, visit } = yield* visitOf([
        patient,
        encounter,
        measured("1", "8302-2", { valueQuantity: { value: 156, unit: "cm" } }),
        measured("2", "29463-7", { dataAbsentReason: { text: "refused" } })
      ])
      assert.deepStrictEqual(visit.triages.map(({ height }: Json) => height), [156])
      assert.include(reported, "warning no-value triages.chief_complaint")
    }))

  it.effect("treats an empty list as missing, and reports its problems once", () =>
    Effect.gen(function*() {
      const { reported, visit } = yield* visitOf([
        patient,
        encounter,
        measured("1", "8867-4", { valueQuantity: { value: 88, unit: "Schläge/min" } })
      ])
      assert.deepStrictEqual(visit.vital_signs, [])
      assert.deepStrictEqual(reported.filter((one) => one.includes("vital_signs")), [
        "warning unknown-unit vital_signs.observations.value"
      ])
    }))
})

describe("texts of values without a text", () => {
  const series: Json = {
    resourceType: "Observation",
    id: "o1",
    status: "final",
    category: [{ coding: [{ code: "exam" }] }],
    code: { text: "Skin" },
    valueSampledData: { origin: { value: 0 }, period: 1, dimensions: 1, data: "1 2 3" },
    ...inVisit
  }

  for (
    const path of ["value.toString()", "value.select(toString())", "iif(true, value.toString().toChars().first(), {})"]
  ) {
    it.effect(`are empty: ${path}`, () =>
      Effect.gen(function*() {
        const { visit } = yield* visitOf(
          [patient, encounter, series],
          `visit:\n  physical_examinations:\n    unionAll: {text: {where: {series: null}, value: "${path}"}}\n`
        )
        assert.deepStrictEqual(visit.physical_examinations, [])
      }))
  }
})

describe("what is computed once for all visits of a patient", () => {
  it.effect("depends on what was in use when each visit began", () =>
    Effect.gen(function*() {
      const phones = [
        { system: "phone", value: "010 000 001", period: { end: "2026-03-02" } },
        { system: "phone", value: "010 000 002", period: { start: "2026-03-03" } }
      ]
      const later = {
        ...encounter,
        id: "e2",
        period: { start: "2026-03-09T08:00:00+07:00", end: "2026-03-09T09:00:00+07:00" }
      }
      const { visits } = yield* visitOf([{ ...patient, telecom: phones }, encounter, later])
      assert.deepStrictEqual(visits.map(({ patient }) => patient.phone), ["010 000 001", "010 000 002"])
    }))
})
