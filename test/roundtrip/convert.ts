import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import type { ConvertedVisit, RecordTotals } from "../../src/run/Conversion.ts"
import { convertRecords } from "../../src/run/convertRecords.ts"
import type { RecordIndex } from "../../src/source/records/RecordIndex.ts"
import type { ToFhirOptions } from "../../src/studio/canonical/toFhir.ts"
import { toFhir } from "../../src/studio/canonical/toFhir.ts"
import { recordsOf, type SourceText } from "../../src/studio/proof/recordsOf.ts"
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

/** The text of a visit's Bundle, as `to-fhir` prints it. */
export const bundleText = (visit: Visit, options?: ToFhirOptions): string => JSON.stringify(toFhir(visit, options))

/** The Bundle as a file. */
export const asFile = (text: string, file = "visit.json"): SourceText => ({ file, text })
