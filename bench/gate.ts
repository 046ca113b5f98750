import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import bounds from "./bounds.json" with { type: "json" }
import { floorSeconds, median, run } from "./measure.ts"
import { available, multiply, type Script } from "./multiply.ts"

/**
 * A benchmark that fails if speed regresses. Each figure is a ratio to a floor of the same round. It fails if its median is above its
 * bound in `bounds.json` and its best round is above the bound divided by 1.1. Lower a bound by hand, in the commit that improves the
 * figure. A figure above its bound is also compared with what was last measured, so that a regression shows. The goal of each figure is
 * printed next to it. The benchmark also fails if one core and all cores write different bytes. It fails if a run exceeds its memory bound,
 * and if generated code leaves too many visits to the definition.
 *
 *     npm run bench:gate [-- ROUNDS COPIES samples]      7 rounds of 10 copies
 *
 * Rounds whose two floors differ by more than a fifth do not count. With fewer than four counted rounds the machine is too busy to
 * judge, and the exit code is 75.
 *
 * Without the bulk set next to the project, or with `samples`, the samples are multiplied. They have generous bounds of their own, for any
 * machine. The bounds of the bulk set are for 10 copies: with fewer, the start has a greater share of the time.
 */
const program = "dist/fhir2visit.mjs"
const rounds = Number(process.argv[2] ?? 7)
const copies = Number(process.argv[3] ?? 10)
const multiplied = process.argv[4] === "samples" ? "samples" : available()
if (multiplied === "bulk" && copies !== 10) {
  process.stderr.write("bench:gate: the bounds of the bulk set are for 10 copies; add `samples` to convert fewer\n")
  process.exit(2)
}

/** The greatest permitted ratio, the one to reach, and the last one measured if it is above the bound. */
interface Bound {
  readonly bound: number
  readonly goal: number
  readonly measured?: number
}

const ofStarts = multiplied === "bulk" ? bounds : bounds.samples

const failures: Array<string> = []

const judge = (name: string, ratios: ReadonlyArray<number>, { bound, goal, measured }: Bound): void => {
  const [middle, best] = [median(ratios), Math.min(...ratios)]
  const failed = middle > bound && best > bound / 1.1
  if (failed) failures.push(name)
  const reached = `   goal ${goal}${middle > goal ? ", not reached" : ""}`
  const last = measured === undefined
    ? ""
    : `   last ${measured}${middle > measured * 1.15 ? ", slower since" : ""}`
  process.stdout.write(
    `${failed ? "FAIL" : "ok  "}  ${name.padEnd(18)} ${middle.toFixed(1).padStart(6)}   best ${
      best.toFixed(1).padStart(6)
    }   bound ${bound}${reached}${last}\n`
  )
}

const isSteady = (one: number, other: number): boolean => Math.max(one, other) / Math.min(one, other) <= 1.2

const stopIfBusy = (counted: number, made: number): void => {
  if (counted >= Math.min(4, rounds)) return
  process.stderr.write(
    `bench:gate: only ${counted} of ${made} rounds had a steady floor; the machine is too busy to judge\n`
  )
  process.exit(75)
}

const starts = async (): Promise<void> => {
  const ratios: Record<"start" | "visit", Array<number>> = { start: [], visit: [] }
  const bare = async () => Math.min((await run(["-e", "0"])).seconds, (await run(["-e", "0"])).seconds)
  // A start takes so little time that most rounds on a busy machine have no steady floor.
  for (let round = 0; round < rounds * 3; round++) {
    const before = await bare()
    const start = await run([program, "mapping", "check", "--facility", "mappings/us-synthetic"])
    const sample = "samples/outpatient-fever"
    const visit = await run([program, "convert", `${sample}/input`, "--facility", sample, "-o", "/dev/null", "--quiet"])
    const after = await bare()
    if (!isSteady(before, after)) continue
    const floor = (before + after) / 2
    ratios.start.push(start.seconds / floor)
    ratios.visit.push(visit.seconds / floor)
  }
  stopIfBusy(ratios.start.length, rounds * 3)
  judge("start", ratios.start, ofStarts.start)
  judge("one visit", ratios.visit, ofStarts.visit)
}

/** Percent of the visits of an input that generated code leaves to the definition. */
const leftVisits = async (mapping: string, input: string): Promise<number> => {
  const [, percent] = /^\d+ \d+ (\d+\.\d+)\n$/u.exec((await run(["bench/leftVisits.ts", mapping, input])).out) ?? []
  if (percent === undefined) throw new Error("bench/leftVisits.ts has not counted the visits")
  return Number(percent)
}

const conversions = async (folder: string, script: Script): Promise<void> => {
  const input = join(folder, script)
  const bytes = await multiply(input, copies, script, multiplied)
  process.stdout.write(`${script}: ${(bytes / 1e6).toFixed(0)} MB of ${multiplied}\n`)
  const ratios: Record<"oneCore" | "twoCores", Array<number>> = { oneCore: [], twoCores: [] }
  let peak = 0
  const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")
  for (let round = 0; round < rounds; round++) {
    const convert = (name: "one" | "all") =>
      run(
        [
          program,
          "convert",
          input,
          ...(multiplied === "bulk" ? ["--facility", "mappings/us-synthetic"] : []),
          "-o",
          join(folder, `${name}.ndjson`),
          "--quiet"
        ],
        { oneCore: name === "one" }
      )
    const before = await floorSeconds(input)
    // The two take turns in being first.
    const early = round % 2 === 0 ? await convert("one") : undefined
    const all = await convert("all")
    const one = early ?? await convert("one")
    const after = await floorSeconds(input)
    if (round === 0 && digest(join(folder, "one.ndjson")) !== digest(join(folder, "all.ndjson"))) {
      failures.push(`${script}: bytes of one core and all`)
    }
    peak = Math.max(peak, one.megabytes, all.megabytes)
    if (!isSteady(before, after)) continue
    const floor = (before + after) / 2
    ratios.oneCore.push(one.seconds / floor)
    ratios.twoCores.push(all.seconds / floor)
  }
  stopIfBusy(ratios.oneCore.length, rounds)
  const { oneCore, peakMegabytes, twoCores } = bounds[multiplied === "bulk" ? script : "samples"]
  judge(`${script} one core`, ratios.oneCore, oneCore)
  judge(`${script} all cores`, ratios.twoCores, twoCores)
  judge(`${script} peak MB`, [peak], peakMegabytes)
  rmSync(input, { recursive: true, force: true })
}

/** One copy shows as much as ten: the visits of the others have the same elements. */
const left = async (folder: string): Promise<void> => {
  const input = join(folder, "one")
  await multiply(input, 1, "latin", multiplied)
  const mapping = multiplied === "bulk" ? "us-synthetic" : "fhir-r4"
  judge("left visits %", [await leftVisits(`mappings/${mapping}/mapping.yaml`, input)], bounds.leftVisits)
}

const folder = mkdtempSync(join(tmpdir(), "fhir2visit-gate-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
process.stdout.write(`${rounds} rounds, ${availableParallelism()} cores, Node ${process.versions.node}\n`)
if (multiplied === "samples" && process.argv[4] !== "samples") {
  process.stderr.write("bench:gate: ../shared/data not found; the samples are multiplied, with bounds of their own\n")
}
await starts()
await left(folder)
for (const script of ["latin", "khmer"] as const) await conversions(folder, script)
if (failures.length > 0) {
  process.stderr.write(`bench:gate: slower than its bound, or different: ${failures.join(", ")}\n`)
  process.exitCode = 1
}
