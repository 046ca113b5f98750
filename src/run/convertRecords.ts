import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Grouping, VisitGroup } from "../mapping/grouping/VisitGroup.ts"
import { getExisting } from "../maps.ts"
import type { CompareVisit } from "../visit/rules/uniqueInRun.ts"
import { partitionAccounts } from "./accounts/partitionAccounts.ts"
import { RecordAccounts } from "./accounts/RecordAccounts.ts"
import type { ConvertedVisit, RecordTotals } from "./Conversion.ts"
import type { FinishedVisit, PartitionOptions } from "./convertPartition.ts"
import { convertPartition } from "./convertPartition.ts"
import { wholeRun } from "./RunDirectory.ts"
import { RunVisits } from "./RunVisits.ts"

interface Options extends Omit<PartitionOptions, "wanted"> {
  /** Called only for visits that could otherwise be sent: a visit that is not sent blocks no other. */
  readonly compareVisit: CompareVisit
  /** Receives the problems of a visit that are found by comparing it with those before it. */
  readonly compared?: (visit: ConvertedVisit, problems: ReadonlyArray<Diagnostic>) => void
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
  /** Makes the visit of one group by itself, without comparing it with others. */
  readonly visitOf: (group: VisitGroup) => FinishedVisit
  readonly totals: () => RecordTotals
} => {
  const { checked, records } = options
  const partition = convertPartition(options)
  const run = new RunVisits(options.compareVisit, options)
  function* visits(): Generator<ConvertedVisit> {
    for (const { finish, visit } of partition.drafts()) {
      const finished = finish(visit, [])
      const converted = run.complete(finished)
      const more = converted.problems.slice(finished.converted.problems.length)
      if (more.length > 0) options.compared?.(converted, more)
      yield converted
    }
  }
  return {
    grouping: partition.grouping,
    visits: { [Symbol.iterator]: visits },
    visitOf: (group) => {
      const { finish, visit } = partition.draftOf(group)
      return finish(visit, [])
    },
    totals: () => {
      const all = [...records.types.flatMap((type) => records.all(type)), ...records.obsoleteRecords]
      const numbers = new Map(all.map((record, number) => [record, number]))
      const directory = wholeRun(all)
      const accounts = new RecordAccounts(directory)
      accounts.add(
        directory.partitionAt(0),
        partitionAccounts(partition, {
          index: records,
          count: all.length,
          numberOf: (record) => getExisting(numbers, record),
          isAccounted: () => true,
          rootType: checked.plan.grouping.rootType,
          read: checked.plan.followed.types
        })
      )
      return { ...accounts.totals(), unmapped: run.unmapped() }
    }
  }
}
