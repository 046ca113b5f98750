import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { fieldText } from "../../mapping/draft/VisitDraft.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import type { RecordRank } from "../../source/records/compareRecords.ts"
import { compareIds, emptyRecordAt } from "../../source/records/compareRecords.ts"
import { SourceError } from "../../source/SourceError.ts"
import { RecordAccounts } from "../accounts/RecordAccounts.ts"
import type { CheckVisit, ConvertedVisit, FieldOrigin, RecordTotals, RejectedRecord } from "../convertRecords.ts"
import type { CutRun } from "../CutRun.ts"
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

/** A run that is converted in parts. */
interface ConvertedPartitions {
  /** Approximate number of visits. */
  readonly expected: number
  /** The partitions to convert; each is cut on request. */
  readonly tasks: () => Generator<PartitionTask>
  /** Takes the results of the partitions, in order. */
  readonly take: (result: PartitionResult) => ReadonlyArray<ConvertedVisit>
  /** Complete once all parts have been taken. */
  readonly totals: () => RecordTotals
  /** `duplicate-record`, in the order of the records. */
  readonly problems: () => ReadonlyArray<Diagnostic>
  readonly homeOf: (source: string, field: string) => FieldOrigin | undefined
  /** In one of several partitions: counts that are complete only when all partitions are added. */
  readonly shared: () => CommonAccounts
}

/** Cuts a run into partitions and converts them. The result equals that of the whole run, byte for byte. */
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
  const parts = new PartitionStore(files)
  /** The visits of each part, by the hashes of their root encounters. */
  const visitsOf: Array<Float64Array> = []

  const ofPartition = (record: number, rank: RecordRank): Pick<RejectedRecord, "common" | "rank"> => {
    if (records.common === undefined) return {}
    const common = records.common.get(record)
    return { rank, ...(common === undefined ? {} : { common }) }
  }

  const taskOf = (part: RunPartition): PartitionTask => ({
    number: part.number,
    places: records.places.lists(part.records),
    roles: part.roles,
    deletions: records.deletions
  })

  function* tasks(): Generator<PartitionTask> {
    for (const part of records.parts()) {
      const asTheyStand = inOrderOfPlaces(part, records)
      parts.push(asTheyStand)
      yield taskOf(asTheyStand)
    }
  }

  const take = (result: PartitionResult): ReadonlyArray<ConvertedVisit> => {
    const part = parts.at(result.number)
    if (result.used.length !== part.records.length) throw new Error("a part of the run was not converted as a whole")
    part.records.forEach((record, index) => {
      if (result.used[index] === 1) used.add(record)
      if ((part.roles[index]! & RecordRole.accounted) !== 0) accounted.add(record)
    })
    for (const one of result.rejected) rejected.set(part.records[one.record]!, one)
    for (const one of result.placedByTime) placedByTime.push(part.records[one]!)
    for (const one of result.copies) copies.push(part.records[one]!)
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
        if (used.has(record)) accounts.addUsed(records.typeOf(record))
        else {
          const one = rejected.get(record)
          if (one === undefined) accounts.addUnused(records.typeOf(record), 1)
          else accounts.reject(emptyRecordAt(one.rank), one.problem, ofPartition(record, one.rank))
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
        const home = ifUnchanged(() => converter().homeOf(taskOf(parts.at(number)), source, field))
        if (home !== undefined) return home
      }
      return undefined
    },
    shared: () => {
      const [found, idle]: [Array<number>, Array<readonly [number, string]>] = [[], []]
      for (const [record, number] of records.common ?? []) {
        if (used.has(record) && !accounted.has(record)) found.push(number)
        if (!used.has(record) && accounted.has(record)) idle.push([number, records.typeOf(record)])
      }
      return { used: found, idle, unresolved: unresolved.unresolvedNames(), ...run.shared() }
    }
  }
}

/** Returns `undefined` if an input has changed since the run was read, because the caller may ask long afterwards. */
const ifUnchanged = <A>(ask: () => A): A | undefined => {
  try {
    return ask()
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}

/** Sorts the records of a partition by file offset, for sequential reads. */
const inOrderOfPlaces = (part: RunPartition, { places }: CutRun): RunPartition => {
  const order = orderOf(places.lists(part.records))
  return order === undefined ? part : {
    number: part.number,
    records: order.map((at) => part.records[at]!),
    roles: Uint8Array.from(order, (at) => part.roles[at]!)
  }
}

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
