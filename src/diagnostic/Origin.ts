/** Where a source record was found. */
export interface Origin {
  /** Input file as the user named it; `-` for standard input. */
  readonly file: string
  /** 1-based line the record starts on (NDJSON: its line; JSON document: the line on which the `{` of its entry stands). */
  readonly line: number
  /**
   * How FHIR names it: `Observation/9f2c1a`, or its `fullUrl` when it has no id, or `Observation` when it has neither.
   * `""` when the place is not a record: a whole file, a line that cannot be read.
   */
  readonly reference: string
}
