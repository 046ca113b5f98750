const mebibyte = 1024 * 1024

/** Limits above which an input is rejected. Each is generous for real data and bounds the cost of a hostile file. */
export interface ReadLimits {
  /** Bytes of one NDJSON line, and of one entry of a document. */
  readonly recordBytes: number
  /** Bytes of a JSON document, which is read whole. NDJSON has no such limit, because it is read line by line. */
  readonly documentBytes: number
  /** Nesting levels of `{` and `[`, counted from the record. */
  readonly depth: number
  /** Bytes to which a compressed file can inflate. */
  readonly inflatedBytes: number
  /** Maximum ratio of inflated to compressed size, for files above `maxInMemoryBytes`. */
  readonly inflatedRatio: number
  /** Inflated bytes held in memory until the end of the compressed file is verified; a larger file is read twice instead. */
  readonly maxInMemoryBytes: number
}

export const defaultReadLimits: ReadLimits = {
  recordBytes: 16 * mebibyte,
  documentBytes: 256 * mebibyte,
  depth: 200,
  inflatedBytes: 64 * 1024 * mebibyte,
  inflatedRatio: 300,
  maxInMemoryBytes: 64 * mebibyte
}
