import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { arbitraryVisit } from "../../src/studio/proof/arbitraryVisit.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import { runs, timeout } from "../runs.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"
import { assertSame, convertRecordsOf, decoded, expected, loadChecked, sampleVisit, together } from "./convert.ts"
import { csvFiles, readCsvFiles } from "./csvFiles.ts"
import { longVisit } from "./longVisit.ts"

const checked = await loadChecked(new URL("../../mappings/csv/mapping.yaml", import.meta.url).pathname)

const assertRoundTrip = async (...visits: ReadonlyArray<Visit>): Promise<void> => {
  const { problems, records } = await readCsvFiles(csvFiles(visits), checked.plan.tables)
  assert.deepStrictEqual(problems, [])
  const back = convertRecordsOf(checked, records)
  assert.strictEqual(back.visits.length, visits.length)
  for (const visit of visits) assertSame(back.visits.find(({ code }) => code === visit.code)?.json, expected(visit))
  assert.deepStrictEqual(back.totals.rejectedRecords, [])
}

describe("law: the mapping csv converts the output of to-csv to the same visit", () => {
  it("for any visit, field by field and byte by byte", { timeout }, async () => {
    await fc.assert(fc.asyncProperty(arbitraryVisit, (visit) => assertRoundTrip(visit)), { numRuns: runs(120) })
  })

  it("for visits with a long list", { timeout }, async () => {
    await fc.assert(fc.asyncProperty(longVisit, (visit) => assertRoundTrip(visit)), { numRuns: runs(20) })
  })

  it("for a valid visit, with problems only for its empty fields", async () => {
    await assertRoundTrip(exampleVisit)
    const { records } = await readCsvFiles(csvFiles([exampleVisit]), checked.plan.tables)
    const [back] = convertRecordsOf(checked, records).visits
    assert.deepStrictEqual(back?.problems.filter(({ code }) => code !== "null-field"), [])
    assert.isTrue(back?.ready)
  })

  it("for the visit written by hand for a sample", async () => {
    await assertRoundTrip(sampleVisit)
  })

  it(
    "for visits that come together, also of one patient whose record has changed between them",
    { timeout },
    async () => {
      const visits = together((visit, same, index) => withPatientCode(visit, same ? "P" : `P${index}`))
      await fc.assert(fc.asyncProperty(visits, (all) => assertRoundTrip(...all)), { numRuns: runs(20) })
    }
  )

  it("in any order of the files", { timeout }, async () => {
    const files = csvFiles([exampleVisit])
    const all = fc.shuffledSubarray([...files], { minLength: files.size, maxLength: files.size })
    await fc.assert(
      fc.asyncProperty(all, async (shuffled) => {
        const { records } = await readCsvFiles(new Map(shuffled), checked.plan.tables)
        assertSame(convertRecordsOf(checked, records).visits[0]?.json, expected(exampleVisit))
      }),
      { numRuns: runs(5) }
    )
  })
})

const withPatientCode = (visit: Visit, code: string): Visit =>
  decoded(JSON.stringify(
    { ...visit, patient: { ...visit.patient, code } },
    (key, inner: unknown) => (key === "patient_code" ? code : inner)
  ))
