import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { Worker } from "node:worker_threads"
import type { Syntax } from "../mapping/MappingSyntax.ts"
import { asData } from "../mapping/MappingSyntax.ts"
import type { Whereabouts } from "../partition/PlacedRecords.ts"
import type { StretchTask } from "../partition/readStretch.ts"
import { Changed, NotReadable, SourceError } from "../source/SourceError.ts"
import type { RuleSettings } from "../visit/rules/Rule.ts"
import type { PartResult, PartTask } from "./PartTask.ts"
import type { StretchResult } from "./stretches.ts"

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

/** How many workers there are, and the memory of each for what lives longer, in MB. */
export interface TeamRoom {
  readonly workers: number
  readonly workerMegabytes: number
}

/** What a worker is told, one after the other. It answers each but `Records`. */
export type WorkerMessage =
  | { readonly _tag: "Stretch"; readonly task: StretchTask }
  | { readonly _tag: "Records"; readonly where: Whereabouts }
  | { readonly _tag: "Part"; readonly task: PartTask }

/** What a worker answers. */
export type WorkerAnswer =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Done"; readonly result: unknown }
  /** An input could not be read: data of a `SourceError`. */
  | { readonly _tag: "Failed"; readonly reason: { readonly input: string; readonly detail?: string } }

/** Results that wait to be taken, for each worker: more would fill the memory when they are taken slowly. */
const aheadOfTaker = 3

/**
 * Whether nurseries (V8's young generation) grow. This thread hands on and keeps little, and its nursery would come to many times what it needs;
 * those of the workers are to be as large as they may be. The setting is one for all threads: nurseries grow while the workers read, and until so
 * many parts of each worker have been taken.
 */
const nurseryGrowth = "--semi-space-growth-factor"
const settled = 1

/**
 * Threads that read stretches of a run's inputs, and then convert its parts, side by side. They end when the last part is taken or the run is.
 */
export class WorkerTeam {
  readonly #setting: WorkerSetting
  readonly #room: TeamRoom
  #members: Array<Member> = []

  constructor(setting: WorkerSetting, room: TeamRoom) {
    this.#setting = setting
    this.#room = room
  }

  /** To be called as early as may be: a mapping takes a while to be compiled. */
  start(): void {
    if (this.#members.length > 0) return
    setFlagsFromString(`${nurseryGrowth}=1`)
    const file = import.meta.url.endsWith(".ts") ? "./partWorker.ts" : "./partWorker.mjs"
    const setting: WorkerSetting = { ...this.#setting, mapping: asData(this.#setting.mapping) }
    this.#members = Array.from({ length: this.#room.workers }, () =>
      new Member(
        new Worker(new URL(file, import.meta.url), {
          workerData: setting,
          resourceLimits: { maxOldGenerationSizeMb: this.#room.workerMegabytes, maxYoungGenerationSizeMb: 16 }
        }),
        () => {
          if (this.#members.every(({ isReady }) => isReady)) setFlagsFromString(`${nurseryGrowth}=2`)
        }
      ))
  }

  /** Reads stretches; results come in the order of the tasks. `own` reads while no worker is ready yet. */
  async *read(
    tasks: Iterator<StretchTask>,
    own: (task: StretchTask) => StretchResult
  ): AsyncGenerator<StretchResult> {
    yield* this.#inOrder(tasks, (task) => ({ _tag: "Stretch", task }), own, true)
  }

  /** Converts parts; results come in the order of the tasks. `own` converts what is too large for a worker. */
  async *convert(
    tasks: Iterator<PartTask>,
    where: Whereabouts,
    own: (task: PartTask) => PartResult
  ): AsyncGenerator<PartResult> {
    for (const member of this.#members) member.tell({ _tag: "Records", where })
    let taken = 0
    try {
      for await (const result of this.#inOrder(tasks, (task): WorkerMessage => ({ _tag: "Part", task }), own, false)) {
        yield result
        if (++taken === this.#room.workers * settled) setFlagsFromString(`${nurseryGrowth}=1`)
      }
    } finally {
      await this.end()
    }
  }

  async *#inOrder<Task, Result>(
    tasks: Iterator<Task>,
    message: (task: Task) => WorkerMessage,
    own: (task: Task) => Result,
    helping: boolean
  ): AsyncGenerator<Result> {
    const idle = [...this.#members]
    const results: Array<Promise<Result>> = []
    const waiting: Array<() => void> = []
    const next = (): Task | undefined => {
      const { done, value } = tasks.next()
      return done === true ? undefined : value
    }
    const handOn = (member: Member, task: Task): void => {
      const result = member.ask(message(task)).then(
        (found) => {
          idle.push(member)
          return found as Result
        },
        (error: unknown) => {
          // A worker that has no room is gone; its task is done here, where there is more.
          if (!isOutOfMemory(error)) throw error
          return own(task)
        }
      )
      result.catch(() => undefined).finally(() => waiting.shift()?.())
      results.push(result)
    }
    /** Hands on tasks as long as a worker is idle and not too many results wait. */
    const handOnAll = (): void => {
      while (results.length < this.#room.workers * aheadOfTaker) {
        const at = helping ? idle.findIndex(({ isReady }) => isReady) : idle.length - 1
        if (at === -1) return
        const task = next()
        if (task === undefined) return
        handOn(idle.splice(at, 1)[0]!, task)
      }
    }
    for (;;) {
      handOnAll()
      if (helping && idle.some(({ isReady }) => !isReady) && results.length < this.#room.workers * aheadOfTaker) {
        const task = next()
        if (task !== undefined) {
          results.push(Promise.resolve(own(task)))
          // A worker may have become ready meanwhile.
          await setImmediate()
          continue
        }
      }
      const first = results.shift()
      if (first === undefined) {
        const task = next()
        if (task === undefined) return
        // No worker is left.
        yield own(task)
        continue
      }
      for (let done = false; !done;) {
        const some = new Promise<void>((resolve) => waiting.push(resolve))
        done = await Promise.race([first.then(() => true), some.then(() => false)])
        handOnAll()
      }
      yield await first
    }
  }

  async end(): Promise<void> {
    const members = this.#members
    this.#members = []
    setFlagsFromString(`${nurseryGrowth}=2`)
    await Promise.all(members.map((member) => member.end()))
  }
}

/** A worker, and whoever waits for its answer. */
class Member {
  readonly #worker: Worker
  #waiting: { readonly resolve: (found: unknown) => void; readonly reject: (error: unknown) => void } | undefined
  #end: unknown
  isReady = false

  constructor(worker: Worker, ready: () => void) {
    this.#worker = worker
    worker.on("message", (answer: WorkerAnswer) => {
      if (answer._tag === "Ready") {
        this.isReady = true
        ready()
      } else if (answer._tag === "Done") this.#take()?.resolve(answer.result)
      else this.#take()?.reject(sourceErrorOf(answer.reason))
    })
    worker.once("error", (error) => {
      this.#failed(error)
    })
    worker.once("exit", () => {
      this.#failed(new Error("a worker ended before its answer"))
    })
    worker.unref()
  }

  tell(message: WorkerMessage): void {
    this.#worker.postMessage(message)
  }

  /** Gives its answer. While nobody waits for one, it must not keep the process from ending. */
  ask(message: WorkerMessage): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) return reject(this.#end)
      this.#waiting = { resolve, reject }
      this.#worker.ref()
      this.tell(message)
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #take() {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.#worker.unref()
    return waiting
  }

  #failed(error: unknown): void {
    this.#end ??= error
    this.#take()?.reject(this.#end)
  }
}

const sourceErrorOf = ({ detail, input }: { readonly input: string; readonly detail?: string }): SourceError =>
  new SourceError({ reason: detail === undefined ? new Changed({ input }) : new NotReadable({ input, detail }) })

const isOutOfMemory = (error: unknown): boolean =>
  typeof error === "object" && error !== null &&
  (error as { readonly code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY"
