import type { Diagnostic } from "../Diagnostic.ts"
import { problemOf } from "../Problem.ts"

/**
 * Returns the next steps: the message's own help (default: the first step of the problem's page), and the command that writes the fix.
 */
export const helpOf = ({ code, fix, help }: Diagnostic): ReadonlyArray<string> => [
  ...(help === undefined || help.length === 0 ? [problemOf(code).next] : help),
  ...(fix === undefined
    ? []
    : [`fhir2visit mapping fix INPUT --only ${fix.kind}  shows the line, and writes it with  --write`])
]
