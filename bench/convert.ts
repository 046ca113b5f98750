import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeInput } from "./makeInput.ts"
import { floorSeconds, median, type Run, run } from "./measure.ts"

/**
 * Compares a whole `convert` (start, read, group, map, validate, write) with parsing every line of the same input once. Each ratio is
 * of medians of alternating runs; peak memory is that of the process. Sizes are in MB: `npm run bench -- 5 20`.
 */
const fastest = (runs: ReadonlyArray<Run>): number => Math.min(...runs.map((one) => one.seconds))

const repeated = async (args: ReadonlyArray<string>): Promise<ReadonlyArray<Run>> => {
  const runs: Array<Run> = []
  for (let round = 0; round < 9; round++) runs.push(await run(args))
  return runs
}

const startUp = fastest(await repeated(["dist/fhir2visit.mjs", "--version"])) / fastest(await repeated(["-e", "0"]))
process.stdout.write(`start    --version : the engine itself = ${startUp.toFixed(1)}   (target: at most 6)\n`)

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
      floors.push(await floorSeconds(input))
      whole.push(await run(["dist/fhir2visit.mjs", "convert", input, "-o", join(folder, "visits.ndjson"), "--quiet"]))
    }
    const seconds = median(whole.map((one) => one.seconds))
    const peak = median(whole.map((one) => one.megabytes))
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
