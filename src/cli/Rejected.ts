import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Origin } from "../diagnostic/Origin.ts"
import { problemJson } from "../diagnostic/renderJson.ts"

/** A visit that cannot be sent, or a record that belongs to none. */
export interface Rejected {
  /** The visit's code; `null` for a record, and for a visit whose code is not known. */
  readonly code: string | null
  readonly source: string
  readonly origin: Pick<Origin, "file" | "line">
  readonly problems: ReadonlyArray<Diagnostic>
}

/** One line of the rejected file, with its line feed. It names codes, references and places, never values. */
export const rejectedLine = ({ code, origin, problems, source }: Rejected): string =>
  `${
    JSON.stringify({
      visit: code,
      source,
      origin: `${origin.file}:${origin.line}`,
      problems: problems.map(problemJson)
    })
  }\n`
