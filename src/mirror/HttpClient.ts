import { Clock, Effect } from "effect"
import { isUtf8 } from "node:buffer"
import { pipeline as joinStreams, Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { constants, createGunzip, createGzip } from "node:zlib"
import { type Dispatcher, request } from "undici"
import { withDigits } from "../json/exactNumber.ts"
import { jsonIn } from "../json/JsonObject.ts"
import { connectionFailure, errorCodeOf, tooLargeCode } from "../service/connectionErrors.ts"
import { readWait } from "../service/responses/readWait.ts"
import { writeStream } from "./mirrorFiles.ts"
import { ServerError, serverError, shownUrl } from "./ServerError.ts"

/** A complete response. `json` is `undefined` if the body is not JSON. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly json: unknown
}

export interface GetOptions {
  readonly accept: string
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: "GET" | "DELETE"
  /** Keeps the digits of numbers when the JSON is written again; needed for records. */
  readonly exact?: boolean
  /** The `Authorization` header (default: none). It is read for each attempt, because a token can expire while an attempt waits. */
  readonly authorization?: Effect.Effect<string | null, ServerError>
}

export interface Download {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Lines that are not blank. */
  readonly lines: number
  /** Size of the gzip file. */
  readonly bytes: number
}

/**
 * Sends requests to a FHIR server: TLS 1.2 or higher with verified certificates, and no redirections followed. It respects the server's
 * retry-after times and retries where a retry has no side effect. It does not handle tokens.
 */
export interface HttpClient {
  readonly get: (url: string, options: GetOptions) => Effect.Effect<HttpResponse, ServerError>
  readonly post: (url: string, form: Readonly<Record<string, string>>) => Effect.Effect<HttpResponse, ServerError>
  /** Streams a body into a gzip file. The file is complete if this succeeds with status 200; with any other result it is not written. */
  readonly download: (url: string, options: GetOptions, file: string) => Effect.Effect<Download, ServerError>
}

interface HttpOptions {
  readonly dispatcher: Dispatcher
  /** Timeout for the headers, and for each next chunk of a body, in milliseconds. */
  readonly deadlineMillis: number
  /** The maximum retry-after time that is respected; beyond it the run ends and reports the wait. */
  readonly maxWaitMillis: number
  /** Maximum attempts of a request that fails temporarily. */
  readonly maxAttempts: number
  /** The first pause between attempts, in milliseconds; each later one is twice as long. */
  readonly pauseMillis: number
}

/** Maximum size of a search page or a manifest; a larger response is something else. */
const maxJsonBytes = 64 * 1024 * 1024

export const makeHttpClient = (options: HttpOptions): HttpClient => {
  const timeouts = { headersTimeout: options.deadlineMillis, bodyTimeout: options.deadlineMillis }
  const complete = (
    url: string,
    sending: { readonly method: "GET" | "DELETE" | "POST"; readonly headers: Headers; readonly body?: string },
    { authorization, exact = false }: Partial<GetOptions> = {}
  ) =>
    withRetries(url, options, authorization, (authorized) =>
      attempt(url, async (signal) => {
        const headers = { ...sending.headers, ...authorized }
        const response = await request(url, {
          ...sending,
          headers,
          ...timeouts,
          dispatcher: options.dispatcher,
          signal
        })
        const body = await readBody(response)
        return {
          status: response.statusCode,
          headers: headersOf(response.headers),
          json: jsonIn(body, exact ? withDigits : undefined)
        }
      }))
  return {
    get: (url, { accept, headers, method = "GET", ...how }) =>
      complete(url, { method, headers: { ...common, accept, ...headers } }, how),
    post: (url, form) =>
      complete(url, {
        method: "POST",
        headers: { ...common, accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(form).toString()
      }),
    download: (url, { accept, authorization }, file) =>
      withRetries(url, options, authorization, (authorized) =>
        attempt(url, async (signal) => {
          const response = await request(url, {
            headers: { ...common, accept, ...authorized },
            ...timeouts,
            dispatcher: options.dispatcher,
            signal
          })
          const found = headersOf(response.headers)
          if (response.statusCode !== 200) {
            await response.body.dump({ limit: 65_536 })
            return { status: response.statusCode, headers: found, lines: 0, bytes: 0 }
          }
          const counts = new LineCount()
          const body = found["content-encoding"] === "gzip"
            ? joinStreams(response.body, createGunzip(), () => {})
            : response.body
          const write = (chunks: AsyncIterable<Buffer>) => writeStream(file, chunks)
          const bytes = await pipeline(body, counts, createGzip(), write, { signal })
          return { status: 200, headers: found, lines: counts.lines, bytes }
        }))
  }
}

type Headers = Readonly<Record<string, string>>

const common = { "user-agent": "fhir2visit", "accept-encoding": "gzip" }

const headersOf = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")]]
    )
  )

/** Counts the lines that pass through and are not blank. */
class LineCount extends Transform {
  lines = 0
  /** The current line is not blank. */
  #hasText = false

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    for (const byte of chunk) {
      if (byte === 10) {
        if (this.#hasText) this.lines++
        this.#hasText = false
      } else if (byte > 32) this.#hasText = true
    }
    done(null, chunk)
  }

  override _flush(done: () => void): void {
    if (this.#hasText) this.lines++
    done()
  }
}

/** Returns a body as text. One that is not UTF-8 is an error if it can hold records; the body of an error is not read. */
const readBody = async ({ body, headers, statusCode }: Dispatcher.ResponseData<unknown>): Promise<string> => {
  // A failure of the connection must end the decompression, too. The loop reports it.
  const stream: AsyncIterable<Buffer> = headers["content-encoding"] === "gzip"
    ? joinStreams(body, createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }), () => {})
    : body
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > maxJsonBytes) {
      body.destroy()
      throw Object.assign(new Error("too large"), { code: tooLargeCode })
    }
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
  if (statusCode !== 200) return ""
  throw Object.assign(new Error("not UTF-8"), { code: notUtf8Code })
}

const notUtf8Code = "NOT_UTF8"

const attempt = <A>(url: string, work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, ServerError> =>
  Effect.tryPromise({
    try: work,
    catch: (error) => {
      if (error instanceof ServerError) return error
      const code = errorCodeOf(error)
      const address = shownUrl(url)
      const { why, ...failure } = connectionFailure(code)
      return serverError(
        code === tooLargeCode
          ? { _tag: "InvalidResponse", detail: `the response of ${address} is larger than 64 MB` }
          : code === notUtf8Code
          ? { _tag: "InvalidResponse", detail: `the response of ${address} is not UTF-8` }
          : { _tag: "Unreachable", detail: `${address}: ${why}`, ...failure }
      )
    }
  })

/** 501: the server does not have the operation, or a parameter of it. */
const isTemporary = (status: number): boolean =>
  status === 429 || status === 408 || status === 425 || (status >= 500 && status !== 501)

const isTemporaryFailure = ({ reason }: ServerError): boolean => reason._tag === "Unreachable" && !reason.lasting

/**
 * Retries a request that fails temporarily: no response for a reason that can pass, 408, 425, 429, 5xx. `Retry-After` is respected in all
 * its forms; without it the pauses double. A wait longer than the limit ends the run, with the wait in its error.
 */
const withRetries = <A extends { readonly status: number; readonly headers: HttpResponse["headers"] }>(
  url: string,
  { maxAttempts, maxWaitMillis, pauseMillis }: HttpOptions,
  authorization: Effect.Effect<string | null, ServerError> = Effect.succeed(null),
  once: (authorized: Headers) => Effect.Effect<A, ServerError>
): Effect.Effect<A, ServerError> =>
  Effect.gen(function*() {
    for (let attempts = 1;; attempts++) {
      const header = yield* authorization
      const result = yield* Effect.result(once(header === null ? {} : { authorization: header }))
      const failed = result._tag === "Failure"
      if (failed && !isTemporaryFailure(result.failure)) return yield* result.failure
      if (!failed && !isTemporary(result.success.status)) return result.success
      const stated = failed ? null : readWait(result.success.headers, yield* Clock.currentTimeMillis)
      const wait = stated ?? pauseMillis * 2 ** (attempts - 1)
      if (stated !== null && stated > maxWaitMillis) return yield* serverError({ _tag: "AskedToWait", millis: stated })
      if (attempts >= maxAttempts) {
        if (failed) return yield* result.failure
        return yield* serverError(
          result.success.status === 429
            ? { _tag: "AskedToWait", millis: wait }
            : { _tag: "ServerFailed", status: result.success.status, detail: shownUrl(url) }
        )
      }
      yield* Effect.sleep(wait)
    }
  })
