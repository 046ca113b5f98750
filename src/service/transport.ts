import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, type FileSystem, Layer } from "effect"
import { HttpClient, type HttpClientError, type HttpClientResponse } from "effect/http"
import { getCACertificates } from "node:tls"
import type { Dispatcher } from "undici"
import { connectionFailure, errorCodeOf, silences, tooLargeCode } from "./connectionErrors.ts"
import { ReportWait } from "./limits.ts"
import { type Proxy, proxyIn, tunnels } from "./proxy.ts"
import { readCertificates } from "./readCertificates.ts"
import type { ServiceResponse } from "./responses/ServiceResponse.ts"
import { checkConfig, type OperatorConfig, OperatorConfigError } from "./settings/OperatorConfig.ts"

/** Nothing of the request was written: it may safely be sent again. */
export interface NotSent {
  readonly _tag: "NotSent"
  readonly why: string
  /** A retry cannot help. */
  readonly lasting: boolean
  /** The failing hop, if it is not the service itself. */
  readonly at?: "proxy" | "certificate"
  /** The other side sent nothing at all. */
  readonly silent?: true
}

/** At least a part of the request may have left, and no complete response came. */
export interface ResponseLost {
  readonly _tag: "ResponseLost"
  readonly why: string
  /** The other side sent nothing at all before the deadline. */
  readonly silent?: true
}

/** The progress of a request. */
interface Trace {
  /** Whether its first byte may have been written. */
  isBegun: boolean
  /** Whether the beginning of a response came. */
  hasResponse: boolean
}

/**
 * Sends requests and resolves with complete responses. undici's own `request` makes a stream for each response, and V8 keeps such a
 * stream, with its request, until the next full collection.
 */
const wholeResponses = (agent: Dispatcher, maxBytes: number): Dispatcher => {
  const request = (options: Dispatcher.RequestOptions<Trace>) =>
    new Promise<unknown>((resolve, reject) => {
      const trace = options.opaque
      // The client of Effect sets an `AbortSignal` for every request.
      const signal = options.signal as AbortSignal
      const chunks: Array<Buffer> = []
      let size = 0
      let head: { readonly statusCode: number; readonly headers: object } | undefined
      let abort = () => {}
      agent.dispatch(options, {
        // The pool calls it once it has a connection, just before it writes the first byte.
        onRequestStart: (controller) => {
          abort = () => controller.abort(signal.reason)
          if (signal.aborted) return abort()
          signal.addEventListener("abort", abort)
          if (trace !== undefined && trace !== null) trace.isBegun = true
        },
        onResponseStart: (_controller, statusCode, headers) => {
          if (statusCode < 200) return
          head = { statusCode, headers }
          if (trace !== undefined && trace !== null) trace.hasResponse = true
        },
        onResponseData: (controller, chunk) => {
          size += chunk.length
          if (size > maxBytes) controller.abort(Object.assign(new Error(), { code: tooLargeCode }))
          else chunks.push(chunk)
        },
        onResponseEnd: () => {
          signal.removeEventListener("abort", abort)
          const body = { on: () => undefined, arrayBuffer: () => Promise.resolve(Buffer.concat(chunks)) }
          resolve({ ...head, body })
        },
        onResponseError: (_controller, error) => {
          signal.removeEventListener("abort", abort)
          reject(error)
        }
      })
    })
  // The client of Effect calls no other method of a dispatcher.
  return { request } as unknown as Dispatcher
}

/**
 * The HTTP client of the service: TLS 1.2 or higher with verified certificates, no redirects, no retries, no compressed responses, no
 * tracing headers. Fails when the settings or the environment would make it unsafe (§1, §5).
 */
export const layerTransport = (
  config: OperatorConfig
): Layer.Layer<HttpClient.HttpClient, OperatorConfigError, FileSystem.FileSystem> =>
  Layer.unwrap(Effect.gen(function*() {
    const problems = [...checkConfig(config)]
    // Node reads this variable, whatever the program's own settings are.
    if (process.env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
      problems.push("NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off; unset it")
    }
    const authorities = config.caFile === undefined
      ? { certificates: [], problems: [] }
      : yield* readCertificates(config.caFile)
    problems.push(...authorities.problems)
    const proxy = proxyIn(process.env)
    if (proxy !== null && "problem" in proxy) {
      return yield* new OperatorConfigError({ problems: [...problems, proxy.problem] })
    }
    if (problems.length > 0) return yield* new OperatorConfigError({ problems })
    const dispatcher = Layer.effect(
      NodeHttpClient.Dispatcher,
      Effect.map(
        makeDispatcher(config, authorities.certificates, proxy),
        (agent) => wholeResponses(agent, config.maxResponseBytes)
      )
    )
    return NodeHttpClient.layerUndiciNoDispatcher.pipe(Layer.provide(dispatcher))
  }))

/** Timeout in milliseconds for a connection, and for the tunnel of a proxy. */
const connectTimeoutMillis = 15_000

/** Creates HTTP/1.1 connections with one request at a time on each; through a proxy if the environment names one. */
export const makeDispatcher = (
  config: Pick<OperatorConfig, "deadlineMillis" | "connections">,
  authorities: ReadonlyArray<string>,
  proxy: Proxy | null,
  client: { readonly cert?: string; readonly key?: string } = {}
) => {
  const timeout = Math.min(config.deadlineMillis / 2, connectTimeoutMillis)
  const connect = {
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
    timeout,
    ...client,
    ...(authorities.length === 0 ? {} : { ca: [...getCACertificates("default"), ...authorities] })
  } as const
  const options = { connections: config.connections, pipelining: 1, allowH2: false, connect }
  return Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const { Agent, EnvHttpProxyAgent, Pool } = await import("undici")
        if (proxy === null) return new Agent(options)
        return new EnvHttpProxyAgent({
          ...options,
          requestTls: connect,
          proxyTls: connect,
          // plain http is allowed only on loopback
          httpProxy: "",
          httpsProxy: proxy.uri,
          noProxy: proxy.noProxy,
          clientFactory: tunnels((origin, options) => new Pool(origin, options), timeout)
        })
      },
      catch: () => new OperatorConfigError({ problems: ["the proxy that the environment names cannot be used"] })
    }),
    (agent) => Effect.promise(() => agent.destroy())
  )
}

/** A request of the declaration's client. It accepts every response: the errors of the declaration are read from it later. */
export type Call = Effect.Effect<HttpClientResponse.HttpClientResponse, object>

/** Makes one exchange: the request and the complete response, within one deadline. Nothing is repeated. */
export const exchange = (
  request: Call,
  { deadlineMillis }: Pick<OperatorConfig, "deadlineMillis">
): Effect.Effect<ServiceResponse, NotSent | ResponseLost> =>
  Effect.suspend(() => {
    const trace: Trace = { isBegun: false, hasResponse: false }
    return request.pipe(
      Effect.flatMap(readResponse),
      Effect.raceFirst(reportSilence(deadlineMillis)),
      // The type of the option does not know `opaque`, which undici passes to `request` above.
      Effect.provideService(NodeHttpClient.UndiciOptions, { opaque: trace as never }),
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.timeoutOrElse({
        duration: deadlineMillis,
        orElse: () => Effect.suspend(() => Effect.fail(deadlinePassed(trace)))
      }),
      Effect.mapError((error) => isFailure(error) ? error : failureOf(trace, error)),
      Effect.mapError((failure): NotSent | ResponseLost =>
        silences.has(failure.why) ? { ...failure, silent: true } : failure
      ),
      // Report the reason for the wait before retrying.
      Effect.tapError(({ why }) =>
        silences.has(why) ? Effect.logWarning(`no connection to the service: ${why}`) : Effect.void
      )
    )
  })

/** Reports that no whole response came yet, and how long the run waits for it; it never ends by itself. */
const reportSilence = (deadlineMillis: number): Effect.Effect<never> =>
  Effect.sleep(reportAfterMillis).pipe(
    Effect.andThen(
      Effect.flatMap(ReportWait, (report) =>
        report({ _tag: "Silence", seconds: reportAfterMillis / 1000, ofSeconds: Math.ceil(deadlineMillis / 1000) }))
    ),
    Effect.andThen(Effect.never)
  )

/** Milliseconds of waiting for a response after which the wait is reported. */
const reportAfterMillis = 10_000

const deadlinePassed = (trace: Trace): NotSent | ResponseLost => {
  const { hasResponse, isBegun } = trace
  const why = hasResponse ? "the response did not end in time" : "no response in time"
  return isBegun
    ? { _tag: "ResponseLost", why, ...(hasResponse ? {} : { silent: true }) }
    : { _tag: "NotSent", why: "no connection in time", lasting: false, silent: true }
}

const failure = (trace: Trace, why: string, lasting: boolean, at?: NotSent["at"]): NotSent | ResponseLost =>
  trace.isBegun ? { _tag: "ResponseLost", why } : { _tag: "NotSent", why, lasting, ...(at === undefined ? {} : { at }) }

const isFailure = (error: unknown): error is NotSent | ResponseLost =>
  typeof error === "object" && error !== null && "why" in error && "_tag" in error &&
  (error._tag === "NotSent" || error._tag === "ResponseLost")

const readResponse = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<ServiceResponse, HttpClientError.HttpClientError | ResponseLost> =>
  Effect.flatMap(response.arrayBuffer, (bytes) =>
    Effect.try({
      try: () => ({
        status: response.status,
        headers: { ...response.headers },
        body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
      }),
      catch: (): ResponseLost => ({ _tag: "ResponseLost", why: "the response is not UTF-8" })
    }))

/** Describes a failure only by its code: the messages of the layers below may hold an address or a header. */
const failureOf = (trace: Trace, error: unknown): NotSent | ResponseLost => {
  const { at, lasting, why } = connectionFailure(errorCodeOf(error))
  return failure(trace, why, lasting, at)
}
