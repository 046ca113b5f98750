/** Where a source record was found. */
export interface Origin {
  /** Input file as the user named it; `-` for standard input. */
  readonly file: string
  /** 1-based line the record starts on (NDJSON: its line; JSON document: the line its `{` stands on). */
  readonly line: number
  /** How FHIR names it: `Observation/9f2c1a`, or its `fullUrl` when it has no id, or `Observation` when it has neither. */
  readonly reference: string
}

/** A FHIR resource as parsed. Keys are data: objects have a null prototype, so `__proto__` is an ordinary key. */
export interface Resource {
  readonly resourceType: string
  readonly id?: string
  readonly [element: string]: unknown
}

/** The Bundle a record was an entry of. Records of one Bundle share one object. */
export interface BundleContext {
  /** Unique in the run, the same for the same content whatever the file order: `file#n` is not enough, so a content hash is part of it. */
  readonly key: string
  /** `document`, `transaction`, `searchset` … as written; `""` when missing. */
  readonly type: string
}

/** One record read from an input, and where it was found. */
export interface SourceRecord {
  readonly origin: Origin
  readonly resource: Resource
  /** `Bundle.entry.fullUrl`, when the record came from a Bundle that states one. */
  readonly fullUrl?: string
  readonly bundle?: BundleContext
}
