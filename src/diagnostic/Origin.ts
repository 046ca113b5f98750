/** The source location of a record. */
export interface Origin {
  /** Input file as the user named it; `-` for standard input. */
  readonly file: string
  /** 1-based line the record starts on (NDJSON: its line; JSON document: the line of the `{` of its entry). */
  readonly line: number
  /**
   * The record's FHIR name: `Observation/9f2c1a`, or its `fullUrl` if it has no id, or `Observation` if it has neither. `""` if the
   * location is not a record: a whole file, or a line that cannot be read.
   */
  readonly reference: string
  /** The type of the record, if its name is a `fullUrl`. */
  readonly type?: string
}

/** Returns a location as messages show it: `export/Observation.ndjson:118`. */
export const originText = ({ file, line }: Pick<Origin, "file" | "line">): string => `${file}:${line}`

/** Returns the type of the record at a location. */
export const typeAt = ({ reference, type }: Origin): string => type ?? reference.split("/", 1)[0] ?? reference
