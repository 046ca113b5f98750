import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Field } from "../../src/visit/Field.ts"
import { visitFields } from "../../src/visit/fields.ts"
import { only } from "../present.ts"
import { converted, mappingFile, temporaryFolder, written } from "./converted.ts"

const system = "https://fhir2visit.example/fhir/NamingSystem/patient-code"
const patient = { resourceType: "Patient", id: "p", identifier: [{ system, value: "P-1" }] }
const encounter = {
  resourceType: "Encounter",
  id: "e",
  status: "finished",
  class: { code: "AMB" },
  subject: { reference: "Patient/p" },
  period: { start: "2026-01-01T08:00:00+07:00", end: "2026-01-01T09:00:00+07:00" }
}
const ofVisit = { subject: { reference: "Patient/p" }, encounter: { reference: "Encounter/e" } }

const flag = (id: string, code: object) => ({ resourceType: "Flag", id, ...ofVisit, code })

/** A mapping with rows of flags in a section. */
const flagsIn = (section: string, lines: string): string =>
  `grouping: {link: {Flag: encounter}}\nvisit: {${section}: {unionAll: {flags: {resource: Flag, ${lines}}}}}\n`

/** The given records that are in no visit, without the patient and the encounter. */
const unused = (records: ReadonlyArray<object>, mapping = "") =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const inputs = written(folder, {
      "input.ndjson": [patient, encounter, ...records].map((record) => JSON.stringify(record)).join("\n")
    })
    const overlay = mappingFile(`mapping: example\nextends: fhir-r4\n${mapping}`)
    const { records: count, totals } = yield* converted(inputs, { mapping: overlay })
    const all = [...totals.unused].flatMap(([type, number]) => Array.from({ length: number }, () => type))
    assert.strictEqual(count, totals.usedRecords + all.length + totals.rejectedRecords.length)
    return all
  })

describe("A record is in a visit when a value of it, or a code made for it, is in the visit's bytes", () => {
  it.effect("does not count a record that only a condition reads", () =>
    Effect.gen(function*() {
      const reason = {
        resourceType: "Condition",
        id: "c",
        ...ofVisit,
        code: { text: "Fever" },
        category: [{ coding: [{ code: "encounter-diagnosis" }] }]
      }
      const bandage = {
        resourceType: "Procedure",
        id: "x",
        status: "completed",
        ...ofVisit,
        code: { text: "Bandage" },
        reasonReference: [{ reference: "Condition/c" }]
      }
      assert.deepStrictEqual(yield* unused([reason, bandage]), ["Procedure"])
      // A value that only depends on a condition is not a value of the record that the condition reads.
      const decided =
        "visit:\n  patient:\n    occupation:\n      path: \"iif(inVisit('Procedure').exists(), maritalStatus.text, {})\"\n"
      assert.deepStrictEqual(yield* unused([reason, bandage], decided), ["Procedure"])
      const computed =
        "visit:\n  patient:\n    occupation:\n      path: \"'by ' & inVisit('Procedure').where(status = 'completed').code.text\"\n"
      assert.deepStrictEqual(yield* unused([reason, bandage], computed), [])
    }))

  it.effect("counts the person whose name is sent, but not the role in between", () =>
    Effect.gen(function*() {
      const person = { resourceType: "Practitioner", id: "d", name: [{ text: "Dr Nuon" }] }
      const role = { resourceType: "PractitionerRole", id: "r", practitioner: { reference: "Practitioner/d" } }
      const requested = {
        resourceType: "Observation",
        id: "o",
        status: "final",
        ...ofVisit,
        category: [{ coding: [{ code: "vital-signs" }] }],
        code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
        valueQuantity: { value: 80, unit: "/min", system: "http://unitsofmeasure.org", code: "/min" },
        effectiveDateTime: "2026-01-01T08:10:00+07:00",
        performer: [{ reference: "PractitionerRole/r" }]
      }
      assert.deepStrictEqual(yield* unused([person, role, requested]), ["PractitionerRole"])
      assert.deepStrictEqual(yield* unused([person, { ...role, code: [{ text: "Nurse" }] }, requested]), [])
      // The row is dropped with all its values.
      const { valueQuantity: _, ...without } = requested
      assert.deepStrictEqual(yield* unused([person, role, without]), [
        "Observation",
        "Practitioner",
        "PractitionerRole"
      ])
    }))

  it.effect("does not count a row of constants, nor the values that a field does not take", () =>
    Effect.gen(function*() {
      const basic = (id: string, text: string) => ({ resourceType: "Flag", id, ...ofVisit, code: { text } })
      const constants =
        "visit:\n  consultations:\n    unionAll:\n      flags:\n        resource: Flag\n        value: {value: Flagged}\n"
      const grouping = "grouping:\n  link:\n    Flag: encounter\n"
      assert.deepStrictEqual(yield* unused([basic("f", "one")], `${grouping}${constants}`), ["Flag"])
      const first = "visit:\n  patient:\n    occupation: {path: inVisit('Flag').code.text, take: first}\n"
      assert.deepStrictEqual(yield* unused([basic("f", "one"), basic("g", "two")], `${grouping}${first}`), ["Flag"])
    }))

  it.effect("does not count a record without a value in a row of several records", () =>
    Effect.gen(function*() {
      const [one, none] = [flag("f", { text: "one" }), flag("g", {})]
      for (const records of [[one, none], [none, one]]) {
        const mapping = flagsIn(
          "medical_histories",
          "groupBy: [\"'one'\"], name: {value: Flags}, value: select(code.text & '')"
        )
        assert.deepStrictEqual(yield* unused(records, mapping), ["Flag"])
      }
    }))

  it.effect("does not count the second record of a section that takes one", () =>
    Effect.gen(function*() {
      const referral = (id: string) => ({
        resourceType: "ServiceRequest",
        id,
        status: "active",
        intent: "order",
        ...ofVisit,
        category: [{ coding: [{ code: "3457005" }] }],
        code: { text: `Referral ${id}` }
      })
      assert.deepStrictEqual(yield* unused([referral("a")]), [])
      assert.deepStrictEqual(yield* unused([referral("a"), referral("b")]), ["ServiceRequest"])
    }))

  it.effect("does not count a record if only texts of the mapping are sent", () =>
    Effect.gen(function*() {
      const mapping = flagsIn(
        "soaps",
        "where: {status: null, sections: null}, code: {value: S-1}, recorded_at: null, recorded_by: null, title: null, plan: {path: \"code.coding.select('no ' & display)\", join: \";\"}"
      )
      const coding = [{ code: "1" }, { code: "2" }]
      assert.deepStrictEqual(yield* unused([flag("f", { coding })], mapping), ["Flag"])
      const named = [{ code: "1", display: "pain" }, { code: "2" }]
      assert.deepStrictEqual(yield* unused([flag("f", { coding: named })], mapping), [])
    }))
})

describe("A clinical record that is in no section of its visit", () => {
  it.effect("is a warning of the visit by kind and count, and its code is listed as unmapped", () =>
    Effect.gen(function*() {
      const sign = (id: string, code: string, more: object = {}) => ({
        resourceType: "Observation",
        id,
        status: "final",
        ...ofVisit,
        category: [{ coding: [{ code: "vital-signs" }] }],
        code: { coding: [{ system: "http://snomed.info/sct", code }] },
        valueQuantity: { value: 38, unit: "Cel", system: "http://unitsofmeasure.org", code: "Cel" },
        effectiveDateTime: "2026-01-01T08:10:00+07:00",
        ...more
      })
      const folder = yield* temporaryFolder
      const records = [sign("a", "60621009"), sign("b", "60621009"), sign("c", "1", { status: "entered-in-error" })]
      const [file] = written(folder, {
        "input.ndjson": [patient, encounter, ...records].map((record) => JSON.stringify(record)).join("\n")
      })
      const { totals, visits } = yield* converted([file])
      const found = visits.flatMap(({ problems }) => problems.filter(({ code }) => code === "unused-record"))
      assert.deepStrictEqual(found.map(({ source, times, title }) => [source, times, title]), [
        ["Observation/a", 2, "a record of the visit is in no section of it: Observation, vital-signs"]
      ])
      assert.match(found[0]?.path ?? "", /^code\.mapped\('vital_name'\)/u)
      assert.deepStrictEqual(
        totals.unmapped.flatMap(({ code, count, table }) => code === "60621009" ? [[table, count]] : []),
        [
          ["vital_name", 2]
        ]
      )
    }))

  it.effect("counts an encounter of which only another visit of the patient holds a value", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const meta = { lastUpdated: "2026-01-01T09:00:00+07:00" }
      const encounters = [
        { ...encounter, id: "d", meta },
        { ...encounter, meta },
        // Its own visit has no value of it.
        { ...encounter, id: "f" }
      ]
      const fixed = ({ kind, mandatory, name }: Field): string =>
        `${name}: ${mandatory && kind !== "object" ? "{value: \"2026-01-01T08:00:00.000+07:00\"}" : "null"}`
      /** The number of used encounters, if only these fields have values of records. */
      const used = (createdAt: string) =>
        Effect.gen(function*() {
          const fields: Readonly<Record<string, string>> = {
            discharge_type: "discharge_type: \"%patient.id\"",
            created_at: `created_at: "${createdAt}"`,
            updated_at: "updated_at: meta.lastUpdated"
          }
          const [mapping = "", ...inputs] = written(folder, {
            "mapping.yaml": `mapping: example
fhirVersion: 4.0.1
grouping: {resource: Encounter, partOf: partOf, patient: subject}
key: {patient: {path: id}, visit: {path: id}, encounter: {path: id}}
visit:
  ${visitFields.map((field) => fields[field.name] ?? fixed(field)).join("\n  ")}
`,
            "input.ndjson": [patient, ...encounters].map((one) => JSON.stringify(one)).join("\n")
          })
          const { totals } = yield* converted(inputs, { mapping })
          return totals.used.get("Encounter") ?? 0
        })
      const one = (id: string) =>
        `%patient.reverseResolve('Encounter.subject').where(id = '${id}' and %visit.id = 'e').period.start`
      assert.strictEqual(yield* used(one("f")), 3)
      assert.strictEqual(yield* used(one("g")), 2)
    }))

  it.effect("of a type that no line reads is reported with what is missing", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const claim = {
        resourceType: "Claim",
        id: "c",
        status: "active",
        ...ofVisit,
        patient: { reference: "Patient/p" }
      }
      const [file] = written(folder, {
        "input.ndjson": [patient, encounter, { ...claim, item: [{ sequence: 1, encounter: [ofVisit.encounter] }] }]
          .map((record) => JSON.stringify(record)).join("\n")
      })
      const { visits } = yield* converted([file])
      const found = only(only(visits).problems.filter(({ code }) => code === "unused-record"))
      assert.match(only(found.help ?? []), /^no line of the mapping reads Claim: enable a branch/u)
    }))

  it.effect("is a Procedure of any status", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      for (
        const status of "preparation in-progress not-done on-hold stopped completed entered-in-error unknown".split(" ")
      ) {
        const operation = (more: object) => ({
          resourceType: "Procedure",
          id: "a",
          status,
          ...ofVisit,
          code: { text: "Caesarean section" },
          performedDateTime: "2026-01-01T08:10:00+07:00",
          ...more
        })
        const surgical = { category: { coding: [{ system: "http://snomed.info/sct", code: "387713003" }] } }
        for (const more of [{}, surgical]) {
          const [file] = written(folder, {
            "input.ndjson": [patient, encounter, operation(more)].map((record) => JSON.stringify(record)).join("\n")
          })
          const { visits } = yield* converted([file])
          const { json, problems } = only(visits)
          const stated = problems.some(({ origin }) => origin?.reference === "Procedure/a")
          assert.isTrue(stated || json.includes("Caesarean section"), `${status} ${JSON.stringify(more)}`)
        }
      }
    }))

  const known = "where: {known: title.mapped('sign')}"
  const sections = [
    known,
    // The record fulfils a condition of the other branch, but only a row of the concept map may be missing.
    `unionAll: {known: {${known}}, other: {where: {timed: recorded_at.exists(), title: "title = 'Other'"}}}`
  ]
  it.effect.each(sections)("can be a CSV row: %s", (section) =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping, ...inputs] = written(folder, {
        "mapping.yaml": [
          "mapping: signs",
          "extends: csv",
          "conceptMap: {sign: {table: {BT: Temperature}, unmapped: reject}}",
          `visit: {vital_signs: {${section}}}`
        ].join("\n"),
        "visit.csv": "code,patient_code,visit_type,admitted_at\nV1,P1,OPD,2026-01-01T08:00:00+07:00\n",
        "patient.csv": "code,name,surname,sex,birthdate\nP1,Test,Example,F,1990-01-01\n",
        "vital_signs.csv": "visit_code,row,title,recorded_at\nV1,1,BX,2026-01-01T08:10:00+07:00\n"
      })
      const { totals, visits } = yield* converted(inputs, { mapping })
      const found = visits.flatMap(({ problems }) => problems.filter(({ code }) => code === "unused-record"))
      assert.deepStrictEqual(found.map(({ path, title }) => [title, path]), [
        ["a record of the visit is in no section of it: vital_signs", "title.mapped('sign')"]
      ])
      assert.deepStrictEqual(totals.unmapped.map(({ code, table }) => [table, code]), [["sign", "BX"]])
    }))
})
