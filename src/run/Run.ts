import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Conversion } from "./Conversion.ts"
import type { CheckVisit, RecordTotals } from "./convertRecords.ts"
import type { CommonAccounts } from "./parts/PartAccounts.ts"
import type { PartitionOptions } from "./workers/convertPartition.ts"

/** The visits of a run, in memory or on disk. */
export interface Run extends Pick<Conversion, "groups" | "homeOf" | "visits"> {
  /** Complete when the last visit has been taken. */
  readonly totals: () => RecordTotals
  /** Problems of records with several source locations; complete when the last visit has been taken. */
  readonly problems: () => ReadonlyArray<Diagnostic>
  /** In one of several partitions: its shared counts; complete when the last visit has been taken. */
  readonly shared?: () => CommonAccounts
}

/** What the conversion of a run requires in addition to its records. */
export interface RunOptions extends Omit<PartitionOptions, "records" | "wanted" | "lost"> {
  /** Compares a visit with earlier visits of the run. */
  readonly compareVisit: CheckVisit
}
