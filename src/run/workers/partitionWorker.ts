import { parentPort, workerData } from "node:worker_threads"
import { watchVersions } from "../../mapping/grouping/watchVersions.ts"
import { thawMapping } from "../../mapping/keptMapping.ts"
import { SourceError } from "../../source/SourceError.ts"
import { visitChecks } from "../accounts/visitChecks.ts"
import { chunkReader, linkingOf } from "./chunks.ts"
import type { PartitionConverter } from "./partitionConverter.ts"
import { makePartitionConverter } from "./partitionConverter.ts"
import type { WorkerAnswer, WorkerMessage, WorkerSetting } from "./WorkerPool.ts"

/** A thread that reads chunks of a run's inputs, and converts its partitions. It answers one message after the other. */
const serve = (
  port: NonNullable<typeof parentPort>,
  { facility, fhirVersion, mapping, system, validation, zone }: WorkerSetting
): void => {
  const checked = thawMapping(mapping)
  const linking = linkingOf(checked.plan)
  const readChunk = linking === undefined
    ? undefined
    : chunkReader(linking, () => watchVersions(checked.plan, fhirVersion))
  let converter: PartitionConverter | undefined
  const answer = (what: WorkerAnswer): void => port.postMessage(what)
  port.on("message", (message: WorkerMessage) => {
    try {
      switch (message._tag) {
        case "Chunk":
          return answer({ _tag: "Done", result: given(readChunk)(message.task) })
        case "Records":
          converter = makePartitionConverter({
            checked,
            facility,
            system,
            zone,
            ...visitChecks(validation),
            ...message.records
          })
          return
        case "Partition":
          return answer({ _tag: "Done", result: given(converter).convert(message.task) })
        case "Codes":
          return answer({ _tag: "Done", result: given(converter).codes(message.task) })
      }
    } catch (error) {
      if (!(error instanceof SourceError) || !("input" in error.reason)) throw error
      answer({ _tag: "Failed", reason: { ...error.reason } })
    }
  })
  answer({ _tag: "Done" })
}

/** The pool sends chunks only for mappings with links, and partitions only after their records. */
const given = <A>(value: A | undefined): A => {
  if (value === undefined) throw new Error("a worker received a task before its data")
  return value
}

if (parentPort !== null) serve(parentPort, workerData as WorkerSetting)
