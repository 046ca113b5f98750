import { Schema } from "effect"
import { createHash, createHmac } from "node:crypto"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Deletion } from "../source/read/RecordExtractor.ts"
import type { LocatedUnreadableRecord } from "../source/records/UnreadableRecord.ts"
import type { TableFile } from "../source/tables/TableLayout.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const File = { file: Schema.String, records: Count, bytes: Count, sha256: Schema.String }

/** `parts.json`: what a partition is of, and what each of its files holds. */
export const Manifest = Schema.Struct({
  /** Version of the form of all files. */
  form: Schema.Literal(1),
  /** How many parts there are. */
  count: Count,
  facility: Schema.NullOr(Schema.String),
  system: Schema.NullOr(Schema.String),
  /** Hash of the mapping. */
  mapping: Schema.String,
  /** Tells the input from others. */
  input: Schema.String,
  /** Records that were read, those that could not be read among them. */
  records: Count,
  /** Records that no visit can ask for: they are counted, and in no file. */
  leftOut: Count,
  /** Records of patients that are in several parts. */
  copied: Count,
  /** Records of no patient that several parts ask for. */
  shared: Schema.Struct(File),
  /** `visits` may be a few more than there will be; `copied` are of those that other parts hold too. */
  parts: Schema.Array(Schema.Struct({ part: Count, ...File, copied: Count, visits: Count }))
})
export type Manifest = typeof Manifest.Type

/** The name of the manifest in its folder. */
export const manifestName = "parts.json"

export const readManifest = Schema.decodeUnknownOption(Schema.fromJsonString(Manifest))

/** Tells one partition from all others: its manifest names the hash of every file. */
export const identityOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)

/** What only those can know who have the manifest. */
export const keyOf = (text: string): Uint8Array => createHmac("sha256", "accounts of a part").update(text).digest()

/** What belongs to the run as a whole, beside the shared records. */
export interface RunFacts {
  readonly deletions: ReadonlyArray<Deletion>
  readonly lost: ReadonlyArray<LocatedUnreadableRecord>
  readonly unreadable: ReadonlyArray<Diagnostic>
  /** Of the inputs as a whole. */
  readonly problems: ReadonlyArray<Diagnostic>
  readonly tables: ReadonlyArray<TableFile>
  /** Records that are in no part, by type. */
  readonly unused: ReadonlyArray<readonly [type: string, count: number]>
  /** The words of names of files that are not shown. */
  readonly hidden: ReadonlyArray<readonly [file: string, words: ReadonlyArray<string>]>
}

/** Of a part: where its records and visits belong. */
export interface PartFacts {
  /** The types of its records, and of each record the number of its type. */
  readonly types: ReadonlyArray<string>
  readonly typeOf: ReadonlyArray<number>
  /** Shared records that it asks for, by their places among those; they are numbered behind its own. */
  readonly shared: ReadonlyArray<number>
  /** Records that other parts hold too, with their numbers among these. */
  readonly common: ReadonlyArray<readonly [record: number, number: number]>
  /** Pieces that are converted one after the other: where each stands in the run, its records, and of each a digit of its roles. */
  readonly pieces: ReadonlyArray<
    readonly [position: number, records: ReadonlyArray<number>, roles: string]
  >
}
