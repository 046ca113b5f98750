import { createServer } from "node:http"
import { env, stdout } from "node:process"
import { at } from "../src/at.ts"

/**
 * A minimal service that accepts every visit at once and stores only the times of the requests. `GET /times` returns the milliseconds
 * between consecutive submissions, and clears them.
 */
let times: Array<number> = []
const answer = (data: unknown) => JSON.stringify({ success: true, http_code: 200, message: "", data })
const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    response.setHeader("content-type", "application/json")
    if (request.url === "/times") {
      response.end(JSON.stringify(times.slice(1).map((time, index) => time - at(times, index))))
      times = []
    } else if (request.url === "/oauth/token") {
      response.end(JSON.stringify({ access_token: "a", refresh_token: "r", token_type: "Bearer", expires_in: 172_800 }))
    } else if (request.method === "POST") {
      times.push(performance.now())
      const code = /"code":"([^"]+)"/u.exec(Buffer.concat(chunks).toString("utf8"))?.[1]
      response.end(answer({ status: 1, uuld: code, visit_code: code }))
    } else response.end(answer({ current_page: 1, per_page: 100, total: 0, last_page: 1, data: [] }))
  })
})
server.listen(Number(env["PORT"] ?? 0), "127.0.0.1", () => {
  const address = server.address()
  stdout.write(`${typeof address === "object" ? address?.port : address}\n`)
})
