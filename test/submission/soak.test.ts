import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseFaults } from "../../src/service/sandbox/Faults.ts"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import { visitStates } from "../../src/submission/journal/VisitState.ts"
import { fingerprint } from "../../src/submission/Submission.ts"
import { FacilityCode } from "../../src/visit/values/Code.ts"
import { builtProgram, start } from "../cli/builtProgram.ts"
import { sandboxUser } from "../cli/sandboxUser.ts"
import { visitJson } from "../cli/visitFiles.ts"
import { present } from "../present.ts"
import { runs, timeout } from "../runs.ts"

const spec = "drop-before=0.03,drop-after=0.03,500-after=0.02,html-after=0.02,truncated=0.02,429=0.01,revoke=0.02,"
  + "burst=0.01,partial=0.02,restart=0.01,500-before@processed=0.1,truncated@processed=0.05,drop-after@token=0.1,"
  + "delay-ms=300"

beforeAll(() => void builtProgram())

/** The whole program, killed with -9 at any moment, again and again, against a service that fails in every way. */
describe("the built program against the HTTP sandbox", () => {
  it(
    "I1 I2 I7: killed with -9 at any moment, it ends with each visit stored once, and journal and service agree",
    async () => {
      const kills = runs(3)
      const visits = 15 * kills
      const folder = mkdtempSync(join(tmpdir(), "soak-"))
      await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
        const faults = Result.getOrThrow(parseFaults(`${spec},seed=${kills}`))
        const data = { count: 1_000_000, windowMillis: 3_600_000 }
        const sandbox = yield* startSandbox({ faults, limits: { token: { count: 60, windowMillis: 60_000 }, data } })
        const { url } = sandbox
        const journal = join(folder, "journal.sqlite")
        const input = join(folder, "visits.ndjson")
        const texts = new Map(
          Array.from({ length: visits }, (_, at) => [`V${String(at + 1).padStart(6, "0")}`, at + 1])
        )
        writeFileSync(input, Array.from(texts.values(), (number) => `${visitJson(number)}\n`).join(""))
        writeFileSync(
          join(folder, "facility.yaml"),
          `facility: HF0001\nsystem: SYS-1\ntimezone: Asia/Phnom_Penh\njournal: ${journal}\n`
            + `limits: {requestsPerHour: 1000000}\nservice: {baseUrl: "${url}", authUrl: "${url}"}\n`
        )
        const run = () =>
          start(["submit", input, "--facility", folder, "--quiet"], {
            env: sandboxUser
          })
        for (let kill = 0; kill < kills; kill++) {
          const { child, ended } = run()
          yield* Effect.sleep(400 + Math.random() * 1500)
          child.kill("SIGKILL")
          yield* Effect.promise(() => ended)
        }
        let code: number | string = 3
        for (let again = 0; code === 3 && again < 20; again++) {
          const { ended, seen } = run()
          code = yield* Effect.promise(() => ended)
          assert.notInclude(seen.stderr, "internal error")
        }
        // 0, or 1 if some are stored in part
        assert.include([0, 1], code)

        const rows = yield* Effect.flatMap(JournalReader, ({ visits }) => visits(visitStates)).pipe(
          Effect.provide(JournalReader.layer({ file: journal, facility: FacilityCode("HF0001"), service: url }), {
            local: true
          })
        )
        const stored = new Map((yield* sandbox.visits).map((visit) => [visit.code, visit]))
        assert.sameMembers([...stored.keys()], [...texts.keys()])
        assert.strictEqual(rows.length, visits)
        for (const { code, fingerprint: known, state } of rows) {
          const there = present(stored.get(code))
          assert.strictEqual(there.submissions, 1, code)
          assert.strictEqual(state, there.status === 1 ? "STORED" : "PARTIAL", code)
          assert.strictEqual(fingerprint(present(yield* sandbox.body(FacilityCode("HF0001"), code))), known, code)
        }
        const { peaks, requests } = yield* sandbox.stats
        for (const peak of Object.values(peaks.token)) assert.isAtMost(peak, 60)
        assert.strictEqual(requests["POST /oauth/token"]?.["429"], undefined)
      })))
      rmSync(folder, { recursive: true, force: true })
    },
    2 * timeout
  )
})
