import { Clock, Effect, Redacted, Ref, Semaphore } from "effect"
import { isJsonObject, type JsonObject } from "../../json/JsonObject.ts"
import type { Pace } from "../limits.ts"
import { OperatorError } from "../OperatorError.ts"
import { unexpected } from "../responses/failures.ts"
import { jsonOf, nonEmptyText, oneLine, type ServiceResponse } from "../responses/ServiceResponse.ts"
import { atPace, repeated } from "../retrySchedule.ts"
import type { OperatorConfig } from "../settings/OperatorConfig.ts"
import { type Call, exchange } from "../transport.ts"
import { documentedExpiresIn } from "../wire.ts"
import type { TokenStore } from "./TokenStore.ts"

/** A pair of tokens and its lifetime. Both are secrets. */
export interface Token {
  readonly access: Redacted.Redacted<string>
  readonly refresh: Redacted.Redacted<string> | null
  /** Seconds after it was received. */
  readonly expiresIn: number
}

/** The two grants of §4.2 as requests of the declaration. */
interface Grants {
  readonly password: Call
  readonly refresh: (token: Redacted.Redacted<string>) => Call
}

/** Tokens for data calls (§5). */
interface TokenSource {
  /** The current token, renewed when at most the margin of its lifetime is left. */
  readonly get: Effect.Effect<Redacted.Redacted<string>, OperatorError>
  /**
   * Returns a token other than the refused one, which is not used again, in this process or the next. Concurrent callers share one
   * refresh.
   */
  readonly renew: (refused: Redacted.Redacted<string>) => Effect.Effect<Redacted.Redacted<string>, OperatorError>
  /** Discards a token that the service refused just after it was issued: the pair is not used again. */
  readonly forget: (refused: Redacted.Redacted<string>) => Effect.Effect<void>
  /** Another run's token, which may have revoked ours (§5 rule 7 does not specify it). `null` if there is none, or only refused ones. */
  readonly ofAnotherRun: Effect.Effect<Redacted.Redacted<string> | null>
}

/** A grant that failed, and the monotonic nanoseconds until which none is requested; `null`: the credentials are wrong, and stay so. */
interface FailedGrant {
  readonly error: OperatorError
  readonly until: bigint | null
}

interface CachedToken {
  readonly token: Token
  /** Monotonic nanoseconds after which it is renewed: a wrong system clock must not decide. */
  readonly renewAt: bigint
}

/** Maximum of token requests until one succeeds, in a minute. A run needs only one token. */
const maxRequests = 5
const minuteNanos = 60_000_000_000n
export const minTokenWaitMillis = 4000

export const makeTokens = Effect.fnUntraced(function*(
  config: OperatorConfig,
  grants: Grants,
  pace: Pace,
  store: TokenStore | null
): Effect.fn.Return<TokenSource> {
  const held = yield* Ref.make<CachedToken | null>(null)
  const failed = yield* Ref.make<FailedGrant | null>(null)
  const lock = yield* Semaphore.make(1)
  /** Access and refresh tokens that were refused. */
  const spent = new Set<string>()
  const isSpent = (token: Redacted.Redacted<string>): boolean => spent.has(Redacted.value(token))

  const hold = Effect.fnUntraced(function*(token: Token, ageMillis: number) {
    const trusted = 1 - config.auth.refreshMargin
    const left = Math.max(0, Math.floor(token.expiresIn * 1000 * trusted - ageMillis))
    const now = yield* Clock.monotonicTimeNanos
    yield* Ref.set(held, { token, renewAt: now + BigInt(left) * 1_000_000n })
  })

  /** The cached token, if it is recent enough and was not refused. */
  const usable = Effect.gen(function*() {
    const found = yield* Ref.get(held)
    if (found === null || isSpent(found.token.access)) return null
    return found.renewAt > (yield* Clock.monotonicTimeNanos) ? found.token.access : null
  })

  /** Takes over the token of another run, unless it is known already. */
  const takeOver = Effect.gen(function*() {
    const found = store === null ? null : yield* store.read
    const known = yield* Ref.get(held)
    if (found === null || isSpent(found.token.access) || same(found.token.access, known?.token.access)) return
    yield* hold(found.token, found.ageMillis)
  })

  const forget = (refused: Redacted.Redacted<string>) =>
    Effect.suspend(() => {
      spent.add(Redacted.value(refused))
      return store === null ? Effect.void : store.forget(refused)
    })

  const request = (grant: Call) => atPace(pace, "front", exchange(grant, config), { minWaitMillis: minTokenWaitMillis })

  /**
   * Exchanges a refresh token. The kind of failure does not matter, because the password grant follows: a refresh token may be used,
   * revoked or expired (§5 rule 7).
   */
  const refresh = (token: Redacted.Redacted<string>): Effect.Effect<Token | null, OperatorError> =>
    request(grants.refresh(token)).pipe(
      Effect.map((response) => response.status === 200 ? readToken(response, token) : null),
      Effect.catchTags({ NotSent: () => Effect.succeed(null), ResponseLost: () => Effect.succeed(null) })
    )

  const password = (before: number): Effect.Effect<Token, OperatorError> =>
    repeated(
      request(grants.password),
      { ...config, readRetries: Math.min(config.readRetries, maxRequests - before - 1) }
    ).pipe(
      Effect.flatMap((response) => readGrant(response, config)),
      Effect.mapError(({ reason }) => new OperatorError({ reason, withoutToken: true }))
    )

  const obtain = Effect.gen(function*() {
    const current = yield* usable
    if (current !== null) return current
    yield* takeOver
    const shared = yield* usable
    if (shared !== null) return shared

    // Wrong credentials stay wrong: a second attempt could only lock the account sooner. After any other failure, one may help later.
    const before = yield* Ref.get(failed)
    if (before !== null && (before.until === null || before.until > (yield* Clock.monotonicTimeNanos))) {
      return yield* before.error
    }
    if (config.username === "" || config.clientId === "") {
      return yield* new OperatorError({
        reason: { _tag: "Unauthenticated", detail: "no user name or client id is set" }
      })
    }
    const kept = (yield* Ref.get(held))?.token.refresh ?? null
    const old = kept === null || isSpent(kept) ? null : kept
    // it is used only once: it may have been exchanged although no response came
    if (old !== null) spent.add(Redacted.value(old))
    const token = (old === null ? null : yield* refresh(old)) ?? (yield* password(old === null ? 0 : 1).pipe(
      Effect.tapError((error) =>
        Effect.flatMap(
          Clock.monotonicTimeNanos,
          (now) => Ref.set(failed, { error, until: error.reason._tag === "Unauthenticated" ? null : now + minuteNanos })
        )
      )
    ))
    // The new pair is on disk before it is used: the old one may have been revoked by its use.
    if (store !== null) yield* store.write(token)
    // an endpoint may issue the same one again, which makes it valid
    spent.delete(Redacted.value(token.access))
    yield* hold(token, 0)
    return token.access
  })

  return {
    get: Effect.gen(function*() {
      return (yield* usable) ?? (yield* lock.withPermits(1)(obtain))
    }),
    renew: (refused) => lock.withPermits(1)(Effect.andThen(forget(refused), obtain)),
    forget: (refused) =>
      lock.withPermits(1)(Effect.gen(function*() {
        const found = yield* Ref.get(held)
        const refresh = found !== null && same(found.token.access, refused) ? found.token.refresh : null
        if (refresh !== null) spent.add(Redacted.value(refresh))
        yield* forget(refused)
      })),
    ofAnotherRun: lock.withPermits(1)(Effect.andThen(takeOver, usable))
  }
})

const same = (a: Redacted.Redacted<string>, b: Redacted.Redacted<string> | null | undefined): boolean =>
  b !== null && b !== undefined && Redacted.value(a) === Redacted.value(b)

/**
 * Reads a token from the fields that the response has (§2.2). Without an access token the result is `null`; a missing refresh token
 * keeps the old one.
 */
const readToken = (response: ServiceResponse, old: Redacted.Redacted<string> | null): Token | null => {
  const body = jsonOf(response.headers, response.body)
  if (!isJsonObject(body)) return null
  const access = nonEmptyText(body["access_token"])
  // It is sent in a header.
  if (access === null || !/^[\x21-\x7E]+$/u.test(access)) return null
  const refresh = nonEmptyText(body["refresh_token"])
  const seconds = Number(nonEmptyText(body["expires_in"]) ?? Number.NaN)
  return {
    access: Redacted.make(access, { label: "access token" }),
    refresh: refresh === null ? old : Redacted.make(refresh, { label: "refresh token" }),
    expiresIn: seconds > 0 && Number.isSafeInteger(Math.ceil(seconds)) ? seconds : documentedExpiresIn
  }
}

/** Reads the response to a password grant (§2.2, §7). */
const readGrant = (response: ServiceResponse, config: OperatorConfig): Effect.Effect<Token, OperatorError> => {
  const token = response.status === 200 ? readToken(response, null) : null
  if (token !== null) return Effect.succeed(token)
  const body = jsonOf(response.headers, response.body)
  const code = isJsonObject(body) ? nonEmptyText(body["error"]) : null
  const { status } = response
  const message = isJsonObject(body) ? messageOf(body, config) : null
  const isRefusal = status === 401 || (status >= 400 && status < 500 && code !== null) ||
    ((status === 400 || status === 403) && message !== null)
  if (!isRefusal) {
    const detail = status === 200
      ? "the token response has no access token"
      : `the token endpoint responded with ${status}`
    return unexpected(status, detail)
  }
  return new OperatorError({
    reason: {
      _tag: "Unauthenticated",
      detail: `the token endpoint responded with ${status}${
        code !== null && /^[a-z_]{1,40}$/u.test(code) ? ` ${code}` : ""
      }${message === null ? "" : `, "${message}"`}`
    }
  })
}

/** Returns the endpoint's message (§2.2, and `message` of older servers) in one line, without any of our own secrets. */
const messageOf = (body: JsonObject, config: OperatorConfig): string | null =>
  oneLine(nonEmptyText(body["error_description"]) ?? nonEmptyText(body["message"]) ?? nonEmptyText(body["hint"]), [
    config.username,
    config.clientId,
    Redacted.value(config.password),
    Redacted.value(config.clientSecret)
  ])
