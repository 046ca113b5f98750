import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { at } from "../../../src/at.ts"
import type { Grouping } from "../../../src/mapping/grouping/VisitGroup.ts"
import { loadMapping } from "../../../src/mapping/load/loadMapping.ts"
import { convertRecords } from "../../../src/run/convertRecords.ts"
import { recordsOf } from "../../../src/studio/proof/recordsOf.ts"
import { present } from "../../present.ts"
import { runs } from "../../runs.ts"

const { checked } = await Effect.runPromise(
  loadMapping("mappings/fhir-r4/mapping.yaml", "mappings").pipe(Effect.provide(NodeServices.layer))
)

interface Stay {
  readonly status: string
  readonly patient: string
  readonly day: number
  readonly partOf: string | null
}

interface Seen {
  readonly encounter: string | null
  readonly hasMember: string | null
}

const stayIds = ["e0", "e1", "e2", "e3", "e4"]
const seenIds = ["o0", "o1", "o2", "o3"]

/** Encounters that are part of each other, also in circles or of missing ones, and observations that refer to them or to each other. */
const worlds = fc.record({
  stays: fc.dictionary(
    fc.constantFrom(...stayIds),
    fc.record({
      status: fc.constantFrom("finished", "finished", "in-progress", "cancelled"),
      patient: fc.constantFrom("a", "b", "nobody"),
      day: fc.integer({ min: 1, max: 9 }),
      partOf: fc.option(fc.constantFrom(...stayIds, "elsewhere"), { freq: 2 })
    }),
    { minKeys: 1 }
  ),
  seen: fc.dictionary(
    fc.constantFrom(...seenIds),
    fc.record({
      encounter: fc.option(fc.constantFrom(...stayIds, "elsewhere"), { freq: 3 }),
      hasMember: fc.option(fc.constantFrom(...seenIds))
    })
  )
})

const recordsIn = (
  { seen, stays }: { readonly stays: Readonly<Record<string, Stay>>; readonly seen: Readonly<Record<string, Seen>> }
): ReadonlyArray<string> =>
  [
    ...["a", "b"].map((id) => ({ resourceType: "Patient", id })),
    ...Object.entries(stays).map(([id, { day, partOf, patient, status }]) => ({
      resourceType: "Encounter",
      id,
      status,
      class: { code: "AMB" },
      subject: { reference: `Patient/${patient}` },
      period: { start: `2026-03-0${day}T08:00:00Z` },
      ...(partOf === null ? {} : { partOf: { reference: `Encounter/${partOf}` } })
    })),
    ...Object.entries(seen).map(([id, { encounter, hasMember }]) => ({
      resourceType: "Observation",
      id,
      status: "final",
      subject: { reference: "Patient/a" },
      ...(encounter === null ? {} : { encounter: { reference: `Encounter/${encounter}` } }),
      ...(hasMember === null ? {} : { hasMember: [{ reference: `Observation/${hasMember}` }] })
    }))
  ].map((record) => JSON.stringify(record))

const groupingOf = (lines: ReadonlyArray<string>): Grouping => {
  const { index } = recordsOf([{ file: "in.ndjson", text: lines.join("\n") }])
  return convertRecords({
    checked: present(checked),
    records: index,
    facility: null,
    system: null,
    zone: "UTC",
    withUnread: true,
    checkVisit: () => [],
    compareVisit: () => []
  }).grouping
}

/** The visit of each record, by its reference. Patients belong to no visit of their own. */
const places = ({ groups, unplaced }: Grouping): ReadonlyArray<readonly [record: string, place: string]> =>
  [
    ...groups.flatMap(({ records, root }) =>
      [...records.values()].flat().map((record) => [record.origin.reference, `visit ${root.origin.reference}`] as const)
    ),
    ...[...unplaced].map(([record, { why }]) => [record.origin.reference, why] as const)
  ].filter(([record]) => !record.startsWith("Patient/"))

describe("Grouping by encounter", () => {
  it("assigns each record to at most one visit, in any order of the input", () => {
    fc.assert(
      fc.property(worlds, fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), (world, lots) => {
        const lines = recordsIn(world)
        const found = places(groupingOf(lines)).toSorted()
        const expected = [
          ...Object.keys(world.stays).map((id) => `Encounter/${id}`),
          ...Object.keys(world.seen).map((id) => `Observation/${id}`)
        ]
        assert.deepStrictEqual(found.map(([record]) => record), expected.toSorted())
        const drawn = lines.map((line, index) => [at(lots, index), line] as const).toSorted(([a], [b]) => a - b)
        assert.deepStrictEqual(places(groupingOf(drawn.map(([, line]) => line))).toSorted(), found)
      }),
      { numRuns: runs(60) }
    )
  })

  it("gives each visit one root that is part of no member, and a main encounter of its own", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        for (const { encounters, records, root } of groupingOf(recordsIn(world)).groups) {
          const own = records.get("Encounter") ?? []
          assert.include(own, root)
          assert.isAbove(encounters.length, 0)
          for (const encounter of encounters) assert.include(own, encounter)
          const { partOf } = present(world.stays[root.resource.id ?? ""])
          const members = new Set(own.map(({ resource }) => resource.id))
          // In a circle one encounter is chosen as the root. Otherwise no encounter above the root is in the visit.
          if (partOf !== null && members.has(partOf)) {
            let above: string | null = partOf
            for (let steps = 0; above !== null && above !== root.resource.id && steps < 9; steps++) {
              above = world.stays[above]?.partOf ?? null
            }
            assert.strictEqual(above, root.resource.id)
          }
        }
      }),
      { numRuns: runs(60) }
    )
  })
})
