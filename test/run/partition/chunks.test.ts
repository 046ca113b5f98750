import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Stream } from "effect"
import fc from "fast-check"
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { watchVersions } from "../../../src/mapping/grouping/watchVersions.ts"
import { loadMapping } from "../../../src/mapping/load/loadMapping.ts"
import type { MemoryLimits } from "../../../src/run/ConversionRequest.ts"
import { convert } from "../../../src/run/convert.ts"
import type { ChunkResult } from "../../../src/run/read/chunks.ts"
import { chunkReader, linkRulesOf } from "../../../src/run/read/chunks.ts"
import { LineScanner } from "../../../src/run/read/LineScanner.ts"
import type { ChunkTask } from "../../../src/run/read/readChunk.ts"
import { readChunk } from "../../../src/run/read/readChunk.ts"
import { RecordStore } from "../../../src/run/read/RecordStore.ts"
import { LocatedRecords } from "../../../src/run/records/LocatedRecords.ts"
import { makeWorkerPool } from "../../../src/run/workers/WorkerPool.ts"
import { LineFile } from "../../../src/source/read/LineFile.ts"
import { OpenFiles } from "../../../src/source/read/OpenFiles.ts"
import { readInput } from "../../../src/source/read/readInput.ts"
import { SourceError } from "../../../src/source/SourceError.ts"
import { present } from "../../present.ts"
import { runs, timeout } from "../../runs.ts"
import { addsUp, converted, neutral, now, temporaryFolder, written } from "../converted.ts"

const checked = await Effect.runPromise(
  loadMapping("mappings/fhir-r4/mapping.yaml", "mappings").pipe(
    Effect.map((loaded) => present(loaded.checked)),
    Effect.provide(NodeServices.layer)
  )
)
const linkRules = present(linkRulesOf(checked.plan))
const watch = () => watchVersions(checked.plan)

const line = (record: object): string => JSON.stringify(record)
const encounter = (id: string, more: object = {}) => ({
  resourceType: "Encounter",
  id,
  status: "finished",
  class: { code: "AMB" },
  subject: { reference: "Patient/p1" },
  period: { start: `2026-03-0${1 + id.length % 9}T08:00:00Z` },
  ...more
})
/** The same in R5. */
const encounterOfR5 = (id: string, more: object = {}) => {
  const { class: coding, period: actualPeriod, ...rest } = encounter(id)
  return { ...rest, class: [{ coding: [coding] }], actualPeriod, ...more }
}
/** A type that the mapping does not read. */
const benefit = (id: string, more: object = {}) => ({
  resourceType: "PaymentNotice",
  id,
  status: "active",
  ...more
})

const lines = fc.array(
  fc.oneof(
    fc.constantFrom(
      "",
      "  ",
      line({ resourceType: "Patient", id: "p1", name: [{ family: "Ångström" }] }),
      line(encounter("e1")),
      line(encounter("e22")),
      line({
        resourceType: "Condition",
        id: "c1",
        encounter: { reference: "Encounter/e1" },
        code: { text: "Ångström" }
      }),
      ` ${line({ resourceType: "Condition", id: "c2", recorder: { reference: "#p" }, cost: 1 })} `.replace(
        ":1",
        ":1.50"
      ),
      line({ resourceType: "Condition", id: "c3", context: { reference: "Encounter/e1" } }),
      line({ resourceType: "Condition", id: "c4" }).replace("}", ",\"id\":\"c5\"}"),
      line(benefit("b1", { identifier: [{ value: "B-1" }] })),
      line(benefit("b2", { contained: [{ resourceType: "Coverage", id: "c" }], total: 12.50 })),
      ` ${line(benefit("b3"))} `,
      line(encounterOfR5("r1")),
      ` ${line(encounterOfR5("r22", { plannedStartDate: "2026-03-01" }))} `,
      line(encounterOfR5("r333")).replace(`"id"`, `"cost":12.500000000000000001,"id"`),
      line(encounter("e333")).replace(`"id"`, `"cost":12.500000000000000001,"id"`),
      "\uFEFF" + line(encounter("e4444")),
      "{\"resourceType\":\"Encounter\",\"id\":",
      "{\"resourceType\":\"PaymentNotice\",\"id\":\"b9\",",
      "[1, 2",
      "nothing"
    ),
    fc.nat(300).map((length) => line(encounter("long", { text: { status: "generated", div: "x".repeat(length) } })))
  ),
  { maxLength: 12 }
)

const files = new OpenFiles()

afterAll(() => files.closeAll())

const inFile = <A>(text: string, look: (file: LineFile, path: string) => A): A => {
  const folder = mkdtempSync(join(tmpdir(), "fhir2visit-lines-"))
  try {
    const path = join(folder, "records.ndjson")
    writeFileSync(path, text)
    return look(new LineFile(files, { _tag: "File", name: path, path, named: true }, 0), path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The index of the records of a file that is read in chunks. */
const inChunks = (file: LineFile, chunkBytes: number, blockBytes: number) => {
  const store = new RecordStore({
    linkRules,
    maxInMemoryBytes: 0,
    files: [file],
    open: files
  })
  const { size } = file.facts
  const tasks: Array<ChunkTask> = []
  for (let from = 0; from < size; from += chunkBytes) {
    tasks.push({ file: file.facts, source: 1, from, to: Math.min(size, from + chunkBytes) })
  }
  const scanner = new LineScanner(linkRules, watch())
  const chunks = tasks.map((task) => readChunk(task, linkRules, { versions: watch(), scanner, blockBytes }))
  store.addFile(file.facts.name, chunks)
  const stored = store.finish()
  if ("records" in stored) throw new Error("the records were held in memory")
  const { from, links, locations, unused } = stored
  const reader = new LocatedRecords(from)
  let before = 0
  const problems = chunks.flatMap((chunk) => {
    const found = chunk.problems.map(({ diagnostic: { origin, title } }) => [(origin?.line ?? 0) + before, title])
    before += chunk.lines
    return found
  })
  return {
    records: Array.from({ length: links.size }, (_, number) => {
      const found = reader.readOne(locations.at(number))
      return "resource" in found ? [found.origin, JSON.stringify(found.resource)] as const : found
    }),
    unread: [...unused],
    problems,
    count: chunks.reduce((sum, { count }) => sum + count, 0),
    irregular: chunks.some(({ irregular }) => irregular)
  }
}

/** A pool with one thread, and the task to read a file of one record. */
const poolOfOne = Effect.fnUntraced(function*(helps: boolean) {
  const folder = yield* temporaryFolder
  const [path] = written(folder, { "records.ndjson": `${line(encounter("e1"))}\n` })
  const file = new LineFile(files, { _tag: "File", name: path, path, named: true }, 0)
  const pool = yield* makeWorkerPool(
    {
      checked,
      fhirVersion: undefined,
      facility: null,
      system: null,
      zone: "Asia/Phnom_Penh",
      validation: { now }
    },
    { workers: 1, workerMegabytes: 128, helps }
  )
  yield* pool.start
  const task: ChunkTask = { file: file.facts, source: 1, from: 0, to: file.facts.size }
  return { pool, task }
})

describe("Reading a large file in parallel chunks", () => {
  it("reads the same wherever it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 700 }),
        fc.integer({ min: 1, max: 90 }),
        async (
          some,
          windows,
          ended,
          chunkBytes,
          blockBytes
        ) => {
          const feed = windows ? "\r\n" : "\n"
          // Without a record in its first line the file might not be recognised as NDJSON.
          const text = [line(encounter("e0")), ...some, line(encounter("e")).slice(0, ended ? 1_000 : 20)].join(feed) +
            (ended ? feed : "")
          const folder = mkdtempSync(join(tmpdir(), "fhir2visit-lines-"))
          try {
            const path = join(folder, "records.ndjson")
            writeFileSync(path, text)
            const input = { _tag: "File", name: path, path, named: true } as const
            const items = await Effect.runPromise(Stream.runCollect(readInput(input, { versions: watch() })))
            const found = inChunks(new LineFile(files, input, 0), chunkBytes, blockBytes)
            const problems = items.flatMap((item) =>
              item._tag === "Problem" ? [[item.diagnostic.origin?.line, item.diagnostic.title]] : []
            )
            const records = items.flatMap((item) => (item._tag === "Record" ? [item.record] : []))
            assert.isFalse(found.irregular)
            assert.deepStrictEqual(found.problems, problems)
            assert.strictEqual(found.count, records.length)
            assert.deepStrictEqual(
              found.records,
              records.filter(({ resource }) => resource.resourceType !== "PaymentNotice")
                .map(({ origin, resource }) => [origin, JSON.stringify(resource)])
            )
          } finally {
            rmSync(folder, { recursive: true })
          }
        }
      ),
      { numRuns: runs(50) }
    )
  }, timeout)

  it("identifies a line of an unused type by its names, whatever its content", () => {
    const reference = { identifier: { value: "B-7" } }
    const text = [
      line(encounter("e1", { account: [reference] })),
      line(benefit("b1", { identifier: [{ system: "http://ours.example", value: "B-7" }] })),
      line(benefit("b2", { identifier: [{ value: "B-8" }], related: [{ reference: "PaymentNotice/b1" }] })),
      ""
    ].join("\n")
    inFile(text, (file) => {
      const { records, unread } = inChunks(file, 100, 50)
      const names = records.map((found) => "length" in found ? found[0].reference : found)
      // A reference leads to the first; the second only refers to it.
      assert.deepStrictEqual(names, ["Encounter/e1", "PaymentNotice/b1"])
      assert.deepStrictEqual(unread, [["PaymentNotice", 1]])
    })
  })

  it("stops the run if the file changes meanwhile", () => {
    inFile(`${line(encounter("e1"))}\n`, (file, path) => {
      appendFileSync(path, `${line(encounter("e2"))}\n`)
      assert.throws(() => inChunks(file, 100, 50), /changed while it was read: run the same command again/u)
    })
  })

  const inThreads: Partial<MemoryLimits> = {
    maxInMemoryBytes: 0,
    partitionBytes: 1_000,
    chunkBytes: 200,
    workers: 2,
    helps: false
  }

  it.live.skipIf(!existsSync("/proc/self/task"))(
    "ends abandoned reads with their scope",
    () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const inputs = written(folder, {
          "a.ndjson": Array.from({ length: 40 }, (_, at) => `${line(encounter(`e${at}`))}\n`).join("")
        })
        /** The number of threads when requested visits are never consumed. */
        const after = Effect.gen(function*() {
          yield* Effect.scoped(convert({ ...neutral, inputs, memoryLimits: inThreads }))
          return readdirSync("/proc/self/task").length
        })
        // The first run starts threads that stay: those for disk access.
        yield* after
        const threads = yield* after
        // Each run that leaves its threads adds two. The system may end one of an earlier test only now.
        for (let run = 0; run < 2; run++) yield* after
        assert.isAtMost(yield* after, threads)
      }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("starts its workers for inputs of a size, which may be compressed", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const text = Array.from({ length: 200 }, (_, at) => `${line(encounter(`e${at}`))}\n`).join("")
      const plain = written(folder, { "a.ndjson": text })
      const compressed = [join(folder, "b.ndjson.gz")]
      writeFileSync(join(folder, "b.ndjson.gz"), gzipSync(text))
      const started = (inputs: ReadonlyArray<string>, minBytesForWorkers: number) =>
        Effect.gen(function*() {
          let workers = 0
          const count = () => {
            workers++
          }
          process.on("worker", count)
          yield* converted(inputs, { memoryLimits: { ...inThreads, helps: true, minBytesForWorkers } })
          process.off("worker", count)
          return workers
        })
      for (const inputs of [plain, compressed]) {
        assert.strictEqual(yield* started(inputs, text.length / 2), 2)
        assert.strictEqual(yield* started(inputs, text.length * 2), 0)
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.live(
    "gives the result of the whole, next to files of other types",
    () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const day = (id: string, start: string, more: object = {}) => encounter(id, { period: { start }, ...more })
        const inputs = written(folder, {
          "Ann.ndjson": [
            line({
              resourceType: "Patient",
              id: "p1",
              gender: "female",
              name: [{ family: "Example", given: ["Ann"] }]
            }),
            line(day("e1", "2026-03-01T08:00:00Z")),
            "{\"resourceType\":\"Condition\",\"id\":\"broken\"",
            line(day("e2", "2026-03-02T08:00:00Z")),
            line(benefit("b1")),
            line({
              resourceType: "Condition",
              id: "c1",
              encounter: { reference: "Encounter/e1" },
              code: { text: "one" }
            })
          ].join("\n"),
          "bundles.ndjson": [
            line(day("e3", "2026-03-03T08:00:00Z")),
            line({
              resourceType: "Bundle",
              type: "collection",
              entry: [{ resource: day("e4", "2026-03-04T08:00:00Z") }]
            }),
            line({ resourceType: "Encountre", id: "x" })
          ].join("\n"),
          "bom.ndjson": `\uFEFF${
            [
              line(day("e5", "2026-03-05T08:00:00Z")),
              line({
                resourceType: "Condition",
                id: "c2",
                encounter: { reference: "Encounter/e5" },
                code: { text: "two" }
              }),
              line({
                resourceType: "Condition",
                id: "c3",
                encounter: { reference: "Encounter/e9" },
                code: { text: "six" }
              })
            ].join("\r\n")
          }`,
          "one.json": line({ resourceType: "Observation", id: "o1", status: "final", code: { text: "three" } })
        })
        const { groups: _, ...whole } = yield* converted(inputs, {
          memoryLimits: { maxInMemoryBytes: Infinity, workers: 0 }
        })
        assert.strictEqual(whole.visits.length, 5)
        assert.isTrue(addsUp({ groups: 0, ...whole }))
        for (const memoryLimits of [inThreads, { ...inThreads, workers: 1, chunkBytes: 2_000 }]) {
          const { groups: __, ...cut } = yield* converted(inputs, { memoryLimits })
          assert.deepStrictEqual(cut, whole)
        }
      }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("uses a worker as soon as it is ready", () =>
    Effect.gen(function*() {
      const { pool, task } = yield* poolOfOne(true)
      function* endless() {
        for (;;) yield task
      }
      const own: ChunkResult = { ...chunkReader(linkRules, watch)(task), hidden: ["this thread's"] }
      const [other] = yield* pool.read(endless(), () => own).pipe(
        Stream.filter(({ hidden }) => hidden.length === 0),
        Stream.take(1),
        Stream.runCollect
      )
      assert.isDefined(other)
      assert.deepStrictEqual({ ...other, hidden: own.hidden }, own)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("ends the run if the disk is full when the next task is made", () =>
    Effect.gen(function*() {
      const { pool, task } = yield* poolOfOne(true)
      const full = new SourceError({ reason: { _tag: "NoRoom", folder: "/tmp", detail: "ENOSPC", setBy: "TMPDIR" } })
      function* tasks() {
        yield task
        throw full
      }
      const failed = yield* Effect.flip(Stream.runDrain(pool.read(tasks(), chunkReader(linkRules, watch))))
      assert.strictEqual(failed, full)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("ends the run if a worker fails in a way that no task can explain", () =>
    Effect.gen(function*() {
      const { pool, task } = yield* poolOfOne(false)
      const closed = { ...task, file: { ...task.file, descriptor: 1_000_000 } }
      const exit = yield* Effect.exit(Stream.runDrain(pool.read([closed, task], chunkReader(linkRules, watch))))
      assert.isTrue(Exit.hasDies(exit))
      assert.include(String(exit), "EBADF")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("stops the run if the file changes while visits are made", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [input] = written(folder, {
        "records.ndjson": `${line({ resourceType: "Patient", id: "p1" })}\n${
          Array.from({ length: 40 }, (_, at) => line(encounter(`e${at}`))).join("\n")
        }\n`
      })
      let seen = 0
      const failed = yield* Effect.flip(
        converted([input], { memoryLimits: { ...inThreads, partitionBytes: 1 } }, () => {
          if (seen++ === 0) appendFileSync(input, "\n")
        })
      )
      assert.include(failed.message, "changed while it was read")
    }).pipe(Effect.provide(NodeServices.layer)))
})
