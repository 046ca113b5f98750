import { Cause, Effect, Stream } from "effect"
import { forgetCode, keepCode } from "../mapping/generatedCode.ts"
import type { MappingPlan } from "../mapping/MappingPlan.ts"
import { makeUniqueInRun } from "../visit/rules/uniqueInRun.ts"
import { conversionOf } from "./accounts/conversionOf.ts"
import { EngineDiffers } from "./checks/EngineDiffers.ts"
import type { ConversionRequest } from "./ConversionRequest.ts"
import { convertRun } from "./convertRun.ts"
import { readPart } from "./parts/readPart.ts"
import { type PreparedRun, prepareRun } from "./prepareRun.ts"
import { readRun } from "./read/readRun.ts"
import type { RunDirectory } from "./RunDirectory.ts"
import { RunVisits } from "./RunVisits.ts"
import { makePartitionConverter } from "./workers/partitionConverter.ts"

/**
 * Converts inputs to visits. A run of any size takes these steps:
 *
 * 1. **Prepare** (`prepareRun`). The mapping is read and checked. If it is invalid, nothing else is read.
 * 2. **Read** (`readRun`). Every input is read, and its records are numbered in a directory (`RunDirectory`). It cuts them into partitions:
 *    consecutive visits, and every record that they may need. Of shared records, such as practitioners, a partition has only the numbers:
 *    each thread keeps them in a look-up (`SharedRecords`). Records that fit into memory are one partition. For others the directory holds
 *    the location and the links. `readPart` opens a part that the command `partition` wrote for another machine.
 * 3. **Make visits** (`convertRun`), one partition after the other, in this thread or in several. Records are grouped by visit, the mapping is
 *    applied to each group, and the visit is checked (`convertPartition`). This happens as the caller takes visits from the stream, so the
 *    first visit is available before the last one is made. Each is compared with those before it (`RunVisits`).
 * 4. **Account** (`RecordAccounts`). When the last visit has been taken, the totals show for each record whether a visit uses it.
 *
 * A record is in memory, in its input file, or in a spill file. Its location states which, and only `LocatedRecords` reads the location.
 *
 * A problem of a record or a visit is data in the result. The worker threads run until the scope ends, or until the last visit is taken.
 */
export const convert = Effect.fn("convert")(function*(request: ConversionRequest) {
  const run = yield* prepareRun(request)
  const read = request.part === undefined
    ? yield* readRun(request, run)
    : yield* readPart(request.part, request, run)

  const { directory } = read
  const { fill } = request
  const forThreads = { ...read.forThreads, visits: visitsOfThread(directory, run) }
  const converted = convertRun({
    directory,
    forThreads,
    converter: makePartitionConverter({ ...run.options, ...forThreads, coverage: request.coverage === true }),
    runVisits: new RunVisits(makeUniqueInRun(), run.options),
    workers: run.workers,
    fill
  })
  return conversionOf(run, read, {
    ...converted,
    visits: keepingCode(converted.visits, run.checked.plan)
  })
})

/** Keeps generated code when all visits are made. If it makes a visit that the definition does not, the next run writes it again. */
const keepingCode = <A, E>(visits: Stream.Stream<A, E>, plan: MappingPlan): Stream.Stream<A, E> =>
  visits.pipe(
    Stream.onEnd(Effect.sync(() => keepCode(plan))),
    Stream.onError((cause) =>
      Effect.sync(() => {
        if (Cause.squash(cause) instanceof EngineDiffers) forgetCode(plan)
      })
    )
  )

/** Returns the approximate number of visits that a thread makes. */
const visitsOfThread = (
  { expected, size, typeOf }: RunDirectory,
  { checked: { plan: { grouping: { rootType } } }, memoryLimits, workers }: PreparedRun
): number => {
  if (expected !== undefined) return workers.areRunning() ? expected / (memoryLimits.workers + 1) : expected
  // All records are in memory, and this thread converts them.
  let roots = 0
  for (let record = 0; record < size; record++) if (typeOf(record) === rootType) roots++
  return roots
}
