import { Effect } from "effect"
import { makeUniqueInRun } from "../visit/rules/uniqueInRun.ts"
import { conversionOf } from "./accounts/conversionOf.ts"
import type { ConversionRequest } from "./ConversionRequest.ts"
import { inMemoryRun } from "./inMemoryRun.ts"
import { onDiskRun } from "./onDiskRun.ts"
import { readPartition } from "./parts/readPartition.ts"
import { prepareRun } from "./prepareRun.ts"
import { readRun } from "./readRun.ts"

/**
 * Converts inputs to visits. This is the whole way of a run:
 *
 * 1. **Prepare.** The mapping is read and checked. If it is invalid, nothing else is read.
 * 2. **Read.** Every input is read, and its records are indexed: in memory, or on disk and cut into parts if they are many. A part holds
 *    everything that some patients need. `partition` does this step ahead, for several machines.
 * 3. **Make visits.** Records are grouped by visit, the mapping is applied to each group, and the visit is checked. This happens as the
 *    caller takes visits from the stream, so the first visit is available before the last one is made.
 * 4. **Account.** When the last visit has been taken, the totals show for each record whether a visit uses it.
 *
 * A problem of a record or a visit is data in the result. The worker threads run until the scope ends, or until the last visit is taken.
 */
export const convert = Effect.fn("convert")(function*(request: ConversionRequest) {
  const run = yield* prepareRun(request)
  const read = request.partition === undefined
    ? yield* readRun(request, run)
    : yield* readPartition(request.partition, request, run)

  const { fill } = request
  const { stored } = read
  // Lookups for `fill` are sent from this thread, so it also makes the visits.
  if (stored._tag === "Held" || fill !== undefined) yield* Effect.promise(() => run.workers.end())

  const options = { ...run.options, compareVisit: makeUniqueInRun() }
  const made = stored._tag === "Held"
    ? inMemoryRun({ ...options, coverage: request.coverage === true }, stored.index, read.lost, fill)
    : onDiskRun(options, stored.cut, { where: stored.where, joins: run.joins, lost: read.lost }, fill, run)

  return conversionOf(run, read, made)
})
