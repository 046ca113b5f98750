import { Effect, Exit, Queue, Scope, Stream } from "effect"
import { setImmediate } from "node:timers/promises"
import type { CheckedMapping } from "../../mapping/check/check.ts"
import { freezeMapping } from "../../mapping/keptMapping.ts"
import type { SourceError } from "../../source/SourceError.ts"
import { eachOrSourceError, orSourceError } from "../accounts/sourceErrors.ts"
import type { MemoryLimits } from "../ConversionRequest.ts"
import type { ChunkResult } from "../read/chunks.ts"
import type { ChunkTask } from "../read/readChunk.ts"
import type { WorkerRecords } from "./partitionConverter.ts"
import type { PartitionResult, PartitionTask } from "./PartitionTask.ts"
import type { Thread, WorkerSetting, WorkerTask } from "./Thread.ts"

/** Threads that read chunks of a run's inputs, and then convert its partitions, in parallel with this thread. */
export interface WorkerPool {
  readonly areRunning: () => boolean
  /** Run it as early as possible: a thread takes some time to start. Repeated runs have no effect. */
  readonly start: Effect.Effect<void>
  /** Reads chunks; results are in the order of the tasks. `own` reads in this thread. */
  readonly read: (
    tasks: Iterable<ChunkTask>,
    own: (task: ChunkTask) => ChunkResult
  ) => Stream.Stream<ChunkResult, SourceError>
  /** Converts partitions; results are in the order of the tasks. `own` converts in this thread. The threads end with the stream. */
  readonly convert: (
    tasks: Iterable<PartitionTask>,
    records: WorkerRecords,
    own: (task: PartitionTask) => PartitionResult
  ) => Stream.Stream<PartitionResult, SourceError>
  /** Finds the codes of partitions; results are in the order of the tasks. `own` finds them in this thread. */
  readonly codes: (
    tasks: Iterable<PartitionTask>,
    records: WorkerRecords,
    own: (task: PartitionTask) => ReadonlyArray<string>
  ) => Stream.Stream<ReadonlyArray<string>, SourceError>
}

/** Tasks that a thread holds at once. When it finishes one, the next is already queued, even if this thread is busy. */
const maxTasks = 2
/** Maximum of results per thread that wait for the consumer. A higher limit would fill the memory if the consumer is slow. */
const maxResults = 3

/** Makes a pool whose threads are not started yet, and end with the scope. */
export const makeWorkerPool = Effect.fnUntraced(function*(
  { checked, ...setting }: Omit<WorkerSetting, "mapping"> & { readonly checked: CheckedMapping },
  { helps, workerMegabytes, workers }: Pick<MemoryLimits, "workers" | "workerMegabytes" | "helps">
) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  /** The receivers of tasks: each thread is listed twice, because it may hold two tasks, and this thread once. */
  const free = yield* Queue.unbounded<Thread | "here">()
  let running: ReadonlyArray<Thread> = []
  let isHelping = helps || workers === 0
  if (isHelping) yield* Queue.offer(free, "here")

  const start = yield* Effect.cached(Effect.gen(function*() {
    if (workers === 0) return
    // Only a large run needs the code.
    const { startThread } = yield* Effect.promise(() => import("./Thread.ts"))
    const data: WorkerSetting = { ...setting, mapping: freezeMapping(checked) }
    running = yield* Effect.forEach(
      Array.from({ length: workers }),
      () =>
        startThread(data, workerMegabytes, {
          onReady: (thread) => Effect.asVoid(Queue.offerAll(free, Array.from({ length: maxTasks }, () => thread))),
          // This thread does what an ended one would have done.
          onEnd: Effect.suspend(() => {
            if (isHelping) return Effect.void
            isHelping = true
            return Queue.offer(free, "here")
          })
        })
    ).pipe(Scope.provide(scope))
  }))

  const take: Effect.Effect<Thread | "here"> = Effect.filterOrElse(
    Queue.take(free),
    (taken) => {
      const alive = running.filter((thread) => thread.isAlive())
      return taken === "here" || alive.includes(taken)
    },
    () => take
  )
  const release = (taken: Thread | "here"): Effect.Effect<unknown> =>
    // First receive the answers that have arrived, so that threads get their next tasks.
    taken === "here"
      ? Effect.andThen(Effect.promise(() => setImmediate()), Queue.offer(free, taken))
      : Queue.offer(free, taken)

  /** Gives each task to a free receiver. The stream returns results in the order of their tasks, and starts no task far ahead. */
  const inOrder = <Task, Result>(
    tasks: Iterable<Task>,
    taskOf: (task: Task) => WorkerTask,
    own: (task: Task) => Result
  ): Stream.Stream<Result, SourceError> =>
    Stream.mapEffect(
      eachOrSourceError(tasks),
      (task) => {
        const here = orSourceError(() => own(task))
        const work = (taken: Thread | "here"): Effect.Effect<Result, SourceError> =>
          taken === "here"
            ? here
            // A thread that ran out of memory is gone; this thread, with more memory, does its task.
            : Effect.catchTag(taken.do<Result>(taskOf(task)), "OutOfMemory", () => here)
        // The wait can be interrupted: a stream that is left needs no thread.
        return Effect.flatMap(take, (taken) => Effect.ensuring(work(taken), release(taken)))
      },
      { concurrency: (workers + 1) * maxResults }
    )

  const send = (records: WorkerRecords): Effect.Effect<void> =>
    Effect.forEach(running, (thread) => thread.send({ _tag: "Records", records }), { discard: true })

  const pool: WorkerPool = {
    areRunning: () => running.length > 0,
    start,
    read: (tasks, own) => inOrder(tasks, (task) => ({ _tag: "Chunk", task }), own),
    convert: (tasks, records, own) =>
      Stream.ensuring(
        Stream.onStart(inOrder(tasks, (task) => ({ _tag: "Partition", task }), own), send(records)),
        Scope.close(scope, Exit.void)
      ),
    codes: (tasks, records, own) =>
      Stream.onStart(inOrder(tasks, (task) => ({ _tag: "Codes", task }), own), send(records))
  }
  return pool
})
