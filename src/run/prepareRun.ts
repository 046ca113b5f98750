import { Effect } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { CheckedMapping } from "../mapping/check/check.ts"
import { loadMapping } from "../mapping/load/loadMapping.ts"
import { withoutAbsent } from "../objects.ts"
import { type OpenFiles, openFiles } from "../source/read/OpenFiles.ts"
import type { JoinRules } from "../source/records/Servers.ts"
import { FileLabels } from "./accounts/fileLabels.ts"
import { runSettings, visitChecks } from "./checks/visitChecks.ts"
import { InvalidMapping } from "./Conversion.ts"
import type { ConversionRequest, MemoryLimits } from "./ConversionRequest.ts"
import { defaultMemoryLimits } from "./ConversionRequest.ts"
import type { PartitionOptions } from "./convertPartition.ts"
import { makeWorkerPool, type WorkerPool } from "./workers/WorkerPool.ts"

/** The mapping, the options and the resources of a run, before any input is read. */
export interface PreparedRun {
  readonly checked: CheckedMapping
  /** Warnings of the mapping. */
  readonly mistakes: ReadonlyArray<Diagnostic>
  /** What a visit is made with. */
  readonly options: Omit<PartitionOptions, "records" | "wanted" | "unreadable">
  readonly joins: JoinRules
  readonly memoryLimits: MemoryLimits
  /** Collects the words of file names that are names of patients. */
  readonly labels: FileLabels
  readonly files: OpenFiles
  /** Worker threads, which are not started yet. */
  readonly workers: WorkerPool
}

/** Loads and checks the mapping of a run. Fails if it is invalid. */
export const prepareRun = Effect.fnUntraced(function*(request: ConversionRequest) {
  const { engine, facility, fhirVersion, fill, system, zone } = request
  const { checked, problems } = request.loaded ??
    (yield* loadMapping(request.mapping, request.shippedMappings, {
      ...(request.tables === undefined ? {} : { tables: request.tables }),
      accepted: request.accepted,
      ...withoutAbsent({ by: engine, lists: request.validation?.lists })
    }))
  if (checked === undefined) return yield* new InvalidMapping({ problems })
  const memoryLimits = {
    ...defaultMemoryLimits,
    ...(request.memoryLimits?.workers === undefined ? {} : { minBytesForWorkers: 0 }),
    ...request.memoryLimits
  }
  const validation = runSettings(request.validation, { now: request.now, facility })
  // Parts are usually converted in parallel processes. Worker threads in each would compete for the same cores and hardly save time.
  const isAlone = fill === undefined && request.part === undefined
  // The workers read with them, so they are closed after the workers have ended.
  const files = yield* openFiles
  const workers = yield* makeWorkerPool(
    { checked, engine, validation, facility, fhirVersion, system, zone },
    isAlone ? memoryLimits : { ...memoryLimits, workers: 0 }
  )
  const prepared: PreparedRun = {
    checked,
    mistakes: problems,
    options: { checked, facility, system, zone, ...visitChecks(validation) },
    joins: { sameServer: request.sameServer ?? [], copies: checked.plan.grouping.copies },
    memoryLimits,
    labels: new FileLabels(),
    files,
    workers
  }
  return prepared
})
