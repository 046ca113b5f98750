import { Effect, Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { FillVisit } from "../facility/beneficiary/fillVisits.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import { SourceError } from "../source/SourceError.ts"
import { RecordAccounts } from "./accounts/RecordAccounts.ts"
import { eachOrSourceError, orSourceError } from "./accounts/sourceErrors.ts"
import type { Conversion, ConvertedVisit, PartCounts, RecordTotals } from "./Conversion.ts"
import type { FinishedVisit } from "./convertPartition.ts"
import { hashName } from "./links/hashName.ts"
import type { RunPartition } from "./links/planPartitions.ts"
import { type RunDirectory, taskOf } from "./RunDirectory.ts"
import type { RunVisits } from "./RunVisits.ts"
import type { PartitionConverter, WorkerRecords } from "./workers/partitionConverter.ts"
import { type PartitionTask, unpackVisit } from "./workers/PartitionTask.ts"
import type { WorkerPool } from "./workers/WorkerPool.ts"

export interface ConvertedRun extends Pick<Conversion, "groups" | "fieldOrigin" | "visits"> {
  /** Complete when the last visit has been taken. */
  readonly totals: () => RecordTotals
  /** Problems of records with several source locations; complete when the last visit has been taken. */
  readonly problems: () => ReadonlyArray<Diagnostic>
  /** Counts that are complete only when all parts of a run are added; complete when the last visit has been taken. */
  readonly partCounts: () => PartCounts
}

/** Visits of a partition that are made before the first of them is passed on. */
const chunkSize = 16

/**
 * Converts the partitions of a run in their order. If there are worker threads, each partition is converted as a whole by any thread.
 * Otherwise this thread makes one visit after the other: the first is available before the last is made, and `fill` can send lookups for it.
 * In both cases each visit is compared with those before it, and each record is accounted for.
 */
export const convertRun = (
  { converter, directory, fill, runVisits, forThreads, workers }: {
    readonly directory: RunDirectory
    readonly forThreads: WorkerRecords
    readonly converter: PartitionConverter
    readonly runVisits: RunVisits
    readonly workers: Pick<WorkerPool, "areRunning" | "convert">
    readonly fill: FillVisit | undefined
  }
): ConvertedRun => {
  const accounts = new RecordAccounts(directory)
  /** The visits of each partition, by the hashes of their root encounters. */
  const visitsOf: Array<Array<number> | undefined> = []

  const complete = (partition: number, visit: FinishedVisit): ConvertedVisit => {
    const visits = visitsOf[partition] ??= []
    visits.push(hashName(visit.converted.source))
    return runVisits.complete(visit, directory.positionOf?.(partition))
  }

  const convertHere = (partition: RunPartition) =>
    Stream.unwrap(Effect.map(orSourceError(() => converter.open(taskOf(partition, directory))), (opened) => {
      const drafts = Stream.fromIterable(opened.drafts(), { chunkSize })
      const visits: Stream.Stream<FinishedVisit, OperatorError> = fill === undefined
        ? Stream.map(drafts, (draft) => draft.finish(draft.visit, []))
        : Stream.mapEffect(
          drafts,
          (draft) => Effect.map(fill(draft.visit), ({ problems, visit }) => draft.finish(visit, problems))
        )
      return Stream.onEnd(
        Stream.map(visits, (visit) => complete(partition.number, visit)),
        Effect.sync(() => accounts.add(partition, opened.accounts()))
      )
    }))

  function* tasks(): Generator<PartitionTask> {
    for (const partition of directory.partitions()) yield taskOf(partition, directory)
  }

  const convertInThreads = Stream.flatMap(
    workers.convert(tasks(), forThreads, (task) => converter.convert(task)),
    (result) => {
      accounts.add(directory.partitionAt(result.number), result.accounts)
      return Stream.fromIterable(result.visits.map((visit) => complete(result.number, unpackVisit(visit))))
    }
  )

  return {
    groups: directory.expected ?? converter.open(taskOf(directory.partitionAt(0), directory)).groups,
    // Threads only convert. What fills in facts runs in this one.
    visits: fill === undefined && workers.areRunning()
      ? convertInThreads
      : Stream.flatMap(eachOrSourceError(directory.partitions()), convertHere),
    totals: () => {
      const { excluded, ...totals } = accounts.totals()
      const deleted = forThreads.deletions.map(({ reference }) => reference)
      return { ...totals, excluded: new Set([...excluded, ...deleted]), unmapped: runVisits.unmapped() }
    },
    problems: () => accounts.problems(),
    fieldOrigin: (source, field) => {
      const hash = hashName(source)
      for (const [number, visits] of visitsOf.entries()) {
        if (visits?.includes(hash) !== true) continue
        const origin = ifUnchanged(() =>
          converter.fieldOrigin(taskOf(directory.partitionAt(number), directory), source, field)
        )
        if (origin !== undefined) return origin
      }
      return undefined
    },
    partCounts: () => ({ ...accounts.partCounts(), ...runVisits.partCounts() })
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
