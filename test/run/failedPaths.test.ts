import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { only } from "../present.ts"
import { addressed, bothWays } from "./converted.ts"
import { encounter, type Json, lines, patient, pulse } from "./smallRecords.ts"

/** A comparison fails on a record with several of these. */
const severalCodes: Json = { identifier: [{ value: "A" }, { value: "B" }] }

const failing = "identifier.value < 'M'"

const mappingWith = (overlay: string): string => `${addressed}    phone: {value: "1"}\n${overlay}`

const run = (overlay: string, ...records: ReadonlyArray<Json>) =>
  bothWays({ "a.ndjson": lines(...records) }, {}, mappingWith(overlay))

/** The path and record of a problem. */
const facts = (problems: ReadonlyArray<Diagnostic>, ...codes: ReadonlyArray<string>) =>
  problems.filter(({ code }) => codes.includes(code)).map(({ code, label, mapping, path, severity, source }) => ({
    code,
    severity,
    path,
    source,
    isLocated: mapping !== undefined,
    isLabelled: label !== undefined
  }))

const failed = (path: string, source: string) => ({
  code: "path-failed" as const,
  severity: "error" as const,
  path,
  source,
  isLocated: true,
  isLabelled: true
})

describe("A value that is no code", () => {
  it.effect("rejects the visit whose key it should be, and no code is made instead", () =>
    Effect.gen(function*() {
      const { visits } = yield* run(
        "key:\n  visit: {path: [\"iif(id = 'e3', identifier, id = 'e4')\"], mint: V}\n",
        patient("1"),
        encounter("e3", "1", severalCodes),
        encounter("e4", "1")
      )
      assert.deepStrictEqual(
        visits.map(({ json, problems, ready }) => [
          JSON.parse(json).code || null,
          ready,
          facts(problems, "wrong-type").map(({ source }) => source)
        ]),
        [[null, false, ["Encounter/e3"]], [null, false, ["Encounter/e4"]]]
      )
    }))

  it.effect("is not a number: its digits are the code", () =>
    Effect.gen(function*() {
      const { visits } = yield* run(
        "key:\n  visit: {path: [identifier.value], mint: V}\n",
        patient("1"),
        encounter("e3", "1", { identifier: [{ value: 4201.50 }] })
      )
      assert.deepStrictEqual(visits.map(({ json }) => JSON.parse(json).code), ["4201.5"])
    }))
})

describe("A path of a key that fails on a record", () => {
  it.effect("rejects each visit that uses the key, once, and no code is made instead", () =>
    Effect.gen(function*() {
      const path = `iif(${failing}, 'a', 'b')`
      const { visits } = yield* run(
        `key:\n  visit: {path: ["${path}"], mint: V}\n`,
        patient("1"),
        encounter("e3", "1", severalCodes),
        encounter("e4", "1")
      )
      const [first, second] = visits
      assert(first !== undefined && second !== undefined)
      assert.deepStrictEqual(facts(first.problems, "path-failed"), [failed(path, "Encounter/e3")])
      assert.isNull(JSON.parse(first.json).code || null)
      assert.isFalse(first.ready)
      assert.notInclude(
        first.problems.map(({ code }) => code),
        "required-field",
        "it has no value for this reason"
      )
      assert.deepStrictEqual(facts(second.problems, "path-failed"), [])
    }))

  it.effect("rejects all visits of the patient whose key it is", () =>
    Effect.gen(function*() {
      const path = `iif(${failing}, 'a', 'b')`
      const { visits } = yield* run(
        `key:\n  patient: {path: ["${path}", id]}\n`,
        patient("1"),
        encounter("e3", "1"),
        encounter("e4", "1")
      )
      assert.lengthOf(visits, 2)
      for (const { problems } of visits) {
        assert.deepStrictEqual(facts(problems, "path-failed"), [failed(path, "Patient/1")])
      }
    }))

  it.effect("is reported where another key uses it", () =>
    Effect.gen(function*() {
      const path = `iif(${failing}, 'a', 'b')`
      const { visits } = yield* run(
        `key:\n  number: {path: ["${path}"]}\n  visit: {path: [keyOf('number')], mint: V}\n`,
        patient("1"),
        encounter("e3", "1", severalCodes)
      )
      assert.deepStrictEqual(facts(only(visits).problems, "path-failed"), [failed(path, "Encounter/e3")])
    }))

  it.effect("is reported where a condition of the grouping uses it", () =>
    Effect.gen(function*() {
      const path = `iif(${failing}, 'a', 'b')`
      const { totals, visits } = yield* run(
        `grouping:\n  where: {numbered: "keyOf('visit').exists()"}\nkey:\n  visit: {path: ["${path}"], mint: V}\n`,
        patient("1"),
        encounter("e3", "1", severalCodes)
      )
      assert.lengthOf(visits, 0)
      const problems = totals.rejectedRecords.flatMap(({ problems }) => problems)
      assert.deepStrictEqual(facts(problems, "path-failed"), [failed(path, "Encounter/e3")])
    }))
})

describe("A path of a key that finds several values", () => {
  const overlay = "key:\n  visit: {path: [identifier.value], mint: V}\n"

  it.effect("is a warning of the visit that uses it, once", () =>
    Effect.gen(function*() {
      const { visits } = yield* run(
        overlay,
        patient("1"),
        encounter("e3", "1", severalCodes),
        encounter("e4", "1", { identifier: [{ value: "C" }, { value: "C" }] })
      )
      const [first, second] = visits
      assert(first !== undefined && second !== undefined)
      assert.deepStrictEqual(facts(first.problems, "too-many-values"), [{
        code: "too-many-values",
        severity: "warning",
        path: "identifier.value",
        source: "Encounter/e3",
        isLocated: true,
        isLabelled: true
      }])
      assert.strictEqual(first.code, "A")
      assert.deepStrictEqual(facts(second.problems, "too-many-values"), [])
      assert.strictEqual(second.code, "C")
    }))

  it.effect("is a warning of each visit with the patient whose key it is, also by another key", () =>
    Effect.gen(function*() {
      const { visits } = yield* run(
        "key:\n  number: {path: [identifier.value]}\n  patient: {path: [keyOf('number')]}\n",
        patient("1"),
        encounter("e3", "1"),
        encounter("e4", "1")
      )
      for (const { problems } of visits) {
        assert.deepStrictEqual(facts(problems, "too-many-values").map(({ path }) => path), ["identifier.value"])
      }
    }))
})

describe("A path of the grouping that fails on a record", () => {
  it.effect("rejects an encounter if it is unknown whether it is a visit", () =>
    Effect.gen(function*() {
      const { totals, visits } = yield* run(
        `grouping:\n  where: {early: "${failing}"}\n`,
        patient("1"),
        encounter("e3", "1", severalCodes),
        pulse("o1")
      )
      assert.lengthOf(visits, 0)
      assert.deepStrictEqual(facts(only(totals.rejectedRecords).problems, "path-failed"), [
        failed(failing, "Encounter/e3")
      ])
    }))

  it.effect("rejects the visit that such an encounter may be part of", () =>
    Effect.gen(function*() {
      const { totals, visits } = yield* run(
        `grouping:\n  where: {early: "${failing}"}\n`,
        patient("1"),
        encounter("e3", "1", { identifier: [{ value: "A" }] }),
        encounter("e4", "1", { ...severalCodes, partOf: { reference: "Encounter/e3" } })
      )
      assert.deepStrictEqual(facts(only(visits).problems, "path-failed"), [failed(failing, "Encounter/e4")])
      assert.deepStrictEqual(
        facts(totals.rejectedRecords.flatMap(({ problems }) => problems), "path-failed"),
        [failed(failing, "Encounter/e4")]
      )
    }))

  const ofEncounter = [
    ["partOf", `iif(${failing}, partOf, partOf)`, "e3"],
    ["kind", `iif(${failing}, 'a', 'b')`, "e3"],
    ["patient", `iif(${failing}, subject, subject)`, "e3"],
    // The rows of a visit are in the order of their starts; the outermost encounter is no row of this one.
    ["start", `iif(${failing}, period.start, period.start)`, "e4"]
  ] as const
  for (const [key, path, on] of ofEncounter) {
    it.effect(`rejects the visit of an encounter: ${key}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* run(
          `grouping:\n  ${key}: "${path}"\n`,
          patient("1"),
          encounter("e3", "1", on === "e3" ? severalCodes : {}),
          encounter("e4", "1", { ...(on === "e4" ? severalCodes : {}), partOf: { reference: "Encounter/e3" } }),
          encounter("e5", "1", { partOf: { reference: "Encounter/e3" } })
        )
        const problems = visits.flatMap(({ problems }) => problems)
        assert.deepStrictEqual(facts(problems, "path-failed", "no-patient"), [failed(path, `Encounter/${on}`)])
      }))
  }

  it.effect("rejects the visit of a record that another path assigns", () =>
    Effect.gen(function*() {
      const path = `iif(${failing}, encounter, encounter)`
      const { visits } = yield* run(
        `grouping:\n  link: {Observation: ["${path}", encounter]}\n`,
        patient("1"),
        encounter("e3", "1"),
        pulse("o1", severalCodes)
      )
      assert.deepStrictEqual(facts(only(visits).problems, "path-failed"), [failed(path, "Observation/o1")])
    }))

  it.effect("rejects a record that no other path assigns", () =>
    Effect.gen(function*() {
      const path = `iif(${failing}, encounter, encounter)`
      const { totals, visits } = yield* run(
        `grouping:\n  link: {Observation: ["${path}"]}\n`,
        patient("1"),
        encounter("e3", "1"),
        pulse("o1", severalCodes)
      )
      assert.deepStrictEqual(facts(only(visits).problems, "path-failed"), [])
      assert.deepStrictEqual(only(totals.rejectedRecords).problems.map(({ code }) => code), ["path-failed"])
    }))

  it.effect("rejects a record whose time window it is of", () =>
    Effect.gen(function*() {
      const path = `iif(${failing}, effective, effective)`
      const { encounter: _, ...alone } = pulse("o1", severalCodes)
      const { totals } = yield* run(
        `grouping:\n  window: {Observation: {enabled: true, time: "${path}"}}\n`,
        patient("1"),
        encounter("e3", "1"),
        alone
      )
      const problems = totals.rejectedRecords.flatMap(({ problems }) => problems)
      assert.deepStrictEqual(facts(problems, "path-failed", "no-encounter"), [failed(path, "Observation/o1")])
    }))

  it.effect("rejects a record whose patient it should find", () =>
    Effect.gen(function*() {
      const path = `iif(${failing}, patient, patient)`
      const { totals } = yield* run(
        `grouping:\n  patientScope: {AllergyIntolerance: "${path}"}\n`,
        patient("1"),
        encounter("e3", "1"),
        { resourceType: "AllergyIntolerance", id: "a1", patient: { reference: "Patient/1" }, ...severalCodes }
      )
      const problems = totals.rejectedRecords.flatMap(({ problems }) => problems)
      assert.deepStrictEqual(facts(problems, "path-failed"), [failed(path, "AllergyIntolerance/a1")])
    }))

  it.effect("reports no records that no line reads", () =>
    Effect.gen(function*() {
      const { totals, visits } = yield* run(
        `grouping:\n  link: {Flag: ["iif(${failing}, encounter, encounter)"]}\n`,
        patient("1"),
        encounter("e3", "1"),
        { resourceType: "Flag", id: "f1", status: "active", encounter: { reference: "Encounter/e3" }, ...severalCodes }
      )
      assert.deepStrictEqual(facts(only(visits).problems, "path-failed"), [])
      assert.deepStrictEqual(totals.rejectedRecords, [])
    }))
})
