import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { loadMapping } from "../src/mapping/load/loadMapping.ts"
import { convertRecords } from "../src/run/convertRecords.ts"
import { readIndex } from "../src/run/read/readIndex.ts"
import { findInputs } from "../src/source/read/findInputs.ts"

/**
 * Counts the visits that generated code leaves to the definition. Everything that can have code has it. A visit counts if the definition
 * makes any part of it, such as one value. Prints the visits that are left, all visits, and the share in percent.
 *
 *     npm run bench:left -- MAPPING INPUT...
 */
const [mapping, ...inputs] = process.argv.slice(2)
if (mapping === undefined || inputs.length === 0) throw new Error("usage: npm run bench:left -- MAPPING INPUT...")

const { checked, index, units } = await Effect.gen(function*() {
  const { checked } = yield* loadMapping(mapping, "mappings", { by: { after: 1, proves: false } })
  const units = checked?.plan.fhirPath.units
  if (checked === undefined || units === undefined) throw new Error(`${mapping} has mistakes`)
  const { records } = yield* readIndex(yield* findInputs(inputs), checked.plan, {
    sameServer: [],
    fhirVersion: undefined,
    now: Date.now()
  })
  return { checked, index: records, units }
}).pipe(Effect.provide(NodeServices.layer), Effect.runPromise)
const { visits } = convertRecords({
  checked,
  records: index,
  facility: null,
  system: null,
  zone: "Asia/Phnom_Penh",
  checkVisit: () => [],
  compareVisit: () => []
})
let [all, left] = [0, 0]
// Grouping is not a part of a visit.
units.left.take()
for (const _ of visits) {
  all++
  if (units.left.take()) left++
}
if (all === 0) throw new Error("the inputs have no visit")
process.stdout.write(`${left} ${all} ${(100 * left / all).toFixed(2)}\n`)
