import { Clock, Effect, Redacted } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash, randomBytes } from "node:crypto"
import { TokenErrorResponse, TokenLimitReached, type TokenResponse } from "../../auth/OAuth.ts"
import type { Hit } from "../FixedWindow.ts"
import type { SandboxUser } from "../SandboxOptions.ts"
import type { SandboxState } from "../SandboxState.ts"
import { injectFault } from "./injectFault.ts"
import { readBody } from "./readBody.ts"
import { setLimitHeaders } from "./setLimitHeaders.ts"

const refused = (error: "invalid_request" | "invalid_client" | "invalid_grant", error_description: string) =>
  new TokenErrorResponse({ error, error_description })

/** The token endpoint (§4.2, §5, §7): both grants, 60 requests a minute for each address, refresh tokens that are valid for one use. */
export const grantToken = Effect.fnUntraced(function*(
  state: SandboxState,
  request: HttpServerRequest.HttpServerRequest
) {
  const now = yield* Clock.currentTimeMillis
  const address = request.remoteAddress._tag === "Some" ? request.remoteAddress.value : "unknown"
  const hit: Hit = state.tokenWindow.hit(address, now)
  yield* setLimitHeaders(hit, now)
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "cache-control", "no-store"))
  )
  if (!hit.allowed) {
    return yield* new TokenLimitReached({ error: "too_many_requests", error_description: "Too many attempts." })
  }
  if (!/^application\/x-www-form-urlencoded\b/iu.test(request.headers["content-type"] ?? "")) {
    return yield* refused("invalid_request", "The request must be sent as application/x-www-form-urlencoded.")
  }
  const body = yield* readBody(request, 64 * 1024)
  if (typeof body !== "string") return yield* refused("invalid_request", "The form cannot be read.")
  const form = new URLSearchParams(body)
  return yield* injectFault(state, "token", body, () => grant(state, form, now))
})

const grant = Effect.fnUntraced(function*(state: SandboxState, form: URLSearchParams, now: number) {
  const grantType = form.get("grant_type")
  if (grantType !== "password" && grantType !== "refresh_token") {
    return yield* refused("invalid_request", "The grant_type parameter must be password or refresh_token.")
  }
  const expected = [
    ...(grantType === "password" ? ["username", "password"] : ["refresh_token"]),
    "client_id",
    "client_secret"
  ]
  const missing = expected.find((name) => (form.get(name) ?? "") === "")
  if (missing !== undefined) return yield* refused("invalid_request", `The ${missing} parameter is missing.`)

  const ofClient = state.users.filter((user) =>
    user.clientId === form.get("client_id") && user.clientSecret === form.get("client_secret")
  )
  if (ofClient.length === 0) return yield* refused("invalid_client", "Client authentication failed.")

  if (grantType === "password") {
    const user = ofClient.find((user) =>
      user.username === form.get("username") && user.password === form.get("password")
    )
    if (user === undefined) return yield* refused("invalid_grant", "The user name or the password is wrong.")
    state.counters.grant("password")
    return issue(state, user.username, now)
  }
  const token = state.store.tokenByRefresh(hashOf(form.get("refresh_token") ?? ""))
  if (token === null || token.refreshUntil <= now || !ofClient.some((user) => user.username === token.user)) {
    return yield* refused("invalid_grant", "The refresh token is invalid, used or expired.")
  }
  // Its use revokes the pair; only the new one is valid.
  state.store.removeToken(token)
  state.counters.grant("refresh")
  return issue(state, token.user, now)
})

const issue = (state: SandboxState, user: string, now: number): TokenResponse => {
  const access = randomBytes(32).toString("base64url")
  const refresh = randomBytes(32).toString("base64url")
  const { refreshLifetimeSeconds, tokenLifetimeSeconds } = state.options
  state.store.addToken({
    access: hashOf(access),
    refresh: hashOf(refresh),
    user,
    accessUntil: now + tokenLifetimeSeconds * 1000,
    refreshUntil: now + refreshLifetimeSeconds * 1000
  })
  return {
    access_token: Redacted.make(access),
    refresh_token: Redacted.make(refresh),
    token_type: "Bearer",
    expires_in: Math.ceil(tokenLifetimeSeconds)
  }
}

/** Returns the user of a bearer token that is valid now, or `null` (§5 rule 6). */
export const userOf = (state: SandboxState, bearer: string, now: number): SandboxUser | null => {
  const token = bearer === "" ? null : state.store.tokenByAccess(hashOf(bearer))
  if (token === null || token.accessUntil <= now) return null
  return state.users.find((user) => user.username === token.user) ?? null
}

/** Revokes an access token and the refresh token that came with it. */
export const revokeToken = (state: SandboxState, bearer: string): void => {
  const token = state.store.tokenByAccess(hashOf(bearer))
  if (token !== null) state.store.removeToken(token)
}

const hashOf = (token: string): string => hash("sha256", token, "base64url")
