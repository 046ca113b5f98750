import { assert, describe, it } from "@effect/vitest"
import { at } from "../../src/at.ts"
import { fromText } from "../../src/json/Decimal.ts"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import { encounterLists, entriesOf } from "../../src/visit/rules/Rule.ts"
import { makeUniqueInRun } from "../../src/visit/rules/uniqueInRun.ts"
import { validateVisit, type ValidationSettings } from "../../src/visit/validateVisit.ts"
import { FacilityCode } from "../../src/visit/values/Code.ts"
import { makeReferenceList } from "../../src/visit/values/ReferenceList.ts"
import { exampleVisit } from "./exampleVisit.ts"
import { valueAt, withValue } from "./mutate.ts"

const now = Date.UTC(2026, 3, 1)

type Change = readonly [path: ReadonlyArray<string | number>, value: unknown]

const changed = (changes: ReadonlyArray<Change>): unknown =>
  changes.reduce<unknown>((visit, [path, value]) => withValue(visit, path, value), exampleVisit)

/** Its fields that are null are those of `hollow.test.ts`. */
const problemsOf = (visit: unknown, settings: Partial<ValidationSettings> = {}) =>
  validateVisit(visit, { now, ...settings }).filter(({ code }) => code !== "null-field")

/** The problems of the example visit after some changes, as `severity code path`. */
const after = (changes: ReadonlyArray<Change>, settings: Partial<ValidationSettings> = {}): ReadonlyArray<string> =>
  problemsOf(changed(changes), settings).map((problem) =>
    `${problem.severity} ${problem.code} ${problem.path.join(".")}`
  )

const titles = (changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  problemsOf(changed(changes)).map(({ title }) => title)

const entry = (path: ReadonlyArray<string | number>): object => jsonObjectOf(valueAt(exampleVisit, path))

it("a visit that is right in every respect gives no problem", () => {
  assert.deepStrictEqual(problemsOf(exampleVisit), [])
})

describe("§4.3: a diagnosis code is of ICD-10", () => {
  const path = ["diagnosis", 0, "diagnosis_code"]
  const found = (code: string, settings: Partial<ValidationSettings> = {}) =>
    after([[path, code]], settings).filter((problem) => problem.includes("foreign-diagnosis"))

  it("rejects codes of other systems, and takes those of national editions", () => {
    for (const code of ["A90", "e11.9", "E119", "Z3A.00", "S72.001A", "U07.1", "A17.0†", "G01*"]) {
      assert.deepStrictEqual(found(code), [], code)
    }
    for (
      const code of ["195662009", "250.00", "XX", "fever", "BA00", "A9", "A90.12345", "SNOMED:A90", "#N/A", "J 06"]
    ) {
      assert.deepStrictEqual(found(code), [`error foreign-diagnosis ${path.join(".")}`], code)
    }
  })

  it("takes a code of the list, whatever its form", () => {
    const lists = new Map([["diagnoses", makeReferenceList([{ code: "250.00", name: "x" }])]] as const)
    assert.deepStrictEqual(found("250.00", { lists }), [])
  })
})

describe("§2.4 to §2.6: codes inside a visit belong to it", () => {
  it("patient and visit codes are the visit's own", () => {
    assert.deepStrictEqual(after([[["patient", "code"], "P2"]]), ["error foreign-code patient.code"])
    assert.deepStrictEqual(after([[["patient", "identifications", 0, "patient_code"], "P2"]]), [
      "error foreign-code patient.identifications.0.patient_code"
    ])
    assert.deepStrictEqual(after([[["laboratories", 0, "patient_code"], "P2"]]), [
      "error foreign-code laboratories.0.patient_code"
    ])
    assert.deepStrictEqual(after([[["surgeries", 0, "visit_code"], "V2"]]), [
      "error foreign-code surgeries.0.visit_code"
    ])
  })

  it("encounter codes are those of triages, outpatients, inpatients, emergencies, surgeries or progress notes", () => {
    assert.deepStrictEqual(after([[["vital_signs", 0, "encounter_code"], "E9"]]), [
      "error foreign-code vital_signs.0.encounter_code"
    ])
    for (const code of ["V260301-TRI", "V260301-OPD", "V260301-IPD", "V260301-SUR", "V260301-PN1"]) {
      assert.deepStrictEqual(after([[["diagnosis", 1, "encounter_code"], code]]), [])
    }
    assert.deepStrictEqual(after([[["diagnosis", 1, "encounter_code"], "v260301-opd"]]), [
      "error foreign-code diagnosis.1.encounter_code"
    ])
  })

  it("invoice codes are those of the invoice", () => {
    assert.deepStrictEqual(
      after([
        [["invoices", 0, "services", 0, "invoice_code"], "INV-32"],
        [["invoices", 0, "medications", 0, "invoice_code"], "INV-32"]
      ]),
      [
        "error foreign-code invoices.0.services.0.invoice_code",
        "error foreign-code invoices.0.medications.0.invoice_code"
      ]
    )
  })

  it("§4.1: the facility is the one the request is sent for, where that is known", () => {
    assert.deepStrictEqual(after([], { facilityCode: FacilityCode("HF0001") }), [])
    assert.deepStrictEqual(after([], { facilityCode: FacilityCode("HF0002") }), [
      "error foreign-code health_facility_code"
    ])
  })
})

describe("§4.5 rule 3: encounter codes are unique", () => {
  it("across the six components that are encounters", () => {
    assert.deepStrictEqual(
      after([[["progress_notes", 0, "code"], "V260301-OPD"], [["soaps", 0, "encounter_code"], "V260301-OPD"]]),
      [
        "error duplicate-code progress_notes.0.code"
      ]
    )
  })

  it("two notes, prescriptions or invoices with one code are worth a look; a prescription and its dispense are not", () => {
    const soap = entry(["soaps", 0])
    assert.deepStrictEqual(after([[["soaps"], [soap, soap]]]), ["warning duplicate-code soaps.1.code"])
    const prescription = entry(["prescriptions", 0])
    const dispense = { ...prescription, encounter_code: "V260301-IPD" }
    assert.deepStrictEqual(after([[["prescriptions"], [prescription, dispense]]]), [])
    assert.deepStrictEqual(after([[["prescriptions"], [prescription, dispense, prescription]]]), [
      "warning duplicate-code prescriptions.2.code"
    ])
  })

  it("two laboratories or imageries with one request code are worth a look", () => {
    for (const list of ["laboratories", "imageries"]) {
      const request = entry([list, 0])
      assert.deepStrictEqual(after([[[list], [request, request]]]).filter((found) => found.includes("duplicate")), [
        `warning duplicate-code ${list}.1.request_code`
      ])
    }
  })

  it("a medicine or a result with the same values as another is worth a look; with one other value it is not", () => {
    const doubles = (list: string, rows: string, change: object) => {
      const [row] = entriesOf(jsonObjectOf(valueAt(exampleVisit, [list, 0])), rows)
      const other = { ...row, ...change }
      return after([[[list, 0, rows], [row, other, row, other]]]).filter((found) => found.includes("duplicate"))
    }
    assert.deepStrictEqual(doubles("prescriptions", "medications", { note: "x" }), [
      "warning duplicate-code prescriptions.0.medications.2.code",
      "warning duplicate-code prescriptions.0.medications.3.code"
    ])
    assert.deepStrictEqual(doubles("laboratories", "results", { value: fromText("1.50") }), [
      "warning duplicate-code laboratories.0.results.2.name",
      "warning duplicate-code laboratories.0.results.3.name"
    ])
  })

  it("a result with the test, time and value of another is worth a look; a text of another category, or another value or time, is not", () => {
    const [laboratory] = entriesOf(exampleVisit, "laboratories")
    const [result] = entriesOf(jsonObjectOf(laboratory), "results")
    const twice = (one: object, other: object) =>
      after([[["laboratories"], [
        { ...laboratory, request_code: "L-1", results: [{ ...result, ...one }] },
        { ...laboratory, request_code: "L-2", results: [{ ...result, ...one, ...other }] }
      ]]]).filter((found) => found.includes("results"))
    const found = ["warning duplicate-code laboratories.1.results.0.value"]
    const number = { value: fromText("1.50"), value_type: "float" }
    const text = { value: "negative", value_type: "string" }
    for (const one of [number, text]) {
      // The laboratory is reported.
      assert.deepStrictEqual(twice(one, {}), [])
      assert.deepStrictEqual(twice(one, { verified_by: "another" }), found)
      assert.deepStrictEqual(twice(one, { recorded_at: "2026-03-01T11:59:00.000+07:00" }), [])
    }
    assert.deepStrictEqual(twice(number, { category: "another" }), found)
    assert.deepStrictEqual(twice(number, { category: "another", value: fromText("1.51") }), [])
    assert.deepStrictEqual(twice(text, { category: "another" }), [])
    const together = { ...laboratory, results: [result, { ...result, verified_by: "another" }] }
    assert.include(after([[["laboratories"], [together]]]), "warning duplicate-code laboratories.0.results.1.value")
  })

  it("a row with the values of another, except its code, is worth a look; with one other value it is not", () => {
    const lists: ReadonlyArray<readonly [list: string, own: string, other: string]> = [
      ["inpatients", "code", "name"],
      ["surgeries", "code", "theater_name"],
      ["soaps", "code", "plan"],
      ["laboratories", "request_code", "requested_by"],
      ["imageries", "request_code", "requested_by"],
      ["prescriptions", "code", "prescribed_by"],
      ["invoices", "code", "cashier"]
    ]
    for (const [list, own, other] of lists) {
      const row = entry([list, 0])
      const found = after([[[list], [row, { ...row, [own]: "OTHER" }, { ...row, [own]: "THIRD", [other]: "x" }]]])
      // The third laboratory has the results of the first.
      const results = list === "laboratories" ? ["2.results.0.value", "2.results.1.value"] : []
      assert.sameMembers(found.filter((problem) => problem.includes("duplicate")), [
        `warning duplicate-code ${list}.1.${own}`,
        ...results.map((path) => `warning duplicate-code laboratories.${path}`)
      ])
    }
    const [service] = entriesOf(jsonObjectOf(valueAt(exampleVisit, ["invoices", 0])), "services")
    const invoice = (code: string) => ({
      ...entry(["invoices", 0]),
      code,
      services: [{ ...service, invoice_code: code }]
    })
    const found = after([[["invoices"], [invoice("A"), invoice("B")]]])
    assert.include(found, "warning duplicate-code invoices.1.code")
  })

  it("an examination, an advice or a symptom that is sent twice is worth a look; an examination of a stay is not", () => {
    const exam = entry(["physical_examinations", 0])
    const stay = valueAt(exampleVisit, ["inpatients", 0, "code"])
    const exams = (encounter_code: unknown, ...values: ReadonlyArray<unknown>) =>
      after([[["physical_examinations"], values.map((value) => ({ ...exam, encounter_code, value }))]])
        .filter((found) => found.includes("duplicate"))
    assert.deepStrictEqual(exams(stay, "x", "x"), [])
    assert.deepStrictEqual(exams("E", "x", "x", "y"), ["warning duplicate-code physical_examinations.1.name"])
    assert.deepStrictEqual(after([[["consultations"], ["Rest.", "Drink water.", "Rest."]]]), [
      "warning duplicate-code consultations.2"
    ])
    for (const list of ["inpatients", "surgeries"]) {
      assert.deepStrictEqual(after([[[list, 0, "symptoms"], ["Pain", "Pain", "Fever"]]]), [
        `warning duplicate-code ${list}.0.symptoms.1`
      ])
    }
  })

  it("a diagnosis that an encounter has twice with one type is worth a look; with another type it is not", () => {
    const one = entry(["diagnosis", 1])
    assert.deepStrictEqual(after([[["diagnosis"], [one, one]]]).filter((found) => found.includes("duplicate")), [
      "warning duplicate-code diagnosis.1.diagnosis_code"
    ])
    const both = [{ ...one, diagnosis_type_name: "Primary" }, { ...one, diagnosis_type_name: "Secondary" }]
    assert.include(after([[["diagnosis"], both]]), "warning duplicate-code diagnosis.1.diagnosis_code")
    const other = { ...one, diagnosis_type_name: "Complication" }
    assert.deepStrictEqual(after([[["diagnosis"], [one, other]]]).filter((found) => found.includes("duplicate")), [])
  })
})

describe("§4.5 rule 6: referral data is required when the patient is transferred", () => {
  it("a transfer without a referral is an error", () => {
    assert.deepStrictEqual(after([[["referrals"], null]]), ["error referral-required referrals"])
    assert.deepStrictEqual(after([[["referrals", "referred_to"], null]]), [
      "error referral-required referrals.referred_to"
    ])
    assert.include(
      after([[["referrals", "referred_to"], []]]),
      "error referral-required referrals.referred_to",
      "a list is no referral"
    )
    assert.deepStrictEqual(after([[["referrals"], null], [["discharge_type"], "REFER-OUT"]]), [
      "error referral-required referrals"
    ])
  })

  it("which discharge types mean a transfer is a setting", () => {
    const changes: ReadonlyArray<Change> = [[["referrals"], null], [["discharge_type"], "Transferred"]]
    assert.deepStrictEqual(after(changes), ["warning contradiction discharge_type"])
    assert.deepStrictEqual(after(changes, { transferDischargeTypes: ["Transferred"] }), [
      "error referral-required referrals"
    ])
    assert.deepStrictEqual(after(changes, { transferDischargeTypes: ["Refer Out"] }), [])
  })

  it("a discharge type in other words of a transfer is worth a look", () => {
    for (const type of ["Referred out", "Transfer to another hospital", "Self-referral"]) {
      const found = after([[["referrals"], null], [["discharge_type"], type]])
      assert.deepStrictEqual(found, ["warning contradiction discharge_type"], type)
    }
    for (const type of ["Authorized", "Absconded", "Preferred", null]) {
      assert.deepStrictEqual(after([[["referrals"], null], [["discharge_type"], type]]), [], String(type))
    }
  })

  it("a referral to the facility itself is worth a look", () => {
    const path = ["referrals", "referred_to", "health_facility", "code"]
    assert.deepStrictEqual(after([[path, "HF0001"]]), [`warning contradiction ${path.join(".")}`])
    assert.deepStrictEqual(after([[path, null]]).filter((problem) => problem.includes("contradiction")), [])
  })

  it("a referral without a transfer is worth a look", () => {
    assert.deepStrictEqual(after([[["discharge_type"], "Authorized"]]), ["warning contradiction referrals.referred_to"])
  })

  it("a patient who was referred here has a `referred_from`, and the other way round", () => {
    assert.deepStrictEqual(after([[["admission_type"], "Refer"]]), ["warning contradiction referrals.referred_from"])
    assert.deepStrictEqual(after([[["referrals", "referred_from"], { code: "HF0003" }]]), [
      "warning contradiction admission_type"
    ])
    assert.deepStrictEqual(
      after([[["referrals", "referred_from"], { code: "HF0003" }], [["admission_type"], "Refer"]]),
      []
    )
  })
})

describe("times are in order", () => {
  it("what ends does so after it starts", () => {
    assert.deepStrictEqual(after([[["outpatients", 0, "ended_at"], "2026-03-01T08:19:00.000+07:00"]]), [
      "warning ends-before-start outpatients.0.ended_at"
    ])
    assert.deepStrictEqual(titles([[["outpatients", 0, "ended_at"], "2026-03-01T00:00:00.000+07:00"]]), [
      "`ended_at` is the midnight before `started_at`"
    ])
    assert.deepStrictEqual(titles([[["outpatients", 0, "ended_at"], "2026-02-28T00:00:00.000+07:00"]]), [
      "`ended_at` is before `started_at`",
      "`ended_at` is before the visit's `admitted_at`"
    ])
    assert.deepStrictEqual(after([[["imageries", 0, "collected_at"], "2026-03-01T10:59:59.999+07:00"]]), [
      "warning ends-before-start imageries.0.collected_at"
    ])
    assert.deepStrictEqual(after([[["referrals", "referred_to", "received_at"], "2026-03-03T15:59:00.000+07:00"]]), [
      "warning ends-before-start referrals.referred_to.received_at"
    ])
    assert.deepStrictEqual(after([[["patient", "updated_at"], "2019-01-01T00:00:00.000+07:00"]]), [
      "warning ends-before-start patient.updated_at"
    ])
  })

  it("what lasts no time at all is in order, and so is what lies on the visit's edges", () => {
    assert.deepStrictEqual(after([[["outpatients", 0, "ended_at"], "2026-03-01T08:20:00.000+07:00"]]), [])
    assert.deepStrictEqual(after([[["triages", 0, "recorded_at"], "2026-03-03T16:30:00.000+07:00"]]), [])
    assert.deepStrictEqual(titles([[["triages", 0, "recorded_at"], "2026-03-03T16:30:00.001+07:00"]]), [
      "`recorded_at` is after the visit's `discharged_at`"
    ])
    assert.deepStrictEqual(titles([[["triages", 0, "recorded_at"], "2026-03-01T07:59:59.999+07:00"]]), [
      "`recorded_at` is before the visit's `admitted_at`"
    ])
  })

  it("one edge of the visit is enough to be outside it", () => {
    const open = after([[["discharged_at"], null], [["triages", 0, "recorded_at"], "2026-03-01T07:00:00.000+07:00"]])
    assert.deepStrictEqual(open, ["error required-field discharged_at", "warning outside-visit triages.0.recorded_at"])
  })

  it("is a matter of instants, not of how they are written", () => {
    assert.deepStrictEqual(after([[["outpatients", 0, "ended_at"], "2026-03-01T01:25:00.000+00:00"]]), [])
  })

  it("what happens during the visit lies inside it", () => {
    assert.deepStrictEqual(after([[["triages", 0, "recorded_at"], "2026-03-01T07:59:59.999+07:00"]]), [
      "warning outside-visit triages.0.recorded_at"
    ])
    assert.deepStrictEqual(after([[["triages", 0, "recorded_at"], "2026-03-01T08:00:00.000+07:00"]]), [])
    assert.deepStrictEqual(after([[["prescriptions", 0, "prescribed_at"], "2026-03-03T16:30:00.001+07:00"]]), [
      "warning outside-visit prescriptions.0.prescribed_at"
    ])
    assert.deepStrictEqual(
      after([[["laboratories", 0, "results", 0, "verified_at"], "2026-03-05T08:00:00.000+07:00"]]),
      []
    )
  })

  it("an event that is inside the visit if day and month are exchanged stops the visit", () => {
    const stay = (from: string, to: string, event: string) =>
      after([
        [["admitted_at"], `${from}T08:00:00.000+07:00`],
        [["discharged_at"], `${to}T16:30:00.000+07:00`],
        ...[
          "outpatients",
          "inpatients",
          "surgeries",
          "progress_notes",
          "emergencies",
          "soaps",
          "laboratories",
          "imageries"
        ]
          .map((list): Change => [[list], []]),
        ...["prescriptions", "diagnosis", "vital_signs"].map((list): Change => [[list], []]),
        [["triages", 0, "recorded_at"], `${event}T09:00:00.000+07:00`]
      ]).filter((problem) => problem.includes("outside-visit"))
    const error = ["error outside-visit triages.0.recorded_at"]
    const warning = ["warning outside-visit triages.0.recorded_at"]
    // The file of the event has another order than the mapping declares.
    assert.deepStrictEqual(stay("2026-03-01", "2026-03-03", "2026-02-03"), error)
    // The file of the visits has another order.
    assert.deepStrictEqual(stay("2026-01-03", "2026-02-03", "2026-03-02"), error)
    // Another day, month or year shows nothing, and neither does a long stay.
    assert.deepStrictEqual(stay("2026-03-01", "2026-03-03", "2026-02-07"), warning)
    assert.deepStrictEqual(stay("2026-03-01", "2026-03-03", "2026-02-20"), warning)
    assert.deepStrictEqual(stay("2026-03-01", "2026-03-03", "2025-02-03"), warning)
    assert.deepStrictEqual(stay("2026-03-01", "2026-03-30", "2026-02-03"), warning)
  })

  it("a day without a time is outside the visit only if no part of it is inside", () => {
    const recorded = (at: string, edges: Parameters<typeof after>[0] = []) =>
      after([...edges, [["triages", 0, "recorded_at"], at]])
    const outside = ["warning outside-visit triages.0.recorded_at"]
    for (const clock of ["00:00:00.000", "12:00:00.000", "23:59:59.999"]) {
      assert.deepStrictEqual(recorded(`2026-03-01T${clock}+07:00`), [], clock)
      assert.deepStrictEqual(recorded(`2026-03-03T${clock}+07:00`), [], clock)
      assert.deepStrictEqual(recorded(`2026-02-28T${clock}+07:00`), outside, clock)
      assert.deepStrictEqual(recorded(`2026-03-04T${clock}+07:00`), outside, clock)
    }
    const days = [
      [["admitted_at"], "2026-03-01T12:00:00.000+07:00"],
      [["discharged_at"], "2026-03-03T00:00:00.000+07:00"]
    ] as const
    assert.notInclude(recorded("2026-03-01T08:00:00.000+07:00", days), outside[0])
    assert.notInclude(recorded("2026-03-03T08:00:00.000+07:00", days), outside[0])
  })

  it("a visit that is discharged before it is admitted", () => {
    const found = after([[["discharged_at"], "2026-02-28T08:00:00.000+07:00"]])
    assert.include(found, "error ends-before-start discharged_at")
  })

  it("nothing but the next appointment lies in the future", () => {
    const early = Date.UTC(2026, 2, 1, 0, 58)
    const found = validateVisit(exampleVisit, { now: early }).filter(({ code }) => code === "in-the-future")
    assert.notInclude(found.map(({ path }) => path.join(".")), "admitted_at")
    assert.notInclude(found.map(({ path }) => path.join(".")), "followup_at")
    assert.include(found.map(({ path }) => path.join(".")), "triages.0.recorded_at")
    assert.include(found.map(({ path }) => path.join(".")), "laboratories.0.results.1.verified_at")
    const at = (now: number) =>
      validateVisit(exampleVisit, { now }).map(({ path }) => path.join(".")).includes("admitted_at")
    const admitted = Date.UTC(2026, 2, 1, 1)
    assert.isFalse(at(admitted - 5 * 60_000))
    assert.isTrue(at(admitted - 5 * 60_000 - 1))
    assert.deepStrictEqual(after([[["patient", "birthdate"], "2026-04-02"]]), [
      "error odd-value patient.birthdate"
    ])
  })
})

describe("the years of a visit are those of the Gregorian calendar", () => {
  const found = (year: string, path: ReadonlyArray<string>, rest: string) =>
    after([[path, `${year}${rest}`]]).filter((problem) => problem === `error odd-value ${path.join(".")}`)

  for (const [calendar, year] of [["Persian", "1404"], ["Islamic", "1447"], ["Nepali", "2082"], ["Buddhist", "2569"]]) {
    it(`${calendar}: ${year}`, () => {
      assert.lengthOf(found(String(year), ["admitted_at"], "-03-01T08:00:00.000+07:00"), 1)
      assert.lengthOf(found(String(year), ["followup_at"], "-03-01T08:00:00.000+07:00"), 1)
      assert.lengthOf(found(String(year), ["patient", "birthdate"], "-03-01"), 1)
    })
  }

  it("but not a recent one", () => {
    for (const year of ["1850", "1926", "2018"]) {
      assert.deepStrictEqual(found(year, ["admitted_at"], "-03-01T08:00:00.000+07:00"), [])
      assert.deepStrictEqual(found(year, ["patient", "birthdate"], "-03-01"), [])
    }
    assert.deepStrictEqual(found("2030", ["followup_at"], "-03-01T08:00:00.000+07:00"), [])
  })
})

describe("fields that agree", () => {
  it("an inpatient visit has an inpatient entry", () => {
    assert.deepStrictEqual(after([[["visit_type"], "OPD"]]), ["warning contradiction visit_type"])
    const found = after([[["inpatients"], []]])
    assert.include(found, "warning contradiction inpatients")
  })

  it("every visit has an outpatient, inpatient or emergency entry", () => {
    assert.include(
      after([[["visit_type"], "OPD"], [["inpatients"], []], [["outpatients"], []]]),
      "warning contradiction outpatients"
    )
  })

  it("discharge type, outcome and death agree", () => {
    const alive: ReadonlyArray<Change> = [[["discharge_type"], "Deceased"], [["referrals"], null]]
    assert.deepStrictEqual(after(alive), [
      "warning contradiction visit_outcome",
      "warning contradiction patient.death_at"
    ])
    const died: Change = [["patient", "death_at"], "2026-03-03T16:00:00.000+07:00"]
    assert.deepStrictEqual(after([...alive, [["visit_outcome"], "Deceased"], died]), [])
    assert.deepStrictEqual(after([[["visit_outcome"], "Deceased"], died]), ["warning contradiction discharge_type"])
    assert.deepStrictEqual(after([died]), ["warning contradiction patient.death_at"])
    assert.deepStrictEqual(after([[["patient", "death_at"], "2026-03-20T16:00:00.000+07:00"]]), [])
    assert.deepStrictEqual(after([[["patient", "death_at"], "2026-02-20T16:00:00.000+07:00"]]), [
      "warning contradiction patient.death_at"
    ])
  })

  it("there is exactly one primary diagnosis", () => {
    assert.deepStrictEqual(after([[["diagnosis"], []]]), ["warning primary-diagnosis diagnosis"])
    assert.deepStrictEqual(after([[["diagnosis", 0, "diagnosis_type_name"], "Secondary"]]), [
      "warning primary-diagnosis diagnosis"
    ])
    assert.deepStrictEqual(after([[["diagnosis", 1, "diagnosis_type_name"], "primary"]]), [
      "warning primary-diagnosis diagnosis.1.diagnosis_type_name"
    ])
  })

  it("a laboratory value has the type it states", () => {
    assert.deepStrictEqual(after([[["laboratories", 0, "results", 0, "value"], "98"]]), [
      "warning contradiction laboratories.0.results.0.value_type"
    ])
    assert.deepStrictEqual(after([[["laboratories", 0, "results", 1, "value"], fromText("1.0")]]), [
      "warning contradiction laboratories.0.results.1.value_type"
    ])
    assert.deepStrictEqual(after([[["laboratories", 0, "results", 0, "value"], fromText("98.0")]]), [])
    assert.deepStrictEqual(after([[["laboratories", 0, "results", 0, "value"], null]]), [
      "error missing-content laboratories.0.results.0.value"
    ])
  })

  it("where a scheme pays, the patient has a card", () => {
    const noCard: Change = [["patient", "identifications"], []]
    assert.deepStrictEqual(after([noCard]), [])
    assert.deepStrictEqual(after([noCard], { schemePaymentTypes: ["Full pay"] }), [
      "warning contradiction invoices.0.payment_type"
    ])
    assert.deepStrictEqual(after([], { schemePaymentTypes: ["Full pay"] }), [])
  })

  it("death on the edges of the visit is inside it", () => {
    const reported = "warning contradiction patient.death_at"
    const found = (time: string) => titles([[["patient", "death_at"], time]])
    assert.match(at(found("2026-03-01T08:00:00.000+07:00"), 0), /lies in the visit/)
    assert.match(at(found("2026-03-03T16:30:00.000+07:00"), 0), /lies in the visit/)
    assert.match(at(found("2026-03-01T07:59:59.999+07:00"), 0), /before the visit's/)
    assert.deepStrictEqual(after([[["patient", "death_at"], "2026-03-03T16:30:00.000+07:00"]]), [reported])
  })

  it("accepts a death that is known only by day on the day of the visit", () => {
    const found = (time: string) => titles([[["patient", "death_at"], time]])
    assert.match(at(found("2026-03-01T00:00:00.000+07:00"), 0), /lies in the visit/)
    assert.match(at(found("2026-02-28T00:00:00.000+07:00"), 0), /before the visit's/)
  })

  it("reports the number of primary diagnoses", () => {
    assert.deepStrictEqual(titles([[["diagnosis"], []]]), ["the visit has no primary diagnosis"])
    assert.deepStrictEqual(titles([[["diagnosis", 1, "diagnosis_type_name"], "Primary"]]), [
      "the visit has 2 primary diagnoses"
    ])
  })

  it("reports an administrative unit with the code of its parent, and ignores codes that are not digits", () => {
    assert.deepStrictEqual(titles([[["patient", "address", "village", "code"], "120101"]]), [
      "the `village` has the code of the `commune` that contains it"
    ])
    assert.deepStrictEqual(after([[["patient", "address", "province", "code"], "PP"]]), [])
  })

  it("requires that an administrative unit is in the next higher one", () => {
    assert.deepStrictEqual(after([[["patient", "address", "commune", "code"], "130101"]]), [
      "warning contradiction patient.address.commune.code",
      "warning contradiction patient.address.village.code"
    ])
    assert.deepStrictEqual(after([[["patient", "address", "village", "code"], "PHUM-1"]]), [])
  })

  it("§2.5: a number as the name of an administrative unit is worth a look", () => {
    const name = ["patient", "address", "commune", "name"]
    assert.deepStrictEqual(after([[name, "355030"]]), ["warning odd-value patient.address.commune.name"])
    assert.deepStrictEqual(after([[name, "Phum 1"]]), [])
  })

  it("§2.5: codes of an address are looked up in the facility's gazetteer, whatever they look like", () => {
    const gazetteer = new Map([
      ["12", { name: "Phnom Penh", parent: null }],
      ["1201", { name: "Chamkar Mon", parent: "12" }],
      ["120101", { name: "Tonle Basak", parent: "1201" }],
      ["12010101", { name: "Phum 1", parent: "120101" }],
      ["PP", { name: "Phnom Penh", parent: null }],
      ["X9", { name: "Elsewhere", parent: "X9" }]
    ])
    const code = (level: string) => ["patient", "address", level, "code"]
    assert.deepStrictEqual(after([], { gazetteer }), [])
    assert.deepStrictEqual(
      after([[code("district"), null], [code("commune"), null]], { gazetteer }).filter((line) =>
        line.startsWith("warning")
      ),
      []
    )
    assert.deepStrictEqual(after([[code("commune"), "120102"]], { gazetteer }), [
      "warning unknown-list-value patient.address.commune.code"
    ])
    assert.deepStrictEqual(after([[code("province"), "PP"]], { gazetteer }), [
      "warning contradiction patient.address.district.code"
    ])
    // a cycle of units in the table does not prevent the lookup
    assert.deepStrictEqual(after([[code("village"), "X9"]], { gazetteer }), [
      "warning contradiction patient.address.village.code"
    ])
  })
})

describe("an invoice adds up, but for a hundredth", () => {
  const total = (text: string, more: ReadonlyArray<Change> = []): ReadonlyArray<string> =>
    after([[["invoices", 0, "total"], fromText(text)], ...more])
  const differs = ["warning sum-differs invoices.0.total"]

  it("accepts the sum of payments, or of prices with or without discounts", () => {
    assert.deepStrictEqual(total("61500.2"), [])
    assert.deepStrictEqual(total("61500.19"), [])
    assert.deepStrictEqual(total("61500.189999999999999999999"), differs)
    assert.deepStrictEqual(total("61500.210000000000000000001"), differs)
    const discount: Change = [["invoices", 0, "services", 0, "discount"], fromText("1000.10")]
    assert.deepStrictEqual(total("60500.10", [discount]), [])
  })

  it("says that a total is half or twice the sum of the lines, and that lines are repeated", () => {
    const doubled = (text: string, more: ReadonlyArray<Change> = []) =>
      titles([[["invoices", 0, "total"], fromText(text)], ...more])[0] ?? ""
    assert.match(doubled("123000.40"), /^`total` is twice the sum/u)
    assert.match(doubled("30750.10"), /^`total` is half the sum/u)
    assert.isUndefined(problemsOf(changed([[["invoices", 0, "total"], 1]])).find(({ facts }) => facts !== undefined))
    const { medications, services } = exampleVisit.invoices[0] ?? { medications: [], services: [] }
    const twice: ReadonlyArray<Change> = [
      [["invoices", 0, "services"], [...services, ...services]],
      [["invoices", 0, "medications"], [...medications, ...medications]]
    ]
    assert.match(doubled("61500.20", twice), /^`total` is half the sum/u)
    const problem = problemsOf(changed(twice)).find(({ code }) => code === "sum-differs")
    assert.deepStrictEqual(problem?.facts, [[
      "lines",
      `${services.length + medications.length} of ${2 * (services.length + medications.length)} repeat another line`
    ]])
  })

  it("warns of a total without the quantities, unless prices are per line", () => {
    const changes: ReadonlyArray<Change> = [[["invoices", 0, "total"], fromText("60150.02")]]
    assert.deepStrictEqual(after(changes), differs)
    assert.match(titles(changes)[0] ?? "", /is correct only without the quantities/u)
    const paidByLine: Change = [["invoices", 0, "medications", 0, "payment"], fromText("150.02")]
    assert.deepStrictEqual(after([...changes, paidByLine], { medicinePrice: "line" }), [])
    assert.deepStrictEqual(after(changes, { medicinePrice: "either" }), [])
    const noPayment: Change = [["invoices", 0, "medications", 0, "payment"], 0]
    assert.deepStrictEqual(
      after([[["invoices", 0, "total"], fromText("61500.20")], noPayment], { medicinePrice: "line" }),
      differs
    )
  })

  it("warns of a medicine that is paid without its quantity, whatever the total is", () => {
    const paid = (payment: string, settings: Partial<ValidationSettings> = {}): ReadonlyArray<string> =>
      after([[["invoices", 0, "medications", 0, "payment"], fromText(payment)]], settings)
        .filter((one) => !one.endsWith(".total"))
    const contradicts = ["warning sum-differs invoices.0.medications.0.payment"]
    assert.deepStrictEqual(paid("150.02"), contradicts)
    assert.deepStrictEqual(paid("1500.20"), [])
    assert.deepStrictEqual(paid("1500.20", { medicinePrice: "line" }), contradicts)
    assert.deepStrictEqual(paid("150.02", { medicinePrice: "line" }), [])
    assert.deepStrictEqual(paid("150.02", { medicinePrice: "either" }), [])
  })

  it("accepts a payment that is neither: a share of the price, or one with a surcharge", () => {
    for (const payment of ["0", "700", "1600.20"]) {
      assert.deepStrictEqual(after([[["invoices", 0, "medications", 0, "payment"], fromText(payment)]]), [], payment)
    }
  })

  it("uses the configured tolerance", () => {
    const changes: ReadonlyArray<Change> = [[["invoices", 0, "total"], fromText("61500.19")]]
    assert.deepStrictEqual(after(changes, { invoiceTolerance: 0 }), differs)
    assert.deepStrictEqual(after([[["invoices", 0, "total"], 61000]], { invoiceTolerance: 501 }), [])
  })

  it("reports a total that could not be compared, with the reason", () => {
    const nothing: ReadonlyArray<Change> = [[["invoices", 0, "services"], []], [["invoices", 0, "medications"], []]]
    assert.deepStrictEqual(total("5", nothing), differs)
    assert.match(titles(nothing)[0] ?? "", /could not be compared .*: the invoice has no lines/u)
    const prices: ReadonlyArray<Change> = [
      [["invoices", 0, "services", 0, "payment"], null],
      [["invoices", 0, "services", 0, "price"], null]
    ]
    assert.deepStrictEqual(total("5", prices), differs)
    assert.match(titles(prices)[0] ?? "", /: a line lacks its payment and its price/u)
    assert.deepStrictEqual(after([[["invoices", 0, "total"], null]]), differs)
    assert.match(titles([[["invoices", 0, "total"], null]])[0] ?? "", /: the invoice has no total/u)
  })
})

describe("values that are possible for a human body", () => {
  it("warns of vital signs outside their range", () => {
    const odd = [
      ["Systolic Blood Pressure", 16],
      ["Diastolic Blood Pressure", 9],
      ["Heart Rate", 0],
      ["Respiratory Rate", 151],
      ["Temperature", 98.6],
      ["Blood Oxygen", 0.98],
      ["Random Blood Glucose", 5.8]
    ] as const
    for (const [name, value] of odd) {
      assert.deepStrictEqual(after([[["vital_signs", 0, "observations"], [{ name, value }]]]), [
        "warning odd-value vital_signs.0.observations.0.value"
      ], name)
    }
    assert.deepStrictEqual(after([[["vital_signs", 0, "observations"], [{ name: "Pain score", value: 0 }]]]), [
      "warning unknown-list-value vital_signs.0.observations.0.name"
    ])
  })

  it("a measurement far outside its range, and a number too long to be kept, are errors", () => {
    const sign = (value: unknown) => after([[["vital_signs", 0, "observations"], [{ name: "Heart Rate", value }]]])
    const error = "error odd-value vital_signs.0.observations.0.value"
    assert.deepStrictEqual(sign(-1), [error])
    assert.deepStrictEqual(sign(4001), [error])
    assert.deepStrictEqual(sign(fromText("1".repeat(399))), [error, error])
    assert.deepStrictEqual(after([[["prescriptions", 0, "medications", 0, "days"], 1e15]]), [
      "error odd-value prescriptions.0.medications.0.days"
    ])
  })

  it("accepts the ends of a range", () => {
    for (const value of [20, 350]) {
      assert.deepStrictEqual(
        after([[["vital_signs", 0, "observations"], [{ name: "systolic blood-pressure", value }]]]),
        ["warning unknown-list-value vital_signs.0.observations.0.name"]
      )
    }
    for (
      const [name, value] of [["height", 20], ["height", 280], ["weight", fromText("0.20")], ["weight", 700]] as const
    ) {
      assert.deepStrictEqual(after([[["triages", 0, name], value]]), [])
    }
    const [problem] = problemsOf(changed([[["vital_signs", 0, "observations", 4, "value"], fromText("98.60")]]))
    assert.deepStrictEqual([problem?.title, problem?.help], [
      "Temperature is outside 20 to 46 °C",
      "its usual unit is °C; look at the unit of the source"
    ])
  })

  it("reports a height or weight of zero or in other units", () => {
    assert.deepStrictEqual(after([[["triages", 0, "height"], 0], [["triages", 0, "weight"], fromText("0.0")]]), [
      "error odd-value triages.0.height",
      "error odd-value triages.0.weight"
    ])
    assert.deepStrictEqual(after([[["triages", 0, "height"], 1.58]]), ["warning odd-value triages.0.height"])
    assert.deepStrictEqual(after([[["triages", 0, "height"], null], [["triages", 0, "weight"], null]]), [])
  })

  it("reports a temperature of zero as an error: nothing was measured", () => {
    const observation = ["vital_signs", 0, "observations", 0]
    const zero = (name: string) => after([[[...observation, "name"], name], [[...observation, "value"], 0]])
    for (const name of ["Temperature", "Random Blood Glucose"]) {
      assert.include(zero(name), `error odd-value ${observation.join(".")}.value`)
    }
    // A heart can have stopped.
    assert.include(zero("Heart Rate"), `warning odd-value ${observation.join(".")}.value`)
  })

  it("warns if the diastolic blood pressure is not below the systolic", () => {
    assert.deepStrictEqual(after([[["vital_signs", 0, "observations", 1, "value"], 118]]), [
      "warning contradiction vital_signs.0.observations"
    ])
  })

  it("warns of a unit that is a number: it is the code of a unit", () => {
    const unit = ["laboratories", 0, "results", 0, "value_unit"]
    for (const code of ["258795003", "77"]) {
      assert.deepStrictEqual(after([[unit, code]]), [`warning odd-value ${unit.join(".")}`], code)
    }
    for (const text of ["1", "10*3/uL", "x10^9/L", "%", null]) {
      assert.deepStrictEqual(after([[unit, text]]), [], String(text))
    }
  })

  it("warns of a result text that means \"no result\"", () => {
    const result = ["laboratories", 0, "results", 0]
    const value = [...result, "value"]
    for (const word of ["pending", "Not done", "N/A", "sample rejected", "-"]) {
      assert.deepStrictEqual(
        after([[value, word], [[...result, "value_type"], "string"]]),
        [`warning odd-value ${value.join(".")}`],
        word
      )
    }
    for (const word of ["Negative", "not detected", "No growth", "A+", "rejected by panel 3"]) {
      assert.deepStrictEqual(after([[value, word], [[...result, "value_type"], "string"]]), [], word)
    }
  })

  it("warns of two values of one test in one request, of one time and one unit", () => {
    const again = (change: object) =>
      after([[["laboratories", 0, "results", 2], {
        ...entry(["laboratories", 0, "results", 0]),
        value: fromText("89"),
        ...change
      }]]).filter((problem) => problem.includes("contradiction"))
    assert.deepStrictEqual(again({}), ["warning contradiction laboratories.0.results.2.value"])
    for (
      const change of [{ recorded_at: "2026-03-02T11:00:00.000+07:00" }, { value_unit: "10*3/uL" }, { name: "Hb" }]
    ) {
      assert.deepStrictEqual(again(change), [])
    }
  })

  it("takes two findings of one test that have results of their own, such as organisms with their susceptibilities", () => {
    const result = entry(["laboratories", 0, "results", 0])
    const finding = (value: string) => ({ ...result, name: "Culture", value, value_type: "string" })
    const found = (categories: ReadonlyArray<string>) =>
      after([[["laboratories", 0, "results"], [
        finding("Escherichia coli"),
        finding("Klebsiella pneumoniae"),
        ...categories.map((category, at) => ({ ...result, name: "Ampicillin", category, value: fromText(`${at}`) }))
      ]]]).filter((problem) => problem.includes("contradiction"))
    assert.deepStrictEqual(found([]), ["warning contradiction laboratories.0.results.1.value"])
    assert.deepStrictEqual(found(["Culture: Escherichia coli", "Culture: Klebsiella pneumoniae"]), [])
    assert.deepStrictEqual(found(["Culture", "Culture"]), [
      "warning contradiction laboratories.0.results.1.value",
      "warning contradiction laboratories.0.results.3.value"
    ])
  })

  it("warns of two values of one test and time, also in two requests, but not under two categories", () => {
    const laboratory = entry(["laboratories", 0])
    const result = entry(["laboratories", 0, "results", 0])
    const found = (first: object, second: object) =>
      after([[
        ["laboratories"],
        [first, second].map((one, at) => ({
          ...laboratory,
          request_code: `R-${at}`,
          results: [{ ...result, name: "Glucose", category: "Chemistry", ...one }]
        }))
      ]]).filter((problem) => problem.includes("contradiction"))
    assert.deepStrictEqual(found({ value: fromText("8.1") }, { value: fromText("11.1") }), [
      "warning contradiction laboratories.1.results.0.value"
    ])
    assert.deepStrictEqual(found({ value: fromText("8.1") }, { value: fromText("8.1") }), [])
    assert.deepStrictEqual(found({ value: fromText("8.1") }, { value: fromText("0"), category: "Urine" }), [])
    assert.deepStrictEqual(
      found({ value: fromText("8.1") }, { value: fromText("11.1"), recorded_at: "2026-03-02T11:11:00.000+07:00" }),
      []
    )
  })

  it("warns of a patient who was born in 1900, as databases write an unknown day", () => {
    const born = (day: string) => after([[["patient", "birthdate"], day]])
    assert.deepStrictEqual(born("1900-01-01"), ["warning odd-value patient.birthdate"])
    assert.deepStrictEqual(born("1904-01-01"), [])
  })

  it("warns of a result that is a number with a comma, as a text", () => {
    const result = ["laboratories", 0, "results", 0]
    const value = [...result, "value"]
    for (const word of ["12,500", "12,5", "-0,5", "1,234,567.8", "1.234,5"]) {
      assert.deepStrictEqual(
        after([[value, word], [[...result, "value_type"], "string"]]),
        [`warning odd-value ${value.join(".")}`],
        word
      )
    }
    for (const word of ["1:80", "12 - 15", "<5", "3, few", "A,B", "12.5"]) {
      assert.deepStrictEqual(after([[value, word], [[...result, "value_type"], "string"]]), [], word)
    }
  })

  it("warns of an impossible age and of negative amounts", () => {
    assert.deepStrictEqual(after([[["patient", "birthdate"], "1888-02-29"]]), ["warning odd-value patient.birthdate"])
    assert.deepStrictEqual(after([[["patient", "birthdate"], "2026-03-01"]]), [])
    assert.deepStrictEqual(after([[["patient", "birthdate"], "2026-03-05"]]), ["warning odd-value patient.birthdate"])
    assert.deepStrictEqual(after([[["prescriptions", 0, "medications", 0, "days"], -3]]), [
      "warning odd-value prescriptions.0.medications.0.days"
    ])
  })
})

describe("codes", () => {
  it("§2.4: reports the substitute that the base mapping sends for an unknown facility", () => {
    assert.deepStrictEqual(after([[["health_facility_code"], "UNSET"]]), ["warning odd-value health_facility_code"])
  })
})

describe("texts", () => {
  it("may hold tabs and line ends, but no other control characters", () => {
    assert.deepStrictEqual(after([[["soaps", 0, "plan"], "one\n\ttwo\r\n"]]), [])
    assert.deepStrictEqual(after([[["soaps", 0, "plan"], "one\u0000two"], [["consultations", 1], "\u0085"]]), [
      "warning odd-value soaps.0.plan",
      "warning odd-value consultations.1"
    ])
    assert.deepStrictEqual(after([[["physical_examinations", 1, "value", 1], { palpation: "\u0007" }]]), [
      "warning odd-value physical_examinations.1.value.1.palpation"
    ])
  })

  it("§4.5 rule 5: null is sent where there is no value, unless the specification has an empty string there", () => {
    assert.deepStrictEqual(
      after([[["patient", "surname"], ""], [["soaps", 0, "plan"], " \n"], [["consultations", 1], ""]]),
      [
        "warning invalid-field patient.surname",
        "warning invalid-field soaps.0.plan",
        "warning invalid-field consultations.1"
      ]
    )
    assert.deepStrictEqual(after([[["patient", "nationality"], ""], [["patient", "address", "location"], ""]]), [])
  })

  it("may hold zero-width spaces, every script, and emoji", () => {
    assert.deepStrictEqual(after([[["soaps", 0, "plan"], "ជំងឺ\u200Bគ្រុន 🩺 e\u0301"]]), [])
  })

  it("half a surrogate pair is an error: it has no form in UTF-8", () => {
    assert.deepStrictEqual(after([[["soaps", 0, "plan"], "\uD83E"]]), ["error invalid-field soaps.0.plan"])
  })

  it("reports codes with white space around them, and overlong codes", () => {
    assert.deepStrictEqual(after([[["laboratories", 0, "request_code"], " L-778"]]), [
      "warning odd-value laboratories.0.request_code"
    ])
    for (const code of ["L-778\u00A0", "\u200BL-778", "L-778\u200B", "L-778\u200E", "\u200B"]) {
      const found = after([[["laboratories", 0, "request_code"], code]])
      assert.deepStrictEqual(found, ["warning odd-value laboratories.0.request_code"], JSON.stringify(code))
    }
    assert.deepStrictEqual(after([[["soaps", 0, "plan"], "\u00A0\u3000"]]), ["warning invalid-field soaps.0.plan"])
    assert.deepStrictEqual(after([[["patient", "name"], "x".repeat(256)]]), ["warning odd-value patient.name"])
    assert.deepStrictEqual(after([[["patient", "name"], "x".repeat(255)]]), [])
    for (const path of [["patient", "surname"], ["soaps", 0, "title"], ["diagnosis", 0, "diagnosis_name"]]) {
      assert.deepStrictEqual(after([[path, "x".repeat(256)]]), [`warning odd-value ${path.join(".")}`])
    }
    assert.deepStrictEqual(after([[["soaps", 0, "plan"], "x".repeat(5000)]]), [])
  })

  it("§4.5 rule 7: a word for a missing value is no code", () => {
    for (
      const code of ["null", "NULL", "N/A", "NA", "#N/A", "None", "nil", "NaN", "undefined", "Unknown", "-", "--", "."]
    ) {
      assert.deepStrictEqual(after([[["laboratories", 0, "request_code"], code]]), [
        "warning odd-value laboratories.0.request_code"
      ], code)
    }
    for (const code of ["####", "XXXXXXX", "***", "____", "NULL"]) {
      assert.deepStrictEqual(after([[["patient", "spid"], code]]), ["error odd-value patient.spid"], code)
      for (const name of ["code", "patient_code"]) {
        assert.include(after([[[name], code]]), `error odd-value ${name}`, code)
      }
      assert.include(after([[["patient", "code"], code]]), "error odd-value patient.code", code)
    }
    for (const code of ["0", "N-A-1", "NAN-7", "NILE", "NULL1", "A-", "XX", "A-XXX"]) {
      assert.deepStrictEqual(after([[["patient", "spid"], code]]), [], code)
    }
    assert.deepStrictEqual(after([[["prescriptions", 0, "medications", 0, "note"], "none"]]), [])
    const medicines = makeReferenceList([{ code: "NA", name: "Sodium" }])
    assert.deepStrictEqual(
      after([[["prescriptions", 0, "medications", 0, "code"], "NA"]], { lists: new Map([["medications", medicines]]) })
        .filter((problem) => problem.includes("prescriptions")),
      []
    )
  })

  it("§2.5: an empty string is sent for an unknown nationality, no disabilities, no photos", () => {
    assert.deepStrictEqual(after([[["patient", "nationality"], null], [["patient", "photos"], null]]), [
      "warning invalid-field patient.nationality",
      "warning invalid-field patient.photos"
    ])
  })
})

describe("§4.3: values come from the lists of the standard data", () => {
  const lists = new Map(
    [
      ["visit_types", makeReferenceList([{ code: "VTYP-000001", name: "OPD" }, { code: "VTYP-000002", name: "IPD" }])],
      ["diagnoses", makeReferenceList([{ code: "A90", name: "Dengue fever" }, { code: "L02.4", name: "Abscess" }])],
      ["discharge_types", makeReferenceList([{ code: "DTYP-000001", name: "Refer Out", name_kh: "បញ្ជូនចេញ" }])]
    ] as const
  )
  const words = (changes: ReadonlyArray<Change>) =>
    problemsOf(changed(changes), { lists }).filter(({ code }) => code !== "foreign-diagnosis").map(({ path, help }) =>
      `${path.join(".")} ${help ?? ""}`
    )

  it("reports nothing for a listed value, or without the list", () => {
    assert.deepStrictEqual(words([]), [])
    assert.deepStrictEqual(
      words([[["marital_status"], "?"]].map(([, value]) => [["patient", "marital_status"], value])),
      []
    )
  })

  it("accepts a value in either language, and its code", () => {
    assert.deepStrictEqual(words([[["discharge_type"], "បញ្ជូនចេញ"], [["referrals"], null]]), [])
    assert.deepStrictEqual(
      words([[["visit_type"], "VTYP-000002"], [["inpatients"], []]]).filter((w) => w.startsWith("visit_type the")),
      []
    )
  })

  it("shows the list's spelling of a value that is spelt differently", () => {
    assert.deepStrictEqual(words([[["visit_type"], "ipd"]]), ["visit_type the list spells it `IPD`"])
    assert.deepStrictEqual(words([[["diagnosis", 1, "diagnosis_code"], "l024"]]), [
      "diagnosis.1.diagnosis_code the list spells it `L02.4`"
    ])
  })

  it("warns of a value that is not in the list: lists change", () => {
    const found = problemsOf(changed([[["visit_type"], "Day care"], [["inpatients"], []]]), { lists })
    assert.deepStrictEqual(
      found.filter(({ code }) => code === "unknown-list-value").map((
        { path, severity, title }
      ) => [severity, path, title]),
      [["warning", ["visit_type"], "`visit_type` is not in the list `visit_types`"]]
    )
    assert.deepStrictEqual(
      words([[["visit_type"], ""], [["inpatients"], []]]).filter((w) => w.startsWith("visit_type the")),
      ["visit_type the specification sends `null` if there is no value"]
    )
  })

  it("searches a list without codes for codes, too", () => {
    const facilities = new Map(
      [["health_facilities", makeReferenceList([{ name: "HF0100" }, { name: "HF0101" }])]] as const
    )
    assert.deepStrictEqual(problemsOf(exampleVisit, { lists: facilities }), [])
  })

  it("looks a code up only among the codes", () => {
    assert.deepStrictEqual(words([[["diagnosis", 0, "diagnosis_code"], "Dengue fever"]]), [
      "diagnosis.0.diagnosis_code "
    ])
  })
})

describe("the rules between the visits of a run", () => {
  const renamed = (changes: ReadonlyArray<Change>): unknown => {
    const text = JSON.stringify(exampleVisit).replaceAll("V260301", "V260302").replaceAll("P26001001", "P26001002")
    return changes.reduce<unknown>((visit, [path, value]) => withValue(visit, path, value), JSON.parse(text))
  }
  const fed = (...visits: ReadonlyArray<unknown>): ReadonlyArray<string> => {
    const unique = makeUniqueInRun()
    return visits.flatMap((visit, index) =>
      unique(visit).map(({ severity, code, path, facts }) => {
        assert.match(facts?.[0]?.[1] ?? "", /^visit V26030/iu, "names the earlier visit")
        return `${index} ${severity} ${code} ${path.join(".")}`
      })
    )
  }

  it("§4.5 rule 2: a visit code is unique for each health facility", () => {
    assert.deepStrictEqual(fed(exampleVisit, renamed([])), [])
    assert.deepStrictEqual(fed(exampleVisit, exampleVisit), ["1 error duplicate-code code"])
    const elsewhere = renamed([[["code"], "V260301"], [["health_facility_code"], "HF0002"]])
    assert.deepStrictEqual(fed(exampleVisit, elsewhere), [])
    const lower = renamed([[["code"], "v260301"]])
    assert.deepStrictEqual(fed(exampleVisit, lower), ["1 warning duplicate-code code"])
    assert.deepStrictEqual(fed(exampleVisit, lower, lower), [
      "1 warning duplicate-code code",
      "2 error duplicate-code code"
    ])
  })

  it("§4.5 rule 1: a patient code is of one person", () => {
    const same: Change = [["patient_code"], "P26001001"]
    const found = (...changes: ReadonlyArray<Change>) =>
      fed(exampleVisit, renamed([same, ...changes])).filter((one) => one.endsWith("patient_code"))
    assert.deepStrictEqual(found(), [])
    assert.deepStrictEqual(found([["patient", "birthdate"], "1950-01-01"]), ["1 error duplicate-code patient_code"])
    assert.deepStrictEqual(found([["patient", "sex"], "M"]), ["1 error duplicate-code patient_code"])
    assert.deepStrictEqual(found([["patient", "sex"], null]), [])
  })

  it("§4.5 rule 1: compares each patient with that patient's first visit that states the person", () => {
    const unique = makeUniqueInRun()
    const found = (code: string, patient: string, sex: string | null, birthdate: string) =>
      unique({ code, patient_code: patient, patient: { sex, birthdate } }).map(({ facts }) => facts)
    assert.deepStrictEqual(found("V1", "P1", "F", "1990-01-01"), [])
    assert.deepStrictEqual(found("V2", "P2", "M", "1980-01-01"), [])
    assert.deepStrictEqual(found("V3", "P2", "M", "1980-01-01"), [])
    assert.deepStrictEqual(found("V4", "P1", "F", "1990-01-01"), [])
    assert.deepStrictEqual(found("V5", "P2", "F", "1990-01-01"), [[["earlier", "visit V2"]]])
    assert.deepStrictEqual(found("V6", "P1", "M", "1980-01-01"), [[["earlier", "visit V1"]]])
    assert.deepStrictEqual(found("V7", "P3", null, "1990-01-01"), [])
    assert.deepStrictEqual(found("V8", "P3", "F", "1990-01-01"), [])
    assert.deepStrictEqual(found("V9", "P3", "M", "1980-01-01"), [[["earlier", "visit V8"]]])
  })

  it("§4.5 rule 3: encounter codes are unique across visits and sections", () => {
    assert.deepStrictEqual(fed(exampleVisit, renamed([[["surgeries", 0, "code"], "V260301-TRI"]])), [
      "1 error duplicate-code surgeries.0.code"
    ])
  })

  it("remembers only visits that are sent", () => {
    const unique = makeUniqueInRun()
    const found = (code: string, encounters: ReadonlyArray<string>, hour: string, isSent?: () => boolean) =>
      unique(
        {
          code,
          patient_code: "P1",
          patient: { sex: "F", birthdate: "1990-01-01" },
          admitted_at: `2026-03-01T${hour}:00:00.000+07:00`,
          triages: encounters.map((encounter) => ({ code: encounter })),
          prescriptions: [{ code: "7" }]
        },
        undefined,
        isSent
      ).map(({ code, facts, severity }) => `${severity} ${code} ${facts?.[0]?.[1]}`)
    assert.deepStrictEqual(found("V1", ["E1"], "08"), [])
    // Rejected for the encounter of the first visit: neither its other encounter, nor its time, nor its code is taken.
    assert.deepStrictEqual(found("V2", ["E1", "E2"], "09"), ["error duplicate-code visit V1"])
    assert.deepStrictEqual(found("V2", ["E2"], "09"), [])
    // The caller can reject a visit for another reason.
    assert.deepStrictEqual(found("V3", ["E3"], "10", () => false), [])
    assert.deepStrictEqual(found("V4", ["E3"], "10"), [])
    assert.deepStrictEqual(found("V5", ["E3"], "11"), ["error duplicate-code visit V4"])
  })

  it("warns of a short number of a record that another patient has, too", () => {
    const code: Change = [["prescriptions", 0, "code"], "1"]
    const first = withValue(exampleVisit, ...code)
    const patient: Change = [["patient_code"], "P26001001"]
    const later: Change = [["admitted_at"], "2026-03-05T08:00:00.000+07:00"]
    assert.deepStrictEqual(fed(first, renamed([code])), ["1 warning duplicate-code prescriptions.0.code"])
    assert.deepStrictEqual(fed(first, renamed([code, patient, later])), [])
    assert.deepStrictEqual(fed(first, renamed([[["invoices", 0, "code"], "1"]])), [])
  })

  it("§3: names the first of a patient's visits at the same time, or otherwise within the minute", () => {
    // A placeholder for unknown patients has thousands of visits.
    for (const count of [3, 99, 100, 101, 5000]) {
      const uniqueInRun = makeUniqueInRun()
      const seconds = Array.from({ length: count }, (_, n) => (n * 7919) % 997)
      for (const [n, second] of seconds.entries()) {
        const found = uniqueInRun({
          ...exampleVisit,
          // A visit with the encounters of another would be rejected, and not remembered.
          ...Object.fromEntries(encounterLists.map((name) => [name, []])),
          code: `V${n}`,
          admitted_at: new Date(Date.UTC(2026, 2, 1) + second * 1000).toISOString().replace("Z", "+00:00")
        }).filter(({ code }) => code === "same-admission-time")
        const same = seconds.indexOf(second)
        const first = seconds.findIndex((other) => Math.floor(other / 60) === Math.floor(second / 60))
        const earlier = same < n ? same : first
        assert.deepStrictEqual(
          found.map(({ facts, severity }) => [severity, facts]),
          earlier < n ? [[same < n ? "error" : "warning", [["earlier", `visit V${earlier}`]]]] : []
        )
      }
    }
  })

  it("§3: reports a patient's second visit at an admission time, however it is written", () => {
    const patient: Change = [["patient_code"], "P26001001"]
    assert.deepStrictEqual(fed(exampleVisit, renamed([patient, [["admitted_at"], "2026-03-01T01:00:00.000+00:00"]])), [
      "1 error same-admission-time admitted_at"
    ])
    assert.deepStrictEqual(fed(exampleVisit, renamed([patient, [["admitted_at"], "2026-03-01T08:00:30.000+07:00"]])), [
      "1 warning same-admission-time admitted_at"
    ])
    // Another time, in the stay.
    assert.deepStrictEqual(fed(exampleVisit, renamed([patient, [["admitted_at"], "2026-03-01T08:01:00.000+07:00"]])), [
      "1 warning contradiction admitted_at"
    ])
  })

  it("distinguishes a visit at the same time from one within the same minute", () => {
    const unique = makeUniqueInRun()
    const at = (code: string, time: string) =>
      unique({ code, patient_code: "P1", admitted_at: `2026-03-01T08:00:${time}+07:00` })
    assert.deepStrictEqual(at("V1", "00.000"), [])
    assert.deepInclude(at("V2", "30.000")[0], {
      title: "the patient was admitted within the same minute for an earlier visit",
      facts: [["earlier", "visit V1"]]
    })
    assert.deepInclude(at("V3", "30.000")[0], {
      title: "the patient was admitted at the same time for an earlier visit",
      facts: [["earlier", "visit V2"]]
    })
    assert.deepInclude(at("V4", "00.001")[0], {
      title: "the patient was admitted within the same minute for an earlier visit",
      facts: [["earlier", "visit V1"]]
    })
    assert.deepStrictEqual(unique({ code: "V5", patient_code: "P2", admitted_at: "2026-03-01T08:00:00.000+07:00" }), [])
  })

  it("warns of a visit that overlaps with a stay of the patient", () => {
    const unique = makeUniqueInRun()
    const found = (code: string, visit_type: string, from: string, to: string | null, patient_code = "P1") =>
      unique({
        code,
        patient_code,
        visit_type,
        admitted_at: `2026-03-${from}:00:00.000+07:00`,
        discharged_at: to === null ? null : `2026-03-${to}:00:00.000+07:00`
      }).map(({ code, facts, severity }) => `${severity} ${code} ${facts?.flat().join(" ")}`)
    const overlaps = (visit: string) => [`warning contradiction earlier visit ${visit}`]
    assert.deepStrictEqual(found("V1", "IPD", "02T08", "05T08"), [])
    // The stay after the stay, the visit before it, and those of others.
    assert.deepStrictEqual(found("V2", "IPD", "05T09", "06T08"), [])
    assert.deepStrictEqual(found("V3", "OPD", "02T06", "02T08"), [])
    assert.deepStrictEqual(found("V4", "IPD", "03T08", "04T08", "P2"), [])
    assert.deepStrictEqual(found("V5", "IPD", "03T08", "06T08"), overlaps("V2"))
    assert.deepStrictEqual(found("V6", "OPD", "02T09", "02T10"), overlaps("V1"))
    assert.deepStrictEqual(found("V7", "OPD", "01T09", "09T10"), overlaps("V5"))
    assert.deepStrictEqual(found("V8", "OPD", "20T08", "20T10"), [])
    assert.deepStrictEqual(found("V9", "OPD", "20T09", "20T10"), [])
    assert.deepStrictEqual(found("V10", "IPD", "20T07", null), [])
  })

  it("warns of a stay that begins in the minute in which another one of the facility ends", () => {
    const unique = makeUniqueInRun()
    const titles = (code: string, visit_type: string, from: string, to: string, health_facility_code = "HF1") =>
      unique({
        code,
        health_facility_code,
        patient_code: "P1",
        visit_type,
        admitted_at: `2026-03-${from}:30.000+07:00`,
        discharged_at: `2026-03-${to}:00.000+07:00`
      }).map(({ facts, severity, title }) => `${severity} ${title} (${facts?.flat().join(" ")})`)
    const begins = (visit: string) => [
      `warning a stay of the patient begins in the minute in which another one ends (earlier visit ${visit})`
    ]
    assert.deepStrictEqual(titles("V1", "IPD", "02T08:00", "05T08:15"), [])
    assert.deepStrictEqual(titles("V2", "IPD", "05T08:16", "06T08:00"), [])
    // The earlier visit ends, or begins.
    assert.deepStrictEqual(titles("V3", "IPD", "06T08:00", "06T09:00"), begins("V2"))
    assert.deepStrictEqual(titles("V4", "IPD", "01T08:00", "02T08:00"), begins("V1"))
    // Another facility, and a visit that is no stay.
    assert.deepStrictEqual(titles("V5", "IPD", "06T09:00", "06T10:00", "HF2"), [])
    assert.deepStrictEqual(titles("V6", "OPD", "06T10:00", "06T11:00"), [])
    assert.deepStrictEqual(titles("V7", "IPD", "06T11:00", "06T12:00"), [])
  })

  it("names the source location of the earlier visit, if known", () => {
    const unique = makeUniqueInRun()
    const place = (line: number) => ({ file: `${line % 2}.ndjson`, line })
    assert.deepStrictEqual(unique({ code: "V0" }), [])
    for (const line of [1, 2, 3]) {
      assert.deepStrictEqual(unique({ code: `V${line}`, triages: [{ code: `E${line}` }] }, place(line)), [])
    }
    const facts = (visit: unknown) => unique(visit, place(9)).map(({ facts }) => facts)
    assert.deepStrictEqual(facts({ code: "V0" }), [[["earlier", "visit V0"]]])
    assert.deepStrictEqual(facts({ code: "V3" }), [[["earlier", "visit V3"], ["other", "1.ndjson:3"]]])
    assert.deepStrictEqual(facts({ code: "W", surgeries: [{ code: "E2" }] }), [[
      ["earlier", "visit V2"],
      ["other", "0.ndjson:2"]
    ]])
  })

  it("leaves an encounter code that is repeated within a visit to the visit's own rule", () => {
    const unique = makeUniqueInRun()
    assert.deepStrictEqual(unique({ code: "V1", triages: [{ code: "E1" }], surgeries: [{ code: "E1" }] }), [])
    assert.deepStrictEqual(unique({ code: "V2", outpatients: [{ code: "E1" }, {}] }).map(({ path }) => path), [
      ["outpatients", 0, "code"]
    ])
  })

  it("reports nothing for a value that is no visit", () => {
    assert.deepStrictEqual(fed(null, 7, {}, { code: "" }, []), [])
  })
})

describe("§2.6: a line of an invoice is something charged", () => {
  const path = ["invoices", 0, "services", 0]
  const found = (name: string, payment: number) =>
    after([[[...path, "service_name"], name], [[...path, "payment"], payment]]).filter((problem) =>
      problem.endsWith("service_name")
    )

  it("rejects a total, a payment, and a correction that adds to the invoice", () => {
    for (
      const name of [
        "TOTAL",
        "Sub-total:",
        "Sous-total",
        "Tổng cộng",
        "Balance due",
        "Deposit",
        "Abono",
        "REFUND",
        "Avoir"
      ]
    ) {
      assert.deepStrictEqual(found(name, 10), ["error odd-value invoices.0.services.0.service_name"], name)
    }
  })

  it("states what is a payment: the name or the category of a service, or the name of a medicine", () => {
    const texts = [
      [[...path, "service_name"], "name"],
      [[...path, "service_category"], "category"],
      [["invoices", 0, "medications", 0, "medicine_name"], "name"]
    ] as const
    for (const [text, what] of texts) {
      const problems = problemsOf(changed([[text, "Payment"]])).filter(({ code }) => code === "odd-value")
      assert.deepStrictEqual(problems.map(({ path, severity, title }) => [severity, path, title]), [
        ["error", text, `a line of an invoice is no charge: by its ${what} it is a payment`]
      ])
    }
  })

  it("takes a correction that is negative, and services whose names contain such words", () => {
    assert.deepStrictEqual(found("Discount", -10), [])
    for (
      const name of [
        "Total protein",
        "Deposit box key",
        "Cancellation fee",
        "Return visit",
        "Advanced imaging",
        "CHARGE"
      ]
    ) {
      assert.deepStrictEqual(found(name, 10), [], name)
    }
  })
})
