import type { Dispatcher, Pool } from "undici"

/** The way to what is not this machine, as the environment has it. */
export interface Proxy {
  readonly uri: string
  /** Hosts that are reached without it. */
  readonly noProxy: string
}

/** The schemes of a proxy that is understood: it is asked for a tunnel (`CONNECT`). */
const schemes: ReadonlySet<string> = new Set(["http:", "https:"])

/** The proxy that is named; `null` where none is, and what is wrong where it cannot be one. Its address may hold a password: it is not told. */
export const proxyIn = (env: NodeJS.ProcessEnv): Proxy | { readonly problem: string } | null => {
  const [name, uri] =
    [["https_proxy", env["https_proxy"]], ["HTTPS_PROXY", env["HTTPS_PROXY"]]].find(([, uri]) => (uri ?? "") !== "") ??
      []
  if (uri === undefined) return null
  if (!URL.canParse(uri) || !schemes.has(new URL(uri).protocol) || new URL(uri).hostname === "") {
    return {
      problem: `${name} must name a proxy by an address that begins with http:// or https://; no other is understood`
    }
  }
  return { uri, noProxy: [env["no_proxy"] ?? env["NO_PROXY"] ?? "", "localhost", "127.0.0.1", "::1"].join(",") }
}

/** The beginning of every code of a fault that is the proxy's. */
export const proxyPrefix = "PROXY_"

const fault = (code: string): Error => Object.assign(new Error("the proxy"), { code: `${proxyPrefix}${code}` })

/** Connections to the proxy whose faults can be told from the service's, and that wait no longer than this for a tunnel. */
export const tunnels = (make: (origin: URL, options: object) => Pool, timeoutMillis: number) =>
(
  origin: URL,
  options: object
): Dispatcher => {
  const pool = make(origin, options)
  const ask = pool.connect.bind(pool) as (params: object) => Promise<Dispatcher.ConnectData>
  const connect = async (params: object): Promise<Dispatcher.ConnectData> => {
    const given = new AbortController()
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(fault("TIMEOUT"))
      given.abort()
    }, timeoutMillis)
    try {
      const answer = await Promise.race([ask({ ...params, signal: given.signal }), late.promise])
      if (answer.statusCode === 200) return answer
      answer.socket.on("error", () => undefined).destroy()
      throw fault(`STATUS_${answer.statusCode}`)
    } catch (error) {
      const { code } = error as { readonly code?: unknown }
      throw typeof code !== "string" ? fault("FAILED") : code.startsWith(proxyPrefix) ? error : fault(code)
    } finally {
      clearTimeout(timer)
    }
  }
  return Object.assign(pool, { connect })
}
