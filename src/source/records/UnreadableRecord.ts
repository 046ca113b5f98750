import type { Origin } from "../../diagnostic/Origin.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { oneOrMore } from "../../json/JsonObject.ts"
import { idOf } from "./compareRecords.ts"
import { parseIdentifier, parseReference, parseReferenceText } from "./Reference.ts"
import type { SourceRecord } from "./SourceRecord.ts"

/** What is known of a record that could not be read. Visits that it belongs to are not sent without it. */
export interface UnreadableRecord {
  /** Its resource type, if certain, or its table. */
  readonly type?: string
  /** Names by which other records refer to it: `Practitioner/17`, its `fullUrl`, an identifier (see {@link namesOfRecord}). */
  readonly names: ReadonlyArray<string>
  /** Names that it refers to: `Encounter/5b1e44`, `urn:uuid:…`. */
  readonly references: ReadonlyArray<string>
  /** `meta.lastUpdated` */
  readonly updated?: string
  /**
   * Set if it represents an unknown number of records of its type, with unknown owners. They are in a file that was cut off, misread or
   * missing, or in an incomplete export.
   */
  readonly rest?: "unread" | "misread" | "missing" | "export"
}

/** A lost record, with its source location. */
export interface LocatedUnreadableRecord extends UnreadableRecord {
  readonly origin: Origin
  /** The server could not export it. */
  readonly isNotExported?: boolean
  /** The mapping line of the problem. */
  readonly mapping?: Span
  /** It refers to an encounter of the root type of visits, or is one. */
  readonly isPlaced?: boolean
}

/**
 * Returns the names by which a reference, or its text, can mean a record: `Encounter/17`, an address, a `urn:`. `*` and an id if the
 * type is unknown, `=` and an identifier. A type without an id, if only the type is known.
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

/** Returns the names by which references can mean a record that was read. */
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

/** Returns the name of a record without an id, from its address. */
export const aliasOf = (fullUrl: string, type: string | undefined): ReadonlyArray<string> => {
  const reference = parseReferenceText(fullUrl)
  return "id" in reference && reference.id !== undefined && type !== undefined ? [`${type}/${reference.id}`] : []
}

export const identifiersOf = (value: unknown): ReadonlyArray<string> =>
  oneOrMore(value).flatMap((one) => {
    const identifier = parseIdentifier(one)
    return identifier === undefined ? [] : [`=${identifier.system ?? ""}|${identifier.value}`]
  })
