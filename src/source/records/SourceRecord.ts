import type { Origin } from "../../diagnostic/Origin.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import type { RecordLabel } from "./recordLabels.ts"

/**
 * A FHIR resource as `JSON.parse` returns it. Keys are data: `__proto__` is an own, ordinary key, and no code here copies keys by
 * assignment. A record in which a key is written twice is rejected. Numbers that a double would change are exact decimals where digits
 * matter (see `exactNumber.ts`).
 */
export interface Resource {
  readonly resourceType: string
  readonly id?: string
  readonly [element: string]: unknown
}

export const isResource = (value: unknown): value is Resource =>
  isJsonObject(value) && typeof value.resourceType === "string" && value.resourceType !== ""

/** The Bundle that a record was an entry of. Records of one Bundle share one object. */
export interface BundleContext {
  /** A hash of the Bundle's content. It depends neither on the file's name nor on the order of files and entries. */
  readonly key: string
  /** `document`, `transaction`, `searchset` … as written; `""` if missing. */
  readonly type: string
  /** `Bundle.identifier`, with its system. A corrected Bundle keeps it. */
  readonly identifier?: string
  /** The labels of the Bundle, and of the MessageHeader or Composition that it begins with, that limit the use of its records. */
  readonly labels?: ReadonlyArray<RecordLabel>
}

/** What a table row has in addition to its values. */
export interface RowFacts {
  /** The file's name for the column of an element, with its number: `Admit Date (7)`. */
  readonly nameOf: (element: string) => string | undefined
  /** The elements that identify the row and others: those of its key, its links and its order. */
  readonly naming: ReadonlySet<string>
  /** The currency of each element whose column declares one, by its first sign. */
  readonly currencies?: ReadonlyMap<string, string>
  /** The sort value of a row without a key; the row's line decides between equal values. */
  readonly order?: string
  /** The elements whose cells do not fit their columns. They are read as empty. */
  readonly unfit?: ReadonlyArray<string>
  /** Some of its values are those of a row above it. */
  readonly filled?: true
}

/** One record read from an input, with its source location. */
export interface SourceRecord {
  readonly origin: Origin
  readonly resource: Resource
  /** `Bundle.entry.fullUrl`, if the record came from a Bundle that has one. */
  readonly fullUrl?: string
  readonly bundle?: BundleContext
  /** Set if the resource is contained in that of another record. */
  readonly container?: SourceRecord
  /** Set if the record is a table row. */
  readonly row?: RowFacts
  /** Set if the record was written for another version of FHIR: the source's name for an element. */
  readonly nameInSource?: (path: string) => string | undefined
  /**
   * Set if its text was scanned: whether it is certainly written as the model says, and has no modifier elements. If not, both have to be
   * looked for.
   */
  readonly isUsual?: boolean
}
