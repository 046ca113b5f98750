import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { ConversionRequest, MemoryLimits } from "../../../src/run/ConversionRequest.ts"
import { RecordRole } from "../../../src/run/links/planPartitions.ts"
import { cutRun } from "../../../src/run/RunDirectory.ts"
import { runs, timeout } from "../../runs.ts"
import { addsUp, converted, temporaryFolder, written } from "../converted.ts"
import { asOne, inThisThread, opened, run, spilled } from "./inPartitions.ts"
import { world } from "./world.ts"

const held: Partial<MemoryLimits> = { maxInMemoryBytes: Number.POSITIVE_INFINITY, workers: 0 }
const inParts = (partitionBytes: number, workers = 0): Partial<MemoryLimits> => ({
  maxInMemoryBytes: 0,
  partitionBytes,
  workers,
  helps: false
})

/** Checks that inputs give the same visits, problems and record accounts as a whole and in partitions of each size. */
const isAlike = (
  inputs: ReadonlyArray<string>,
  settings: Partial<ConversionRequest>,
  rooms: ReadonlyArray<Partial<MemoryLimits>>
) =>
  Effect.gen(function*() {
    const whole = yield* converted(inputs, { ...settings, memoryLimits: held })
    for (const memoryLimits of rooms) {
      const { groups: _, ...cut } = yield* converted(inputs, { ...settings, memoryLimits })
      const { groups: __, ...all } = whole
      assert.deepStrictEqual(cut, all)
      assert.isTrue(addsUp({ groups: 0, ...cut }))
    }
    return whole
  })

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

afterAll(() => opened.closeAll())

/** Converts files in partitions. */
const cutUp = (files: ReadonlyMap<string, string>, partitionBytes: number, areRunning = true) => {
  const records = spilled(files)
  return run(cutRun(records, partitionBytes, opened), records, inThisThread(areRunning))
}

const samples: ReadonlyArray<readonly [string, Partial<ConversionRequest>]> = [
  ["outpatient-fever", {}],
  ["inpatient-surgery-referral", {}],
  ["emergency-labs-imaging", {}],
  ["clinic-day", {}],
  ["district-tables", { mapping: "samples/district-tables/mapping.yaml" }]
]

describe("A run that does not fit into memory", () => {
  for (const [sample, settings] of samples) {
    it.live(`gives the result of the whole: ${sample}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* isAlike([`samples/${sample}/input`], settings, [inParts(1), inParts(4_000)])
        assert.isNotEmpty(visits)
      }))
  }

  it.live(
    "gives the same result with worker threads",
    () =>
      isAlike(["samples/clinic-day/input", "samples/emergency-labs-imaging/input"], {}, [
        inParts(1, 1),
        inParts(4_000, 2),
        { ...inParts(4_000, 1), helps: true }
      ])
  )

  it.live(
    "knows the last change of a visit and open visits, in memory, on disk and in workers",
    () =>
      Effect.gen(function*() {
        const subject = { reference: "Patient/p1" }
        const encounter = (id: string, more: object) => ({
          resourceType: "Encounter",
          id,
          class: { code: "AMB" },
          subject,
          period: { start: "2026-03-02T08:00:00+07:00" },
          ...more
        })
        const files = written(yield* temporaryFolder, {
          "in.ndjson": [
            { resourceType: "Patient", id: "p1", meta: { lastUpdated: "2026-03-09T00:00:00Z" } },
            encounter("e1", { status: "finished", meta: { lastUpdated: "2026-03-03T00:00:00Z" } }),
            encounter("e2", { status: "in-progress" }),
            {
              resourceType: "Condition",
              id: "c1",
              subject,
              encounter: { reference: "Encounter/e1" },
              meta: { lastUpdated: "2026-03-04T09:30:00.5+07:00" }
            }
          ].map((record) => `${JSON.stringify(record)}\n`).join("")
        })
        const { visits } = yield* isAlike(files, {}, [inParts(1), inParts(1, 2)])
        assert.deepStrictEqual(
          visits.map(({ newestAt, notOver, source }) => [source, newestAt, notOver]),
          [
            ["Encounter/e1", Date.parse("2026-03-04T02:30:00.500Z"), undefined],
            ["Encounter/e2", undefined, true]
          ]
        )
      }).pipe(Effect.scoped)
  )

  it.live(
    "converts a partition that is too large for a worker",
    () => isAlike(["samples/clinic-day/input"], {}, [{ ...inParts(4_000, 2), workerMegabytes: 4 }])
  )

  it("finds records with any kind of reference, or none, as in the whole", async () => {
    await fc.assert(
      fc.asyncProperty(
        world,
        fc.constantFrom(1, 400, 2_000),
        fc.boolean(),
        async (files, partitionBytes, areRunning) => {
          assert.deepStrictEqual(await cutUp(files, partitionBytes, areRunning), await asOne(files))
        }
      ),
      { numRuns: runs(60) }
    )
  }, timeout)

  it("holds a record that repeats in every Bundle once in a partition", async () => {
    const shared = [
      { resourceType: "Practitioner", id: "d1", name: [{ family: "Example", prefix: ["Dr"] }] },
      { resourceType: "PractitionerRole", id: "r1", practitioner: { reference: "Practitioner/d1" } },
      { resourceType: "Organization", id: "o1", name: "Sample Clinic" }
    ]
    const count = 60
    const bundles = Array.from({ length: count }, (_, at) => [
      {
        resourceType: "Patient",
        id: `p${at}`,
        name: [{ family: "Example" }],
        managingOrganization: { reference: "Organization/o1" }
      },
      {
        resourceType: "Encounter",
        id: `e${at}`,
        status: "finished",
        class: { code: "AMB" },
        subject: { reference: `Patient/p${at}` },
        participant: [{ individual: { reference: at % 2 === 0 ? "Practitioner/d1" : "PractitionerRole/r1" } }],
        serviceProvider: { reference: "Organization/o1" },
        period: { start: "2026-03-01T08:00:00+07:00" }
      },
      ...shared,
      // Its content differs in each.
      { resourceType: "Practitioner", id: "d2", name: [{ family: `Example ${at % 3}` }] }
    ])
    const files = new Map(bundles.map((resources, at) => [
      `bundle-${at}.json`,
      JSON.stringify({
        resourceType: "Bundle",
        type: "transaction",
        entry: resources.map((resource) => ({
          fullUrl: `http://one.example/fhir/${resource.resourceType}/${resource.id}`,
          resource
        }))
      })
    ]))
    assert.deepStrictEqual(await cutUp(files, 1), await asOne(files))
    const parts = [...cutRun(spilled(files), 1, opened).partitions()]
    assert.isAbove(parts.length, count)
    for (const { records, roles } of parts) {
      if (roles.some((role) => (role & RecordRole.visit) !== 0)) assert.isAtMost(records.length, 5)
    }
  })

  it.live("stops if the disk is full, and names the folder", () =>
    Effect.gen(function*() {
      const before = process.env.TMPDIR
      process.env.TMPDIR = "/no/such/folder"
      const failed = yield* Effect.flip(converted(["samples/clinic-day/input"], { memoryLimits: inParts(1) })).pipe(
        Effect.ensuring(Effect.sync(() => {
          if (before === undefined) delete process.env.TMPDIR
          else process.env.TMPDIR = before
        }))
      )
      assert.strictEqual(failed._tag, "SourceError")
      assert.match(failed.message, /^records cannot be written to \/no\/such\/folder \(ENOENT\).*TMPDIR sets/u)
    }))

  it.live("keeps its files open until the last visit, despite garbage collection", () =>
    Effect.gen(function*() {
      const folder = "samples/clinic-day/input"
      // A few visits: each collection takes long if the tests before have used much memory.
      const some = (name: string): string =>
        readFileSync(`${folder}/${name}`, "utf8").split("\n").slice(0, name.startsWith("Encounter") ? 4 : undefined)
          .join("\n")
      const inputs = written(
        yield* temporaryFolder,
        Object.fromEntries(readdirSync(folder).map((name) => [name, some(name)]))
      )
      const { visits } = yield* converted(inputs, { memoryLimits: inParts(1) }, collectGarbage)
      assert.isAbove(visits.length, 1)
    }))

  it.live("leaves no spill files", () =>
    Effect.gen(function*() {
      const ours = () =>
        readdirSync(tmpdir()).filter((name) => name.startsWith("fhir2visit-") && name.endsWith(".aside"))
      yield* converted(["samples/clinic-day/input"], { memoryLimits: inParts(1) })
      assert.deepStrictEqual(ours(), [])
    }))
})
