import type { NameSortKey } from "../../source/records/compareRecords.ts"
import { compareIds, compareNameRanks } from "../../source/records/compareRecords.ts"

/** An encounter, as much of it as its place in the order depends on. */
export interface EncounterSortKey extends NameSortKey {
  /** The number of the record. */
  readonly number: number
  /** What it says it is part of, as it is written; `null` when it says nothing, `""` when it says it in another way. */
  readonly parent: string | null
  readonly patient: string
}

/** The order of visits in a run; `0` where names do not tell. */
export const compareEncounters = (one: EncounterSortKey, other: EncounterSortKey): number =>
  compareIds(one.patient, other.patient) || compareNameRanks(one, other)
