import { parentPort, workerData } from "node:worker_threads"
import { watchVersions } from "../../mapping/grouping/watchVersions.ts"
import { thawMapping } from "../../mapping/keptMapping.ts"
import { SourceError } from "../../source/SourceError.ts"
import { visitChecks } from "../accounts/visitChecks.ts"
import { chunkReader, linkingOf } from "./chunks.ts"
import type { PartitionConverter } from "./partitionConverter.ts"
import { makePartitionConverter } from "./partitionConverter.ts"
import type { WorkerAnswer, WorkerMessage, WorkerSetting } from "./WorkerPool.ts"

/** A thread that reads chunks of a run's inputs, and converts its parts. It responds to one message after the other. */
const { facility, fhirVersion, mapping, system, validation, zone } = workerData as WorkerSetting
const checked = thawMapping(mapping)

const answer = (what: WorkerAnswer): void => {
  parentPort!.postMessage(what)
}

const linking = linkingOf(checked.plan)
const readChunk = linking === undefined
  ? undefined
  : chunkReader(linking, () => watchVersions(checked.plan, fhirVersion))
let converter: PartitionConverter
parentPort!.on("message", (message: WorkerMessage) => {
  try {
    switch (message._tag) {
      case "Stretch":
        return answer({ _tag: "Done", result: readChunk!(message.task) })
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
      case "Part":
        return answer({ _tag: "Done", result: converter.convert(message.task) })
      case "Codes":
        return answer({ _tag: "Done", result: converter.codes(message.task) })
    }
  } catch (error) {
    if (!(error instanceof SourceError) || !("input" in error.reason)) throw error
    answer({ _tag: "Failed", reason: { ...error.reason } })
  }
})
answer({ _tag: "Ready" })
