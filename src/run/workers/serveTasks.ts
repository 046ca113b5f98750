import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Effect } from "effect"
import * as WorkerRunner from "effect/workers/WorkerRunner"
import { workerData } from "node:worker_threads"
import { watchVersions } from "../../mapping/grouping/watchVersions.ts"
import { thawMapping } from "../../mapping/keptMapping.ts"
import { SourceError } from "../../source/SourceError.ts"
import { EngineDiffers } from "../checks/EngineDiffers.ts"
import { visitChecks } from "../checks/visitChecks.ts"
import { chunkReader, linkRulesOf } from "../read/chunks.ts"
import type { PartitionConverter } from "./partitionConverter.ts"
import { makePartitionConverter } from "./partitionConverter.ts"
import type { WorkerAnswer, WorkerMessage, WorkerSetting } from "./Thread.ts"

/** Returns the answers of a thread that reads chunks of a run's inputs, and converts its partitions. */
const answers = (
  { engine, facility, fhirVersion, mapping, system, validation, zone }: WorkerSetting
): (message: WorkerMessage) => WorkerAnswer | undefined => {
  const checked = thawMapping(mapping, engine)
  const linkRules = linkRulesOf(checked.plan)
  const readChunk = linkRules === undefined
    ? undefined
    : chunkReader(linkRules, () => watchVersions(checked.plan, fhirVersion))
  let converter: PartitionConverter | undefined
  return (message) => {
    try {
      switch (message._tag) {
        case "Chunk":
          return { _tag: "Done", result: given(readChunk)(message.task) }
        case "Records":
          converter = makePartitionConverter({
            checked,
            facility,
            system,
            zone,
            ...visitChecks(validation),
            ...message.records
          })
          return undefined
        case "Partition":
          return { _tag: "Done", result: given(converter).convert(message.task) }
        case "Codes":
          return { _tag: "Done", result: given(converter).codes(message.task) }
      }
    } catch (error) {
      if (error instanceof EngineDiffers) {
        const { source, what } = error
        return { _tag: "Differs", difference: { source, what } }
      }
      if (!(error instanceof SourceError) || !("input" in error.reason)) throw error
      return { _tag: "Failed", reason: { ...error.reason } }
    }
  }
}

/** The pool sends chunks only for mappings with links, and partitions only after their records. */
const given = <A>(value: A | undefined): A => {
  if (value === undefined) throw new Error("a worker received a task before its data")
  return value
}

/** Answers one message after the other, until the pool ends. An error that is no answer ends the thread, and with it the run. */
const serve = Effect.gen(function*() {
  // `startThread` is called with a `WorkerSetting`.
  const answer = answers(workerData as WorkerSetting)
  const platform = yield* WorkerRunner.WorkerRunnerPlatform
  const runner = yield* platform.start<WorkerAnswer, WorkerMessage>()
  yield* runner.run<never, never, never>((port, message) => {
    const found = answer(message)
    if (found !== undefined) runner.sendUnsafe(port, found)
  })
})

await Effect.runPromise(Effect.provide(serve, NodeWorkerRunner.layer))
