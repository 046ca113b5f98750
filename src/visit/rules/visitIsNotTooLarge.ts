import type { VisitProblem } from "../VisitProblem.ts"

/** Checks that a visit is not larger than servers typically accept, from its JSON as it is sent. A visit is never split. */
export const visitIsNotTooLarge = (json: string, maxBytes: number): VisitProblem | undefined => {
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if (json.length * 3 <= maxBytes || Buffer.byteLength(json) <= maxBytes) return undefined
  return {
    code: "odd-value",
    severity: "warning",
    path: [],
    title: `the visit has more than ${maxBytes} bytes as it is sent`,
    help: "the specification names no limit; the service may have one, and a visit is never split"
  }
}
