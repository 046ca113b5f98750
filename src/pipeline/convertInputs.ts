import { Data, Effect, Stream } from "effect"
import { availableParallelism, totalmem } from "node:os"
import type { FillVisit } from "../beneficiary/fillVisits.ts"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { setProcessZone } from "../fhirpath/processZone.ts"
import { loadMapping } from "../mapping/loadMapping.ts"
import type { NamedTable } from "../mapping/tables/expandTables.ts"
import type { OperatorError } from "../operator/OperatorError.ts"
import type { Shard } from "../partition/cutParts.ts"
import type { PutAside } from "../partition/RecordStore.ts"
import { RecordStore } from "../partition/RecordStore.ts"
import type { Input } from "../source/findInputs.ts"
import { findInputs } from "../source/findInputs.ts"
import { findLineFiles, sizeOfInputs } from "../source/findLineFiles.ts"
import type { PlacedLostRecord } from "../source/LostRecord.ts"
import type { ReadItem, ReadProblem } from "../source/Reading.ts"
import { readInputs } from "../source/readInput.ts"
import type { RecordIndex } from "../source/RecordIndex.ts"
import { duplicatesOf } from "../source/RecordIndex.ts"
import { SourceError } from "../source/SourceError.ts"
import { missingTables, tellMissing } from "../source/tables/missingTables.ts"
import type { TableFile } from "../source/tables/TableLayout.ts"
import type { ReferenceListType } from "../visit/Field.ts"
import type { RuleSettings } from "../visit/rules/Rule.ts"
import { makeUniqueInRun } from "../visit/rules/uniqueInRun.ts"
import { validateVisit } from "../visit/validateVisit.ts"
import type { PartOptions } from "./convertPart.ts"
import { convertParts } from "./convertParts.ts"
import type { CheckVisit, ConvertedVisit, Home, RecordTotals, RejectedRecord } from "./convertRecords.ts"
import { convertRecords } from "./convertRecords.ts"
import { FileLabels } from "./fileLabels.ts"
import { LostCollector, LostRecords } from "./LostRecords.ts"
import type { PartConverter, StandingRecords } from "./partConverter.ts"
import { makePartConverter } from "./partConverter.ts"
import type { PartResult, PartTask } from "./PartTask.ts"
import { linkingOf, readFiles } from "./stretches.ts"
import { WorkerTeam } from "./WorkerTeam.ts"

/** The mapping is wrong: no record was read. */
export class MappingRefused extends Data.TaggedError("MappingRefused")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** The run cannot be cut: the mapping goes from record to record in ways that are only known while data flows. */
export class NoShards extends Data.TaggedError("NoShards") {
  override get message() {
    return "this run cannot be cut into shards: the mapping follows texts that are no references"
  }
}

/** What a conversion is asked for. */
export interface ConversionRequest {
  readonly inputs: ReadonlyArray<string>
  readonly mapping: string
  /** The folder of the mappings that come with the program. */
  readonly shippedMappings: string
  readonly facility: string | null
  readonly system: string | null
  /** Code tables of the facility, put on top of the mapping's concept maps. */
  readonly tables?: ReadonlyArray<NamedTable>
  /** IANA name. */
  readonly zone: string
  /** Milliseconds since 1970: what "in the future" is measured by. */
  readonly now: number
  /** Shows file names as they are, also where a patient's name is part of them. */
  readonly showValues: boolean
  /** Tell what no mapping line read. It takes time and memory for each record. */
  readonly coverage?: boolean
  /** What validation is told where it differs from the usual, and the lists that are at hand. */
  readonly validation?: Partial<RuleSettings>
  /** Fills in what is known of a visit elsewhere, before it is validated. */
  readonly fill?: FillVisit
  /** Where the run is cut when it does not fit; usual figures, unless said. */
  readonly room?: Partial<Room>
  /** Only a share of the run. It cannot be had together with `coverage`. */
  readonly shard?: Shard
}

/** How much of a run is in memory at once. */
export interface Room {
  /** Bytes of records that are held in memory. A larger run is put aside on disk and converted part by part. */
  readonly heldBytes: number
  /** Bytes of the records of a part, about. */
  readonly partBytes: number
  /** Bytes of a file that a thread reads at once, about. Files much smaller are read by the main thread. */
  readonly stretchBytes: number
  /** Threads that read stretches and convert parts beside this one. */
  readonly workers: number
  /** The memory of each for what lives longer, in MB. A part that does not fit is converted by the main thread. */
  readonly workerMegabytes: number
  /** Whether the main thread does what no worker has room for. */
  readonly helps: boolean
}

/** What the machine, or the container, gives us, in bytes. */
const memoryOf = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

const hasRoom = memoryOf() >= 1024 ** 3

const usualRoom: Room = {
  heldBytes: (hasRoom ? 32 : 16) * 1024 * 1024,
  partBytes: 512 * 1024,
  stretchBytes: 2 * 1024 * 1024,
  // One for each core beside this thread's; each takes about 90 MB for itself: where there is less than a gigabyte this thread does all.
  workers: hasRoom ? Math.min(availableParallelism() - 1, 3) : 0,
  workerMegabytes: 128,
  helps: true
}

/** What is known when the last visit has been taken. */
export interface ConversionTotals extends RecordTotals {
  /** Records that were met: in a visit, rejected (unreadable ones too), or not used. */
  readonly records: number
  /** Visits that were made. */
  readonly groups: number
  /** Problems that belong to no visit: of the inputs as a whole, and of records that are in several places. */
  readonly problems: ReadonlyArray<Diagnostic>
}

/** What was read, and the visits made of it. */
export interface Conversion {
  /** Records that were read, those that could not be read among them. */
  readonly records: number
  /** Of these, lines, entries and files that could not be read; each is one of the rejected. */
  readonly unreadable: number
  /** How many visits there will be; about, where the run is converted part by part. */
  readonly groups: number
  /** The files of tables that were read. */
  readonly tables: ReadonlyArray<TableFile>
  /** In an order that does not depend on the order of the inputs. */
  readonly visits: Stream.Stream<ConvertedVisit, SourceError | OperatorError>
  /** Complete once `visits` has ended. */
  readonly totals: () => ConversionTotals
  /** Where a field of a visit came from, by the visit's source: for what the service says of it. */
  readonly homeOf: (source: string, field: string) => Home | undefined
  readonly mappingHash: string
  /** The list of the standard data that the values of a concept map come from, by the concept map's name. */
  readonly conceptMapLists: ReadonlyMap<string, ReferenceListType>
}

/**
 * From inputs to visits: checks the mapping, reads every input, then converts visit by visit as they are taken. Nothing is read
 * when the mapping is wrong.
 */
export const convertInputs = Effect.fn("convertInputs")(function*(request: ConversionRequest) {
  setProcessZone(request.zone)
  const { checked, problems: mistakes, syntax } = yield* loadMapping(request.mapping, request.shippedMappings, {
    ...(request.tables === undefined ? {} : { tables: request.tables }),
    ...(request.validation?.lists === undefined ? {} : { lists: request.validation.lists })
  })
  if (checked === undefined || syntax === undefined) return yield* new MappingRefused({ problems: mistakes })
  const found = yield* findInputs(request.inputs)
  const { fill } = request
  const room = { ...usualRoom, ...request.room }
  const settings = {
    ...request.validation,
    now: request.now,
    ...(request.facility === null ? {} : { facilityCode: request.facility })
  }
  const { plan } = checked
  const { facility, system, zone } = request
  // Coverage looks at all records together.
  const linking = request.coverage === true ? undefined : linkingOf(plan)
  // What is filled in is asked of the service by this thread.
  const team = new WorkerTeam(
    { mapping: syntax, hash: plan.hash, facility, system, zone, validation: settings },
    fill === undefined ? room : { ...room, workers: 0 }
  )
  const { shard } = request
  if (shard !== undefined && linking === undefined) return yield* new NoShards()
  const isLarge = linking !== undefined &&
    (shard !== undefined || (yield* Effect.promise(() => sizeOfInputs(found.inputs))) > room.heldBytes)
  const files = isLarge
    ? yield* asSourceError(() => findLineFiles(found.inputs, { least: room.stretchBytes / 4, tables: plan.tables }))
    : []
  if (isLarge) team.start()
  const store = new RecordStore({
    linking,
    // What will not fit is not held until it does not.
    heldBytes: isLarge ? -1 : room.heldBytes,
    files,
    beginPuttingAside: () => team.start()
  })
  const labels = new FileLabels()
  let records = 0
  const unreadable: Array<Diagnostic> = []
  const passedOver: Array<Diagnostic> = []
  const general = [...mistakes]
  const tables: Array<TableFile> = []
  // A file of a folder that holds no records is passed over with a warning; what should have been a record is rejected.
  const sort = (problem: Diagnostic) => (problem.severity === "error" ? unreadable : passedOver).push(problem)
  const collector = new LostCollector({
    types: plan.followed.types,
    tables: plan.tables,
    rootType: plan.grouping.rootType
  })
  const sortRead = (problem: ReadProblem): void => {
    sort(problem.diagnostic)
    collector.problem(problem)
  }
  for (const diagnostic of found.problems) sortRead({ _tag: "Problem", diagnostic, breaksOff: true })
  const keep = (items: ReadonlyArray<ReadItem>): void => {
    for (const item of items) {
      if (item._tag === "Problem") {
        sortRead(item)
        continue
      }
      if (item._tag === "Table") tables.push(item.table)
      if (item._tag === "Page") collector.page(item.page)
      store.add(item)
      if (item._tag === "Record") {
        records++
        collector.record(item.record)
        if (!request.showValues) labels.learn(item.record)
      }
    }
  }
  const read = (inputs: ReadonlyArray<Input>) =>
    Stream.runForEachArray(readInputs(inputs, { tables: plan.tables }), (items) => orSourceError(() => keep(items)))
  const byLines = new Set<Input>(files.map(({ input }) => input))
  const stored = yield* Effect.gen(function*() {
    yield* read(found.inputs.filter((input) => !byLines.has(input)))
    if (linking !== undefined && files.length > 0) {
      const irregular: Array<Input> = []
      yield* Stream.runForEach(
        Stream.fromAsyncIterable(readFiles(team, files, room.stretchBytes, linking), sourceErrorOrDie),
        ({ file, stretches }) =>
          orSourceError(() => {
            if (stretches.some((stretch) => stretch.irregular)) return void irregular.push(file.input)
            store.addFile(stretches)
            let lines = 0
            for (const { count, hidden, problems, ...stretch } of stretches) {
              records += count
              if (!request.showValues) labels.hide(file.facts.name, hidden)
              const { links, spare } = stretch.records
              collector.types(file.facts.name, [...links.typeNames, ...spare.typeNames])
              for (const problem of problems) sortRead({ ...problem, diagnostic: atLine(problem.diagnostic, lines) })
              lines += stretch.lines
            }
          })
      )
      yield* read(irregular)
    }
    return yield* orSourceError(() => store.finish())
  }).pipe(
    Effect.onError(() => Effect.promise(() => team.end()))
  )
  // Nobody asks for parts: there was no record after all, or this thread makes the visits.
  if (stored._tag === "Held" || fill !== undefined) yield* Effect.promise(() => team.end())
  if (stored._tag === "PutAside") {
    records -= stored.records.lost.length
    stored.records.lost.forEach(sort)
  }
  collector.missingPages().forEach(sortRead)
  const missing = missingTables(plan.tables, found.inputs, tables)
  collector.missingTables(missing)
  const lost = collector.all()
  const order = new Map(found.inputs.map(({ name }, index) => [name, index]))
  const orderOf = ({ origin }: Diagnostic): number => order.get(origin?.file ?? "") ?? -1
  for (const list of [unreadable, passedOver]) list.sort((one, other) => orderOf(one) - orderOf(other))
  general.push(...tellMissing(plan.grouping.rootType, missing, found.inputs, tables))
  // What belongs to a run as a whole is told by its first shard.
  if (shard !== undefined && shard.index > 1) {
    for (const list of [unreadable, passedOver, tables, general]) list.length = 0
  }
  const options = {
    checked,
    facility,
    system,
    zone,
    checkVisit: (visit: Readonly<Record<string, unknown>>) => validateVisit(visit, settings),
    levels: settings.levels,
    currencies: settings.currencies,
    maxBytes: settings.maxBytes
  }
  const compareVisit = makeUniqueInRun()
  let made = 0
  const { groups, homeOf, problems, totals, visits } = stored._tag === "Held"
    ? heldRun({ ...options, compareVisit, coverage: request.coverage === true }, stored.index, lost, fill)
    : asideRun(
      { ...options, compareVisit },
      stored.records,
      lost,
      { partBytes: room.partBytes, ...(shard === undefined ? {} : { shard }) },
      fill,
      team
    )
  const labelled = <A extends Pick<Diagnostic, "origin" | "facts">>(about: A): A => labels.about(about)
  return {
    records: records + unreadable.length,
    unreadable: unreadable.length,
    groups,
    tables: tables.map((table) => ({ ...table, file: labels.of(table.file) })),
    visits: Stream.map(visits, (visit) => {
      made++
      return { ...labelled(visit), problems: visit.problems.map(labelled) }
    }),
    totals: () => {
      const all = totals()
      return {
        ...all,
        groups: made,
        records: unreadable.length + all.usedRecords + all.rejectedRecords.length +
          all.unused.values().reduce((sum, count) => sum + count, 0),
        rejectedRecords: [...unreadable.map(rejectedInput), ...all.rejectedRecords].map((record) => ({
          ...labelled(record),
          problems: record.problems.map(labelled)
        })),
        problems: [...general, ...passedOver, ...problems()].map(labelled),
        ...(all.coverage === undefined ? {} : {
          coverage: {
            types: all.coverage.types,
            elements: all.coverage.elements.map(labelled),
            unusedRecords: all.coverage.unusedRecords.map(labelled)
          }
        })
      }
    },
    homeOf: (source, field) => {
      const home = homeOf(source, field)
      return home === undefined ? undefined : labelled(home)
    },
    mappingHash: plan.hash,
    conceptMapLists: new Map(
      [...plan.conceptMaps.values()].flatMap(({ list, name }) => (list === undefined ? [] : [[name, list]]))
    )
  } satisfies Conversion as Conversion
})

/** The same problem in a file that has so many lines before. */
const atLine = (problem: Diagnostic, before: number): Diagnostic =>
  problem.origin === undefined
    ? problem
    : { ...problem, origin: { ...problem.origin, line: problem.origin.line + before } }

const sourceErrorOrDie = (error: unknown): SourceError => {
  if (error instanceof SourceError) return error
  throw error
}

const asSourceError = <A>(work: () => Promise<A>): Effect.Effect<A, SourceError> =>
  Effect.tryPromise({ try: work, catch: sourceErrorOrDie })

/** Something that may fail for want of room on the disk. */
const orSourceError = <A>(work: () => A): Effect.Effect<A, SourceError> =>
  Effect.try({ try: work, catch: sourceErrorOrDie })

interface RunOptions extends Omit<PartOptions, "records" | "wanted" | "lost"> {
  readonly compareVisit: CheckVisit
}

/** The first visits are written while others are still to be made. */
const fewAtOnce = { chunkSize: 16 }

/** The visits of a run, however its records are kept. */
type Run = Pick<Conversion, "groups" | "homeOf" | "visits"> & {
  readonly totals: () => RecordTotals
  readonly problems: () => ReadonlyArray<Diagnostic>
}

const heldRun = (
  options: RunOptions,
  records: RecordIndex,
  unread: ReadonlyArray<PlacedLostRecord>,
  fill: FillVisit | undefined
): Run => {
  const { levels } = options
  const lost = new LostRecords(unread, levels?.get("incomplete-visit"))
  const { drafts, groups, homeOf, totals, visits } = convertRecords({ ...options, records, lost })
  return {
    groups,
    homeOf,
    totals,
    problems: () => duplicatesOf(records, options.checked.plan.followed.types).map(({ problem }) => problem),
    visits: fill === undefined
      ? Stream.fromIterable(visits, fewAtOnce)
      : Stream.mapEffect(
        Stream.fromIterable(drafts, fewAtOnce),
        (draft) => Effect.map(fill(draft.visit), ({ problems, visit }) => draft.finish(visit, problems))
      )
  }
}

const asideRun = (
  { compareVisit, ...options }: RunOptions,
  records: PutAside,
  lost: ReadonlyArray<PlacedLostRecord>,
  cutting: { readonly partBytes: number; readonly shard?: Shard },
  fill: FillVisit | undefined,
  team: WorkerTeam
): Run => {
  const standing: StandingRecords = { where: records.where, lost }
  let made: PartConverter | undefined
  const converter = (): PartConverter => (made ??= makePartConverter({ ...options, ...standing }))
  const { expected, take, tasks, ...run } = convertParts({
    records,
    ...cutting,
    converter,
    compareVisit,
    levels: options.levels,
    currencies: options.currencies
  })
  const filled = (task: PartTask, fill: FillVisit) => {
    const { drafts, result } = converter().open(task)
    return Effect.map(
      Effect.forEach(
        drafts(),
        (draft) => Effect.map(fill(draft.visit), ({ problems, visit }) => draft.finish(visit, problems))
      ),
      result
    )
  }
  const results: Stream.Stream<PartResult, SourceError | OperatorError> = fill !== undefined
    ? Stream.mapEffect(Stream.fromIterable(tasks(), { chunkSize: 1 }), (task) => filled(task, fill))
    : Stream.fromAsyncIterable(
      team.convert(tasks(), standing, (task) => converter().convert(task)),
      sourceErrorOrDie
    )
  return { ...run, groups: expected, visits: Stream.flatMap(results, (result) => Stream.fromIterable(take(result))) }
}

const rejectedInput = (problem: Diagnostic): RejectedRecord => ({
  source: problem.source ?? problem.origin?.reference ?? "",
  origin: problem.origin ?? { file: "", line: 0, reference: "" },
  problems: [problem]
})
