import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execPath } from "node:process"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { Operator } from "../../src/service/Operator.ts"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import { journalStatus } from "../../src/submission/status/status.ts"
import { portOf } from "../portOf.ts"
import { readJson } from "../readJson.ts"
import { visitCode } from "../visitCodes.ts"
import { FakeService } from "./FakeOperator.ts"
import { journalIn } from "./samples.ts"

const script = fileURLToPath(new URL("child.ts", import.meta.url))
let folder: string
let http: Server
let service: FakeService
/** Called at each stage of each request that submits; may kill, or wait. */
let at: (stage: "received" | "stored" | "answered", nth: number) => void | Promise<void>
let requests: number
/** Requests that came without their intent in the journal. */
let unintended: Array<string>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "fhir2visit-"))
  service = new FakeService()
  requests = 0
  unintended = []
  at = () => undefined
  http = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
})
afterEach(async () => {
  http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
  rmSync(folder, { recursive: true, force: true })
  assert.deepStrictEqual(unintended, [], "I4")
})

/** The service in memory, over HTTP. It reads the journal before it handles a request. */
const answer = async (request: IncomingMessage, response: ServerResponse) => {
  const operator = Effect.provide(Operator, service.layer)
  const url = new URL(request.url ?? "", "http://service.example")
  if (url.pathname === "/processed") {
    const list = Effect.flatMap(
      operator,
      ({ processed }) => processed(url.searchParams.get("from") ?? "", url.searchParams.get("to") ?? "")
    )
    response.end(JSON.stringify(await Effect.runPromise(list)))
    return
  }
  let body = ""
  for await (const chunk of request) body += String(chunk)
  const visits = readJson(Schema.Array(Schema.String), body)
  const nth = ++requests
  for (const payload of visits) checkIntent(payload)
  await at("received", nth)
  const outcome = await Effect.runPromise(Effect.flatMap(operator, ({ submit }) => submit(visits)))
  await at("stored", nth)
  response.end(JSON.stringify(outcome))
  await at("answered", nth)
}

/** I4: when a request arrives, its exact bytes are in the journal, marked as on their way. */
const checkIntent = (payload: string) => {
  const code = visitCode(payload)
  const database = new DatabaseSync(journalIn(folder).file, { readOnly: true })
  const row = database.prepare("SELECT state, payload FROM visit WHERE visit_code = ?").get(code)
  database.close()
  if (row?.["state"] !== "SENDING" || row["payload"] !== payload) unintended.push(code)
}

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly out: string
}
const start = (visits: number): { readonly child: ChildProcess; readonly ended: Promise<Ended> } =>
  run(execPath, visits)
const run = (
  command: string,
  visits: number,
  before: ReadonlyArray<string> = []
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } => {
  const words = [script, journalIn(folder).file, `http://127.0.0.1:${portOf(http)}`, String(visits)]
  const child = spawn(command, [...before, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "compiled") }
  })
  let out = ""
  child.stdout.on("data", (chunk) => out += String(chunk))
  return { child, ended: new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, out }))) }
}
const read = <A, E>(work: Effect.Effect<A, E, JournalReader>) =>
  Effect.runPromise(Effect.provide(work, JournalReader.layer(journalIn(folder)), { local: true }))
const states = () => read(Effect.flatMap(JournalReader, ({ counts }) => counts))

describe("a run that is killed with -9", () => {
  it("I1 I2 I4: is resumed by the next run, at any stage of a request: each visit is stored once, none is lost", async () => {
    const stages = ["received", "stored", "answered"] as const
    for (const [index, stage] of stages.entries()) {
      const first = requests
      const { child, ended } = start(10)
      at = (now, nth) => {
        if (now === stage && nth === first + 2) child.kill("SIGKILL")
      }
      const { signal } = await ended
      assert.strictEqual(signal, "SIGKILL", `killed when ${stage}`)
      const { SENDING } = await states()
      if (index < 2) assert.strictEqual(SENDING, 1, stage)
      // what the killed process left on the wire may still arrive
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    at = () => undefined
    const { code, out } = await start(10).ended
    assert.strictEqual(code, 0)
    const counts = JSON.parse(out)
    assert.strictEqual(counts.stored + counts.skipped, 10)
    assert.strictEqual((await states()).STORED, 10)
    assert.strictEqual(service.stored.size, 10)
    for (const { code, effects } of service.stored.values()) assert.strictEqual(effects, 1, code)
    assert.isAtMost(requests, 13)
    const last = await read(Effect.flatMap(JournalReader, ({ lastRun }) => lastRun))
    assert.strictEqual(last?.ending, "done")
    assert.strictEqual(last?.id, 4)
  })
})

const inNamespace = ["-rm", "sh", "-c"]
/** Whether a test may have mounts of its own: not on every system. */
const canMount = spawnSync("unshare", [...inNamespace, "true"]).status === 0

describe("a disk that becomes full while the journal is created", () => {
  it.skipIf(!canMount)(
    "I1: leaves no incomplete journal: the same command works when there is space",
    async () => {
      for (const kilobytes of [40, 120]) {
        const script = `mount -t tmpfs -o size=${kilobytes}k tmpfs "$0" && { "$@" > /dev/null
          mount -o remount,size=4m "$0" && exec "$@"; }`
        const { code, out } = await run("unshare", 0, [...inNamespace, script, folder, execPath]).ended
        assert.strictEqual(code, 0, `${kilobytes} kB: ${out}`)
      }
    }
  )
})

describe("a disk that is read-only", () => {
  it.skipIf(!canMount)("ends the run with NoPermission before it sends anything: a retry cannot help", async () => {
    assert.strictEqual((await start(1).ended).code, 0)
    const sent = requests
    const script = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"`
    const { code, out } = await run("unshare", 2, [...inNamespace, script, folder, execPath]).ended
    assert.deepStrictEqual([code, JSON.parse(out)["_tag"], requests], [3, "NoPermission", sent])
    rmSync(join(folder, "journal"), { recursive: true })
    const missing = await run("unshare", 2, [...inNamespace, script, folder, execPath]).ended
    assert.deepStrictEqual([missing.code, JSON.parse(missing.out)["_tag"]], [3, "NoPermission"])
  })
})

describe("two runs on one journal", () => {
  it("I6: the second fails at once and names the holder; status can read; the first continues", async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let arrived: () => void = () => undefined
    const inFlight = new Promise<void>((resolve) => {
      arrived = resolve
    })
    at = async (stage, nth) => {
      if (stage === "received" && nth === 1) {
        arrived()
        await held
      }
    }
    const first = start(3)
    await inFlight
    const second = await start(3).ended
    assert.strictEqual(second.code, 3)
    const reason = JSON.parse(second.out)
    assert.strictEqual(reason._tag, "InUse")
    assert.strictEqual(reason.pid, first.child.pid)
    assert.isNotNaN(Date.parse(reason.since))
    const reported = await read(journalStatus)
    assert.isTrue(reported.inUse)
    assert.deepStrictEqual(reported.visits.map(({ code, state }) => `${code} ${state}`), [
      "V001 SENDING",
      "V002 READY",
      "V003 READY"
    ])
    release()
    assert.strictEqual((await first.ended).code, 0)
    assert.strictEqual((await states()).STORED, 3)
    assert.strictEqual(requests, 3)
    assert.isFalse((await read(journalStatus)).inUse)
  })
})

describe("two runs that start at the same time", () => {
  it("I1 I6: at least one sends, the other fails or finds nothing to do, and each visit is stored once", async () => {
    const codes = (await Promise.all([start(20).ended, start(20).ended])).map(({ code }) => code)
    assert.include(codes, 0)
    for (const code of codes) assert.include([0, 3], code)
    assert.strictEqual((await states()).STORED, 20)
    assert.strictEqual(requests, 20)
    for (const { code, effects } of service.stored.values()) assert.strictEqual(effects, 1, code)
  })
})

describe("the lock file is deleted during a run", () => {
  const lock = () => rmSync(`${journalIn(folder).file}.lock`)
  const change = (sql: string) => {
    const database = new DatabaseSync(journalIn(folder).file)
    database.exec(sql)
    database.close()
  }
  /** A run whose first request is blocked until `go` is called. */
  const inMemoryRun = async () => {
    const held = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    at = async (stage, nth) => {
      if (stage !== "received" || nth !== 1) return
      arrived.resolve()
      await held.promise
    }
    const run = start(3)
    await arrived.promise
    return { ...run, go: held.resolve }
  }

  it.skipIf(!existsSync("/proc/self/stat"))(
    "I6: the journal itself identifies the process of the run; the next run fails, and status reports it",
    async () => {
      const first = await inMemoryRun()
      lock()
      for (const _again of [1, 2]) {
        const second = await start(3).ended
        assert.strictEqual(second.code, 3)
        assert.deepInclude(JSON.parse(second.out), { _tag: "InUse", pid: first.child.pid })
      }
      assert.isTrue((await read(journalStatus)).inUse)
      first.go()
      assert.strictEqual((await first.ended).code, 0)
      assert.strictEqual(requests, 3)
      assert.isFalse((await read(journalStatus)).inUse)
    }
  )

  it("ignores a later process with the same process id", async () => {
    const first = start(1)
    at = () => void first.child.kill("SIGKILL")
    await first.ended
    at = () => undefined
    change(`UPDATE run SET pid = ${process.pid}, started_at = '2001-01-01T00:00:00.000Z'`)
    assert.isFalse((await read(journalStatus)).inUse)
    assert.strictEqual((await start(1).ended).code, 0)
  })

  it("I1 I6: a run that another run has taken over writes and sends nothing further, and reports it", async () => {
    const first = await inMemoryRun()
    lock()
    change("UPDATE run SET host = 'elsewhere'")
    const second = await start(3).ended
    assert.strictEqual(second.code, 0, second.out)
    const sent = requests
    first.go()
    const { code, out } = await first.ended
    assert.strictEqual(code, 3)
    assert.strictEqual(JSON.parse(out)._tag, "TakenOver")
    assert.strictEqual(requests, sent)
    assert.strictEqual((await states()).STORED, 3)
    for (const { code, effects } of service.stored.values()) assert.strictEqual(effects, 1, code)
  })
})

describe("SIGINT", () => {
  it("I2: finishes and records the request in flight, sends nothing further, and exits with 130", async () => {
    const { child, ended } = start(3)
    at = async (stage, nth) => {
      if (stage !== "stored" || nth !== 2) return
      child.kill("SIGINT")
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    const { code } = await ended
    assert.strictEqual(code, 130)
    const { READY, STORED } = await states()
    assert.deepStrictEqual({ READY, STORED, requests }, { READY: 1, STORED: 2, requests: 2 })
    const last = await read(Effect.flatMap(JournalReader, ({ lastRun }) => lastRun))
    assert.strictEqual(last?.ending, "interrupted")
  })
})
