import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ProblemCode } from "../../src/diagnostic/Problem.ts"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"

/**
 * Mistakes of a mapping by the code of their problem. In the overlay, `«…»` marks the expected location; the message must match the
 * regular expression.
 */
export type Mistakes = Readonly<
  Partial<Record<ProblemCode, ReadonlyArray<readonly [what: string, overlay: string, message: RegExp]>>>
>

/** Checks a mapping text. */
export const check = (text: string) =>
  loadMapping("mapping.yaml", "mappings", { given: new Map([["mapping.yaml", text]]) }).pipe(
    Effect.provide(NodeServices.layer)
  )

/** Defines a test for each mistake: the overlay over `base` has exactly this problem, at the marked location. */
export const itReports = (base: string, severity: "error" | "warning", mistakes: Mistakes): void => {
  for (const [code, overlays = []] of Object.entries(mistakes)) {
    for (const [what, overlay, message] of overlays) {
      it.effect(`reports ${what} at its location, with a correction`, () =>
        Effect.gen(function*() {
          const marked = `mapping: example\n${overlay.startsWith("extends: ") ? "" : `extends: ${base}\n`}${overlay}`
          const { checked, problems } = yield* check(marked.replace(/[«»]/gu, ""))
          assert.strictEqual(checked !== undefined, severity === "warning")
          assert.deepStrictEqual(problems.map((problem) => [problem.severity, problem.code]), [[severity, code]])
          for (const { help = [], label, labels = [], mapping, title } of problems) {
            assert.match([title, label, ...help, ...labels.map(({ text }) => text)].join(" "), message)
            const [before = "", location, after] = marked.split(/[«»]/u)
            if (location === undefined || after === undefined) return
            const column = before.length - before.lastIndexOf("\n")
            assert.deepStrictEqual(
              [mapping?.line, mapping?.column, mapping?.endColumn],
              [before.split("\n").length, column, column + Math.max(1, location.length)]
            )
          }
        }))
    }
  }
}
