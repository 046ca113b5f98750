import { hash } from "node:crypto"
import { compareTexts } from "../../compareTexts.ts"
import type { Origin } from "../../diagnostic/Origin.ts"
import { isExactNumber } from "../../json/exactNumber.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import { LazyRecord, recordTypeOf } from "./LazyRecord.ts"
import type { BundleContext, Resource, SourceRecord } from "./SourceRecord.ts"

/**
 * The order of records in a run: by type, then id, then `fullUrl`, then content. Files, lines and input order have no influence, so
 * equal input in any arrangement gives equal output.
 */
export const compareRecords = (one: SourceRecord, other: SourceRecord): number =>
  compareNames(one, other) ||
  (one === other ? 0 : compareTexts(contentOf(one.resource), contentOf(other.resource))) ||
  compareTexts(one.bundle?.key ?? "", other.bundle?.key ?? "")

/** The same order among records of one type, where ids decide nearly always: a short function is compiled sooner. */
export const compareOfType = (one: SourceRecord, other: SourceRecord): number =>
  compareIds(idOfRecord(one) ?? "", idOfRecord(other) ?? "") || compareRecords(one, other)

/** Compares by names only: `0` for records with one name, or without a name. */
const compareNames = (one: SourceRecord, other: SourceRecord): number =>
  compareTexts(recordTypeOf(one), recordTypeOf(other)) || compareNameRanks(nameRankOf(one), nameRankOf(other))

/** The sort key that the names of a record give, among records of one type. */
export interface NameSortKey {
  readonly id: string | undefined
  readonly fullUrl: string | undefined
  /** Set for a table row. */
  readonly order: string | undefined
  readonly line: number
}

export const nameRankOf = (record: SourceRecord): NameSortKey => ({
  id: idOfRecord(record),
  fullUrl: record.fullUrl,
  order: record.row === undefined ? undefined : record.row.order ?? "",
  line: record.origin.line
})

/** Like {@link compareNames}, for records of one type. Rows without a key are in the order that their table declares, then in that of the files. */
export const compareNameRanks = (one: NameSortKey, other: NameSortKey): number =>
  compareIds(one.id ?? "", other.id ?? "") ||
  compareTexts(one.fullUrl ?? "", other.fullUrl ?? "") ||
  (one.order === undefined || other.order === undefined || one.id !== undefined
    ? 0
    : compareIds(one.order, other.order) || one.line - other.line)

/** Returns the id of a resource; a numeric id is read as text. */
export const idOf = (resource: Resource): string | undefined => {
  const id: unknown = resource.id
  if (typeof id === "string") return id === "" ? undefined : id
  return typeof id === "number" ? String(id) : undefined
}

/** Returns the id of a record without parsing its content. */
export const idOfRecord = (record: SourceRecord): string | undefined =>
  record instanceof LazyRecord ? record.id : idOf(record.resource)

/** Whether no reference can mean a record: a row without a key, or a FHIR record without `id` and `fullUrl`. */
export const isNameless = (record: SourceRecord): boolean =>
  record.fullUrl === undefined && idOfRecord(record) === undefined

/** Like {@link compareTexts}, but compares adjacent digits as one number: `V9` comes before `V10`. */
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
    const oneStart = afterZeros(one, start, oneEnd)
    const otherStart = afterZeros(other, start, otherEnd)
    const byLength = oneEnd - oneStart - (otherEnd - otherStart)
    if (byLength !== 0) return byLength
    for (let digit = 0; digit < oneEnd - oneStart; digit++) {
      const byDigit = one.charCodeAt(oneStart + digit) - other.charCodeAt(otherStart + digit)
      if (byDigit !== 0) return byDigit
    }
    // For `7` and `07` the rest decides, then the zeros.
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

const afterZeros = (text: string, start: number, end: number): number => {
  let from = start
  while (from < end - 1 && text.charCodeAt(from) === 0x30) from++
  return from
}

const contents = new WeakMap<Resource, string>()

/** Returns a hash of a resource's content that does not depend on the order of its keys. Numbers count by their digits. */
export const contentOf = (resource: Resource): string =>
  getOrMake(contents, resource, () => hash("sha256", canonical(resource), "base64"))

/** Gives a view of a resource the content hash of that resource, without reading it through the view. */
export const shareContent = (view: Resource, resource: Resource): void => {
  contents.set(view, contentOf(resource))
}

/** What decides the order of a record, as data. */
export interface RecordRank {
  readonly origin: Origin
  readonly type: string
  readonly id?: string
  readonly fullUrl?: string
  readonly bundle?: BundleContext
  /** Set for a table row. */
  readonly order?: string
  /** The content hash decides between equal names; it is slow to compute. */
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

/** Returns an empty record with the sort position of a rank. */
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
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (!isJsonObject(value)) return JSON.stringify(value) ?? "null"
  const members = Object.keys(value).toSorted().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${members.join(",")}}`
}
