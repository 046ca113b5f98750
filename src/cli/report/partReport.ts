import { createHmac } from "node:crypto"
import { deserialize, serialize } from "node:v8"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Levels } from "../../diagnostic/levels.ts"
import type { ConvertedPart, PartCounts } from "../../run/Conversion.ts"
import { nonceBytes, seal, unseal } from "../../sealed.ts"
import type { RecordRank } from "../../source/records/compareRecords.ts"
import type { PartReport } from "../../studio/viewer/ReportJson.ts"
import type { UnusedData } from "./MostlyUnused.ts"
import type { Report, Tally } from "./Report.ts"

/** What the report of a part keeps for `merge-reports`. */
export interface PartAccounts extends PartCounts {
  readonly report: Report
  /** For each problem of the report: the position of its first occurrence. */
  readonly positions: ReadonlyArray<{
    /** The key of its kind. */
    readonly key: string
    /** Facts of the run that differ between parts. */
    readonly position: number
    /** The position of this kind among the kinds of the part, by first occurrence. */
    readonly order: number
    /** For a record without a visit: its rank among these. */
    readonly rank?: RecordRank
  }>
  /** For each visit of the report that is still open: its position in the run. */
  readonly open: ReadonlyArray<number>
  /** Records that other parts hold too and that are rejected here: their numbers, and their problems. */
  readonly rejected: ReadonlyArray<readonly [number: number, problems: ReadonlyArray<Diagnostic>]>
  /** Digests of the first patients of each place. */
  readonly places: ReadonlyArray<readonly [place: string, people: ReadonlyArray<number>]>
  readonly mostlyUnused: UnusedData
  readonly levels: Levels | undefined
}

/** Problems without a visit follow those of all visits, in this order. */
export const positions = { unreadable: 2 ** 49, records: 2 ** 50, run: 2 ** 51, copies: 2 ** 52 }

/** The part that a report is of. Data that only all parts can count, and data about single people, is sealed with the key of `parts.json`. */
export const partReport = (
  { count, file, index, key, of, counts }: ConvertedPart,
  tally: Tally,
  report: Report,
  levels: Levels | undefined
): PartReport => {
  const accounts: PartAccounts = {
    ...counts(),
    report,
    positions: report.problems.map(({ first }) => {
      const rank = tally.rejectedRanks.get(first)
      return { ...tally.problems.positionOf(first), ...(rank === undefined ? {} : { rank }) }
    }),
    open: tally.openPositions,
    rejected: tally.commonRejected,
    places: tally.placePeople,
    mostlyUnused: tally.mostlyUnused.data(),
    levels
  }
  return { index, count, of, parts: file, sealed: sealed(accounts, key) }
}

/** Brotli quality. A higher one takes much longer. */
const quality = 5

const sealed = (accounts: PartAccounts, key: Uint8Array): string => {
  const plain = brotliCompressSync(serialize(accounts), { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
  // A nonce made from the accounts gives the same text for the same accounts.
  const nonce = createHmac("sha256", key).update(plain).digest().subarray(0, nonceBytes)
  return seal(key, nonce, plain).toString("base64")
}

/** `undefined` if the key differs or the text was changed. */
export const accountsIn = ({ sealed }: PartReport, key: Uint8Array): PartAccounts | undefined => {
  try {
    const plain = unseal(key, Buffer.from(sealed, "base64"))
    // The key proves that this program wrote the accounts.
    return deserialize(brotliDecompressSync(plain)) as PartAccounts
  } catch {
    return undefined
  }
}
