import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { isExactNumber } from "../../json/exactNumber.ts"
import { parseInstant } from "../../visit/values/Timestamp.ts"
import type { Deletion } from "../read/RecordExtractor.ts"
import { compareIds, compareRecords, compareTexts, contentOf } from "./compareRecords.ts"
import { haveDistinctIdentities } from "./haveDistinctIdentities.ts"
import type { DuplicateProblem } from "./nameRecords.ts"
import type { JoinRules, Servers } from "./Servers.ts"
import type { Resource, RowFacts, SourceRecord } from "./SourceRecord.ts"

/** The result of deduplicating the records with one identity (the same type and id, or the same `fullUrl`). */
interface DedupeResult {
  /** The records that are kept; references from elsewhere mean the first one. */
  readonly kept: ReadonlyArray<SourceRecord>
  /** The dropped records, each with the record that replaces it; `undefined` if it was deleted. */
  readonly replaced: ReadonlyMap<SourceRecord, SourceRecord | undefined>
  readonly identical: number
  readonly superseded: number
  readonly deleted: number
  readonly problems: ReadonlyArray<Omit<DuplicateProblem, "name">>
}

/**
 * Decides between records of one identity, from their contents only:
 *
 * 1. Identical contents are one record.
 * 2. The newest version of a record counts: by `meta.lastUpdated`, otherwise by `meta.versionId`. Versions are records of one server.
 *    Records in different documents, or below different base addresses, only share a name, and all are kept.
 * 3. If some records have no version information, records of different Bundles are kept, each for its own Bundle. Within one place, the
 *    record with version information is used; otherwise content decides.
 * 4. Patients and encounters with contradictory identifiers are different ones. In different Bundles both are kept; within one place
 *    nothing decides.
 * 5. A version that is not newer than a deletion is dropped. If neither has a time, the version is dropped as well, and reported.
 */
export const dedupeRecords = (
  records: ReadonlyArray<SourceRecord>,
  deletions: ReadonlyArray<Deletion>,
  joins: JoinRules,
  servers: Servers
): DedupeResult => {
  const replaced = new Map<SourceRecord, SourceRecord | undefined>()
  const alive: Array<SourceRecord> = []
  const problems: Array<Omit<DuplicateProblem, "name">> = []
  for (const record of records) {
    const by = deletions.filter((deletion) => isOfServer(record, deletion, servers) && isDeletedBy(record, deletion))
    if (by.length === 0) {
      alive.push(record)
      continue
    }
    replaced.set(record, undefined)
    if (by.every((deletion) => isUndated(record, deletion))) {
      const [first] = by.toSorted(compareDeletions)
      problems.push({ record, problem: undated(record, first!) })
    }
  }
  const deleted = replaced.size

  const versions: Array<SourceRecord> = []
  for (const copies of Map.groupBy(alive, (record) => contentOf(record.resource)).values()) {
    const [first, ...others] = copies.toSorted(compareCopies)
    versions.push(first!)
    for (const other of others) replaced.set(other, first!)
  }
  const identical = replaced.size - deleted

  const kept: Array<SourceRecord> = []
  const inOneScope: Array<ReadonlyArray<SourceRecord>> = []
  const named = new Set(versions.map((record) => servers.of(record)).filter((server) => server !== undefined))
  const scopes = [...Map.groupBy(versions, (record) => scopeOf(record, servers, named.size > 1))]
  for (const [, scope] of scopes.toSorted(([one], [other]) => compareTexts(one, other))) {
    const stated = ageIn(scope)
    const order = joins.copies === "last" ? readOrder(scope, records) : undefined
    const age = (one: SourceRecord, other: SourceRecord): number =>
      stated(one, other) || (order === undefined ? 0 : order.get(other)! - order.get(one)!)
    const inScope: Array<SourceRecord> = []
    for (const record of scope.toSorted((one, other) => age(one, other) || preferred(one, other))) {
      const isHere = (other: SourceRecord): boolean => other.bundle?.key === record.bundle?.key
      const newer = inScope.find((other) =>
        age(other, record) < 0 && (isHere(other) || !haveDistinctIdentities(other, record))
      )
      const better = newer ?? inScope.find(isHere)
      if (better === undefined) inScope.push(record)
      else {
        replaced.set(record, better)
        if (!isHistory(record, better)) {
          problems.push({
            record,
            problem: duplicate(record, better, newer !== undefined),
            ...((newer === undefined ? saysOtherwise : haveDistinctIdentities)(record, better)
              ? { undecided: better }
              : {})
          })
        }
      }
    }
    kept.push(...inScope)
    inOneScope.push(inScope)
  }
  const age = ageIn(kept)
  kept.sort((one, other) => age(one, other) || preferred(one, other))
  for (const other of kept.slice(1)) {
    // Records of one server in two Bundles are versions of one record, although each Bundle uses its own.
    const rival = inOneScope.find((records) => records.includes(other))!.find((record) =>
      record !== other && saysOtherwise(record, other)
    )
    problems.push({
      record: other,
      problem: duplicate(other, kept[0]!, undefined),
      ...(rival === undefined ? {} : { undecided: rival })
    })
  }
  // Copies of a version that was itself replaced get that version's replacement.
  for (const [record, by] of replaced) if (by !== undefined && replaced.has(by)) replaced.set(record, replaced.get(by))
  return { kept, replaced, identical, superseded: replaced.size - deleted - identical, deleted, problems }
}

/** Orders copies of one content, to choose the source location that is shown. */
const compareCopies = (one: SourceRecord, other: SourceRecord): number =>
  compareTexts(one.bundle?.key ?? "", other.bundle?.key ?? "") ||
  compareTexts(one.fullUrl ?? "", other.fullUrl ?? "") ||
  compareTexts(one.origin.file, other.origin.file) || one.origin.line - other.origin.line

interface Meta {
  readonly lastUpdated?: unknown
  readonly versionId?: unknown
}

const metaOf = (record: SourceRecord): Meta => {
  const { meta } = record.resource
  return typeof meta === "object" && meta !== null ? meta : {}
}

/** An instant in milliseconds since 1970; `isLocal`: local time without an offset. */
interface Moment {
  readonly millis: number
  readonly isLocal: boolean
}

const momentOf = (text: unknown): Moment | undefined => {
  const read = typeof text === "string" ? parseInstant(text, { zone: "UTC" }) : undefined
  return read?._tag === "Instant" ? { millis: read.epochMillis, isLocal: !read.hadOffset } : undefined
}

const updatedAt = (record: SourceRecord): Moment | undefined => momentOf(metaOf(record).lastUpdated)

const versionOf = (record: SourceRecord): number | undefined => {
  const { versionId } = metaOf(record)
  return typeof versionId === "string" && /^\d{1,15}$/.test(versionId) ? Number(versionId) : undefined
}

/** Compares versions, newest first, by what all of them state in the same way; `0` if they do not. */
const ageIn = (records: ReadonlyArray<SourceRecord>): (one: SourceRecord, other: SourceRecord) => number => {
  const times = new Map(records.map((record) => [record, updatedAt(record)]))
  const clocks = new Set([...times.values()].map((time) => time?.isLocal))
  const byTime = clocks.size === 1 && !clocks.has(undefined)
  const byVersion = records.every((record) => versionOf(record) !== undefined)
  return (one, other) =>
    (byTime ? times.get(other)!.millis - times.get(one)!.millis : 0) ||
    (byVersion ? versionOf(other)! - versionOf(one)! : 0)
}

/** Orders copies as they are read: by file name, then by position in the file. */
const readOrder = (
  some: ReadonlyArray<SourceRecord>,
  records: ReadonlyArray<SourceRecord>
): ReadonlyMap<SourceRecord, number> => {
  const expected = new Set(some)
  const sorted = records.filter((record) => expected.has(record)).toSorted((one, other) =>
    compareIds(one.origin.file, other.origin.file) || one.origin.line - other.origin.line
  )
  return new Map(sorted.map((record, index) => [record, index]))
}

/** Whether records differ in more than their metadata. */
const saysOtherwise = (one: SourceRecord, other: SourceRecord): boolean =>
  contentOf(withoutMeta(one)) !== contentOf(withoutMeta(other))

const withoutMeta = ({ resource }: SourceRecord): Resource =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => name !== "meta")) as Resource

/** Orders records of unknown age: those with a version first, then by content. */
const preferred = (one: SourceRecord, other: SourceRecord): number =>
  compareNumbers(updatedAt(other)?.millis ?? -1e300, updatedAt(one)?.millis ?? -1e300) ||
  compareNumbers(versionOf(other) ?? -1, versionOf(one) ?? -1) || compareRecords(one, other)

const compareNumbers = (one: number, other: number): number => (one < other ? -1 : one > other ? 1 : 0)

/** Returns the scope in which a name is unique: the Bundle for a document or message, otherwise the server. */
export const scopeOf = (record: SourceRecord, servers: Servers, byServer: boolean): string => {
  const type = record.bundle?.type
  if (type === "document" || type === "message") return `bundle ${record.bundle!.key}`
  return byServer ? `server ${servers.of(record) ?? ""}` : ""
}

/** A server deletes only its own records; a record of an unknown server can be on any. */
const isOfServer = (record: SourceRecord, { base }: Deletion, servers: Servers): boolean => {
  const server = servers.of(record)
  return base === undefined || server === undefined || servers.nameOf(base) === server
}

/** Several versions in one history are expected. */
const isHistory = (one: SourceRecord, other: SourceRecord): boolean =>
  one.bundle?.type === "history" && one.bundle.key === other.bundle?.key

const isDeletedBy = (record: SourceRecord, deletion: Deletion): boolean =>
  isDated(record, deletion)
    ? updatedAt(record)!.millis <= momentOf(deletion.at)!.millis
    : isIn(record, deletion)
    // A transaction deletes before it creates, so a record next to the deletion is newer.
    ? deletion.bundle.type === "history"
    : !isLaterExport(record.origin.file, deletion.origin.file)

/** Whether both have a time, by one clock. */
const isDated = (record: SourceRecord, deletion: Deletion): boolean => {
  const updated = updatedAt(record)
  return updated !== undefined && updated.isLocal === momentOf(deletion.at)?.isLocal
}

/**
 * Whether a file belongs to a later export than another, by the numbers or dates in their folder names: `2026-03-02/deleted/a.ndjson`
 * and `2026-03-03/b.ndjson`. A deletion without a time has the time of its export; names without a number decide nothing.
 */
const isLaterExport = (file: string, other: string): boolean => {
  const [ones, others] = [foldersOf(file), foldersOf(other)]
  const at = ones.findIndex((name, index) => name !== others[index])
  const [one, before] = [ones[at], others[at]]
  if (one === undefined || before === undefined) return false
  const [, start, number, end] = counted.exec(one) ?? []
  const [, otherStart, otherNumber, otherEnd] = counted.exec(before) ?? []
  return number !== undefined && otherNumber !== undefined && start === otherStart && end === otherEnd &&
    number.replace(/\d+/gu, "0") === otherNumber.replace(/\d+/gu, "0") && compareIds(one, before) > 0
}

/** A name with a number or a date: `001`, `export-12`, `2026-03-02T0800Z`. */
const counted = /^(\D*)(\d(?:[\d_.:T-]*\d)?)(\D*)$/u

/** Returns the folders of a file, without the folder in which an export keeps its deletions. */
const foldersOf = (file: string): ReadonlyArray<string> => {
  const folders = file.split(/[\\/]/u).slice(0, -1)
  return folders.at(-1) === "deleted" ? folders.slice(0, -1) : folders
}

/** Whether it is unknown if the deletion came after the record. */
const isUndated = (record: SourceRecord, deletion: Deletion): boolean =>
  !isDated(record, deletion) && !isIn(record, deletion) && !isLaterExport(deletion.origin.file, record.origin.file)

const isIn = (record: SourceRecord, deletion: Deletion): boolean => record.bundle?.key === deletion.bundle.key

const compareDeletions = (one: Deletion, other: Deletion): number =>
  compareTexts(one.origin.file, other.origin.file) || one.origin.line - other.origin.line

/** Reports a deletion without a time: as an error for an encounter or a patient, because a visit would be lost. */
const undated = ({ origin, resource }: SourceRecord, deletion: Deletion): Diagnostic => ({
  code: "duplicate-record",
  severity: resource.resourceType === "Encounter" || resource.resourceType === "Patient" ? "error" : "warning",
  title: "a record is dropped: a Bundle deletes it, and their order is unknown",
  source: origin.reference,
  origin,
  facts: [["deleted", `${deletion.origin.file}:${deletion.origin.line}`]],
  help: [
    "leave the deletion or the record out, or export both with their times: `meta.lastUpdated` and `response.lastModified`"
  ]
})

const duplicate = (left: SourceRecord, used: SourceRecord, older: boolean | undefined): Diagnostic =>
  left.row === undefined ? duplicateResource(left, used, older) : duplicateRow(left, left.row, used)

const duplicateRow = (left: SourceRecord, { nameOf }: RowFacts, used: SourceRecord): Diagnostic => {
  const names = new Set([...Object.keys(left.resource), ...Object.keys(used.resource)])
  const different = [...names].filter((name) => textOf(left.resource[name]) !== textOf(used.resource[name]))
  return {
    code: "duplicate-record",
    severity: "warning",
    title: `two rows of \`${left.resource.resourceType}\` have one key and say different things`,
    source: left.origin.reference,
    origin: left.origin,
    facts: [
      ["used", `${used.origin.file}:${used.origin.line}`],
      ["column", different.flatMap((name) => nameOf(name) ?? []).join(", ")]
    ],
    help: ["correct the wrong row, or add the distinguishing column to  key:"]
  }
}

const textOf = (value: unknown): string => (isExactNumber(value) ? String(value) : JSON.stringify(value) ?? "")

const duplicateResource = (left: SourceRecord, used: SourceRecord, older: boolean | undefined): Diagnostic => ({
  code: "duplicate-record",
  severity: "warning",
  title: older === undefined
    ? "the same resource was found with different contents, in places that do not belong together; each place uses its own"
    : older
    ? "the same resource was found with different contents; the newer version is used"
    : "the same resource was found with different contents and no version",
  source: left.origin.reference,
  origin: left.origin,
  facts: [[older === undefined ? "other" : "used", `${used.origin.file}:${used.origin.line}`]],
  help: older === true
    ? ["leave the older export out to be rid of this warning"]
    : ["export each record once, or with `meta.lastUpdated`"]
})
