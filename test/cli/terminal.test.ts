import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../src/at.ts"
import { Pipeline } from "../../src/cli/PipelineApi.ts"
import { displayWidth } from "../../src/diagnostic/render/printable.ts"
import { cli } from "./cli.ts"
import { runCommand } from "./TestScreen.ts"

const sample = ["run", "samples/clinic-day/input", "--facility", "samples/clinic-day", "--sandbox"]

const progressLine = new RegExp(`\\r${String.fromCharCode(27)}\\[K[^\\r\\n]*(?=\\r)`, "gu")

const seenOn = (env: Record<string, string>, ...more: ReadonlyArray<string>) =>
  Effect.map(
    Effect.provide(runCommand(cli, [...sample, ...more], { env, terminal: true }), Pipeline.layer),
    // What the line of progress drew is gone.
    ({ stderr }) => stderr.replaceAll(progressLine, "").replaceAll("\r\u001b[K", "")
  )

describe("a result in sentences on a terminal", () => {
  it.live("fits 80 columns, with a long line below its label, and an error too", () =>
    Effect.gen(function*() {
      const env = { COLUMNS: "80", LANG: "en_GB.UTF-8", NO_COLOR: "1" }
      const { code, stdout } = yield* Effect.provide(
        runCommand(cli, ["status"], { env, terminal: true }),
        Pipeline.layer
      )
      assert.strictEqual(code, 0)
      assert.match(stdout, /^no facility.*\n\n {2}no journal yet.*\n {6}next {3}fhir2visit status --facility FOLDER/u)
      const missing = "a-folder-with-a-long-name ".repeat(6).trim()
      const { stderr } = yield* Effect.provide(
        runCommand(cli, ["codes", "search", missing, "x"], { env, terminal: true }),
        Pipeline.layer
      )
      for (const line of stderr.split("\n")) assert.isAtMost(displayWidth(line), 80, line)
    }))
})

describe("the end of a run on a terminal", () => {
  for (const width of [60, 80, 120]) {
    it.live(`fits ${width} columns and a screen of rows, the verdict first`, () =>
      Effect.gen(function*() {
        const seen = yield* seenOn({ COLUMNS: String(width), LANG: "en_GB.UTF-8" })
        const end = seen.slice(seen.indexOf("HF0004"))
        const lines = end.trimEnd().split("\n")
        assert.match(at(lines, 2), /^ {2}A rehearsal, nothing was sent/u)
        assert.isAtMost(lines.length, width < 80 ? 28 : 24)
        for (const line of lines) assert.isAtMost(displayWidth(line), width, line)
        assert.match(end, /1 ×  referral-required +1 visit/u)
        assert.notInclude(seen, "= help")
      }))
  }

  it.live("shows each problem in full with --verbose", () =>
    Effect.gen(function*() {
      const seen = yield* seenOn({ COLUMNS: "60", LANG: "en_GB.UTF-8", NO_COLOR: "1" }, "--verbose")
      assert.include(seen, "= help")
      // A file, an address and a command stay whole.
      for (const line of seen.split("\n")) {
        assert.isTrue(displayWidth(line) <= 60 || /^\W*\S+$|fhir2visit /u.test(line), line)
      }
      assert.notInclude(seen, "\u001b[1")
    }))

  it.live("is ASCII if the terminal is not UTF-8", () =>
    Effect.gen(function*() {
      const seen = yield* seenOn({ COLUMNS: "80", LC_ALL: "C", LANG: "en_GB.UTF-8" }, "--verbose")
      assert.match(seen, /^\p{ASCII}*$/u)
      assert.include(seen, "1 x  referral-required")
    }))

  it.live("shows the verdict in the requested language", () =>
    Effect.gen(function*() {
      const seen = yield* seenOn({ COLUMNS: "120", LANG: "C.UTF-8" }, "--language", "fr")
      assert.include(
        seen,
        "Essai à blanc, rien n’a été envoyé au service national\u00a0: 4 visites sur 5 pourraient être transmises."
      )
      const { code, stderr } = yield* Effect.provide(runCommand(cli, [...sample, "--language", "xx"]), Pipeline.layer)
      assert.strictEqual(code, 2)
      assert.include(stderr, "Expected: one of en, fr")
    }))
})
