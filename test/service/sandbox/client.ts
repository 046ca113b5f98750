import { type JsonObject, jsonObjectOf } from "../../../src/json/JsonObject.ts"

/** A client of the service that knows nothing of this program: `fetch`, forms and JSON, as anybody would write it with curl. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: JsonObject
  /** `data` of the envelope; empty if it is no object. */
  readonly data: JsonObject
}

const reply = async (response: Response): Promise<Reply> => {
  const text = await response.text()
  let json: JsonObject = {}
  try {
    json = jsonObjectOf(JSON.parse(text))
  } catch {
    // The text is what the test will look at.
  }
  return { status: response.status, headers: response.headers, text, json, data: jsonObjectOf(json["data"]) }
}

export const credentials = { username: "sandbox", password: "sandbox", client_id: "sandbox", client_secret: "sandbox" }

export const postForm = async (url: string, form: Record<string, string>): Promise<Reply> =>
  reply(await fetch(`${url}/oauth/token`, { method: "POST", body: new URLSearchParams(form) }))

export const getToken = async (url: string, over: Record<string, string> = {}): Promise<string> =>
  String((await postForm(url, { grant_type: "password", ...credentials, ...over })).json["access_token"])

/** The five headers of §4.1. */
export const headersOf = (token: string, over: Record<string, string> = {}): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  accept: "application/json",
  "content-type": "application/json",
  "x-system-code": "SYS",
  "x-health-facility-code": "F1",
  ...over
})

export const get = async (url: string, headers: Record<string, string> = {}): Promise<Reply> =>
  reply(await fetch(url, { headers }))

export const post = async (
  url: string,
  visits: ReadonlyArray<unknown>,
  headers: Record<string, string>
): Promise<Reply> => postText(url, JSON.stringify({ visits }), headers)

export const postText = async (url: string, body: string, headers: Record<string, string>): Promise<Reply> =>
  reply(await fetch(`${url}/api/v1/external/visits`, { method: "POST", headers, body }))
