import { Effect } from "effect"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { portOf } from "../portOf.ts"
import { present } from "../present.ts"

/** One request as it arrived. */
export interface Arrived {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What a scripted service says: a status with a body and headers, or whatever it does with the response itself. */
export type Say =
  | readonly [status: number, body?: unknown, headers?: Record<string, string>]
  | ((response: ServerResponse) => void)

export const token = (n: number, over: object = {}): Say => [
  200,
  { access_token: `access-${n}`, refresh_token: `refresh-${n}`, token_type: "Bearer", expires_in: 172_800, ...over }
]

/** A service that does exactly what a test says, over real HTTP. `arrived` holds every request in order. */
export const scripted = (say: (request: Arrived, nth: number) => Say) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly arrived: Array<Arrived>; readonly close: () => void }>(
      (resume) => {
        const arrived: Array<Arrived> = []
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const url = new URL(present(request.url), "http://local")
            const one: Arrived = {
              method: present(request.method),
              path: url.pathname,
              query: url.searchParams,
              headers: request.headers,
              body: Buffer.concat(chunks).toString()
            }
            arrived.push(one)
            const stated = say(one, arrived.filter(({ path }) => path === one.path).length)
            if (typeof stated === "function") return stated(response)
            const [status, body = "", headers = {}] = stated
            response.writeHead(status, { "content-type": "application/json", ...headers })
            response.end(typeof body === "string" ? body : JSON.stringify(body))
          })
        })
        server.listen(0, "127.0.0.1", () =>
          resume(Effect.succeed({
            url: `http://127.0.0.1:${portOf(server)}`,
            arrived,
            close: () => {
              server.closeAllConnections()
              server.close()
            }
          })))
      }
    ),
    ({ close }) => Effect.sync(close)
  )
