import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import { type SandboxOptions } from "../../src/service/sandbox/SandboxOptions.ts"
import { typed } from "./sandboxUser.ts"
import { settingsFor, spoiled, visitJson } from "./visitFiles.ts"

/** The embedded service, and a facility that submits other visits to it in each run. */
const setUp = (options: Partial<SandboxOptions> = {}) =>
  Effect.gen(function*() {
    const { url, visits } = yield* startSandbox(options)
    const folder = mkdtempSync(join(tmpdir(), "later-"))
    const settle = (...lines: ReadonlyArray<string>) =>
      writeFileSync(
        join(folder, "facility.yaml"),
        settingsFor(url, "retry: {delay: 100ms, reads: 0}", "reconcile: {wait: 0s, confirmAfter: 7d}", ...lines)
      )
    settle()
    const submit = (texts: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
      const file = join(folder, "visits.ndjson")
      writeFileSync(file, texts.join("\n"))
      return typed(["submit", file, "--facility", folder], env)
    }
    return { folder, settle, submit, visits, status: typed(["status", "--facility", folder]) }
  })

describe("visits that an earlier run did not send", () => {
  it.live("reports them in every run whose input does not have them, until they are sent", () =>
    Effect.gen(function*() {
      const { status, submit, visits } = yield* setUp()
      const firstDay = [visitJson(1), visitJson(2)]
      assert.strictEqual((yield* submit(firstDay, { FHIR2VISIT_PASSWORD: "mistyped" })).code, 3)

      const nextDay = yield* submit([visitJson(3)])
      assert.include(nextDay.stderr, "warning[not-sent]: 2 visits of earlier runs were not sent")
      assert.include(nextDay.stderr, "each visit that is not stored, and what to do")
      assert.strictEqual(nextDay.code, 0)
      const rejected = yield* submit([spoiled(1, /"admitted_at":"[^"]*"/u, "\"admitted_at\":null"), visitJson(2)])
      assert.include(rejected.stderr, "warning[not-sent]: 1 visit of an earlier run was not sent")
      assert.include((yield* status).stdout, "run again with this visit in the input")

      const again = yield* submit(firstDay)
      assert.notInclude(again.stderr, "not-sent")
      assert.deepStrictEqual((yield* visits).map(({ code }) => code).toSorted(), ["V000001", "V000002", "V000003"])
    }))
})

describe("§3: updates of a visit that is stored in part", () => {
  const occupation = (text: string) => spoiled(1, "\"occupation\":\"Farmer\"", `"occupation":"${text}"`)

  it.live("shows that the admission date of the source, or the settings, hold the update", () =>
    Effect.gen(function*() {
      const { settle, submit } = yield* setUp({ isPartial: () => true })
      yield* submit([visitJson(1)])
      const moved = yield* submit([spoiled(1, /"admitted_at":"\d{4}/u, "\"admitted_at\":\"2019")])
      assert.include(
        moved.stderr,
        "stored in part, and its update is not sent: the source has another admission date now"
      )
      settle("submit: {partial: hold}")
      const held = yield* submit([occupation("Teacher")])
      assert.include(held.stderr, "stored in part, and its update is not sent: `submit: {partial: hold}`")
    }))

  it.live("shows that the service refused the update, and sends the next one", () =>
    Effect.gen(function*() {
      const { status, submit, visits } = yield* setUp({
        isPartial: (visit) => JSON.stringify(visit).includes("Farmer")
      })
      const first = yield* submit([visitJson(1)])
      assert.include(first.stderr, "stored in part; the service waits for an update")
      // the records of the patient were merged into those of another
      const merged = yield* submit([visitJson(1).replaceAll("P00000100", "P00000900")])
      const words = "stored in part, and the service refused its update"
      assert.include(merged.stderr, words)
      assert.include((yield* status).stdout, words)

      assert.strictEqual((yield* submit([occupation("Teacher")])).code, 0)
      assert.deepStrictEqual((yield* visits).map(({ code, status }) => `${code} ${status}`), ["V000001 1"])
    }))
})
