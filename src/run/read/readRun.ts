import { Effect, Stream } from "effect"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { watchVersions } from "../../mapping/grouping/watchVersions.ts"
import { findInputs, type FoundInputs, type Input } from "../../source/read/findInputs.ts"
import { findLineFiles, sizeOfInputs } from "../../source/read/findLineFiles.ts"
import { readInputs } from "../../source/read/readInput.ts"
import type { SourceError } from "../../source/SourceError.ts"
import { reportMissing } from "../../source/tables/missingTables.ts"
import type { TableFile } from "../../source/tables/TableLayout.ts"
import { asSourceError, orSourceError } from "../accounts/sourceErrors.ts"
import type { ConvertedPart } from "../Conversion.ts"
import { InvalidInput, InvalidPart } from "../Conversion.ts"
import type { ConversionRequest } from "../ConversionRequest.ts"
import { isFolderOfParts } from "../parts/openPart.ts"
import type { PreparedRun } from "../prepareRun.ts"
import { cutRun, type RunDirectory, wholeRun } from "../RunDirectory.ts"
import type { WorkerRecords } from "../workers/partitionConverter.ts"
import { chunkReader, linkRulesOf, readFiles } from "./chunks.ts"
import { RecordStore } from "./RecordStore.ts"
import { RunReading } from "./RunReading.ts"

/** The records of a run, and the problems of its inputs in their order. */
export interface ReadRun {
  readonly directory: RunDirectory
  /** What every thread that converts them receives. */
  readonly forThreads: WorkerRecords
  readonly records: number
  /** Input that should contain a record and could not be read. */
  readonly unreadable: ReadonlyArray<Diagnostic>
  /** Other problems: missing and incomplete inputs, input without records. */
  readonly problems: ReadonlyArray<Diagnostic>
  readonly tables: ReadonlyArray<TableFile>
  /** The part that was opened, if the run was cut into parts. */
  readonly part?: Omit<ConvertedPart, "counts">
}

/**
 * Reads the inputs of a run. Fails if they are of another FHIR version or of several servers, or if they hold only the changes since an
 * export that is missing.
 */
export const readRun = Effect.fnUntraced(function*(request: ConversionRequest, run: PreparedRun) {
  const { files, joins, memoryLimits } = run
  const { stored, unreadableRecords, ...read } = yield* readRecords(request, run, "if they are too large for memory")
  const found: ReadRun = {
    ...read,
    directory: "records" in stored
      ? wholeRun(stored.records)
      : yield* orSourceError(() => cutRun(stored, memoryLimits.partitionBytes, files)),
    forThreads: {
      ...stored.from,
      deletions: stored.deletions,
      joins,
      unreadable: unreadableRecords,
      sharedBytes: memoryLimits.sharedBytes
    }
  }
  return found
})

/** When the records are spilled to disk. A run that is cut into parts always spills them. */
type Spill = "always" | "if they are too large for memory"

/** Like `readRun`, without the directory. */
export const readRecords = Effect.fnUntraced(function*(request: ConversionRequest, run: PreparedRun, spill: Spill) {
  const folder = request.inputs.find(isFolderOfParts)
  if (folder !== undefined) {
    return yield* new InvalidPart({
      title: `\`${folder}\` is an export that was cut into parts`,
      help: [`one of them:  --part I/N --parts ${folder}/parts.json`, "or convert the export itself"]
    })
  }
  const found = yield* findInputs(request.inputs)
  const { incomplete, missing, missingBases, otherVersions, passedOver, severalServers, ...read } = yield* readFound(
    found,
    request,
    run,
    spill
  )
  const invalid = [...otherVersions, ...severalServers, ...(request.withoutBase === true ? [] : missingBases)]
  if (invalid.length > 0) {
    return yield* new InvalidInput({ problems: invalid.map((problem) => run.labels.about(problem)) })
  }
  return { ...read, found, problems: [...missing, ...incomplete, ...passedOver] }
})

/** Reads every input of a run: large line files in parallel with the workers, all others on this thread. */
const readFound = Effect.fn("readRun")(function*(
  found: FoundInputs,
  { coverage, fhirVersion, now, onRead, showValues }: ConversionRequest,
  { checked: { plan }, files: open, joins, labels, memoryLimits, workers }: PreparedRun,
  spill: Spill
) {
  const { inputs } = found
  // Coverage requires all records in memory.
  const linkRules = coverage === true ? undefined : linkRulesOf(plan)
  const size = linkRules === undefined ? 0 : yield* Effect.promise(() => sizeOfInputs(inputs))
  const isLarge = linkRules !== undefined && (spill === "always" || size > memoryLimits.maxInMemoryBytes)
  const files = isLarge
    ? yield* asSourceError(() =>
      findLineFiles(open, inputs, { minBytes: memoryLimits.chunkBytes / 4, tables: plan.tables })
    )
    : []
  const store = new RecordStore({
    linkRules,
    // Spill from the beginning if the input cannot fit into memory.
    maxInMemoryBytes: isLarge ? -1 : memoryLimits.maxInMemoryBytes,
    files,
    open
  })
  // Inputs can be compressed, so the records can be larger than the inputs.
  const startWorkers = Effect.suspend(() =>
    Math.max(size, store.bytes) >= memoryLimits.minBytesForWorkers ? workers.start : Effect.void
  )
  if (isLarge) yield* startWorkers
  const watch = () => watchVersions(plan, fhirVersion)
  const versions = watch()
  const reading = new RunReading(store, plan, versions, showValues && spill !== "always" ? undefined : labels)
  for (const diagnostic of found.problems) reading.problem({ _tag: "Problem", diagnostic, breaksOff: true })
  const readHere = (some: ReadonlyArray<Input>): Effect.Effect<void, SourceError> =>
    Stream.runForEachArray(
      readInputs(some, { tables: plan.tables, versions, now }),
      (items) =>
        Effect.andThen(
          orSourceError(() => {
            reading.items(items)
            onRead?.(reading.records)
          }),
          Effect.suspend(() => (store.isSpilled ? startWorkers : Effect.void))
        )
    )
  const byLines = new Set<Input>(files.map(({ input }) => input))
  yield* readHere(inputs.filter((input) => !byLines.has(input)))
  if (linkRules !== undefined && files.length > 0) {
    const readChunk = chunkReader(linkRules, watch)
    const irregular = yield* readFiles(workers, files, memoryLimits.chunkBytes, readChunk, (file, chunks) => {
      store.addFile(file.facts.name, chunks)
      reading.file(file, chunks)
      onRead?.(reading.records)
    })
    yield* readHere(Array.from(irregular, ({ input }) => input))
  }
  const stored = yield* orSourceError(() => store.finish())
  if ("links" in stored) reading.notRecords(stored.notRecords)
  const checks = reading.finish(inputs, joins.sameServer)
  const { passedOver, records, tables, unreadable } = reading
  return {
    stored,
    records,
    unreadable,
    passedOver,
    tables,
    missing: reportMissing(plan.grouping.rootType, checks.missing, inputs, tables),
    incomplete: checks.incomplete,
    missingBases: checks.missingBases,
    severalServers: checks.severalServers,
    unreadableRecords: checks.unreadable,
    otherVersions: reading.otherVersions()
  }
})
