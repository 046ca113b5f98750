import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { at } from "../../src/at.ts"
import { coverageText } from "../../src/cli/report/coverageFile.ts"
import { encounter } from "../mapping/visitOf.ts"
import { present } from "../present.ts"
import { runs, timeout } from "../runs.ts"
import { converted, mappingFile, temporaryFolder, written } from "./converted.ts"

const sample = "samples/inpatient-surgery-referral/input"

const records: ReadonlyArray<Record<string, unknown>> = readdirSync(sample).toSorted().flatMap((name) => {
  const bytes = readFileSync(join(sample, name))
  const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")
  return name.includes(".ndjson")
    ? text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
    : JSON.parse(text).entry.map((entry: { readonly resource: unknown }) => entry.resource)
})

const covered = (input: ReadonlyArray<unknown>, mapping?: string) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const inputs = written(folder, { "input.ndjson": input.map((record) => JSON.stringify(record)).join("\n") })
    const overlay = mappingFile(`mapping: example\nextends: fhir-r4\n${mapping ?? ""}`)
    const conversion = yield* converted(inputs, { mapping: overlay, coverage: true })
    return { ...conversion, coverage: present(conversion.totals.coverage) }
  })

const patient = {
  resourceType: "Patient",
  id: "p1",
  gender: "male",
  birthDate: "1988-01-31",
  identifier: [{ system: "https://fhir2visit.example/fhir/NamingSystem/patient-code", value: "P-1" }]
}
const elementsOf = (type: string, more: Readonly<Record<string, unknown>>, mapping?: string) =>
  Effect.map(
    covered([{ ...patient, ...(type === "Patient" ? more : {}) }, {
      ...encounter,
      ...(type === "Encounter" ? more : {})
    }], mapping),
    ({ coverage }) => coverage.elements.filter((one) => one.type === type).map((one) => one.element)
  )

describe("--coverage: what no mapping line read", () => {
  it.effect("lists a narrative that has more than the elements", () =>
    Effect.gen(function*() {
      const text = (status: string) => ({ text: { status, div: "<div>Allergic to latex.</div>" } })
      assert.deepStrictEqual(yield* elementsOf("Encounter", text("additional")), ["text"])
      assert.deepStrictEqual(yield* elementsOf("Encounter", text("generated")), [])
    }))

  it.effect("changes no byte of any visit, and accounts for every record", () =>
    Effect.gen(function*() {
      const plain = yield* converted([sample])
      const watched = yield* converted([sample], { coverage: true })
      assert.deepStrictEqual(watched.visits, plain.visits)
      const { coverage, ...totals } = watched.totals
      assert.isDefined(coverage)
      assert.deepStrictEqual(totals, plain.totals)
      const sum = (of: "records" | "inVisits" | "unused" | "rejected") =>
        coverage.types.reduce((all, type) => all + type[of], 0)
      assert.strictEqual(sum("records"), watched.records)
      assert.strictEqual(sum("inVisits"), totals.usedRecords)
      assert.strictEqual(sum("rejected"), totals.rejectedRecords.length)
      assert.strictEqual(sum("unused"), totals.unused.values().reduce((all, count) => all + count, 0))
      assert.strictEqual(coverage.unusedRecords.length, sum("unused"))
    }))

  it.effect("names an unread element by its outermost unread element", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* elementsOf("Encounter", {
          statusHistory: [{ status: "arrived", period: { start: "2026-03-02" } }],
          length: { value: 60, unit: "min" }
        }),
        ["length", "statusHistory"]
      )
    }))

  it.effect("leaves out the id of an element, unless it is a tree of its own", () =>
    Effect.gen(function*() {
      const period = { start: "2026-03-02T08:00:00+07:00", end: "2026-03-02T09:00:00+07:00" }
      assert.deepStrictEqual(yield* elementsOf("Encounter", { period: { ...period, id: "a" } }), [])
      assert.deepStrictEqual(yield* elementsOf("Encounter", { period: { ...period, id: { unknown: "a" } } }), [
        "period.id"
      ])
    }))

  it.effect("names an extension by its URL, also on a primitive element", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* elementsOf("Patient", {
          extension: [{ url: "http://example.org/tribe", valueString: "x" }],
          _birthDate: { extension: [{ url: "http://example.org/estimated", valueBoolean: true }] }
        }),
        ["birthDate", "extension('http://example.org/tribe')"]
      )
    }))

  it.effect("counts a Coding, Quantity or Reference as read if a part is read", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* elementsOf("Patient", {
          maritalStatus: {
            coding: [{
              system: "http://terminology.hl7.org/CodeSystem/v3-MaritalStatus",
              code: "M",
              display: "Married"
            }],
            text: "married"
          }
        }),
        []
      )
    }))

  it.effect("does not list an element that a line reads", () =>
    Effect.gen(function*() {
      const more = { length: { value: 60, unit: "min" } }
      assert.deepStrictEqual(yield* elementsOf("Encounter", more), ["length"])
      assert.deepStrictEqual(
        yield* elementsOf("Encounter", more, "visit: {outpatients: {name: length.value.toString()}}\n"),
        []
      )
    }))

  it.effect("does not count a code made from a whole row as reading it", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const sample = "samples/district-tables"
      const text = readFileSync(`${sample}/mapping.yaml`, "utf8")
      const changed = text.replace("      slip: text\n", "      slip: text\n      spare: {from: drug}\n")
        .replace("    code: {path: slip, take: first}\n", "    code: first().keyOf('record')\n")
      const [mapping] = written(folder, { "mapping.yaml": changed })
      const conversion = yield* converted([`${sample}/input`], { mapping, coverage: true })
      const { elements, types } = present(conversion.totals.coverage)
      const rows = types.find(({ type }) => type === "dispensed")
      const spare = elements.find(({ element, type }) => type === "dispensed" && element === "spare")
      assert.isDefined(rows)
      assert.strictEqual(spare?.records, rows.inVisits)
    }))

  it.effect("states why a record is not used", () =>
    Effect.gen(function*() {
      const { coverage } = yield* covered([
        patient,
        encounter,
        { ...encounter, id: "e2", status: "cancelled" },
        { resourceType: "Organization", id: "o1", name: "Nobody's" },
        { resourceType: "Goal", id: "g1", lifecycleStatus: "active" },
        {
          resourceType: "CarePlan",
          id: "p1",
          status: "active",
          intent: "plan",
          encounter: { reference: "Encounter/e1" }
        },
        {
          resourceType: "Observation",
          id: "b1",
          status: "entered-in-error",
          code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
          encounter: { reference: "Encounter/e1" }
        }
      ])
      const pulse = present(coverage.unusedRecords.find(({ source }) => source === "Observation/b1"))
      assert.deepStrictEqual(pulse.code, { system: "http://loinc.org", code: "8867-4" })
      const refusal = present(pulse.refusedBy.find(({ section }) => section === "vital_signs"))
      assert.match(refusal.condition, /status = 'final'/u)
      assert.match(refusal.mapping.file, /clinical\.yaml$/u)
      assert.match(coverageText(coverage, []), /1 × Observation {3}8867-4 {2}in http:\/\/loinc\.org\n.*vital_signs/su)
      const lines = pulse.refusedBy.map(({ mapping, section }) =>
        `${section} ${mapping.file}:${mapping.line}:${mapping.column}`
      )
      assert.strictEqual(new Set(lines).size, lines.length)
      assert.deepStrictEqual(coverage.unusedRecords.map(({ source, why }) => `${source} ${why}`).toSorted(), [
        "CarePlan/p1 not-taken",
        "Encounter/e2 not-a-visit",
        "Goal/g1 not-read",
        "Observation/b1 not-chosen",
        "Organization/o1 not-named"
      ])
    }))

  it.effect(
    "lists an unknown element anywhere in a visit's record, without its value",
    () =>
      Effect.promise(() => {
        const places = records.flatMap((record, index) => objectsOf(record).map((path) => ({ index, path })))
        return fc.assert(
          fc.asyncProperty(fc.nat(places.length - 1), async (n) => {
            const { index, path } = at(places, n)
            const input = structuredClone(records)
            const { id, resourceType } = at(input, index)
            let place: any = input[index]
            for (const step of path) place = place[step]
            place.unheardOf = "canary"
            const { coverage, totals } = await Effect.runPromise(Effect.scoped(covered(input)))
            const source = `${resourceType}/${id}`
            const full = [...path.filter((step) => typeof step === "string"), "unheardOf", ""].join(".").replaceAll(
              "_",
              ""
            )
            const listed = coverage.elements.some(({ element, type }) =>
              type === resourceType && full.startsWith(`${element.replace(/\('[^']*'\)/gu, "")}.`)
            )
            const left = coverage.unusedRecords.some((record) => record.source === source) ||
              totals.rejectedRecords.some((record) => record.source === source)
            assert.isTrue(listed || left, `${source} ${path.join(".")}`)
            assert.notInclude(coverageText(coverage, totals.unmapped), "canary")
          }),
          { numRuns: runs(15) }
        )
      }),
    timeout
  )
})

/** The paths of every object of a record, without its metadata. */
const objectsOf = (
  value: unknown,
  path: ReadonlyArray<string | number> = []
): ReadonlyArray<ReadonlyArray<string | number>> => {
  if (typeof value !== "object" || value === null) return []
  const below = Array.isArray(value)
    ? value.flatMap((item, n) => objectsOf(item, [...path, n]))
    : Object.entries(value).flatMap((
      [key, child]
    ) => (key === "meta" || key === "text" ? [] : objectsOf(child, [...path, key])))
  return Array.isArray(value) ? below : [path, ...below]
}
