import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"

import { at } from "../../src/at.ts"
import { FacilityCode } from "../../src/visit/values/Code.ts"
import { only, present } from "../present.ts"
import { hasShared, sharedData } from "../sharedData.ts"
import { addsUp, converted, temporaryFolder, written } from "./converted.ts"

const sample = "samples/inpatient-surgery-referral/input"
const day = "samples/clinic-day/input"

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).toSorted().map((name) => join(folder, name))

const linesOf = (folder: string): ReadonlyArray<string> =>
  filesOf(folder).flatMap((file) => {
    const bytes = readFileSync(file)
    return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").split("\n").filter((line) => line !== "")
  })

const bytesOf = (visits: ReadonlyArray<{ readonly json: string }>): string =>
  visits.map(({ json }) => `${json}\n`).join("")

/** A shuffle that depends only on its seed. */
const shuffled = <A>(values: ReadonlyArray<A>, seed: number): ReadonlyArray<A> => {
  const result = [...values]
  let state = seed
  for (let index = result.length - 1; index > 0; index--) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    const other = state % (index + 1)
    const held = at(result, index)
    result[index] = at(result, other)
    result[other] = held
  }
  return result
}

describe("The same records give the same bytes", () => {
  it.effect("in any order of the files", () =>
    Effect.gen(function*() {
      const files = [...filesOf(sample), ...filesOf(day)]
      const expected = bytesOf((yield* converted(files)).visits)
      assert.isAbove(expected.length, 10_000)
      for (const seed of [1, 2, 3]) {
        assert.strictEqual(bytesOf((yield* converted(shuffled(files, seed))).visits), expected)
      }
    }))

  it.effect("in any order of the records, in one file or many, plain or gzip, as NDJSON, array or Bundle", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const lines = linesOf(day)
      const expected = bytesOf((yield* converted([day])).visits)
      const mixed = shuffled(lines, 7)
      const half = Math.floor(mixed.length / 2)
      const bundle = {
        resourceType: "Bundle",
        type: "collection",
        entry: mixed.map((line) => ({ resource: JSON.parse(line) }))
      }
      const forms = [
        written(folder, { "one.ndjson": mixed.join("\n") }),
        written(folder, {
          "a.ndjson": mixed.slice(half).join("\n"),
          "b.ndjson": `${mixed.slice(0, half).join("\n")}\n`
        }),
        written(folder, { "packed.gz": gzipSync(mixed.join("\n")) }),
        written(folder, { "array.json": `[${mixed.join(",")}]` }),
        written(folder, { "bundle.json": JSON.stringify(bundle, null, 2) })
      ]
      for (const files of forms) {
        assert.strictEqual(bytesOf((yield* converted(files)).visits), expected, files.join(", "))
      }
    }))

  it.effect("counts a record that is read twice once", () =>
    Effect.gen(function*() {
      const once = yield* converted([day])
      const folder = yield* temporaryFolder
      const twice = yield* converted([day, ...written(folder, { "again.ndjson": linesOf(day).join("\n") })])
      assert.strictEqual(bytesOf(twice.visits), bytesOf(once.visits))
      assert.strictEqual(twice.records, once.records * 2)
      assert.isTrue(addsUp(twice))
    }))
})

const patient = (id: string) => ({
  resourceType: "Patient",
  id,
  gender: "female",
  birthDate: "1990-04-12",
  identifier: [{ system: "https://fhir2visit.example/fhir/NamingSystem/patient-code", value: `P-${id}` }]
})
const encounter = (id: string, subject: string, more: object = {}) => ({
  resourceType: "Encounter",
  id,
  status: "finished",
  class: { code: "AMB" },
  subject: { reference: subject },
  period: { start: "2026-03-02T08:15:00+07:00", end: "2026-03-02T09:00:00+07:00" },
  ...more
})
const observation = (id: string, more: object) => ({
  resourceType: "Observation",
  id,
  status: "final",
  code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
  valueQuantity: { value: 80, unit: "/min", system: "http://unitsofmeasure.org", code: "/min" },
  effectiveDateTime: "2026-03-02T08:20:00+07:00",
  ...more
})

const convertedRecords = (records: ReadonlyArray<object>) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    return yield* converted(
      written(folder, { "records.ndjson": records.map((record) => JSON.stringify(record)).join("\n") })
    )
  })

describe("Every record is accounted for", () => {
  it.effect("rejects a record without an encounter, with the path that was tried", () =>
    Effect.gen(function*() {
      const result = yield* convertedRecords([patient("a"), encounter("e", "Patient/a"), observation("lost", {})])
      assert.isTrue(addsUp(result))
      assert.deepStrictEqual(
        result.totals.rejectedRecords.map(({ source, problems: [first] }) => [source, first?.code, first?.path]),
        [["Observation/lost", "no-encounter", "encounter"]]
      )
    }))

  it.effect("rejects a record whose encounter is missing, and counts the missing target by type", () =>
    Effect.gen(function*() {
      const result = yield* convertedRecords([
        patient("a"),
        encounter("e", "Patient/a"),
        observation("o", { encounter: { reference: "Encounter/elsewhere" } }),
        observation("p", { encounter: { reference: "Encounter/e" }, performer: [{ reference: "Practitioner/nobody" }] })
      ])
      assert.isTrue(addsUp(result))
      assert.deepStrictEqual(result.totals.rejectedRecords.map(({ problems }) => problems[0]?.code), [
        "dangling-reference"
      ])
      assert.deepStrictEqual(Object.fromEntries(result.totals.unresolved), { Encounter: 1, Practitioner: 1 })
      // A missing performer only leaves the name empty; the observation is sent.
      assert.strictEqual(JSON.parse(only(result.visits).json).vital_signs[0].observations[0].value, 80)
    }))

  it.effect("counts planned, cancelled and mistaken encounters and their records as not used", () =>
    Effect.gen(function*() {
      const result = yield* convertedRecords([
        patient("a"),
        encounter("e", "Patient/a", { status: "cancelled" }),
        observation("o", { encounter: { reference: "Encounter/e" } })
      ])
      assert.strictEqual(result.groups, 0)
      assert.isTrue(addsUp(result))
      assert.deepStrictEqual(Object.fromEntries(result.totals.unused), { Encounter: 1, Observation: 1, Patient: 1 })
    }))

  it.effect("rejects only the line that is not JSON", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const lines = [JSON.stringify(patient("a")), "{ this is not JSON", JSON.stringify(encounter("e", "Patient/a"))]
      const result = yield* converted(written(folder, { "records.ndjson": lines.join("\n") }))
      assert.strictEqual(result.visits.length, 1)
      assert.strictEqual(result.unreadable, 1)
      assert.strictEqual(result.totals.rejectedRecords[0]?.origin.line, 2)
      assert.isTrue(addsUp(result))
    }))
})

describe("Grouping", () => {
  it.effect("makes encounters below one by partOf members of its visit", () =>
    Effect.gen(function*() {
      const { visits } = yield* convertedRecords([
        patient("a"),
        encounter("stay", "Patient/a", { class: { code: "IMP" } }),
        encounter("triage", "Patient/a", { class: { code: "EMER" }, partOf: { reference: "Encounter/stay" } }),
        encounter("ward", "Patient/a", { class: { code: "IMP" }, partOf: { reference: "Encounter/triage" } })
      ])
      const visit = JSON.parse(only(visits).json)
      assert.strictEqual(visit.visit_type, "IPD")
      assert.deepStrictEqual([visit.outpatients.length, visit.inpatients.length, visit.emergencies.length], [0, 1, 1])
    }))

  it.effect("rejects encounters in a partOf circle as one visit", () =>
    Effect.gen(function*() {
      const { visits } = yield* convertedRecords([
        patient("a"),
        encounter("x", "Patient/a", { partOf: { reference: "Encounter/y" } }),
        encounter("y", "Patient/a", { partOf: { reference: "Encounter/x" } })
      ])
      const { problems, ready } = only(visits)
      assert.isFalse(ready)
      assert.include(problems.map(({ code }) => code), "circular-reference")
    }))

  it.effect("rejects a visit with a record of another patient", () =>
    Effect.gen(function*() {
      const { visits } = yield* convertedRecords([
        patient("a"),
        patient("b"),
        encounter("e", "Patient/a"),
        observation("o", { subject: { reference: "Patient/b" }, encounter: { reference: "Encounter/e" } })
      ])
      const { problems, ready } = only(visits)
      assert.include(problems.map(({ code }) => code), "other-patient")
      assert.isFalse(ready)
    }))

  it.effect("ignores a record about no patient, and rejects a visit if a record's patient is unknown", () =>
    Effect.gen(function*() {
      for (
        const [reference, code] of [
          ["Device/d", "dropped-record"],
          ["Location/l", "dropped-record"],
          ["https://emr.example/fhir/Group/g", "dropped-record"],
          ["patient/a", "incomplete-visit"],
          ["Patient/unknown", "incomplete-visit"]
        ] as const
      ) {
        const { visits } = yield* convertedRecords([
          patient("a"),
          encounter("e", "Patient/a"),
          observation("o", { subject: { reference }, encounter: { reference: "Encounter/e" } })
        ])
        const { json, problems } = only(visits)
        assert.include(problems.map((problem) => problem.code), code, reference)
        if (code === "dropped-record") assert.deepStrictEqual(JSON.parse(json).vital_signs, [], reference)
      }
    }))

  it.effect("rejects the second of a patient's visits with one admission time, and names the first (§3)", () =>
    Effect.gen(function*() {
      const { visits } = yield* converted([day], { mapping: "mappings/fhir-r4/mapping.yaml" })
      assert.isTrue(visits.every(({ problems }) => problems.every(({ code }) => code !== "same-admission-time")))
      const address = present(linesOf(day).find((line) => line.includes("\"resourceType\":\"Patient\"")))
      const { id: known } = JSON.parse(address)
      const folder = yield* temporaryFolder
      const twins = [address, ...["e1", "e2"].map((id) => JSON.stringify(encounter(id, `Patient/${known}`)))].join(
        "\n"
      )
      const result = yield* converted(written(folder, { "twins.ndjson": twins }))
      assert.deepStrictEqual(result.visits.map(({ ready }) => ready), [true, false])
      const { code, origin } = at(result.visits, 0)
      const clash = at(result.visits, 1).problems.find((problem) => problem.code === "same-admission-time")
      assert.deepStrictEqual(clash?.facts, [["earlier", `visit ${code}`], ["other", `${origin.file}:${origin.line}`]])
      assert.match(`${origin.file}:${origin.line}`, /twins\.ndjson:[23]$/u)
    }))

  it.effect("assigns records without an encounter to the encounter of their document Bundle", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const entry = [
        {
          fullUrl: "urn:uuid:00000000-0000-4000-8000-000000000001",
          resource: {
            resourceType: "Composition",
            status: "final",
            encounter: { reference: "urn:uuid:00000000-0000-4000-8000-000000000003" }
          }
        },
        { fullUrl: "urn:uuid:00000000-0000-4000-8000-000000000002", resource: patient("a") },
        {
          fullUrl: "urn:uuid:00000000-0000-4000-8000-000000000003",
          resource: encounter("e", "urn:uuid:00000000-0000-4000-8000-000000000002")
        },
        { fullUrl: "urn:uuid:00000000-0000-4000-8000-000000000004", resource: observation("o", {}) }
      ]
      const { visits } = yield* converted(
        written(folder, { "document.json": JSON.stringify({ resourceType: "Bundle", type: "document", entry }) })
      )
      assert.strictEqual(JSON.parse(only(visits).json).vital_signs.length, 1)
    }))
})

/** A laboratory report of the encounter `e` that lists the observation `o`. */
const panel = {
  resourceType: "DiagnosticReport",
  id: "panel",
  status: "final",
  category: [{ coding: [{ code: "LAB" }] }],
  code: { text: "Panel" },
  encounter: { reference: "Encounter/e" },
  effectiveDateTime: "2026-03-02T08:30:00+07:00",
  result: [{ reference: "Observation/o" }]
}

describe("Grouping finds the encounter", () => {
  it.effect("of an observation by the report that lists it", () =>
    Effect.gen(function*() {
      const { visits, totals } = yield* convertedRecords([
        patient("a"),
        encounter("e", "Patient/a"),
        panel,
        observation("o", {})
      ])
      assert.deepStrictEqual(totals.rejectedRecords, [])
      const visit = JSON.parse(only(visits).json)
      assert.strictEqual(visit.laboratories[0].results[0].value, 80)
      assert.strictEqual(visit.vital_signs[0].encounter_code, visit.outpatients[0].code)
    }))

  it.effect("of an invoice by its account, and by its charge items", () =>
    Effect.gen(function*() {
      const invoice = (id: string, more: object) => ({
        resourceType: "Invoice",
        id,
        status: "issued",
        date: "2026-03-02T09:00:00+07:00",
        totalNet: { value: 12_500, currency: "KHR" },
        ...more
      })
      const { visits, totals } = yield* convertedRecords([
        patient("a"),
        encounter("e", "Patient/a", { account: [{ reference: "Account/acc" }] }),
        { resourceType: "Account", id: "acc", status: "active" },
        {
          resourceType: "ChargeItem",
          id: "c",
          status: "billable",
          code: { text: "Consultation" },
          context: { reference: "Encounter/e" }
        },
        invoice("by-account", { account: { reference: "Account/acc" } }),
        invoice("by-charge", {
          lineItem: [{
            chargeItemReference: { reference: "ChargeItem/c" },
            priceComponent: [{ type: "base", amount: { value: 12_500, currency: "KHR" } }]
          }]
        })
      ])
      assert.deepStrictEqual(totals.rejectedRecords, [])
      const { invoices } = JSON.parse(only(visits).json)
      assert.deepStrictEqual(invoices.map(({ total }: { readonly total: number }) => total), [12_500, 12_500])
      assert.deepInclude(
        invoices.flatMap(({ services }: { readonly services: ReadonlyArray<object> }) => services)[0],
        {
          service_name: "Consultation",
          price: 12_500,
          payment: 12_500
        }
      )
    }))

  it.effect("of a dispense by its prescription, and of an allergy by its patient", () =>
    Effect.gen(function*() {
      const medicine = { medicationCodeableConcept: { text: "paracetamol 500 mg tablet" } }
      const { visits } = yield* convertedRecords([
        patient("a"),
        encounter("e", "Patient/a"),
        {
          resourceType: "MedicationRequest",
          id: "rx",
          status: "completed",
          intent: "order",
          encounter: { reference: "Encounter/e" },
          authoredOn: "2026-03-02T08:40:00+07:00",
          ...medicine
        },
        {
          resourceType: "MedicationDispense",
          id: "d",
          status: "completed",
          authorizingPrescription: [{ reference: "MedicationRequest/rx" }],
          whenHandedOver: "2026-03-02T08:50:00+07:00",
          ...medicine
        },
        {
          resourceType: "AllergyIntolerance",
          id: "al",
          patient: { reference: "Patient/a" },
          code: { text: "penicillin" }
        }
      ])
      const visit = JSON.parse(only(visits).json)
      assert.deepStrictEqual(
        visit.prescriptions.map(({ encounter_code }: { readonly encounter_code: string | null }) => encounter_code),
        [null, visit.outpatients[0].code]
      )
      assert.deepInclude(visit.medical_histories[0], { name: "Allergies", value: ["penicillin"] })
    }))
})

describe("Decimals", () => {
  it.effect("keep the digits of money and results", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const result = JSON.stringify(
        observation("o", { code: { text: "Potassium" }, encounter: { reference: "Encounter/e" } })
      )
        .replace("\"value\":80", "\"value\":7.20")
      const lines = [
        JSON.stringify(patient("a")),
        JSON.stringify(encounter("e", "Patient/a")),
        JSON.stringify(panel),
        result
      ]
      const { visits } = yield* converted(written(folder, { "records.ndjson": lines.join("\n") }))
      assert.include(only(visits).json, "\"value\":7.20,\"value_type\":\"float\"")
    }))
})

describe.runIf(hasShared())("Synthetic records of others", () => {
  const sets = [
    { name: "synthea-bundles", records: 4864, visits: 424, clashes: 19 },
    { name: "bulk-synthea-60", records: 14_051, visits: 1167, clashes: 23 }
  ] as const
  for (const { name, records, visits, clashes } of sets) {
    it.effect(
      `makes every encounter ready, except those of one patient at one admission time: ${name}`,
      () =>
        Effect.gen(function*() {
          const result = yield* converted([join(sharedData, name)], {
            mapping: "mappings/us-synthetic/mapping.yaml",
            zone: "America/New_York",
            facility: FacilityCode("HF-US-01")
          })
          assert.strictEqual(result.records, records)
          assert.isTrue(addsUp(result))
          assert.strictEqual(result.visits.length, visits)
          const rejected = result.visits.filter(({ ready }) => !ready)
          assert.strictEqual(rejected.length, clashes)
          for (const { problems } of rejected) {
            assert.deepStrictEqual(
              problems.filter(({ severity }) => severity === "error").map(({ code }) => code),
              ["same-admission-time"]
            )
          }
        })
    )
  }

  for (
    const name of [
      "india-nrces-abdm-6.5.0",
      "srilanka-hims",
      "openmrs-fhir2/o3-server-responses",
      "openmrs-fhir2/bahmni",
      "hl7-r4-spec-examples",
      "hl7v2-converted-ms",
      "nasty-json",
      "nasty-derived"
    ]
  ) {
    it.effect(`converts without a crash, and accounts for every record: ${name}`, () =>
      Effect.gen(function*() {
        const result = yield* converted([join(sharedData, name)])
        assert.isTrue(addsUp(result))
        assert.strictEqual(result.visits.length, result.groups)
      }))
  }
})

describe.skipIf(!hasShared())("Synthetic records of several versions of FHIR", () => {
  it.effect("reads STU3, R4 and R5 from one folder: openmrs-fhir2/fhir2-module", () =>
    Effect.gen(function*() {
      const result = yield* converted([join(sharedData, "openmrs-fhir2/fhir2-module")])
      const { totals } = result
      assert.isAbove(totals.records, 100)
      assert.isTrue(addsUp(result))
      assert.strictEqual(result.visits.length, result.groups)
      // A record of STU3 and one of R5, of types with another name in R4.
      const names = totals.rejectedRecords.map(({ source }) => source)
      assert.isTrue(names.some((name) => name.startsWith("ServiceRequest")))
      assert.isFalse(names.some((name) => name.startsWith("ProcedureRequest")))
    }))
})

describe("A table that lacks a row", () => {
  it.effect("has a help that asks for the row, not for a resource", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const sample = "samples/district-tables"
      const tables = written(
        folder,
        Object.fromEntries(
          readdirSync(`${sample}/input`).map((name) => {
            const text = readFileSync(`${sample}/input/${name}`, "latin1")
            const [header, , ...others] = text.split("\n")
            return [name, Buffer.from(name === "patients.csv" ? [header, ...others].join("\n") : text, "latin1")]
          })
        )
      )
      const { totals, visits } = yield* converted(tables, { mapping: `${sample}/mapping.yaml` })
      const reported = [...visits, ...totals.rejectedRecords].flatMap(({ problems }) => problems)
      const helpOf = (wanted: string) =>
        new Set(reported.flatMap(({ code, help }) => (code === wanted ? help ?? [] : [])))
      assert.deepStrictEqual(
        helpOf("no-patient"),
        new Set(["add the patient's row to its table: a visit cannot be sent without it"])
      )
      assert.include(
        [...helpOf("dangling-reference")],
        "add the row to the file of `patient`, or correct the reference to it"
      )
    }))
})

/** A patient and an encounter, one per line. */
const oneVisit = (birthDate: string, period: object): string =>
  [
    { resourceType: "Patient", id: "p1", gender: "female", birthDate },
    {
      resourceType: "Encounter",
      id: "e1",
      status: "finished",
      class: { code: "AMB" },
      subject: { reference: "Patient/p1" },
      period
    }
  ].map((record) => JSON.stringify(record)).join("\n")

describe("A required field", () => {
  it.effect("is an error also if its value cannot be used", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const records = oneVisit("1990", { start: "2026-03-02T08:00:00+07:00" })
      const reported = (required: string) =>
        Effect.gen(function*() {
          const [mapping, ...inputs] = written(folder, {
            "own.yaml":
              `mapping: own\nextends: fhir-r4\ntime: {partialDate: blank}\nvisit: {patient: {birthdate: {path: birthDate, required: ${required}}}}\n`,
            "in.ndjson": records
          })
          const { visits } = yield* converted(inputs, { mapping })
          return visits.flatMap(({ problems }) => problems)
            .filter(({ field }) => field === "patient.birthdate")
            .map(({ code, severity }) => `${severity} ${code}`)
        })
      assert.deepStrictEqual(yield* reported("warning"), ["warning partial-date", "error missing-content"])
      assert.deepStrictEqual(yield* reported("error"), [
        "warning partial-date",
        "error no-value",
        "error missing-content"
      ])
    }))
})

describe("A start time that is only a month", () => {
  it.effect("is not read as the first day, unless the mapping chooses so", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const records = oneVisit("1990-01-01", { start: "2026-03", end: "2026-03-02T09:00:00+07:00" })
      const reported = (time: string) =>
        Effect.gen(function*() {
          const [mapping, ...inputs] = written(folder, {
            "own.yaml": `mapping: own\nextends: fhir-r4\ntime: ${time}\n`,
            "in.ndjson": records
          })
          const { visits } = yield* converted(inputs, { mapping })
          const visit = only(visits)
          const { severity } = present(
            visit.problems.find(({ code, field }) => code === "partial-date" && field === "admitted_at")
          )
          return [severity, visit.admittedAt]
        })
      assert.deepStrictEqual(yield* reported("{}"), ["error", undefined])
      assert.deepStrictEqual(yield* reported("{partialDate: first-day}"), ["warning", "2026-03-01T00:00:00.000+07:00"])
    }))
})
