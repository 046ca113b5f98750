import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { problems } from "../../src/diagnostic/Problem.ts"
import { readCases } from "../../src/studio/cases/readCases.ts"
import { runCase } from "../../src/studio/cases/runCase.ts"
import { updatePage } from "../../src/studio/cases/updatePage.ts"
import { capture } from "../captures.ts"
import { exampleRun } from "./pages.ts"

const names = readdirSync("docs/problems").map((name) => name.replace(/\.md$/, ""))
const run = exampleRun()

describe("docs/problems", () => {
  it("has one page for each code", () => assert.deepStrictEqual(names.toSorted(), Object.keys(problems).toSorted()))

  for (const [code, { meaning, next, severity }] of Object.entries(problems)) {
    const file = `docs/problems/${code}.md`
    const text = readFileSync(file, "utf8")
    const page = readCases(file, text)

    it(`repeats meaning and first step of the list of problems: ${code}`, () => {
      assert.isTrue(text.startsWith(`# ${code}\n\n${meaning}\n`), file)
      assert.include(text, severity === "error" ? "Usually an error" : "Usually a warning")
      const first = capture(text, /^## What to do\n\n- ([^]*?)(?=\n- |\n\n|$)/mu)
      assert.strictEqual(
        next,
        first.replace(/\s+/gu, " ").replace(/\.$/u, "").replace(/^./u, (sign) => sign.toLowerCase())
      )
    })

    for (const one of page.cases) {
      it.effect(`shows the problem in its example: ${code}`, () =>
        Effect.gen(function*() {
          const result = yield* runCase(page, one, run)
          if (process.env["UPDATE"] === "1") {
            writeFileSync(file, updatePage(page, [result]))
            return
          }
          assert.deepStrictEqual(result.broken, [])
          assert.deepStrictEqual(result.differences, [])
          assert.include(result.message, `[${code}]`)
        }).pipe(Effect.provide(NodeServices.layer)))
    }
  }

  it("has examples for most problems of mappings and records", () => {
    const shown = names.filter((name) => readFileSync(`docs/problems/${name}.md`, "utf8").includes("```text message"))
    assert.isAtLeast(shown.length, 25)
  })
})
