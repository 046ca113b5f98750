import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mergeReports, NotOneRun } from "../../src/cli/mergeReports.ts"
import { reportJson } from "../../src/cli/reportJson.ts"
import type { ReportJson } from "../../src/viewer/ReportJson.ts"
import { sampleReport } from "./sampleReport.ts"
import { typed } from "./sandboxUser.ts"

const report = reportJson(sampleReport)
const shard = (index: number, count: number, more: Partial<ReportJson> = {}): ReportJson => ({
  ...report,
  shard: { index, count },
  ...more
})

describe("merge-reports", () => {
  it("counts of shards are added, one fault is told once, with the first shard's example", () => {
    const merged = mergeReports([shard(2, 2, { ended: "2030-01-01T00:00:00Z" }), shard(1, 2)])
    if (merged instanceof NotOneRun) return assert.fail(merged.reason)
    assert.isUndefined(merged.shard)
    for (const [name, count] of Object.entries(report.counts)) {
      assert.strictEqual(merged.counts[name as keyof typeof merged.counts], 2 * count, name)
    }
    assert.strictEqual(merged.problems.length, report.problems.length)
    for (const { count, first } of report.problems) {
      const problem = merged.problems.find((one) =>
        one.first.message === first.message && one.first.field === first.field
      )
      assert.strictEqual(problem?.count, 2 * count)
      assert.deepStrictEqual(problem?.first, first)
    }
    assert.deepStrictEqual(
      merged.unmapped.map(({ count }) => count),
      report.unmapped.map(({ count }) => 2 * count)
    )
    assert.deepStrictEqual(
      merged.assumptions,
      report.assumptions?.map((one) => ({ ...one, visits: 2 * one.visits }))
    )
    assert.strictEqual(merged.visits?.length, 2 * report.visits!.length)
    const messagesOf = ({ problems, visits = [] }: ReportJson) =>
      visits.slice(0, report.visits!.length).map((visit) =>
        visit.problems.map((index) => problems[index]!.first.message).toSorted()
      )
    assert.deepStrictEqual(messagesOf(merged), messagesOf(report))
    assert.deepStrictEqual(
      merged.wards?.map(({ visits }) => visits),
      report.wards?.map(({ visits }) => 2 * visits)
    )
    for (const [type, count] of Object.entries(report.unused)) assert.strictEqual(merged.unused[type], 2 * count)
    assert.strictEqual(merged.started, report.started)
    assert.strictEqual(merged.ended, "2030-01-01T00:00:00Z")
  })

  it("a report of an earlier version, which does not name its input, is taken", () => {
    const merged = mergeReports([shard(1, 3, { input: "a" }), shard(2, 3), shard(3, 3, { input: "a" })])
    assert.notInstanceOf(merged, NotOneRun)
    assert.notProperty(merged, "input")
  })

  it.live(
    "the shards of a run are one, wherever its files lie; a shard of another input is refused with exit code 2",
    () =>
      Effect.gen(function*() {
        const folder = mkdtempSync(join(tmpdir(), "merge-"))
        const file = (name: string) => join(folder, name)
        const sample = "samples/clinic-day"
        cpSync(join(sample, "input"), file("moved"), { recursive: true })
        cpSync(join(sample, "input"), file("other"), { recursive: true })
        const any = readdirSync(file("other"), { recursive: true, withFileTypes: true }).find((one) => one.isFile())!
        const edited = join(any.parentPath, any.name)
        writeFileSync(edited, `${readFileSync(edited, "utf8")}\n`)
        const convert = (input: string, shard: string, report: string) =>
          typed(["convert", input, "--facility", sample, "--shard", shard, "--report", file(report)])
        yield* convert(join(sample, "input"), "1/2", "one.json")
        yield* convert(file("moved"), "2/2", "two.json")
        yield* convert(file("other"), "2/2", "wrong.json")
        const together = yield* typed(["merge-reports", file("one.json"), file("two.json"), "-o", file("run.json")])
        assert.strictEqual(together.code, 0, together.stderr)
        const mixed = yield* typed(["merge-reports", file("one.json"), file("wrong.json")])
        assert.strictEqual(mixed.code, 2)
        assert.include(mixed.stderr, "runs with other inputs")
      }),
    60_000
  )

  for (
    const [what, reports, reason] of [
      ["one is missing", [shard(1, 3), shard(3, 3)], "shard 2/3 is missing"],
      ["one is there twice", [shard(1, 2), shard(1, 2)], "shard 1/2 is there twice"],
      ["one is that of a whole run", [report, shard(2, 2)], "a report is not that of a shard"],
      ["they are of different runs", [shard(1, 2), shard(2, 3)], "the reports are of runs that were cut differently"],
      [
        "the inputs differ",
        [shard(1, 2, { input: "a" }), shard(2, 2, { input: "b" })],
        "the reports are of runs with other inputs"
      ],
      [
        "the mapping differs",
        [shard(1, 2), shard(2, 2, { mapping: "other" })],
        "the reports do not have the same `mapping`"
      ]
    ] as ReadonlyArray<readonly [string, ReadonlyArray<ReportJson>, string]>
  ) {
    it(`nothing is merged when ${what}`, () => {
      const refused = mergeReports(reports)
      assert.strictEqual(refused instanceof NotOneRun ? refused.reason : "", reason)
    })
  }
})
