import { compareTexts } from "../../compareTexts.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { originText } from "../../diagnostic/Origin.ts"
import { isExactNumber } from "../../json/exactNumber.ts"
import { jsonObjectOf } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import { parseInstant } from "../../visit/values/Timestamp.ts"
import type { Deletion } from "../read/ReadItem.ts"
import { compareIds, compareRecords, contentOf } from "./compareRecords.ts"
import { haveDistinctIdentities } from "./haveDistinctIdentities.ts"
import type { DuplicateProblem } from "./nameRecords.ts"
import { labelsOf } from "./recordLabels.ts"
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
 * The visits of some identical records, as the mapping's grouping says: the same copy belongs to each visit of a document. Copies that are
 * not in it belong to no visit.
 */
export type VisitsOfCopies = ReadonlyMap<SourceRecord, SourceRecord>

/**
 * Decides between records of one identity, from their contents only:
 *
 * 1. Identical contents are one record. If they belong to several visits, they are one record in each of these.
 * 2. The newest version of a record counts: by `meta.lastUpdated`, otherwise by `meta.versionId`, otherwise by the export of a mirror that
 *    has it. A server can repair records without a new time. Versions are records of one server.
 *    Records in different documents, or below different base addresses, only share a name, and all are kept.
 * 3. If some records have no version information, records of different Bundles are kept, each for its own Bundle. Within one place, the
 *    record with version information is used; otherwise content decides.
 * 4. Patients and encounters with contradictory identifiers are different ones. In different Bundles both are kept; within one place
 *    nothing decides.
 * 5. A version that is not newer than a deletion is dropped, unless a later export of the same mirror has it. If neither has a time, the
 *    version is dropped as well, and reported.
 */
export const dedupeRecords = (
  records: ReadonlyArray<SourceRecord>,
  deletions: ReadonlyArray<Deletion>,
  joins: JoinRules,
  servers: Servers,
  visits: VisitsOfCopies
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
    const [first] = by.toSorted(compareDeletions)
    if (first !== undefined && by.every((deletion) => isOrderUnknown(record, deletion))) {
      problems.push({ record, problem: undatedDeletion(record, first) })
    }
  }
  const deleted = replaced.size

  const versions: Array<SourceRecord> = []
  const copiesOf = new Map<SourceRecord, ReadonlyArray<SourceRecord>>()
  /** The copies in other visits than the first one. */
  const repeated = new Set<SourceRecord>()
  for (const copies of Map.groupBy(alive, (record) => contentOf(record.resource)).values()) {
    const sorted = copies.toSorted(compareCopies)
    const ofVisits = new Map<SourceRecord, SourceRecord>()
    for (const copy of sorted) {
      const visit = visits.get(copy)
      if (visit !== undefined && !ofVisits.has(visit)) ofVisits.set(visit, copy)
    }
    const [first = sorted[0], ...others] = ofVisits.values()
    if (first === undefined) continue
    versions.push(first, ...others)
    copiesOf.set(first, sorted)
    for (const other of others) repeated.add(other)
    for (const copy of sorted) {
      if (copy === first || repeated.has(copy)) continue
      const visit = visits.get(copy)
      replaced.set(copy, (visit === undefined ? undefined : ofVisits.get(visit)) ?? first)
    }
  }
  const identical = replaced.size - deleted

  const kept: Array<SourceRecord> = []
  const scopeOf = new Map<SourceRecord, ReadonlyArray<SourceRecord>>()
  const scopes = [...Map.groupBy(versions, scopesOf(versions, servers))]
  for (const [, scope] of scopes.toSorted(([one], [other]) => compareTexts(one, other))) {
    const statedAge = compareAges(scope)
    const fetchOrder = compareFetches(scope, copiesOf)
    const readOrder = joins.copies === "last" ? compareReadOrder(scope, records) : () => 0
    const age = (one: SourceRecord, other: SourceRecord): number =>
      statedAge(one, other) || fetchOrder(one, other) || readOrder(one, other)
    const inScope: Array<SourceRecord> = []
    const ofBundles = new Map<string | undefined, SourceRecord>()
    for (const record of scope.toSorted((one, other) => age(one, other) || comparePreference(one, other))) {
      const isHere = (other: SourceRecord): boolean => other.bundle?.key === record.bundle?.key
      const [newest] = inScope
      // The newest ones come first. Often all of thousands of copies are equally old.
      const newer = newest === undefined || age(newest, record) >= 0 ?
        undefined :
        inScope.find((other) =>
          age(other, record) < 0 &&
          (isHere(other) || !(haveDistinctIdentities(other, record) || areCopies(other, record)))
        )
      const better = newer ?? ofBundles.get(record.bundle?.key)
      if (better === undefined) {
        inScope.push(record)
        ofBundles.set(record.bundle?.key, record)
        scopeOf.set(record, inScope)
      } else {
        replaced.set(record, better)
        if (!isHistory(record, better)) {
          problems.push({
            record,
            problem: duplicate(record, better, newer !== undefined),
            ...((newer === undefined ? haveDifferentContents : haveDistinctIdentities)(record, better)
              ? { undecided: better }
              : {})
          })
        }
      }
    }
    for (const record of inScope) kept.push(record)
  }
  const age = compareAges(kept)
  kept.sort((one, other) => age(one, other) || comparePreference(one, other))
  const [first] = kept
  for (const other of kept) {
    if (first === undefined || other === first || repeated.has(other)) continue
    // Records of one server in two Bundles are versions of one record, although each Bundle uses its own.
    const rival = scopeOf.get(other)?.find((record) => record !== other && haveDifferentContents(record, other))
    problems.push({
      record: other,
      problem: duplicate(other, first, undefined),
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

/** A time in milliseconds since 1970. */
interface StatedTime {
  readonly millis: number
  /** It is local time without an offset, so it can be compared only with others of its kind. */
  readonly isLocal: boolean
}

const timeOf = (text: unknown): StatedTime | undefined => {
  const read = typeof text === "string" ? parseInstant(text, { zone: "UTC" }) : undefined
  return read?._tag === "Instant" ? { millis: read.epochMillis, isLocal: !read.hadOffset } : undefined
}

const updatedAt = ({ resource }: SourceRecord): StatedTime | undefined =>
  timeOf(jsonObjectOf(resource.meta).lastUpdated)

const versionOf = ({ resource }: SourceRecord): number | undefined => {
  const { versionId } = jsonObjectOf(resource.meta)
  return typeof versionId === "string" && /^\d{1,15}$/.test(versionId) ? Number(versionId) : undefined
}

/** Compares versions, newest first, by what all of them state in the same way; `0` if they do not. */
export const compareAges = (
  records: ReadonlyArray<SourceRecord>
): (one: SourceRecord, other: SourceRecord) => number => {
  const times = new Map(records.map((record) => [record, updatedAt(record)]))
  const clocks = new Set([...times.values()].map((time) => time?.isLocal))
  const byTime = clocks.size === 1 && !clocks.has(undefined)
  const byVersion = records.every((record) => versionOf(record) !== undefined)
  const millis = (record: SourceRecord): number => times.get(record)?.millis ?? 0
  const version = (record: SourceRecord): number => versionOf(record) ?? 0
  return (one, other) => (byTime ? millis(other) - millis(one) : 0) || (byVersion ? version(other) - version(one) : 0)
}

/** Compares versions, those of the latest export first, if all of their copies are in exports of one mirror; `0` if not. */
const compareFetches = (
  versions: ReadonlyArray<SourceRecord>,
  copiesOf: ReadonlyMap<SourceRecord, ReadonlyArray<SourceRecord>>
): (one: SourceRecord, other: SourceRecord) => number => {
  if (versions.length < 2) return () => 0
  const mirrors = new Set<string | undefined>()
  const latest = new Map<SourceRecord, string>()
  for (const version of versions) {
    for (const { origin } of copiesOf.get(version) ?? [version]) {
      const fetch = fetchOf(origin.file)
      mirrors.add(fetch?.mirror)
      const [name, known] = [fetch?.name ?? "", latest.get(version)]
      if (known === undefined || compareIds(name, known) > 0) latest.set(version, name)
    }
  }
  const isOfMirror = mirrors.size === 1 && !mirrors.has(undefined)
  return (one, other) => isOfMirror ? compareIds(latest.get(other) ?? "", latest.get(one) ?? "") : 0
}

/** Compares copies, the last read first: by file name, then by position in the file. `records` are in the order of each file. */
const compareReadOrder = (
  copies: ReadonlyArray<SourceRecord>,
  records: ReadonlyArray<SourceRecord>
): (one: SourceRecord, other: SourceRecord) => number => {
  const isCopy = new Set(copies)
  const sorted = records.filter((record) => isCopy.has(record)).toSorted((one, other) =>
    compareIds(one.origin.file, other.origin.file) || one.origin.line - other.origin.line
  )
  const positions = new Map(sorted.map((record, index) => [record, index]))
  return (one, other) => (positions.get(other) ?? 0) - (positions.get(one) ?? 0)
}

const areCopies = (one: SourceRecord, other: SourceRecord): boolean =>
  contentOf(one.resource) === contentOf(other.resource)

/** Whether records differ in more than their metadata, or in labels that limit their use: without one, a record could be sent. */
const haveDifferentContents = (one: SourceRecord, other: SourceRecord): boolean =>
  contentOf(withoutMeta(one)) !== contentOf(withoutMeta(other)) || labelText(one) !== labelText(other)

const labelText = ({ resource }: SourceRecord): string =>
  labelsOf(resource).map(({ code, kind }) => `${kind} ${code}`).toSorted().join()

const withoutMeta = ({ resource }: SourceRecord): Resource =>
  getOrMake(contentsOnly, resource, () => {
    const { meta: _, ...content } = resource
    return content
  })

/** Resources without their metadata. A record that many partitions share is compared in each of them. */
const contentsOnly = new WeakMap<Resource, Resource>()

/** Compares records of unknown age: those with a version first, then by content. */
const comparePreference = (one: SourceRecord, other: SourceRecord): number =>
  (updatedAt(other)?.millis ?? -1e300) - (updatedAt(one)?.millis ?? -1e300) ||
  (versionOf(other) ?? -1) - (versionOf(one) ?? -1) || compareRecords(one, other)

/**
 * Returns a function that gives the scope in which a record's name is unique. It is the Bundle for a document or message, and otherwise
 * the server, if the records are of several servers.
 */
export const scopesOf = (
  records: ReadonlyArray<SourceRecord>,
  servers: Servers
): (record: SourceRecord) => string => {
  const known = new Set(records.map((record) => servers.of(record)).filter((server) => server !== undefined))
  return (record) => {
    const { bundle } = record
    if (bundle?.type === "document" || bundle?.type === "message") return `bundle ${bundle.key}`
    return known.size > 1 ? `server ${servers.of(record) ?? ""}` : ""
  }
}

/** A server deletes only its own records; a record of an unknown server can be on any. */
const isOfServer = (record: SourceRecord, { base }: Deletion, servers: Servers): boolean => {
  const server = servers.of(record)
  return base === undefined || server === undefined || servers.nameOf(base) === server
}

/** Several versions in one history are expected. */
const isHistory = (one: SourceRecord, other: SourceRecord): boolean =>
  one.bundle?.type === "history" && one.bundle.key === other.bundle?.key

const isDeletedBy = (record: SourceRecord, deletion: Deletion): boolean => {
  if (isOfLaterFetch(record.origin.file, deletion.origin.file)) return false
  const times = comparableTimes(record, deletion)
  if (times !== undefined) return times.updated <= times.deleted
  return isIn(record, deletion)
    // A transaction deletes before it creates, so a record next to the deletion is newer.
    ? deletion.bundle.type === "history"
    : !isLaterExport(record.origin.file, deletion.origin.file)
}

/** Returns the times of a record and a deletion, if both have one by the same clock. */
const comparableTimes = (
  record: SourceRecord,
  { at }: Deletion
): { readonly updated: number; readonly deleted: number } | undefined => {
  const [updated, deleted] = [updatedAt(record), timeOf(at)]
  return updated !== undefined && deleted !== undefined && updated.isLocal === deleted.isLocal
    ? { updated: updated.millis, deleted: deleted.millis }
    : undefined
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

/**
 * Whether a file of a mirror belongs to a later export than another. That a server exports a record again shows that it exists, even if
 * nothing in it has changed since an earlier export that lacked it.
 */
const isOfLaterFetch = (file: string, other: string): boolean => {
  const [fetch, before] = [fetchOf(file), fetchOf(other)]
  return fetch !== undefined && before !== undefined && fetch.mirror === before.mirror &&
    compareIds(fetch.name, before.name) > 0
}

/** Returns the export that a file belongs to, and its mirror; `undefined` if it is in none. */
const fetchOf = (file: string): { readonly mirror: string; readonly name: string } | undefined => {
  const folders = foldersOf(file)
  const name = folders.at(-1) ?? ""
  return exportFolder.test(name) ? { mirror: folders.slice(0, -1).join("/"), name } : undefined
}

/** The folder of an export in a mirror: `002-20261121T120000Z`. */
const exportFolder = /^\d{3,}[.-]\d{4}-?\d{2}-?\d{2}/u

/** A name with a number or a date: `001`, `export-12`, `2026-03-02T0800Z`. */
const counted = /^(\D*)(\d(?:[\d_.:T-]*\d)?)(\D*)$/u

/** Returns the folders of a file, without the folder in which an export keeps its deletions. */
const foldersOf = (file: string): ReadonlyArray<string> => {
  const folders = file.split(/[\\/]/u).slice(0, -1)
  return folders.at(-1) === "deleted" ? folders.slice(0, -1) : folders
}

/** Whether it is unknown if the deletion came after the record. */
const isOrderUnknown = (record: SourceRecord, deletion: Deletion): boolean =>
  comparableTimes(record, deletion) === undefined && !isIn(record, deletion) &&
  !isLaterExport(deletion.origin.file, record.origin.file)

const isIn = (record: SourceRecord, deletion: Deletion): boolean => record.bundle?.key === deletion.bundle.key

const compareDeletions = (one: Deletion, other: Deletion): number =>
  compareTexts(one.origin.file, other.origin.file) || one.origin.line - other.origin.line

/** Reports a deletion without a time: as an error for an encounter or a patient, because a visit would be lost. */
const undatedDeletion = ({ origin, resource }: SourceRecord, deletion: Deletion): Diagnostic => ({
  code: "duplicate-record",
  severity: resource.resourceType === "Encounter" || resource.resourceType === "Patient" ? "error" : "warning",
  title: "a record is dropped: a Bundle deletes it, and their order is unknown",
  source: origin.reference,
  origin,
  facts: [["deleted", originText(deletion.origin)]],
  help: [
    "remove the deletion or the record, or export both with their times: `meta.lastUpdated` and `response.lastModified`"
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
    title: `two rows of \`${left.resource.resourceType}\` have the same key and different values`,
    source: left.origin.reference,
    origin: left.origin,
    facts: [
      ["used", originText(used.origin)],
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
  facts: [[older === undefined ? "other" : "used", originText(used.origin)]],
  help: older === true
    ? ["remove the older export to avoid this warning"]
    : ["export each record once, or with `meta.lastUpdated`"]
})
