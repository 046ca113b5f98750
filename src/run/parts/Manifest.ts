import { Schema } from "effect"
import { createHash, createHmac } from "node:crypto"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Deletion } from "../../source/read/ReadItem.ts"
import type { LocatedUnreadableRecord } from "../../source/records/UnreadableRecord.ts"
import type { TableFile } from "../../source/tables/TableLayout.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const File = { file: Schema.String, records: Count, bytes: Count, sha256: Schema.String }

/** `parts.json`: the run that the parts belong to, and the contents of each of its files. */
export const Manifest = Schema.Struct({
  /** Version of the format of all files. */
  form: Schema.Literal(2),
  /** Number of parts. */
  count: Count,
  facility: Schema.NullOr(Schema.String),
  system: Schema.NullOr(Schema.String),
  mapping: Schema.String,
  /** Identifies the input. */
  input: Schema.String,
  /** Records that were read, including those that could not be parsed. */
  records: Count,
  /** Records that no visit can require: they are counted, and in no file. */
  leftOut: Count,
  /** Records of patients that are in several parts. */
  copied: Count,
  /** Records of no patient that several parts require. */
  shared: Schema.Struct(File),
  /** `visits` may be slightly higher than the final number; `copied` counts the records that other parts hold too. */
  parts: Schema.Array(Schema.Struct({ part: Count, ...File, copied: Count, visits: Count }))
})
export type Manifest = typeof Manifest.Type

/** The name of the manifest in its folder. */
export const manifestName = "parts.json"

/** The largest number of parts. */
export const maxParts = 9999

export const readManifest = Schema.decodeUnknownOption(Schema.fromJsonString(Manifest))

/** Identifies the parts of one run: the manifest contains the hash of every file. */
export const identityOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)

/** A key that only readers of the manifest can derive. */
export const keyOf = (text: string): Uint8Array => createHmac("sha256", "accounts of a part").update(text).digest()

/** Facts of the run as a whole, in addition to the shared records. */
export interface RunFacts {
  readonly deletions: ReadonlyArray<Deletion>
  readonly lost: ReadonlyArray<LocatedUnreadableRecord>
  readonly unreadable: ReadonlyArray<Diagnostic>
  /** Problems of the inputs as a whole. */
  readonly problems: ReadonlyArray<Diagnostic>
  readonly tables: ReadonlyArray<TableFile>
  /** Records that are in no part, by type. */
  readonly unused: ReadonlyArray<readonly [type: string, count: number]>
  /** Of those, exact copies of others, by type. */
  readonly copies: ReadonlyArray<readonly [type: string, count: number]>
  /** The words of file names that are not shown. */
  readonly hidden: ReadonlyArray<readonly [file: string, words: ReadonlyArray<string>]>
}

/** Facts of a part: the positions of its records and visits in the run. */
export interface PartFacts {
  /** The types of its records, and for each record the number of its type. */
  readonly types: ReadonlyArray<string>
  readonly typeOf: ReadonlyArray<number>
  /** Shared records that it requires, by their indexes among those. They are numbered after its own. */
  readonly shared: ReadonlyArray<number>
  /** Records that other parts hold too, with their numbers among the shared records. */
  readonly common: ReadonlyArray<readonly [record: number, number: number]>
  /** Pieces that are converted in turn: the position of each in the run, its records, and for each record a digit of its roles. */
  readonly pieces: ReadonlyArray<
    readonly [position: number, records: ReadonlyArray<number>, roles: string]
  >
}
