import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { jsonObjectOf, jsonObjectsIn } from "../../src/json/JsonObject.ts"
import { present } from "../present.ts"
import { scripted, token } from "../service/scripted.ts"
import { visitCodes } from "../visitCodes.ts"
import { bareEnvironment, builtProgram, start, testNode } from "./builtProgram.ts"
import { sandboxUser } from "./sandboxUser.ts"
import { visitJson } from "./visitFiles.ts"

const folders: Array<string> = []
const fresh = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "program-"))
  folders.push(folder)
  return folder
}
beforeAll(() => void builtProgram())
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** Whether this machine has what gives a program a terminal. */
const hasTerminals = spawnSync("which", ["script"]).status === 0

const access = (url: string) => ({
  FHIR2VISIT_BASE_URL: url,
  FHIR2VISIT_AUTH_URL: url,
  ...sandboxUser,
  FHIR2VISIT_SYSTEM_CODE: "SYS-1",
  FHIR2VISIT_FACILITY_CODE: "HF0001"
})

/** The embedded service in a process of its own. */
const service = async (cwd: string, ...flags: ReadonlyArray<string>) => {
  const running = start(["sandbox", "--port", "0", "--store", join(cwd, "service.sqlite"), ...flags], { cwd })
  const { 0: visits, 1: url = "" } = await running.says(/(http:\/\/127\.0\.0\.1:\d+)\/sandbox\/visits\?key=\S+/)
  const stored = async (): Promise<ReadonlyArray<string>> => visitCodes(await (await fetch(visits)).text()).toSorted()
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    running.child.kill(signal)
    return await running.ended
  }
  return { url, stored, stop }
}

const codes = (count: number) => Array.from({ length: count }, (_, index) => `V${String(index + 1).padStart(6, "0")}`)
const writeVisits = (folder: string, count: number): string => {
  const file = join(folder, "visits.ndjson")
  writeFileSync(file, codes(count).map((_, index) => `${visitJson(index + 1)}\n`).join(""))
  return file
}

/** Whether these tests run on the oldest Node that the package promises, as `.ci/run` has them do. */
const isOldest = testNode !== process.execPath
if (!isOldest) {
  console.warn("SKIPPED: the oldest Node. FHIR2VISIT_TEST_NODE=/path/to/node runs these tests on it (.ci/run)")
}

describe("the program as it is shipped", () => {
  it.skipIf(!isOldest)("runs on the oldest Node that `engines` promises", () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8"))
    const version = execFileSync(testNode, ["--version"], { encoding: "utf8" }).trim()
    assert.strictEqual(`>=${version.slice(1)}`, `${engines.node}.0`)
  })

  it("SIGTERM stops reading a compressed file that inflates without end", async () => {
    const folder = fresh()
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, "\n"), { level: 1 })
    const file = join(folder, "bomb.ndjson.gz")
    writeFileSync(file, Buffer.concat(Array.from({ length: 100 }, () => bomb)))
    const running = start(["convert", file, "-o", "visits.ndjson"], { cwd: folder })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    running.child.kill("SIGTERM")
    // Before the program has its handlers, the system ends it.
    assert.include([143, "SIGTERM"], await running.ended, running.seen.stderr)
    assert.isFalse(existsSync(join(folder, "visits.ndjson")))
  })

  for (const [signal, code] of [["SIGHUP", 129], ["SIGINT", 130], ["SIGTERM", 143]] as const) {
    it(`ends with ${code} at ${signal}`, async () => {
      const { stop } = await service(fresh())
      assert.strictEqual(await stop(signal), code)
    })
  }

  it("an interrupted convert reports the state, and leaves no file", async () => {
    const folder = fresh()
    const { child, ended, seen } = start(["convert", "-", "-o", "visits.ndjson"], {
      cwd: folder,
      stdio: ["pipe", "pipe", "pipe"]
    })
    const line = `${JSON.stringify({ resourceType: "Patient", id: "p1" })}\n`
    // More than a pipe holds: it is taken when the program reads.
    await new Promise((resolve) => present(child.stdin).write(line.repeat(10_000), resolve))
    child.kill("SIGINT")
    assert.strictEqual(await ended, 130)
    assert.include(seen.stderr, "interrupted while the input was read: nothing was written and nothing was sent")
    assert.deepStrictEqual(readdirSync(folder), [])
  })

  it("§3: a second run skips stored visits, and reports it like `status`", async () => {
    const folder = fresh()
    const { stop, stored, url } = await service(folder)
    const file = writeVisits(folder, 5)
    const report = join(folder, "report.json")
    const submit = () => start(["submit", file, "--report", report], { cwd: folder, env: access(url) })
    const counts = () => JSON.parse(readFileSync(report, "utf8")).counts

    const first = submit()
    assert.strictEqual(await first.ended, 0, first.seen.stderr)
    assert.strictEqual(first.seen.stdout, "")
    assert.deepInclude(counts(), { visits: 5, ready: 5, sent: 5, stored: 5, skipped: 0 })
    const second = submit()
    assert.strictEqual(await second.ended, 0, second.seen.stderr)
    assert.deepInclude(counts(), { visits: 5, ready: 5, sent: 0, stored: 0, skipped: 5 })
    assert.deepStrictEqual(await stored(), codes(5))

    const status = start(["status", "--format", "json"], { cwd: folder, env: access(url) })
    assert.strictEqual(await status.ended, 0)
    assert.deepInclude(JSON.parse(status.seen.stdout), { total: 5, exists: true, inUse: false, visits: [] })
    const journal = join(folder, ".fhir2visit/HF0001.sqlite")
    assert.strictEqual(statSync(journal).mode & 0o777, 0o600)

    // Who asks is no run: the last one is the one that sent.
    const remotely = (...flags: ReadonlyArray<string>) =>
      start(["status", "--remote", "--format", "json", ...flags], { cwd: folder, env: access(url) })
    const remote = remotely()
    assert.strictEqual(await remote.ended, 0, remote.seen.stderr)
    assert.strictEqual(JSON.parse(remote.seen.stdout).lastRun.ending, "done")
    assert.deepStrictEqual(JSON.parse(remote.seen.stdout).comparison.statuses, { "1 complete": 5 })
    const drawn = start(["status", "--remote"], { cwd: folder, env: access(url) })
    assert.strictEqual(await drawn.ended, 0, drawn.seen.stderr)
    assert.include(drawn.seen.stdout, "statuses in the list:   5 visits with status 1 complete")
    const after = start(["status"], { cwd: folder, env: access(url) })
    assert.strictEqual(await after.ended, 0)
    assert.include(after.seen.stdout, "the last run ended normally")
    await stop()
    const impatient = join(folder, "facility.yaml")
    writeFileSync(impatient, "facility: HF0001\ntimezone: Asia/Phnom_Penh\nretry: {reads: 0}\n")
    const alone = remotely("--facility", impatient)
    assert.strictEqual(await alone.ended, 3, alone.seen.stderr)
    assert.include(alone.seen.stderr, "the service cannot be reached")
  })

  it("I3: treats a journal as lost until the service's list has been read, even if a run could not start", async () => {
    const folder = fresh()
    const { stop, url } = await service(folder)
    const file = writeVisits(folder, 3)
    const report = join(folder, "report.json")
    const submit = (env: Record<string, string>) => start(["submit", file, "--report", report], { cwd: folder, env })
    assert.strictEqual(await submit(access(url)).ended, 0)
    rmSync(join(folder, ".fhir2visit"), { recursive: true })
    assert.strictEqual(await submit({ ...access(url), FHIR2VISIT_PASSWORD: "wrong" }).ended, 3)
    const next = submit(access(url))
    assert.strictEqual(await next.ended, 0, next.seen.stderr)
    assert.deepInclude(JSON.parse(readFileSync(report, "utf8")).counts, { sent: 0, stored: 3 })
    await stop()
  })

  it(
    "loses nothing and stores nothing twice if responses are lost and a signal stops the run",
    async () => {
      const folder = fresh()
      const { stop, stored, url } = await service(
        folder,
        "--faults",
        "drop-after=0.2,500-after=0.2,delay=0.5,delay-ms=150,seed=11"
      )
      const file = writeVisits(folder, 12)
      const submit = () =>
        start(["submit", file, "--report", join(folder, "report.json")], { cwd: folder, env: access(url) })

      const stopped = submit()
      while ((await stored()).length < 3) await new Promise((resolve) => setTimeout(resolve, 30))
      stopped.child.kill("SIGINT")
      assert.strictEqual(await stopped.ended, 130, stopped.seen.stderr)
      const before = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")).counts
      const { conflict, doubt, duplicate, left, partial, ready, refused, skipped, stored: held, unknown } = before
      assert.strictEqual(ready, 12)
      assert.strictEqual(held + partial + refused + duplicate + conflict + doubt + unknown + skipped + left, 12)

      let code: number | string = 3
      for (let tries = 0; tries < 5 && code === 3; tries++) code = await submit().ended
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(await stored(), codes(12))
      await stop()
    }
  )

  it(
    "finishes the work of a killed run, and exits with 3 while another run is in progress",
    async () => {
      const folder = fresh()
      const { stop, stored, url } = await service(folder, "--faults", "delay=1,delay-ms=600")
      const file = writeVisits(folder, 12)
      const submit = () => start(["submit", file], { cwd: folder, env: access(url) })

      const killed = submit()
      while ((await stored()).length < 2) await new Promise((resolve) => setTimeout(resolve, 30))
      const other = submit()
      assert.strictEqual(await other.ended, 3)
      assert.match(other.seen.stderr, /^error: another run is using the journal/)
      const status = start(["status"], { cwd: folder, env: access(url) })
      assert.strictEqual(await status.ended, 0)
      assert.include(status.seen.stdout, "a run is in progress")
      killed.child.kill("SIGKILL")
      await killed.ended

      const next = submit()
      assert.strictEqual(await next.ended, 0, next.seen.stderr)
      assert.deepStrictEqual(await stored(), codes(12))
      await stop()
    }
  )

  it("§8: reports the end of a wait for the limit, and leaves nothing in doubt if interrupted", async () => {
    const folder = fresh()
    const { stop, stored, url } = await service(folder, "--requests-per-hour", "20")
    const env = access(url)
    const running = start(["submit", writeVisits(folder, 60)], { cwd: folder, env })
    await running.says(/^the service's limit is reached: continuing at \d{4}-\d\d-\d\d \d\d:\d\dZ, in \d+ minutes$/m)
    running.child.kill("SIGINT")
    assert.strictEqual(await running.ended, 130, running.seen.stderr)
    assert.include(running.seen.stderr, "interrupted: requests in flight are in the journal")
    assert.match(running.seen.stderr, /next +the same command again +resumes this run/)
    const there = (await stored()).length
    assert.isAbove(there, 10)
    const status = start(["status"], { cwd: folder, env })
    assert.strictEqual(await status.ended, 0)
    assert.include(status.seen.stdout, `60 visits:   ${there} stored   ${60 - there} ready`)
    assert.include(status.seen.stdout, `and ${60 - there - 20} more; --format line lists them all`)
    await stop()
  })

  it("SIGHUP finishes and records the request in flight", async () => {
    const folder = fresh()
    const { stop, stored, url } = await service(folder, "--faults", "delay=1,delay-ms=600")
    const env = access(url)
    const running = start(["submit", writeVisits(folder, 12)], { cwd: folder, env })
    while ((await stored()).length < 2) await new Promise((resolve) => setTimeout(resolve, 30))
    running.child.kill("SIGHUP")
    assert.strictEqual(await running.ended, 129, running.seen.stderr)
    assert.include(running.seen.stderr, "interrupted: requests in flight are in the journal")
    const status = start(["status", "--format", "json"], { cwd: folder, env })
    assert.strictEqual(await status.ended, 0)
    const { counts } = JSON.parse(status.seen.stdout)
    assert.deepInclude(counts, { SENDING: 0, UNKNOWN: 0, STORED: (await stored()).length })
    await stop()
  })

  it.live("SIGTERM ends a run while a request has no response", () =>
    Effect.forEach(
      [
        ["/oauth/token", { READY: 1, UNKNOWN: 0 }],
        ["/api/v1/external/visits/processed", { READY: 1, UNKNOWN: 0 }],
        ["/api/v1/external/visits", { READY: 0, UNKNOWN: 1 }]
      ] as const,
      ([hanging, states]) =>
        Effect.gen(function*() {
          const hangs = Promise.withResolvers<void>()
          const { url } = yield* scripted(({ path }) => {
            if (path === hanging) return () => hangs.resolve()
            return path === "/oauth/token" ? token(1) : [200, { success: true, data: [] }]
          })
          const folder = fresh()
          const env = access(url)
          const facility = "facility: HF0001\nsystem: SYS-1\ntimezone: Asia/Phnom_Penh\nretry: {deadline: 10m}\n"
          writeFileSync(join(folder, "facility.yaml"), facility)
          const { child, ended, seen } = start(["submit", writeVisits(folder, 1), "--facility", folder], { env })
          yield* Effect.promise(() => hangs.promise)
          child.kill("SIGTERM")
          const code = yield* Effect.timeoutOption(Effect.promise(() => ended), "5 minutes")
          child.kill("SIGKILL")
          assert.deepStrictEqual(code, Option.some(143), seen.stderr)
          assert.include(seen.stderr, "interrupted")
          const status = start(["status", "--format", "json", "--facility", folder], { env })
          yield* Effect.promise(() => status.ended)
          const { counts } = JSON.parse(status.seen.stdout)
          assert.deepInclude(counts, { SENDING: 0, ...states }, hanging)
        }).pipe(Effect.scoped),
      { concurrency: "unbounded" }
    ))

  it("rejects a folder in place of a file of visits as a usage error", async () => {
    const folder = fresh()
    for (const command of ["submit", "validate"]) {
      const running = start([command, folder], { cwd: folder, env: access("http://127.0.0.1:9") })
      assert.strictEqual(await running.ended, 2)
      assert.include(running.seen.stderr, "is a folder, not a file; name the files in it")
    }
  })

  it("§7: wrong credentials stop the run with exit code 3; no secret is shown", async () => {
    const folder = fresh()
    const { stop, url } = await service(folder)
    const wrong = start(["submit", writeVisits(folder, 1)], {
      cwd: folder,
      env: { ...access(url), FHIR2VISIT_PASSWORD: "Meadow7" }
    })
    assert.strictEqual(await wrong.ended, 3)
    assert.match(wrong.seen.stderr, /error: authentication failed/)
    assert.notInclude(wrong.seen.stderr, "Meadow7")
    for (const file of readdirSync(join(folder, ".fhir2visit"))) {
      assert.notInclude(readFileSync(join(folder, ".fhir2visit", file), "latin1"), "Meadow7")
    }
    await stop()
  })

  it("a rehearsal leaves no file", async () => {
    const folder = fresh()
    const file = writeVisits(folder, 2)
    const { ended, seen } = start(["submit", file, "--sandbox"], { cwd: folder, env: { TMPDIR: folder } })
    assert.strictEqual(await ended, 0, seen.stderr)
    assert.include(seen.stderr, "2 stored")
    assert.deepStrictEqual(readdirSync(folder), ["visits.ndjson"])
  })

  for (const signal of ["SIGHUP", "SIGKILL"] as const) {
    it(`I8: a rehearsal that ${signal} ends leaves no file, and has none with a name while it runs`, async () => {
      const folder = fresh()
      const lines = Array.from({ length: 400 }, (_, index) => `${visitJson(index + 1)}\n`).join("")
      const running = start(["submit", "-", "--sandbox", "--batch", "1"], {
        cwd: folder,
        env: { TMPDIR: folder },
        stdio: ["pipe", "pipe", "pipe"]
      })
      // more visits than a pipe holds are taken when they are read; the input is not at its end
      await new Promise((resolve) => present(running.child.stdin).write(lines, resolve))
      const { pid } = running.child
      if (existsSync(`/proc/${pid}/fd`)) {
        const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
          .filter((file) => file.startsWith(folder) && !file.endsWith("(deleted)"))
        assert.deepStrictEqual(open, [])
      }
      assert.deepStrictEqual(readdirSync(folder), [])
      running.child.kill(signal)
      assert.strictEqual(await running.ended, signal === "SIGHUP" ? 129 : "SIGKILL")
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  }

  it("explains a visit of standard input, which can be read once, also if a line of it is damaged", () => {
    const lines = [
      { resourceType: "Patient", id: "p1" },
      { resourceType: "Encounter", id: "e1", status: "finished", subject: { reference: "Patient/p1" } }
    ].map((one) => JSON.stringify(one))
    const damaged =
      "{\"resourceType\":\"Observation\",\"id\":\"o1\",\"encounter\":{\"reference\":\"Encounter/e1\"},\"status\":final}"
    const { status, stderr, stdout } = spawnSync(process.execPath, [builtProgram(), "explain", "Encounter/e1", "-"], {
      encoding: "utf8",
      input: [...lines, damaged].join("\n")
    })
    // As for a file: the visit has errors.
    assert.strictEqual(status, 1)
    assert.include(stdout, "Encounter/e1")
    assert.include(stderr, "incomplete-visit")
  })

  it("the same input gives the same bytes in any order of the files", () => {
    const samples = join(import.meta.dirname, "../../samples/clinic-day")
    const files = readdirSync(join(samples, "input")).map((name) => join(samples, "input", name))
    const converted = (inputs: ReadonlyArray<string>): string =>
      spawnSync(process.execPath, [builtProgram(), "convert", "--quiet", "--facility", samples, ...inputs, "-o", "-"], {
        encoding: "utf8",
        env: bareEnvironment
      }).stdout
    const first = converted(files)
    assert.strictEqual(first.trim().split("\n").length, 4)
    assert.strictEqual(converted(files.toReversed()), first)
    assert.strictEqual(converted([join(samples, "input")]), first)
  })

  it("times without an offset are in the facility's zone, not the machine's", async () => {
    const folder = fresh()
    const allergy = (id: string, recordedDate: string) => ({
      resourceType: "AllergyIntolerance",
      id,
      patient: { reference: "Patient/phkay-rumduol" },
      code: { text: id },
      recordedDate
    })
    // The visit ends at 10:20+07:00: what is recorded later is not known to it.
    const file = join(folder, "allergies.json")
    writeFileSync(
      file,
      JSON.stringify([allergy("before", "2025-07-08T10:00:00"), allergy("after", "2025-07-08T10:40:00")])
    )
    const sample = join(import.meta.dirname, "../../samples/outpatient-fever")
    const outputs = new Set<string>()
    for (const TZ of ["UTC", "Asia/Tokyo", "America/New_York"]) {
      const converted = start(["convert", join(sample, "input"), file, "--facility", sample, "-q", "-o", "-"], {
        env: { TZ }
      })
      await converted.ended
      const { medical_histories } = jsonObjectOf(JSON.parse(converted.seen.stdout))
      assert.deepInclude(
        jsonObjectsIn(medical_histories).map(({ value }) => value),
        ["before"],
        TZ
      )
      outputs.add(converted.seen.stdout)
    }
    assert.strictEqual(outputs.size, 1)
  })

  it("ends silently if the reader is gone, and works with closed streams", () => {
    const shell = (script: string): string =>
      execFileSync("bash", [
        "-c",
        `set -o pipefail; f() { '${process.execPath}' '${builtProgram()}' "$@"; }; ${script}`
      ], {
        encoding: "utf8",
        env: bareEnvironment
      })
    const schema = shell(
      "f validate --schema 2>&1 | head -c 20; echo; f --help | head -n 1; f --version >&- 2>&-; echo done"
    )
    assert.match(schema, /^\{\n {2}"\$schema": [^\n]*\nConvert FHIR[^\n]*\ndone\n$/)
  })

  it("says why it ends with 3 if the program that reads the visits has ended, and sends nothing", () => {
    const sample = "samples/outpatient-fever"
    const { status, stderr } = spawnSync("bash", [
      "-c",
      `set -o pipefail; '${process.execPath}' '${builtProgram()}' run ${sample}/input --facility ${sample} --sandbox -o - -q | true`
    ], { encoding: "utf8", env: bareEnvironment })
    assert.strictEqual(status, 3)
    assert.match(stderr, /error: standard output cannot be written: the program that reads it has ended\n +=? ?help/u)
    assert.notInclude(stderr, "sent")
  })

  it("reports an uncaught error in one line without its message, and exits with 3", async () => {
    for (const fault of ["throw new Error('Meadow7')", "Promise.reject({ secret: 'Meadow7' })"]) {
      const faulty = start(["sandbox", "--port", "0"], {
        env: { NODE_OPTIONS: `--import=data:text/javascript,setTimeout(()=>{${encodeURIComponent(fault)}},700)` }
      })
      assert.strictEqual(await faulty.ended, 3)
      assert.match(
        faulty.seen.stderr,
        /\nerror: internal error: [^\n]*; the journal is consistent, and no data was lost\n$/
      )
      assert.notInclude(faulty.seen.stderr, "Meadow7")
    }
  })

  it.skipIf(!hasTerminals)("colours a terminal, unless NO_COLOR says no", () => {
    const inTerminal = (env: Record<string, string>): string =>
      execFileSync("script", ["-qec", `'${process.execPath}' '${builtProgram()}' validate none.ndjson`, "/dev/null"], {
        encoding: "utf8",
        env: { ...bareEnvironment, TERM: "xterm", ...env },
        stdio: ["ignore", "pipe", "ignore"]
      })
    const run = (env: Record<string, string>): string => {
      try {
        return inTerminal(env)
      } catch (error) {
        return String(jsonObjectOf(error).stdout)
      }
    }
    assert.include(run({}), "\u001b[1;31merror")
    assert.notInclude(run({ NO_COLOR: "1" }), "\u001b[1;31m")
  })
})
