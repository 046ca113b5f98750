import { assert, describe, it } from "@effect/vitest"
import { beforeAll } from "vitest"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { loadFor, pathsOf } from "../fhirpath/shippedPaths.ts"
import { checkChanged } from "../generate/changedRecords.ts"
import { everyResultOf } from "../generate/everyResultOf.ts"
import { present } from "../present.ts"
import { timeout } from "../runs.ts"

/** Returns a mapping whose expressions prove nothing, so that each field that may hold a value of a record is evaluated for it. */
const unproven = async (mapping: string): Promise<CheckedMapping> => {
  const checked = await loadFor(mapping, "definition")
  const proves = { staysInRecord: () => false, isOfEach: () => false, contents: () => undefined }
  for (const path of pathsOf(present(checked).plan)) Object.assign(path, proves)
  return checked
}

const reporting = "test/generate/reporting.yaml"
const cases: ReadonlyArray<readonly [sample: string, mapping: string]> = [
  ["outpatient-fever", "fhir-r4"],
  ["emergency-labs-imaging", "fhir-r4"],
  ["clinic-day", "fhir-r4"],
  ["inpatient-surgery-referral", "fhir-r4"],
  ["clinic-day", reporting]
]

const plans = new Map<string, readonly [proven: CheckedMapping, unproven: CheckedMapping]>()
beforeAll(async () => {
  for (const mapping of ["fhir-r4", reporting]) {
    plans.set(mapping, [await loadFor(mapping, "definition"), await unproven(mapping)])
  }
})

describe("The records in visits, as their values show them", () => {
  it.each(cases)("are those that an evaluation of every field finds: samples/%s, %s", (name, mapping) => {
    const [proven, evaluated] = present(plans.get(mapping))
    checkChanged(name, 12, (texts) => {
      assert.deepStrictEqual(accountsOf(proven, texts), accountsOf(evaluated, texts))
    })
  }, timeout)
})

/** What depends on the records in visits. */
const accountsOf = (checked: CheckedMapping, texts: Parameters<typeof everyResultOf>[1]) => {
  const { totals, visits } = everyResultOf(checked, texts)
  return {
    totals,
    visits: visits.map(({ assumed, json, problems }) => ({ assumed, json, problems }))
  }
}
