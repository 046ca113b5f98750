/** A place in a text file: where a mapping line, a setting or a table row is written. Lines and columns count from 1. */
export interface Span {
  /** File name as the user gave it, relative where the user was relative. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Exclusive end on the same line as `column` starts; the caret line is drawn from `column` to here. */
  readonly endColumn: number
}
