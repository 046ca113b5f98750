import { once } from "node:events"
import { Worker } from "node:worker_threads"
import type { Syntax } from "../mapping/MappingSyntax.ts"
import { asData } from "../mapping/MappingSyntax.ts"
import type { Commons } from "../partition/recordText.ts"
import type { RuleSettings } from "../visit/rules/Rule.ts"
import type { PartConverter } from "./partConverter.ts"
import type { PartResult, PartTask } from "./PartTask.ts"

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

/** What a worker is told, one after the other. */
export type WorkerMessage =
  | { readonly _tag: "Records"; readonly commons: Commons; readonly descriptor: number }
  | { readonly _tag: "Task"; readonly task: PartTask }

/** Results that wait to be taken, for each worker: more would fill the memory when they are taken slowly. */
const aheadOfTaker = 3

/**
 * Threads that convert parts of a run side by side. They are started while the input is still being read, as a mapping takes a while to be
 * compiled, and end when the last part is taken or the run is.
 */
export class WorkerTeam {
  readonly #setting: WorkerSetting
  readonly #room: TeamRoom
  #workers: Array<Member> = []

  constructor(setting: WorkerSetting, room: TeamRoom) {
    this.#setting = setting
    this.#room = room
  }

  start(): void {
    const file = import.meta.url.endsWith(".ts") ? "./partWorker.ts" : "./partWorker.mjs"
    const setting: WorkerSetting = { ...this.#setting, mapping: asData(this.#setting.mapping) }
    this.#workers = Array.from({ length: this.#room.workers }, () => {
      const worker = new Worker(new URL(file, import.meta.url), {
        workerData: setting,
        resourceLimits: { maxOldGenerationSizeMb: this.#room.workerMegabytes, maxYoungGenerationSizeMb: 16 }
      })
      const failed = new Promise<never>((_, reject) => {
        worker.once("error", reject)
        worker.once("exit", () => {
          reject(new Error("a worker ended before its answer"))
        })
      })
      // Whoever waits for its answer is told; while nobody does, it must not end the process.
      failed.catch(() => undefined)
      worker.unref()
      return { worker, failed }
    })
  }

  /** Converts parts; results come in the order of the tasks. `own` converts what is too large for a worker. */
  async *convert(
    tasks: Iterator<PartTask>,
    commons: Commons,
    descriptor: number,
    own: () => PartConverter
  ): AsyncGenerator<PartResult> {
    const idle = [...this.#workers]
    for (const { worker } of idle) worker.postMessage({ _tag: "Records", commons, descriptor } satisfies WorkerMessage)
    const results: Array<Promise<PartResult>> = []
    const waiting: Array<() => void> = []
    /** Hands on tasks as long as a worker is idle and not too many results wait. */
    const handOn = (): void => {
      while (idle.length > 0 && results.length < this.#room.workers * aheadOfTaker) {
        const next = tasks.next()
        if (next.done === true) return
        const member = idle.pop()!
        const result = ask(member, next.value).then(
          (found) => {
            idle.push(member)
            return found
          },
          (error: unknown) => {
            // A worker that has no room is gone; its part is converted here, where there is more.
            if (!isOutOfMemory(error)) throw error
            return own().convert(next.value)
          }
        )
        result.catch(() => undefined).finally(() => waiting.shift()?.())
        results.push(result)
      }
    }
    try {
      for (;;) {
        handOn()
        const first = results.shift()
        if (first === undefined) {
          const next = tasks.next()
          if (next.done === true) return
          // No worker is left.
          yield own().convert(next.value)
          continue
        }
        for (let done = false; !done;) {
          const some = new Promise<void>((resolve) => waiting.push(resolve))
          done = await Promise.race([first.then(() => true), some.then(() => false)])
          handOn()
        }
        yield await first
      }
    } finally {
      await this.end()
    }
  }

  async end(): Promise<void> {
    const workers = this.#workers
    this.#workers = []
    await Promise.all(workers.map(({ worker }) => worker.terminate()))
  }
}

/** A worker, and the end of it, which nobody hopes for. */
interface Member {
  readonly worker: Worker
  readonly failed: Promise<never>
}

const ask = async ({ failed, worker }: Member, task: PartTask): Promise<PartResult> => {
  const waiting = new AbortController()
  try {
    worker.ref()
    worker.postMessage({ _tag: "Task", task } satisfies WorkerMessage)
    const answer = once(worker, "message", { signal: waiting.signal })
    const [result] = await Promise.race([answer, failed]) as [PartResult]
    return result
  } finally {
    waiting.abort()
    worker.unref()
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  typeof error === "object" && error !== null &&
  (error as { readonly code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY"
