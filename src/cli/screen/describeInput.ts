import { Effect } from "effect"
import type { Collated } from "../../diagnostic/collate.ts"
import type { ProblemCode } from "../../diagnostic/Problem.ts"
import { someNotDone } from "../process/exitCode.ts"
import { Screen } from "./Screen.ts"

/** Problems of an input itself, whatever it is used for. */
const inputProblems: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "unreadable-input",
  "unreadable-record",
  "not-a-resource",
  "no-visits",
  "too-deep",
  "too-large"
])

/**
 * Reports the inputs that could not be read, for commands that make no visits. The command then exits with 1, because its result covers
 * only part of the input.
 */
export const describeInput = Effect.fn("describeInput")(function*(problems: ReadonlyArray<Collated>) {
  const faults = problems.filter(({ first }) => first.severity === "error" && inputProblems.has(first.code))
  if (faults.length === 0) return
  yield* (yield* Screen).problems(faults)
  return yield* someNotDone
})
