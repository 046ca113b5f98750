import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { headerNames } from "../../wire.ts"
import type { Hit } from "../FixedWindow.ts"

/** Sets the rate-limit headers of §8 on every response; `X-RateLimit-Reset` in epoch seconds, `Retry-After` when the limit is reached. */
export const setLimitHeaders = (
  hit: Hit,
  now: number
): Effect.Effect<void, never, HttpServerRequest.HttpServerRequest> =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    // A 429 within the limit is an injected fault; it keeps its own headers.
    Effect.succeed(
      hit.allowed && response.status === 429 ? response : HttpServerResponse.setHeaders(response, {
        [headerNames.limit]: String(hit.limit),
        [headerNames.remaining]: String(hit.remaining),
        [headerNames.reset]: String(Math.ceil(hit.resetAt / 1000)),
        ...(hit.allowed ? {} : { [headerNames.retryAfter]: String(Math.max(1, Math.ceil((hit.resetAt - now) / 1000))) })
      })
    )
  )
