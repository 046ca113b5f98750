import { assert, describe, it } from "@effect/vitest"
import { generateKeyPairSync } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { builtProgram, start } from "../cli/builtProgram.ts"
import { encounter, patient } from "../run/smallRecords.ts"
import { runs, timeout } from "../runs.ts"
import { startFhirServer, stored } from "./fhirServer.ts"

/** The same numbers for the same seed, each below a limit. */
const randomOf = (seed: number): (below: number) => number => {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const records = [patient("a"), encounter("e1", "a"), encounter("e2", "a")].map((record) => stored(record))

describe("run --fetch", () => {
  it("exports from the server and runs on the mirror, and requests only the changes the second time", async () => {
    builtProgram()
    const folder = mkdtempSync(join(tmpdir(), "run-fetch-"))
    const server = await startFhirServer(records, { bulk: true })
    try {
      writeFileSync(
        join(folder, "facility.yaml"),
        `facility: HF0001\nsystem: SYS\ntimezone: Asia/Phnom_Penh\nmapping: mapping.yaml\nsource: {server: "${server.url}", level: system}\n`
      )
      writeFileSync(
        join(folder, "mapping.yaml"),
        `mapping: example\nextends: fhir-r4\nconceptMap:\n  job: {unmapped: warn, table: {}}\nvisit:\n  patient:\n    occupation: {path: id, conceptMap: job}\n    address:\n      province: {code: {value: "12"}}\n      district: {code: {value: "1201"}}\n      commune: {code: {value: "120101"}}\n      village: {code: {value: "12010101"}}\n`
      )
      const run = async (...more: ReadonlyArray<string>) => {
        const { ended, seen } = start(["run", "--facility", folder, "--fetch", "--sandbox", ...more])
        return { code: await ended, ...seen }
      }
      const rejected = join(folder, "rejected.ndjson")
      const first = await run("--rejected", rejected, "--as", "operation-outcome")
      assert.match(first.stdout + first.stderr, /2 visits/u)
      assert.match(first.stderr, /bulk export, everything/u)
      assert.lengthOf(readdirSync(join(folder, "mirror")).filter((name) => name.startsWith("001")), 1)
      for (const line of readFileSync(rejected, "utf8").split("\n").filter((line) => line !== "")) {
        assert.strictEqual(JSON.parse(line).resourceType, "OperationOutcome")
      }
      // The commands of messages name the mirror.
      assert.include(first.stderr, `fhir2visit codes unmapped --facility ${folder} ${join(folder, "mirror")} -o`)
      const second = await run()
      assert.match(second.stderr, /changes since/u)
      assert.strictEqual(second.code, first.code)
      const fetched = start(["fetch", "--facility", folder])
      assert.strictEqual(await fetched.ended, 0)
      assert.include(
        fetched.seen.stderr,
        `next   fhir2visit run --facility ${folder} ${join(folder, "mirror")} --sandbox`
      )
      const dry = start(["run", "--facility", folder, "--fetch", "--dry-run"])
      assert.strictEqual(await dry.ended, 2)
      assert.include(dry.seen.stderr, "`--dry-run` sends no request")
      const none = start(["run", "--facility", folder])
      assert.strictEqual(await none.ended, 2)
      assert.include(none.seen.stderr, "no input is given")
    } finally {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }, timeout)
})

describe("a fetch that is killed", () => {
  it("resumes with the same command, whenever the process died, and downloads no complete file twice", async () => {
    builtProgram()
    const folder = mkdtempSync(join(tmpdir(), "killed-fetch-"))
    const server = await startFhirServer(records, { bulk: true, filesPerType: 4, manifestPages: 2, polls: 1 })
    try {
      writeFileSync(
        join(folder, "facility.yaml"),
        `facility: HF0001\ntimezone: Asia/Phnom_Penh\nsource: {server: "${server.url}", level: system, downloads: 1}\n`
      )
      const mirror = join(folder, "mirror")
      const held = () =>
        existsSync(mirror)
          ? readdirSync(mirror, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ndjson.gz"))
          : []
      /** A fetch that dies some milliseconds after its n-th request. */
      const fetched = async (killAt: number, later: number): Promise<number | string> => {
        const { child, ended } = start(["fetch", "--facility", folder])
        let requests = 0
        server.options = {
          ...server.options,
          instead: () => {
            if (++requests === killAt) setTimeout(() => child.kill("SIGKILL"), later)
            return undefined
          }
        }
        return await ended
      }
      const random = randomOf(1)
      let killed = 0
      for (let times = 0; times < runs(3); times++) {
        const [before, served, jobs] = [held().length, server.served.length, server.jobs()]
        const isKilled = await fetched(1 + random(14), random(9)) === "SIGKILL"
        if (isKilled) killed++
        // One file was perhaps on its way; an export whose address was not yet on disk is started again.
        if (server.jobs() === jobs) {
          assert.isAtMost(server.served.length - served, held().length - before + (isKilled ? 1 : 0))
        }
        if (isKilled) continue
        rmSync(mirror, { recursive: true })
      }
      assert.isAbove(killed, 0)
      assert.strictEqual(await fetched(0, 0), 0)
      const lines = held().flatMap((name) =>
        gunzipSync(readFileSync(join(mirror, name))).toString("utf8").split("\n").filter((line) => line !== "")
      )
      assert.deepStrictEqual(
        [...new Set(lines)].toSorted(),
        [...server.records.values()].map((record) => JSON.stringify(record)).toSorted()
      )
    } finally {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }, timeout)
})

describe("a fetch from a server with every kind of failure", () => {
  it("writes no token, key or client id to any file or output, and sends them only to their own server", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" })
    const key = String(privateKey.export({ format: "pem", type: "pkcs8" }))
    const folder = mkdtempSync(join(tmpdir(), "canary-fetch-"))
    const trap = await startFhirServer(records)
    const seen = new Map<string, number>()
    const first = (what: string) => {
      seen.set(what, (seen.get(what) ?? 0) + 1)
      return seen.get(what) === 1
    }
    const server = await startFhirServer(records, {
      publicKey,
      requiresToken: true,
      tokenUses: 2,
      tokenPrefix: "CANARY-TOKEN-",
      filesPerType: 2,
      manifestPages: 2,
      polls: 1,
      instead: ({ url }) =>
        url.pathname.endsWith("/$export") && first("429")
          ? { status: 429, headers: { "retry-after": "0" } }
          : url.pathname.includes("/status/") && first("429 as a date")
          ? { status: 429, headers: { "retry-after": new Date().toUTCString() } }
          : url.pathname.includes("/status/1") && first("410")
          ? { status: 410 }
          : url.pathname.endsWith("/Patient/0") && first("307")
          ? { status: 307, headers: { location: `${trap.url}/Patient/a` } }
          : undefined
    })
    try {
      writeFileSync(
        join(folder, "facility.yaml"),
        `facility: HF0001\ntimezone: Asia/Phnom_Penh\nsource: {server: "${server.url}", level: system, auth: backend}\n`
      )
      let output = ""
      for (let times = 0; times < 4; times++) {
        const { ended, seen } = start(["fetch", "--facility", folder], {
          env: { FHIR2VISIT_SOURCE_CLIENT_ID: "CANARY-CLIENT", FHIR2VISIT_SOURCE_KEY: key }
        })
        const code = await ended
        output += seen.stdout + seen.stderr
        if (code === 0 && times > 1) break
        server.now += 86_400_000
      }
      assert.include(output, "bulk export")
      assert.sameMembers([...seen.keys()], ["429", "429 as a date", "410", "307"])
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
      const texts = [
        output,
        ...files.map((bytes) => (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("latin1"))
      ]
      for (const secret of ["CANARY", ...key.split("\n").slice(1, 3)]) {
        assert.isFalse(texts.some((text) => text.includes(secret)))
      }
      assert.isAbove(trap.headers.length, 0)
      for (const headers of trap.headers) assert.notInclude(JSON.stringify(headers), "CANARY")
    } finally {
      await Promise.all([server.close(), trap.close()])
      rmSync(folder, { recursive: true, force: true })
    }
  }, timeout)
})
