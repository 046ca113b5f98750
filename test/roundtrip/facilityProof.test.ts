import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findLine } from "../../src/mapping/language/findLine.ts"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { canonicalAddresses } from "../../src/studio/canonical/rewriteSystems.ts"
import { roundTrip } from "../../src/studio/proof/roundTrip.ts"
import { only } from "../present.ts"
import { temporaryFolder, written } from "../run/converted.ts"
import { loadChecked, zone } from "./convert.ts"

/** The proof of a facility whose overlay says this. */
const proved = (overlay: string, visits = 12) =>
  Effect.gen(function*() {
    const file = only(
      written(yield* temporaryFolder, { "mapping.yaml": `mapping: example\nextends: fhir-r4\n${overlay}` })
    )
    const { checked, problems } = yield* loadMapping(file, "mappings")
    if (checked === undefined) return assert.fail(JSON.stringify(problems))
    return {
      ...roundTrip({ checked, facility: null, system: null, zone, visits, seed: 5 }),
      lineOf: (field: string) => findLine(checked.plan, field)
    }
  }).pipe(Effect.provide(NodeServices.layer))

describe("mapping test --round-trip with a facility's own overlay", () => {
  it.effect("preserves every field with the base mapping, in any form of the records", () =>
    Effect.gen(function*() {
      const { fields, rejected, variants } = yield* proved("")
      assert.deepStrictEqual(fields, [])
      assert.deepStrictEqual([...variants], [])
      assert.strictEqual(rejected, 0)
    }))

  it.effect("writes identifiers, codes and extensions with the addresses that the overlay reads", () =>
    Effect.gen(function*() {
      const { fields } = yield* proved(`constant:
  patient_code_system: "http://our-hospital.example/id/patient"
  visit_code_system: "urn:oid:1.2.3.4"
  encounter_code_system: "urn:oid:1.2.3.5"
  record_code_system: "urn:oid:1.2.3.6"
  spid_system: "urn:oid:1.2.3.7"
  card_type_system: "http://our-hospital.example/cards"
  medication_system: "http://our-hospital.example/drugs"
  icd10: "http://our-hospital.example/icd"
  ext: "http://our-hospital.example/ext/"
`)
      assert.deepStrictEqual(fields, [])
    }))

  it.effect("reports a field that the overlay loses, with its line and its values before and after", () =>
    Effect.gen(function*() {
      const { fields, lineOf } = yield* proved("visit:\n  patient:\n    occupation: {value: Farmer}\n")
      assert.deepStrictEqual(fields.map(({ field }) => field), ["patient.occupation"])
      assert.strictEqual(fields[0]?.visits, 12)
      assert.strictEqual(fields[0]?.back, "Farmer")
      assert.strictEqual(lineOf("patient.occupation").line, 5)
    }))

  it.effect("reports a disabled section in one line", () =>
    Effect.gen(function*() {
      const { fields, lineOf } = yield* proved("visit:\n  triages: {enabled: false}\n")
      assert.deepStrictEqual(fields.map(({ field, back }) => [field, back]), [["triages", []]])
      assert.match(lineOf("triages").file, /mapping\.yaml$/u)
    }))

  it.effect("finds codes that depend on the form of the records", () =>
    Effect.gen(function*() {
      const { variants } = yield* proved("key:\n  visit: {path: [id]}\n", 24)
      assert.deepStrictEqual([...variants.keys()], ["urn:uuid references, no ids"])
    }))

  it("has the addresses of the canonical form as constants of the base mapping", () =>
    loadChecked().then(({ plan }) => {
      for (const [name, address] of Object.entries(canonicalAddresses)) {
        assert.strictEqual(plan.constants[name], address, name)
      }
    }))
})
