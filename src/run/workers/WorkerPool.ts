import { setImmediate } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import type { CheckedMapping } from "../../mapping/check/check.ts"
import type { FrozenMapping } from "../../mapping/keptMapping.ts"
import { freezeMapping } from "../../mapping/keptMapping.ts"
import { Changed, NotReadable, SourceError } from "../../source/SourceError.ts"
import type { FhirVersionSetting } from "../../source/versions/FhirVersion.ts"
import type { RuleSettings } from "../../visit/rules/Rule.ts"
import type { FacilityCode, SystemCode } from "../../visit/values/Code.ts"
import type { MemoryLimits } from "../ConversionRequest.ts"
import type { ChunkTask } from "../partition/readChunk.ts"
import type { ChunkResult } from "./chunks.ts"
import type { WorkerRecords } from "./partitionConverter.ts"
import type { PartitionResult, PartitionTask } from "./PartitionTask.ts"

/** The initial data of a worker: the mapping, and what visits are made and validated with. */
export interface WorkerSetting {
  readonly mapping: FrozenMapping
  readonly fhirVersion: FhirVersionSetting | undefined
  readonly facility: FacilityCode | null
  readonly system: SystemCode | null
  readonly zone: string
  readonly validation: Partial<RuleSettings> & Pick<RuleSettings, "now">
}

/** A task for a worker. It answers each with a result, in order. */
export type WorkerTask =
  | { readonly _tag: "Chunk"; readonly task: ChunkTask }
  | { readonly _tag: "Partition" | "Codes"; readonly task: PartitionTask }

/** Messages to a worker. It does not answer `Records`, which the next partitions are read from. */
export type WorkerMessage = WorkerTask | { readonly _tag: "Records"; readonly records: WorkerRecords }

/** The answer of a worker. The first one says that it has started. */
export type WorkerAnswer =
  | { readonly _tag: "Done"; readonly result?: unknown }
  /** An input could not be read: data of a `SourceError`. */
  | { readonly _tag: "Failed"; readonly reason: { readonly input: string; readonly detail?: string } }

/** Tasks that a worker has at once. The next task is already queued when one is done, even if the main thread is busy. */
const maxTasks = 2
/** Results per thread that wait to be taken. More would fill the memory if they are taken slowly. */
const maxResults = 3

/**
 * Memory of each worker for new objects (V8's young generation, of which two or three exist at a time), in MB. The data of a partition fits
 * into it, and is released before V8 would move it.
 */
const youngMegabytes = 16

/** Threads that read chunks of a run's inputs, and then convert its partitions, in parallel with the main thread. */
export class WorkerPool {
  readonly #setting: Omit<WorkerSetting, "mapping"> & { readonly checked: CheckedMapping }
  readonly #limits: Pick<MemoryLimits, "workers" | "workerMegabytes" | "helps">
  #threads: ReadonlyArray<WorkerThread> = []

  constructor(
    setting: Omit<WorkerSetting, "mapping"> & { readonly checked: CheckedMapping },
    limits: Pick<MemoryLimits, "workers" | "workerMegabytes" | "helps">
  ) {
    this.#setting = setting
    this.#limits = limits
  }

  get areRunning(): boolean {
    return this.#threads.length > 0
  }

  /** Call it as early as possible: a thread takes some time to start. */
  start(): void {
    const { workerMegabytes, workers } = this.#limits
    if (this.#threads.length > 0 || workers === 0) return
    const file = import.meta.url.endsWith(".ts") ? "./partitionWorker.ts" : "./partitionWorker.mjs"
    const { checked, ...others } = this.#setting
    const setting: WorkerSetting = { ...others, mapping: freezeMapping(checked) }
    this.#threads = Array.from({ length: workers }, () =>
      new WorkerThread(
        new Worker(new URL(file, import.meta.url), {
          workerData: setting,
          resourceLimits: {
            maxOldGenerationSizeMb: workerMegabytes,
            maxYoungGenerationSizeMb: 3 * youngMegabytes
          }
        })
      ))
  }

  /** Reads chunks; results are in the order of the tasks. `own` reads in this thread. */
  read(tasks: Iterator<ChunkTask>, own: (task: ChunkTask) => ChunkResult): AsyncGenerator<ChunkResult> {
    return this.#inOrder(tasks, (task) => ({ _tag: "Chunk", task }), own)
  }

  /** Converts partitions; results are in the order of the tasks. `own` converts in this thread. The workers end with it. */
  async *convert(
    tasks: Iterable<PartitionTask>,
    records: WorkerRecords,
    own: (task: PartitionTask) => PartitionResult
  ): AsyncGenerator<PartitionResult> {
    try {
      this.#send(records)
      yield* this.#inOrder(tasks[Symbol.iterator](), (task) => ({ _tag: "Partition", task }), own)
    } finally {
      await this.end()
    }
  }

  /** Finds the codes of partitions; results are in the order of the tasks. `own` finds them in this thread. */
  codes(
    tasks: Iterator<PartitionTask>,
    records: WorkerRecords,
    own: (task: PartitionTask) => ReadonlyArray<string>
  ): AsyncGenerator<ReadonlyArray<string>> {
    this.#send(records)
    return this.#inOrder(tasks, (task) => ({ _tag: "Codes", task }), own)
  }

  #send(records: WorkerRecords): void {
    for (const thread of this.#threads) thread.send({ _tag: "Records", records })
  }

  /** Assigns tasks to free workers, and does one in this thread whenever none is free. */
  async *#inOrder<Task, Result>(
    tasks: Iterator<Task>,
    taskOf: (task: Task) => WorkerTask,
    own: (task: Task) => Result
  ): AsyncGenerator<Result> {
    const { helps, workers } = this.#limits
    const results: Array<PendingResult<Result>> = []
    let ended = false
    const next = (): Task | undefined => {
      if (ended || results.length === (workers + 1) * maxResults) return undefined
      const { done, value } = tasks.next()
      ended = done === true
      return ended ? undefined : value
    }
    const assign = (): void => {
      for (const thread of this.#threads) {
        thread.throwError()
        while (thread.isReady && thread.tasks < maxTasks) {
          const task = next()
          if (task === undefined) return
          // A worker that ran out of memory is gone; this thread, with more memory, does its task. A result has the type of its task.
          const result = (thread.do(taskOf(task)) as Promise<Result>).catch((error: unknown) => {
            if (!isOutOfMemory(error)) throw error
            return own(task)
          })
          results.push(pending(result))
        }
      }
    }
    if (!helps) await Promise.all(this.#threads.map(({ started }) => started))
    for (;;) {
      assign()
      const [first] = results
      if (first?.isSettled === true) {
        results.shift()
        yield first.result
        continue
      }
      const task = helps || !this.#threads.some(({ isReady }) => isReady) ? next() : undefined
      if (task !== undefined) {
        results.push(pending(Promise.resolve(own(task))))
        // Receive the answers that have arrived meanwhile.
        await setImmediate()
      } else if (first === undefined) return
      else await first.settled
    }
  }

  async end(): Promise<void> {
    const threads = this.#threads
    this.#threads = []
    await Promise.all(threads.map((thread) => thread.end()))
  }
}

interface PendingResult<Result> {
  readonly result: Promise<Result>
  /** Resolves when the result or its error is there. */
  readonly settled: Promise<void>
  isSettled: boolean
}

const pending = <Result>(result: Promise<Result>): PendingResult<Result> => {
  const settle = (): void => {
    one.isSettled = true
  }
  const one: PendingResult<Result> = { result, settled: result.then(settle, settle), isSettled: false }
  return one
}

/** A worker, and the tasks that it has not answered yet. */
class WorkerThread {
  readonly #worker: Worker
  readonly #unanswered: Array<PromiseWithResolvers<unknown>> = []
  #error: unknown
  /** Resolves when it waits for tasks, or has ended. */
  readonly started: Promise<void>
  isReady = false

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on("message", (answer: WorkerAnswer) => {
      const task = this.#unanswered.shift()
      if (answer._tag === "Done") task?.resolve(answer.result)
      else task?.reject(sourceErrorOf(answer.reason))
    })
    worker.once("error", (error) => this.#ended(error))
    worker.once("exit", () => this.#ended(new Error("a worker ended before its answer")))
    this.started = this.#answer().then(
      () => {
        this.isReady = true
      },
      () => undefined
    )
  }

  /** Throws the error that ended it, unless it ran out of memory. */
  throwError(): void {
    if (this.#error !== undefined && !isOutOfMemory(this.#error)) throw this.#error
  }

  /** Number of tasks that it has not answered. */
  get tasks(): number {
    return this.#unanswered.length
  }

  send(message: WorkerMessage): void {
    this.#worker.postMessage(message)
  }

  /** Returns the result of a task. */
  do(task: WorkerTask): Promise<unknown> {
    this.send(task)
    return this.#answer()
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #answer(): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>()
    this.#unanswered.push(answer)
    return answer.promise
  }

  #ended(error: unknown): void {
    this.#error ??= error
    this.isReady = false
    for (const { reject } of this.#unanswered.splice(0)) reject(this.#error)
  }
}

const sourceErrorOf = ({ detail, input }: { readonly input: string; readonly detail?: string }): SourceError =>
  new SourceError({ reason: detail === undefined ? new Changed({ input }) : new NotReadable({ input, detail }) })

const isOutOfMemory = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
