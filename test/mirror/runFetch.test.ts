import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { builtProgram, start } from "../cli/builtProgram.ts"
import { encounter, patient } from "../run/smallRecords.ts"
import { runs, timeout } from "../runs.ts"
import { type Resource, startFhirServer } from "./fhirServer.ts"

const stamped = (record: Readonly<Record<string, unknown>>): Resource =>
  ({ ...record, meta: { versionId: "1", lastUpdated: "2026-11-01T08:00:00Z" } }) as Resource

const records = [patient("a"), encounter("e1", "a"), encounter("e2", "a")].map(stamped)

describe("run --fetch", () => {
  it("exports from the server and runs on the mirror; again, it asks for the changes alone", async () => {
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
        `mapping: example\nextends: fhir-r4\nvisit:\n  patient:\n    address:\n      province: {code: {value: "12"}}\n      district: {code: {value: "1201"}}\n      commune: {code: {value: "120101"}}\n      village: {code: {value: "12010101"}}\n`
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
      const second = await run()
      assert.match(second.stderr, /changes since/u)
      assert.strictEqual(second.code, first.code)
      const none = start(["run", "--facility", folder])
      assert.strictEqual(await none.ended, 2)
      assert.include(none.seen.stderr, "no input is named")
    } finally {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }, timeout)
})

describe("fetch that is killed", () => {
  it("is continued by the same command, at whatever request the process died", async () => {
    builtProgram()
    const folder = mkdtempSync(join(tmpdir(), "killed-fetch-"))
    const server = await startFhirServer(records, { bulk: true, filesPerType: 4, manifestPages: 2, polls: 1 })
    try {
      writeFileSync(
        join(folder, "facility.yaml"),
        `facility: HF0001\ntimezone: Asia/Phnom_Penh\nsource: {server: "${server.url}", level: system}\n`
      )
      const fetched = async (killAt: number): Promise<number | string> => {
        const { child, ended } = start(["fetch", "--facility", folder])
        let requests = 0
        server.options = {
          ...server.options,
          instead: () => {
            if (++requests === killAt) child.kill("SIGKILL")
            return undefined
          }
        }
        return await ended
      }
      let killed = 0
      for (let times = 0; times < runs(4); times++) if (await fetched(1 + times % 12) === "SIGKILL") killed++
      assert.isAbove(killed, 0)
      assert.strictEqual(await fetched(0), 0)
      const mirror = join(folder, "mirror")
      const held = readdirSync(mirror, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ndjson.gz"))
        .flatMap((name) =>
          gunzipSync(readFileSync(join(mirror, name))).toString("utf8").split("\n").filter((line) => line !== "")
        )
      assert.deepStrictEqual(
        [...new Set(held)].toSorted(),
        [...server.records.values()].map((record) => JSON.stringify(record)).toSorted()
      )
    } finally {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }, timeout)
})
