import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { only } from "../present.ts"
import { runs, timeout } from "../runs.ts"
import { addressed, bothWays } from "./converted.ts"
import { bundle, encounter, type Json, lines, patient } from "./smallRecords.ts"

const subject = { reference: "Patient/a" }

const diagnosis = (id: "c" | "d", more: Json = {}): Json => ({
  resourceType: "Condition",
  id,
  code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code: { c: "I10", d: "J00" }[id] }], text: id },
  subject,
  ...more
})

const allergy: Json = {
  resourceType: "AllergyIntolerance",
  id: "allergy",
  clinicalStatus: { coding: [{ code: "active" }] },
  code: { text: "Penicillin" },
  patient: subject
}

/** A document about an encounter, which says when it was written. */
const document = (id: string, of: string, ...records: ReadonlyArray<Json>): string =>
  bundle(
    "document",
    { resourceType: "Composition", id, status: "final", subject, encounter: { reference: `Encounter/${of}` } },
    patient("a"),
    ...records
  )

const textsOf = (rows: unknown, field: string): ReadonlyArray<unknown> =>
  Array.isArray(rows) ? rows.map((row: Json) => row[field]) : []

/** The diagnoses of each visit, by its encounter, and the number of other copies. */
const made = (files: Readonly<Record<string, string>>, mapping = addressed) =>
  Effect.gen(function*() {
    const { totals, visits } = yield* bothWays(files, {}, mapping)
    assert.deepStrictEqual(totals.rejectedRecords, [])
    return {
      diagnoses: Object.fromEntries(
        visits.map(({ json, source }) => [source, textsOf(JSON.parse(json).diagnosis, "diagnosis_description")])
      ),
      histories: visits.map(({ json }) => JSON.parse(json).medical_histories.length),
      problems: visits.flatMap(({ problems }) =>
        problems.filter(({ code }) => code === "duplicate-record" || code === "duplicate-code")
      )
    }
  })

describe("A record that is the same in several documents", () => {
  const [e1, e2] = [encounter("e1", "a"), encounter("e2", "a")]
  const both = { "Encounter/e1": ["c"], "Encounter/e2": ["c"] }

  it.effect("is in the visit of each", () =>
    Effect.gen(function*() {
      const { diagnoses, problems } = yield* made({
        "a.json": document("k1", "e1", e1, diagnosis("c")),
        "b.json": document("k2", "e2", e2, diagnosis("c"))
      })
      assert.deepStrictEqual(diagnoses, both)
      assert.deepStrictEqual(problems, [])
    }))

  it.effect("is in the visit of each, if a list of records has it too", () =>
    Effect.gen(function*() {
      const { diagnoses } = yield* made({
        "a.json": document("k1", "e1", e1, diagnosis("c")),
        "b.json": document("k2", "e2", e2, diagnosis("c")),
        "c.ndjson": lines(diagnosis("c"))
      })
      assert.deepStrictEqual(diagnoses, both)
    }))

  it.effect("is in the visit of each whose encounter lists it among its diagnoses", () =>
    Effect.gen(function*() {
      const listed = { diagnosis: [{ condition: { reference: "Condition/c" } }] }
      const { diagnoses } = yield* made({
        "a.json": document("k1", "e1", { ...e1, ...listed }, diagnosis("c")),
        "b.json": document("k2", "e2", { ...e2, ...listed }, diagnosis("c"))
      })
      assert.deepStrictEqual(diagnoses, both)
    }))

  it.effect("is in no visit twice: not in that of a document that was written again, or of a stay with two documents", () =>
    Effect.gen(function*() {
      const again = yield* made({
        "a.json": document("k1", "e1", e1, diagnosis("c")),
        "b.json": document("k2", "e1", e1, diagnosis("c"))
      })
      assert.deepStrictEqual(again.diagnoses, { "Encounter/e1": ["c"] })
      const inStay = { partOf: { reference: "Encounter/e3" } }
      const stay = yield* made({
        "a.json": document("k1", "e1", { ...e1, ...inStay }, diagnosis("c")),
        "b.json": document("k2", "e2", { ...e2, ...inStay }, diagnosis("c")),
        "c.ndjson": lines(encounter("e3", "a"))
      })
      assert.deepStrictEqual(stay.diagnoses, { "Encounter/e3": ["c"] })
    }))

  it.effect("is only in the visit that it refers to", () =>
    Effect.gen(function*() {
      const own = diagnosis("c", { encounter: { reference: "Encounter/e1" } })
      const { diagnoses } = yield* made({
        "a.json": document("k1", "e1", e1, own),
        "b.json": document("k2", "e2", e2, own)
      })
      assert.deepStrictEqual(diagnoses, { "Encounter/e1": ["c"], "Encounter/e2": [] })
    }))

  it.effect("is in the visit of its report, once, or in each if the report is", () =>
    Effect.gen(function*() {
      const category = [{ coding: [{ code: "laboratory" }] }]
      const result = {
        resourceType: "Observation",
        id: "o",
        status: "final",
        category,
        subject,
        valueString: "negative"
      }
      for (const [own, expected] of [[{ encounter: { reference: "Encounter/e1" } }, [1, 0]], [{}, [1, 1]]] as const) {
        const report = { resourceType: "DiagnosticReport", id: "r", status: "final", category, subject, ...own }
        const records = [
          { ...report, code: { text: "Dengue" }, result: [{ reference: "Observation/o" }] },
          { ...result, code: { text: "NS1" } }
        ]
        const { totals, visits } = yield* bothWays({
          "a.json": document("k1", "e1", e1, ...records),
          "b.json": document("k2", "e2", e2, ...records)
        })
        assert.deepStrictEqual(totals.rejectedRecords, [])
        const results = visits.map(({ json }) =>
          JSON.parse(json).laboratories.flatMap((one: Json) => one.results).length
        )
        assert.deepStrictEqual(results, [...expected])
        assert.isFalse(
          visits.some(({ json, problems }) =>
            json.includes("NS1") && problems.some(({ title }) => /DiagnosticReport|Observation/.test(title))
          )
        )
      }
    }))

  it.effect("is in the visit of each patient, if the documents name their records alike", () =>
    Effect.gen(function*() {
      const transient = (id: string, day: string) => {
        const own = { subject: { reference: "urn:uuid:patient" } }
        const { id: _, ...person } = patient(id)
        const { id: __, ...visit } = encounter(day, id, own)
        const { id: ___, ...condition } = diagnosis("c", own)
        const about = {
          resourceType: "Composition",
          status: "final",
          ...own,
          encounter: { reference: "urn:uuid:visit" }
        }
        const entry = Object.entries({ document: about, patient: person, visit, condition })
          .map(([name, resource]) => ({ fullUrl: `urn:uuid:${name}`, resource }))
        return JSON.stringify({ resourceType: "Bundle", type: "document", entry })
      }
      const { visits } = yield* bothWays({ "a.json": transient("a", "e1"), "b.json": transient("b", "e2") })
      assert.deepStrictEqual(visits.map(({ patientCode }) => String(patientCode)).toSorted(), ["P-a", "P-b"])
      for (const { json } of visits) {
        assert.deepStrictEqual(textsOf(JSON.parse(json).diagnosis, "diagnosis_description"), ["c"])
      }
    }))

  it.effect("is once in each visit of the patient, if it belongs to the patient", () =>
    Effect.gen(function*() {
      const problem = diagnosis("c", { category: [{ coding: [{ code: "problem-list-item" }] }] })
      const { histories } = yield* made({
        "a.json": document("k1", "e1", e1, allergy, problem),
        "b.json": document("k2", "e2", e2, allergy, problem)
      })
      const one = yield* made({ "a.json": document("k1", "e1", e1, allergy, problem) })
      assert.isAbove(only(one.histories), 0)
      assert.deepStrictEqual(histories, [only(one.histories), only(one.histories)])
    }))

  it.effect("is once in a visit of the patient that no document is about", () =>
    Effect.gen(function*() {
      const { histories } = yield* made({
        "a.json": document("k1", "e1", e1, allergy),
        "b.json": document("k2", "e2", e2, allergy),
        "c.ndjson": lines(encounter("e3", "a"))
      })
      assert.deepStrictEqual(histories, [1, 1, 1])
    }))

  it.effect("is one record in Bundles that only transport records", () =>
    Effect.gen(function*() {
      const own = diagnosis("c", { encounter: { reference: "Encounter/e1" } })
      const { diagnoses } = yield* made({
        "a.json": bundle("collection", patient("a"), e1, own),
        "b.json": bundle("collection", patient("a"), e2, own)
      })
      assert.deepStrictEqual(diagnoses, { "Encounter/e1": ["c"], "Encounter/e2": [] })
    }))

  it.effect("is in the visit of each message or collection that the facility declares to be one visit", () =>
    Effect.gen(function*() {
      for (const type of ["message", "collection"]) {
        const declared = `${addressed}grouping:\n  bundle:\n    ${type}: {enabled: true}\n`
        const { diagnoses } = yield* made({
          "a.json": bundle(type, patient("a"), e1, diagnosis("c")),
          "b.json": bundle(type, patient("a"), e2, diagnosis("c"))
        }, declared)
        assert.deepStrictEqual(diagnoses, both)
      }
    }))

  const documents = fc.array(
    fc.record({
      of: fc.constantFrom("e1", "e2", "e3"),
      names: fc.subarray(["c", "d"] as const),
      isListed: fc.boolean()
    }),
    { minLength: 1, maxLength: 4 }
  )

  it("is once in the visit of each, in memory and in partitions", async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (all) => {
        const files = all.map(({ isListed, names, of }, index) => {
          const records = names.map((name) => diagnosis(name))
          return isListed
            ? [[`${index}.json`, document(`k${index}`, of, encounter(of, "a"), ...records, allergy)]]
            : [
              [`${index}.json`, document(`k${index}`, of, ...records)],
              [`${index}.ndjson`, lines(encounter(of, "a"))]
            ]
        })
        const expected = new Map<string, Set<string>>()
        for (const { names, of } of all) {
          const known = expected.get(`Encounter/${of}`) ?? new Set()
          expected.set(`Encounter/${of}`, known.union(new Set(names)))
        }
        const { diagnoses, problems } = await Effect.runPromise(Effect.scoped(made(Object.fromEntries(files.flat()))))
        assert.deepStrictEqual(
          diagnoses,
          Object.fromEntries(expected.entries().map(([name, found]) => [name, [...found].toSorted()]))
        )
        assert.deepStrictEqual(problems, [])
      }),
      { numRuns: runs(25) }
    )
  }, timeout)
})
