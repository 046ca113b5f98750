import { Effect, Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { watchVersions } from "../mapping/grouping/watchVersions.ts"
import type { MappingPlan } from "../mapping/MappingPlan.ts"
import type { FoundInputs, Input } from "../source/read/findInputs.ts"
import { findLineFiles, sizeOfInputs } from "../source/read/findLineFiles.ts"
import { readInputs } from "../source/read/readInput.ts"
import type { JoinRules } from "../source/records/Servers.ts"
import type { LocatedUnreadableRecord } from "../source/records/UnreadableRecord.ts"
import type { SourceError } from "../source/SourceError.ts"
import { missingTables, reportMissing } from "../source/tables/missingTables.ts"
import type { TableFile } from "../source/tables/TableLayout.ts"
import type { FhirVersionSetting } from "../source/versions/FhirVersion.ts"
import type { FileLabels } from "./accounts/fileLabels.ts"
import { asSourceError, orSourceError, sourceErrorOrDie } from "./accounts/sourceErrors.ts"
import { UnreadableCollector } from "./accounts/UnreadableRecords.ts"
import type { MemoryLimits } from "./ConversionRequest.ts"
import type { Linking } from "./partition/Links.ts"
import type { Stored } from "./partition/RecordStore.ts"
import { RecordStore } from "./partition/RecordStore.ts"
import { RunReading } from "./RunReading.ts"
import { chunkReader, readFiles } from "./workers/chunks.ts"
import type { WorkerPool } from "./workers/WorkerPool.ts"

/** What a run reads, and its memory limits. */
interface RunInputs {
  readonly found: FoundInputs
  readonly plan: MappingPlan
  readonly joins: JoinRules
  readonly fhirVersion: FhirVersionSetting | undefined
  /** Without it all records are held in memory. */
  readonly linking: Linking | undefined
  readonly room: MemoryLimits
  /** Cuts the run into parts even if it would fit into memory. */
  readonly isCut: boolean
  /** Collects the words of file names that are names of patients; absent if they may be shown. */
  readonly labels: FileLabels | undefined
  /** Called with the number of records so far. */
  readonly onRead?: ((records: number) => void) | undefined
}

/** Everything that was read, and the problems to report in the order of the inputs. */
interface RunRead {
  readonly stored: Stored
  /** Records that were read. */
  readonly records: number
  /** Input that should contain a record and could not be read. */
  readonly unreadable: ReadonlyArray<Diagnostic>
  /** Input without records. */
  readonly passedOver: ReadonlyArray<Diagnostic>
  readonly tables: ReadonlyArray<TableFile>
  /** Inputs that the mapping requires and that are missing. */
  readonly missing: ReadonlyArray<Diagnostic>
  /** Why exports of the input are incomplete. */
  readonly incomplete: ReadonlyArray<Diagnostic>
  /** Exports of changes whose base is not in the input. */
  readonly missingBases: ReadonlyArray<Diagnostic>
  /** Records that should be in the input and could not be read. */
  readonly lost: ReadonlyArray<LocatedUnreadableRecord>
  /** Records of other FHIR versions: the input cannot be converted. */
  readonly otherVersions: ReadonlyArray<Diagnostic>
}

/** Reads every input of a run: large line files in parallel with the workers, all others on this thread. */
export const readRun = Effect.fn("readRun")(function*(
  { fhirVersion, found, isCut, joins, labels, linking, onRead, plan, room }: RunInputs,
  team: WorkerPool
) {
  const { inputs } = found
  const isLarge = linking !== undefined &&
    (isCut || (yield* Effect.promise(() => sizeOfInputs(inputs))) > room.maxInMemoryBytes)
  const files = isLarge
    ? yield* asSourceError(() => findLineFiles(inputs, { least: room.chunkBytes / 4, tables: plan.tables }))
    : []
  if (isLarge) team.start()
  const store = new RecordStore({
    linking,
    joins,
    // Spill from the beginning if the input cannot fit into memory.
    maxInMemoryBytes: isLarge ? -1 : room.maxInMemoryBytes,
    files,
    beginPuttingAside: () => team.start()
  })
  const collector = new UnreadableCollector({
    types: plan.followed.types,
    tables: plan.tables,
    rootType: plan.grouping.rootType
  })
  const watch = () => watchVersions(plan, fhirVersion)
  const versions = watch()
  const reading = new RunReading(store, collector, versions, labels)
  for (const diagnostic of found.problems) reading.problem({ _tag: "Problem", diagnostic, breaksOff: true })
  const readHere = (some: ReadonlyArray<Input>): Effect.Effect<void, SourceError> =>
    Stream.runForEachArray(
      readInputs(some, { tables: plan.tables, versions }),
      (items) =>
        orSourceError(() => {
          reading.items(items)
          onRead?.(reading.records)
        })
    )
  const byLines = new Set<Input>(files.map(({ input }) => input))
  yield* readHere(inputs.filter((input) => !byLines.has(input)))
  if (linking !== undefined && files.length > 0) {
    const irregular: Array<Input> = []
    const readChunk = chunkReader(linking, watch)
    yield* Stream.runForEach(
      Stream.fromAsyncIterable(readFiles(team, files, room.chunkBytes, readChunk), sourceErrorOrDie),
      ({ file, chunks: stretches }) =>
        orSourceError(() => {
          if (stretches.some((stretch) => stretch.irregular)) irregular.push(file.input)
          else reading.file(file, stretches)
          onRead?.(reading.records)
        })
    )
    yield* readHere(irregular)
  }
  const stored = yield* orSourceError(() => store.finish())
  if (stored._tag === "Spilled") reading.lost(stored.records.lost)
  collector.missingPages().forEach((problem) => reading.problem(problem))
  const missing = missingTables(plan.tables, inputs, reading.tables)
  collector.missingTables(missing)
  const judged = collector.judge(inputs.map(({ name }) => name))
  for (const diagnostic of versions.notes()) reading.problem({ _tag: "Problem", diagnostic })
  reading.arrange(inputs)
  const { passedOver, records, tables, unreadable } = reading
  return {
    stored,
    records,
    unreadable,
    passedOver,
    tables,
    missing: reportMissing(plan.grouping.rootType, missing, inputs, tables),
    incomplete: judged.problems,
    missingBases: judged.missingBases,
    lost: collector.all(),
    otherVersions: versions.problems()
  } satisfies RunRead as RunRead
})
