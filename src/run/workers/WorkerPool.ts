import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { Worker } from "node:worker_threads"
import type { Syntax } from "../../mapping/language/MappingSyntax.ts"
import { asData } from "../../mapping/language/MappingSyntax.ts"
import { Changed, NotReadable, SourceError } from "../../source/SourceError.ts"
import type { RuleSettings } from "../../visit/rules/Rule.ts"
import type { ChunkTask } from "../partition/readChunk.ts"
import type { ChunkResult } from "./chunks.ts"
import type { WorkerRecords } from "./partitionConverter.ts"
import type { PartitionResult, PartitionTask } from "./PartitionTask.ts"

/** What a worker is begun with: the mapping, and what a visit is made and validated by. */
export interface WorkerSetting {
  /** The effective mapping, read and found good. */
  readonly mapping: Syntax
  readonly hash: string
  readonly facility: string | null
  readonly system: string | null
  readonly zone: string
  readonly validation: Partial<RuleSettings> & Pick<RuleSettings, "now">
}

/** How many workers there are, the memory of each for what lives longer, in MB, and whether this thread does what none of them has room for. */
export interface WorkerLimits {
  readonly workers: number
  readonly workerMegabytes: number
  readonly helps: boolean
}

/** What a worker is told, one after the other. It answers each but `Records`. */
export type WorkerMessage =
  | { readonly _tag: "Stretch"; readonly task: ChunkTask }
  | { readonly _tag: "Records"; readonly records: WorkerRecords }
  | { readonly _tag: "Part"; readonly task: PartitionTask }

/** What a worker answers. */
export type WorkerAnswer =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Done"; readonly result: unknown }
  /** An input could not be read: data of a `SourceError`. */
  | { readonly _tag: "Failed"; readonly reason: { readonly input: string; readonly detail?: string } }

/** Tasks that a worker has at once: the next is there when one is done, whatever the main thread is busy with. */
const tasksAtOnce = 2
/** Results that wait to be taken, for each thread: more would fill the memory when they are taken slowly. */
const aheadOfTaker = 3

/**
 * Nurseries (V8's young generation, of which two or three are there at a time) of the workers are as large as the main thread's may be from the
 * beginning, and none grows: the main thread's would come to many times what it needs. What a part holds finds room in one, and is gone
 * before anything would be moved.
 */
const nurseryMegabytes = 16
const nurserySize = `--min-semi-space-size=${nurseryMegabytes}`
const nurseryGrowth = "--semi-space-growth-factor"
/** By how much a heap may grow before what is no longer used is looked for, in percent; `0` is V8's own choice, which is several times as much. */
const heapGrowth = "--heap-growing-percent"
const growth = 35

/**
 * Threads that read stretches of a run's inputs, and then convert its parts, side by side with the thread that started them. They end when the
 * last part is taken or the run is.
 */
export class WorkerPool {
  readonly #setting: WorkerSetting
  readonly #room: WorkerLimits
  #members: Array<Member> = []

  constructor(setting: WorkerSetting, room: WorkerLimits) {
    this.#setting = setting
    this.#room = room
  }

  /** To be called as early as may be: a mapping takes a while to be compiled. */
  start(): void {
    setFlagsFromString(`${heapGrowth}=${growth}`)
    if (this.#members.length > 0 || this.#room.workers === 0) return
    setFlagsFromString(`${nurseryGrowth}=1`)
    setFlagsFromString(nurserySize)
    const file = import.meta.url.endsWith(".ts") ? "./partitionWorker.ts" : "../partWorker.mjs"
    const setting: WorkerSetting = { ...this.#setting, mapping: asData(this.#setting.mapping) }
    this.#members = Array.from({ length: this.#room.workers }, () =>
      new Member(
        new Worker(new URL(file, import.meta.url), {
          workerData: setting,
          resourceLimits: {
            maxOldGenerationSizeMb: this.#room.workerMegabytes,
            maxYoungGenerationSizeMb: 3 * nurseryMegabytes
          }
        })
      ))
  }

  /** Reads stretches; results come in the order of the tasks. `own` reads in this thread. */
  read(tasks: Iterator<ChunkTask>, own: (task: ChunkTask) => ChunkResult): AsyncGenerator<ChunkResult> {
    return this.#inOrder(tasks, (task) => ({ _tag: "Stretch", task }), own)
  }

  /** Converts parts; results come in the order of the tasks. `own` converts in this thread. */
  async *convert(
    tasks: Iterator<PartitionTask>,
    records: WorkerRecords,
    own: (task: PartitionTask) => PartitionResult
  ): AsyncGenerator<PartitionResult> {
    for (const member of this.#members) member.tell({ _tag: "Records", records })
    try {
      yield* this.#inOrder(tasks, (task) => ({ _tag: "Part", task }), own)
    } finally {
      await this.end()
    }
  }

  /** Hands tasks on to workers that have room for them, and does one here whenever none has. */
  async *#inOrder<Task, Result>(
    tasks: Iterator<Task>,
    message: (task: Task) => WorkerMessage,
    own: (task: Task) => Result
  ): AsyncGenerator<Result> {
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
            // A worker that has no room is gone; its task is done here, where there is more.
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
        // What workers have answered meanwhile is heard now.
        await setImmediate()
      } else if (first === undefined) return
      else await first.promise.then(ignore, ignore)
    }
  }

  async end(): Promise<void> {
    const members = this.#members
    this.#members = []
    setFlagsFromString(`${heapGrowth}=0`)
    if (members.length > 0) setFlagsFromString(`${nurseryGrowth}=2`)
    await Promise.all(members.map((member) => member.end()))
  }
}

const ignore = (): void => undefined

/** A result that will be there, and whether it is. */
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

/** A worker, and whoever waits for its answers. */
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

  /** It waits for tasks, or has ended. */
  get ready(): Promise<void> {
    this.#worker.ref()
    return this.#begun.promise.finally(() => {
      this.#worker.unref()
    })
  }

  /** Throws what ended it, unless it was want of room. */
  expectSound(): void {
    if (this.#end !== undefined && !isOutOfMemory(this.#end)) throw this.#end
  }

  /** How many answers it owes. */
  get tasks(): number {
    return this.#waiting.length
  }

  tell(message: WorkerMessage): void {
    this.#worker.postMessage(message)
  }

  /** Gives its answer. While nobody waits for one, it must not keep the process from ending. */
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
