import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { only } from "../present.ts"
import { bothWays } from "./converted.ts"
import { encounter, type Json, patient } from "./smallRecords.ts"

const condition = (code: string, more: Json = {}): Json => ({
  resourceType: "Condition",
  id: code,
  subject: { reference: "Patient/1" },
  recordedDate: "2026-03-03T08:10:00+07:00",
  code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code, display: code }] },
  ...more
})

/** A document of the encounter `e3`, which lists its conditions. */
const document = (composition: Json, ...conditions: ReadonlyArray<Json>): string => {
  const note = {
    resourceType: "Composition",
    id: "n1",
    status: "final",
    type: { coding: [{ system: "http://loinc.org", code: "11506-3" }] },
    title: "Note",
    date: "2026-03-03T08:30:00+07:00",
    subject: { reference: "Patient/1" },
    encounter: { reference: "Encounter/e3" },
    author: [{ display: "Dr Example" }],
    section: [{ title: "Visit", section: [{ entry: conditions.map(({ id }) => ({ reference: `Condition/${id}` })) }] }],
    ...composition
  }
  const entry = [note, patient("1"), encounter("e3", "1"), ...conditions].map((resource) => ({
    fullUrl: `https://emr.example/fhir/${resource.resourceType}/${resource.id}`,
    resource
  }))
  return JSON.stringify({ resourceType: "Bundle", type: "document", entry })
}

const n1 = { code: "replaces", targetReference: { reference: "Composition/n1" } }
const inError = { status: "entered-in-error" }
const updated = (hour: number): Json => ({ meta: { lastUpdated: `2026-03-03T${hour}:00:00+07:00` } })

/** The codes of the diagnoses that are sent, and the records that are reported as dropped. */
const sent = (...documents: ReadonlyArray<string>) =>
  Effect.map(
    bothWays(Object.fromEntries(documents.map((text, index) => [`${index}.json`, text]))),
    ({ visits }) => {
      const { json, problems } = only(visits)
      const diagnosis: ReadonlyArray<{ readonly diagnosis_code: string }> = JSON.parse(json).diagnosis
      return {
        codes: diagnosis.map(({ diagnosis_code }) => diagnosis_code),
        dropped: problems.flatMap(({ code, source }) => (code === "dropped-record" ? [source] : [])).toSorted()
      }
    }
  )

describe("An older version of a document", () => {
  it.effect("is not sent, and is reported", () =>
    Effect.gen(function*() {
      const note = (words: string): Json => ({ section: [{ title: "Plan", text: { div: `<div>${words}</div>` } }] })
      const { visits } = yield* bothWays({
        "1.json": document({ ...updated(10), ...note("Oldwords") }),
        "2.json": document({ ...updated(11), ...note("Newwords") })
      })
      const { json, problems } = only(visits)
      assert.include(json, "Newwords")
      assert.notInclude(json, "Oldwords")
      assert.include(problems.map(({ code, source }) => `${code} ${source}`), "dropped-record Composition/n1")
    }).pipe(Effect.scoped))
})

describe("A record that belongs to a visit only by a document", () => {
  it.effect("is sent if the document counts", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sent(document({}, condition("A90"))), { codes: ["A90"], dropped: [] })
    }).pipe(Effect.scoped))

  it.effect("is not sent if the document was entered in error, which is reported", () =>
    Effect.gen(function*() {
      const { codes, dropped } = yield* sent(document(inError, condition("A90")))
      assert.deepStrictEqual(codes, [])
      assert.include(dropped, "Condition/A90")
    }).pipe(Effect.scoped))

  it.effect("is not sent if another document replaces this one", () =>
    Effect.gen(function*() {
      const older = document({}, condition("A90"))
      for (
        const [code, more, expected] of [
          ["replaces", {}, ["A09"]],
          ["appends", {}, ["A09", "A90"]],
          // A replacement that does not count replaces nothing.
          ["replaces", inError, ["A90"]]
        ] as const
      ) {
        const newer = document({ id: "n2", ...more, relatesTo: [{ ...n1, code }] }, condition("A09"))
        assert.deepStrictEqual((yield* sent(older, newer)).codes, [...expected])
      }
    }).pipe(Effect.scoped))

  it.effect("is not sent if the document has a newer version", () =>
    Effect.gen(function*() {
      const [older, newer] = [document(updated(10), condition("A90")), document(updated(11), condition("A09"))]
      for (const order of [[older, newer], [newer, older]]) {
        const { codes, dropped } = yield* sent(...order)
        assert.deepStrictEqual(codes, ["A09"])
        assert.deepStrictEqual(dropped, ["Composition/n1", "Condition/A90"])
      }
    }).pipe(Effect.scoped))

  it.effect("is sent if neither document states that it is newer", () =>
    Effect.gen(function*() {
      const documents = [document({}, condition("A90")), document({ title: "Other" }, condition("A09"))]
      const { codes, dropped } = yield* sent(...documents)
      assert.sameMembers(codes, ["A90", "A09"])
      assert.deepStrictEqual(dropped, [])
    }).pipe(Effect.scoped))

  it.effect("is sent if a document that counts has the same record", () =>
    Effect.gen(function*() {
      const shared = condition("A90")
      for (const other of ["A09", "B34", "J20", "J45"]) {
        const replacing = document({ id: "n2", relatesTo: [n1] }, shared, condition(other))
        const { codes, dropped } = yield* sent(document({}, shared, condition("K29")), replacing)
        assert.sameMembers(codes, ["A90", other])
        assert.deepStrictEqual(dropped, ["Condition/K29"])
      }
    }).pipe(Effect.scoped))

  it.effect("is sent if it refers to its encounter", () =>
    Effect.gen(function*() {
      const own = condition("A90", { encounter: { reference: "Encounter/e3" } })
      assert.deepStrictEqual((yield* sent(document(inError, own))).codes, ["A90"])
    }).pipe(Effect.scoped))
})
