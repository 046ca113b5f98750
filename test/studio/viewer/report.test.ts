import { assert, describe, it } from "@effect/vitest"
import { gunzipSync } from "node:zlib"
import { at } from "../../../src/at.ts"
import { noCounts } from "../../../src/cli/report/Report.ts"
import { reportJson, reportText } from "../../../src/cli/report/reportJson.ts"
import type { PageData } from "../../../src/studio/viewer/PageData.ts"
import { style } from "../../../src/studio/viewer/style.ts"
import { writePage } from "../../../src/studio/viewer/writePage.ts"
import { attentions, outcomeNames, sendingOutcomes } from "../../../src/submission/status/sendingOutcomes.ts"
import { captures } from "../../captures.ts"
import { rarePlace, sampleReport, value } from "../../cli/sampleReport.ts"
import { present } from "../../present.ts"
import { only } from "../../present.ts"

const report = reportJson(sampleReport)
const pageOf = (of = report) => writePage({ page: "report", language: "en", report: of })

/** The data in a page. */
const dataIn = (page: string): PageData => {
  const [, type, text = ""] = /<script type="application\/(json|gzip)" id="data">([^<]*)<\/script>/u.exec(page) ?? []
  return JSON.parse(type === "json" ? text : gunzipSync(Buffer.from(text, "base64")).toString("utf8"))
}

describe("The page of a run", () => {
  it("is made only from its own data", async () => {
    const page = await pageOf()
    assert.strictEqual(await writePage(dataIn(page)), page)
  })

  it("runs no text of the data, and allows only its own script and style", async () => {
    const page = await pageOf()
    assert.include(JSON.stringify(report), "<script>")
    assert.notInclude(page.replace(/<script type="module">[^]*<\/script>/u, ""), "<script>alert")
    assert.strictEqual(
      [...page.matchAll(/<script\b/gu)].length,
      2 + [...page.matchAll(/<script type="module">[^]*?<script/gu)].length
    )
    assert.notMatch(page, / style="| on\w+="/u)
    assert.match(
      page,
      /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'"/u
    )
  })

  it("names the field of problems with one title", async () => {
    const problem = present(report.problems[0])
    const page = await pageOf({
      ...report,
      problems: ["province", "village"].map((part) => ({
        ...problem,
        field: `patient.address.${part}.code`,
        first: { ...problem.first, message: "`code` is null" }
      })),
      rejectedRecords: [],
      visits: [{ ...present(report.visits?.[0]), problems: [0, 1] }]
    })
    const options = captures(page, /<option value="\d">([^<]*)</gu)
    assert.deepStrictEqual(options, [
      "patient.address.province.code: code is null",
      "patient.address.village.code: code is null"
    ])
  })

  it("shows values, and wards of few patients, only with --show-values", async () => {
    const page = await pageOf()
    for (const hidden of [value, rarePlace]) {
      assert.notInclude(page, hidden)
      assert.notInclude(reportText(report), hidden)
    }
    const shown = await pageOf(reportJson(sampleReport, true))
    for (const hidden of [value, rarePlace]) assert.include(shown, hidden)
    assert.include(shown, "This page has values of records")
  })

  it("has a colour for each attention, and a number for each outcome", async () => {
    for (const attention of attentions) {
      assert.isAtLeast(style.split(`--${attention}:`).length, 3, `${attention} by day and by night`)
      for (const one of [`.f-${attention}`, `.s-${attention}`, `.states .b-${attention}`]) assert.include(style, one)
    }
    for (const name of outcomeNames) {
      const counts = { ...noCounts, visits: 1_237, ready: name === "open" ? 0 : 1_237, [name]: 1_237 }
      const page = await pageOf({ ...report, counts, visits: [], ending: { how: "done" } })
      const states = only(captures(page, /<ul class="states">(.*?)<\/ul>/gsu))
      assert.include(states, "1,237", name)
      const { attention } = sendingOutcomes[name]
      const [detail = ""] = captures(states, new RegExp(`class="b-${attention}".*?<span class="d">(.*?)</span>`, "gsu"))
      // The stored and skipped visits, and the open ones, are described in words only.
      if (attention === "waiting" || attention === "correction") assert.include(detail, "1,237", name)
      else assert.isNotEmpty(detail, name)
    }
  })

  it("lists every visit once, in a state that the counts have", () => {
    const { counts, visits = [] } = report
    assert.strictEqual(visits.length, counts.visits)
    assert.strictEqual(visits.filter(({ state }) => state === "rejected").length, counts.rejected)
    for (const group of [report.wards, report.days]) {
      assert.strictEqual(group?.reduce((sum, one) => sum + one.visits, 0), counts.visits)
    }
    const refused = present(visits.find(({ state }) => state === "refused"))
    assert.strictEqual(report.problems[at(refused.problems, 0)]?.code, "field-refused")
  })

  it("is small: 350 KB for a hundred visits, 180 KB of it the script", async () => {
    const page = await pageOf()
    assert.isBelow(page.length, 350_000)
    const [, script] = present(/<script type="module">([^]*)<\/script>/u.exec(page))
    assert.isBelow(present(script).length, 180_000)
  })

  it("is written as JSON with a line for each visit", () => {
    const text = reportText(report)
    assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(report)))
    assert.isBelow(text.split("\n").length, JSON.stringify(report, null, 2).split("\n").length)
  })
})
