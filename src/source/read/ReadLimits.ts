const mebibyte = 1024 * 1024

/** How much of an input is taken before it is refused. Every limit is generous for real data and bounds what a hostile file can cost. */
export interface ReadLimits {
  /** Bytes of one NDJSON line, and of one entry of a document. */
  readonly recordBytes: number
  /** Bytes of a JSON document, which is read whole. NDJSON has no such limit: it is read line by line. */
  readonly documentBytes: number
  /** Levels of `{` and `[` inside each other, counted from the record. */
  readonly depth: number
  /** Bytes that a compressed file may inflate to. */
  readonly inflatedBytes: number
  /** How many times its size a compressed file may inflate to, once it is beyond `maxInMemoryBytes`. */
  readonly inflatedRatio: number
  /** Inflated bytes held in memory until the compressed file's end is verified; a larger file is read twice instead. */
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
