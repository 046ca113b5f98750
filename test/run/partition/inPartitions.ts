import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Stream } from "effect"
import { loadMapping } from "../../../src/mapping/load/loadMapping.ts"
import { convertRun } from "../../../src/run/convertRun.ts"
import { linkRulesOf } from "../../../src/run/read/chunks.ts"
import { type RecordsInMemory, RecordStore } from "../../../src/run/read/RecordStore.ts"
import type { SpillIndex } from "../../../src/run/read/SpilledRecords.ts"
import { type RunDirectory, wholeRun } from "../../../src/run/RunDirectory.ts"
import { RunVisits } from "../../../src/run/RunVisits.ts"
import { makePartitionConverter, type PartitionConverter } from "../../../src/run/workers/partitionConverter.ts"
import type { WorkerPool } from "../../../src/run/workers/WorkerPool.ts"
import { OpenFiles } from "../../../src/source/read/OpenFiles.ts"
import { readDocument } from "../../../src/source/read/readDocument.ts"
import type { ReadItem } from "../../../src/source/read/ReadItem.ts"
import { defaultReadLimits } from "../../../src/source/read/ReadLimits.ts"
import { RecordExtractor } from "../../../src/source/read/RecordExtractor.ts"
import { strictJoins } from "../../../src/source/records/Servers.ts"
import { makeUniqueInRun } from "../../../src/visit/rules/uniqueInRun.ts"
import { validateVisit } from "../../../src/visit/validateVisit.ts"
import { present } from "../../present.ts"
import { now } from "../converted.ts"

const windows = `mapping: windows
extends: fhir-r4
grouping:
  window:
    Observation: {enabled: true}
    Condition: {enabled: true, before: 1 hour, several: nearest}
`

const checked = await Effect.runPromise(
  loadMapping("windows.yaml", "mappings", {
    // Records without an encounter are found by patient and time.
    given: new Map([["windows.yaml", windows]])
  }).pipe(Effect.map((loaded) => present(loaded.checked)), Effect.provide(NodeServices.layer))
)

const options = {
  checked,
  facility: null,
  system: null,
  zone: "Asia/Phnom_Penh",
  checkVisit: (visit: unknown) => validateVisit(visit, { now })
}

const itemsOf = (files: ReadonlyMap<string, string>): ReadonlyArray<ReadItem> =>
  [...files].flatMap(([file, text]) => {
    const reading = new RecordExtractor(file)
    readDocument(Buffer.from(text), reading, defaultReadLimits)
    reading.finish()
    return reading.take()
  })

/** The files that the tests of one file open; close them at its end. */
export const opened = new OpenFiles()

/** Records of a run as `readRun` stores them. */
const stored = (files: ReadonlyMap<string, string>, maxInMemoryBytes: number) => {
  const store = new RecordStore({
    linkRules: present(linkRulesOf(checked.plan)),
    maxInMemoryBytes,
    open: opened
  })
  for (const item of itemsOf(files)) store.add(item)
  return store.finish()
}

export const spilled = (files: ReadonlyMap<string, string>): SpillIndex => {
  const records = stored(files, -1)
  if ("records" in records) throw new Error("the records were held in memory")
  return records
}

/** The workers of a run. */
export type Workers = Pick<WorkerPool, "areRunning" | "convert">

type Records = RecordsInMemory | SpillIndex

/** Makes a converter as each thread has one. It keeps few shared records, so that it drops some and reads them again. */
export const converterOf = (records: Records, sharedBytes = 1_000): PartitionConverter =>
  makePartitionConverter({ ...options, ...forThreadsOf(records, sharedBytes) })

const forThreadsOf = ({ deletions, from }: Records, sharedBytes: number) => ({
  ...from,
  deletions,
  joins: strictJoins,
  unreadable: [],
  sharedBytes
})

/** Converts a run, and returns all that it reports. */
export const run = async (directory: RunDirectory, records: Records, workers: Workers) => {
  const { problems, totals, visits } = convertRun({
    directory,
    forThreads: forThreadsOf(records, 1_000),
    converter: converterOf(records),
    runVisits: new RunVisits(makeUniqueInRun(), {}),
    workers,
    fill: undefined
  })
  return { visits: await Effect.runPromise(Stream.runCollect(visits)), problems: problems(), totals: totals() }
}

/** Converts files in memory, as one partition. */
export const asOne = (files: ReadonlyMap<string, string>) => {
  const records = stored(files, Number.POSITIVE_INFINITY)
  if (!("records" in records)) throw new Error("the records were spilled")
  return run(wholeRun(records.records), records, inThisThread(false))
}

/** Converts partitions in this thread, and passes their results on as threads do if they are running. */
export const inThisThread = (areRunning: boolean): Workers => ({
  areRunning: () => areRunning,
  convert: (tasks, _, own) => Stream.map(Stream.fromIterable(tasks), (task) => structuredClone(own(task)))
})
