import { compareTexts } from "../../compareTexts.ts"
import type { Origin } from "../../diagnostic/Origin.ts"
import { type Span, spanText } from "../../diagnostic/Span.ts"
import { fhirText } from "../../fhirText.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import type { Exclusion } from "../../mapping/apply/apply.ts"
import { codesOf } from "../../mapping/codes/ConceptMap.ts"
import type { Grouping } from "../../mapping/grouping/VisitGroup.ts"
import { getOrMake } from "../../maps.ts"
import { isTree, ReadTracker } from "../../source/read/ReadTracker.ts"
import { shareContent } from "../../source/records/compareRecords.ts"
import type { Resource, SourceRecord } from "../../source/records/SourceRecord.ts"
import type { RunRecords } from "../convertPartition.ts"

/** Input that no mapping line read. Names elements and records, never values. */
export interface Coverage {
  readonly types: ReadonlyArray<TypeCoverage>
  /** By type, the most frequent first. */
  readonly elements: ReadonlyArray<UnreadElement>
  readonly unusedRecords: ReadonlyArray<UnusedRecord>
}

/** The records of one type: `records` is the sum of the others. */
interface TypeCoverage {
  readonly type: string
  readonly records: number
  readonly inVisits: number
  readonly unused: number
  /** Copies, older versions and deleted records: they are counted and not listed. */
  readonly leftOut: number
  readonly rejected: number
}

/** An element that is present in records of visits and that no line read. */
interface UnreadElement {
  readonly type: string
  /** In FHIRPath notation, extensions with their URL: `extension('http://…').valueString`. */
  readonly element: string
  /** Records that contain it and in which it was not read. */
  readonly records: number
  /** One of the records. */
  readonly source: string
  readonly origin: Origin
}

/** A record without a value in any visit. */
export interface UnusedRecord {
  readonly source: string
  readonly origin: Origin
  readonly why: UnusedReason
  /** Its subject, if coded: the first coding of `code`. */
  readonly code: { readonly system: string | null; readonly code: string } | null
  /** For a record that is not chosen: the sections that read its type, and the condition in each that excludes it. */
  readonly refusedBy: ReadonlyArray<{ readonly section: string; readonly condition: string; readonly mapping: Span }>
}

/**
 * `not-read`: no mapping line reads its type. `not-a-visit`: an encounter that is not a visit, or a record of one. `not-chosen`: a record of
 * a visit that a condition excludes from each section for its type. `not-taken`: a record of a visit that lines only look up, and take no
 * value of. `not-named`: a record in no visit, which no record of a visit that a line read refers to.
 */
export type UnusedReason = "not-read" | "not-a-visit" | "not-chosen" | "not-taken" | "not-named"

/** The records of a run, tracked: the elements that are read of them are recorded. */
interface WatchedRecords {
  readonly records: RunRecords
  readonly tracker: ReadTracker
  readonly watched: (record: SourceRecord) => SourceRecord
  /** The original record of a tracked one. */
  readonly unwatched: (record: SourceRecord) => SourceRecord
}

/** Tracks what is read of records. It costs time and memory for each record, so it is done only on request. */
export const watchRecords = (records: RunRecords, tracker: ReadTracker = new ReadTracker()): WatchedRecords => {
  const views = new Map<SourceRecord, SourceRecord>()
  const originals = new Map<SourceRecord, SourceRecord>()
  const viewOf = (record: SourceRecord): SourceRecord => {
    // Generated code takes no tracked record as regular: it would read other elements than the definition.
    const view: SourceRecord = { ...record, isUsual: false, resource: tracker.view<Resource>(record.resource) }
    // The code of a CSV row without a key is made of all its values. That must not count as read by a mapping line.
    if (record.row !== undefined && record.resource.id === undefined) shareContent(view.resource, record.resource)
    originals.set(view, record)
    return view
  }
  const watched = (record: SourceRecord): SourceRecord => getOrMake(views, record, viewOf)
  const unwatched = (record: SourceRecord): SourceRecord => originals.get(record) ?? record
  const lists = new Map<string, ReadonlyArray<SourceRecord>>()
  return {
    tracker,
    watched,
    unwatched,
    records: {
      ...records,
      all: (type) => getOrMake(lists, type, () => records.all(type).map(watched)),
      resolve: (reference, from, quietly) => {
        const found = records.resolve(reference, unwatched(from), quietly)
        return found === undefined ? undefined : watched(found)
      },
      reverse: (target, element) => records.reverse(unwatched(target), element).map(watched),
      unresolvedNames: () => records.unresolvedNames()
    }
  }
}

/** Summarises what was not read, after the last visit has been made. */
export const coverageOf = (
  { records, tracker, unwatched }: WatchedRecords,
  used: ReadonlySet<SourceRecord>,
  rejected: ReadonlySet<SourceRecord>,
  grouping: Grouping,
  exclusions: ReadonlyMap<SourceRecord, ReadonlyArray<Exclusion>>,
  read: ReadonlySet<string> | undefined
): Coverage => {
  const types: Array<TypeCoverage> = []
  const elements: Array<UnreadElement> = []
  const unusedRecords: Array<UnusedRecord> = []
  const placed = new Set(grouping.groups.flatMap((group) => [...group.records.values()].flat()))
  for (const type of records.types) {
    const all = records.all(type)
    const unread = new Map<string, { count: number; readonly first: SourceRecord }>()
    let inVisits = 0
    let rejectedHere = 0
    for (const record of all) {
      if (used.has(record)) {
        inVisits++
        for (const element of unreadElements(unwatched(record).resource, tracker)) {
          if (record.row?.naming.has(element)) continue
          getOrMake(unread, element, () => ({ count: 0, first: record })).count++
        }
      } else if (rejected.has(record)) rejectedHere++
      else {
        unusedRecords.push({
          source: record.origin.reference,
          origin: record.origin,
          why: read?.has(type) === false
            ? "not-read"
            : grouping.unplaced.get(record)?.why === "not-a-visit"
            ? "not-a-visit"
            : exclusions.has(record)
            ? "not-chosen"
            : placed.has(record)
            ? "not-taken"
            : "not-named",
          code: codesOf(record.resource.code).flatMap(({ code, system, words }) =>
            words === true ? [] : [{ system, code }]
          )[0] ??
            null,
          refusedBy: refusalsOf(exclusions.get(record) ?? [])
        })
      }
    }
    const leftOut = records.obsolete.byType.get(type) ?? 0
    types.push({
      type,
      records: all.length + leftOut,
      inVisits,
      unused: all.length - inVisits - rejectedHere + leftOut,
      leftOut,
      rejected: rejectedHere
    })
    elements.push(
      ...[...unread].toSorted(([a, one], [b, other]) => other.count - one.count || compareTexts(a, b)).map((
        [element, { count, first }]
      ) => ({ type, element, records: count, source: first.origin.reference, origin: first.origin }))
    )
  }
  return { types, elements, unusedRecords }
}

/** The exclusions of a record. Branches of a section that share a condition are one. */
const refusalsOf = (exclusions: ReadonlyArray<Exclusion>): UnusedRecord["refusedBy"] => [
  ...new Map(exclusions.map(({ condition, section }) => [
    `${section} ${spanText(condition.span)}`,
    { section, condition: condition.text, mapping: condition.span }
  ])).values()
]

/** Elements without clinical data: the management of the record itself. */
const housekeeping: ReadonlySet<string> = new Set(["resourceType", "id", "meta", "implicitRules", "language"])

/** Whether an element is a narrative that only repeats the others. One with the status `additional` has more. */
const isRepetition = (name: string, value: unknown): boolean =>
  name === "text" && isJsonObject(value) && value.status !== "additional"

/** The unread elements of a resource, each reported by its topmost unread element. Each name occurs once. */
const unreadElements = (resource: Resource, tracker: ReadTracker): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const [name, value] of Object.entries(resource)) {
    if (!housekeeping.has(name) && !isRepetition(name, value)) {
      collect(resource, name, value, nameOf(name), tracker, found)
    }
  }
  return found
}

/** Adds the unread elements below `parent[key]` and returns whether anything there was read. */
const collect = (
  parent: object,
  key: string,
  value: unknown,
  path: string,
  tracker: ReadTracker,
  found: Set<string>
): boolean => {
  if (value === null || value === undefined) return true
  if (!isTree(value)) {
    const read = tracker.hasRead(parent, key)
    if (!read) found.add(path)
    return read
  }
  const below = new Set<string>()
  let read = false
  for (const [name, child] of Object.entries(value)) {
    // The URL of an extension, and the ids of elements, are not data.
    if (!Array.isArray(value) && (name === "url" || name === "id") && typeof child === "string") continue
    const childPath = Array.isArray(value) ? ofItem(path, child) : `${path}.${nameOf(name)}`
    if (collect(value, name, child, childPath, tracker, below)) read = true
  }
  if (read && isOneThing(value)) { for (const name of Object.keys(value)) below.delete(`${path}.${name}`) }
  if (read || Array.isArray(value)) { for (const one of below) found.add(one) }
  else if (below.size > 0) found.add(path)
  return read
}

/** The path of a list item: an extension is named by its URL. */
const ofItem = (path: string, item: unknown): string => {
  const url = /(?:^|\.)(?:modifierE|e)xtension$/u.test(path) && isTree(item) && "url" in item
    ? item.url
    : undefined
  return typeof url === "string" ? `${path}(${fhirText(url)})` : path
}

/** `_birthDate` is the JSON property of the FHIRPath element `birthDate`. */
const nameOf = (key: string): string => (key.startsWith("_") ? key.slice(1) : key)

const wholes: ReadonlyArray<ReadonlySet<string>> = [
  "system version code display userSelected",
  "coding text",
  "value comparator unit system code",
  "reference type display identifier",
  "use type system value period assigner"
].map((keys) => new Set(keys.split(" ")))

/** A Coding, CodeableConcept, Quantity, Reference or Identifier is one value: reading a part of it counts as reading all of it. */
export const isOneThing = (value: object): boolean => {
  const keys = Object.keys(value)
  return !Array.isArray(value) && wholes.some((whole) => keys.every((key) => whole.has(key))) &&
    Object.values(value).every(isPlain)
}

const isPlain = (value: unknown): boolean =>
  !isTree(value) || (Array.isArray(value) ? value.every(isPlain) : isOneThing(value))
