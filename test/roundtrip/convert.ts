import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { at } from "../../src/at.ts"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import type { ConvertedVisit, RecordTotals } from "../../src/run/Conversion.ts"
import { convertRecords } from "../../src/run/convertRecords.ts"
import type { RecordIndex } from "../../src/source/records/RecordIndex.ts"
import { normalize } from "../../src/studio/canonical/normalize.ts"
import { toFhir } from "../../src/studio/canonical/toFhir.ts"
import { arbitraryVisit } from "../../src/studio/proof/arbitraryVisit.ts"
import { recordsOf, type SourceText } from "../../src/studio/proof/recordsOf.ts"
import { decodeVisit, parseJson } from "../../src/visit/decode.ts"
import { encodeVisit } from "../../src/visit/encode.ts"
import { validateVisit } from "../../src/visit/validateVisit.ts"
import type { Visit } from "../../src/visit/Visit.ts"

const shipped = fileURLToPath(new URL("../../mappings", import.meta.url))

/** A checked mapping; the shipped base mapping unless another file is named. */
export const loadChecked = async (file = `${shipped}/fhir-r4/mapping.yaml`): Promise<CheckedMapping> => {
  const { checked, problems } = await Effect.runPromise(
    loadMapping(file, shipped).pipe(Effect.provide(NodeServices.layer))
  )
  if (checked === undefined) throw new Error(problems.map(({ label, title }) => `${title} ${label ?? ""}`).join("\n"))
  return checked
}

export interface Converted {
  readonly visits: ReadonlyArray<ConvertedVisit>
  readonly totals: RecordTotals
}

/** The facility's time zone in these tests, where they do not name another. */
export const zone = "Asia/Phnom_Penh"

/** Texts of a source to visits, through the same functions as a run. */
export const convert = (
  checked: CheckedMapping,
  texts: ReadonlyArray<SourceText>,
  inZone = zone
): Converted & { readonly records: number } => {
  const { index, records } = recordsOf(texts)
  return { ...convertRecordsOf(checked, index, inZone), records }
}

/** Records that have been read to visits. */
export const convertRecordsOf = (checked: CheckedMapping, index: RecordIndex, inZone = zone): Converted => {
  const { totals, visits } = convertRecords({
    checked,
    records: index,
    facility: null,
    system: null,
    zone: inZone,
    checkVisit: (visit) => validateVisit(visit, { now: 1_790_000_000_000 }),
    compareVisit: () => []
  })
  return { visits: [...visits], totals: totals() }
}

/** What comes back for a visit: the text of its normal form on the clock of the facility. */
export const expected = (visit: Visit): string => encodeVisit(normalize(visit, zone))

export const decoded = (json: string): Visit => Result.getOrThrow(decodeVisit(json))

/** The visit that was written by hand for a sample. */
export const sampleVisit = decoded(
  readFileSync(new URL("../../samples/outpatient-fever/expected.json", import.meta.url), "utf8")
)

export const value = (json: string): unknown => Result.getOrThrow(parseJson(json))

/** Compares field by field first, so that a failure names the field, then byte by byte. */
export const assertSame = (actual: string | undefined, normalized: string): void => {
  if (actual === normalized) return
  if (actual === undefined) return assert.fail("no visit came back")
  assert.deepStrictEqual(value(actual), value(normalized))
  assert.strictEqual(actual, normalized)
}

/** Visits that come together, coded `V0` and so on. `change` makes each one of one patient, or of its own. */
export const together = (change: (visit: Visit, same: boolean, index: number, first: Visit) => Visit) =>
  fc.array(arbitraryVisit, { minLength: 2, maxLength: 4 }).chain((visits) =>
    fc.boolean().map((same) =>
      visits.map((visit, index) => {
        const coded = JSON.stringify(visit).replaceAll(JSON.stringify(visit.code), JSON.stringify(`V${index}`))
        return change(decoded(coded), same, index, at(visits, 0))
      })
    )
  )

/** The text of a visit's Bundle, as `to-fhir` prints it. */
export const bundleText = (visit: Visit): string => JSON.stringify(toFhir(visit))

/** The Bundle as a file. */
export const asFile = (text: string, file = "visit.json"): SourceText => ({ file, text })
