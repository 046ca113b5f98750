import { Context, Effect, type FileSystem, Layer, type Path, type Scope } from "effect"
import { join, relative } from "node:path"
import type { FillVisit } from "../beneficiary/fillVisits.ts"
import type { Facility } from "../facility/Facility.ts"
import { packageFolder } from "../facility/packageFolder.ts"
import type { Shard } from "../partition/cutParts.ts"
import type { Conversion, InvalidInput, MappingRefused, NoShards } from "../pipeline/Conversion.ts"
import type { SourceError } from "../source/SourceError.ts"
import type { ReferenceLists } from "../visit/ReferenceList.ts"

/** What stops a conversion: the mapping is wrong and nothing was read, an input cannot be read, or nothing may be made of it. */
export type ConversionError = SourceError | InvalidInput | MappingRefused | NoShards

/** From inputs to visits, as the commands ask for it. */
export class Pipeline extends Context.Service<Pipeline, {
  readonly convertAll: (options: {
    readonly inputs: ReadonlyArray<string>
    readonly facility: Facility
    /** Milliseconds since 1970: what "in the future" is measured by. */
    readonly now: number
    /** Show file names as they are, also where a patient's name is part of them. */
    readonly showValues: boolean
    /** The standard data that is at hand. */
    readonly lists: ReferenceLists
    /** Tell what no mapping line read. */
    readonly coverage?: boolean
    /** Convert an export of changes also where the export before them is not in the input. */
    readonly withoutBase?: boolean
    /** Only a share of the run. */
    readonly shard?: Shard
    /** Fills in what the service knows of the patients. */
    readonly fill?: FillVisit
  }) => Effect.Effect<Conversion, ConversionError, FileSystem.FileSystem | Path.Path | Scope.Scope>
}>()("fhir2visit/cli/Pipeline") {
  /** The whole machine is loaded when it is first asked for: `--help` does not wait for it. */
  static readonly layer = Layer.succeed(Pipeline, {
    convertAll: ({ coverage, facility, fill, inputs, lists, now, shard, showValues, withoutBase }) =>
      Effect.promise(() => import("../pipeline/convertInputs.ts")).pipe(
        Effect.flatMap(({ convertInputs }) =>
          convertInputs({
            inputs,
            mapping: near(facility.mapping),
            shippedMappings: near(join(packageFolder(), "mappings")),
            facility: facility.code,
            system: facility.system,
            tables: facility.tables.map((table) => ({ ...table, file: near(table.file) })),
            accepted: facility.accepted === null ? undefined : near(facility.accepted),
            sameServer: facility.sameServer,
            fhirVersion: facility.fhirVersion,
            zone: facility.timezone,
            now,
            showValues,
            coverage: coverage === true,
            validation: { ...facility.validation, lists },
            ...(fill === undefined ? {} : { fill }),
            ...(shard === undefined ? {} : { shard }),
            ...(withoutBase === undefined ? {} : { withoutBase })
          })
        )
      )
  })
}

/** A path as people read it: from where they stand, unless that leads upwards. */
export const near = (path: string): string => {
  const short = relative("", path)
  return short === "" || short.startsWith("..") ? path : short
}
