import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { deflateSync, gzipSync } from "node:zlib"
import { at } from "../../../src/at.ts"
import { jsonListOf, jsonObjectOf } from "../../../src/json/JsonObject.ts"
import { referenceListTypes } from "../../../src/visit/Field.ts"
import { credentials, get, getToken, headersOf, post, postForm, postText } from "./client.ts"
import { sampleVisit } from "./sampleVisit.ts"
import { withSandbox } from "./withSandbox.ts"

describe("§4.2 tokens", () => {
  it("§2.2 returns the same shape for both grants", () =>
    withSandbox({}, async ({ url }) => {
      const first = await postForm(url, { grant_type: "password", ...credentials })
      assert.strictEqual(first.status, 200)
      assert.deepStrictEqual(Object.keys(first.json), ["access_token", "refresh_token", "token_type", "expires_in"])
      assert.strictEqual(first.json["token_type"], "Bearer")
      assert.strictEqual(first.json["expires_in"], 172_800)
      const { client_id, client_secret } = credentials
      const again = await postForm(url, {
        grant_type: "refresh_token",
        refresh_token: String(first.json["refresh_token"]),
        client_id,
        client_secret
      })
      assert.strictEqual(again.status, 200)
      assert.deepStrictEqual(Object.keys(again.json), Object.keys(first.json))
      assert.notStrictEqual(again.json["access_token"], first.json["access_token"])
    }))

  it("§5 rule 7 accepts a refresh token once, and its use ends the old access token", () =>
    withSandbox({}, async ({ url }) => {
      const first = await postForm(url, { grant_type: "password", ...credentials })
      const form = { ...credentials, grant_type: "refresh_token", refresh_token: String(first.json["refresh_token"]) }
      assert.strictEqual((await postForm(url, form)).status, 200)
      const reused = await postForm(url, form)
      assert.strictEqual(reused.status, 400)
      assert.strictEqual(reused.json["error"], "invalid_grant")
      const old = await get(`${url}/api/v1/external/visits/processed`, headersOf(String(first.json["access_token"])))
      assert.strictEqual(old.status, 401)
    }))

  const refusals: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
    ["no grant type", {}, "invalid_request"],
    ["another grant type", { ...credentials, grant_type: "client_credentials" }, "invalid_request"],
    ["a missing parameter", { grant_type: "password", username: "sandbox", password: "sandbox" }, "invalid_request"],
    ["an empty parameter", { ...credentials, grant_type: "password", password: "" }, "invalid_request"],
    ["another client", { ...credentials, grant_type: "password", client_secret: "x" }, "invalid_client"],
    ["a wrong password", { ...credentials, grant_type: "password", password: "x" }, "invalid_grant"],
    ["an unknown refresh token", { ...credentials, grant_type: "refresh_token", refresh_token: "x" }, "invalid_grant"]
  ]
  for (const [name, form, error] of refusals) {
    it(`§7 ${name}: 400 ${error}`, () =>
      withSandbox({}, async ({ url }) => {
        const { json, status } = await postForm(url, form)
        assert.strictEqual(status, 400)
        assert.strictEqual(json["error"], error)
        assert.deepStrictEqual(Object.keys(json), ["error", "error_description"])
      }))
  }

  it("§4.2 requires a form, not JSON", () =>
    withSandbox({}, async ({ url }) => {
      const response = await fetch(`${url}/oauth/token`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ grant_type: "password", ...credentials })
      })
      assert.strictEqual(response.status, 400)
      assert.strictEqual(jsonObjectOf(await response.json()).error, "invalid_request")
    }))

  it("§5 rule 6 rejects a token after its lifetime", () =>
    withSandbox({ tokenLifetimeSeconds: 0.2 }, async ({ url }) => {
      const token = await getToken(url)
      const ask = () => get(`${url}/api/v1/external/visits/processed`, headersOf(token))
      assert.strictEqual((await ask()).status, 200)
      await new Promise((resolve) => setTimeout(resolve, 300))
      assert.strictEqual((await ask()).status, 401)
    }))
})

describe("§4.1 required headers", () => {
  const path = "/api/v1/external/visits/processed"
  const cases: ReadonlyArray<readonly [string, Record<string, string>, number, string]> = [
    ["no token", { authorization: "" }, 401, "Unauthenticated"],
    ["another scheme", { authorization: "Basic c2FuZGJveDpzYW5kYm94" }, 401, "Unauthenticated"],
    ["an invalid token", { authorization: "Bearer nonsense" }, 401, "Unauthenticated"],
    ["no system code", { "x-system-code": "" }, 403, "Access denied"],
    ["another system code", { "x-system-code": "OTHER" }, 403, "Access denied"],
    ["no facility code", { "x-health-facility-code": "" }, 403, "Access denied"],
    ["another facility", { "x-health-facility-code": "F9" }, 403, "Access denied"]
  ]
  const user = {
    ...credentials,
    clientId: "sandbox",
    clientSecret: "sandbox",
    systemCodes: ["SYS"],
    facilityCodes: ["F1"]
  }
  for (const [name, over, status, message] of cases) {
    it(`§7 ${name}: ${status} ${message}`, () =>
      withSandbox({ users: [user] }, async ({ url }) => {
        const { json, ...answer } = await get(`${url}${path}`, headersOf(await getToken(url), over))
        assert.strictEqual(answer.status, status)
        assert.strictEqual(json["success"], false)
        assert.strictEqual(json["http_code"], status)
        assert.strictEqual(json["message"], message)
        assert.isString(json["errors"])
        if (status === 401) assert.strictEqual(json["errors"], "Invalid or expired token")
      }))
  }

  it("§4.1 requires Accept and Content-Type on every data call with strictHeaders", () =>
    withSandbox({ strictHeaders: true }, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      assert.strictEqual((await get(`${url}${path}`, headers)).status, 200)
      assert.strictEqual((await get(`${url}${path}`, { ...headers, accept: "*/*" })).status, 406)
      const { "content-type": _, ...rest } = headers
      assert.strictEqual((await get(`${url}${path}`, rest)).status, 415)
    }))

  it("accepts a gzip body; rejects invalid gzip, other encodings and bodies that inflate beyond the limit", () =>
    withSandbox({ maxBodyBytes: 100_000 }, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      const send = async (body: Uint8Array, encoding: string) => {
        const answer = await fetch(`${url}/api/v1/external/visits`, {
          method: "POST",
          headers: { ...headers, "content-encoding": encoding },
          body
        })
        return answer.status
      }
      const request = Buffer.from(JSON.stringify({ visits: [sampleVisit(1)] }))
      assert.strictEqual(await send(gzipSync(request), "gzip"), 200)
      assert.strictEqual(await send(request, "gzip"), 400)
      assert.strictEqual(await send(deflateSync(request), "deflate"), 415)
      assert.strictEqual(await send(gzipSync(Buffer.alloc(10_000_000)), "gzip"), 413)
    }))

  it("rejects a form instead of JSON", () =>
    withSandbox({}, async ({ url }) => {
      const headers = headersOf(await getToken(url), { "content-type": "application/x-www-form-urlencoded" })
      assert.strictEqual((await post(url, [sampleVisit(1)], headers)).status, 415)
    }))
})

describe("§8 limits", () => {
  it("allows 60 token requests a minute for each address, counted in X-RateLimit-*", () =>
    withSandbox(
      { limits: { token: { count: 3, windowMillis: 500 }, data: { count: 9, windowMillis: 9_000 } } },
      async ({ stats, url }) => {
        const ask = () => postForm(url, { grant_type: "password", ...credentials })
        const answers = [await ask(), await ask(), await ask(), await ask()]
        assert.deepStrictEqual(answers.map((answer) => answer.status), [200, 200, 200, 429])
        assert.deepStrictEqual(answers.map((answer) => answer.headers.get("x-ratelimit-remaining")), [
          "2",
          "1",
          "0",
          "0"
        ])
        assert.isTrue(answers.every((answer) => answer.headers.get("x-ratelimit-limit") === "3"))
        const reset = Number(at(answers, 3).headers.get("x-ratelimit-reset"))
        assert.isTrue(Math.abs(reset - Date.now() / 1000) < 3)
        assert.strictEqual(answers[3]?.headers.get("retry-after"), "1")
        await new Promise((resolve) => setTimeout(resolve, 600))
        assert.strictEqual((await ask()).status, 200)
        assert.deepStrictEqual((await Effect.runPromise(stats)).peaks.token, { "127.0.0.1": 4 })
      }
    ))

  it("allows 1000 data requests an hour for each user, for all endpoints together", () =>
    withSandbox(
      { limits: { token: { count: 60, windowMillis: 60_000 }, data: { count: 2, windowMillis: 60_000 } } },
      async ({ url }) => {
        const headers = headersOf(await getToken(url))
        assert.strictEqual((await post(url, [{}], headers)).status, 422)
        assert.strictEqual((await get(`${url}/api/v1/external/beneficiary/search?card_number=1`, headers)).status, 404)
        const refused = await post(url, [sampleVisit(1)], headers)
        assert.strictEqual(refused.status, 429)
        assert.isAtLeast(Number(refused.headers.get("retry-after")), 1)
        assert.strictEqual((await get(`${url}/api/v1/external/common/standard-data?type=visit_types`)).status, 200)
      }
    ))
})

/** A page of rows. */
const pageIn = Schema.decodeUnknownSync(Schema.Struct({
  data: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  total: Schema.Finite,
  per_page: Schema.Finite
}))

describe("§4.3 standard data", () => {
  it("returns all twelve lists, without a token, under both paths", () =>
    withSandbox({}, async ({ url }) => {
      for (const type of referenceListTypes) {
        for (const path of ["/v1/external/common/standard-data", "/api/v1/external/common/standard-data"]) {
          const { data, status } = await get(`${url}${path}?type=${type}`)
          assert.strictEqual(status, 200)
          const page = pageIn(data)
          assert.strictEqual(page.per_page, 100)
          assert.isAtLeast(page.total, 2)
          assert.strictEqual(page.data.length, page.total)
          for (const item of page.data) {
            assert.isString(item["code"])
            assert.isString(item["name"])
            assert.isString(item["description"])
            if (type !== "diagnoses") assert.match(String(item["code"]), /^(?:[A-Z]{4,5}-[0-9A-Z]{6,8}|HF[0-9]{4})$/)
          }
        }
      }
    }))

  it("per_page, page and query", () =>
    withSandbox({}, async ({ url }) => {
      const path = `${url}/v1/external/common/standard-data?type=diagnoses`
      const found = pageIn((await get(`${path}&query=DENGUE`)).data)
      assert.deepStrictEqual(found.data.map((item) => item["code"]), ["A90", "A91"])
      const second = (await get(`${path}&per_page=10&page=2`)).data
      assert.strictEqual(second["current_page"], 2)
      assert.strictEqual(second["per_page"], 10)
      assert.strictEqual(jsonListOf(second["data"]).length, 10)
      const beyond = (await get(`${path}&page=99`)).data
      assert.deepStrictEqual(beyond["data"], [])
    }))

  it("§7 rejects a missing or unknown type", () =>
    withSandbox({}, async ({ url }) => {
      const path = `${url}/v1/external/common/standard-data`
      assert.strictEqual((await get(path)).json["errors"], "The type field is required.")
      const unknown = await get(`${path}?type=colours`)
      assert.strictEqual(unknown.status, 422)
      assert.strictEqual(unknown.json["message"], "Invalid request data")
      assert.strictEqual((await get(`${path}?type=diagnoses&per_page=0`)).status, 422)
    }))
})

describe("§4.4 beneficiary search", () => {
  const path = "/api/v1/external/beneficiary/search"
  it("§2.7 returns the record of the cardholder, with every field", () =>
    withSandbox({}, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      const { data, status } = await get(`${url}${path}?card_number=100-000-002`, headers)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(Object.keys(data), [
        "spid",
        "patient_code",
        "surname",
        "name",
        "sex",
        "birthdate",
        "phone_number",
        "nationality",
        "relationship_to_head",
        "dead",
        "death_date",
        "created_at",
        "updated_at",
        "address",
        "benefit_cards",
        "identifications",
        "occupation",
        "disabilities"
      ])
      assert.strictEqual(data["patient_code"], "P25000002")
    }))
  it("returns 404 for an unknown card and 422 without a card number", () =>
    withSandbox({}, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      const unknown = await get(`${url}${path}?card_number=0`, headers)
      assert.strictEqual(unknown.status, 404)
      assert.strictEqual(unknown.json["success"], false)
      const missing = await get(`${url}${path}`, headers)
      assert.strictEqual(missing.status, 422)
      assert.strictEqual(missing.json["errors"], "The card_number field is required.")
    }))
})

describe("§4.6 processed list", () => {
  it("returns pages of ten, filters by the dates as written, and sorts", () =>
    withSandbox({}, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      for (let n = 0; n < 12; n++) {
        const day = String(n + 1).padStart(2, "0")
        const admitted_at = `2026-03-${day}T00:30:00.000+07:00`
        const discharged_at = n === 11 ? null : `2026-04-${day}T23:30:00.000+07:00`
        const answer = await post(url, [sampleVisit(n, { admitted_at, discharged_at })], headers)
        assert.strictEqual(answer.status, 200, answer.text)
      }
      const list = async (query: string) => {
        const { data, status } = await get(`${url}/api/v1/external/visits/processed${query}`, headers)
        assert.strictEqual(status, 200)
        return pageIn(data)
      }
      const first = await list("")
      assert.strictEqual(first.per_page, 10)
      assert.strictEqual(first.data.length, 10)
      assert.strictEqual(first.total, 12)
      assert.strictEqual((await list("?page=2")).data.length, 2)
      const codes = async (query: string) => (await list(query)).data.map((item) => item["code"])
      assert.deepStrictEqual(await codes("?admitted_at_from=2026-03-02&admitted_at_to=2026-03-03"), [
        "V420001",
        "V420002"
      ])
      assert.deepStrictEqual(await codes("?discharged_at_from=2026-04-11"), ["V420010"])
      assert.deepStrictEqual(await codes("?discharged_at_to=2026-04-01"), ["V420000"])
      assert.deepStrictEqual(await codes("?processing_status=3"), ["V420011"])
      assert.deepStrictEqual(await codes("?sort_by=admitted_at&sort_direction=desc&per_page=2"), ["V420011", "V420010"])
      assert.strictEqual(
        (await get(`${url}/api/v1/external/visits/processed?admitted_at_from=1-1`, headers)).status,
        422
      )
      assert.strictEqual((await get(`${url}/api/v1/external/visits/processed?sort_by=colour`, headers)).status, 422)
      const other = headersOf(await getToken(url), { "x-health-facility-code": "F2" })
      assert.strictEqual((await get(`${url}/api/v1/external/visits/processed`, other)).data["total"], 0)
    }))
})

describe("responses that the specification does not show, in its envelope", () => {
  it("responds to an unknown path, a wrong method, and bodies that are too large, not JSON or not UTF-8", () =>
    withSandbox({ maxBodyBytes: 20_000 }, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      assert.strictEqual((await get(`${url}/api/v2/external/visits`, headers)).json["http_code"], 404)
      const method = await get(`${url}/api/v1/external/visits`, headers)
      assert.strictEqual(method.status, 405)
      assert.strictEqual(method.headers.get("allow"), "POST")
      const large = await post(url, [sampleVisit(1, { consultations: ["x".repeat(20_000)] })], headers)
      assert.strictEqual(large.status, 413)
      assert.strictEqual(large.json["success"], false)
      const chunked = await fetch(`${url}/api/v1/external/visits`, {
        method: "POST",
        headers,
        body: new Blob(["[".repeat(40_000)]).stream(),
        duplex: "half"
      })
      assert.strictEqual(chunked.status, 413)
      for (const body of ["", "{", "[]", "\"visits\"", "{\"visits\":{}}", "{\"visits\":[]}"]) {
        const answer = await postText(url, body, headers)
        assert.strictEqual(answer.status, 422, body)
        assert.strictEqual(answer.json["message"], "Invalid request data")
      }
      const binary = await fetch(`${url}/api/v1/external/visits`, {
        method: "POST",
        headers,
        body: new Uint8Array([255])
      })
      assert.strictEqual(binary.status, 400)
    }))

  it("denies access to a web page, whatever host name resolves to this machine", () =>
    withSandbox({}, async ({ port }) => {
      const { request } = await import("node:http")
      const status = await new Promise((resolve) =>
        request(
          { port, host: "127.0.0.1", path: "/sandbox/visits", headers: { host: "rebound.example" } },
          (answer) => {
            answer.resume()
            resolve(answer.statusCode)
          }
        ).end()
      )
      assert.strictEqual(status, 403)
    }))
})
