import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { converted, temporaryFolder, written } from "./converted.ts"

const reference = (text: string) => ({ reference: text })

/** The care units of the encounters' visits, in the order of the visits' codes. */
const placesOf = (encounters: ReadonlyArray<object>, more: ReadonlyArray<object> = []) =>
  Effect.gen(function*() {
    const records = [
      { resourceType: "Patient", id: "p1" },
      ...encounters.map((encounter, at) => ({
        resourceType: "Encounter",
        id: `e${at + 1}`,
        status: "finished",
        class: { code: "AMB" },
        subject: reference("Patient/p1"),
        period: { start: `2026-03-0${at + 1}T08:00:00+07:00` },
        ...encounter
      })),
      ...more
    ]
    const [file] = written(yield* temporaryFolder, {
      "in.ndjson": records.map((record) => `${JSON.stringify(record)}\n`).join("")
    })
    const { totals, visits } = yield* converted([file])
    return {
      places: visits.toSorted((a, b) => (a.source < b.source ? -1 : 1)).map(({ place }) => place),
      unresolved: [...totals.unresolved]
    }
  })

describe("The care unit of a visit", () => {
  it.effect("is the service that saw the patient, otherwise the last location, otherwise the service provider", () =>
    Effect.gen(function*() {
      const { places } = yield* placesOf([
        { serviceType: { text: "Surgery" }, location: [{ location: reference("Location/l2") }] },
        { location: [{ location: reference("Location/l1") }, { location: reference("Location/l2") }] },
        { location: [{ location: { display: "Ward 7" } }], serviceProvider: { display: "Hospital" } },
        { serviceProvider: { display: "Health post" } },
        {}
      ], [{ resourceType: "Location", id: "l1", name: "Emergency" }, {
        resourceType: "Location",
        id: "l2",
        name: "Ward 2"
      }])
      assert.deepStrictEqual(places, ["Surgery", "Ward 2", "Ward 7", "Health post", undefined])
    }))

  it.effect("ignores a location that is not in the input, without reporting it", () =>
    Effect.gen(function*() {
      const { places, unresolved } = yield* placesOf([{ location: [{ location: reference("Location/l9") }] }])
      assert.deepStrictEqual(places, [undefined])
      assert.deepStrictEqual(unresolved.filter(([type]) => type === "Location"), [])
    }))
})
