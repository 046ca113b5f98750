import { Data, type Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Assumption } from "../mapping/MappingPlan.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import type { SourceError } from "../source/SourceError.ts"
import type { TableFile } from "../source/tables/TableLayout.ts"
import type { ReferenceListType } from "../visit/Field.ts"
import type { ConvertedVisit, FieldOrigin, RecordTotals } from "./convertRecords.ts"
import type { CommonAccounts } from "./PartAccounts.ts"

/** The mapping is wrong: no record was read. */
export class InvalidMapping extends Data.TaggedError("InvalidMapping")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** Nothing may be made of the inputs: no visit was converted. */
export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** A run cannot be cut into partitions, or what is given is not the partition that was asked for. */
export class PartitionRefused extends Data.TaggedError("PartitionRefused")<{
  readonly title: string
  readonly help: ReadonlyArray<string>
}> {
  override get message() {
    return this.title
  }
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

/** Which partition of a run was converted. */
export interface ConvertedPartition {
  /** From 1 to `count`. */
  readonly index: number
  readonly count: number
  /** Tells the partitions of one run from those of others. */
  readonly of: string
  /** `parts.json` as it was named. */
  readonly file: string
  /** Hides what is said of single people from whoever does not have `parts.json`. */
  readonly key: Uint8Array
  readonly shared: () => CommonAccounts
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
  readonly homeOf: (source: string, field: string) => FieldOrigin | undefined
  readonly mappingHash: string
  /** The assumptions that the mapping declares, by name. */
  readonly assumptions: ReadonlyMap<string, Assumption>
  /** Of a partition: which one it is, and what only all of them together can count, complete once `visits` has ended. */
  readonly partition?: ConvertedPartition
  /** The list of the standard data that the values of a concept map come from, by the concept map's name. */
  readonly conceptMapLists: ReadonlyMap<string, ReferenceListType>
}
