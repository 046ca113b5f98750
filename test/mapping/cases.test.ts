import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { at } from "../../src/at.ts"
import { getOrMake } from "../../src/maps.ts"
import { compareVisit, expectationOf, layOut } from "../../src/studio/cases/compareVisit.ts"
import { readCases } from "../../src/studio/cases/readCases.ts"
import { type CaseRun, runCase } from "../../src/studio/cases/runCase.ts"
import { updatePage } from "../../src/studio/cases/updatePage.ts"
import { FacilityCode, SystemCode } from "../../src/visit/values/Code.ts"
import { only, present } from "../present.ts"

const settingsOf = (mapping: string) =>
  mapping.includes("us-synthetic")
    ? { facility: FacilityCode("HF-US-01"), system: SystemCode("US-SYNTHETIC"), timezone: "America/New_York" }
    : { timezone: "UTC" }

const runs = new Map<string, CaseRun>()
const runOf = (mapping: string): CaseRun => ({ mapping, shippedMappings: "mappings", settings: settingsOf(mapping) })

for (const file of globSync("mappings/*/cases/*.md").toSorted()) {
  const page = readCases(file, readFileSync(file, "utf8"))
  // The pages of one mapping share its run, so that it is loaded once.
  const run = getOrMake(runs, join(dirname(file), "..", "mapping.yaml"), runOf)
  describe(file, () => {
    it("has cases, and no block that looks like one and is not", () => {
      assert.isAtLeast(page.cases.length, 1)
      assert.deepStrictEqual(page.problems, [])
    })
    for (const one of page.cases) {
      it.effect(one.name, () =>
        Effect.gen(function*() {
          const { broken, differences } = yield* runCase(page, one, run)
          assert.deepStrictEqual(broken, [])
          assert.deepStrictEqual(differences, [])
        }).pipe(Effect.provide(NodeServices.layer)))
    }
  })
}

const head = `# A page

\`\`\`json source
[
  {"resourceType": "Patient", "id": "p1", "gender": "male"},
  {"resourceType": "Encounter", "id": "e1", "status": "finished", "class": {"code": "AMB"}, "subject": {"reference": "Patient/p1"},
   "period": {"start": "2026-03-02T08:00:00Z"}}
]
\`\`\`
`

const run = (text: string) =>
  Effect.gen(function*() {
    const page = readCases("pages/one.md", text)
    const results = yield* Effect.forEach(page.cases, (one) =>
      runCase(page, one, { mapping: "mappings/fhir-r4/mapping.yaml", shippedMappings: "mappings", settings: {} }))
    return { page, results }
  }).pipe(Effect.provide(NodeServices.layer))

describe("A page of cases", () => {
  it.effect("reports each difference by its path", () =>
    Effect.gen(function*() {
      const { results } = yield* run(
        `${head}\n## one\n\n\`\`\`json visit\n{"visit_type": "IPD", "patient": {"sex": "M"}, "outpatients": []}\n\`\`\`\n`
      )
      assert.deepStrictEqual(results[0]?.differences, [
        { path: "visit.visit_type", expected: "IPD", actual: "OPD" },
        { path: "visit.outpatients.length", expected: 0, actual: 1 }
      ])
    }))

  it.effect("reports a mistake of its mapping with its line on the page", () =>
    Effect.gen(function*() {
      const { page, results } = yield* run(
        `${head}\n## one\n\n\`\`\`yaml mapping\nvisit:\n  admited_at: period.start\n\`\`\`\n\n\`\`\`json visit\n{}\n\`\`\`\n`
      )
      const problem = only(at(results, 0).broken)
      assert.strictEqual(problem.code, "unknown-field")
      assert.strictEqual(problem.mapping?.file, "pages/one.md")
      assert.match(at(page.text.split("\n"), present(problem.mapping).line - 1), /^ {2}admited_at/)
    }))

  it.effect("reports records and expectations that are not JSON, without comparing", () =>
    Effect.gen(function*() {
      const { results } = yield* run(
        `${head}\n## records\n\n\`\`\`json source\n[{]\n\`\`\`\n\n\`\`\`json visit\n{}\n\`\`\`\n\n## expected\n\n\`\`\`json visit\n{]\n\`\`\`\n`
      )
      assert.deepStrictEqual(results.map(({ broken }) => broken.map(({ code }) => code)), [
        ["unreadable-input"],
        ["unreadable-input"]
      ])
    }))

  it.effect("reports where and why an expectation is not JSON", () =>
    Effect.gen(function*() {
      const { page, results } = yield* run(
        `${head}\n## one\n\n\`\`\`json visit\n{"visit_type": "OPD",\n  "code" 5}\n\`\`\`\n`
      )
      const problem = only(at(results, 0).broken)
      assert.match(at(page.text.split("\n"), present(problem.mapping).line - 1), /"code" 5/)
      assert.isAbove(present(problem.mapping).column, 1)
      assert.isDefined(problem.label)
    }))

  const fence = (name: string, text: string): string => `\`\`\`${name}\n${text}\n\`\`\`\n`
  for (
    const [what, text, says, at] of [
      ["a misspelt block", fence("json vist", "{}"), "unknown block `json vist`", "```json vist"],
      [
        "a block in another language",
        fence("yaml visit", "{}"),
        "unknown block `yaml visit`",
        "```yaml visit"
      ],
      [
        "an unknown time zone",
        fence("yaml facility", "timezone: Asia/Nowhere") + fence("json visit", "{}"),
        "there is no time zone `Asia/Nowhere`",
        "timezone: Asia/Nowhere"
      ],
      [
        "a misspelt setting",
        fence("yaml facility", "# here\ntimezon: UTC") + fence("json visit", "{}"),
        "unknown setting `timezon`",
        "timezon: UTC"
      ],
      [
        "a case without an expectation",
        fence("yaml mapping", "visit: {code: id}"),
        "`one` has no expected result, and is not run",
        "## one"
      ],
      [
        "a second expectation under a heading",
        fence("json visit", "{}") + fence("json visit", "{\"code\": \"2\"}"),
        "a second block `json visit` under one heading",
        "```json visit"
      ],
      ["a page without a case", "Prose.\n", "the page has no case", "# A page"]
    ] as const
  ) {
    it(`reports ${what} at its line`, () => {
      const { problems } = readCases("pages/one.md", `${head}\n## one\n\n${text}`)
      const [problem] = problems
      assert.strictEqual(problem?.title, says)
      assert.strictEqual(`${head}\n## one\n\n${text}`.split("\n")[(problem?.mapping?.line ?? 0) - 1], at)
    })
  }

  it("keeps the text of settings, including zeros, and treats other blocks as prose", () => {
    const { cases, problems } = readCases(
      "pages/one.md",
      head + fence("yaml facility", "facility: 00123\nsystem: 'OUR' # ours") + fence("json fragment", "{}") +
        "## one\n" +
        fence("json visit", "{}")
    )
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(cases[0]?.settings, { facility: FacilityCode("00123"), system: SystemCode("OUR") })
  })

  it.effect("lists every problem as often as it occurs", () =>
    Effect.gen(function*() {
      const { results } = yield* run(
        `${head}\n## one\n\n\`\`\`text problems\nrequired-field patient_code\nrequired-field patient_code\n\`\`\`\n`
      )
      const problems = at(results, 0).differences.filter(({ expected }) => expected !== undefined)
      assert.deepStrictEqual(problems, [
        { path: "problems", expected: "required-field patient_code", actual: undefined }
      ])
    }))

  it.effect("updates expectations to the current result, with the same fields", () =>
    Effect.gen(function*() {
      const text =
        `${head}\n## one\n\n\`\`\`json visit\n{"visit_type": "IPD", "outpatients": [{"started_at": ""}]}\n\`\`\`\n`
        + "\nProse stays.\n\n## two\n\n```json visit\n```\n\n```text problems\nnothing\n```\n"
      const { page, results } = yield* run(text)
      const updated = updatePage(page, results)
      assert.include(
        updated,
        "{\"visit_type\": \"OPD\", \"outpatients\": [{\"started_at\": \"2026-03-02T08:00:00.000+00:00\"}]}"
      )
      assert.include(updated, "\nProse stays.\n")
      assert.include(updated, "required-field patient_code\n")
      const again = yield* run(updated)
      assert.deepStrictEqual(again.results.flatMap(({ differences }) => differences), [])
      assert.strictEqual(updatePage(again.page, again.results), updated)
    }))

  it("formats JSON without changing it, and derives expectations that hold", () => {
    const value = { a: [{ b: "x".repeat(100), c: null }, { b: "y".repeat(80), c: [1, 2.5, true] }], d: {}, e: [] }
    assert.deepStrictEqual(JSON.parse(layOut(value)), value)
    assert.deepStrictEqual(compareVisit(value, expectationOf(value, undefined)), [])
    assert.deepStrictEqual(expectationOf(value, { a: [{ b: "" }] }), {
      a: [{ b: "x".repeat(100) }, { b: "y".repeat(80) }]
    })
  })
})
