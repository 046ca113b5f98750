import { Effect, Option } from "effect"
import { closeSync, existsSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { at } from "../../at.ts"
import { codeOf, notReadable } from "../../source/read/findInputs.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { SourceError } from "../../source/SourceError.ts"
import { InvalidPart } from "../Conversion.ts"
import type { PartChoice } from "../ConversionRequest.ts"
import type { RunPartition } from "../links/planPartitions.ts"
import type { RecordSources } from "../records/LocatedRecords.ts"
import { locationLists, type RecordLocation } from "../records/RecordLocations.ts"
import { inOrderOfLocations, type RunDirectory } from "../RunDirectory.ts"
import { type FileIdentity, type OpenEntryFile, openEntryFile, repeatedValuesOf } from "./EntryFile.ts"
import type { PartFacts, RunFacts } from "./Manifest.ts"
import { identityOf, keyOf, manifestName, readManifest } from "./Manifest.ts"

const maxManifestBytes = 64 * 1024 * 1024

/** Reads `parts.json`. */
export const openManifest = Effect.fnUntraced(function*(file: string) {
  const read = yield* readTextFile(file, maxManifestBytes)
  if (read._tag === "Unreadable") {
    return yield* read.isMissing
      ? new SourceError({ reason: { _tag: "NotFound", input: file } })
      : new InvalidPart({
        title: `\`${file}\` cannot be read: ${read.why}`,
        help: ["fhir2visit partition EXPORT -o parts/ --into N  writes it"]
      })
  }
  const manifest = Option.getOrUndefined(readManifest(read.text))
  if (manifest === undefined) {
    return yield* new InvalidPart({
      title: `\`${file}\` is not the list of parts that this version of fhir2visit writes`,
      help: ["partition the export again:  fhir2visit partition EXPORT -o parts/ --into N"]
    })
  }
  return { manifest, file, of: identityOf(read.text), key: keyOf(read.text) }
})

/** Opens the records of one part, and the shared records, until the scope ends. Nothing else is read. */
export const openPart = Effect.fnUntraced(function*(
  { count, file, index }: PartChoice,
  inputs: ReadonlyArray<string>
) {
  const [first = "."] = inputs
  const found = yield* openManifest(file ?? manifestBeside(first))
  const { manifest } = found
  const folder = dirname(found.file)
  if (count !== manifest.count) {
    return yield* new InvalidPart({
      title: `--part ${index}/${count}: \`${found.file}\` has ${manifest.count} parts`,
      help: [`--part 1/${manifest.count} to --part ${manifest.count}/${manifest.count}`]
    })
  }
  const part = at(manifest.parts, index - 1)
  const wrong = inputs.find((input) => !isOf(input, folder, [part.file, manifest.shared.file, manifestName]))
  if (wrong !== undefined) {
    const other = manifest.parts.find((one) => one.file === basename(wrong))
    return yield* new InvalidPart({
      title: other === undefined || resolve(dirname(wrong)) !== resolve(folder)
        ? `\`${wrong}\` does not belong to \`${found.file}\``
        : `\`${wrong}\` is part ${other.part}/${count}, and --part is ${index}/${count}`,
      help: [`fhir2visit convert ${folder} --part ${index}/${count} --parts ${found.file}`]
    })
  }
  const shared = yield* open<RunFacts>(folder, manifest.shared)
  const own = yield* open<PartFacts>(folder, part)
  return {
    ...found,
    index,
    part,
    run: shared.index.more,
    ...directoryOf({ own, shared, index, expected: part.visits })
  }
})

const open = <More>(folder: string, { file, ...identity }: FileIdentity & { readonly file: string }) =>
  Effect.acquireRelease(
    Effect.filterOrFail(
      Effect.try({
        try: () => openEntryFile<More>(join(folder, file), identity),
        catch: (error) =>
          codeOf(error) === "ENOENT"
            ? new SourceError({ reason: { _tag: "NotFound", input: join(folder, file) } })
            : notReadable(join(folder, file), error)
      }),
      (opened) => opened !== undefined,
      () =>
        new InvalidPart({
          title: `\`${join(folder, file)}\` is not the file that ${manifestName} lists: its content has changed`,
          help: ["copy the folder again as a whole, or partition the export again"]
        })
    ),
    ({ descriptor }) => Effect.sync(() => closeSync(descriptor))
  )

const manifestBeside = (input: string): string =>
  basename(input) === manifestName ? input : join(isFolder(input) ? input : dirname(input), manifestName)

/** A path that cannot be looked at, such as a link to itself, is reported where it is read. */
const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

export const isFolderOfParts = (input: string): boolean =>
  isFolder(input) && existsSync(join(input, manifestName)) && existsSync(join(input, sharedName))

export const sharedName = "shared.records"

const isOf = (input: string, folder: string, files: ReadonlyArray<string>): boolean =>
  [folder, ...files.map((file) => join(folder, file))].some((one) => resolve(one) === resolve(input))

/** The records of a part and the shared records that it requires, in partitions that are already cut. */
const directoryOf = ({ expected, index, own, shared }: {
  readonly own: OpenEntryFile<PartFacts>
  readonly shared: OpenEntryFile<RunFacts>
  readonly index: number
  readonly expected: number
}): { readonly directory: RunDirectory; readonly from: RecordSources } => {
  const { common, pieces, shared: requested, typeOf, types } = own.index.more
  const [ownLocations, sharedLocations] = [locationsIn(own.index.lengths, 0), locationsIn(shared.index.lengths, 1)]
  const locations = [...ownLocations, ...requested.map((index) => at(sharedLocations, index))]
  const locationsOf = (records: Uint32Array) => locationLists(Array.from(records, (record) => at(locations, record)))
  const partitionAt = (number: number): RunPartition => {
    const [, records, roles] = at(pieces, number)
    const partition = { number, records: Uint32Array.from(records), roles: Uint8Array.from(roles, Number) }
    return inOrderOfLocations(partition, locationsOf)
  }
  const { copies, unused } = shared.index.more
  const isFirst = index === 1
  return {
    from: {
      values: repeatedValuesOf([shared.index, own.index]),
      sources: [{ _tag: "Entries", bytes: own.source }, { _tag: "Entries", bytes: shared.source }]
    },
    directory: {
      size: locations.length,
      // `partition` wrote the number of a type for each record, and the name of each type.
      typeOf: (record) => types[typeOf[record]!]!,
      locationsOf,
      *partitions() {
        for (const number of pieces.keys()) yield partitionAt(number)
      },
      partitionAt,
      expected,
      // The first part reports what concerns the run as a whole.
      unused: new Map(isFirst ? unused : []),
      copies: new Map(isFirst ? copies : []),
      positionOf: (partition) => at(pieces, partition)[0],
      common: new Map(common)
    }
  }
}

const locationsIn = (lengths: ReadonlyArray<number>, source: number): ReadonlyArray<RecordLocation> => {
  let offset = 0
  return lengths.map((length) => {
    const location = { source, offset, length, mark: 0 }
    offset += length
    return location
  })
}
