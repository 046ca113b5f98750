import type { Grouping } from "../mapping/grouping/VisitGroup.ts"
import { partitionAccounts } from "./accounts/partitionAccounts.ts"
import { RecordAccounts } from "./accounts/RecordAccounts.ts"
import type { ConvertedVisit, RecordTotals } from "./Conversion.ts"
import { wholeRun } from "./RunDirectory.ts"
import { RunVisits } from "./RunVisits.ts"
import type { CheckVisit, PartitionOptions } from "./workers/convertPartition.ts"
import { convertPartition } from "./workers/convertPartition.ts"

interface Options extends Omit<PartitionOptions, "wanted"> {
  /** Called only for visits that could otherwise be sent: a visit that is not sent blocks no other. */
  readonly compareVisit: CheckVisit
}

/**
 * Converts indexed records to visits as a run with one partition does. Visits are returned one at a time, in an order that depends only on
 * the records. The totals are complete once all have been taken.
 */
export const convertRecords = (
  options: Options
): {
  readonly grouping: Grouping
  readonly visits: Iterable<ConvertedVisit>
  readonly totals: () => RecordTotals
} => {
  const { checked, records } = options
  const partition = convertPartition(options)
  const run = new RunVisits(options.compareVisit, options)
  function* visits(): Generator<ConvertedVisit> {
    for (const { finish, visit } of partition.drafts()) yield run.complete(finish(visit, []))
  }
  return {
    grouping: partition.grouping,
    visits: { [Symbol.iterator]: visits },
    totals: () => {
      const all = [...records.types.flatMap((type) => records.all(type)), ...records.leftOutRecords]
      const numbers = new Map(all.map((record, number) => [record, number]))
      const directory = wholeRun(all)
      const accounts = new RecordAccounts(directory)
      accounts.add(
        directory.partitionAt(0),
        partitionAccounts(partition, {
          index: records,
          count: all.length,
          numberOf: (record) => numbers.get(record)!,
          isAccounted: () => true,
          types: checked.plan.followed.types
        })
      )
      return { ...accounts.totals(), unmapped: run.unmapped() }
    }
  }
}
