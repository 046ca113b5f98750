import { Clock, Duration, Effect, Schedule } from "effect"
import { maxPauseMillis, type Pace, rateLimited } from "./limits.ts"
import { OperatorError, ServiceFailed, UnexpectedAnswer, Unreachable } from "./OperatorError.ts"
import { isLimit, readWait, signalsRateLimit } from "./responses/readWait.ts"
import { jsonOf, type ServiceResponse } from "./responses/ServiceResponse.ts"
import type { OperatorConfig } from "./settings/OperatorConfig.ts"
import type { Lost, NotSent } from "./transport.ts"

/**
 * Sends within the rate limit, and again after the wait that the service requests. Suitable for every request, including submissions.
 * If the service requests no wait, the waits double until their sum exceeds what the run may take. `refused` receives each response
 * that requests a wait. No wait is shorter than the minimum, which doubles as well.
 */
export const atPace = Effect.fnUntraced(function*<R>(
  pace: Pace,
  lane: "bulk" | "front",
  send: Effect.Effect<ServiceResponse, NotSent | Lost, R>,
  refused: () => void = () => undefined,
  leastMillis = 250
): Effect.fn.Return<ServiceResponse, NotSent | Lost | OperatorError, R> {
  let waited = 0
  for (let waits = 0;; waits++) {
    const entered = yield* pace.enter(lane)
    const answer = yield* send.pipe(
      Effect.onExit((exit) => pace.leave(entered, exit._tag === "Success" ? exit.value : null))
    )
    const limit = isLimit(answer)
    // A submission with the response 503 may have been stored: it is not sent again, but all requests wait.
    const throttled = limit || (answer.status === 503 && signalsRateLimit(answer.headers))
    const stated = throttled ? readWait(answer.headers, yield* Clock.currentTimeMillis) : null
    if (!limit) {
      if (stated !== null) yield* pace.pause(stated)
      return answer
    }
    refused()
    const requested = stated === null
      ? Math.max(1000, leastMillis) * 2 ** waits
      : Math.max(stated, leastMillis * 2 ** waits)
    const wait = Math.min(requested, maxPauseMillis)
    waited += wait
    // The next run observes it as well, also when this one ends here.
    yield* pace.pause(wait)
    if (waited > pace.maxWaitMillis) return yield* rateLimited(wait)
  }
})

/** §7: "For 500, retry after a brief delay." For reads and tokens only: a repeated read changes nothing. */
const briefly = (config: Waits) =>
  Schedule.exponential(config.readRetryMillis).pipe(
    Schedule.modifyDelay(({ duration }) =>
      Effect.succeed(Duration.min(duration, Duration.millis(config.readRetryLongestMillis)))
    ),
    Schedule.jittered,
    Schedule.upTo({ times: config.readRetries })
  )

type Waits = Pick<OperatorConfig, "readRetries" | "readRetryMillis" | "readRetryLongestMillis">

interface Passing {
  readonly _tag: "Passing"
  readonly error: OperatorError
}

/**
 * Repeats a request that changes nothing while its failures are temporary. These are no response, a truncated one, 408, 425, 5xx, or a
 * 200 that is not JSON and so not from the service. At most two deadlines without any response are waited for.
 */
export const repeated = <R>(
  send: Effect.Effect<ServiceResponse, NotSent | Lost | OperatorError, R>,
  config: Waits
): Effect.Effect<ServiceResponse, OperatorError, R> =>
  Effect.suspend(() => {
    let silences = 0
    return send.pipe(
      Effect.mapError((error): OperatorError | Passing => {
        if (error._tag === "OperatorError") return error
        const unreachable = new OperatorError({ reason: unreachableFrom(error) })
        if (error.silent === true) silences++
        const isLasting = (error._tag === "NotSent" && error.lasting) || silences >= maxSilences
        return isLasting ? unreachable : { _tag: "Passing", error: unreachable }
      }),
      Effect.filterOrFail(
        ({ status }) => status < 500 && status !== 408 && status !== 425,
        ({ status }): Passing => ({
          _tag: "Passing",
          error: new OperatorError({ reason: new ServiceFailed({ status }) })
        })
      ),
      Effect.filterOrFail(
        ({ body, headers, status }) => status !== 200 || jsonOf(headers, body) !== undefined,
        ({ status }): Passing => ({
          _tag: "Passing",
          error: new OperatorError({ reason: new UnexpectedAnswer({ status, detail: "the answer is not JSON" }) })
        })
      ),
      Effect.retry({ schedule: briefly(config), while: (error) => error._tag === "Passing" }),
      Effect.mapError((error) => error._tag === "Passing" ? error.error : error)
    )
  })

/** Maximum of attempts without any response: each costs a whole deadline for a waiting user. */
export const maxSilences = 2

/** Nothing came back, or nothing left. */
export const unreachableFrom = (fault: NotSent | Lost): Unreachable =>
  new Unreachable({
    detail: fault.why,
    ...(fault._tag === "NotSent" && fault.lasting ? { lasting: true } : {}),
    ...(fault.silent === true ? { silent: true } : {}),
    ...(fault._tag === "NotSent" && fault.at !== undefined ? { at: fault.at } : {})
  })
