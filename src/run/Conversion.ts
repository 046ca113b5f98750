import { Data, type Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Assumption } from "../mapping/MappingPlan.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import type { SourceError } from "../source/SourceError.ts"
import type { TableFile } from "../source/tables/TableLayout.ts"
import type { ReferenceListType } from "../visit/Field.ts"
import type { ConvertedVisit, FieldOrigin, RecordTotals } from "./convertRecords.ts"
import type { CommonAccounts } from "./parts/PartAccounts.ts"

/** The mapping is invalid: no record was read. */
export class InvalidMapping extends Data.TaggedError("InvalidMapping")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** The inputs cannot be converted: no visit was made. */
export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** A run cannot be cut into partitions, or the input is not the requested partition. */
export class PartitionRefused extends Data.TaggedError("PartitionRefused")<{
  readonly title: string
  readonly help: ReadonlyArray<string>
}> {
  override get message() {
    return this.title
  }
}

/** Totals that are known after the last visit has been taken. */
export interface ConversionTotals extends RecordTotals {
  /** Records in the input: in a visit, rejected (unreadable ones included), or not used. */
  readonly records: number
  /** Visits that were made. */
  readonly groups: number
  /** Problems that belong to no visit: of the inputs as a whole, and of records with several source locations. */
  readonly problems: ReadonlyArray<Diagnostic>
}

/** The partition of a run that was converted. */
export interface ConvertedPart {
  /** From 1 to `count`. */
  readonly index: number
  readonly count: number
  /** Identifies the partitions of one run. */
  readonly of: string
  /** `parts.json` as the user named it. */
  readonly file: string
  /** Hides details of single patients from readers who do not have `parts.json`. */
  readonly key: Uint8Array
  readonly shared: () => CommonAccounts
}

/** The input that was read, and the visits made of it. */
export interface Conversion {
  /** Records that were read, including those that could not be parsed. */
  readonly records: number
  /** Lines, entries and files that could not be read; each is one of the rejected records. */
  readonly unreadable: number
  /** Number of visits; an estimate if the run is converted in partitions. */
  readonly groups: number
  /** The CSV files that were read. */
  readonly tables: ReadonlyArray<TableFile>
  /** In an order that does not depend on the order of the inputs. */
  readonly visits: Stream.Stream<ConvertedVisit, SourceError | OperatorError>
  /** Complete once `visits` has ended. */
  readonly totals: () => ConversionTotals
  /** Where a field of a visit comes from, by the visit's source. Used to explain the service's response to it. */
  readonly homeOf: (source: string, field: string) => FieldOrigin | undefined
  readonly mappingHash: string
  /** The assumptions that the mapping declares, by name. */
  readonly assumptions: ReadonlyMap<string, Assumption>
  /** In a partition: its index, and what only all partitions together can count. Complete once `visits` has ended. */
  readonly partition?: ConvertedPart
  /** The standard-data list of the values of each concept map, by the concept map's name. */
  readonly conceptMapLists: ReadonlyMap<string, ReferenceListType>
}
