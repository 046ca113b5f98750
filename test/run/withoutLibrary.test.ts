import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { compileByLibrary } from "../../src/fhirpath/library/ask.ts"
import { converted, temporaryFolder, written } from "./converted.ts"

const loads = vi.hoisted(() => ({ count: 0 }))

vi.mock("../../src/fhirpath/library/loadLibrary.ts", async (original) => {
  const { loadLibrary } = await original<typeof import("../../src/fhirpath/library/loadLibrary.ts")>()
  return {
    loadLibrary: () => {
      loads.count++
      return loadLibrary()
    }
  }
})

// To load it takes a fifth of the time of a small conversion, and each call takes as long as hundreds of others.
describe("The library FHIRPath", () => {
  it.effect.each([
    "clinic-day",
    "emergency-labs-imaging",
    "inpatient-surgery-referral",
    "outpatient-fever"
  ])("is not needed for the records of a sample: %s", (sample) =>
    Effect.gen(function*() {
      loads.count = 0
      const { visits } = yield* converted([`samples/${sample}/input`])
      assert.isNotEmpty(visits)
      assert.strictEqual(loads.count, 0)
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("is not needed for tables, whose times are texts", () =>
    Effect.gen(function*() {
      loads.count = 0
      const folder = yield* temporaryFolder
      const inputs = written(folder, {
        "patients.csv": `Id,BIRTHDATE,DEATHDATE,FIRST,LAST,MARITAL,GENDER,ADDRESS,CITY,COUNTY,STATE,ZIP
p,1990-04-12,,Ann,Example,M,F,,,,,
`,
        "encounters.csv":
          `Id,START,STOP,PATIENT,ORGANIZATION,PROVIDER,PAYER,ENCOUNTERCLASS,CODE,DESCRIPTION,REASONCODE,REASONDESCRIPTION
e1,2026-03-02T01:00:00Z,2026-03-02T02:00:00Z,p,,,,ambulatory,185345009,Encounter for symptom,,
e2,2026-03-03T01:00:00Z,2026-03-03T02:00:00Z,p,,,,ambulatory,185345009,Encounter for symptom,,
`
      })
      const { visits } = yield* converted(inputs, { mapping: "mappings/csv-synthea/mapping.yaml" })
      assert.strictEqual(visits.length, 2)
      assert.strictEqual(loads.count, 0)
    }).pipe(Effect.provide(NodeServices.layer)))

  it("is counted when it is needed", () => {
    loads.count = 0
    compileByLibrary("children()")([], {})
    assert.strictEqual(loads.count, 1)
  })
})
