import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { Cause, Data, Deferred, Effect } from "effect"
import * as EffectWorker from "effect/workers/Worker"
import { Worker } from "node:worker_threads"
import type { PathEngine } from "../../fhirpath/FhirPath.ts"
import type { FrozenMapping } from "../../mapping/keptMapping.ts"
import { SourceError } from "../../source/SourceError.ts"
import type { FhirVersionSetting } from "../../source/versions/FhirVersion.ts"
import type { RuleSettings } from "../../visit/rules/Rule.ts"
import type { FacilityCode, SystemCode } from "../../visit/values/Code.ts"
import { type EngineDifference, EngineDiffers } from "../checks/EngineDiffers.ts"
import type { ChunkTask } from "../read/readChunk.ts"
import type { WorkerRecords } from "./partitionConverter.ts"
import type { PartitionTask } from "./PartitionTask.ts"

/** The initial data of a worker: the mapping, and what visits are made and validated with. */
export interface WorkerSetting {
  readonly mapping: FrozenMapping
  readonly engine?: PathEngine | undefined
  readonly fhirVersion: FhirVersionSetting | undefined
  readonly facility: FacilityCode | null
  readonly system: SystemCode | null
  readonly zone: string
  readonly validation: Partial<RuleSettings> & Pick<RuleSettings, "now">
}

/** A task for a worker. It answers each, in order. */
export type WorkerTask =
  | { readonly _tag: "Chunk"; readonly task: ChunkTask }
  | { readonly _tag: "Partition" | "Codes"; readonly task: PartitionTask }

/** Messages to a worker. `Records` gets no answer: it contains what the next partitions are read from. */
export type WorkerMessage = WorkerTask | { readonly _tag: "Records"; readonly records: WorkerRecords }

export type WorkerAnswer =
  | { readonly _tag: "Done"; readonly result: unknown }
  /** An input could not be read: data of a `SourceError`. */
  | { readonly _tag: "Failed"; readonly reason: { readonly input: string; readonly detail?: string } }
  | { readonly _tag: "Differs"; readonly difference: EngineDifference }

/** A thread ended because it ran out of memory. */
export class OutOfMemory extends Data.TaggedError("OutOfMemory")<{}> {}

export interface Thread {
  /** Returns false if it ran out of memory. Throws any other error that ended it. */
  readonly isAlive: () => boolean
  readonly send: (message: WorkerMessage) => Effect.Effect<void>
  readonly do: <Result>(task: WorkerTask) => Effect.Effect<Result, SourceError | OutOfMemory>
}

/**
 * Memory of each worker for new objects (V8's young generation, of which two or three exist at a time), in MB. The data of a partition fits
 * into it, and is released before V8 would move it.
 */
const youngMegabytes = 16

/** Starts a thread, which ends with the scope. `onReady`: it waits for tasks. */
export const startThread = Effect.fnUntraced(function*(
  workerData: WorkerSetting,
  maxOldGenerationSizeMb: number,
  { onEnd, onReady }: {
    readonly onReady: (thread: Thread) => Effect.Effect<void>
    readonly onEnd: Effect.Effect<unknown>
  }
) {
  const file = import.meta.url.endsWith(".ts") ? "./partitionWorker.ts" : "./partitionWorker.mjs"
  const started = new Worker(new URL(file, import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 3 * youngMegabytes }
  })
  const worker = yield* Effect.flatMap(
    EffectWorker.WorkerPlatform,
    (platform) => platform.spawn<WorkerAnswer, WorkerMessage>(0)
  ).pipe(Effect.provide(NodeWorker.layer(() => started)), Effect.orDie)

  let ended: Cause.Cause<OutOfMemory> | undefined
  const unanswered: Array<Deferred.Deferred<unknown, SourceError | OutOfMemory>> = []
  const send = (message: WorkerMessage): Effect.Effect<void> => Effect.orDie(worker.send(message))
  const thread: Thread = {
    isAlive: () => {
      if (ended === undefined) return true
      if (!Cause.hasFails(ended)) throw Cause.squash(ended)
      return false
    },
    send,
    do: <Result>(task: WorkerTask) =>
      Effect.suspend((): Effect.Effect<Result, SourceError | OutOfMemory> => {
        if (ended !== undefined) return Effect.failCause(ended)
        const answer = Deferred.makeUnsafe<unknown, SourceError | OutOfMemory>()
        unanswered.push(answer)
        // The thread computes what the caller would compute for the task, so the result has the same type.
        return Effect.andThen(send(task), Deferred.await(answer)) as Effect.Effect<Result, SourceError | OutOfMemory>
      })
  }
  const answered = (answer: WorkerAnswer): Effect.Effect<unknown> => {
    const task = unanswered.shift()
    if (task === undefined) return Effect.die(new Error("a worker answered without a task"))
    switch (answer._tag) {
      case "Done":
        return Deferred.succeed(task, answer.result)
      case "Failed":
        return Deferred.fail(task, sourceErrorOf(answer.reason))
      case "Differs":
        return Deferred.die(task, new EngineDiffers(answer.difference))
    }
  }
  yield* worker.run(answered, { onSpawn: Effect.suspend(() => onReady(thread)) }).pipe(
    Effect.catch(({ reason }) =>
      isOutOfMemory(reason.cause) ? Effect.fail(new OutOfMemory()) : Effect.die(reason.cause ?? reason)
    ),
    Effect.onError((cause) => {
      ended = cause
      return Effect.andThen(Effect.forEach(unanswered.splice(0), (task) => Deferred.failCause(task, cause)), onEnd)
    }),
    // The thread runs already: if it ended before anything listened to it, its error would end the process.
    Effect.forkScoped({ startImmediately: true })
  )
  // At the end, neither its start nor the result of a task is needed.
  yield* Effect.addFinalizer(() => Effect.promise(() => started.terminate()))
  return thread
})

const sourceErrorOf = ({ detail, input }: { readonly input: string; readonly detail?: string }): SourceError =>
  new SourceError({
    reason: detail === undefined ? { _tag: "Changed", input } : { _tag: "NotReadable", input, detail }
  })

const isOutOfMemory = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
