import { parse } from "csv-parse/sync"

/** How to cut the first rows of a text, and how many to return. */
interface Cut {
  readonly delimiter: string
  readonly quote: string | null
  readonly rows: number
}

/** Returns the first rows of a text; none if it cannot be cut. */
export const firstRows = (
  text: string,
  { delimiter, quote, rows }: Cut
): ReadonlyArray<ReadonlyArray<string>> => {
  try {
    return parse(text, {
      delimiter,
      quote,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      to: rows
    }) as ReadonlyArray<ReadonlyArray<string>>
  } catch {
    return []
  }
}
