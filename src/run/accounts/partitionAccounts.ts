import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { isNameless, rankOf, type RecordRank } from "../../source/records/compareRecords.ts"
import { recordTypeOf } from "../../source/records/LazyRecord.ts"
import { duplicatesOf } from "../../source/records/RecordIndex.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { ConvertedPartition, RunRecords } from "../convertPartition.ts"
import { isSpareType } from "../links/Links.ts"
import type { Coverage } from "./coverage.ts"

/** What a partition used its records for. Numbers are indexes of its records. Everything in it can be transferred to another thread. */
export interface PartitionAccounts {
  /** For each record: whether a value of it is in a visit. */
  readonly used: Uint8Array
  /** Records that are accounted for in this partition, and why each is rejected. */
  readonly rejected: ReadonlyArray<{ readonly record: number; readonly rank: RecordRank; readonly problem: Diagnostic }>
  readonly placedByTime: ReadonlyArray<number>
  /** Records of which another copy or version counts, or that were deleted. */
  readonly copies: ReadonlyArray<number>
  /** Of those, the records without a name. */
  readonly namelessCopies: ReadonlyArray<number>
  readonly duplicates: ReadonlyArray<{ readonly name: string; readonly problem: Diagnostic }>
  readonly unresolved: ReadonlyMap<string, ReadonlySet<string>>
  /** References to the records that a condition of the grouping excludes from being a visit. */
  readonly excluded: ReadonlyArray<string>
  /** What no mapping line read, if requested. */
  readonly coverage?: Coverage
}

/** The records of a partition by number, and which of them it accounts for. */
interface NumberedRecords {
  readonly index: Pick<RunRecords, "duplicates" | "obsoleteRecords" | "unresolvedNames">
  readonly count: number
  readonly numberOf: (record: SourceRecord) => number
  readonly isAccounted: (record: SourceRecord) => boolean
  /** The type of the root records of visits. */
  readonly rootType: string
  /** Types that lines read. */
  readonly read: ReadonlySet<string> | undefined
}

/** The accounts of a partition, after its last visit has been made. */
export const partitionAccounts = (
  partition: Pick<ConvertedPartition, "accounts" | "coverage" | "grouping">,
  { count, index, isAccounted, numberOf, read, rootType }: NumberedRecords
): PartitionAccounts => {
  const used = new Uint8Array(count)
  const rejected: Array<PartitionAccounts["rejected"][number]> = []
  const placedByTime: Array<number> = []
  for (const account of partition.accounts()) {
    const { problem, record } = account
    const number = numberOf(record)
    if (account.used) used[number] = 1
    if (!isAccounted(record)) continue
    if (account.placedByTime) placedByTime.push(number)
    if (problem !== undefined) rejected.push({ record: number, rank: rankOf(record, "names and content"), problem })
  }
  const coverage = partition.coverage()
  const copies = index.obsoleteRecords.filter((record) =>
    isAccounted(record) && !isSpareType(read, recordTypeOf(record))
  )
  return {
    used,
    rejected,
    placedByTime,
    copies: copies.map(numberOf),
    namelessCopies: copies.filter(isNameless).map(numberOf),
    duplicates: duplicatesOf(index, read)
      .filter(({ record }) => isAccounted(record))
      .map(({ name, problem }) => ({ name, problem })),
    unresolved: index.unresolvedNames(),
    excluded: [...partition.grouping.unplaced].flatMap(([record, { why }]) =>
      why === "not-a-visit" && recordTypeOf(record) === rootType ? [record.origin.reference] : []
    ),
    ...(coverage === undefined ? {} : { coverage })
  }
}
