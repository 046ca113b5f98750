import type { CodesData } from "../accounts/UnmappedCodes.ts"

/** Counts of one of several partitions of a run that are complete only when all partitions are added. */
export interface CommonAccounts {
  /** Records that other partitions hold too, by number: those used here and accounted for elsewhere. */
  readonly used: ReadonlyArray<number>
  /** Records that are accounted for here and not used here, with their types. */
  readonly idle: ReadonlyArray<readonly [number: number, type: string]>
  /** Targets of dangling references. */
  readonly unresolved: ReadonlyArray<readonly [type: string, names: ReadonlyArray<string>]>
  readonly codes: CodesData
  /** The currency that invoices were compared with; `null` if there was none, or a setting names it. */
  readonly currency: string | null
}
