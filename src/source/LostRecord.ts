import type { Origin } from "../diagnostic/Origin.ts"
import type { Span } from "../diagnostic/Span.ts"
import { idOf } from "./compareRecords.ts"
import { parseIdentifier, parseReference, parseReferenceText } from "./Reference.ts"
import type { SourceRecord } from "./SourceRecord.ts"

/** What can still be told of a record that could not be read: visits that it belongs to are not sent without it. */
export interface LostRecord {
  /** Its resource type, where that is certain, or its table. */
  readonly type?: string
  /** Names by which others refer to it: `Practitioner/17`, its `fullUrl`, an identifier (see `namesOf`). */
  readonly names: ReadonlyArray<string>
  /** Names that it refers to: `Encounter/5b1e44`, `urn:uuid:…`. */
  readonly references: ReadonlyArray<string>
  /** `meta.lastUpdated` */
  readonly updated?: string
}

/** A lost record, and where it stands. */
export interface PlacedLostRecord extends LostRecord {
  readonly origin: Origin
  /** It stands for records of its type in a file that could not be read to its end, was read wrongly, or is not there, or in an export that is incomplete: how many, and whose they are, nobody knows. */
  readonly rest?: "unread" | "misread" | "missing" | "export"
  /** The server could not export it. */
  readonly isNotExported?: boolean
  /** What the mapping says of it. */
  readonly mapping?: Span
  /** It names an encounter of the type that visits grow from, or is one. */
  readonly isPlaced?: boolean
}

/**
 * What a text that is no JSON, or no resource, says of the records it was meant to hold. Of a Bundle or an array each resource is one; what a
 * resource contains is part of it.
 */
export const lostInText = (text: string): ReadonlyArray<LostRecord> => {
  const value = parsed(text)
  return value === undefined ? lostInPieces(text) : lostInValue(value)
}

/** The same of a value that is no resource, or not to be passed on. */
const lostInValue = (value: unknown, fullUrl?: string): ReadonlyArray<LostRecord> => {
  if (Array.isArray(value)) return value.flatMap((element) => lostInValue(element))
  if (!isObject(value)) return []
  const type = typeof value.resourceType === "string" ? value.resourceType : undefined
  const parts = type === "Parameters"
    ? value.parameter
    : type === undefined || type === "Bundle"
    ? value.entry
    : undefined
  if (Array.isArray(parts)) {
    return parts.flatMap((part: unknown) => isObject(part) ? lostInValue(part.resource, textOf(part.fullUrl)) : [])
  }
  const id = textOf(value.id)
  const meta = isObject(value.meta) ? value.meta : {}
  return [lostRecord({
    type,
    id,
    fullUrl,
    updated: textOf(meta.lastUpdated),
    identifiers: value.identifier,
    references: referencesOf(value)
  })]
}

const lostRecord = (
  { fullUrl, id, identifiers, references, type, updated }: {
    readonly type: string | undefined
    readonly id: string | undefined
    readonly fullUrl: string | undefined
    readonly updated: string | undefined
    readonly identifiers: unknown
    readonly references: Iterable<string>
  }
): LostRecord => ({
  ...(type === undefined ? {} : { type }),
  names: [
    ...new Set([
      ...(id === undefined ? [] : type === undefined ? [anyOf(id)] : [`${type}/${id}`, anyOf(id)]),
      ...(fullUrl === undefined ? [] : [fullUrl, ...aliasOf(fullUrl, type)]),
      ...identifiersOf(identifiers)
    ])
  ],
  references: [...new Set(references)],
  ...(updated === undefined ? {} : { updated })
})

/** Names that the values of a tree refer to. The tree may be deeper than the stack. */
const referencesOf = (value: object): ReadonlySet<string> => {
  const names = new Set<string>()
  const open: Array<object> = [value]
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    if (holder !== value && isReference(holder)) { for (const name of namesOf(holder)) names.add(name) }
    for (const member of Object.values(holder)) if (isObject(member)) open.push(member)
  }
  return names
}

const isReference = (holder: object): boolean =>
  ("reference" in holder && typeof holder.reference === "string") ||
  ("identifier" in holder && isObject(holder.identifier) && !Array.isArray(holder.identifier))

/** Of a text that is not JSON: where its resources begin is found by their brackets, as far as these can be followed, and by what stands before. */
const lostInPieces = (text: string): ReadonlyArray<LostRecord> => {
  const first = text.search(/[{[]/u)
  if (first === -1) return [{ names: [], references: [...new Set(referencesIn(text))] }]
  const top = headAt(text, first)
  const isList = text[first] === "["
  const entries = isList || (top.type !== undefined && top.type !== "Bundle" && top.type !== "Parameters")
    ? []
    : [...text.matchAll(/"resource"\s*:\s*(?=\{)/gu)].map((found) => found.index + found[0].length)
  if (entries.length > 0) {
    return entries.flatMap((start, at) => {
      const before = text.slice(at === 0 ? first : entries[at - 1], start)
      const url = /.*"fullUrl"\s*:\s*"([^"\\]*)"/su.exec(before.slice(-2000))?.[1]
      const lost = lostInPiece(text, start, entries[at + 1] ?? text.length, url)
      return lost.type === "Bundle" ? [] : [lost]
    })
  }
  if (top.type === "Bundle") return []
  if (!isList && !top.closed) return [lostInPiece(text, first, text.length)]
  const found: Array<LostRecord> = []
  for (let at = text.indexOf("{", first); at !== -1;) {
    const { closed, end } = headAt(text, at)
    // Behind a fault the next resource is looked for.
    const next = closed
      ? text.indexOf("{", end)
      : indexOf(text, /\{\s*"(?:resourceType|id)"\s*:/gu, Math.max(end, at + 1))
    found.push(lostInPiece(text, at, next === -1 ? text.length : next))
    at = next
  }
  return found
}

const lostInPiece = (text: string, start: number, limit: number, fullUrl?: string): LostRecord => {
  const { closed, end, id, type } = headAt(text, start)
  const piece = text.slice(start, closed ? Math.min(end, limit) : limit)
  const own = /"identifier"\s*:\s*(?=\[)/u.exec(piece)
  const lost = lostRecord({
    type,
    id,
    fullUrl,
    updated: /"lastUpdated"\s*:\s*"([^"\\]+)"/u.exec(piece)?.[1],
    identifiers: own === null ? undefined : valueAt(piece, own.index + own[0].length),
    references: referencesIn(piece)
  })
  if (type !== undefined || id === undefined) return lost
  // The fault stands before its type: it may be each that is named.
  const types = [...piece.matchAll(/"resourceType"\s*:\s*"([A-Za-z]+)"/gu)].map(([, name]) => `${name}/${id}`)
  return { ...lost, names: [...new Set([...lost.names, ...types])] }
}

interface Head {
  readonly type?: string
  readonly id?: string
  /** Behind its last bracket, or where it can no longer be followed. */
  readonly end: number
  readonly closed: boolean
}

/** The type and the id of the object that begins here: those that stand in itself, and not in what it holds. */
const headAt = (text: string, start: number): Head => {
  let depth = 0
  let type: string | undefined
  let id: string | undefined
  /** The last text, which may be a key, and the key that a value follows. */
  let last: string | undefined
  let key: string | undefined
  let isOver = false
  const tokens = new RegExp(token, "guy")
  tokens.lastIndex = start
  let end = start
  const head = (closed: boolean): Head => ({
    ...(type === undefined ? {} : { type }),
    ...(id === undefined ? {} : { id }),
    end,
    closed
  })
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [whole, written, sign, word] = found
    // Two values with nothing between them: a quote is missing before.
    if (isOver && (written !== undefined || word !== undefined || sign === "{" || sign === "[")) return head(false)
    end = found.index + whole.length
    if (written !== undefined) {
      if (depth === 1 && key === "resourceType") type ??= unquoted(written)
      else if (depth === 1 && key === "id") id ??= unquoted(written)
      last = depth === 1 ? unquoted(written) : undefined
    } else if (sign === "{" || sign === "[") depth++
    else if (sign === "}" || sign === "]") {
      depth--
      if (depth === 0) return head(true)
    }
    key = sign === ":" && depth === 1 ? last : undefined
    isOver = written !== undefined || word !== undefined || sign === "}" || sign === "]"
  }
  return head(false)
}

const token = /\s*(?:("(?:[^"\\\n]|\\[^\n])*")|([{}[\],:])|([^\s{}[\],:"]+))/u

/** The value that begins here, where it can be read. */
const valueAt = (text: string, start: number): unknown => {
  if (start === -1) return undefined
  const { closed, end } = headAt(text, start)
  return closed ? parsed(text.slice(start, end)) : undefined
}

const indexOf = (text: string, pattern: RegExp, from: number): number => {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}

/** Names in a text that is not JSON: of each Reference as a whole, where it can be read, since it may say the type of its target. */
const referencesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"(?:reference"\s*:\s*("(?:[^"\\]|\\.)*")|identifier"\s*:\s*(?=\{))/gu)].flatMap((found) => {
    const holder = valueAt(text, text.lastIndexOf("{", found.index))
    if (isObject(holder) && isReference(holder)) return namesOf(holder)
    const [whole, written] = found
    return written === undefined ? identifiersOf(valueAt(text, found.index + whole.length)) : namesOf(unquoted(written))
  })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const unquoted = (written: string): string => {
  const value = parsed(written)
  return typeof value === "string" ? value : ""
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

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
    // What is known of them together holds for each of them alone.
    for (const { names, updated: _, ...lost } of lostInText(Buffer.concat(this.#carry).toString("utf8"))) {
      if (names.length === 0 && lost.references.length === 0 && lost.type === undefined) continue
      const key = JSON.stringify(lost)
      const known = this.#found.get(key)
      if (known === undefined) this.#found.set(key, { ...lost, names: [...names] })
      else known.names.push(...names)
    }
    this.#carry = []
    this.#carried = 0
  }
}

/**
 * The names by which a reference, or the text of one, may mean a record: `Encounter/17`, an address, a `urn:`; `*` and an id where the type is
 * not told, `=` and an identifier; a type and no id where no more than that is told of a name.
 */
export const namesOf = (written: unknown): ReadonlyArray<string> => {
  const reference = parseReference(written)
  const typed = "type" in reference && reference.type !== undefined ? [`${reference.type}/`] : []
  switch (reference._tag) {
    case "Relative":
      return [`${reference.type}/${reference.id}`]
    case "Absolute":
      return [reference.url, `${reference.type}/${reference.id}`]
    case "Urn":
      return [reference.urn, anyOf(reference.id), ...typed]
    case "Url":
      return [reference.url]
    case "Bare":
      return [anyOf(reference.id), ...typed]
    case "Conditional":
      return [
        ...(reference.id === undefined ? [] : [`${reference.type}/${reference.id}`]),
        ...identifiersOf(reference.identifier),
        ...typed
      ]
    case "Logical":
      return [...identifiersOf(reference.identifier), ...typed]
    default:
      return []
  }
}

/** The names by which references mean a record that was read. */
export const namesOfRecord = ({ fullUrl, origin: { reference }, resource }: SourceRecord): ReadonlyArray<string> => {
  const id = idOf(resource)
  return [
    reference,
    ...(id === undefined ? [] : [anyOf(id)]),
    ...(fullUrl === undefined || fullUrl === reference ? [] : [fullUrl]),
    ...(fullUrl === undefined || id !== undefined ? [] : aliasOf(fullUrl, resource.resourceType)),
    ...identifiersOf(resource.identifier).flatMap((name) => [name, `=|${name.slice(name.indexOf("|") + 1)}`])
  ]
}

const anyOf = (id: string): string => `*${id}`

/** What a record without an id is called after its address. */
const aliasOf = (fullUrl: string, type: string | undefined): ReadonlyArray<string> => {
  const reference = parseReferenceText(fullUrl)
  return "id" in reference && reference.id !== undefined && type !== undefined ? [`${type}/${reference.id}`] : []
}

const identifiersOf = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    const identifier = parseIdentifier(one)
    return identifier === undefined ? [] : [`=${identifier.system ?? ""}|${identifier.value}`]
  })
