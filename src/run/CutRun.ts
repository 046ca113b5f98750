import type { Deletion } from "../source/read/RecordExtractor.ts"
import type { RunPartition } from "./partition/planPartitions.ts"
import { planPartitions } from "./partition/planPartitions.ts"
import type { RecordLocations } from "./partition/RecordLocations.ts"
import type { SpillIndex } from "./partition/RecordStore.ts"

/** Records on disk, by their numbers, and how they are cut into parts that can be converted one after the other. */
export interface CutRun {
  /** How many records there are. */
  readonly size: number
  /** The files that its records are in: they are closed when nobody holds this any more. */
  readonly holding: ReadonlyArray<unknown>
  readonly typeOf: (record: number) => string
  readonly places: Pick<RecordLocations, "lists">
  readonly parts: () => Iterable<RunPartition>
  /** How many visits there will be, about. */
  readonly expected: number
  readonly deletions: ReadonlyArray<Deletion>
  /** Records that are in no part, by type. */
  readonly unused: ReadonlyMap<string, number>
  /** Of a partition: where a part stands in the order of the run. */
  readonly positionOf?: (part: number) => number
  /** Of a partition: the records that other partitions hold too, and their numbers among all of these. */
  readonly common?: ReadonlyMap<number, number>
}

/** A whole run, cut into parts of about as many bytes. */
export const cutRun = ({ deletions, holding, links, places, unused }: SpillIndex, partBytes: number): CutRun => ({
  size: links.size,
  holding,
  typeOf: (record) => links.typeOf(record),
  places,
  parts: () => planPartitions({ links, partBytes, sizeOf: (record) => places.lengthAt(record) }),
  expected: links.roots.length,
  deletions,
  unused
})
