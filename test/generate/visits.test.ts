import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { FacilityCode, SystemCode } from "../../src/visit/values/Code.ts"
import { hasShared, sharedData } from "../sharedData.ts"
import { generatedAtOnce } from "./generatedCode.ts"
import { engineOf } from "./wholeConversion.ts"

const samples = readdirSync("samples").filter((name) => existsSync(`samples/${name}/input`))

const { by, texts: functions } = generatedAtOnce()
const engines = { definition: engineOf("definition"), generated: engineOf(by) }

/** Visits, problems, assumptions, unmapped codes and the accounts of records are the same. Returns the number of visits. */
const law = Effect.fnUntraced(function*(input: string, mapping: string, zone: string, coverage = false) {
  const settings = { mapping, zone, coverage, facility: FacilityCode("HF0001"), system: SystemCode("SYS-1") }
  const definition = yield* engines.definition([input], settings)
  const generated = yield* engines.generated([input], settings)
  assert.deepStrictEqual(generated, definition)
  return definition.visits.length
}, Effect.provide(NodeServices.layer))

describe("A conversion with generated code", () => {
  it.effect.each(samples)("equals the one with the definition: samples/%s", (name) =>
    Effect.gen(function*() {
      const own = `samples/${name}/mapping.yaml`
      const mapping = existsSync(own) ? own : "mappings/fhir-r4/mapping.yaml"
      assert.isAbove(yield* law(`samples/${name}/input`, mapping, "Asia/Phnom_Penh"), 0)
      assert.isAbove(functions.length, 20)
    }))

  it.effect("reports the same elements as not read", () =>
    law("samples/clinic-day/input", "mappings/fhir-r4/mapping.yaml", "Asia/Phnom_Penh", true))
})

const american = "mappings/us-synthetic/mapping.yaml"
const base = "mappings/fhir-r4/mapping.yaml"
const sets: ReadonlyArray<readonly [set: string, mapping: string]> = [
  ["bulk-synthea-1patient-uscore", american],
  ["synthea-bundles-odd-file-names", american],
  ["csv-synthea-27/*.csv", "mappings/csv-synthea/mapping.yaml"],
  ["bulk-cumulus-mini", base],
  ["hl7-r4-spec-examples", base],
  ["hl7v2-converted-ms", base],
  ["india-nrces-abdm-6.5.0", base],
  ["srilanka-hims", base],
  ["openmrs-fhir2/o3-server-responses", base],
  ["openmrs-fhir2/fhir2-module", base],
  ["openmrs-fhir2/bahmni", base],
  ["nasty-json", base],
  ["nasty-derived", base]
]

// Records that others published, in a folder next to the project. Without the folder this is skipped.
describe.skipIf(!hasShared())("A conversion of the records of others with generated code", () => {
  it.effect.each(sets)(
    "equals the one with the definition: %s, %s",
    ([set, mapping]) => law(join(sharedData, set), mapping, mapping === base ? "Asia/Phnom_Penh" : "America/New_York")
  )
})
