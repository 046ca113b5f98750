import { Effect } from "effect"
import { collate } from "../../diagnostic/collate.ts"
import { Screen } from "./Screen.ts"

/** Prints an error in the requested format, and returns its exit code. */
export const reportError = Effect.fnUntraced(function*(error: unknown) {
  const screen = yield* Screen
  const { explainFailure } = yield* Effect.promise(() => import("./explainFailure.ts"))
  const explanation = yield* Effect.promise(() => explainFailure(error))
  yield* explanation._tag === "Problems"
    ? screen.problems(collate(explanation.problems))
    : screen.failure(explanation.failure)
  return explanation.code
})
