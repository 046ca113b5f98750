import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { type Origin, originText } from "../../diagnostic/Origin.ts"
import { problemJson } from "../../diagnostic/render/renderJson.ts"
import type { VisitCode } from "../../visit/values/Code.ts"
import { operationOutcome } from "./operationOutcome.ts"

/** A visit that cannot be sent, or a record that belongs to none. */
export interface Rejected {
  /** The visit's code; `null` for a record, and for a visit whose code is not known. */
  readonly code: VisitCode | null
  readonly source: string
  readonly origin: Pick<Origin, "file" | "line">
  readonly problems: ReadonlyArray<Diagnostic>
}

/** How lines of the rejected file are written. */
export const rejectedForms = ["json", "operation-outcome"] as const
export type RejectedForm = (typeof rejectedForms)[number]

/** One line of the rejected file, with its line feed. It names codes, references and places, never values. */
export const rejectedLine = (rejected: Rejected, form: RejectedForm = "json"): string =>
  form === "json" ? jsonLine(rejected) : `${JSON.stringify(operationOutcome(rejected))}\n`

const jsonLine = ({ code, origin, problems, source }: Rejected): string =>
  `${
    JSON.stringify({
      visit: code,
      source,
      origin: originText(origin),
      problems: problems.map(problemJson)
    })
  }\n`
