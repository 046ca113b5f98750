import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { fieldText } from "../../mapping/draft/VisitDraft.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import type { RecordRank } from "../../source/records/compareRecords.ts"
import { compareIds, emptyRecordAt } from "../../source/records/compareRecords.ts"
import { SourceError } from "../../source/SourceError.ts"
import { RecordAccounts } from "../accounts/RecordAccounts.ts"
import type { CheckVisit, ConvertedVisit, FieldOrigin, RecordTotals, RejectedRecord } from "../convertRecords.ts"
import type { CutRun } from "../CutRun.ts"
import { at } from "../partition/at.ts"
import { Bits } from "../partition/Bits.ts"
import { hashName } from "../partition/hashName.ts"
import type { RunPartition } from "../partition/planPartitions.ts"
import { PartitionStore, RecordRole } from "../partition/planPartitions.ts"
import { orderOf } from "../partition/RecordLocations.ts"
import type { CommonAccounts } from "../parts/PartAccounts.ts"
import { RunVisits, type RunVisitsOptions } from "../RunVisits.ts"
import type { FinishedVisit } from "./convertPartition.ts"
import type { PartitionConverter } from "./partitionConverter.ts"
import type { PartitionResult, PartitionTask, PartitionVisit } from "./PartitionTask.ts"

/** A run that is converted in partitions. */
interface ConvertedPartitions {
  /** Approximate number of visits. */
  readonly expected: number
  /** The partitions to convert; each is cut on request. */
  readonly tasks: () => Generator<PartitionTask>
  /** Takes the results of the partitions, in order. */
  readonly take: (result: PartitionResult) => ReadonlyArray<ConvertedVisit>
  /** Complete once all partitions have been taken. */
  readonly totals: () => RecordTotals
  /** `duplicate-record`, in the order of the records. */
  readonly problems: () => ReadonlyArray<Diagnostic>
  readonly homeOf: (source: string, field: string) => FieldOrigin | undefined
  /** In one of several partitions: counts that are complete only when all partitions are added. */
  readonly shared: () => CommonAccounts
}

/**
 * Converts a run that does not fit into memory. The result equals that of the same run in memory, byte for byte. The way of such a run:
 *
 * 1. **Read.** `readFiles` (`chunks.ts`) reads large input files in chunks, in parallel. `partition/readChunk.ts` keeps the location of each
 *    record, and the names that it has and refers to (`partition/LinkedRecords.ts`). Records of other inputs are written to a spill file.
 * 2. **Spill.** `partition/SpilledRecords.ts` gathers locations and names on disk. Names are kept as hashes, in buckets.
 * 3. **Join.** `partition/joinReferences.ts` brings together the records that have or refer to the same name, bucket by bucket.
 *    `partition/findCopies.ts` finds the exact copies among them. `partition/RunLinks.ts` finds the records that another one requires.
 * 4. **Plan.** `partition/planPartitions.ts` cuts the visits of the run, in their order, into partitions. A partition holds every record
 *    that its visits may require. A record in several partitions is accounted for in one of them: see `RecordRole`.
 * 5. **Convert.** `WorkerPool.ts` hands each partition to a thread. `partitionConverter.ts` reads its records at their locations, and
 *    `convertPartition.ts` makes its visits as in a run in memory.
 * 6. **Complete.** This function takes the results in order. It checks each visit against earlier ones, and adds up the outcome of each
 *    record.
 *
 * Records have numbers: in the run, in the order in which they were read; in a partition, the indexes of its records.
 */
export const convertPartitions = (
  options: {
    readonly records: CutRun
    readonly files: OpenFiles
    /** For explaining single visits later. */
    readonly converter: () => PartitionConverter
    readonly compareVisit: CheckVisit
  } & RunVisitsOptions
): ConvertedPartitions => {
  const { compareVisit, converter, files, records } = options
  const run = new RunVisits(compareVisit, options)
  const used = new Bits(records.size)
  const accounted = new Bits(records.size)
  const rejected = new Map<number, PartitionResult["rejected"][number]>()
  const duplicates: Array<PartitionResult["duplicates"][number]> = []
  const placedByTime: Array<number> = []
  const copies: Array<number> = []
  const unresolved = new RecordAccounts()
  /** The partitions that have been cut so far. */
  const partitions = new PartitionStore(files)
  /** The visits of each partition, by the hashes of their root encounters. */
  const visitsOf: Array<Float64Array> = []

  const commonOf = (record: number, rank: RecordRank): Pick<RejectedRecord, "common" | "rank"> => {
    if (records.common === undefined) return {}
    const common = records.common.get(record)
    return { rank, ...(common === undefined ? {} : { common }) }
  }

  const taskOf = ({ number, records: numbers, roles }: RunPartition): PartitionTask => ({
    number,
    places: records.places.lists(numbers),
    roles,
    deletions: records.deletions
  })

  function* tasks(): Generator<PartitionTask> {
    for (const partition of records.parts()) {
      const ordered = inOrderOfLocations(partition, records)
      partitions.push(ordered)
      yield taskOf(ordered)
    }
  }

  const take = (result: PartitionResult): ReadonlyArray<ConvertedVisit> => {
    const { records: numbers, roles } = partitions.at(result.number)
    if (result.used.length !== numbers.length) throw new Error("a partition was not converted as a whole")
    for (const [index, record] of numbers.entries()) {
      if (result.used[index] === 1) used.add(record)
      if ((at(roles, index) & RecordRole.accounted) !== 0) accounted.add(record)
    }
    for (const one of result.rejected) rejected.set(at(numbers, one.record), one)
    for (const index of result.placedByTime) placedByTime.push(at(numbers, index))
    for (const index of result.copies) copies.push(at(numbers, index))
    unresolved.addUnresolved(result.unresolved)
    duplicates.push(...result.duplicates)
    visitsOf[result.number] = Float64Array.from(result.visits, ({ source }) => hashName(source))
    const position = records.positionOf?.(result.number)
    return result.visits.map((visit) => run.complete(finished(visit), position))
  }

  return {
    expected: records.expected,
    tasks,
    take,
    totals: () => {
      const accounts = new RecordAccounts()
      for (let record = 0; record < records.size; record++) {
        if (!accounted.has(record)) continue
        const rejection = rejected.get(record)
        if (used.has(record)) accounts.addUsed(records.typeOf(record))
        else if (rejection === undefined) accounts.addUnused(records.typeOf(record), 1)
        else {
          const { problem, rank } = rejection
          accounts.reject(emptyRecordAt(rank), problem, commonOf(record, rank))
        }
      }
      for (const [type, count] of records.unused) accounts.addUnused(type, count)
      for (const [type, count] of records.copies) accounts.addCopies(type, count)
      for (const record of copies) if (!rejected.has(record)) accounts.addCopies(records.typeOf(record), 1)
      for (const record of placedByTime) accounts.addPlacedByTime(records.typeOf(record))
      return { ...accounts.all(), unresolved: unresolved.all().unresolved, unmapped: run.unmapped() }
    },
    problems: () => duplicates.toSorted((one, other) => compareIds(one.name, other.name)).map(({ problem }) => problem),
    homeOf: (source, field) => {
      const hash = hashName(source)
      for (const [number, visits] of visitsOf.entries()) {
        if (!visits.includes(hash)) continue
        const home = ifUnchanged(() => converter().homeOf(taskOf(partitions.at(number)), source, field))
        if (home !== undefined) return home
      }
      return undefined
    },
    shared: () => {
      const [usedHere, idle]: [Array<number>, Array<readonly [number, string]>] = [[], []]
      for (const [record, number] of records.common ?? []) {
        if (used.has(record) && !accounted.has(record)) usedHere.push(number)
        if (!used.has(record) && accounted.has(record)) idle.push([number, records.typeOf(record)])
      }
      return { used: usedHere, idle, unresolved: unresolved.unresolvedNames(), ...run.shared() }
    }
  }
}

/** Returns `undefined` if an input has changed since the run was read, because the caller may ask long afterwards. */
const ifUnchanged = <A>(find: () => A): A | undefined => {
  try {
    return find()
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}

/** Sorts the records of a partition by file offset, for sequential reads. */
const inOrderOfLocations = (partition: RunPartition, { places }: CutRun): RunPartition => {
  const { number, records, roles } = partition
  const order = orderOf(places.lists(records))
  return order === undefined ? partition : {
    number,
    records: order.map((index) => at(records, index)),
    roles: Uint8Array.from(order, (index) => at(roles, index))
  }
}

/** Restores what the checks against other visits need. */
const finished = ({ homes, keys, unmapped, ...converted }: PartitionVisit): FinishedVisit => {
  const byField = new Map(homes)
  return {
    ...converted,
    visit: keys,
    unmapped,
    home: {
      root: converted,
      visit: keys,
      provenanceOf: (path) => byField.get(fieldText(path))
    }
  }
}
