import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../src/at.ts"
import { jsonObjectsIn } from "../../src/json/JsonObject.ts"
import type { DraftPath } from "../../src/mapping/draft/VisitDraft.ts"
import { explainInputs } from "../../src/run/explainInputs.ts"
import { FacilityCode } from "../../src/visit/values/Code.ts"
import { present } from "../present.ts"
import { converted, loadedOnce, neutral, temporaryFolder, written } from "./converted.ts"

const request = (
  inputs: ReadonlyArray<string>,
  facility: string | null = null,
  mapping: string = neutral.mapping
) => ({
  ...neutral,
  inputs,
  mapping,
  facility: facility === null ? null : FacilityCode(facility)
})

const leaves = (value: unknown, path: DraftPath): ReadonlyArray<readonly [DraftPath, unknown]> =>
  Array.isArray(value) && value.some((item) => typeof item === "object")
    ? value.flatMap((item, index) => leaves(item, [...path, index]))
    : typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, key]))
    : [[path, value]]

const isBlank = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0)

/** Problems that come from comparing a visit with others. */
const ofSeveral = new Set(["duplicate-code", "same-admission-time", "other-currency"])

describe("An explained visit", () => {
  for (
    const [sample, facility, mapping] of [
      ["clinic-day", "HF0004", neutral.mapping],
      ["inpatient-surgery-referral", "HF0002", neutral.mapping],
      ["district-tables", "HF0005", "samples/district-tables/mapping.yaml"]
    ] as const
  ) {
    it.effect(`has the state and the problems that convert gives it: ${sample}`, () =>
      Effect.gen(function*() {
        const inputs = [`samples/${sample}/input`]
        const { visits } = yield* converted(inputs, { facility: FacilityCode(facility), mapping, showValues: true })
        assert.isNotEmpty(visits)
        const showing = { ...request(inputs, facility, mapping), showValues: true }
        const loaded = yield* loadedOnce(showing)
        for (const { notOver, problems, source } of visits) {
          const explained = yield* explainInputs({ ...showing, ...loaded }, source)
          assert.isDefined(explained, source)
          const linesOf = (found: typeof problems) =>
            found.filter(({ code }) => !ofSeveral.has(code)).map(({ code, field, severity, title }) =>
              `${severity} ${code} ${field ?? ""}: ${title}`
            ).toSorted()
          assert.deepStrictEqual(linesOf(explained.problems), linesOf(problems), source)
          assert.strictEqual(explained.isOpen, notOver === true, source)
        }
      }).pipe(Effect.provide(NodeServices.layer)))
  }
})

describe("The provenance of a field", () => {
  for (
    const [sample, facility] of [["outpatient-fever", "HF0001"], ["inpatient-surgery-referral", "HF0002"], [
      "emergency-labs-imaging",
      "HF0003"
    ]] as const
  ) {
    it.effect(`exists for every field, and ends with the sent value: ${sample}`, () =>
      Effect.gen(function*() {
        const inputs = [`samples/${sample}/input`]
        const { visits } = yield* converted(inputs, { facility: FacilityCode(facility) })
        for (const { code } of visits) {
          const explained = yield* explainInputs(request(inputs, facility), present(code))
          assert.isDefined(explained)
          const { draft } = explained
          let won = 0
          for (const [path, value] of leaves(draft.visit, [])) {
            const story = draft.explainField(path)
            // Sections without rows, lists of texts and findings by parts have no mapping line for each element.
            if (story === undefined || story.kind === "section") continue
            assert.deepStrictEqual(story.value, value, path.join("."))
            if (isBlank(value)) assert.include(["nothing", "path"], story.by, path.join("."))
            else assert.notStrictEqual(story.by, "nothing", path.join("."))
            assert.isAtMost(story.paths.filter(({ outcome }) => outcome === "won").length, 1)
            if (story.by === "path") won++
          }
          assert.isAtLeast(won, 30)
        }
      }).pipe(Effect.provide(NodeServices.layer)))
  }

  it.effect("names the element, the row of the code table and the unit", () =>
    Effect.gen(function*() {
      const explained = yield* explainInputs(request(["samples/outpatient-fever/input"], "HF0001"), "V420101")
      assert.isDefined(explained)
      const name = explained.draft.explainField(["vital_signs", 0, "observations", 0, "name"])
      const value = explained.draft.explainField(["vital_signs", 0, "observations", 0, "value"])
      assert(name?.kind === "field" && value?.kind === "field")
      assert.deepStrictEqual(name.codes, [
        { map: "vital_name", system: "http://loinc.org", code: "8480-6", row: "8480-6" }
      ])
      assert.deepStrictEqual(value.unit, { from: ["mm[Hg]"], to: "mm[Hg]" })
      assert.deepStrictEqual(value.paths[0]?.found.map(({ element }) => element), ["Observation.component[0].value"])
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("shows overlays, defaults, stated values, policies, made codes and paths that do not fit", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping, ...inputs] = written(folder, {
        "mapping.yaml":
          "mapping: x\nextends: fhir-r4\nvisit:\n  patient:\n    occupation: {value: Farmer}\n    phone: {path: telecom.value, take: first, default: none}\n"
          + "    death_at: [name.family.first(), \"%visit.period.start\"]\n    marital_status: {path: maritalStatus, conceptMap: marital_status}\n",
        "records.json":
          "[{\"resourceType\": \"Patient\", \"id\": \"p1\", \"name\": [{\"family\": \"Example\"}], \"maritalStatus\": {\"coding\": [{\"code\": \"9\"}]}}, {\"resourceType\": \"Encounter\", \"id\": \"e1\", \"status\": \"finished\","
          + " \"class\": {\"code\": \"AMB\"}, \"subject\": {\"reference\": \"Patient/p1\"}, \"period\": {\"start\": \"2026-03-02T08:00:00Z\"}}]"
      })
      const { draft } = present(yield* explainInputs(request(inputs, "HF1", mapping), "Encounter/e1"))
      const story = (...path: DraftPath) => {
        const found = draft.explainField(path)
        assert(found?.kind === "field")
        return found
      }
      assert.strictEqual(story("patient", "occupation").by, "value")
      assert.strictEqual(story("patient", "occupation").mapping.file, mapping)
      assert.strictEqual(story("patient", "occupation").mapping.line, 5)
      assert.strictEqual(story("patient", "phone").by, "default")
      assert.deepStrictEqual(story("patient", "death_at").paths.map(({ outcome }) => outcome), ["not-fitting", "won"])
      assert.deepStrictEqual(story("patient", "marital_status").codes, [
        { map: "marital_status", system: null, code: "9", policy: "warn" }
      ])
      assert.strictEqual(story("patient", "marital_status").by, "nothing")
      assert.strictEqual(story("code").minted, "visit")
      assert.strictEqual(story("outpatients", 0, "code").minted, "encounter")
      assert.isUndefined(story("admitted_at").minted)
      assert.isUndefined(draft.explainField(["patient", "nam"]))
      assert.isUndefined(draft.explainField(["outpatients", 7]))
      const rows = draft.explainField(["outpatients"])
      assert.deepStrictEqual(
        rows?.kind === "section" ? rows.rows.map(({ records }) => records.map(({ source }) => source)) : [],
        [
          ["Encounter/e1"]
        ]
      )
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("shows the record of each text in a section of texts", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const plan = (id: string, ...texts: ReadonlyArray<string>) => ({
        resourceType: "CarePlan",
        id,
        status: "completed",
        intent: "plan",
        subject: { reference: "Patient/p1" },
        encounter: { reference: "Encounter/e1" },
        activity: texts.map((text) => ({ detail: { status: "completed", code: { text } } }))
      })
      const inputs = written(folder, {
        "records.ndjson": [
          { resourceType: "Patient", id: "p1" },
          {
            resourceType: "Encounter",
            id: "e1",
            status: "finished",
            class: { code: "AMB" },
            subject: { reference: "Patient/p1" },
            period: { start: "2026-03-02T08:00:00Z", end: "2026-03-02T09:00:00Z" }
          },
          plan("c1", "Rest", "Drink water"),
          plan("c2", "Come back")
        ].map((one) => JSON.stringify(one)).join("\n")
      })
      const { draft } = present(yield* explainInputs(request(inputs, "HF1"), "Encounter/e1"))
      assert.deepStrictEqual(draft.visit.consultations, ["Rest", "Drink water", "Come back"])
      const recordsOf = (...path: DraftPath) => {
        const found = draft.explainField(path)
        return found?.kind === "section" ? found.rows.flatMap(({ records }) => records.map(({ source }) => source)) : []
      }
      assert.deepStrictEqual(recordsOf("consultations"), ["CarePlan/c1", "CarePlan/c1", "CarePlan/c2"])
      assert.deepStrictEqual(recordsOf("consultations", 2), ["CarePlan/c2"])
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("shows value and record of an examination's finding", () =>
    Effect.gen(function*() {
      const inputs = ["samples/inpatient-surgery-referral/input"]
      const { draft } = present(yield* explainInputs(request(inputs, "HF0002"), "V420201"))
      const findings = jsonObjectsIn(draft.visit.physical_examinations)
      assert.isAtLeast(findings.length, 3)
      for (const [index, finding] of findings.entries()) {
        const [part, value] = at(Object.entries(finding), 0)
        const story = draft.explainField(["physical_examinations", index, part])
        assert(story?.kind === "field")
        assert.strictEqual(story.value, value)
        assert.strictEqual(story.by, "path")
        const row = draft.explainField(["physical_examinations", index])
        assert.strictEqual(row?.kind === "section" ? row.rows[0]?.records[0]?.source : "", story.source)
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("does not exist for a visit that is not in the input", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* explainInputs(request(["samples/outpatient-fever/input"]), "V0"))
    }).pipe(Effect.provide(NodeServices.layer)))
})
