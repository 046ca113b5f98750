import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Origin } from "../../diagnostic/Origin.ts"
import type { PlacedEvidence } from "../evidence/Evidence.ts"
import type { BundleContext, SourceRecord } from "../records/SourceRecord.ts"
import type { UnreadableRecord } from "../records/UnreadableRecord.ts"
import type { TableFile } from "../tables/TableLayout.ts"

/** An item found in an input. */
export type ReadItem =
  | { readonly _tag: "Record"; readonly record: SourceRecord; readonly written?: Written; readonly isRewritten?: true }
  | { readonly _tag: "Deletion"; readonly deletion: Deletion }
  | ReadProblem
  | { readonly _tag: "Table"; readonly table: TableFile }
  | { readonly _tag: "Page"; readonly page: SearchPage }
  | { readonly _tag: "Evidence" } & PlacedEvidence

/** A Bundle that is one page of several. Addresses omit the server's name, because clients may see another name than the server. */
export interface SearchPage {
  readonly origin: Origin
  readonly self?: string
  readonly next?: string
  /** It has a previous page. */
  readonly follows: boolean
  readonly types: ReadonlyArray<string>
}

/** Something unreadable, and what its text shows about the lost records. */
export interface ReadProblem {
  readonly _tag: "Problem"
  readonly diagnostic: Diagnostic
  readonly lost?: ReadonlyArray<UnreadableRecord>
  /** The whole file could not be read. */
  readonly breaksOff?: boolean
  /** The content after this source location is unknown. */
  readonly cut?: boolean
  /** The text of a record ends before its end: a line of NDJSON that is followed by others, or by nothing. */
  readonly ends?: boolean
  /** What was read of the file may be wrong. */
  readonly misread?: boolean
}

/**
 * An entry with `request.method` DELETE: the source no longer has this resource. It is not a record. Older versions of the resource in
 * the input are dropped.
 */
export interface Deletion {
  /** `Encounter/17`. */
  readonly reference: string
  /** The base address of the server that deleted it, if the source states it. */
  readonly base?: string
  /** The time of the deletion (`response.lastModified`), if the source states it. */
  readonly at?: string
  readonly origin: Origin
  readonly bundle: BundleContext
}

/** The JSON text of a resource as its source writes it. The bytes are valid until the next block is read. */
export interface Written {
  readonly bytes: Uint8Array
  /** It must be scanned to be parsed. */
  readonly needsScan: boolean
}
