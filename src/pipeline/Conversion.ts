import { Data, type Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Assumption } from "../mapping/MappingPlan.ts"
import type { OperatorError } from "../operator/OperatorError.ts"
import type { SourceError } from "../source/SourceError.ts"
import type { TableFile } from "../source/tables/TableLayout.ts"
import type { ReferenceListType } from "../visit/Field.ts"
import type { ConvertedVisit, Home, RecordTotals } from "./convertRecords.ts"

/** The mapping is wrong: no record was read. */
export class MappingRefused extends Data.TaggedError("MappingRefused")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** Nothing may be made of the inputs: no visit was converted. */
export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** The run cannot be cut: the mapping goes from record to record in ways that are only known while data flows. */
export class NoShards extends Data.TaggedError("NoShards") {
  override get message() {
    return "this run cannot be cut into shards: the mapping follows texts that are no references"
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
  /** The assumptions that the mapping declares, by name. */
  readonly assumptions: ReadonlyMap<string, Assumption>
  /** What tells the input of a shard's run from others. */
  readonly input?: string
  /** The list of the standard data that the values of a concept map come from, by the concept map's name. */
  readonly conceptMapLists: ReadonlyMap<string, ReferenceListType>
}
