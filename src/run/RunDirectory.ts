import { at } from "../at.ts"
import type { OpenFiles } from "../source/read/OpenFiles.ts"
import { recordTypeOf } from "../source/records/LazyRecord.ts"
import type { SourceRecord } from "../source/records/SourceRecord.ts"
import { PartitionStore, planPartitions, RecordRole, type RunPartition } from "./links/planPartitions.ts"
import type { SpillIndex } from "./read/SpilledRecords.ts"
import { type LocationLists, orderOf } from "./records/RecordLocations.ts"
import type { PartitionTask } from "./workers/PartitionTask.ts"

/** The records of a run by number: where each is, and the partitions that they are converted in. */
export interface RunDirectory {
  readonly size: number
  readonly typeOf: (record: number) => string
  readonly locationsOf: (records: Uint32Array) => LocationLists
  /** In the order of the run; each is cut on request. */
  readonly partitions: () => Iterable<RunPartition>
  /** A partition that has been cut. */
  readonly partitionAt: (number: number) => RunPartition
  /** Approximate number of visits; absent if one partition holds all records, which shows the number. */
  readonly expected?: number
  /** Records that are in no partition, by type. */
  readonly unused: ReadonlyMap<string, number>
  /** Of those, exact copies of others, by type. */
  readonly copies: ReadonlyMap<string, number>
  /** In one of several parts of a run: the position of a partition in the order of the run. */
  readonly positionOf?: (partition: number) => number
  /** In one of several parts of a run: the records that other parts hold too, with their numbers among all shared records. */
  readonly common?: ReadonlyMap<number, number>
}

const none: ReadonlyMap<string, number> = new Map()

/** Records that fit into memory: one partition, in which every record has its number as its location. */
export const wholeRun = (records: ReadonlyArray<SourceRecord>): RunDirectory => {
  const { accounted, root, visit } = RecordRole
  const whole = {
    number: 0,
    records: Uint32Array.from(records.keys()),
    roles: new Uint8Array(records.length).fill(accounted | root | visit)
  }
  return {
    size: records.length,
    typeOf: (record) => recordTypeOf(at(records, record)),
    locationsOf: (numbers) => ({
      sources: new Uint32Array(numbers.length),
      offsets: Float64Array.from(numbers),
      lengths: new Uint32Array(numbers.length),
      marks: new Uint32Array(numbers.length)
    }),
    partitions: () => [whole],
    partitionAt: () => whole,
    unused: none,
    copies: none
  }
}

/** Records on disk, cut into partitions of about the same size in bytes. */
export const cutRun = (
  { copies, links, locations, unused }: SpillIndex,
  partitionBytes: number,
  files: OpenFiles
): RunDirectory => {
  const sizeOf = (record: number): number => locations.lengthAt(record)
  const locationsOf = (records: Uint32Array): LocationLists => locations.lists(records)
  const cut = new PartitionStore(files)
  return {
    size: links.size,
    typeOf: (record) => links.typeOf(record),
    locationsOf,
    *partitions() {
      for (const partition of planPartitions({ links, partitionBytes, sizeOf })) {
        const ordered = inOrderOfLocations(partition, locationsOf)
        cut.push(ordered)
        yield ordered
      }
    },
    partitionAt: (number) => cut.at(number),
    expected: links.roots.length,
    unused,
    copies
  }
}

/** A partition with the locations of its records, for any thread. */
export const taskOf = (
  { number, records, roles }: RunPartition,
  { locationsOf }: Pick<RunDirectory, "locationsOf">
): PartitionTask => ({ number, locations: locationsOf(records), roles })

/** Sorts the records of a partition by location, for sequential reads. */
export const inOrderOfLocations = (
  partition: RunPartition,
  locationsOf: RunDirectory["locationsOf"]
): RunPartition => {
  const { number, records, roles } = partition
  const order = orderOf(locationsOf(records))
  return order === undefined ? partition : {
    number,
    records: order.map((index) => at(records, index)),
    roles: Uint8Array.from(order, (index) => at(roles, index))
  }
}
