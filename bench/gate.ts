import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { multiply, type Script } from "./multiply.ts"

/**
 * A benchmark that fails. Ratios against a floor of the same round are compared with the bounds of `bounds.json`: a figure fails when
 * its median is above the bound and its best round is above the bound divided by 1.1. A bound is lowered by hand, in the commit that
 * earns it. It also fails when one core and all cores write different bytes, or when a run takes more memory than its bound.
 *
 *     npm run bench:gate [-- ROUNDS COPIES]      7 rounds of 10 copies
 *
 * Rounds whose two floors differ by more than a fifth do not count. With fewer than four rounds left the machine is too busy to
 * judge: exit code 75.
 */
interface Done {
  readonly seconds: number
  readonly megabytes: number
  readonly out: string
}

const bounds = JSON.parse(readFileSync("bench/bounds.json", "utf8")) as Readonly<
  & Record<"start" | "visit", { readonly bound: number }>
  & Record<Script, { readonly oneCore: number; readonly twoCores: number; readonly peakMegabytes: number }>
>

const program = "dist/fhir2visit.mjs"
const rounds = Number(process.argv[2] ?? 7)
const copies = Number(process.argv[3] ?? 10)

/** Runs a command to its end; peak memory is that of the process (`VmHWM`), where the system shows it. */
const run = (args: ReadonlyArray<string>, oneCore = false): Promise<Done> =>
  new Promise((resolve, reject) => {
    const started = process.hrtime.bigint()
    const [command, rest] = oneCore ? ["taskset", ["-c", "0", process.execPath, ...args]] : [process.execPath, args]
    const child = spawn(command as string, rest as Array<string>, { stdio: ["ignore", "pipe", "ignore"] })
    let out = ""
    let megabytes = 0
    const watch = setInterval(() => {
      try {
        const peak = /VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))
        if (peak !== null) megabytes = Math.max(megabytes, Number(peak[1]) / 1024)
      } catch {
        // The process has ended, or the system has no /proc.
      }
    }, 20)
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.on("error", reject)
    child.on("close", (code) => {
      clearInterval(watch)
      const seconds = Number(process.hrtime.bigint() - started) / 1e9
      if (code === 0 || code === 1) resolve({ seconds, megabytes, out })
      else reject(new Error(`exit ${code}: ${args.join(" ")}`))
    })
  })

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1]!

const failures: Array<string> = []

const judge = (name: string, ratios: ReadonlyArray<number>, bound: number): void => {
  const [middle, best] = [median(ratios), Math.min(...ratios)]
  const failed = middle > bound && best > bound / 1.1
  if (failed) failures.push(name)
  process.stdout.write(
    `${failed ? "FAIL" : "ok  "}  ${name.padEnd(18)} ${middle.toFixed(1).padStart(6)}   best ${
      best.toFixed(1).padStart(6)
    }   bound ${bound}\n`
  )
}

const isSteady = (one: number, other: number): boolean => Math.max(one, other) / Math.min(one, other) <= 1.2

const tooBusy = (counted: number): boolean => counted < Math.min(4, rounds)

const stopIfBusy = (counted: number): void => {
  if (!tooBusy(counted)) return
  process.stderr.write(
    `bench:gate: only ${counted} of ${rounds} rounds had a steady floor; the machine is too busy to judge\n`
  )
  process.exit(75)
}

const starts = async (): Promise<void> => {
  const ratios = { start: [] as Array<number>, visit: [] as Array<number> }
  const bare = async () => Math.min((await run(["-e", "0"])).seconds, (await run(["-e", "0"])).seconds)
  for (let round = 0; round < rounds; round++) {
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
  stopIfBusy(ratios.start.length)
  judge("start", ratios.start, bounds.start.bound)
  judge("one visit", ratios.visit, bounds.visit.bound)
}

const conversions = async (folder: string, script: Script): Promise<void> => {
  const input = join(folder, script)
  const { bytes, of } = await multiply(input, copies, script)
  if (of === "samples") {
    process.stderr.write(
      "bench:gate: ../shared/data is not there; the samples are multiplied instead, compare with nothing else\n"
    )
  }
  process.stdout.write(`${script}: ${(bytes / 1e6).toFixed(0)} MB of ${of}\n`)
  const floorOf = async () => Number((await run(["bench/floor.ts", input])).out.split(" ")[0])
  const ratios = { oneCore: [] as Array<number>, twoCores: [] as Array<number> }
  let peak = 0
  const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")
  for (let round = 0; round < rounds; round++) {
    const convert = (name: string, oneCore: boolean) =>
      run(
        [
          program,
          "convert",
          input,
          ...(of === "bulk" ? ["--facility", "mappings/us-synthetic"] : []),
          "-o",
          join(folder, `${name}.ndjson`),
          "--quiet"
        ],
        oneCore
      )
    const before = await floorOf()
    const order = round % 2 === 0 ? (["one", "all"] as const) : (["all", "one"] as const)
    const done = new Map<string, Done>()
    for (const name of order) done.set(name, await convert(name, name === "one"))
    const after = await floorOf()
    if (round === 0 && digest(join(folder, "one.ndjson")) !== digest(join(folder, "all.ndjson"))) {
      failures.push(`${script}: bytes of one core and all`)
    }
    peak = Math.max(peak, done.get("one")!.megabytes, done.get("all")!.megabytes)
    if (!isSteady(before, after)) continue
    const floor = (before + after) / 2
    ratios.oneCore.push(done.get("one")!.seconds / floor)
    ratios.twoCores.push(done.get("all")!.seconds / floor)
  }
  stopIfBusy(ratios.oneCore.length)
  judge(`${script} one core`, ratios.oneCore, bounds[script].oneCore)
  judge(`${script} all cores`, ratios.twoCores, bounds[script].twoCores)
  judge(`${script} peak MB`, [peak], bounds[script].peakMegabytes)
  rmSync(input, { recursive: true, force: true })
}

const folder = mkdtempSync(join(tmpdir(), "fhir2visit-gate-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
process.stdout.write(`${rounds} rounds, ${availableParallelism()} cores, Node ${process.versions.node}\n`)
await starts()
for (const script of ["latin", "khmer"] as const) await conversions(folder, script)
if (failures.length > 0) {
  process.stderr.write(`bench:gate: slower than its bound, or different: ${failures.join(", ")}\n`)
  process.exitCode = 1
}
