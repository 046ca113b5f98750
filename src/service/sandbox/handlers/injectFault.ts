import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect, Redacted, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import type { ServerResponse } from "node:http"
import { increment } from "../../../maps.ts"
import { ServerErrorResponse, TooManyRequestsResponse, UnauthenticatedResponse } from "../../responses/Envelope.ts"
import { headerNames } from "../../wire.ts"
import { type FaultPlace, type FaultWord, shouldInject } from "../Faults.ts"
import type { SandboxState } from "../SandboxState.ts"
import { revokeToken } from "./grantToken.ts"

/** Marks a response that was never written. */
export const droppedHeader = "x-sandbox-dropped"

/**
 * Handles a request under the faults injected into it. `subject` is the whole request; the first matching fault decides. `after` faults
 * apply only to a completed request, because a refusal stores nothing.
 */
export const injectFault = <A, E, R>(
  state: SandboxState,
  place: FaultPlace,
  subject: string,
  handle: (stores: "wholly" | "in part") => Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> => {
  const { faults } = state.options
  const left = state.bursts.get(place) ?? 0
  if (left > 0) {
    state.bursts.set(place, left - 1)
    return Effect.succeed(unavailable)
  }
  const possible = faults.faults.filter((fault) => fault.place === place)
  if (possible.length === 0) return handle("wholly")
  const key = `${place} ${hash("sha256", subject, "base64url")}`
  const time = increment(state.times, key)
  const injected = possible.filter((fault) => shouldInject(faults, fault, key, time)).map((fault) => fault.word)
  const first = injected.find((word) => word !== "delay")
  if (first !== undefined) state.counters.fault(first)
  if (first === "burst") state.bursts.set(place, burstLength - 1)
  const handled = applyFault(state, first, handle)
  if (!injected.includes("delay")) return handled
  state.counters.fault("delay")
  return Effect.tap(handled, Effect.sleep(faults.delayMillis))
}

const applyFault = <A, E, R>(
  state: SandboxState,
  word: FaultWord | undefined,
  handle: (stores: "wholly" | "in part") => Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> => {
  switch (word) {
    case undefined:
    case "delay":
      return handle("wholly")
    case "partial":
      return handle("in part")
    case "drop-before":
      return drop
    case "drop-after":
      return Effect.andThen(handle("wholly"), drop)
    case "500-before":
      return Effect.succeed(failed)
    case "500-after":
      return Effect.as(handle("wholly"), failed)
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
      return Effect.as(handle("wholly"), page)
    case "expire":
      return Effect.succeed(unauthenticated)
    case "revoke":
      return Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
        revokeToken(state, (headers["authorization"] ?? "").replace(/^Bearer /iu, ""))
        return unauthenticated
      })
    case "restart":
      return Effect.andThen(state.restart(state.options.faults.delayMillis), drop)
    case "burst":
      return Effect.succeed(unavailable)
    case "truncated":
      return Effect.filterOrElse(handle("wholly"), isResponse, (response) => truncate(textOf(response)))
    case "slow-body":
      return Effect.map(
        handle("wholly"),
        (response) => isResponse(response) ? response : sendSlowly(textOf(response), state.options.faults.delayMillis)
      )
    case "wrong-type":
      return Effect.map(
        handle("wholly"),
        (response) =>
          isResponse(response) ? response : HttpServerResponse.text(textOf(response), { contentType: "text/html" })
      )
  }
}

const burstLength = 5

const isResponse = (value: unknown): value is HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.isHttpServerResponse(value)

/** Returns the text of a response as it would be written. */
const textOf = (response: unknown): string =>
  JSON.stringify(response, function(this: Record<string, unknown>, key: string, value: unknown) {
    const held = this[key]
    return Redacted.isRedacted(held) ? Redacted.value(held) : value
  })

/** Sends half of the text, and then closes the connection. */
const truncate = (text: string) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      Effect.callback<HttpServerResponse.HttpServerResponse>((resume) => {
        // Node serves the sandbox over HTTP/1.1, so this is not a response of HTTP/2.
        const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
        const bytes = Buffer.from(text)
        response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length })
        response.write(bytes.subarray(0, bytes.length >> 1), () => {
          response.socket?.destroy()
          resume(Effect.succeed(HttpServerResponse.empty({ headers: { [droppedHeader]: "1" } })))
        })
      })
  )

/** Sends the text in eight slices, one after the other. */
const sendSlowly = (text: string, millis: number) => {
  const bytes = Buffer.from(text)
  const size = Math.max(1, Math.ceil(bytes.length / 8))
  const slices = Array.from(
    { length: Math.ceil(bytes.length / size) },
    (_, at) => bytes.subarray(at * size, (at + 1) * size)
  )
  return HttpServerResponse.stream(
    Stream.mapEffect(Stream.fromIterable(slices), (slice) => Effect.delay(Effect.succeed(slice), millis / 8)),
    { contentType: "application/json" }
  )
}

/** Closes the connection. The returned response is never written. */
const drop = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
  NodeHttpServerRequest.toIncomingMessage(request).socket?.destroy()
  return HttpServerResponse.empty({ headers: { [droppedHeader]: "1" } })
})

const unauthenticated = HttpServerResponse.jsonUnsafe(UnauthenticatedResponse.documented(), { status: 401 })

const unavailable = HttpServerResponse.text("Service Unavailable", { status: 503 })

const failed = HttpServerResponse.jsonUnsafe(ServerErrorResponse.documented(), { status: 500 })

const page = HttpServerResponse.html("<!doctype html><title>Sign in</title><h1>Please sign in</h1>")

const limited = (state: SandboxState): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    HttpServerResponse.jsonUnsafe(TooManyRequestsResponse.documented(), {
      status: 429,
      headers: {
        [headerNames.retryAfter]: "1",
        [headerNames.limit]: String(state.options.limits.data.count),
        [headerNames.remaining]: "0",
        [headerNames.reset]: String(Math.ceil(now / 1000) + 1)
      }
    }))
