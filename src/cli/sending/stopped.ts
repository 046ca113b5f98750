import { Effect } from "effect"
import { withoutIndexes } from "../../diagnostic/collate.ts"
import { number, plural } from "../../diagnostic/count.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import type { RunEnding } from "../../studio/viewer/ReportJson.ts"
import { isLasting } from "../../submission/list/reconcile.ts"
import { registrationHelp } from "../../submission/status/describeJournalVisit.ts"
import type { Stopped } from "../../submission/status/tally.ts"
import { Ended, exitCodes } from "../process/exitCode.ts"
import { titleOfFailure } from "../screen/explainFailure.ts"
import { type Failure, Screen } from "../screen/Screen.ts"

/** Running again cannot help before something is corrected. */
export const needsCorrection = (stopped: Stopped | null): boolean =>
  stopped?._tag === "SameRefusal" || (stopped?._tag === "OperatorError" && isLasting(stopped.error.reason))

/** Why the run stopped early: an error, invalid responses, or equal refusals in a row. */
export const stoppedBy = (stopped: Stopped) =>
  stopped._tag === "OperatorError"
    ? Effect.fail(stopped.error)
    : Effect.flatMap(Screen, (screen) => screen.failure(failureOf(stopped))).pipe(
      Effect.andThen(
        new Ended({ code: stopped._tag === "SameRefusal" ? exitCodes.someNotDone : exitCodes.stopped })
      )
    )

const failureOf = (stopped: Exclude<Stopped, { readonly _tag: "OperatorError" }>): Failure =>
  stopped._tag === "NoClearResponse"
    ? {
      title: `${
        stopped.requests === 1 ? "a request" : `${number(stopped.requests)} requests in a row`
      } had no clear response: ${kindsOf(stopped.kinds)}`,
      help: [listWords[stopped.list], "no data was lost; run the same command again later, and nothing is sent twice"]
    }
    : {
      title: `${plural(stopped.visits, "visit")} in a row were refused for the same reason${
        stopped.field === null ? "" : ` (\`${withoutIndexes(stopped.field)}\`)`
      }: the others were not sent`,
      help: [
        ...(stopped.field === "patient_code" ? [registrationHelp] : []),
        "`fhir2visit status --show-values` shows the service's messages; correct the common cause and run again",
        "to send the others anyway:  --keep-going"
      ]
    }

/** Returns why the run stopped, in the words of its failure. */
export const stoppedWords = (stopped: Stopped | null): Effect.Effect<string | void> =>
  stopped === null
    ? Effect.void
    : stopped._tag === "OperatorError"
    ? Effect.promise(() => titleOfFailure(stopped.error))
    : Effect.succeed(failureOf(stopped).title)

/** How the run ended, as a report has it. */
export const endingOf = (
  stopped: Stopped | null,
  how: "through" | "interrupted" | "broken",
  message: string | void
): RunEnding => ({
  how: stopped === null
    ? how === "through" ? "done" : how === "broken" ? "failed" : how
    : stopped._tag === "SameRefusal"
    ? "same-refusal"
    : stopped._tag === "NoClearResponse"
    // A redirect: another server responds.
    ? stopped.list === "not asked" ? "failed" : "service-down"
    : isLasting(stopped.error.reason)
    ? "failed"
    : endingWords[stopped.error.reason._tag],
  ...(message === undefined ? {} : { message }),
  ...(stopped?._tag === "OperatorError" && stopped.error.reason._tag === "RateLimited"
      && stopped.error.reason.until !== undefined
    ? { until: stopped.error.reason.until }
    : {})
})

const endingWords: Readonly<Record<OperatorError["reason"]["_tag"], RunEnding["how"]>> = {
  Unauthenticated: "access-denied",
  AccessDenied: "access-denied",
  RateLimited: "rate-limited",
  ServiceFailed: "service-down",
  Unreachable: "service-down",
  // Most often the address is wrong.
  UnexpectedResponse: "failed"
}

/** `4 × the connection was reset, 2 × the service responded with 502`; a single kind needs no count. */
const kindsOf = (kinds: ReadonlyArray<readonly [why: string, count: number]>): string =>
  kinds.map(([why, count]) => kinds.length === 1 ? why : `${number(count)} × ${why}`).join(", ")

const listWords: Readonly<Record<Extract<Stopped, { readonly _tag: "NoClearResponse" }>["list"], string>> = {
  "not asked": "another server may be responding in place of the service",
  "no list":
    "the service's list could not be read either: the service is down, or another server responds in its place",
  "shows none": "the service's list was read, and shows none of these visits: they do not arrive"
}
