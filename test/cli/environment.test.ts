import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import { typed } from "./sandboxUser.ts"
import { visitJson } from "./visitFiles.ts"

describe("§1: the demo environment", () => {
  it.live("has its own journal, which production neither reads nor writes", () =>
    Effect.gen(function*() {
      const { url, visits } = yield* startSandbox()
      const folder = mkdtempSync(join(tmpdir(), "environment-"))
      const settings = (environment: string) =>
        writeFileSync(
          join(folder, "facility.yaml"),
          `facility: HF0001\nsystem: SYS-1\ntimezone: Asia/Phnom_Penh\n${environment}service: {baseUrl: "${url}", authUrl: "${url}"}\n`
        )
      const file = join(folder, "visits.ndjson")
      writeFileSync(file, `${visitJson(1)}\n`)
      const journals = () => readdirSync(join(folder, ".fhir2visit")).filter((name) => name.endsWith(".sqlite"))
      const journal = join(folder, ".fhir2visit/HF0001.demo.sqlite")

      settings("environment: demo\n")
      const first = yield* typed(["submit", file, "--facility", folder])
      assert.strictEqual(first.code, 0, first.stderr)
      assert.deepStrictEqual(journals(), ["HF0001.demo.sqlite"])
      const known = yield* typed(["status", "--facility", folder])
      assert.match(known.stdout, new RegExp(`${url} +demo\\n`))

      settings("")
      const plan = yield* typed(["submit", file, "--facility", folder, "--dry-run"])
      assert.include(plan.stderr, "1  send     new")
      for (const words of [["submit", file], ["status"], ["submit", file, "--dry-run"]]) {
        const mixed = yield* typed([...words, "--facility", folder], { FHIR2VISIT_JOURNAL: journal })
        assert.strictEqual(mixed.code, 2)
        assert.include(mixed.stderr, "belongs to environment `demo`, this run to `production`")
      }
      assert.strictEqual((yield* visits).length, 1)
      assert.deepStrictEqual(journals(), ["HF0001.demo.sqlite"])
    }).pipe(Effect.scoped))
})

describe("exit code 2: a journal that a retry cannot open", () => {
  it.live("keeps a journal of a newer version unchanged, and sends nothing", () =>
    Effect.gen(function*() {
      const { url, visits } = yield* startSandbox()
      const folder = mkdtempSync(join(tmpdir(), "newer-"))
      writeFileSync(
        join(folder, "facility.yaml"),
        `facility: HF0001\nsystem: SYS-1\ntimezone: UTC\nservice: {baseUrl: "${url}", authUrl: "${url}"}\n`
      )
      const file = join(folder, "visits.ndjson")
      writeFileSync(file, `${visitJson(1)}\n`)
      const submit = ["submit", file, "--facility", folder]
      assert.strictEqual((yield* typed(submit)).code, 0)
      const database = new DatabaseSync(join(folder, ".fhir2visit/HF0001.sqlite"))
      database.exec("PRAGMA user_version = 9999")
      database.close()
      writeFileSync(file, `${visitJson(2)}\n`)
      for (const words of [submit, [...submit, "--dry-run"], ["status", "--facility", folder]]) {
        const seen = yield* typed(words)
        assert.strictEqual(seen.code, 2, seen.stderr)
        assert.include(seen.stderr, "has format 9999")
        assert.notInclude(seen.stderr, "same command again")
      }
      assert.strictEqual((yield* visits).length, 1)
    }).pipe(Effect.scoped))
})
