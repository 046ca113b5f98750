import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { FieldHome } from "../../mapping/draft/explainProblem.ts"
import type { UnmappedCode } from "../../mapping/draft/VisitDraft.ts"
import type { Deletion } from "../../source/read/RecordExtractor.ts"
import type { RecordRank } from "../../source/records/compareRecords.ts"
import type { ConvertedVisit } from "../convertRecords.ts"
import type { PlaceLists } from "../partition/RecordLocations.ts"

/** A partition of a run, as it is passed to its converter. Everything in it can be transferred to another thread. */
export interface PartitionTask {
  readonly number: number
  /** The locations of the records, in order. */
  readonly places: PlaceLists
  /** For each record: bits of `RecordRole`. */
  readonly roles: Uint8Array
  readonly deletions: ReadonlyArray<Deletion>
}

/** A visit of a partition. */
export interface PartitionVisit extends ConvertedVisit {
  /** Identifies the visit: contains only its keys. */
  readonly keys: Readonly<Record<string, unknown>>
  readonly unmapped: ReadonlyArray<UnmappedCode>
  /** The origins of these keys, by field. */
  readonly homes: ReadonlyArray<readonly [field: string, home: FieldHome]>
}

/** The result of a partition. Numbers are indexes of the task's records. */
export interface PartitionResult {
  readonly number: number
  readonly visits: ReadonlyArray<PartitionVisit>
  /** For each record: whether a value of it is in a visit. */
  readonly used: Uint8Array
  /** Records that are accounted for in this partition, and why each is rejected. */
  readonly rejected: ReadonlyArray<{ readonly record: number; readonly rank: RecordRank; readonly problem: Diagnostic }>
  readonly placedByTime: ReadonlyArray<number>
  /** Records of which another copy or version counts, or that were deleted. */
  readonly copies: ReadonlyArray<number>
  readonly duplicates: ReadonlyArray<{ readonly name: string; readonly problem: Diagnostic }>
  readonly unresolved: ReadonlyMap<string, ReadonlySet<string>>
}
