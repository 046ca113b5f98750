import { afterAll, assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { cutRun } from "../../../src/run/RunDirectory.ts"
import { runs, timeout } from "../../runs.ts"
import { asOne, inThisThread, opened, run, spilled } from "./inPartitions.ts"
import { type Json, json } from "./world.ts"

afterAll(() => opened.closeAll())

/** Types of which each Bundle has its own copy. */
const repeatedTypes = ["Medication", "Organization", "Patient", "Practitioner"] as const
type RepeatedType = typeof repeatedTypes[number]

/** The records of one visit. Those of repeated types have the same id in all Bundles, and one of some contents. */
const recordsOf = (
  number: number,
  types: ReadonlyArray<RepeatedType>,
  content: number,
  filler: string
): Array<Json> => {
  const text = { status: "generated", div: filler }
  const idOf = (type: RepeatedType): string => (types.includes(type) ? "repeated" : `${type}-${number}`)
  const reference = (type: RepeatedType) => ({ reference: `${type}/${idOf(type)}` })
  const word = (type: RepeatedType): string => (types.includes(type) ? `Content ${content}` : "Other")
  const of = { subject: reference("Patient"), encounter: { reference: `Encounter/${number}` } }
  return [
    { resourceType: "Composition", id: `${number}`, status: "final", ...of },
    { resourceType: "Patient", id: idOf("Patient"), text, name: [{ family: word("Patient") }] },
    { resourceType: "Organization", id: idOf("Organization"), text, name: word("Organization") },
    { resourceType: "Practitioner", id: idOf("Practitioner"), text, name: [{ family: word("Practitioner") }] },
    { resourceType: "Medication", id: idOf("Medication"), text, code: { text: word("Medication") } },
    {
      resourceType: "Encounter",
      id: `${number}`,
      status: "finished",
      class: { code: "AMB" },
      subject: of.subject,
      serviceProvider: reference("Organization"),
      participant: [{ individual: reference("Practitioner") }],
      period: { start: "2026-03-01T08:00:00+07:00", end: "2026-03-01T09:00:00+07:00" }
    },
    {
      resourceType: "MedicationRequest",
      id: `${number}`,
      status: "completed",
      intent: "order",
      ...of,
      medicationReference: reference("Medication"),
      text
    }
  ]
}

/** Bundles that repeat records under one name. `contentOf` numbers the contents. */
const repeated = (
  { contentOf, count, filler = "", hasUrls = false, type, types }: {
    readonly count: number
    readonly type: string
    readonly types: ReadonlyArray<RepeatedType>
    readonly contentOf: (bundle: number) => number
    readonly filler?: string
    readonly hasUrls?: boolean
  }
): ReadonlyMap<string, string> =>
  new Map(Array.from({ length: count }, (_, number) => {
    const records = recordsOf(number, types, contentOf(number), filler)
    const entry = records
      .filter(({ resourceType }) => type === "document" || resourceType !== "Composition")
      .map((resource) => ({
        ...(hasUrls ? { fullUrl: `http://one.example/fhir/${resource.resourceType}/${resource.id}` } : {}),
        resource
      }))
    return [`${number}.json`, json({ resourceType: "Bundle", id: `${number}`, type, entry })]
  }))

const bundleTypes = ["document", "collection", "message"] as const

describe("Bundles that repeat records with different contents", () => {
  it("give the same result in partitions as in one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          // The names of more than 32 records are noted when they are passed.
          count: fc.constantFrom(2, 3, 6, 40),
          type: fc.constantFrom(...bundleTypes),
          types: fc.subarray([...repeatedTypes], { minLength: 1 }),
          contents: fc.integer({ min: 1, max: 6 }),
          hasUrls: fc.boolean(),
          // From a certain size, related visits stay in a partition.
          filler: fc.constantFrom("", "x".repeat(30_000)),
          partitionBytes: fc.constantFrom(1, 5_000, 80_000)
        }),
        async ({ contents, partitionBytes, ...options }) => {
          const files = repeated({ ...options, contentOf: (bundle) => bundle % contents })
          const records = spilled(files)
          const found = await run(cutRun(records, partitionBytes, opened), records, inThisThread(true))
          assert.deepStrictEqual(found, await asOne(files))
        }
      ),
      { numRuns: runs(40) }
    )
  }, timeout)

  for (const type of bundleTypes) {
    for (const types of repeatedTypes.map((one) => [one])) {
      it(`are read a number of times that does not grow with their number: ${types.join(", ")} in a ${type}`, () => {
        for (const count of [100, 400]) {
          const filler = "x".repeat(1_000)
          const { links, locations, ...rest } = spilled(
            repeated({ count, type, types, contentOf: (bundle) => bundle, filler })
          )
          const sizeOf = (records: Iterable<number>): number =>
            Array.from(records, (record) => locations.lengthAt(record)).reduce((sum, length) => sum + length, 0)
          let read = 0
          for (const { records } of cutRun({ links, locations, ...rest }, 10_000, opened).partitions()) {
            read += sizeOf(records)
          }
          assert.isBelow(read / sizeOf(Array(links.size).keys()), 4, `of ${count}`)
        }
      })
    }
  }
})
