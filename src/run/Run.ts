import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Conversion } from "./Conversion.ts"
import type { CheckVisit, RecordTotals } from "./convertRecords.ts"
import type { CommonAccounts } from "./PartAccounts.ts"
import type { PartitionOptions } from "./workers/convertPartition.ts"

/** The visits of a run, however its records are kept. */
export interface Run extends Pick<Conversion, "groups" | "homeOf" | "visits"> {
  /** Complete when the last visit has been taken. */
  readonly totals: () => RecordTotals
  /** Of records that are in several places; complete when the last visit has been taken. */
  readonly problems: () => ReadonlyArray<Diagnostic>
  /** Of one of several partitions; complete when the last visit has been taken. */
  readonly shared?: () => CommonAccounts
}

/** What making the visits of a run needs beside its records. */
export interface RunOptions extends Omit<PartitionOptions, "records" | "wanted" | "lost"> {
  /** Compares a visit with those before it in the run. */
  readonly compareVisit: CheckVisit
}
