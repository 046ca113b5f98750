import type { NameSortKey } from "../../source/records/compareRecords.ts"
import { compareIds, compareNameRanks } from "../../source/records/compareRecords.ts"

/** The fields of an encounter that decide its position in the order. */
export interface EncounterSortKey extends NameSortKey {
  /** The number of the record. */
  readonly number: number
  /** Its `partOf` reference as written; `null` if absent, `""` if it is given in another form. */
  readonly parent: string | null
  readonly patient: string
}

/** The order of visits in a run; `0` if the names do not decide it. */
export const compareEncounters = (one: EncounterSortKey, other: EncounterSortKey): number =>
  compareIds(one.patient, other.patient) || compareNameRanks(one, other)
