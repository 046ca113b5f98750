import { Effect, Stream } from "effect"
import type { FillVisit } from "../facility/beneficiary/fillVisits.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import type { SourceError } from "../source/SourceError.ts"
import { sourceErrorOrDie } from "./accounts/sourceErrors.ts"
import type { CutRun } from "./CutRun.ts"
import type { PreparedRun } from "./prepareRun.ts"
import type { Run, RunOptions } from "./Run.ts"
import { convertPartitions } from "./workers/convertPartitions.ts"
import type { PartitionConverter, WorkerRecords } from "./workers/partitionConverter.ts"
import { makePartitionConverter } from "./workers/partitionConverter.ts"
import type { PartitionResult, PartitionTask } from "./workers/PartitionTask.ts"

/** A run whose records are on disk. It is cut into parts, which the workers convert; this thread converts them if visits are filled in. */
export const onDiskRun = (
  { compareVisit, ...options }: RunOptions,
  records: CutRun,
  standing: WorkerRecords,
  fill: FillVisit | undefined,
  { files, workers }: Pick<PreparedRun, "files" | "workers">
): Run => {
  let made: PartitionConverter | undefined
  const converter = (): PartitionConverter => (made ??= makePartitionConverter({ ...options, ...standing }))
  const { expected, take, tasks, ...run } = convertPartitions({
    records,
    files,
    converter,
    compareVisit,
    levels: options.levels,
    currencies: options.currencies
  })
  const filled = (task: PartitionTask, fill: FillVisit) => {
    const { drafts, result } = converter().open(task)
    return Effect.map(
      Effect.forEach(
        drafts(),
        (draft) => Effect.map(fill(draft.visit), ({ problems, visit }) => draft.finish(visit, problems))
      ),
      result
    )
  }
  const results: Stream.Stream<PartitionResult, SourceError | OperatorError> = fill !== undefined
    ? Stream.mapEffect(Stream.fromIterable(tasks(), { chunkSize: 1 }), (task) => filled(task, fill))
    : Stream.fromAsyncIterable(
      workers.convert(tasks(), standing, (task) => converter().convert(task)),
      sourceErrorOrDie
    )
  return { ...run, groups: expected, visits: Stream.flatMap(results, (result) => Stream.fromIterable(take(result))) }
}
