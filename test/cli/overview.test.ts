import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { overviewOf } from "../../src/cli/report/overview.ts"
import { reportJson } from "../../src/cli/report/reportJson.ts"
import type { ReportJson } from "../../src/studio/viewer/ReportJson.ts"
import { temporaryFolder } from "../run/converted.ts"
import { sampleReport } from "./sampleReport.ts"
import { typed } from "./sandboxUser.ts"

const base = reportJson(sampleReport)
const code = (text: string, count: number) => ({ table: "sex", system: null, code: text, display: null, count })
const report = (facility: string | null, ended: string, more: Partial<ReportJson> = {}): ReportJson => ({
  ...base,
  facility,
  ended,
  ...more
})
const settings = { now: Date.parse("2026-03-20T00:00:00Z"), staleDays: 7, showValues: false }
const over = (...reports: ReadonlyArray<ReportJson>) =>
  overviewOf(reports.map((report, at) => ({ file: `${at}.json`, report })), settings)

describe("overview", () => {
  it("uses the newest report of each facility and counts the older ones", () => {
    const made = over(
      report("A", "2026-03-19T00:00:00Z"),
      report("A", "2026-03-18T00:00:00Z"),
      report("B", "2026-03-01T00:00:00Z"),
      report(null, "2026-03-19T00:00:00Z")
    )
    assert.strictEqual(made.olderReports, 1)
    assert.deepStrictEqual(made.facilities.map(({ facility, stale }) => [facility, stale]), [
      ["B", true],
      ["3.json", false],
      ["A", false]
    ])
    assert.strictEqual(made.visits, 3 * base.counts.visits)
    for (const { code, facilities, severity } of made.problems) {
      assert.strictEqual(facilities, 3)
      const counts = base.problems.filter((one) => one.code === code && one.severity === severity)
      assert.strictEqual(
        made.problems.find((one) => one.code === code && one.severity === severity)?.count,
        3 * counts.reduce((sum, { count }) => sum + count, 0)
      )
    }
  })

  it("lists the codes that facilities share, without text that can be a patient's", () => {
    const day = "2026-03-19T00:00:00Z"
    const made = over(
      report("A", day, { unmapped: [code("X", 2), code("only here", 9), code("(words)", 4)] }),
      report("B", day, { unmapped: [code("X", 3), code("(words)", 1)] }),
      report("C", day, { unmapped: [code("only here", 1)], values: true })
    )
    assert.deepStrictEqual(made.unmapped.map(({ code, count, facilities }) => [code, count, facilities]), [["X", 5, 2]])
    assert.strictEqual(made.withValues, 1)
  })

  it("keeps a problem code of another version, without its meaning", () => {
    const problems = base.problems.slice(0, 1).map((problem) => ({ ...problem, code: "of-a-later-version" }))
    const made = over(report("A", "2026-03-19T00:00:00Z", { problems }))
    assert.deepStrictEqual(made.problems.map(({ code, meaning }) => [code, meaning]), [["of-a-later-version", ""]])
  })

  it.live("writes a self-contained page and JSON with mode 0600; rejects the report of a part", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const file = (name: string) => join(folder, name)
      const put = (name: string, what: ReportJson) => writeFileSync(file(name), JSON.stringify(what))
      put("a.json", report("<b>A", "2026-03-19T00:00:00Z"))
      put("b.json", report("B", "2026-03-19T00:00:00Z"))
      put("part.json", { ...base, part: { index: 1, count: 2, of: "", parts: "", sealed: "" } })
      for (const name of ["nation.html", "nation.json"]) {
        const { code, stderr } = yield* typed(["overview", file("a.json"), file("b.json"), "-o", file(name)])
        assert.strictEqual(code, 0, stderr)
        assert.strictEqual(statSync(file(name)).mode & 0o777, 0o600)
      }
      const page = readFileSync(file("nation.html"), "utf8")
      assert.include(page, "default-src 'none'")
      assert.notMatch(page, /<b>A|(?:src|href)=["']?https?:/u)
      assert.include(page, "&lt;b>A")
      assert.lengthOf(JSON.parse(readFileSync(file("nation.json"), "utf8")).facilities, 2)
      const refused = yield* typed(["overview", file("part.json"), "-o", file("other.html")])
      assert.strictEqual(refused.code, 2)
      assert.include(refused.stderr, "the report of a part")
    }).pipe(Effect.scoped))
})
