import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import type { CheckedMapping } from "../../src/mapping/check.ts"
import { loadMapping } from "../../src/mapping/loadMapping.ts"
import type { ConvertedVisit, RecordTotals } from "../../src/pipeline/convertRecords.ts"
import { convertRecords } from "../../src/pipeline/convertRecords.ts"
import { recordsOf, type SourceText } from "./recordsOf.ts"

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

/** The facility's time zone in these tests. */
export const zone = "Asia/Phnom_Penh"

/** Texts of a source to visits, through the same functions as a run. */
export const convert = (checked: CheckedMapping, texts: ReadonlyArray<SourceText>): Converted => {
  const { totals, visits } = convertRecords({
    checked,
    records: recordsOf(texts),
    facility: null,
    system: null,
    zone,
    checkVisit: () => [],
    compareVisit: () => []
  })
  return { visits: [...visits], totals: totals() }
}
