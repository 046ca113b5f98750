import { Clock, Effect, Redacted, Semaphore } from "effect"
import { importJWK, importPKCS8, type JWK, SignJWT } from "jose"
import { randomUUID } from "node:crypto"
import { jsonObjectOf } from "../json/JsonObject.ts"
import type { HttpClient, HttpResponse } from "./HttpClient.ts"
import { type ServerError, serverError } from "./ServerError.ts"
import type { SourceSecrets, SourceSettings } from "./SourceSettings.ts"

/** The authentication header. `renew` takes the rejected header and returns a new one. */
export interface ServerTokens {
  readonly authorization: Effect.Effect<string | null, ServerError>
  readonly renew: (rejected: string) => Effect.Effect<string | null, ServerError>
}

/** A token is renewed when this fraction of its lifetime is left, so that no download begins with an expiring token. */
const lifeLeft = 0.1

/** The assumed lifetime of a token without `expires_in`, in seconds: the minimum that SMART Backend Services suggests. */
const defaultLifeSeconds = 300

/** The tokens of a server. Concurrent requests share one token request. */
export const makeServerTokens = (
  settings: SourceSettings,
  secrets: SourceSecrets,
  http: HttpClient
): ServerTokens => {
  if (settings.auth === "none") return fixed(null)
  if (settings.auth === "token") {
    const token = Redacted.value(secrets.token)
    if (isToken(token)) return fixed(`Bearer ${token}`)
    const detail = "FHIR2VISIT_SOURCE_TOKEN has characters that no token has, such as a space"
    return { ...fixed(null), authorization: Effect.fail(serverError({ _tag: "InvalidSetting", detail })) }
  }
  if (settings.auth === "basic") {
    return fixed(
      `Basic ${
        Buffer.from(`${Redacted.value(secrets.username)}:${Redacted.value(secrets.password)}`).toString("base64")
      }`
    )
  }
  const permit = Semaphore.makeUnsafe(1)
  let known: { readonly header: string; readonly until: number } | undefined
  const request = Effect.gen(function*() {
    const endpoint = settings.tokenUrl ?? (yield* discoverTokenUrl(settings, http))
    // Signed again for each attempt: a server accepts the identifier of an assertion once (RFC 7523, section 3).
    const form = Effect.map(signAssertion(secrets, endpoint), (assertion) => ({
      grant_type: "client_credentials",
      scope: settings.scope,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assertion
    }))
    const response = yield* http.post(endpoint, form)
    const { header, lifeSeconds } = yield* readToken(response)
    known = { header, until: (yield* Clock.currentTimeMillis) + lifeSeconds * 1000 * (1 - lifeLeft) }
    return header
  })
  const current = (rejected: string | null) =>
    permit.withPermit(Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      return known !== undefined && known.header !== rejected && now < known.until ? known.header : yield* request
    }))
  return { authorization: Effect.suspend(() => current(null)), renew: current }
}

const fixed = (header: string | null): ServerTokens => ({
  authorization: Effect.succeed(header),
  renew: () =>
    Effect.fail(serverError(
      {
        _tag: "Denied",
        what: "the server",
        detail: header === null ? "it asks for credentials: `source: {auth: …}`" : ""
      }
    ))
})

/** `.well-known/smart-configuration` has the token endpoint (SMART App Launch 2, "Conformance"). */
const discoverTokenUrl = Effect.fnUntraced(function*({ server }: SourceSettings, http: HttpClient) {
  const { json, status } = yield* http.get(`${server}/.well-known/smart-configuration`, { accept: "application/json" })
  const endpoint = status === 200 ? jsonObjectOf(json).token_endpoint : undefined
  if (typeof endpoint === "string" && URL.canParse(endpoint)) return endpoint
  return yield* serverError(
    {
      _tag: "InvalidSetting",
      detail:
        `the server's SMART configuration names no token endpoint (status ${status}): set \`source: {tokenUrl: https://…}\``
    }
  )
})

/** At most five minutes, as SMART Backend Services requires of an assertion. */
const assertionSeconds = 240

/** The algorithms in SMART Backend Services. */
const algorithms: ReadonlySet<string> = new Set(["ES384", "RS384"])

/**
 * A client assertion: our identity for this endpoint, signed with our key (SMART Backend Services, "Authenticate to the token
 * endpoint").
 */
const signAssertion = (secrets: SourceSecrets, audience: string): Effect.Effect<string, ServerError> =>
  Effect.gen(function*() {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    return yield* Effect.tryPromise({
      try: async () => {
        const { algorithm, key, keyId } = await importKey(Redacted.value(secrets.key))
        return await new SignJWT({})
          .setProtectedHeader({ alg: algorithm, typ: "JWT", ...(keyId === undefined ? {} : { kid: keyId }) })
          .setIssuer(Redacted.value(secrets.clientId))
          .setSubject(Redacted.value(secrets.clientId))
          .setAudience(audience)
          .setIssuedAt(now)
          .setExpirationTime(now + assertionSeconds)
          .setJti(randomUUID())
          .sign(key)
      },
      catch: () =>
        serverError(
          {
            _tag: "InvalidSetting",
            detail:
              "the key of FHIR2VISIT_SOURCE_KEY cannot sign: a private key for ES384 or RS384 is expected, as JWKS, JWK or PEM (PKCS #8)"
          }
        )
    })
  })

const importKey = async (text: string) => {
  if (text.trimStart().startsWith("-----BEGIN")) {
    for (const algorithm of algorithms) {
      try {
        return { key: await importPKCS8(text, algorithm), algorithm, keyId: undefined }
      } catch {
        // The key is for the other algorithm.
      }
    }
    throw new Error("no algorithm fits the key")
  }
  // `importJWK` checks the members of a key. Other JSON throws there or here, and the caller reports that the key cannot sign.
  const parsed = JSON.parse(text) as JWK & { readonly keys?: ReadonlyArray<JWK> }
  const found = (parsed.keys ?? [parsed]).find((key) => typeof key.d === "string" && algorithms.has(algorithmOf(key)))
  if (found === undefined) throw new Error("no private key")
  const algorithm = algorithmOf(found)
  return { key: await importJWK(found, algorithm), algorithm, keyId: found.kid }
}

const algorithmOf = ({ alg, kty }: JWK): string => alg ?? (kty === "EC" ? "ES384" : "RS384")

const isToken = (text: string): boolean => /^[\x21-\x7e]+$/u.test(text)

const readToken = Effect.fnUntraced(function*({ json, status }: HttpResponse) {
  const body = jsonObjectOf(json)
  const token = body.access_token
  if (status >= 200 && status < 300 && typeof token === "string" && isToken(token)) {
    const life = Number(body.expires_in)
    return { header: `Bearer ${token}`, lifeSeconds: life > 0 ? life : defaultLifeSeconds }
  }
  if (status >= 400 && status < 500) {
    const code = body.error
    const detail = typeof code === "string" && /^[a-z_]{1,40}$/u.test(code)
      ? `${code} (status ${status})`
      : `status ${status}`
    return yield* serverError({ _tag: "Denied", what: "the token endpoint", detail })
  }
  return yield* serverError({ _tag: "InvalidResponse", detail: `the token endpoint gave no token (status ${status})` })
})
