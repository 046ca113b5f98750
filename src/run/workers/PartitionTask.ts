import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { FieldHome } from "../../mapping/draft/explainProblem.ts"
import type { UnmappedCode } from "../../mapping/draft/VisitDraft.ts"
import type { Deletion } from "../../source/read/RecordExtractor.ts"
import type { RecordRank } from "../../source/records/compareRecords.ts"
import type { ConvertedVisit } from "../convertRecords.ts"
import type { PlaceLists } from "../partition/RecordLocations.ts"

/** A part of a run, as it is handed to whoever converts it. Everything in it can be handed to another thread. */
export interface PartitionTask {
  readonly number: number
  /** Where the records stand, in order. */
  readonly places: PlaceLists
  /** Beside each: bits of `Role`. */
  readonly roles: Uint8Array
  readonly deletions: ReadonlyArray<Deletion>
}

/** A visit of a part. */
export interface PartitionVisit extends ConvertedVisit {
  /** What tells it from other visits: its keys, and nothing else of it. */
  readonly keys: Readonly<Record<string, unknown>>
  readonly unmapped: ReadonlyArray<UnmappedCode>
  /** Where these keys came from, by their fields. */
  readonly homes: ReadonlyArray<readonly [field: string, home: FieldHome]>
}

/** What came of a part. Numbers are indexes of the task's records. */
export interface PartitionResult {
  readonly number: number
  readonly visits: ReadonlyArray<PartitionVisit>
  /** Beside each record: whether a value of it is in a visit. */
  readonly used: Uint8Array
  /** Records that are accounted for in this part. */
  readonly rejected: ReadonlyArray<{ readonly record: number; readonly rank: RecordRank; readonly problem: Diagnostic }>
  readonly placedByTime: ReadonlyArray<number>
  readonly duplicates: ReadonlyArray<{ readonly name: string; readonly problem: Diagnostic }>
  readonly unresolved: ReadonlyMap<string, ReadonlySet<string>>
}
