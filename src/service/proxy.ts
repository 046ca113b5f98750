import type { Dispatcher, Pool } from "undici"

/** The proxy of the environment, for connections that leave this machine. */
export interface Proxy {
  readonly uri: string
  /** Hosts that are reached without it. */
  readonly noProxy: string
}

/** The supported schemes of a proxy, which must open a tunnel (`CONNECT`). */
const schemes: ReadonlySet<string> = new Set(["http:", "https:"])

/**
 * Returns the configured proxy, `null` if there is none, or the problem if it is invalid. Its address may hold a password, so it is not
 * reported.
 */
export const proxyIn = (env: NodeJS.ProcessEnv): Proxy | { readonly problem: string } | null => {
  const [name, uri] =
    [["https_proxy", env["https_proxy"]], ["HTTPS_PROXY", env["HTTPS_PROXY"]]].find(([, uri]) => (uri ?? "") !== "") ??
      []
  if (uri === undefined) return null
  if (!URL.canParse(uri) || !schemes.has(new URL(uri).protocol) || new URL(uri).hostname === "") {
    return {
      problem: `${name} must be the address of a proxy that begins with http:// or https://`
    }
  }
  return { uri, noProxy: [env["no_proxy"] ?? env["NO_PROXY"] ?? "", "localhost", "127.0.0.1", "::1"].join(",") }
}

/** The prefix of every error code that belongs to the proxy. */
export const proxyPrefix = "PROXY_"

const proxyError = (code: string): Error => Object.assign(new Error("the proxy"), { code: `${proxyPrefix}${code}` })

/** Whether a proxy announces a body. A tunnel has none (RFC 9110 §9.3.6), so a 200 with one is the page of a login. */
const hasContent = (headers: Dispatcher.ConnectData["headers"]): boolean =>
  headers["content-type"] !== undefined &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0)

/**
 * Creates connections to the proxy. Their failures are distinguished from the service's, and they wait at most this long for a tunnel.
 */
export const tunnels = (make: (origin: URL, options: object) => Pool, timeoutMillis: number) =>
(
  origin: URL,
  options: object
): Dispatcher => {
  const pool = make(origin, options)
  // Without a callback, `connect` returns a promise. The type of `bind` knows only the overload with one.
  const openTunnel = pool.connect.bind(pool) as (params: object) => Promise<Dispatcher.ConnectData>
  const connect = async (params: object): Promise<Dispatcher.ConnectData> => {
    const abort = new AbortController()
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(proxyError("TIMEOUT"))
      abort.abort()
    }, timeoutMillis)
    try {
      const response = await Promise.race([openTunnel({ ...params, signal: abort.signal }), late.promise])
      if (response.statusCode === 200 && !hasContent(response.headers)) return response
      response.socket.on("error", () => undefined).destroy()
      throw proxyError(`STATUS_${response.statusCode}`)
    } catch (error) {
      const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "FAILED"
      throw code.startsWith(proxyPrefix) ? error : proxyError(code)
    } finally {
      clearTimeout(timer)
    }
  }
  return Object.assign(pool, { connect })
}
