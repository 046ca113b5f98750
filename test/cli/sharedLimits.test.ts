import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import { typed } from "./sandboxUser.ts"
import { visitJson } from "./visitFiles.ts"

const type = (...words: ReadonlyArray<string>) => typed(words)

describe("§8: facilities that send as one user share one limit", () => {
  it.live("counts the requests of both in the file that both name", () =>
    Effect.gen(function*() {
      const { url } = yield* startSandbox()
      const folder = mkdtempSync(join(tmpdir(), "shared-"))
      const facility = (code: string, shared: string) => {
        mkdirSync(join(folder, code))
        writeFileSync(
          join(folder, code, "facility.yaml"),
          `facility: ${code}\nsystem: SYS-1\ntimezone: Asia/Phnom_Penh\nservice: {baseUrl: "${url}", authUrl: "${url}"}\n${shared}`
        )
        const visits = join(folder, code, "visits.ndjson")
        const lines = [1, 2, 3].map((n) => visitJson(n).replaceAll("HF0001", code))
        writeFileSync(visits, `${lines.join("\n")}\n`)
        return ["submit", visits, "--facility", join(folder, code)] as const
      }
      const shared = "limits: {shared: ../limits.sqlite}\n"
      const first = facility("HF0001", shared)
      const second = facility("HF0002", shared)
      const alone = facility("HF0003", "")

      const sent = yield* type(...first)
      assert.strictEqual(sent.code, 0, sent.stderr)
      assert.strictEqual(statSync(join(folder, "limits.sqlite")).mode & 0o777, 0o600)
      // three visits, and the list that a new journal takes first
      assert.match((yield* type(...second, "--dry-run")).stderr, /an hour are allowed, 4 of them used/)
      assert.notInclude((yield* type(...alone, "--dry-run")).stderr, "of them used")
      assert.strictEqual((yield* type(...first, "--dry-run")).code, 0)
    }).pipe(Effect.scoped))
})
