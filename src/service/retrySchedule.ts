import { Clock, Duration, Effect, Schedule } from "effect"
import { maxPauseMillis } from "./countRequests.ts"
import { type Lane, type Pace, rateLimited } from "./limits.ts"
import { OperatorError, type OperatorErrorReason } from "./OperatorError.ts"
import { isLimit, readWait, signalsRateLimit } from "./responses/readWait.ts"
import { jsonOf, type ServiceResponse } from "./responses/ServiceResponse.ts"
import type { OperatorConfig } from "./settings/OperatorConfig.ts"
import type { NotSent, ResponseLost } from "./transport.ts"

interface PaceOptions {
  /** Called for each response that requests a wait. */
  readonly onThrottled?: () => void
  /** The shortest wait, in milliseconds (default: 250). It doubles with each wait. */
  readonly minWaitMillis?: number
}

/**
 * Sends within the rate limit, and again after the wait that the service requests. Suitable for every request, including submissions.
 * If the service requests no wait, the waits double until their sum exceeds what the run may take.
 */
export const atPace = Effect.fnUntraced(function*<R>(
  pace: Pace,
  lane: Lane,
  send: Effect.Effect<ServiceResponse, NotSent | ResponseLost, R>,
  { minWaitMillis = 250, onThrottled = () => undefined }: PaceOptions = {}
): Effect.fn.Return<ServiceResponse, NotSent | ResponseLost | OperatorError, R> {
  let waited = 0
  for (let waits = 0;; waits++) {
    const entered = yield* pace.enter(lane)
    const response = yield* send.pipe(
      Effect.onExit((exit) => pace.leave(entered, exit._tag === "Success" ? exit.value : null))
    )
    const limit = isLimit(response)
    // A submission with the response 503 may have been stored: it is not sent again, but all requests wait.
    const throttled = limit || (response.status === 503 && signalsRateLimit(response.headers))
    const stated = throttled ? readWait(response.headers, yield* Clock.currentTimeMillis) : null
    if (!limit) {
      if (stated !== null) yield* pace.pause(stated)
      return response
    }
    onThrottled()
    const requested = stated === null
      ? Math.max(1000, minWaitMillis) * 2 ** waits
      : Math.max(stated, minWaitMillis * 2 ** waits)
    const wait = Math.min(requested, maxPauseMillis)
    waited += wait
    // The next run observes it as well, also when this one ends here.
    yield* pace.pause(wait)
    if (waited > pace.maxWaitMillis) return yield* rateLimited(wait)
  }
})

/** §7: "For 500, retry after a brief delay." For reads and tokens only: a repeated read changes nothing. */
const retrySchedule = (config: RetryConfig) =>
  Schedule.exponential(config.readRetryMillis).pipe(
    Schedule.modifyDelay(({ duration }) =>
      Effect.succeed(Duration.min(duration, Duration.millis(config.readRetryLongestMillis)))
    ),
    Schedule.jittered,
    Schedule.upTo({ times: config.readRetries })
  )

type RetryConfig = Pick<OperatorConfig, "readRetries" | "readRetryMillis" | "readRetryLongestMillis">

/** A failure that a retry can change. */
interface Temporary {
  readonly _tag: "Temporary"
  readonly error: OperatorError
}

/**
 * Repeats a request that changes nothing while its failures are temporary. These are no response, a truncated one, 408, 425, 5xx, or a
 * 200 that is not JSON and so not from the service. At most two deadlines without any response are waited for.
 */
export const repeated = <R>(
  send: Effect.Effect<ServiceResponse, NotSent | ResponseLost | OperatorError, R>,
  config: RetryConfig
): Effect.Effect<ServiceResponse, OperatorError, R> =>
  Effect.suspend(() => {
    let silences = 0
    return send.pipe(
      Effect.mapError((error): OperatorError | Temporary => {
        if (error._tag === "OperatorError") return error
        const unreachable = new OperatorError({ reason: unreachableFrom(error) })
        if (error.silent === true) silences++
        const isLasting = (error._tag === "NotSent" && error.lasting) || silences >= maxSilences
        return isLasting ? unreachable : { _tag: "Temporary", error: unreachable }
      }),
      Effect.filterOrFail(
        ({ status }) => status < 500 && status !== 408 && status !== 425,
        ({ status }): Temporary => ({
          _tag: "Temporary",
          error: new OperatorError({ reason: { _tag: "ServiceFailed", status } })
        })
      ),
      Effect.filterOrFail(
        ({ body, headers, status }) => status !== 200 || jsonOf(headers, body) !== undefined,
        ({ status }): Temporary => ({
          _tag: "Temporary",
          error: new OperatorError({
            reason: { _tag: "UnexpectedResponse", status, detail: "the response is not JSON" }
          })
        })
      ),
      Effect.retry({ schedule: retrySchedule(config), while: (error) => error._tag === "Temporary" }),
      Effect.mapError((error) => error._tag === "Temporary" ? error.error : error)
    )
  })

/** Maximum of attempts without any response: a waiting user waits a whole deadline for each. */
export const maxSilences = 2

/** The error of a request that was not sent, or that has no response. */
export const unreachableFrom = (failure: NotSent | ResponseLost): OperatorErrorReason => ({
  _tag: "Unreachable",
  detail: failure.why,
  ...(failure._tag === "NotSent" && failure.lasting ? { lasting: true } : {}),
  ...(failure.silent === true ? { silent: true } : {}),
  ...(failure._tag === "NotSent" && failure.at !== undefined ? { at: failure.at } : {})
})
