import { createCipheriv, createDecipheriv, createHmac } from "node:crypto"
import { deserialize, serialize } from "node:v8"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Levels } from "../diagnostic/levels.ts"
import type { ConvertedPartition } from "../run/Conversion.ts"
import type { CommonAccounts } from "../run/PartAccounts.ts"
import type { RecordRank } from "../source/records/compareRecords.ts"
import type { PartReport } from "../studio/viewer/ReportJson.ts"
import type { UnusedData } from "./MostlyUnused.ts"
import type { Report, Tally } from "./report/Report.ts"

/** What the report of a part keeps for `merge-reports`. */
export interface PartAccounts extends CommonAccounts {
  readonly report: Report
  /** Beside each problem of the report: where the first of its kind stands. */
  readonly positions: ReadonlyArray<{
    /** What makes it a kind. */
    readonly key: string
    /** In the run, as far as parts differ in it. */
    readonly position: number
    /** How many kinds of the part were met before. */
    readonly order: number
    /** Of a record of no visit: its place among these. */
    readonly rank?: RecordRank
  }>
  /** Beside each visit of the report that is still open: where it stands in the run. */
  readonly open: ReadonlyArray<number>
  /** Records that other parts hold too and that are rejected here: their numbers, and their problems. */
  readonly rejected: ReadonlyArray<readonly [number: number, problems: ReadonlyArray<Diagnostic>]>
  /** Digests of the patients of each place, up to as many as matter. */
  readonly places: ReadonlyArray<readonly [place: string, people: ReadonlyArray<number>]>
  readonly mostlyUnused: UnusedData
  readonly levels: Levels | undefined
}

/** Problems of no visit stand behind those of all visits, in this order. */
export const positions = { unreadable: 2 ** 49, records: 2 ** 50, run: 2 ** 51, copies: 2 ** 52 }

/** Which part a report is of. What only all parts can count, and what it says of single people, is sealed: `parts.json` has the key. */
export const partReport = (
  { count, file, index, key, of, shared }: ConvertedPartition,
  tally: Tally,
  report: Report,
  levels: Levels | undefined
): PartReport => {
  const accounts: PartAccounts = {
    ...shared(),
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
  return { index, count, of, parts: file, sealed: seal(accounts, key) }
}

const cipher = "aes-256-gcm"
const [nonceBytes, tagBytes] = [12, 16]
/** More takes much longer. */
const quality = 5

const seal = (accounts: PartAccounts, key: Uint8Array): string => {
  const plain = brotliCompressSync(serialize(accounts), { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
  // The same accounts give the same text.
  const nonce = createHmac("sha256", key).update(plain).digest().subarray(0, nonceBytes)
  const sealing = createCipheriv(cipher, key, nonce)
  const text = Buffer.concat([sealing.update(plain), sealing.final()])
  return Buffer.concat([nonce, sealing.getAuthTag(), text]).toString("base64")
}

/** `undefined` where the key is another one, or the text was changed. */
export const unseal = ({ sealed }: PartReport, key: Uint8Array): PartAccounts | undefined => {
  const bytes = Buffer.from(sealed, "base64")
  try {
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    const plain = Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()])
    return deserialize(brotliDecompressSync(plain)) as PartAccounts
  } catch {
    return undefined
  }
}
