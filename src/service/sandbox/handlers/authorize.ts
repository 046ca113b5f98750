import { Clock, Effect, Layer, Redacted, SchemaIssue } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { Authorization, RequestValidation } from "../../Api.ts"
import {
  AccessDeniedResponse,
  TooManyRequestsResponse,
  UnauthenticatedResponse,
  UnprocessableResponse
} from "../../responses/Envelope.ts"
import { headerNames, sentences } from "../../wire.ts"
import type { SandboxOptions } from "../SandboxOptions.ts"
import type { SandboxState } from "../SandboxState.ts"
import { failure } from "./envelope.ts"
import { userOf } from "./grantToken.ts"
import { setLimitHeaders } from "./setLimitHeaders.ts"

/** Checks a data call in this order: its token (401), its user's limit (429), its two codes (403), and its media types (406, 415). */
export const layerAuthorization = (state: SandboxState): Layer.Layer<Authorization> =>
  Layer.succeed(
    Authorization,
    Authorization.of({
      bearer: Effect.fnUntraced(function*(httpEffect, { credential }) {
        const now = yield* Clock.currentTimeMillis
        const user = userOf(state, Redacted.value(credential), now)
        if (user === null) return yield* UnauthenticatedResponse.documented()
        const hit = state.dataWindow.hit(user.username, now)
        yield* setLimitHeaders(hit, now)
        if (!hit.allowed) return yield* TooManyRequestsResponse.documented()
        const { headers, method } = yield* HttpServerRequest.HttpServerRequest
        const systemCode = headers[headerNames.systemCode] ?? ""
        const facilityCode = headers[headerNames.facilityCode] ?? ""
        if (systemCode === "" || (user.systemCodes !== null && !user.systemCodes.includes(systemCode))) {
          return yield* AccessDeniedResponse.documented("The system code is missing or not yours")
        }
        if (facilityCode === "" || (user.facilityCodes !== null && !user.facilityCodes.includes(facilityCode))) {
          return yield* AccessDeniedResponse.documented(sentences.notThisFacility)
        }
        return checkMedia(state.options, method, headers) ?? (yield* httpEffect)
      })
    })
  )

/** Checks `Accept` and `Content-Type` according to §4.1. A GET has no content, and `*` accepts JSON; `strictHeaders` permits neither. */
const checkMedia = (
  { strictHeaders }: SandboxOptions,
  method: string,
  headers: Readonly<Record<string, string | undefined>>
): HttpServerResponse.HttpServerResponse | null => {
  const accept = headers["accept"] ?? ""
  const accepts = /\bapplication\/json\b/iu.test(accept) ||
    (!strictHeaders && (accept === "" || /(?:^|[\s,])(?:\*|application)\/\*/u.test(accept)))
  if (!accepts) return failure(406, "The Accept header must be application/json.")
  const contentType = headers["content-type"] ?? ""
  const isJson = /^application\/json\b/iu.test(contentType) || (!strictHeaders && method === "GET")
  return isJson ? null : failure(415, "The Content-Type header must be application/json.")
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Query parameters that cannot be read: 422 with the sentence of §7. */
export const layerRequestValidation: Layer.Layer<RequestValidation> = HttpApiMiddleware.layerSchemaErrorTransform(
  RequestValidation,
  Effect.fnUntraced(function*({ cause, kind }) {
    if (kind !== "Query") return yield* Effect.die(cause)
    const query = yield* HttpServerRequest.ParsedSearchParams
    const name = String(issuesOf(cause.issue).issues[0]?.path?.[0] ?? "query")
    return yield* UnprocessableResponse.invalid(
      (query[name] ?? "") === "" ? sentences.fieldRequired(name) : `The selected ${name} is invalid.`
    )
  })
)
