import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { at } from "../../src/at.ts"
import { accountsIn, partReport } from "../../src/cli/report/partReport.ts"
import { Tally } from "../../src/cli/report/Report.ts"
import { reportJson } from "../../src/cli/report/reportJson.ts"
import { outcomeKindOf } from "../../src/cli/screen/outcomeProblems.ts"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { isProblemCode, type ProblemCode } from "../../src/diagnostic/Problem.ts"
import { currentCode, renamedCode } from "../../src/diagnostic/renamedCodes.ts"
import { bare, render } from "../../src/diagnostic/render/render.ts"
import { parseFacility } from "../../src/facility/settings/parseFacility.ts"
import { UnmappedCodes } from "../../src/run/accounts/UnmappedCodes.ts"
import { readCases } from "../../src/studio/cases/readCases.ts"
import { runCase } from "../../src/studio/cases/runCase.ts"
import { updatePage } from "../../src/studio/cases/updatePage.ts"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import { sampleReport } from "../cli/sampleReport.ts"
import { typed } from "../cli/sandboxUser.ts"
import { exampleRun } from "../docs/pages.ts"
import { present } from "../present.ts"
import { temporaryFolder, visit } from "../submission/samples.ts"
import { setting } from "../submission/setting.ts"

const old = { "stand-in": "substitute-value", "left-out": "dropped-record", "refused-otherwise": "refused-other" }

/** A problem as an earlier version wrote it. */
const earlier = (code: string): Diagnostic => ({
  // The types of this version do not have the code.
  code: code as ProblemCode,
  severity: "error",
  title: "an old problem",
  origin: { file: "a.ndjson", line: 1, reference: "Encounter/1" }
})

describe("A renamed problem code", () => {
  it("is no code of this version, and its new name is one", () => {
    for (const [code, now] of Object.entries(old)) {
      assert.isFalse(isProblemCode(code), code)
      assert.isTrue(isProblemCode(now), now)
      assert.strictEqual(renamedCode(code), now)
      assert.strictEqual(currentCode(code), now)
    }
    assert.strictEqual(renamedCode("no-value"), undefined)
    assert.strictEqual(currentCode("of-a-later-version"), "of-a-later-version")
    assert.strictEqual(renamedCode("constructor"), undefined)
  })

  it("is an error in a facility file that says the new name", () => {
    const of = (levels: string) =>
      parseFacility(
        "facility.yaml",
        `facility: F1\nmapping: fhir-r4\ntimezone: UTC\nvalidation: {levels: {${levels}}}\n`
      )
        .problems.map(({ code, help, mapping, title }) => [code, title, mapping?.column, ...help ?? []])
    assert.deepStrictEqual(of("stand-in: off, left-out: error"), [
      [
        "unknown-key",
        "the problem code `stand-in` was renamed to `substitute-value`",
        23,
        "write  substitute-value"
      ],
      ["unknown-key", "the problem code `left-out` was renamed to `dropped-record`", 38, "write  dropped-record"]
    ])
    assert.deepStrictEqual(of("substitute-value: off, dropped-record: error"), [])
    // No level of a refusal can be set, under any name.
    assert.strictEqual(of("refused-otherwise: off")[0]?.[1], "`levels` has no key `refused-otherwise`")
  })

  it.live("is explained by the page of its new name", () =>
    Effect.gen(function*() {
      for (const [code, now] of Object.entries(old)) {
        const { code: ended, stderr, stdout } = yield* typed(["explain", code])
        assert.strictEqual(ended, 0, stderr)
        assert.include(stderr, `the problem code \`${code}\` was renamed to \`${now}\``)
        assert.isTrue(stdout.startsWith(`# ${now}\n`), stdout)
      }
    }))

  it.effect("in a case page differs from the new name only, and `mapping test --update` writes it", () =>
    Effect.gen(function*() {
      const file = "mappings/fhir-r4/cases/referrals.md"
      const text = readFileSync(file, "utf8")
      const page = readCases(file, text.replace("\ndropped-record referrals\n", "\nleft-out referrals\n"))
      const results = yield* Effect.forEach(page.cases, (one) => runCase(page, one, exampleRun()))
      assert.deepStrictEqual(results.flatMap(({ differences }) => differences), [
        { path: "problems", expected: "left-out referrals", actual: "dropped-record referrals" }
      ])
      assert.strictEqual(updatePage(page, results), text)
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("in a journal is read as the new name: of a visit, and of a run's summary", () =>
    Effect.gen(function*() {
      const { journal, once } = yield* setting
      yield* once([visit({ code: "V1", visitType: "" })])
      const database = new DatabaseSync(journal.file)
      database.exec("UPDATE visit SET problem = 'refused-otherwise', field = NULL")
      const summary = { records: 1, rejectedRecords: 0, visits: 1, ready: 0, rejected: 1 }
      const counts = JSON.stringify({
        refused: 1,
        summary: { ...summary, blockers: [["left-out", 3], ["no-value", 1]] }
      })
      database.prepare("UPDATE run SET counts = ?").run(counts)
      database.close()
      const read = Effect.provide(
        Effect.gen(function*() {
          const reader = yield* JournalReader
          return { visits: yield* reader.visits(["REFUSED"]), runs: yield* reader.countedRuns(9) }
        }),
        JournalReader.layer(journal),
        { local: true }
      )
      const { runs, visits } = yield* read
      assert.deepStrictEqual(visits.map((one) => [one.problem, outcomeKindOf(one)?.code]), [
        ["refused-other", "refused-other"]
      ])
      assert.deepStrictEqual(runs.map((run) => run.summary?.blockers), [[["dropped-record", 3], ["no-value", 1]]])
      assert.deepStrictEqual(runs.map((run) => run.counts), [{ refused: 1 }])
    }))

  it.live("in a report is read as the new name", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const base = reportJson(sampleReport)
      const kind = at(base.problems, 0)
      const put = (facility: string, code: string) =>
        writeFileSync(
          join(folder, `${facility}.json`),
          JSON.stringify({ ...base, facility, problems: [{ ...kind, code, first: { ...kind.first, code } }] })
        )
      put("A", "left-out")
      put("B", "dropped-record")
      put("C", "of-a-later-version")
      const files = ["A", "B", "C"].map((name) => join(folder, `${name}.json`))
      const made = yield* typed(["overview", ...files, "-o", join(folder, "all.json")])
      assert.strictEqual(made.code, 0, made.stderr)
      const { problems } = JSON.parse(readFileSync(join(folder, "all.json"), "utf8"))
      assert.deepStrictEqual(
        problems.map(({ code, facilities, meaning }: typeof problems[number]) => [code, facilities, meaning !== ""]),
        [["dropped-record", 2, true], ["of-a-later-version", 1, false]]
      )
    }).pipe(Effect.scoped))

  it("in the sealed accounts of a part is read as the new name, wherever the problem is listed", () => {
    const tally = new Tally()
    tally.addVisit({
      code: null,
      source: "Encounter/1",
      origin: { file: "a.ndjson", line: 1 },
      ready: false,
      problems: [earlier("left-out")]
    })
    const report = { ...sampleReport, problems: tally.problems.all(), ...tally.facets }
    const key = new Uint8Array(32)
    const counts = () => ({ used: [], idle: [], unresolved: [], codes: new UnmappedCodes().data(), currency: null })
    const part = partReport({ index: 1, count: 1, of: "x", file: "parts.json", key, counts }, tally, report, undefined)
    const accounts = present(accountsIn(part, key))
    assert.deepStrictEqual(accounts.report.problems.map(({ first }) => first.code), ["dropped-record"])
    assert.deepStrictEqual(accounts.report.blockers, [["dropped-record", 1]])
    const listed = at(present(accounts.report.rejectedVisits), 0)
    assert.strictEqual(listed.kinds[0], accounts.report.problems[0]?.first)
    for (const problem of accounts.report.problems) assert.include(render(problem, bare), "error[dropped-record]")
  })
})
