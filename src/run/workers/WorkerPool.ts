import { setImmediate } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import type { CheckedMapping } from "../../mapping/check/check.ts"
import type { FrozenMapping } from "../../mapping/keptMapping.ts"
import { freezeMapping } from "../../mapping/keptMapping.ts"
import { Changed, NotReadable, SourceError } from "../../source/SourceError.ts"
import type { FhirVersionSetting } from "../../source/versions/FhirVersion.ts"
import type { RuleSettings } from "../../visit/rules/Rule.ts"
import type { FacilityCode, SystemCode } from "../../visit/values/Code.ts"
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

/** What the workers of a run share. */
interface PoolSetting extends Omit<WorkerSetting, "mapping"> {
  readonly checked: CheckedMapping
}

/**
 * The number of workers, the memory of each for long-lived objects in MB, and whether this thread does the work that fits into no worker.
 */
interface WorkerLimits {
  readonly workers: number
  readonly workerMegabytes: number
  readonly helps: boolean
}

/** Messages to a worker, in order. It responds to each except `Records`. */
export type WorkerMessage =
  | { readonly _tag: "Stretch"; readonly task: ChunkTask }
  | { readonly _tag: "Records"; readonly records: WorkerRecords }
  | { readonly _tag: "Part" | "Codes"; readonly task: PartitionTask }

/** The response of a worker. */
export type WorkerAnswer =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Done"; readonly result: unknown }
  /** An input could not be read: data of a `SourceError`. */
  | { readonly _tag: "Failed"; readonly reason: { readonly input: string; readonly detail?: string } }

/** Tasks that a worker has at once. The next task is already queued when one is done, even if the main thread is busy. */
const tasksAtOnce = 2
/** Results per thread that wait to be taken. More would fill the memory if they are taken slowly. */
const aheadOfTaker = 3

/**
 * Memory of each worker for new objects (V8's young generation, of which two or three exist at a time), in MB. The data of a partition fits
 * into it, and is released before V8 would move it.
 */
const youngMegabytes = 16

/**
 * Threads that read chunks of a run's inputs, and then convert its parts, in parallel with the main thread. They end when the last part is
 * taken, or when the run ends.
 */
export class WorkerPool {
  readonly #setting: PoolSetting
  readonly #room: WorkerLimits
  #members: Array<Member> = []

  constructor(setting: PoolSetting, room: WorkerLimits) {
    this.#setting = setting
    this.#room = room
  }

  /** Call it as early as possible: a thread takes some time to start. */
  start(): void {
    if (this.#members.length > 0 || this.#room.workers === 0) return
    const file = import.meta.url.endsWith(".ts") ? "./partitionWorker.ts" : "./partWorker.mjs"
    const { checked, ...others } = this.#setting
    const setting: WorkerSetting = { ...others, mapping: freezeMapping(checked) }
    this.#members = Array.from({ length: this.#room.workers }, () =>
      new Member(
        new Worker(new URL(file, import.meta.url), {
          workerData: setting,
          resourceLimits: {
            maxOldGenerationSizeMb: this.#room.workerMegabytes,
            maxYoungGenerationSizeMb: 3 * youngMegabytes
          }
        })
      ))
  }

  /** Reads chunks; results are in the order of the tasks. `own` reads in this thread. */
  read(tasks: Iterator<ChunkTask>, own: (task: ChunkTask) => ChunkResult): AsyncGenerator<ChunkResult> {
    return this.#inOrder(tasks, (task) => ({ _tag: "Stretch", task }), own)
  }

  /** Converts parts; results are in the order of the tasks. `own` converts in this thread. The workers end with it. */
  async *convert(
    tasks: Iterator<PartitionTask>,
    records: WorkerRecords,
    own: (task: PartitionTask) => PartitionResult
  ): AsyncGenerator<PartitionResult> {
    try {
      yield* this.#inOrder(tasks, (task) => ({ _tag: "Part", task }), own, records)
    } finally {
      await this.end()
    }
  }

  /** Finds the codes of parts; results are in the order of the tasks. `own` finds them in this thread. */
  codes(
    tasks: Iterator<PartitionTask>,
    records: WorkerRecords,
    own: (task: PartitionTask) => ReadonlyArray<string>
  ): AsyncGenerator<ReadonlyArray<string>> {
    return this.#inOrder(tasks, (task) => ({ _tag: "Codes", task }), own, records)
  }

  /** Assigns tasks to free workers, and does one in this thread whenever none is free. */
  async *#inOrder<Task, Result>(
    tasks: Iterator<Task>,
    message: (task: Task) => WorkerMessage,
    own: (task: Task) => Result,
    records?: WorkerRecords
  ): AsyncGenerator<Result> {
    if (records !== undefined) { for (const member of this.#members) member.tell({ _tag: "Records", records }) }
    const max = (this.#room.workers + 1) * aheadOfTaker
    const results: Array<PendingResult<Result>> = []
    let ended = false
    const next = (): Task | undefined => {
      if (ended) return undefined
      const { done, value } = tasks.next()
      ended = done === true
      return ended ? undefined : value
    }
    const handOn = (): void => {
      for (const member of this.#members) {
        member.expectSound()
        while (member.isReady && member.tasks < tasksAtOnce && results.length < max) {
          const task = next()
          if (task === undefined) return
          results.push(
            // A worker that ran out of memory is gone; this thread, with more memory, does its task.
            new PendingResult(member.ask(message(task)) as Promise<Result>, (error) => {
              if (!isOutOfMemory(error)) throw error
              return own(task)
            })
          )
        }
      }
    }
    const { helps } = this.#room
    if (!helps) await Promise.all(this.#members.map(({ ready }) => ready))
    for (;;) {
      handOn()
      const [first] = results
      if (first?.isThere === true) {
        results.shift()
        yield first.promise
        continue
      }
      const mayHelp = helps || !this.#members.some(({ isReady }) => isReady)
      const task = mayHelp && results.length < max ? next() : undefined
      if (task !== undefined) {
        results.push(new PendingResult(Promise.resolve(own(task))))
        // Receive the responses that have arrived meanwhile.
        await setImmediate()
      } else if (first === undefined) return
      else await first.promise.then(ignore, ignore)
    }
  }

  async end(): Promise<void> {
    const members = this.#members
    this.#members = []
    await Promise.all(members.map((member) => member.end()))
  }
}

const ignore = (): void => undefined

/** A future result, and whether it has arrived. */
class PendingResult<Result> {
  readonly promise: Promise<Result>
  isThere = false

  constructor(promise: Promise<Result>, otherwise?: (error: unknown) => Result) {
    this.promise = otherwise === undefined ? promise : promise.catch(otherwise)
    const there = (): void => {
      this.isThere = true
    }
    this.promise.then(there, there)
  }
}

/** A worker, and the callers that wait for its responses. */
class Member {
  readonly #worker: Worker
  readonly #waiting: Array<
    { readonly resolve: (found: unknown) => void; readonly reject: (error: unknown) => void }
  > = []
  readonly #begun = Promise.withResolvers<void>()
  #end: unknown
  isReady = false

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on("message", (answer: WorkerAnswer) => {
      if (answer._tag === "Ready") {
        this.isReady = true
        this.#begun.resolve()
      } else {
        const waiting = this.#waiting.shift()
        if (answer._tag === "Done") waiting?.resolve(answer.result)
        else waiting?.reject(sourceErrorOf(answer.reason))
        if (this.#waiting.length === 0) worker.unref()
      }
    })
    worker.once("error", (error) => {
      this.#failed(error)
    })
    worker.once("exit", () => {
      this.#failed(new Error("a worker ended before its answer"))
    })
    worker.unref()
  }

  /** Resolves when it waits for tasks, or has ended. */
  get ready(): Promise<void> {
    this.#worker.ref()
    return this.#begun.promise.finally(() => {
      this.#worker.unref()
    })
  }

  /** Throws the error that ended it, unless it ran out of memory. */
  expectSound(): void {
    if (this.#end !== undefined && !isOutOfMemory(this.#end)) throw this.#end
  }

  /** Number of pending responses. */
  get tasks(): number {
    return this.#waiting.length
  }

  tell(message: WorkerMessage): void {
    this.#worker.postMessage(message)
  }

  /** Returns the worker's response. While no caller waits for one, the worker must not keep the process from ending. */
  ask(message: WorkerMessage): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.ref()
      this.tell(message)
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #failed(error: unknown): void {
    this.#end ??= error
    this.isReady = false
    this.#begun.resolve()
    for (const { reject } of this.#waiting.splice(0)) reject(this.#end)
  }
}

const sourceErrorOf = ({ detail, input }: { readonly input: string; readonly detail?: string }): SourceError =>
  new SourceError({ reason: detail === undefined ? new Changed({ input }) : new NotReadable({ input, detail }) })

const isOutOfMemory = (error: unknown): boolean =>
  typeof error === "object" && error !== null &&
  (error as { readonly code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY"
