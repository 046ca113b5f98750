import { Context, Effect, Redacted } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, UrlParams } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { isJsonObject } from "../json/JsonObject.ts"
import { encodeSubmission } from "../visit/encode.ts"
import { Api } from "./Api.ts"
import { makeTokens } from "./auth/Token.ts"
import { makeTokenFile } from "./auth/TokenStore.ts"
import { dataKey, makeMemoryWindows, Windows } from "./countRequests.ts"
import { type Lane, makePace } from "./limits.ts"
import { makeProcessedList } from "./lists/makeProcessedList.ts"
import { makeStandardList } from "./lists/makeStandardList.ts"
import type { Operator } from "./Operator.ts"
import { OperatorError } from "./OperatorError.ts"
import { deniedBy, secretsOf, unexpected } from "./responses/failures.ts"
import type { Outcome } from "./responses/Outcome.ts"
import { readBeneficiary } from "./responses/readBeneficiary.ts"
import { readOutcome } from "./responses/readOutcome.ts"
import { nonEmptyText, type ServiceResponse } from "./responses/ServiceResponse.ts"
import { atPace, repeated, unreachableFrom } from "./retrySchedule.ts"
import { type OperatorConfig, trimUrl } from "./settings/OperatorConfig.ts"
import { listingsOf } from "./settings/ReconcileSettings.ts"
import type { SendingSettings } from "./settings/SendingSettings.ts"
import { type Call, exchange, type NotSent, type ResponseLost } from "./transport.ts"
import { headerNames, pageParameter } from "./wire.ts"

/** The token of one request; reads of the public lists have none. */
const Bearer = Context.Reference<Redacted.Redacted<string> | null>("fhir2visit/service/Bearer", {
  defaultValue: () => null
})

/** The id of the attempt that a submission is part of. */
const Attempt = Context.Reference<string | null>("fhir2visit/service/Attempt", { defaultValue: () => null })

/** Creates the client of the declaration in `Api.ts`: it writes the requests, and reads the responses by its own tolerant rules. */
export const makeOperator = Effect.fnUntraced(function*(config: OperatorConfig) {
  const http = (yield* HttpClient.HttpClient).pipe(HttpClient.mapRequest(HttpClientRequest.setHeaders({
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": "fhir2visit"
  })))
  const dataHttp = http.pipe(
    HttpClient.mapRequestEffect((request) =>
      Effect.map(Bearer, (token) =>
        HttpClientRequest.setHeader(
          token === null ? request : HttpClientRequest.bearerToken(request, token),
          "content-type",
          "application/json"
        ))
    )
  )
  const visitsHttp = dataHttp.pipe(
    HttpClient.mapRequestEffect((request) =>
      Effect.map(
        Attempt,
        (attempt) => request.method === "POST" ? writeSubmission(request, config.sending, attempt) : request
      )
    )
  )
  const baseUrl = trimUrl(config.baseUrl)
  const { processed: list, reference: standard } = config.lists
  const oauth = yield* HttpApiClient.group(Api, { group: "oauth", httpClient: http, baseUrl: trimUrl(config.authUrl) })
  const reference = yield* HttpApiClient.group(Api, {
    group: "reference",
    httpClient: HttpClient.mapRequest(http, renamePageParameter(standard.pageParam)),
    baseUrl
  })
  const data = yield* HttpApiClient.group(Api, {
    group: "data",
    httpClient: HttpClient.mapRequest(visitsHttp, renamePageParameter(list.pageParam)),
    baseUrl
  })

  const windows = (yield* Windows) ?? makeMemoryWindows()
  // Token requests are counted for our address, data requests for the user (§8), whichever facility they are for.
  const user = createHash("sha256").update(config.username).digest("hex").slice(0, 16)
  const tokenPace = makePace(windows, `token ${new URL(config.authUrl).host}`, config.limits.token, {
    ...config.limits,
    reserve: 0
  })
  const dataPace = makePace(windows, dataKey(new URL(baseUrl).host, user), config.limits.data, config.limits)
  // Lists leave most of the requests to submissions: a list fails fast when its quota is exhausted, and does not wait.
  const listPace = makePace(
    windows,
    `list ${new URL(baseUrl).host} ${user}`,
    { ...config.limits.data, count: listingsOf(config.listShare, config.limits.data.count) },
    { maxWaitMillis: 0, reserve: 0 }
  )
  // Public reads have no user to count for. The rate limit only keeps the waits that the service requests, also for the next command.
  const publicPace = makePace(windows, `public ${new URL(baseUrl).host}`, {
    ...config.limits.data,
    count: Number.MAX_SAFE_INTEGER
  }, config.limits)

  const client = { client_id: config.clientId, client_secret: config.clientSecret }
  const responseMode = "response-only" as const
  const { tokenFile } = config
  const store = tokenFile === undefined
    ? null
    : yield* Effect.acquireRelease(Effect.sync(() => makeTokenFile(config, tokenFile)), ({ close }) => close)
  const tokens = yield* makeTokens(
    config,
    {
      password: oauth.token({
        payload: { grant_type: "password", username: config.username, password: config.password, ...client },
        responseMode
      }),
      refresh: (token) =>
        oauth.token({ payload: { grant_type: "refresh_token", refresh_token: token, ...client }, responseMode })
    },
    tokenPace,
    store
  )

  const headers = {
    [headerNames.systemCode]: config.systemCode,
    [headerNames.facilityCode]: config.facilityCode
  }

  /** The tokens of this run. */
  const used = new Set<Redacted.Redacted<string>>()

  /** Makes a data call with a valid token. After a 401 it repeats the call with a new token (§5 rule 6), and then with a third. */
  const authorized = Effect.fnUntraced(function*(
    lane: Lane,
    request: Call,
    onWaiting: (isWaiting: boolean) => void = () => undefined
  ): Effect.fn.Return<ServiceResponse, NotSent | ResponseLost | OperatorError> {
    const send = (token: Redacted.Redacted<string>) => {
      used.add(token)
      const sent = exchange(request, config).pipe(Effect.provideService(Bearer, token))
      return atPace(dataPace, lane, Effect.andThen(Effect.sync(() => onWaiting(false)), sent), {
        onThrottled: () => onWaiting(true)
      })
    }
    onWaiting(true)
    const token = yield* tokens.get
    const first = yield* send(token)
    if (first.status !== 401) return first
    onWaiting(true)
    const renewed = yield* tokens.renew(token)
    const second = yield* send(renewed)
    if (second.status !== 401) return second
    onWaiting(true)
    yield* tokens.forget(renewed)
    // Two runs of one user may revoke each other's tokens, so the other run's token is used. Otherwise the service may not know a just
    // issued token yet, so the next one waits some seconds.
    const theirs = yield* tokens.ofAnotherRun
    const last = theirs ?? (yield* tokens.renew(renewed))
    if (theirs === null) yield* Effect.sleep(config.newTokenMillis)
    const third = yield* send(last)
    if (third.status !== 401) return third
    yield* tokens.forget(last)
    return yield* new OperatorError({
      reason: { _tag: "Unauthenticated", detail: "three tokens in a row were refused with 401", issued: true }
    })
  })

  const submit = Effect.fnUntraced(function*(
    visits: ReadonlyArray<string>,
    { attempt, onWaiting }: Parameters<Operator["Service"]["submit"]>[1] = {}
  ): Effect.fn.Return<Outcome, OperatorError> {
    // A text that is not JSON is an internal error, and ends here before anything is sent.
    const codes = visits.map(visitCode)
    const request = Effect.provideService(
      data.submit({ headers, payload: encodeSubmission(visits), responseMode }),
      Attempt,
      attempt ?? null
    )
    const response = yield* authorized("bulk", request, onWaiting).pipe(Effect.catchTags({
      NotSent: (failure) => new OperatorError({ reason: unreachableFrom(failure) }),
      ResponseLost: (failure) => Effect.succeed(failure)
    }))
    if ("_tag" in response) {
      return { _tag: "Unknown", why: response.why, ...(response.silent === true ? { silent: true as const } : {}) }
    }
    const parsed = readOutcome(response, codes, config.responseRules)
    switch (parsed._tag) {
      case "Read":
        return withoutSecrets(parsed.outcome, response.body, [...used, config.password, config.clientSecret])
      case "Stopped":
        if (parsed.reason._tag === "AccessDenied") {
          return yield* deniedBy(response, [...secretsOf(config), ...textsOf(visits, config)])
        }
        return yield* new OperatorError({ reason: parsed.reason })
      // Both are handled before a response comes here.
      case "TokenErrorResponse":
      case "LimitReached":
        return yield* Effect.die(`unexpected response with status ${response.status}`)
    }
  })

  const processed = yield* makeProcessedList(
    config,
    listPace,
    (lane, query) => authorized(lane, data.processed({ headers, query, responseMode }))
  )
  const standardData = yield* makeStandardList(
    config,
    publicPace,
    (query, short) =>
      short ? reference.standardDataShort({ query, responseMode }) : reference.standardData({ query, responseMode })
  )

  const beneficiaries = Effect.fnUntraced(function*(card: string, lane: Lane = "front") {
    const request = data.beneficiary({ headers, query: { card_number: card }, responseMode })
    const response = yield* repeated(authorized(lane, request), config)
    if (response.status === 403) return yield* deniedBy(response, [...secretsOf(config), card])
    const found = readBeneficiary(response, card)
    if (found._tag === "NotUnderstood") return yield* unexpected(response.status, found.why)
    return found._tag === "Nobody" ? [] : found.records
  })

  return { submit, processed, standardData, beneficiaries } satisfies Operator["Service"]
})

/** Replaces the default name of the page parameter, which the declaration has. */
const renamePageParameter = (name: string) => (request: HttpClientRequest.HttpClientRequest) =>
  name === pageParameter ? request : HttpClientRequest.makeWith(
    request.method,
    request.url,
    UrlParams.make(request.urlParams.params.map(([key, value]) => [key === pageParameter ? name : key, value])),
    request.hash,
    request.headers,
    request.body
  )

/** Keeps the service's message, unless the response repeats one of our own secrets. */
const withoutSecrets = (
  outcome: Outcome,
  body: string,
  secrets: ReadonlyArray<Redacted.Redacted<string>>
): Outcome => {
  if (outcome._tag !== "Refused" || outcome.said === undefined) return outcome
  const text = `${body}\n${Redacted.value(outcome.said)}`
  if (!secrets.some((secret) => Redacted.value(secret) !== "" && text.includes(Redacted.value(secret)))) return outcome
  const { said: _said, ...rest } = outcome
  return rest
}

/** Returns every text of the visits that could identify a person; the codes of the facility and the system do not identify a patient. */
const textsOf = (
  visits: ReadonlyArray<string>,
  { facilityCode, systemCode }: OperatorConfig
): ReadonlyArray<string> => {
  const texts = new Set<string>()
  for (const visit of visits) {
    JSON.parse(visit, (_key, value: unknown) => {
      if (typeof value === "string" && value.length >= 3) texts.add(value)
    })
  }
  texts.delete(facilityCode)
  texts.delete(systemCode)
  return [...texts]
}

/** Returns the code of a visit from its own JSON text. */
const visitCode = (json: string): string => {
  const visit: unknown = JSON.parse(json)
  return (isJsonObject(visit) ? nonEmptyText(visit["code"]) : null) ?? ""
}

/** Adds what an operator can require, and §4.5 does not show: the id of the attempt in a header, and a compressed body. */
const writeSubmission = (
  request: HttpClientRequest.HttpClientRequest,
  { gzip, requestIdHeader }: SendingSettings,
  attempt: string | null
): HttpClientRequest.HttpClientRequest => {
  const withId = requestIdHeader === null || attempt === null
    ? request
    : HttpClientRequest.setHeader(request, requestIdHeader, attempt)
  return gzip ? compressed(withId) : withId
}

const compressed = (request: HttpClientRequest.HttpClientRequest): HttpClientRequest.HttpClientRequest => {
  const { body } = request
  if (body._tag !== "Uint8Array") return request
  return request.pipe(
    HttpClientRequest.setBody(HttpBody.uint8Array(gzipSync(body.body), body.contentType)),
    HttpClientRequest.setHeader("content-encoding", "gzip")
  )
}
