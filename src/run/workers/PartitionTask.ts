import type { ValueProvenance } from "../../mapping/draft/explainProblem.ts"
import type { DraftPath } from "../../mapping/draft/VisitDraft.ts"
import { fieldText } from "../../mapping/draft/VisitDraft.ts"
import { encounterLists, entriesOf } from "../../visit/rules/Rule.ts"
import type { PartitionAccounts } from "../accounts/partitionAccounts.ts"
import type { FinishedVisit } from "../convertPartition.ts"
import type { LocationLists } from "../records/RecordLocations.ts"

/** A partition of a run, as it is passed to its converter. Everything in it can be transferred to another thread. */
export interface PartitionTask {
  readonly number: number
  /** The locations of the records, sorted. */
  readonly locations: LocationLists
  /** For each record: bits of `RecordRole`. */
  readonly roles: Uint8Array
}

/** The result of a partition, in a transferable form. */
export interface PartitionResult {
  readonly number: number
  readonly visits: ReadonlyArray<PackedVisit>
  readonly accounts: PartitionAccounts
}

/** A visit of a partition, in a transferable form. */
interface PackedVisit extends Pick<FinishedVisit, "converted" | "currencies" | "unmapped"> {
  /** Identifies the visit: contains only its keys. */
  readonly keys: Readonly<Record<string, unknown>>
  /** The origins of these keys, by field. */
  readonly provenance: ReadonlyArray<readonly [field: string, of: ValueProvenance]>
}

/** Reduces a visit to what the checks against other visits need. */
export const packVisit = ({ converted, currencies, draft, unmapped, visit }: FinishedVisit): PackedVisit => {
  const { admitted_at, code, health_facility_code, patient_code } = visit
  const fields: Array<DraftPath> = [["code"], ["admitted_at"]]
  const keys: Record<string, unknown> = { code, health_facility_code, patient_code, admitted_at }
  for (const list of encounterLists) {
    const entries = entriesOf(visit, list)
    if (entries.length === 0) continue
    keys[list] = entries.map((entry, index) => {
      fields.push([list, index, "code"])
      return { code: entry.code }
    })
  }
  if (currencies !== undefined) fields.push(["invoices"])
  return {
    converted,
    ...(currencies === undefined ? {} : { currencies }),
    keys,
    unmapped,
    provenance: fields.flatMap((field) => {
      const found = draft.provenanceOf(field)
      if (found === undefined) return []
      const { mapping, path, record, required } = found
      return [
        [fieldText(field), {
          mapping,
          required,
          ...(path === undefined ? {} : { path }),
          ...(record === undefined ? {} : { record: { origin: record.origin } })
        }] as const
      ]
    })
  }
}

/** Restores what the checks against other visits need. */
export const unpackVisit = (
  { converted, currencies, keys, provenance, unmapped }: PackedVisit
): FinishedVisit => ({
  converted,
  ...(currencies === undefined ? {} : { currencies }),
  visit: keys,
  unmapped,
  draft: {
    root: converted,
    visit: keys,
    provenanceOf: (path) => {
      const text = fieldText(path)
      return provenance.find(([field]) => field === text)?.[1]
    }
  }
})
