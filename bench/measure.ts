import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { env, execPath } from "node:process"

/** A finished process. */
export interface Run {
  /** By the clock, including the start. */
  readonly seconds: number
  /** Peak memory (`VmHWM`); 0 if the system has no `/proc`. */
  readonly megabytes: number
  readonly out: string
}

/** Runs Node with arguments. Exit codes 0 and 1 are a finished run; any other rejects with the beginning of stderr. */
export const run = (
  args: ReadonlyArray<string>,
  { oneCore = false, variables = {} }: {
    readonly oneCore?: boolean
    readonly variables?: Readonly<Record<string, string>>
  } = {}
): Promise<Run> =>
  new Promise((resolve, reject) => {
    const started = process.hrtime.bigint()
    const [command = execPath, ...rest] = [...(oneCore ? ["taskset", "-c", "0"] : []), execPath, ...args]
    const child = spawn(command, rest, { env: { ...env, ...variables }, stdio: ["ignore", "pipe", "pipe"] })
    let out = ""
    let errors = ""
    let megabytes = 0
    const watch = setInterval(() => {
      try {
        const [, kilobytes] = /VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? []
        megabytes = Math.max(megabytes, Number(kilobytes ?? 0) / 1024)
      } catch {
        // The process has ended, or the system has no /proc.
      }
    }, 20)
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
    child.on("error", reject)
    child.on("close", (code) => {
      clearInterval(watch)
      const seconds = Number(process.hrtime.bigint() - started) / 1e9
      if (code === 0 || code === 1) resolve({ seconds, megabytes, out })
      else reject(new Error(`exit ${code}: ${args.join(" ")}\n${errors.slice(0, 400)}`))
    })
  })

/** The upper median; `NaN` without values. */
export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other).at(values.length >> 1) ?? NaN

/** Runs `bench/floor.ts`, which parses every line of a file or folder once; returns its seconds. */
export const floorSeconds = async (input: string): Promise<number> =>
  Number.parseFloat((await run(["bench/floor.ts", input])).out)
