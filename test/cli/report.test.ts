import { assert, describe, it } from "@effect/vitest"
import { at } from "../../src/at.ts"
import { Tally } from "../../src/cli/report/Report.ts"
import { reportJson } from "../../src/cli/report/reportJson.ts"
import { summary } from "../../src/cli/screen/summary.ts"
import { collate } from "../../src/diagnostic/collate.ts"
import { en } from "../../src/studio/viewer/texts/en.ts"
import { reportTitle } from "../../src/studio/viewer/verdict.ts"
import type { PlannedVisit } from "../../src/submission/plan/plan.ts"
import { PatientCode, VisitCode } from "../../src/visit/values/Code.ts"
import { sampleReport } from "./sampleReport.ts"

describe("Tally", () => {
  const visit = (patientCode: string, place: string, ready: boolean, code: string | null = null) => ({
    code: code === null ? null : VisitCode(code),
    patientCode: PatientCode(patientCode),
    place,
    source: `Encounter/${patientCode}`,
    origin: { file: "in.ndjson", line: 3 },
    ready,
    problems: ready ? [] : [
      { code: "required-field", severity: "error", title: "one" },
      { code: "required-field", severity: "error", title: "other" },
      { code: "odd-value", severity: "warning", title: "third" }
    ] as const
  })

  it("names a place only after three different patients", () => {
    const tally = new Tally()
    for (const patient of ["1", "2", "3"]) tally.addVisit(visit(patient, "Ward ", true))
    for (const patient of ["1", "1", "1", "2"]) tally.addVisit(visit(patient, "Home of a patient", false))
    assert.deepStrictEqual([...tally.places], [
      ["Home of a patient", { ready: 0, rejected: 4, common: false }],
      ["Ward", { ready: 3, rejected: 0, common: true }]
    ])
  })

  it("lists a repeated visit as skipped, also in a dry run", () => {
    const { readyVisits = [] } = sampleReport
    const one = at(readyVisits, 0)
    const decisions: ReadonlyArray<PlannedVisit["decision"]> = [
      { _tag: "Send", why: "new" },
      { _tag: "Skip", why: "same-visit-twice" }
    ]
    const plan = decisions.map((decision) => ({ code: VisitCode(one.name), admittedAt: "", source: null, decision }))
    const { outcomes: _outcomes, ...planned } = { ...sampleReport, readyVisits: [one, one], rejectedVisits: [], plan }
    const states = reportJson(planned).visits?.filter(({ visit }) => visit === one.name).map(({ state }) => state)
    assert.deepStrictEqual(states, ["ready", "skipped"])
  })

  it("lists a rejected visit with its errors, and counts it once under each error code", () => {
    const tally = new Tally()
    tally.addVisit(visit("1", "", false, "V1"))
    tally.addVisit(visit("2", "", false))
    const { blockers, rejectedVisits } = tally.facets
    assert.deepStrictEqual(blockers, [["required-field", 2]])
    assert.deepStrictEqual(
      rejectedVisits?.map(({ kinds, name, origin }) => [name, origin, kinds.map(({ title }) => title)]),
      [["V1", "in.ndjson:3", ["one", "other"]], ["Encounter/2", "in.ndjson:3", ["one", "other"]]]
    )
    assert.strictEqual(at(tally.problems.all(), 0).first, rejectedVisits?.[0]?.kinds[0])
  })
})

describe("the summary of a run", () => {
  it("names the field of problems with one title", () => {
    const of = (field: string, title: string) =>
      ({ code: "foreign-code", severity: "error", title, field, visit: VisitCode("V1") }) as const
    const problems = collate([
      of("diagnosis[0].encounter_code", "not of this visit"),
      of("invoices[0].encounter_code", "not of this visit"),
      of("code", "another title")
    ])
    const text = summary({ ...sampleReport, problems }, { isBrief: false, texts: en, width: 100 })
    assert.deepStrictEqual(
      text.split("\n").filter((line) => line.includes("foreign-code")).map((line) =>
        line.trim().split(/ {2,}/u).at(-1)
      ),
      [
        "diagnosis[].encounter_code: not of this visit",
        "invoices[].encounter_code: not of this visit",
        "another title"
      ]
    )
  })
})

describe("the hospital's name", () => {
  it("is in the summary and in the title of the page, with the code or without one", () => {
    const report = { ...sampleReport, name: "River Clinic" }
    assert.match(summary(report, { isBrief: true, texts: en, width: 80 }), /^River Clinic \(HF0001\) {3}\d{4}-/u)
    assert.match(reportTitle(reportJson(report), en), /^River Clinic: /u)
    assert.match(summary(sampleReport, { isBrief: true, texts: en, width: 80 }), /^HF0001 {3}/u)
  })
})

describe("days of admission", () => {
  it("counts an invalid date as unknown", () => {
    const tally = new Tally()
    for (
      const stated of ["2026-02-30", "2026-13-01", "Sok Invented", "2026-02-03", "2026-02-03T08:00:00.000+07:00", ""]
    ) {
      tally.addDay(stated, true)
    }
    tally.addDay(undefined, false)
    assert.deepStrictEqual([...tally.days], [
      ["2026-02-03", { ready: 2, rejected: 0 }],
      ["", { ready: 4, rejected: 1 }]
    ])
  })
})
