import { hash } from "node:crypto"
import type { Origin } from "../../diagnostic/Origin.ts"
import { isExactNumber } from "../../json/exactNumber.ts"
import { LazyRecord, recordTypeOf } from "./LazyRecord.ts"
import type { BundleContext, Resource, SourceRecord } from "./SourceRecord.ts"

/**
 * The order of records in a run: by type, then id, then `fullUrl`, then content. It knows nothing of files, lines or the order in which
 * records came, so that the same input gives the same output however it is arranged.
 */
export const compareRecords = (one: SourceRecord, other: SourceRecord): number =>
  compareNames(one, other) ||
  (one === other ? 0 : compareTexts(contentOf(one.resource), contentOf(other.resource))) ||
  compareTexts(one.bundle?.key ?? "", other.bundle?.key ?? "")

/** The same as far as the names of records tell: `0` for those that have one name, or none. */
const compareNames = (one: SourceRecord, other: SourceRecord): number =>
  compareTexts(recordTypeOf(one), recordTypeOf(other)) ||
  compareIds(idOfRecord(one) ?? "", idOfRecord(other) ?? "") ||
  compareTexts(one.fullUrl ?? "", other.fullUrl ?? "") ||
  compareRows(one, other)

/** What the names of a record of one type say of its place in the order. */
export interface NameSortKey {
  readonly id: string | undefined
  readonly fullUrl: string | undefined
  /** Of a row. */
  readonly order: string | undefined
  readonly line: number
}

export const nameRankOf = (record: SourceRecord): NameSortKey => ({
  id: idOfRecord(record),
  fullUrl: record.fullUrl,
  order: record.row === undefined ? undefined : record.row.order ?? "",
  line: record.origin.line
})

/** {@link compareNames} of records of one type. */
export const compareNameRanks = (one: NameSortKey, other: NameSortKey): number =>
  compareIds(one.id ?? "", other.id ?? "") ||
  compareTexts(one.fullUrl ?? "", other.fullUrl ?? "") ||
  (one.order === undefined || other.order === undefined || one.id !== undefined
    ? 0
    : compareIds(one.order, other.order) || one.line - other.line)

/** Rows without a key: as their table orders them, then as they stand in their files. */
const compareRows = (one: SourceRecord, other: SourceRecord): number =>
  one.row === undefined || other.row === undefined || idOfRecord(one) !== undefined
    ? 0
    : compareIds(one.row.order ?? "", other.row.order ?? "") || one.origin.line - other.origin.line

/** The id of a resource; one that is written as a number is read as text. */
export const idOf = (resource: Resource): string | undefined => {
  const id: unknown = resource.id
  if (typeof id === "string") return id === "" ? undefined : id
  return typeof id === "number" ? String(id) : undefined
}

/** The id of a record, without asking what else it holds. */
export const idOfRecord = (record: SourceRecord): string | undefined =>
  record instanceof LazyRecord ? record.id : idOf(record.resource)

/** By code unit, the same everywhere. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Like {@link compareTexts}, but digits that stand together are compared as one number: `V9` comes before `V10`. */
export const compareIds = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  let at = 0
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at++
  if (at === one.length && at === other.length) return 0
  // The number in which they differ may begin before the difference.
  let start = at
  while (start > 0 && isDigit(one.charCodeAt(start - 1))) start--
  const oneEnd = digitsEnd(one, start)
  const otherEnd = digitsEnd(other, start)
  if (oneEnd > start && otherEnd > start) {
    const oneNumber = withoutZeros(one, start, oneEnd)
    const otherNumber = withoutZeros(other, start, otherEnd)
    const byNumber = oneNumber.length - otherNumber.length || compareTexts(oneNumber, otherNumber)
    if (byNumber !== 0) return byNumber
    // `7` and `07`: what follows decides, then the zeros.
    const byRest = compareIds(one.slice(oneEnd), other.slice(otherEnd))
    if (byRest !== 0) return byRest
  }
  return compareTexts(one, other)
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

const digitsEnd = (text: string, start: number): number => {
  let end = start
  while (end < text.length && isDigit(text.charCodeAt(end))) end++
  return end
}

const withoutZeros = (text: string, start: number, end: number): string => {
  let from = start
  while (from < end - 1 && text.charCodeAt(from) === 0x30) from++
  return text.slice(from, end)
}

const contents = new WeakMap<Resource, string>()

/** A hash of what a resource says: the same whatever order its keys are written in. Numbers count by their digits. */
export const contentOf = (resource: Resource): string => {
  let content = contents.get(resource)
  if (content === undefined) {
    content = hash("sha256", canonical(resource), "base64")
    contents.set(resource, content)
  }
  return content
}

/** Lets a view of a resource have its content without being read for it. */
export const shareContent = (view: Resource, resource: Resource): void => {
  contents.set(view, contentOf(resource))
}

/** What the place of a record in the order depends on, as data. */
export interface RecordRank {
  readonly origin: Origin
  readonly type: string
  readonly id?: string
  readonly fullUrl?: string
  readonly bundle?: BundleContext
  /** Of a row. */
  readonly order?: string
  /** Decides where names do not; it takes time to find. */
  readonly content?: string
}

export const rankOf = (
  { bundle, fullUrl, origin, resource, row }: SourceRecord,
  by: "names" | "names and content"
): RecordRank => {
  const id = idOf(resource)
  return {
    origin,
    type: resource.resourceType,
    ...(id === undefined ? {} : { id }),
    ...(fullUrl === undefined ? {} : { fullUrl }),
    ...(bundle === undefined ? {} : { bundle }),
    ...(row === undefined ? {} : { order: row.order ?? "" }),
    ...(by === "names" ? {} : { content: contentOf(resource) })
  }
}

/** A record that says nothing and stands where the one stands that the rank is of. */
export const emptyRecordAt = ({ bundle, content, fullUrl, id, order, origin, type }: RecordRank): SourceRecord => {
  const resource: Resource = id === undefined ? { resourceType: type } : { resourceType: type, id }
  if (content !== undefined) contents.set(resource, content)
  return {
    origin,
    resource,
    ...(fullUrl === undefined ? {} : { fullUrl }),
    ...(bundle === undefined ? {} : { bundle }),
    ...(order === undefined ? {} : { row: { nameOf: () => undefined, naming: nothing, order } })
  }
}

const nothing: ReadonlySet<string> = new Set()

const canonical = (value: unknown): string => {
  if (isExactNumber(value)) return String(value)
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  const members = Object.keys(value).toSorted().map((key) =>
    `${JSON.stringify(key)}:${canonical((value as Readonly<Record<string, unknown>>)[key])}`
  )
  return `{${members.join(",")}}`
}
