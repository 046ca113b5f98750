import type { Deletion } from "../source/read/RecordExtractor.ts"
import type { RunPartition } from "./partition/planPartitions.ts"
import { planPartitions } from "./partition/planPartitions.ts"
import type { RecordLocations } from "./partition/RecordLocations.ts"
import type { SpillIndex } from "./partition/SpilledRecords.ts"

/** Records on disk, by number, and how they are cut into parts that can be converted in turn. */
export interface CutRun {
  /** Number of records. */
  readonly size: number
  readonly typeOf: (record: number) => string
  readonly places: Pick<RecordLocations, "lists">
  readonly parts: () => Iterable<RunPartition>
  /** Approximate number of visits. */
  readonly expected: number
  readonly deletions: ReadonlyArray<Deletion>
  /** Records that are in no part, by type. */
  readonly unused: ReadonlyMap<string, number>
  /** Of those, exact copies of others, by type. */
  readonly copies: ReadonlyMap<string, number>
  /** In a partition: the position of a part in the order of the run. */
  readonly positionOf?: (part: number) => number
  /** In a partition: the records that other partitions hold too, with their numbers among all shared records. */
  readonly common?: ReadonlyMap<number, number>
}

/** A whole run, cut into parts of about the same size in bytes. */
export const cutRun = (
  { copies, deletions, links, places, unused }: SpillIndex,
  partBytes: number
): CutRun => ({
  size: links.size,
  typeOf: (record) => links.typeOf(record),
  places,
  parts: () => planPartitions({ links, partBytes, sizeOf: (record) => places.lengthAt(record) }),
  expected: links.roots.length,
  deletions,
  unused,
  copies
})
