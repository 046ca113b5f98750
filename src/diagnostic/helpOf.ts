import type { Diagnostic } from "./Diagnostic.ts"
import { problemOf } from "./Problem.ts"

/** Returns the next step: the message's own help, or the first step of the problem's page (default). */
export const helpOf = ({ code, help }: Diagnostic): ReadonlyArray<string> =>
  help === undefined || help.length === 0 ? [problemOf(code).next] : help
