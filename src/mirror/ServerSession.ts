import { Effect } from "effect"
import { isLoopback } from "../service/settings/OperatorConfig.ts"
import type { Download, GetOptions, HttpClient, HttpResponse } from "./HttpClient.ts"
import { type ServerError, serverError, shownUrl } from "./ServerError.ts"
import type { ServerTokens } from "./serverTokens.ts"
import type { SourceSettings } from "./SourceSettings.ts"

/**
 * A FHIR server during one fetch. The token is sent to the server's own origin, and to origins that the settings list. A link or a
 * redirection to another origin is followed without the token, or not at all if the server requires the token there.
 */
export interface ServerSession {
  /** Sends a GET with the token. A status of 400 or more is a response, except 401 and 403. */
  readonly get: (url: string, options: GetOptions) => Effect.Effect<HttpResponse, ServerError>
  /** Downloads a file, with the token only if the manifest requires it. */
  readonly download: (url: string, file: string, withToken: boolean) => Effect.Effect<Download, ServerError>
}

/** The content type of a resource. */
export const fhirJson = { accept: "application/fhir+json" } as const

const maxRedirections = 5

/** New tokens for one request. One is not enough: while the request waits and is sent again, that one can expire too. */
const maxRenewals = 2

export const makeServerSession = (
  settings: Pick<SourceSettings, "server" | "origins">,
  tokens: ServerTokens,
  http: HttpClient
): ServerSession => {
  const trusted = new Set([settings.server, ...settings.origins].map((url) => new URL(url).origin))

  const checkAddress = (url: string, withToken: boolean): Effect.Effect<void, ServerError> => {
    const parsed = URL.parse(url)
    if (
      parsed === null || (parsed.protocol !== "https:" && !(parsed.protocol === "http:" && isLoopback(parsed.hostname)))
    ) {
      return invalid(`the server names an address that is not https: ${shownUrl(url)}`)
    }
    return !withToken || trusted.has(parsed.origin) ? Effect.void : invalid(
      `the server wants the token sent to ${parsed.origin}, which is not its own origin; if that is right: \`source: {origins: ["${parsed.origin}"]}\``
    )
  }

  /** Sends with the token, and with a new one if the server rejects it. */
  const authorized = <A extends HttpResponse | Download>(
    url: string,
    send: (authorization: Effect.Effect<string | null, ServerError>) => Effect.Effect<A, ServerError>
  ): Effect.Effect<A, ServerError> =>
    Effect.gen(function*() {
      for (let renewals = 0;; renewals++) {
        let header: string | null = null
        const response = yield* send(Effect.tap(tokens.authorization, (one) => Effect.sync(() => header = one)))
        if (response.status !== 401 || header === null || renewals === maxRenewals) return response
        yield* tokens.renew(header)
      }
    }).pipe(Effect.tap(({ status }) =>
      status === 401 || status === 403
        ? Effect.fail(
          serverError({ _tag: "Denied", what: "the server", detail: `status ${status} at ${shownUrl(url)}` })
        )
        : Effect.void
    ))

  /** Sends, and follows redirections. */
  const follow = <A extends HttpResponse | Download>(
    url: string,
    { redirections = 0, withToken }: { readonly withToken: boolean; readonly redirections?: number },
    send: (url: string, options: Pick<GetOptions, "authorization">) => Effect.Effect<A, ServerError>
  ): Effect.Effect<A, ServerError> =>
    Effect.gen(function*() {
      yield* checkAddress(url, withToken)
      const response = withToken
        ? yield* authorized(url, (authorization) => send(url, { authorization }))
        : yield* send(url, {})
      const location = response.headers["location"]
      if (location === undefined || ![301, 302, 303, 307, 308].includes(response.status)) return response
      if (redirections >= maxRedirections) {
        return yield* invalid(`${shownUrl(url)} redirects more than ${maxRedirections} times`)
      }
      const next = URL.parse(location, url)?.href ?? ""
      // A redirection to another origin carries no token, even to a trusted one, because the redirecting server may not be ours.
      const isSameOrigin = new URL(url).origin === URL.parse(next)?.origin
      return yield* follow(next, { withToken: withToken && isSameOrigin, redirections: redirections + 1 }, send)
    })

  return {
    get: (url, options) => follow(url, { withToken: true }, (url, more) => http.get(url, { ...options, ...more })),
    download: (url, file, withToken) =>
      follow(
        url,
        { withToken },
        (url, more) => http.download(url, { accept: "application/fhir+ndjson", ...more }, file)
      )
  }
}

const invalid = (detail: string) => Effect.fail(serverError({ _tag: "InvalidResponse", detail }))

/** The resource is missing, or the server does not support the request. */
export const notOffered = (what: string, url: string, status: number): ServerError =>
  serverError({ _tag: "NotOffered", what, status, detail: shownUrl(url) })
