import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { at } from "../../../src/at.ts"
import { RecordRole } from "../../../src/run/links/planPartitions.ts"
import { locationLists, type RecordLocation } from "../../../src/run/records/RecordLocations.ts"
import { SharedRecords } from "../../../src/run/records/SharedRecords.ts"
import { cutRun, type RunDirectory, taskOf } from "../../../src/run/RunDirectory.ts"
import type { PartitionConverter } from "../../../src/run/workers/partitionConverter.ts"
import type { PartitionResult } from "../../../src/run/workers/PartitionTask.ts"
import { RecordIndex } from "../../../src/source/records/RecordIndex.ts"
import { strictJoins } from "../../../src/source/records/Servers.ts"
import type { SourceRecord } from "../../../src/source/records/SourceRecord.ts"
import { only, present } from "../../present.ts"
import { runs, timeout } from "../../runs.ts"
import { converted, temporaryFolder, written } from "../converted.ts"
import { hospital } from "./hospital.ts"
import { asOne, converterOf, opened, run, spilled, type Workers } from "./inPartitions.ts"

afterAll(() => opened.closeAll())

const bytesOf = (files: ReadonlyMap<string, string>): number =>
  files.values().reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** Converts all partitions of a run in any order, each in one of several threads, before the first result is taken. */
const inAnyOrder = (
  directory: RunDirectory,
  converters: ReadonlyArray<PartitionConverter>,
  next: (count: number) => number
): Workers => {
  const left = Array.from(directory.partitions(), (partition) => taskOf(partition, directory))
  const results = new Map<number, PartitionResult>()
  while (left.length > 0) {
    for (const task of left.splice(next(left.length), 1)) {
      results.set(task.number, structuredClone(at(converters, next(converters.length)).convert(task)))
    }
  }
  return {
    areRunning: () => true,
    convert: (tasks) => Stream.map(Stream.fromIterable(tasks), ({ number }) => present(results.get(number)))
  }
}

describe("Shared records", () => {
  it("give each partition the same result, whichever partitions a thread has converted before", async () => {
    await fc.assert(
      fc.asyncProperty(
        hospital,
        // About half of the bytes are shared records, so that these are 1, 2, 3, and 5 partitions of visits.
        fc.constantFrom(1, 1 / 2, 1 / 4, 0),
        fc.constantFrom(1, 2, 4),
        fc.constantFrom(0, 500, 1_000_000),
        fc.infiniteStream(fc.nat()),
        async (files, share, threads, sharedBytes, numbers) => {
          const records = spilled(files)
          // A run can only be cut once: this cuts it twice, in the same way.
          const cut = () => cutRun(records, 1 + bytesOf(files) * share, opened)
          const converters = Array.from({ length: threads }, () => converterOf(records, sharedBytes))
          const next = (count: number): number => numbers.next().value % count
          const found = await run(cut(), records, inAnyOrder(cut(), converters, next))
          assert.deepStrictEqual(found, await asOne(files))
        }
      ),
      { numRuns: runs(60) }
    )
  }, timeout)

  it("are the records of no patient", () => {
    fc.assert(
      fc.property(hospital, (files) => {
        const records = spilled(files)
        const types = new Set<string>()
        for (const { records: numbers, roles } of cutRun(records, 1, opened).partitions()) {
          const isOfVisits = roles.some((role) => (role & RecordRole.visit) !== 0)
          for (const [index, number] of numbers.entries()) {
            const isShared = (at(roles, index) & RecordRole.shared) !== 0
            if (isShared) types.add(records.links.typeOf(number))
            else if (isOfVisits) {
              assert.include(["Patient", "Encounter", "Observation", "MedicationRequest"], records.links.typeOf(number))
            }
          }
        }
        for (const type of types) {
          assert.include(["Practitioner", "PractitionerRole", "Organization", "Location", "Medication"], type)
        }
      }),
      { numRuns: runs(20) }
    )
  })

  it("are the same to an index, whatever another index found out about them", () => {
    const contained = [
      { resourceType: "PractitionerRole", id: "role", practitioner: { reference: "#doctor" } },
      { resourceType: "Practitioner", id: "doctor" }
    ]
    const shared: SourceRecord = {
      origin: { file: "", line: 1, reference: "CareTeam/t1" },
      resource: {
        resourceType: "CareTeam",
        id: "t1",
        contained,
        managingOrganization: { reference: "Organization/o1" }
      }
    }
    const organization = (name: string): SourceRecord => ({
      origin: { file: "", line: 2, reference: "Organization/o1" },
      resource: { resourceType: "Organization", id: "o1", name }
    })
    for (const name of ["one", "two"]) {
      const index = new RecordIndex([shared, organization(name)], [], strictJoins)
      const role = present(index.resolve("#role", shared))
      assert.strictEqual(index.resolve("#doctor", role)?.resource.id, "doctor")
      assert.strictEqual(index.resolve("Organization/o1", shared)?.resource.name, name)
    }
  })

  it.live("give the same result in worker threads", () =>
    Effect.gen(function*() {
      const files = only(fc.sample(hospital, { seed: 7, numRuns: 1 }))
      const inputs = written(yield* temporaryFolder, Object.fromEntries(files))
      const { groups: _, ...whole } = yield* converted(inputs, {
        memoryLimits: { maxInMemoryBytes: Infinity, workers: 0 }
      })
      assert.strictEqual(whole.visits.length, 5)
      for (const workers of [1, 2, 4]) {
        const memoryLimits = {
          maxInMemoryBytes: 0,
          partitionBytes: 1,
          sharedBytes: 1_000,
          workers,
          helps: workers === 1
        }
        const { groups: __, ...cut } = yield* converted(inputs, { memoryLimits })
        assert.deepStrictEqual(cut, whole)
      }
    }).pipe(Effect.scoped), timeout)
})

/** Records without content, of which each read makes a new one. */
const reader = () => {
  const reads = new Map<number, number>()
  return {
    reads,
    read: (
      { offsets }: { readonly offsets: Float64Array },
      onRecord: (record: SourceRecord, index: number) => void
    ): void => {
      for (const [index, offset] of offsets.entries()) {
        reads.set(offset, (reads.get(offset) ?? 0) + 1)
        const reference = `Practitioner/${offset}`
        onRecord({ origin: { file: "", line: 1, reference }, resource: { resourceType: "Practitioner" } }, index)
      }
    }
  }
}

describe("The look-up of shared records", () => {
  const locations = fc.uniqueArray(fc.nat(20), { minLength: 1 }).map((offsets) =>
    offsets.toSorted((one, other) => one - other)
      .map((offset): RecordLocation => ({ source: 1, offset, length: 10 + offset, mark: 0 }))
  )
  const ask = (look: SharedRecords, some: ReadonlyArray<RecordLocation>): void => {
    const found = new Map<number, string>()
    look.read(locationLists(some), ({ origin }, index) => found.set(index, origin.reference))
    assert.deepStrictEqual(
      some.map((_, index) => found.get(index)),
      some.map(({ offset }) => `Practitioner/${offset}`)
    )
  }

  it("returns each requested record, and reads it once if all fit", () => {
    fc.assert(
      fc.property(fc.array(locations), (requests) => {
        const located = reader()
        const look = new SharedRecords(located, 1_000_000)
        for (const some of requests) ask(look, some)
        for (const [offset, count] of located.reads) assert.strictEqual(count, 1, String(offset))
      }),
      { numRuns: runs(100) }
    )
  })

  it("keeps the last ones that fit", () => {
    fc.assert(
      fc.property(fc.array(locations, { minLength: 1 }), fc.nat(200), (requests, maxBytes) => {
        const located = reader()
        const look = new SharedRecords(located, maxBytes)
        for (const some of requests) for (const one of some) ask(look, [one])
        // Those asked for last, each once, the last one first.
        const order = new Set(requests.flat().toReversed().map(({ offset }) => offset))
        let bytes = 0
        for (const offset of order) {
          const length = 10 + offset
          bytes += length
          located.reads.clear()
          ask(look, [{ source: 1, offset, length, mark: 0 }])
          assert.strictEqual(located.reads.has(offset), bytes > maxBytes)
          if (bytes > maxBytes) break
        }
      }),
      { numRuns: runs(100) }
    )
  })
})
