import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readData } from "../../../src/service/sandbox/data/SandboxData.ts"
import { startSandbox } from "../../../src/service/sandbox/Sandbox.ts"
import { FacilityCode, VisitCode } from "../../../src/visit/values/Code.ts"
import { get, getToken, headersOf, post, postForm } from "./client.ts"
import { sampleVisit } from "./sampleVisit.ts"
import { withSandbox } from "./withSandbox.ts"

const inFolder = async (body: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-"))
  try {
    await body(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("the store", () => {
  it("§3 keeps visits, states and tokens over a restart, in a private file", () =>
    inFolder(async (folder) => {
      const storeFile = join(folder, "service.db")
      let token = ""
      await withSandbox({ storeFile }, async ({ url }) => {
        token = await getToken(url)
        assert.strictEqual((await post(url, [sampleVisit(1)], headersOf(token))).status, 200)
        const open = await post(url, [sampleVisit(2, { discharged_at: null })], headersOf(token))
        assert.strictEqual(open.data["status"], 3)
        assert.strictEqual(statSync(storeFile).mode & 0o777, 0o600)
      })
      await withSandbox({ storeFile }, async ({ body, url, visits }) => {
        const again = await post(url, [sampleVisit(1)], headersOf(token))
        assert.strictEqual(again.json["message"], "Submit is blocked: Visit Code V420001 has already been submitted.")
        assert.strictEqual(
          await Effect.runPromise(body(FacilityCode("F1"), VisitCode("V420001"))),
          JSON.stringify(sampleVisit(1))
        )
        const taken = await post(
          url,
          [JSON.parse(JSON.stringify(sampleVisit(3)).replaceAll("E300003", "E300001"))],
          headersOf(token)
        )
        assert.strictEqual(taken.json["errors"], "The visits.0.outpatients.0.code has already been taken.")
        assert.strictEqual((await post(url, [sampleVisit(2)], headersOf(token))).data["status"], 1)
        assert.deepStrictEqual(
          (await Effect.runPromise(visits)).map((visit) => [visit.code, visit.status, visit.submissions]),
          [
            ["V420001", 1, 1],
            ["V420002", 1, 2]
          ]
        )
      })
    }))

  it("reports a port in use and a file that is not a store", () =>
    inFolder(async (folder) => {
      const file = join(folder, "not-a-store")
      writeFileSync(file, "text ".repeat(500))
      const start = (options: Parameters<typeof startSandbox>[0]) =>
        Effect.runPromise(Effect.scoped(Effect.flip(startSandbox(options))))
      assert.include((await start({ storeFile: file })).message, "not-a-store")
      await withSandbox({}, async ({ port }) => {
        assert.include((await start({ port })).message, String(port))
      })
    }))
})

describe("the data file", () => {
  const read = (file: string) =>
    Effect.runPromise(readData(file).pipe(Effect.result, Effect.provide(NodeFileSystem.layer)))

  it("adds beneficiaries, stored visits, and credentials", () =>
    inFolder(async (folder) => {
      const file = join(folder, "data.json")
      writeFileSync(
        file,
        JSON.stringify({
          beneficiaries: [{ patient_code: "P25000001", surname: "INVENTED", benefit_cards: [{ card_number: "C-1" }] }],
          visits: [sampleVisit(1)],
          credentials: { username: "u", password: "p", client_id: "c", client_secret: "s", facility_codes: ["F1"] }
        })
      )
      const data = await read(file)
      assert.strictEqual(data._tag, "Success")
      if (data._tag !== "Success") return
      await withSandbox({ data: data.success }, async ({ url }) => {
        const sandbox = {
          grant_type: "password",
          username: "sandbox",
          password: "sandbox",
          client_id: "sandbox",
          client_secret: "sandbox"
        }
        assert.strictEqual((await postForm(url, sandbox)).json["error"], "invalid_client")
        const token = await getToken(url, { username: "u", password: "p", client_id: "c", client_secret: "s" })
        assert.strictEqual((await post(url, [sampleVisit(1)], headersOf(token))).status, 422)
        assert.strictEqual((await post(url, [sampleVisit(2)], headersOf(token))).status, 200)
        const path = `${url}/api/v1/external/beneficiary/search?card_number=`
        assert.strictEqual((await get(`${path}C-1`, headersOf(token))).data["surname"], "INVENTED")
        assert.strictEqual((await get(`${path}100-000-001`, headersOf(token))).status, 200)
        assert.strictEqual((await get(`${path}C-1`, headersOf(token, { "x-health-facility-code": "F2" }))).status, 403)
      })
    }))

  it("reports an unreadable or invalid file", () =>
    inFolder(async (folder) => {
      const file = join(folder, "data.json")
      assert.strictEqual((await read(file))._tag, "Failure")
      for (const text of ["{", "[]", "{\"beneficiaries\":[{}]}", "{\"visitors\":[]}"]) {
        writeFileSync(file, text)
        assert.strictEqual((await read(file))._tag, "Failure", text)
      }
    }))
})
