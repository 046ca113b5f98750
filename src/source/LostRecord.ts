import type { Span } from "../diagnostic/Span.ts"
import { parseReferenceText } from "./Reference.ts"
import type { Origin, SourceRecord } from "./SourceRecord.ts"

/** What can still be told of a record that could not be read: visits that it belongs to are not sent without it. */
export interface LostRecord {
  /** Its resource type, or its table. */
  readonly type?: string
  /** Names by which others refer to it: `Practitioner/17`, its `fullUrl`. */
  readonly names: ReadonlyArray<string>
  /** Names that it refers to: `Encounter/5b1e44`, `urn:uuid:…`. */
  readonly references: ReadonlyArray<string>
}

/** A lost record, and where it stands. */
export interface PlacedLostRecord extends LostRecord {
  readonly origin: Origin
  /** It stands for records of its type in a file that could not be read to its end, was read wrongly, or is not there: how many, and whose they are, nobody knows. */
  readonly rest?: "unread" | "misread" | "missing"
  /** What the mapping says of it. */
  readonly mapping?: Span
}

/**
 * What a text that is no JSON, or no resource, says of the records it was meant to hold, as far as it is written in the usual way: a resource's
 * type and id stand at its beginning. Of a Bundle or an array each resource is one; what a resource contains is part of it.
 */
export const lostInText = (text: string): ReadonlyArray<LostRecord> => {
  const heads = [...text.matchAll(heading)].map(({ groups, index }) => ({ index, ...(groups as unknown as Heading) }))
  const isBundle = heads[0]?.type === "Bundle"
  const begins = isBundle
    ? heads.filter(({ entry }) => entry !== undefined)
    : /^\s*\[/u.test(text)
    ? heads
    : heads.slice(0, 1)
  if (begins.length === 0) return [{ names: [], references: referencesIn(text) }]
  return begins.map(({ id, index, type, url }, at) => ({
    type,
    names: [id === undefined ? undefined : `${type}/${id}`, url].filter(isText),
    references: referencesIn(begins.length === 1 ? text : text.slice(index, begins[at + 1]?.index))
  }))
}

const heading =
  /(?<entry>(?:"fullUrl"\s*:\s*"(?<url>[^"\\]*)"\s*,\s*)?"resource"\s*:\s*\{\s*)?"resourceType"\s*:\s*"(?<type>[A-Za-z]+)"(?:\s*,\s*"id"\s*:\s*"(?<id>[^"\\]*)")?/gu

interface Heading {
  readonly type: string
  readonly entry?: string
  readonly url?: string
  readonly id?: string
}

const referencesIn = (
  text: string
): ReadonlyArray<string> => [
  ...new Set(
    [...text.matchAll(/"reference"\s*:\s*("(?:[^"\\]|\\.)*")/gu)].flatMap(([, written]) => namesOf(unquoted(written!)))
  )
]

const unquoted = (written: string): string => {
  try {
    return JSON.parse(written) as string
  } catch {
    return ""
  }
}

/** The same of a text that is read line by line. Records that refer to the same are one, with the names of each. */
export class LostLines {
  readonly #limit: number
  readonly #found = new Map<string, LostRecord & { readonly names: Array<string> }>()
  #carry: Array<Buffer> = []
  #carried = 0

  /** A line is looked into up to so many bytes. */
  constructor(limit: number) {
    this.#limit = limit
  }

  take(chunk: Buffer): void {
    let from = 0
    for (let feed = chunk.indexOf(0x0a); feed !== -1; feed = chunk.indexOf(0x0a, from)) {
      this.#keep(chunk.subarray(from, feed))
      this.#line()
      from = feed + 1
    }
    // The chunk is written over when the next one is read.
    this.#keep(Buffer.from(chunk.subarray(from)))
  }

  finish(): ReadonlyArray<LostRecord> {
    this.#line()
    return [...this.#found.values()]
  }

  #keep(bytes: Buffer): void {
    if (this.#carried > this.#limit) return
    this.#carry.push(bytes)
    this.#carried += bytes.length
  }

  #line(): void {
    for (const { names, ...lost } of lostInText(Buffer.concat(this.#carry).toString("utf8"))) {
      if (names.length === 0 && lost.references.length === 0) continue
      const key = JSON.stringify(lost)
      const known = this.#found.get(key)
      if (known === undefined) this.#found.set(key, { ...lost, names: [...names] })
      else known.names.push(...names)
    }
    this.#carry = []
    this.#carried = 0
  }
}

/** The names by which the text of a reference may mean a record. */
export const namesOf = (text: string): ReadonlyArray<string> => {
  const reference = parseReferenceText(text)
  switch (reference._tag) {
    case "Relative":
      return [`${reference.type}/${reference.id}`]
    case "Absolute":
      return [reference.url, `${reference.type}/${reference.id}`]
    case "Urn":
      return [reference.urn]
    case "Url":
      return [reference.url]
    case "Conditional":
      return reference.id === undefined ? [] : [`${reference.type}/${reference.id}`]
    default:
      return []
  }
}

/** The names by which references mean a record that was read. */
export const namesOfRecord = ({ fullUrl, origin }: SourceRecord): ReadonlyArray<string> =>
  fullUrl === undefined || fullUrl === origin.reference ? [origin.reference] : [origin.reference, fullUrl]

const isText = (text: string | undefined): text is string => text !== undefined && text !== ""
