import type { Diagnostic } from "./Diagnostic.ts"
import { problemOf } from "./Problem.ts"

/** What to do next: what the message says of its own case, else the first step that the problem's page tells. */
export const helpOf = ({ code, help }: Diagnostic): ReadonlyArray<string> =>
  help === undefined || help.length === 0 ? [problemOf(code).next] : help
