import { Clock, Effect } from "effect"
import { isUtf8 } from "node:buffer"
import { pipeline as joinStreams, Readable, Transform } from "node:stream"
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
  /** The server can begin an export each time that it gets the request. So it is repeated only if the server certainly did not act on it. */
  readonly beginsExport?: boolean
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
  /** Sends a form, which is made for each attempt. */
  readonly post: (
    url: string,
    form: Effect.Effect<Readonly<Record<string, string>>, ServerError>
  ) => Effect.Effect<HttpResponse, ServerError>
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
    sending: { readonly method: "GET" | "DELETE" | "POST"; readonly headers: Headers },
    { beginsExport = false, exact = false, prepare }: Preparing & Pick<GetOptions, "beginsExport" | "exact">
  ) =>
    withRetries(
      url,
      options,
      { prepare, beginsExport },
      (prepared) =>
        attempt(url, options.dispatcher, async (through) => {
          const headers = { ...sending.headers, ...prepared.headers }
          const response = await request(url, { ...sending, ...prepared, headers, ...timeouts, ...through })
          const body = await readBody(response)
          return {
            status: response.statusCode,
            headers: headersOf(response.headers),
            json: jsonIn(body, exact ? withDigits : undefined)
          }
        })
    )
  return {
    get: (url, { accept, authorization, headers, method = "GET", ...how }) =>
      complete(url, { method, headers: { ...common, accept, ...headers } }, {
        ...how,
        prepare: carrying(authorization)
      }),
    post: (url, form) =>
      complete(url, { method: "POST", headers: { ...common, accept: "application/json" } }, {
        prepare: Effect.map(form, (fields) => ({
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(fields).toString()
        }))
      }),
    download: (url, { accept, authorization }, file) =>
      withRetries(
        url,
        options,
        { prepare: carrying(authorization), beginsExport: false },
        (prepared) =>
          attempt(url, options.dispatcher, async (through) => {
            const headers = { ...common, accept, ...prepared.headers }
            const response = await request(url, { headers, ...timeouts, ...through })
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
            const bytes = await pipeline(body, gunzipped, counts, createGzip(), write, { signal: through.signal })
            return { status: 200, headers: found, lines: counts.lines, bytes }
          })
      )
  }
}

type Headers = Readonly<Record<string, string>>

/** The parts of a request that are made for each attempt: they are valid only once, or for a short time. */
interface Preparing {
  readonly prepare: Effect.Effect<{ readonly headers: Headers; readonly body?: string }, ServerError>
}

const carrying = (authorization: GetOptions["authorization"] = Effect.succeed(null)): Preparing["prepare"] =>
  Effect.map(authorization, (header) => ({ headers: header === null ? {} : { authorization: header } }))

const common = { "user-agent": "fhir2visit", "accept-encoding": "gzip" }

const headersOf = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")]]
    )
  )

/** Decompresses a file that is itself compressed: its bytes show it, and no header does. */
async function* gunzipped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < 2) {
    const next = await chunks.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  const whole = async function*() {
    yield head
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  if (head[0] === 0x1f && head[1] === 0x8b) yield* joinStreams(Readable.from(whole()), createGunzip(), () => {})
  else yield* whole()
}

/** Counts the lines that pass through and are not blank. Fails if they cannot be JSON, such as a page that asks for a login. */
class LineCount extends Transform {
  lines = 0
  #hasBegun = false
  /** The current line is not blank. */
  #hasText = false

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: Error | null, chunk?: Buffer) => void): void {
    if (!this.#hasBegun) {
      const begin = /^\s*(\S)/u.exec(chunk.toString("utf8"))?.[1]
      if (begin !== undefined && begin !== "{" && begin !== "[") {
        done(Object.assign(new Error("not NDJSON"), { code: notNdjsonCode }))
        return
      }
      this.#hasBegun = begin !== undefined
    }
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
const notNdjsonCode = "NOT_NDJSON"

/** Makes one attempt, and notices whether any of the request was written. */
const attempt = <A>(
  url: string,
  dispatcher: Dispatcher,
  work: (through: { readonly dispatcher: Dispatcher; readonly signal: AbortSignal }) => Promise<A>
): Effect.Effect<A, ServerError> =>
  Effect.suspend(() => {
    let isSent = false
    const noticing = dispatcher.compose((dispatch) => (options, handler) => {
      const start = handler.onRequestStart?.bind(handler)
      // Called once there is a connection, just before the first byte is written.
      handler.onRequestStart = (controller, context) => {
        isSent = true
        start?.(controller, context)
      }
      return dispatch(options, handler)
    })
    return Effect.tryPromise({
      try: (signal) => work({ dispatcher: noticing, signal }),
      catch: (error) => error instanceof ServerError ? error : failureOf(url, errorCodeOf(error), isSent)
    })
  })

const failureOf = (url: string, code: string, isSent: boolean): ServerError => {
  const address = shownUrl(url)
  const { why, ...failure } = connectionFailure(code)
  return serverError(
    code === tooLargeCode
      ? { _tag: "InvalidResponse", detail: `the response of ${address} is larger than 64 MB` }
      : code === notUtf8Code
      ? { _tag: "InvalidResponse", detail: `the response of ${address} is not UTF-8` }
      : code === notNdjsonCode
      ? { _tag: "InvalidResponse", detail: `the response of ${address} is not NDJSON` }
      : { _tag: "Unreachable", detail: `${address}: ${why}`, isSent, ...failure }
  )
}

/** 501: the server does not have the operation, or a parameter of it. */
const isTemporary = (status: number): boolean =>
  status === 429 || status === 408 || status === 425 || (status >= 500 && status !== 501)

/**
 * Retries a request that fails temporarily: no response for a reason that can pass, 408, 425, 429, 5xx. `Retry-After` is respected in all
 * its forms; without it the pauses double. A wait longer than the limit ends the run, with the wait in its error. A request that begins
 * an export is only repeated in two cases: nothing of it was written, or the server refused it (429, or 503 with a retry-after time).
 */
const withRetries = <A extends Pick<HttpResponse, "status" | "headers">>(
  url: string,
  { maxAttempts, maxWaitMillis, pauseMillis }: HttpOptions,
  { beginsExport, prepare }: Preparing & { readonly beginsExport: boolean },
  once: (prepared: Effect.Success<Preparing["prepare"]>) => Effect.Effect<A, ServerError>
): Effect.Effect<A, ServerError> =>
  Effect.gen(function*() {
    for (let attempts = 1;; attempts++) {
      const result = yield* Effect.result(once(yield* prepare))
      let failure: ServerError
      let stated: number | null = null
      if (result._tag === "Failure") {
        failure = result.failure
        const { reason } = failure
        if (reason._tag !== "Unreachable" || reason.lasting) return yield* failure
        if (beginsExport && reason.isSent) return yield* serverError({ _tag: "ExportInDoubt", detail: reason.detail })
      } else {
        const { headers, status } = result.success
        if (!isTemporary(status)) return result.success
        stated = readWait(headers, yield* Clock.currentTimeMillis)
        if (beginsExport && status !== 429 && (status !== 503 || stated === null)) {
          return yield* serverError({ _tag: "ExportInDoubt", detail: `status ${status} at ${shownUrl(url)}` })
        }
        if (stated !== null && stated > maxWaitMillis) {
          return yield* serverError({ _tag: "AskedToWait", millis: stated })
        }
        failure = serverError(
          status === 429 && stated !== null
            ? { _tag: "AskedToWait", millis: stated }
            : { _tag: "ServerFailed", status, detail: shownUrl(url) }
        )
      }
      if (attempts >= maxAttempts) return yield* failure
      yield* Effect.sleep(stated ?? pauseMillis * 2 ** (attempts - 1))
    }
  })
