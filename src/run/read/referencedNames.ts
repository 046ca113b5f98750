import { hasEscapedLetters, membersIn, nameBytes } from "../../json/unparsed.ts"
import { contentOf, idOf } from "../../source/records/compareRecords.ts"
import { parseIdentifier, parseReferenceText, slashOfPlain } from "../../source/records/Reference.ts"
import type { Resource, SourceRecord } from "../../source/records/SourceRecord.ts"
import { beginHash, hashBytes, hashName, type HashStart } from "../links/hashName.ts"

/** Names that identify a record: records that share one are copies or versions of one. */
export const ownHash = (name: string): number => hashName(name)
/** Names that several unrelated records may share: an id without a type, an identifier. */
const looseHash = (kind: "id" | "identifier", name: string): number => -hashName(name, seeds[kind])
const seeds = { id: 1, identifier: 2 }

const starts = { own: beginHash(""), id: beginHash("", seeds.id), identifier: beginHash("", seeds.identifier) }

/** Hash the same names by their bytes in a text. They are ASCII. */
export const hashText = {
  /** `Patient/17`; the bytes may be what follows the characters of `begin`. */
  own: (bytes: Buffer, start: number, end: number, begin: HashStart = starts.own): number =>
    hashBytes(begin, bytes, start, end),
  id: (bytes: Buffer, start: number, end: number): number => -hashBytes(starts.id, bytes, start, end),
  identifier: (bytes: Buffer, start: number, end: number): number => -hashBytes(starts.identifier, bytes, start, end)
}

/** Returns true if records that share this name are copies or versions of one. */
export const isOwn = (hash: number): boolean => hash > 0

/**
 * Returns the hash of every name by which a reference may mean the record, or by which it may be one of several copies. These are its type
 * and id, its id without the type, its `fullUrl`, and its identifiers. A record without a name is hashed by its content.
 */
export const nameHashesOf = ({ fullUrl, resource }: SourceRecord): ReadonlyArray<number> => {
  const id = idOf(resource)
  const hashes: Array<number> = id === undefined ? [] : hashesOfId(resource.resourceType, id)
  if (fullUrl !== undefined) {
    hashes.push(ownHash(fullUrl))
    if (id === undefined) {
      const reference = parseReferenceText(fullUrl)
      if ("id" in reference && reference.id !== undefined) {
        hashes.push(ownHash(`${resource.resourceType}/${reference.id}`))
      }
    }
  } else if (id === undefined) hashes.push(ownHash(`~${contentOf(resource)}`))
  addIdentifiers(hashes, resource.identifier)
  return hashes
}

/** Returns the hashes of a type and id, and of the id without the type. */
export const hashesOfId = (
  type: string,
  id: string
): [own: number, loose: number] => [ownHash(`${type}/${id}`), looseHash("id", id)]

const addIdentifiers = (hashes: Array<number>, identifiers: unknown): void => {
  for (const element of Array.isArray(identifiers) ? identifiers : [identifiers]) {
    const parsed = parseIdentifier(element)
    if (parsed !== undefined) hashes.push(looseHash("identifier", parsed.value))
  }
}

/**
 * The hashes that `nameHashesOf` returns for a record, and possibly more, from its text. They are its type and id, which come from its first
 * bytes, and every identifier in it. `undefined` if the text must be parsed.
 */
export const namesInText = (
  text: Buffer,
  { id, type }: { readonly type: string; readonly id: string }
): ReadonlyArray<number> | undefined => {
  if (hasEscapedLetters(text)) return undefined
  // If a key occurs twice, the last counts.
  if (text.indexOf(typeKey) !== text.lastIndexOf(typeKey) && !text.includes(containedKey)) return undefined
  const hashes = hashesOfId(type, id)
  const identifiers = membersIn(text, identifierKey)
  if (identifiers === undefined) return undefined
  for (const found of identifiers) addIdentifiers(hashes, found)
  return hashes
}

const typeKey = nameBytes("resourceType")
const containedKey = nameBytes("contained")
const identifierKey = nameBytes("identifier")

/** Receives the hash of a name, and the elements on the path to it. */
type NameListener = (hash: number, path: ReadonlyArray<string>) => void

/**
 * Passes the hash of every name that a record, or a resource it contains, refers to. With it come the elements on the path from the
 * resource (`["diagnosis", "condition"]`), in an array that is valid until the next call.
 */
export const eachReference = (resource: Resource, onName: NameListener): void => walk(resource, [], onName)

/** No closure: one would be made, and compiled again and again, for each of many records. */
const walk = (value: object, path: Array<string>, onName: NameListener): void => {
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    for (const item of items) if (typeof item === "object" && item !== null) walk(item, path, onName)
    return
  }
  // It is no list, so it is an object of JSON.
  const holder = value as Readonly<Record<string, unknown>>
  // All enumerable members of parsed JSON are own members.
  for (const key in holder) {
    const member = holder[key]
    if (typeof member === "string") {
      // The value of an extension may be a string in place of a Reference.
      if (key === "reference" || (key.startsWith("value") && isName(member))) {
        addReference(member, holder, path, onName)
      }
    } else if (typeof member === "object" && member !== null) {
      if (key === "identifier" && path.length > 0 && !Array.isArray(member)) {
        const parsed = parseIdentifier(member)
        if (parsed !== undefined) onName(looseHash("identifier", parsed.value), path)
      }
      path.push(key)
      walk(member, path, onName)
      path.pop()
    }
  }
}

/** Passes the hashes of all names that a reference's text may mean. `holder` is the Reference. */
const addReference = (
  text: string,
  holder: Readonly<Record<string, unknown>>,
  path: ReadonlyArray<string>,
  onName: NameListener
): void => {
  onName(ownHash(text), path)
  if (slashOfPlain(text) !== -1) return
  const { type } = holder
  const reference = parseReferenceText(
    text,
    typeof type === "string" ? type.slice(type.lastIndexOf("/") + 1) : undefined
  )
  switch (reference._tag) {
    case "Relative":
      return onName(ownHash(`${reference.type}/${reference.id}`), path)
    case "Absolute":
      onName(ownHash(reference.url), path)
      return onName(ownHash(`${reference.type}/${reference.id}`), path)
    case "Urn":
      onName(ownHash(reference.urn), path)
      return onName(hashOfId(reference.type, reference.id), path)
    case "Bare":
      return onName(hashOfId(reference.type, reference.id), path)
    case "Conditional":
      if (reference.id !== undefined) onName(ownHash(`${reference.type}/${reference.id}`), path)
      if (reference.identifier !== undefined) onName(looseHash("identifier", reference.identifier.value), path)
  }
}

const hashOfId = (type: string | undefined, id: string): number =>
  type === undefined ? looseHash("id", id) : ownHash(`${type}/${id}`)

/** `Patient/17`, `urn:uuid:…` */
const isName = (text: string): boolean => /^(?:[A-Z][A-Za-z]+\/\S+|urn:\S+)$/u.test(text)
