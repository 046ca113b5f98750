import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { at } from "../../../src/at.ts"
import { only } from "../../present.ts"
import { converted, temporaryFolder, written } from "../../run/converted.ts"
import { runs, timeout } from "../../runs.ts"

interface Seen {
  readonly time: string
  readonly patient?: string
  readonly encounter?: string
}

interface Stay {
  readonly start: string
  readonly end?: string
  readonly patient?: string
  readonly partOf?: string
}

const patients = ["a", "b"].map((id) => ({
  resourceType: "Patient",
  id,
  gender: "male",
  birthDate: "1988-01-31",
  identifier: [{ system: "https://fhir2visit.example/fhir/NamingSystem/patient-code", value: `P-${id}` }]
}))

/** The encounter of a pulse at `seen.time`, or the reason why it is in no visit. */
const placed = (stays: Readonly<Record<string, Stay>>, seen: Seen, window = "{enabled: true}") =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const encounters = Object.entries(stays).map(([id, { end, partOf, patient = "a", start }]) => ({
      resourceType: "Encounter",
      id,
      status: "finished",
      class: { code: "AMB" },
      identifier: [{ system: "https://fhir2visit.example/fhir/NamingSystem/encounter-code", value: id }],
      subject: { reference: `Patient/${patient}` },
      period: { start, ...(end === undefined ? {} : { end }) },
      ...(partOf === undefined ? {} : { partOf: { reference: `Encounter/${partOf}` } })
    }))
    const pulse = {
      resourceType: "Observation",
      id: "pulse",
      status: "final",
      code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
      subject: { reference: `Patient/${seen.patient ?? "a"}` },
      ...(seen.time === "" ? {} : { effectiveDateTime: seen.time }),
      ...(seen.encounter === undefined ? {} : { encounter: { reference: `Encounter/${seen.encounter}` } }),
      valueQuantity: { value: 88, system: "http://unitsofmeasure.org", code: "/min" }
    }
    const [mapping, ...inputs] = written(folder, {
      "mapping.yaml": `mapping: example\nextends: fhir-r4\ngrouping: {window: {Observation: ${window}}}\n`,
      "input.ndjson": [...patients, ...encounters, pulse].map((record) => JSON.stringify(record)).join("\n")
    })
    const { totals, visits } = yield* converted(inputs, { mapping })
    const codes = visits.flatMap(({ json }): ReadonlyArray<string> =>
      JSON.parse(json).vital_signs.map((row: { readonly encounter_code: string }) => row.encounter_code)
    )
    assert.isAtMost(codes.length, 1)
    assert.strictEqual(totals.rejectedRecords.length, 1 - codes.length)
    assert.strictEqual(totals.placedByTime.get("Observation") ?? 0, seen.encounter === undefined ? codes.length : 0)
    if (codes[0] !== undefined) return codes[0]
    const { code, title } = at(only(totals.rejectedRecords).problems, 0)
    return title.split(", and ")[1] ?? code
  })

const morning: Stay = { start: "2026-03-02T08:00:00+07:00", end: "2026-03-02T09:00:00+07:00" }
const evening: Stay = { start: "2026-03-02T17:00:00+07:00", end: "2026-03-02T18:00:00+07:00" }
const none = "its patient had no visit at its time"
const two = "its time falls into several visits of its patient"

describe("A window assigns a record without an encounter to the visit of its patient at that time", () => {
  const rows: ReadonlyArray<readonly [what: string, Readonly<Record<string, Stay>>, Seen, string, window?: string]> = [
    ["during a visit", { morning, evening }, { time: "2026-03-02T08:30:00+07:00" }, "morning"],
    ["at its start, in another offset", { morning, evening }, { time: "2026-03-02T10:00:00Z" }, "evening"],
    ["at its end", { morning, evening }, { time: "2026-03-02T09:00:00+07:00" }, "morning"],
    ["between two visits", { morning, evening }, { time: "2026-03-02T12:00:00+07:00" }, none],
    ["without an offset: the facility's clock", { morning, evening }, { time: "2026-03-02T08:30:00" }, "morning"],
    ["a date, one visit on that day", { morning }, { time: "2026-03-02" }, "morning"],
    ["a date, no visit on that day", { morning }, { time: "2026-03-03" }, none],
    ["a month, one visit in that month", { morning }, { time: "2026-03" }, "morning"],
    ["a date, two visits on that day", { morning, evening }, { time: "2026-03-02" }, two],
    ["another patient's visit", { morning, theirs: { ...evening, patient: "b" } }, {
      time: "2026-03-02T17:30:00+07:00"
    }, none],
    [
      "a patient who is not in the input",
      { morning },
      { time: "2026-03-02", patient: "c" },
      "its patient is not in the input"
    ],
    ["no time at all", { morning }, { time: "" }, "it has no time by which to find the visit of its patient"],
    [
      "an encounter without an end lasts until its day ends, on the facility's clock",
      { open: { start: "2026-03-02T20:00:00+07:00" } },
      { time: "2026-03-02T16:59:59Z" },
      "open"
    ],
    ["and no longer", { open: { start: "2026-03-02T20:00:00+07:00" } }, { time: "2026-03-02T17:00:01Z" }, none],
    [
      "an encounter given in days lasts to the end of its last day",
      {
        ward: { start: "2026-03-02", end: "2026-03-04" }
      },
      { time: "2026-03-04T23:59:00+07:00" },
      "ward"
    ],
    [
      "the innermost encounter of a visit",
      {
        stay: { start: "2026-03-01T08:00:00+07:00", end: "2026-03-05T08:00:00+07:00" },
        first: { start: "2026-03-01T08:00:00+07:00", end: "2026-03-05T08:00:00+07:00", partOf: "stay" },
        second: { ...morning, partOf: "stay" }
      },
      { time: "2026-03-02T08:30:00+07:00" },
      "second"
    ],
    [
      "`after` reaches a record that was written later",
      { morning, evening },
      { time: "2026-03-02T10:59:00+07:00" },
      "morning",
      "{enabled: true, after: 2 hours}"
    ],
    [
      "`before` reaches a record that was written earlier",
      { morning, evening },
      { time: "2026-03-02T16:31:00+07:00" },
      "evening",
      "{enabled: true, before: 30 minutes}"
    ],
    [
      "a visit at that time takes precedence over one that `after` reaches",
      { morning, evening },
      { time: "2026-03-02T17:30:00+07:00" },
      "evening",
      "{enabled: true, after: 1 day}"
    ],
    [
      "`before` and `after` reach two visits",
      { morning, evening },
      { time: "2026-03-02T12:00:00+07:00" },
      two,
      "{enabled: true, before: 1 day, after: 1 day}"
    ],
    [
      "`several: nearest` takes the nearer",
      { morning, evening },
      { time: "2026-03-02T12:00:00+07:00" },
      "morning",
      "{enabled: true, before: 1 day, after: 1 day, several: nearest}"
    ],
    ["a disabled window", { morning }, { time: "2026-03-02T08:30:00+07:00" }, "no-encounter", "{enabled: false}"],
    ["a record that refers to its encounter", { morning, evening }, {
      time: "2026-03-02T08:30:00+07:00",
      encounter: "evening"
    }, "evening"],
    ["a record whose encounter is missing is not assigned", { morning }, {
      time: "2026-03-02T08:30:00+07:00",
      encounter: "gone"
    }, "dangling-reference"]
  ]
  for (const [what, stays, seen, expected, window] of rows) {
    it.effect(`${what}: ${expected}`, () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* placed(stays, seen, window), expected)
      }))
  }

  it.effect(
    "finds the one visit at that time, or reports why there is none, for any times",
    () =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.array(fc.tuple(fc.nat(96), fc.nat(12)), { minLength: 1, maxLength: 5 }),
            fc.nat(110),
            async (spans, at) => {
              const hour = (n: number): string => new Date(Date.UTC(2026, 2, 2) + n * 3_600_000).toISOString()
              const stays = Object.fromEntries(
                spans.map(([from, length], n) => [`e${n}`, { start: hour(from), end: hour(from + length) }])
              )
              const going = spans.flatMap(([from, length], n) => (from <= at && at <= from + length ? [`e${n}`] : []))
              const found = await Effect.runPromise(Effect.scoped(placed(stays, { time: hour(at) })))
              assert.strictEqual(found, going.length === 0 ? none : going.length > 1 ? two : going[0])
            }
          ),
          { numRuns: runs(25) }
        )
      ),
    timeout
  )
})
