import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { watchRecords } from "../../src/run/accounts/coverage.ts"
import { runSettings, visitChecks } from "../../src/run/checks/visitChecks.ts"
import { convertRecords } from "../../src/run/convertRecords.ts"
import { findInputs } from "../../src/source/read/findInputs.ts"
import { readInputs } from "../../src/source/read/readInput.ts"
import { ReadTracker } from "../../src/source/read/ReadTracker.ts"
import { RecordCollector } from "../../src/source/records/RecordIndex.ts"
import { FacilityCode, SystemCode } from "../../src/visit/values/Code.ts"
import { now } from "./converted.ts"

/** Returns the leaves that each of two conversions of the same tracked records reads. */
const readTwice = Effect.fnUntraced(function*(mapping: string, sample: string) {
  const { checked } = yield* loadMapping(mapping, "mappings")
  assert.isDefined(checked)
  const { inputs } = yield* findInputs([`samples/${sample}/input`])
  const collector = new RecordCollector({ sameServer: [], copies: "reject" })
  for (const item of yield* Stream.runCollect(readInputs(inputs, { tables: checked.plan.tables }))) {
    if (item._tag !== "Problem") collector.add(item)
  }
  const numbers = new Map<object, number>()
  const read = new Set<string>()
  const tracker = new ReadTracker((parent, key) => {
    if (!numbers.has(parent)) numbers.set(parent, numbers.size)
    read.add(`${numbers.get(parent)} ${key}`)
  })
  const { records } = watchRecords(collector.index(), tracker)
  const settings = { facility: FacilityCode("HF0001"), system: SystemCode("SYS-1"), zone: "Asia/Phnom_Penh" }
  const checks = visitChecks(runSettings({}, { now, facility: settings.facility }))
  return [1, 2].map(() => {
    read.clear()
    const { visits } = convertRecords({ ...settings, checked, records, ...checks, compareVisit: () => [] })
    assert.isNotEmpty([...visits])
    return [...read].toSorted()
  })
})

const cases: ReadonlyArray<readonly [mapping: string, sample: string]> = [
  ["mappings/fhir-r4/mapping.yaml", "outpatient-fever"],
  ["mappings/fhir-r4/mapping.yaml", "inpatient-surgery-referral"],
  ["mappings/fhir-r4/mapping.yaml", "emergency-labs-imaging"],
  ["mappings/fhir-r4/mapping.yaml", "clinic-day"],
  ["samples/district-tables/mapping.yaml", "district-tables"]
]

describe("Tracked records", () => {
  it.effect.each(cases)(
    "are read by each conversion, as the first one read them: %s, %s",
    ([mapping, sample]) =>
      Effect.gen(function*() {
        const [first, second] = yield* readTwice(mapping, sample)
        assert.isNotEmpty(first)
        assert.deepStrictEqual(second, first)
      }).pipe(Effect.provide(NodeServices.layer))
  )
})
