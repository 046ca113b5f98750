import type { Origin } from "../../diagnostic/Origin.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { idOf } from "./compareRecords.ts"
import { parseIdentifier, parseReference, parseReferenceText } from "./Reference.ts"
import type { SourceRecord } from "./SourceRecord.ts"

/** What can still be told of a record that could not be read: visits that it belongs to are not sent without it. */
export interface UnreadableRecord {
  /** Its resource type, where that is certain, or its table. */
  readonly type?: string
  /** Names by which others refer to it: `Practitioner/17`, its `fullUrl`, an identifier (see `referencedNamesOf`). */
  readonly names: ReadonlyArray<string>
  /** Names that it refers to: `Encounter/5b1e44`, `urn:uuid:…`. */
  readonly references: ReadonlyArray<string>
  /** `meta.lastUpdated` */
  readonly updated?: string
}

/** A lost record, and where it stands. */
export interface LocatedUnreadableRecord extends UnreadableRecord {
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

export const anyOf = (id: string): string => `*${id}`

/** What a record without an id is called after its address. */
export const aliasOf = (fullUrl: string, type: string | undefined): ReadonlyArray<string> => {
  const reference = parseReferenceText(fullUrl)
  return "id" in reference && reference.id !== undefined && type !== undefined ? [`${type}/${reference.id}`] : []
}

export const identifiersOf = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    const identifier = parseIdentifier(one)
    return identifier === undefined ? [] : [`=${identifier.system ?? ""}|${identifier.value}`]
  })
