import type { CodesData } from "./accounts/UnmappedCodes.ts"

/** What one of several partitions of a run found, and only all of them together can count. */
export interface CommonAccounts {
  /** Records that others hold too, by their numbers: those used here and accounted for elsewhere. */
  readonly used: ReadonlyArray<number>
  /** Those accounted for here and not used here, with their types. */
  readonly idle: ReadonlyArray<readonly [number: number, type: string]>
  /** Targets of references that are not there. */
  readonly unresolved: ReadonlyArray<readonly [type: string, names: ReadonlyArray<string>]>
  readonly codes: CodesData
  /** The currency that invoices were compared with; `null` where there was none, or a setting names it. */
  readonly currency: string | null
}
