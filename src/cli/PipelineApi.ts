import { Context, Effect, type FileSystem, Layer, type Path, type Scope } from "effect"
import { join, relative } from "node:path"
import type { FillVisit } from "../facility/beneficiary/fillVisits.ts"
import type { Facility } from "../facility/Facility.ts"
import { packageFolder } from "../packageFolder.ts"
import type { Conversion, InvalidInput, InvalidMapping, InvalidPart } from "../run/Conversion.ts"
import type { ConversionRequest, PartChoice } from "../run/ConversionRequest.ts"
import type { SourceError } from "../source/SourceError.ts"
import type { ReferenceLists } from "../visit/values/ReferenceList.ts"

/** An error that stops a conversion: an invalid mapping, an unreadable input, or an input that must not be converted. */
type ConversionError = SourceError | InvalidInput | InvalidMapping | InvalidPart

/** The input and the options of a conversion. */
interface ConvertOptions {
  readonly inputs: ReadonlyArray<string>
  readonly facility: Facility
  /** The current time, in milliseconds since 1970. Later times are in the future. */
  readonly now: number
  /** Show file names in full, even if a patient's name is part of them. */
  readonly showValues: boolean
  /** The downloaded standard data. */
  readonly lists: ReferenceLists
  /** Report what no mapping line read. */
  readonly coverage?: boolean
  /** Convert an export of changes even if the export before it is not in the input. */
  readonly withoutBase?: boolean
  /** What evaluates the expressions of the mapping. */
  readonly engine?: ConversionRequest["engine"]
  /** One part of a run that was partitioned. */
  readonly part?: PartChoice
  /** Fills in what the service knows of the patients. */
  readonly fill?: FillVisit
  /** Called while the inputs are read, with the records so far. */
  readonly onRead?: (records: number) => void
}

/** Converts inputs into visits. */
export class Pipeline extends Context.Service<Pipeline, {
  readonly convertAll: (options: ConvertOptions) => Effect.Effect<
    Conversion,
    ConversionError,
    FileSystem.FileSystem | Path.Path | Scope.Scope
  >
}>()("fhir2visit/cli/Pipeline") {
  /** The pipeline is loaded on first use, so that `--help` does not wait for it. */
  static readonly layer = Layer.succeed(Pipeline, {
    convertAll: (options) =>
      Effect.flatMap(
        Effect.promise(() => import("../run/convert.ts")),
        ({ convert }) => convert(requestOf(options))
      )
  })
}

/** The input and the options of a conversion. */
export const requestOf = ({ coverage, facility, lists, ...options }: ConvertOptions): ConversionRequest => ({
  ...options,
  mapping: near(facility.mapping),
  shippedMappings: shippedFolder(),
  facility: facility.code,
  system: facility.system,
  tables: facility.tables.map((table) => ({ ...table, file: near(table.file) })),
  accepted: facility.accepted === null ? undefined : near(facility.accepted),
  sameServer: facility.sameServer,
  fhirVersion: facility.fhirVersion,
  zone: facility.timezone,
  coverage: coverage === true,
  validation: { ...facility.validation, lists }
})

/** The folder of the mappings that come with the program. */
export const shippedFolder = (): string => near(join(packageFolder(), "mappings"))

/** Returns a path for people: relative to the working folder, unless it is outside. */
export const near = (path: string): string => {
  const short = relative("", path)
  return short === "" || short.startsWith("..") ? path : short
}
