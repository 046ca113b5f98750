import { parse } from "csv-parse/sync"

/** How the first rows of a text are cut, and how many are wanted. */
interface Cut {
  readonly delimiter: string
  readonly quote: string | null
  readonly rows: number
}

/** The first rows of a text; none where it cannot be cut at all. */
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
