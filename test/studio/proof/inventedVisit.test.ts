import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { at } from "../../../src/at.ts"
import { Operator } from "../../../src/service/Operator.ts"
import { standardData } from "../../../src/service/sandbox/data/standardData.ts"
import { startSandbox } from "../../../src/service/sandbox/Sandbox.ts"
import { beneficiaryOf } from "../../../src/studio/proof/beneficiaryOf.ts"
import { inventedVisit } from "../../../src/studio/proof/inventedVisit.ts"
import { encodeVisit } from "../../../src/visit/encode.ts"
import { referenceListTypes } from "../../../src/visit/Field.ts"
import { validateVisit } from "../../../src/visit/validateVisit.ts"
import { makeReferenceList } from "../../../src/visit/values/ReferenceList.ts"
import { only } from "../../present.ts"
import { asFile, bundleText, convert, loadChecked } from "../../roundtrip/convert.ts"
import { now } from "../../run/converted.ts"
import { runs, timeout } from "../../runs.ts"
import { configFor } from "../../service/configFor.ts"

const options = { facility: "F1", lists: standardData }
const lists = new Map(referenceListTypes.map((type) => [type, makeReferenceList(standardData[type])]))
const numbered = fc.integer({ min: 1, max: 9_999_999 }).chain((n) => inventedVisit(n, options))

describe("Synthetic visits for rehearsals", () => {
  it("are ready and have no warning", { timeout }, () => {
    fc.assert(
      fc.property(numbered, (visit) => {
        assert.deepStrictEqual(validateVisit(visit, { now, lists }), [])
      }),
      { numRuns: runs(60) }
    )
  })

  it("are preserved by FHIR and the base mapping, and ready", { timeout }, async () => {
    const checked = await loadChecked()
    fc.assert(
      fc.property(numbered, (visit) => {
        const back = only(convert(checked, [asFile(bundleText(visit))]).visits)
        assert.isTrue(back.ready)
        assert.strictEqual(back.code, visit.code)
      }),
      { numRuns: runs(10) }
    )
  })

  it(
    "uses the values of whatever lists it is given, names its own encounters, and measures with units",
    { timeout },
    () => {
      // lists of another service: other words, few rows
      const row = (code: string, name: string) => ({ code, name, description: name })
      const own = {
        ...standardData,
        visit_types: [row("1", "Inpatient"), row("2", "Outpatient")],
        admission_types: [row("1", "Transferred in"), row("2", "Direct")],
        discharge_types: [row("1", "Died"), row("2", "Transferred"), row("3", "Home")],
        visit_outcomes: [row("1", "Death"), row("2", "Better")],
        diagnosis_types: [row("1", "Other"), row("2", "Main")],
        marital_statuses: [row("1", "Never married")],
        payment_types: [row("1", "Cash")],
        card_types: [row("1", "Card")],
        nationalities: [row("1", "Sample land")],
        diagnoses: [row("Z00", "Examination")],
        medications: [row("M-1", "Sample drug")],
        health_facilities: [row("F-9", "Sample Hospital")]
      }
      const known = new Map(referenceListTypes.map((type) => [type, makeReferenceList(own[type])]))
      for (let n = 1; n <= 60; n++) {
        const visit = only(fc.sample(inventedVisit(n, { facility: "F1", lists: own }), { numRuns: 1, seed: n }))
        const found = validateVisit(visit, { now, lists: known })
        assert.deepStrictEqual(
          found.filter(({ code, severity }) => severity === "error" || code === "unknown-list-value"),
          []
        )
        assert.include(["Home", "Transferred"], visit.discharge_type)
        const encounters = [...visit.outpatients, ...visit.inpatients, ...visit.emergencies].map(({ code }) => code)
        JSON.stringify(visit, (key, value: unknown) => {
          if (key === "encounter_code" && value !== null) assert.include(encounters, value)
          return value
        })
        assert.isTrue(visit.physical_examinations.every(({ value_unit }) => value_unit === null))
        for (const { results } of visit.laboratories) {
          for (const { value_type, value_unit } of results) {
            assert.strictEqual(
              value_unit === null,
              value_type === "string"
            )
          }
        }
      }
    }
  )

  it.live("are all stored by the sandbox that knows their patients, each once", () =>
    Effect.gen(function*() {
      const visits = Array.from({ length: 400 }, (_, n) =>
        only(fc.sample(inventedVisit(n + 1, options), { numRuns: 1, seed: n })))
      const sandbox = yield* startSandbox({
        data: { beneficiaries: visits.map(beneficiaryOf), visits: [], users: [] }
      })
      yield* Effect.gen(function*() {
        const operator = yield* Operator
        for (let at = 0; at < visits.length; at += 40) {
          assert.strictEqual((yield* operator.submit(visits.slice(at, at + 40).map(encodeVisit)))._tag, "Stored")
        }
        assert.strictEqual((yield* sandbox.visits).length, 400)
        assert.strictEqual((yield* operator.submit([encodeVisit(at(visits, 7))]))._tag, "Refused")
      }).pipe(Effect.provide(Operator.layer(configFor(sandbox.url)), { local: true }))
    }).pipe(Effect.scoped), timeout)
})
