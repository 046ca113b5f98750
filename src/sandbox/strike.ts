import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { ServerErrorAnswer, TooManyRequestsAnswer, UnauthenticatedAnswer } from "../operator/Envelope.ts"
import { headerNames } from "../operator/wire.ts"
import { type FaultPlace, type FaultWord, strikes } from "./Faults.ts"
import type { SandboxState } from "./SandboxState.ts"

/** The mark of an answer that was never written. */
export const droppedHeader = "x-sandbox-dropped"

/**
 * Does a request under the faults that strike it. `subject` is what is asked, in full; the first fault of the list that strikes decides.
 * `after` faults strike only what was done, for a refusal stores nothing.
 */
export const strike = <A, E, R>(
  state: SandboxState,
  place: FaultPlace,
  subject: string,
  act: (partial: boolean) => Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> => {
  const { faults } = state.options
  const possible = faults.faults.filter((fault) => fault.place === place)
  if (possible.length === 0) return act(false)
  const key = `${place} ${createHash("sha256").update(subject).digest("base64url")}`
  const time = (state.times.get(key) ?? 0) + 1
  state.times.set(key, time)
  const struck = possible.filter((fault) => strikes(faults, fault, key, time)).map((fault) => fault.word)
  const first = struck.find((word) => word !== "delay")
  if (first !== undefined) state.counters.fault(first)
  const answered = under(state, first, act)
  if (!struck.includes("delay")) return answered
  state.counters.fault("delay")
  return Effect.tap(answered, Effect.sleep(faults.delayMillis))
}

const under = <A, E, R>(
  state: SandboxState,
  word: FaultWord | undefined,
  act: (partial: boolean) => Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> => {
  switch (word) {
    case undefined:
    case "delay":
      return act(false)
    case "partial":
      return act(true)
    case "drop-before":
      return drop
    case "drop-after":
      return Effect.andThen(act(false), drop)
    case "500-before":
      return Effect.succeed(failed)
    case "500-after":
      return Effect.as(act(false), failed)
    case "503":
      return Effect.succeed(
        HttpServerResponse.text("Service Unavailable", { status: 503, headers: { "retry-after": "1" } })
      )
    case "429":
      return limited(state)
    case "429-bare":
      return Effect.succeed(HttpServerResponse.text("Too Many Attempts.", { status: 429 }))
    case "html":
      return Effect.succeed(page)
    case "html-after":
      return Effect.as(act(false), page)
    case "expire":
      return Effect.succeed(HttpServerResponse.jsonUnsafe(UnauthenticatedAnswer.answer(), { status: 401 }))
  }
}

/** The connection is closed; what is returned is never written. */
const drop = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
  NodeHttpServerRequest.toIncomingMessage(request).socket?.destroy()
  return HttpServerResponse.empty({ headers: { [droppedHeader]: "1" } })
})

const failed = HttpServerResponse.jsonUnsafe(ServerErrorAnswer.answer(), { status: 500 })

const page = HttpServerResponse.html("<!doctype html><title>Sign in</title><h1>Please sign in</h1>")

const limited = (state: SandboxState): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    HttpServerResponse.jsonUnsafe(TooManyRequestsAnswer.answer(), {
      status: 429,
      headers: {
        [headerNames.retryAfter]: "1",
        [headerNames.limit]: String(state.options.limits.data.count),
        [headerNames.remaining]: "0",
        [headerNames.reset]: String(Math.ceil(now / 1000) + 1)
      }
    }))
