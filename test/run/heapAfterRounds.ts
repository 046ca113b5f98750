// Converts the same records again and again. Prints how much the heap grows in a round, and how much the records and visits of one take.
// Started with `--expose-gc`, and by a test.
import { convertRecords } from "../../src/run/convertRecords.ts"
import { releaseYoung } from "../../src/run/workers/releaseYoung.ts"
import { recordsOf } from "../../src/studio/proof/recordsOf.ts"
import { loadFor } from "../fhirpath/shippedPaths.ts"
import { documentsIn, fileTextsOf } from "../generate/changedRecords.ts"
import { conversionSettings } from "../generate/everyResultOf.ts"

const checked = await loadFor("fhir-r4", { after: 1 })
const samples = ["clinic-day", "emergency-labs-imaging", "inpatient-surgery-referral", "outpatient-fever"]
const texts = samples.flatMap((sample) => fileTextsOf(documentsIn(`samples/${sample}/input`)))

const round = (): unknown => {
  const { index } = recordsOf(texts)
  const { totals, visits } = convertRecords({ ...conversionSettings, checked, records: index })
  return [index, [...visits], totals()]
}
const used = (): number => {
  releaseYoung()
  return process.memoryUsage().heapUsed
}

const rounds = 10
for (let warm = 0; warm < 20; warm++) round()
globalThis.gc?.()
const before = used()
for (let count = 0; count < rounds; count++) {
  round()
  releaseYoung()
}
const after = used()
const held = round()
const withOne = used()
process.stdout.write(
  JSON.stringify({ growth: (after - before) / rounds, round: withOne - after, held: Array.isArray(held) })
)
