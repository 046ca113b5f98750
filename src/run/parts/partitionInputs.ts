import { Effect, Stream } from "effect"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { at } from "../../at.ts"
import { getExisting } from "../../maps.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import { orSourceError } from "../accounts/sourceErrors.ts"
import { InvalidPart } from "../Conversion.ts"
import type { ConversionRequest } from "../ConversionRequest.ts"
import { RecordRole } from "../links/planPartitions.ts"
import { TypeNumbers } from "../links/TypeNumbers.ts"
import { prepareRun } from "../prepareRun.ts"
import { linkRulesOf } from "../read/chunks.ts"
import { readRecords } from "../read/readRun.ts"
import type { SpillIndex } from "../read/SpilledRecords.ts"
import { Bits } from "../records/Bits.ts"
import { LocatedRecords } from "../records/LocatedRecords.ts"
import { orderOf } from "../records/RecordLocations.ts"
import type { RepeatedValues } from "../records/recordText.ts"
import { cutRun, type RunDirectory, taskOf } from "../RunDirectory.ts"
import { makePartitionConverter } from "../workers/partitionConverter.ts"
import type { PartitionTask } from "../workers/PartitionTask.ts"
import { EntryFileWriter, HashedFile, inPart } from "./EntryFile.ts"
import { inputDigest } from "./inputDigest.ts"
import type { Manifest, PartFacts, RunFacts } from "./Manifest.ts"
import { manifestName, maxParts } from "./Manifest.ts"
import { sharedName } from "./openPart.ts"
import { PartitionGroups } from "./PartitionGroups.ts"

/** The size of the parts of a run: a number of parts, or approximate bytes per part. */
type PartitionSize = { readonly count: number } | { readonly bytes: number }

/** Minimum number of partitions in a part if there are enough patients, so that parts can be of equal size. */
const partitionsPerPart = 16

/**
 * Cuts a run into parts that can be converted independently. All visits of a patient code are in one part, with every record they require.
 * Writes the parts into `folder`, which must not exist. Returns the manifest, which is absent if the
 * input holds no records, and the problems of the inputs.
 */
export const partitionInputs = Effect.fn("partitionInputs")(function*(
  request: ConversionRequest,
  size: PartitionSize,
  folder: string
) {
  const { facility, system } = request
  const run = yield* prepareRun(request)
  const { checked: { plan }, files, joins, labels, memoryLimits, workers } = run
  if (linkRulesOf(plan) === undefined) {
    return yield* new InvalidPart({
      title: "the mapping follows texts that are not references, so the export cannot be split",
      help: ["convert the export as a whole"]
    })
  }
  const read = yield* readRecords(request, run, "always")
  const { stored } = read
  const problems = [...read.unreadable, ...read.problems].map((problem) => labels.about(problem))
  if ("records" in stored) return { manifest: undefined, problems }
  const forThreads = {
    ...stored.from,
    deletions: stored.deletions,
    joins,
    unreadable: [],
    sharedBytes: memoryLimits.sharedBytes
  }
  const input = yield* inputDigest(read.found, read, stored.links)
  const converter = makePartitionConverter({ ...run.options, ...forThreads })
  const cut = yield* orSourceError(() => cutForParts(stored, size, memoryLimits.partitionBytes, files))
  const { count, directory } = cut
  const groups = new PartitionGroups(files, cut.bytes.length)
  function* tasks(): Generator<PartitionTask> {
    for (const [number, visits] of cut.visits.entries()) {
      // The partitions of visits come first.
      if (visits === 0) return
      yield taskOf(directory.partitionAt(number), directory)
    }
  }
  let number = 0
  yield* Stream.runForEach(
    workers.codes(tasks(), forThreads, converter.codes),
    (codes) => Effect.sync(() => groups.add(number++, codes))
  )
  return yield* orSourceError(() => {
    const partOf = groups.spread(cut.bytes, count)
    const visits = Array.from({ length: count }, () => 0)
    for (const [number, part] of partOf.entries()) visits[part] = at(visits, part) + at(cut.visits, number)
    inPart(dirname(folder), () => mkdirSync(folder, { mode: 0o700 }))
    const written = new PartsWriter(stored, folder, { partOf, count, directory }).write({
      deletions: stored.deletions,
      lost: read.unreadableRecords,
      unreadable: read.unreadable,
      problems: read.problems,
      tables: read.tables,
      unused: [...stored.unused],
      copies: [...stored.copies],
      hidden: labels.all()
    })
    const leftOut = stored.unused.values().reduce((sum, more) => sum + more, 0)
    const manifest: Manifest = {
      form: 2,
      count,
      facility,
      system,
      mapping: plan.hash,
      input,
      records: read.records + read.unreadable.length,
      leftOut,
      ...written,
      parts: written.parts.map((part, index) => ({ ...part, visits: at(visits, index) }))
    }
    const file = new HashedFile(join(folder, manifestName))
    file.append(`${JSON.stringify(manifest, null, 2)}\n`)
    file.close()
    return { manifest, problems }
  })
})

/** Cuts a run into partitions that are small enough to make parts of equal size. */
const cutForParts = (records: SpillIndex, size: PartitionSize, maxBytes: number, files: OpenFiles) => {
  const sizeOf = (record: number): number => records.locations.lengthAt(record)
  let total = 0
  for (let record = 0; record < records.links.size; record++) total += sizeOf(record)
  const count = "count" in size ? size.count : Math.min(maxParts, Math.max(1, Math.ceil(total / size.bytes)))
  const partitionBytes = Math.max(1, Math.min(maxBytes, Math.floor(total / (count * partitionsPerPart))))
  const directory = cutRun(records, partitionBytes, files)
  const bytes: Array<number> = []
  const visits: Array<number> = []
  for (const { records, roles } of directory.partitions()) {
    const isOwn = (index: number): boolean => (at(roles, index) & RecordRole.shared) === 0
    bytes.push(records.reduce((sum, record, index) => (isOwn(index) ? sum + sizeOf(record) : sum), 0))
    visits.push(roles.reduce((sum, role) => ((role & RecordRole.visit) === 0 ? sum : sum + 1), 0))
  }
  return { count, directory, bytes, visits }
}

/** Markers for a record that no part holds, and for one that several parts hold. */
const [nowhere, several] = [0, 0xffff]

/** Writes the files of the parts. */
class PartsWriter {
  readonly #records: SpillIndex
  readonly #folder: string
  readonly #directory: RunDirectory
  /** The partitions of each part, in the order of the run. */
  readonly #partitionsOf: ReadonlyArray<ReadonlyArray<number>>
  /** The part of each record, from 1. */
  readonly #partOf: Uint16Array
  /** Records that several parts hold, with their numbers among the shared records. */
  readonly #common = new Map<number, number>()
  /** Those of them that belong to no patient, with their positions in the shared file. */
  readonly #shared = new Map<number, number>()
  readonly #values: RepeatedValues

  constructor(
    records: SpillIndex,
    folder: string,
    { count, directory, partOf }: {
      /** The part of each partition, from 0. */
      readonly partOf: ReadonlyArray<number>
      readonly count: number
      readonly directory: RunDirectory
    }
  ) {
    this.#records = records
    this.#folder = folder
    this.#directory = directory
    const partitionsOf = Array.from({ length: count }, (): Array<number> => [])
    for (const [number, part] of partOf.entries()) at(partitionsOf, part).push(number)
    this.#partitionsOf = partitionsOf
    const { sources, values } = records.from
    const names = sources.flatMap((source) => (source._tag === "Lines" ? [source.file.name] : []))
    this.#values = { ...values, files: [...values.files, ...names] }
    this.#partOf = new Uint16Array(records.links.size)
    for (const [number, index] of partOf.entries()) {
      const part = index + 1
      for (const record of directory.partitionAt(number).records) {
        const known = at(this.#partOf, record)
        this.#partOf[record] = known === nowhere || known === part ? part : several
      }
    }
    this.#partOf.forEach((part, record) => {
      if (part === several) this.#common.set(record, this.#common.size)
    })
  }

  write(
    facts: RunFacts
  ): Pick<Manifest, "copied" | "shared"> & {
    readonly parts: ReadonlyArray<Omit<Manifest["parts"][number], "visits">>
  } {
    const ofNobody = Uint32Array.from(this.#common.keys().filter((record) => !this.#records.links.isOfPatient(record)))
    const inShared = this.#inOrder(ofNobody)
    inShared.forEach((record, at) => this.#shared.set(record, at))
    const shared = { file: sharedName, ...this.#write(sharedName, inShared, facts) }
    const parts = this.#partitionsOf.map((partitions, at) => this.#writePart(at + 1, partitions))
    return { shared, parts, copied: this.#common.size - this.#shared.size }
  }

  #writePart(part: number, partitions: ReadonlyArray<number>) {
    const { links } = this.#records
    const seen = new Bits(links.size)
    const [own, requested]: [Array<number>, Array<number>] = [[], []]
    for (const partition of partitions) {
      for (const record of this.#directory.partitionAt(partition).records) {
        if (seen.has(record)) continue
        seen.add(record)
        if (this.#shared.has(record)) requested.push(record)
        else own.push(record)
      }
    }
    const ordered = this.#inOrder(Uint32Array.from(own))
    const inShared = (record: number): number => getExisting(this.#shared, record)
    const shared = requested.toSorted((one, other) => inShared(one) - inShared(other))
    const numbers = new Map([...ordered, ...shared].map((record, number) => [record, number]))
    const types = new TypeNumbers()
    const common = [...numbers].flatMap(([record, number]) => {
      const found = this.#common.get(record)
      return found === undefined ? [] : [[number, found] as const]
    })
    const file = `${String(part).padStart(4, "0")}.records`
    return {
      part,
      file,
      ...this.#write<PartFacts>(file, ordered, {
        typeOf: [...numbers.keys()].map((record) => types.numberOf(links.typeOf(record))),
        types: types.names,
        shared: shared.map(inShared),
        common,
        pieces: partitions.map((partition) => {
          const { records, roles } = this.#directory.partitionAt(partition)
          return [partition, Array.from(records, (record) => getExisting(numbers, record)), roles.join("")]
        })
      }),
      copied: common.length - shared.length
    }
  }

  /** Writes records, which are sorted by location. */
  #write<More>(name: string, records: Uint32Array, more: More) {
    const { from, locations } = this.#records
    const writer = new EntryFileWriter(join(this.#folder, name), this.#values)
    new LocatedRecords(from).readEntries(locations.lists(records), (_, pieces, names) => {
      writer.add(pieces, names)
    })
    return { records: records.length, ...writer.close(more) }
  }

  #inOrder(records: Uint32Array): Uint32Array {
    const order = orderOf(this.#records.locations.lists(records))
    return order === undefined ? records : order.map((index) => at(records, index))
  }
}
