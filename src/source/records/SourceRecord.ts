import type { Origin } from "../../diagnostic/Origin.ts"

/**
 * A FHIR resource as `JSON.parse` makes it. Keys are data: `__proto__` is an own, ordinary key, and nothing here copies keys by
 * assignment. Of a key that is written twice the last value counts. Numbers that a double would change are exact decimals where
 * digits matter (see `exactNumber.ts`).
 */
export interface Resource {
  readonly resourceType: string
  readonly id?: string
  readonly [element: string]: unknown
}

/** The Bundle a record was an entry of. Records of one Bundle share one object. */
export interface BundleContext {
  /** A hash of the Bundle's content: the same whatever the file's name is and whatever order files and entries come in. */
  readonly key: string
  /** `document`, `transaction`, `searchset` … as written; `""` when missing. */
  readonly type: string
}

/** What a row of a table says besides its values. */
export interface RowFacts {
  /** How the file calls the column that an element was read from, with its number: `Admit Date (7)`. */
  readonly nameOf: (element: string) => string | undefined
  /** The elements that name the row and others: of its key, its links, its order. */
  readonly naming: ReadonlySet<string>
  /** Of a row without a key: by what it stands in order, before its line does. */
  readonly order?: string
}

/** One record read from an input, and where it was found. */
export interface SourceRecord {
  readonly origin: Origin
  readonly resource: Resource
  /** `Bundle.entry.fullUrl`, when the record came from a Bundle that states one. */
  readonly fullUrl?: string
  readonly bundle?: BundleContext
  /** When the record is a row of a table. */
  readonly row?: RowFacts
  /** When it was written for another version of FHIR: how the source calls an element. */
  readonly nameInSource?: (path: string) => string | undefined
}
