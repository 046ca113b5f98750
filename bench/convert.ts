import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeInput } from "./makeInput.ts"

/**
 * How a whole `convert` (start, read, group, map, validate, write) compares with parsing every line of the same input once. Ratios
 * are of medians of runs that take turns; peak memory is the process's. Sizes in MB: `npm run bench -- 5 20`.
 */
interface Run {
  readonly seconds: number
  readonly peakMegabytes: number
  readonly out: string
}

const run = (args: ReadonlyArray<string>): Promise<Run> =>
  new Promise((resolve, reject) => {
    const started = process.hrtime.bigint()
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    let out = ""
    let errors = ""
    let peak = 0
    const watch = setInterval(() => {
      try {
        const line = /VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))
        if (line !== null) peak = Math.max(peak, Number(line[1]) / 1024)
      } catch {
        // The process has ended, or this system has no /proc: the peak stays what was seen.
      }
    }, 20)
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
    child.on("error", reject)
    child.on("close", (code) => {
      clearInterval(watch)
      const seconds = Number(process.hrtime.bigint() - started) / 1e9
      if (code === 0 || code === 1) resolve({ seconds, peakMegabytes: peak, out })
      else reject(new Error(`exit ${code}: ${errors.slice(0, 400)}`))
    })
  })

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1]!

const fastest = (runs: ReadonlyArray<Run>): number => Math.min(...runs.map((one) => one.seconds))

const repeated = async (args: ReadonlyArray<string>): Promise<ReadonlyArray<Run>> => {
  const runs: Array<Run> = []
  for (let round = 0; round < 9; round++) runs.push(await run(args))
  return runs
}

const startUp = fastest(await repeated(["dist/fhir2visit.mjs", "--version"])) / fastest(await repeated(["-e", "0"]))
process.stdout.write(`start    --version : the engine itself = ${startUp.toFixed(1)}   (at most 6 is meant)\n`)

const sizes = process.argv.slice(2).map(Number).filter((size) => size > 0)
const folder = mkdtempSync(join(tmpdir(), "fhir2visit-bench-"))
try {
  let first: { readonly bytes: number; readonly seconds: number; readonly peak: number } | undefined
  for (const size of sizes.length === 0 ? [5, 20] : sizes) {
    const input = join(folder, `${size}.ndjson`)
    const bytes = await makeInput(input, size)
    const floors: Array<number> = []
    const whole: Array<Run> = []
    for (let round = 0; round < 3; round++) {
      floors.push(Number((await run(["bench/floor.ts", input])).out.split(" ")[0]))
      whole.push(await run(["dist/fhir2visit.mjs", "convert", input, "-o", join(folder, "visits.ndjson"), "--quiet"]))
    }
    const seconds = median(whole.map((one) => one.seconds))
    const peak = median(whole.map((one) => one.peakMegabytes))
    const ratio = seconds / median(floors)
    process.stdout.write(
      `${(bytes / 1e6).toFixed(0)} MB   convert : parse every line = ${ratio.toFixed(1)}   peak ${peak.toFixed(0)} MB`
    )
    if (first !== undefined) {
      const grown = bytes / first.bytes
      process.stdout.write(
        `   input × ${grown.toFixed(1)}: time × ${(seconds / first.seconds).toFixed(1)}, memory × ${
          (peak / first.peak).toFixed(1)
        }`
      )
    }
    process.stdout.write("\n")
    first ??= { bytes, seconds, peak }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
