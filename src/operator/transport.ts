import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, FileSystem, Layer, type PlatformError, Stream } from "effect"
import { HttpClient, type HttpClientError, type HttpClientResponse } from "effect/http"
import { getCACertificates } from "node:tls"
import type { Dispatcher } from "undici"
import type { Answer } from "./Answer.ts"
import { checkConfig, type OperatorConfig, OperatorConfigError } from "./OperatorConfig.ts"

/** Nothing of the request was written: it may be sent again without a thought. */
export interface NotSent {
  readonly _tag: "NotSent"
  readonly why: string
  /** Trying again cannot help. */
  readonly lasting: boolean
}

/** At least a part of the request may have left, and no whole answer came. */
export interface Lost {
  readonly _tag: "Lost"
  readonly why: string
}

/** Set by the connection pool just before the first byte of a request is written. */
interface Trace {
  begun: boolean
}

/** Notes in the request's trace that it begins. The pool calls `onRequestStart` once a connection is there. */
const noteBegin: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const trace = (options as { readonly opaque?: unknown }).opaque as Trace | undefined
  return trace === undefined ? dispatch(options, handler) : dispatch(options, {
    onRequestStart(controller, context) {
      trace.begun = true
      handler.onRequestStart?.(controller, context)
    },
    onRequestUpgrade: (controller, status, headers, socket) =>
      handler.onRequestUpgrade?.(controller, status, headers, socket),
    onResponseStart: (controller, status, headers, message) =>
      handler.onResponseStart?.(controller, status, headers, message),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error)
  })
}

/**
 * The HTTP client of the service: TLS 1.2 or higher with verified certificates, no redirects, no retries, no compressed answers, no tracing
 * headers. Fails when the settings or the environment would make it unsafe (§1, §5).
 */
export const layerTransport = (
  config: OperatorConfig
): Layer.Layer<HttpClient.HttpClient, OperatorConfigError, FileSystem.FileSystem> =>
  Layer.unwrap(Effect.gen(function*() {
    const problems = [...checkConfig(config)]
    // The runtime itself reads this variable, whatever the program's own settings are.
    if (process.env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
      problems.push("NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off; unset it")
    }
    const ca = config.caFile === undefined ? undefined : yield* readCertificates(config.caFile).pipe(
      Effect.catch(() => {
        problems.push("the file of the certificate authority cannot be read as PEM")
        return Effect.undefined
      })
    )
    if (problems.length > 0) return yield* new OperatorConfigError({ problems })
    const dispatcher = Layer.effect(NodeHttpClient.Dispatcher, makeDispatcher(config, ca))
    return NodeHttpClient.layerUndiciNoDispatcher.pipe(Layer.provide(dispatcher))
  }))

/** Connections of HTTP/1.1, one request at a time on each; through a proxy where the environment names one. */
const makeDispatcher = (config: OperatorConfig, ca: string | undefined) => {
  const tls = {
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca: [...getCACertificates("default"), ca] })
  } as const
  const options = {
    connections: config.connections,
    pipelining: 1,
    allowH2: false,
    connect: { ...tls, timeout: Math.min(config.deadlineMillis, 15_000) }
  }
  const { env } = process
  const proxied = [env["https_proxy"], env["HTTPS_PROXY"]].some((proxy) => proxy !== undefined && proxy !== "")
  return Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const { Agent, EnvHttpProxyAgent } = await import("undici")
        if (!proxied) return new Agent(options)
        const noProxy = [env["no_proxy"] ?? env["NO_PROXY"] ?? "", "localhost", "127.0.0.1", "::1"].join(",")
        return new EnvHttpProxyAgent({ ...options, requestTls: tls, proxyTls: tls, noProxy })
      },
      catch: () => new OperatorConfigError({ problems: ["the proxy that the environment names cannot be used"] })
    }),
    (agent) => Effect.promise(() => agent.destroy())
  ).pipe(Effect.map((agent) => agent.compose(noteBegin)))
}

const readCertificates = (
  file: string
): Effect.Effect<string, PlatformError.PlatformError | "no certificate", FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    if ((yield* fs.stat(file)).type !== "File") return yield* Effect.fail("no certificate" as const)
    const pem = yield* fs.readFileString(file)
    return pem.includes("-----BEGIN CERTIFICATE-----") ? pem : yield* Effect.fail("no certificate" as const)
  })

/** A request of the declaration's client. It is answered as it comes: the errors the declaration names are read from the answer. */
export type Call = Effect.Effect<HttpClientResponse.HttpClientResponse, object>

/** One exchange: the request, and the answer to its last byte, within one deadline and one size. Nothing is repeated. */
export const exchange = (
  request: Call,
  limits: Pick<OperatorConfig, "deadlineMillis" | "maxAnswerBytes">
): Effect.Effect<Answer, NotSent | Lost> =>
  Effect.suspend(() => {
    const trace: Trace = { begun: false }
    return request.pipe(
      Effect.flatMap((response) => readAnswer(response, limits.maxAnswerBytes)),
      Effect.provideService(NodeHttpClient.UndiciOptions, { opaque: trace as never }),
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.timeoutOrElse({
        duration: limits.deadlineMillis,
        orElse: () => Effect.suspend(() => Effect.fail(fault(trace, "the deadline passed", false)))
      }),
      Effect.mapError((error) => isFault(error) ? error : faultOf(trace, error))
    )
  })

const fault = (trace: Trace, why: string, lasting: boolean): NotSent | Lost =>
  trace.begun ? { _tag: "Lost", why } : { _tag: "NotSent", why, lasting }

const isFault = (error: unknown): error is NotSent | Lost =>
  typeof error === "object" && error !== null && "why" in error && "_tag" in error &&
  (error._tag === "NotSent" || error._tag === "Lost")

const readAnswer = (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<Answer, HttpClientError.HttpClientError | Lost> =>
  Effect.gen(function*() {
    const chunks: Array<Uint8Array> = []
    let size = 0
    yield* Stream.runForEach(response.stream, (chunk) => {
      size += chunk.length
      if (size > maxBytes) return Effect.fail<Lost>({ _tag: "Lost", why: "the answer is larger than the limit" })
      chunks.push(chunk)
      return Effect.void
    })
    const body = yield* Effect.try({
      try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)),
      catch: (): Lost => ({ _tag: "Lost", why: "the answer is not UTF-8" })
    })
    return { status: response.status, headers: { ...response.headers }, body }
  })

/** Names what went wrong by its code alone: the texts of the layers below may hold an address or a header. */
const faultOf = (trace: Trace, error: unknown): NotSent | Lost => {
  const code = codeOf(error, 0)
  const why = words[code] ??
    (code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || code.startsWith("CERT_") || certificate.has(code)
      ? `the secured connection failed (${code})`
      : `the connection failed (${code})`)
  return fault(trace, why, code.startsWith("ERR_TLS_CERT") || code.startsWith("CERT_") || certificate.has(code))
}

const codeOf = (error: unknown, depth: number): string => {
  if (typeof error !== "object" || error === null || depth > 6) return "no code"
  if ("code" in error && typeof error.code === "string" && /^[A-Z0-9_]{3,60}$/u.test(error.code)) return error.code
  const inner = "reason" in error ? error.reason : "cause" in error ? error.cause : undefined
  return codeOf(inner, depth + 1)
}

const certificate: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"
])

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "the host name was not found",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out"
}
