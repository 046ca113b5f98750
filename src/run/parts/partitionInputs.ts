import { Effect, Stream } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import { orSourceError } from "../accounts/sourceErrors.ts"
import { PartitionRefused } from "../Conversion.ts"
import type { ConversionRequest } from "../ConversionRequest.ts"
import { PartitionStore, planPartitions, RecordRole } from "../links/planPartitions.ts"
import { TypeNumbers } from "../links/TypeNumbers.ts"
import { prepareRun } from "../prepareRun.ts"
import { linkingOf } from "../read/chunks.ts"
import { readRecords } from "../read/readRun.ts"
import type { SpillIndex } from "../read/SpilledRecords.ts"
import { at } from "../records/at.ts"
import { Bits } from "../records/Bits.ts"
import { LocatedRecords } from "../records/LocatedRecords.ts"
import { orderOf } from "../records/RecordLocations.ts"
import type { SharedRecordData } from "../records/recordText.ts"
import { inOrderOfLocations, taskOf } from "../RunDirectory.ts"
import { makePartitionConverter } from "../workers/partitionConverter.ts"
import { EntryFileWriter, HashedFile } from "./EntryFile.ts"
import { inputDigest } from "./inputDigest.ts"
import type { Manifest, PartFacts, RunFacts } from "./Manifest.ts"
import { manifestName } from "./Manifest.ts"
import { sharedName } from "./openPart.ts"
import { PieceGroups } from "./PieceGroups.ts"

/** The size of the parts of a run: a number of parts, or approximate bytes per part. */
type PartitionSize = { readonly count: number } | { readonly bytes: number }

const maxParts = 9999

/** Minimum number of pieces in a part if there are enough patients, so that parts can be of equal size. */
const piecesPerPart = 16

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
  const { checked: { plan }, files, joins, labels, room, workers } = run
  if (linkingOf(plan) === undefined) {
    return yield* new PartitionRefused({
      title:
        "this mapping follows texts that are no references: which records belong together is only known while they are converted",
      help: ["convert the export as a whole"]
    })
  }
  const read = yield* readRecords(request, run, true)
  const { stored } = read
  const problems = [...read.unreadable, ...read.problems].map((problem) => labels.about(problem))
  if ("records" in stored) return { manifest: undefined, problems }
  const shared = { ...stored.from, deletions: stored.deletions, joins, lost: [] }
  const input = yield* inputDigest(read.found, read, stored.links)
  const converter = makePartitionConverter({ ...run.options, ...shared })
  const pieces = yield* orSourceError(() => cutPieces(stored, size, room.partitionBytes, files))
  const { count } = pieces
  const groups = new PieceGroups(files, pieces.stored.length)
  // The pieces of visits come first.
  let piece = 0
  yield* Stream.runForEach(
    workers.codes(tasksOf(pieces, stored.locations), shared, converter.codes),
    (codes) => Effect.sync(() => groups.add(piece++, codes))
  )
  return yield* orSourceError(() => {
    const partOf = groups.spread(pieces.bytes, count)
    const visits = Array.from({ length: count }, () => 0)
    for (const [piece, part] of partOf.entries()) visits[part] = at(visits, part) + at(pieces.visits, piece)
    mkdirSync(folder, { mode: 0o700 })
    const written = new PartitionWriter(stored, folder, { partOf, count, pieces: pieces.stored }).write({
      deletions: stored.deletions,
      lost: read.lost,
      unreadable: read.unreadable,
      problems: read.problems,
      tables: read.tables,
      unused: [...stored.unused],
      copies: [...stored.copies],
      hidden: labels.all()
    })
    const leftOut = stored.unused.values().reduce((sum, more) => sum + more, 0)
    const manifest: Manifest = {
      form: 1,
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

function* tasksOf({ stored, visits }: ReturnType<typeof cutPieces>, locations: SpillIndex["locations"]) {
  const locationsOf = (records: Uint32Array) => locations.lists(records)
  for (const [piece, count] of visits.entries()) {
    if (count === 0) return
    yield taskOf(inOrderOfLocations(stored.at(piece), locationsOf), { locationsOf })
  }
}

/** Cuts a run into pieces of consecutive visits. */
const cutPieces = ({ links, locations }: SpillIndex, size: PartitionSize, mostBytes: number, files: OpenFiles) => {
  const sizeOf = (record: number): number => locations.lengthAt(record)
  let total = 0
  for (let record = 0; record < links.size; record++) total += sizeOf(record)
  const count = "count" in size ? size.count : Math.min(maxParts, Math.max(1, Math.ceil(total / size.bytes)))
  const partitionBytes = Math.max(1, Math.min(mostBytes, Math.floor(total / (count * piecesPerPart))))
  const stored = new PartitionStore(files)
  const bytes: Array<number> = []
  const visits: Array<number> = []
  for (const piece of planPartitions({ links, partitionBytes, sizeOf })) {
    stored.push(piece)
    bytes.push(piece.records.reduce((sum, record) => sum + sizeOf(record), 0))
    visits.push(piece.roles.reduce((sum, role) => ((role & RecordRole.visit) === 0 ? sum : sum + 1), 0))
  }
  return { count, stored, bytes, visits }
}

/** Markers for a record that no part holds, and for one that several parts hold. */
const [nowhere, several] = [0, 0xffff]

/** Writes the files of a partition. */
class PartitionWriter {
  readonly #records: SpillIndex
  readonly #folder: string
  readonly #pieces: PartitionStore
  /** The pieces of each part, in the order of the run. */
  readonly #piecesOf: ReadonlyArray<ReadonlyArray<number>>
  /** The part of each record, from 1. */
  readonly #partOf: Uint16Array
  /** Records that several parts hold, with their numbers among the shared records. */
  readonly #common = new Map<number, number>()
  /** Those of them that belong to no patient, with their positions in the shared file. */
  readonly #shared = new Map<number, number>()
  readonly #values: SharedRecordData

  constructor(
    records: SpillIndex,
    folder: string,
    { count, partOf, pieces }: {
      readonly partOf: ReadonlyArray<number>
      readonly count: number
      readonly pieces: PartitionStore
    }
  ) {
    this.#records = records
    this.#folder = folder
    this.#pieces = pieces
    const piecesOf = Array.from({ length: count }, (): Array<number> => [])
    for (const [piece, part] of partOf.entries()) at(piecesOf, part).push(piece)
    this.#piecesOf = piecesOf
    const { sources, values } = records.from
    const names = sources.flatMap((source) => (source._tag === "Lines" ? [source.file.name] : []))
    this.#values = { ...values, files: [...values.files, ...names] }
    this.#partOf = new Uint16Array(records.links.size)
    for (let piece = 0; piece < pieces.length; piece++) {
      const part = at(partOf, piece) + 1
      for (const record of pieces.at(piece).records) {
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
    const parts = this.#piecesOf.map((pieces, at) => this.#writePart(at + 1, pieces))
    return { shared, parts, copied: this.#common.size - this.#shared.size }
  }

  #writePart(part: number, pieces: ReadonlyArray<number>) {
    const { links } = this.#records
    const seen = new Bits(links.size)
    const [own, requested]: [Array<number>, Array<number>] = [[], []]
    for (const piece of pieces) {
      for (const record of this.#pieces.at(piece).records) {
        if (seen.has(record)) continue
        seen.add(record)
        if (this.#shared.has(record)) requested.push(record)
        else own.push(record)
      }
    }
    const ordered = this.#inOrder(Uint32Array.from(own))
    const shared = requested.toSorted((one, other) => this.#shared.get(one)! - this.#shared.get(other)!)
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
        shared: shared.map((record) => this.#shared.get(record)!),
        common,
        pieces: pieces.map((piece) => {
          const { records, roles } = this.#pieces.at(piece)
          return [piece, [...records].map((record) => numbers.get(record)!), roles.join("")]
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
