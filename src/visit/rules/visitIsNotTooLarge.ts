import type { VisitProblem } from "../VisitProblem.ts"

/** A visit is not larger than servers usually take; its JSON is looked at as it is sent. A visit is never split. */
export const visitIsNotTooLarge = (json: string, maxBytes: number): VisitProblem | undefined => {
  // A character is three bytes at most.
  if (json.length * 3 <= maxBytes || Buffer.byteLength(json) <= maxBytes) return undefined
  return {
    code: "odd-value",
    severity: "warning",
    path: [],
    title: `the visit has more than ${maxBytes} bytes as it is sent`,
    help: "the specification names no limit; the service may have one, and a visit is never split"
  }
}
