import { Context, Data, type Effect, type FileSystem, type Path, type Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Facility } from "../facility/Facility.ts"
import type { Origin } from "../source/SourceRecord.ts"

/** A visit as it came out of the mapping and the validation. */
export interface ConvertedVisit {
  /** `null` when none could be found. */
  readonly code: string | null
  /** The visit's JSON, byte for byte as it would stand in the request's `visits`. */
  readonly json: string
  /** It may be sent: none of its problems is an error. */
  readonly ready: boolean
  readonly problems: ReadonlyArray<Diagnostic>
  /** The record it grew from: `Encounter/5b1e44`. */
  readonly source: string
  readonly origin: Origin
}

/** A record that belongs to no visit, and why. */
export interface RejectedRecord {
  readonly source: string
  readonly origin: Origin
  readonly problems: ReadonlyArray<Diagnostic>
}

/** A code that has no row in a code table. */
export interface UnmappedCode {
  readonly table: string
  readonly system: string | null
  readonly code: string
  readonly display: string | null
  readonly count: number
}

/** What is known when the last visit has been taken. */
export interface ConversionTotals {
  /** Records that are in a visit. */
  readonly usedRecords: number
  readonly rejectedRecords: Iterable<RejectedRecord>
  /** Records of types the mapping does not read, by type. */
  readonly unused: ReadonlyMap<string, number>
  readonly unmapped: ReadonlyArray<UnmappedCode>
  /** Problems that belong to no visit and no record: a file that cannot be read. */
  readonly problems: ReadonlyArray<Diagnostic>
}

/** What was read, and the visits made of it. */
export interface Conversion {
  readonly groups: number
  /** Records that were read. */
  readonly records: number
  /** Lines and entries that are not records, each one of the rejected ones. */
  readonly unreadable: number
  /** In an order that does not depend on the order of the inputs. */
  readonly visits: Stream.Stream<ConvertedVisit, ConversionError>
  /** Complete once `visits` has ended. */
  readonly totals: () => ConversionTotals
  readonly mappingHash: string
}

/** The mapping is wrong: no record was read. */
export class MappingRefused extends Data.TaggedError("MappingRefused")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** An input cannot be read: the world's fault, or the command line's when there is no such file. */
export class SourceError extends Data.TaggedError("SourceError")<{
  readonly file: string
  readonly reason: "NotFound" | "NotReadable"
  readonly detail: string
}> {}

export type ConversionError = SourceError | MappingRefused

/** From inputs to visits. */
export class Pipeline extends Context.Service<Pipeline, {
  readonly convertAll: (options: {
    readonly inputs: ReadonlyArray<string>
    readonly facility: Facility
    /** Milliseconds since 1970: what "in the future" is measured by. */
    readonly now: number
  }) => Effect.Effect<Conversion, ConversionError, FileSystem.FileSystem | Path.Path>
}>()("fhir2visit/cli/Pipeline") {}
