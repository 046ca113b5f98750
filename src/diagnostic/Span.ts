/** A range in a text file: where a mapping line, a setting or a table row is written. Lines and columns count from 1. */
export interface Span {
  /** File name as the user gave it, relative if the user gave a relative one. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Exclusive end on the line where `column` starts; the carets cover `column` to here. */
  readonly endColumn: number
}
