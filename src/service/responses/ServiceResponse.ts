import { jsonIn } from "../../json/JsonObject.ts"
import { scanValue } from "../../json/scanJson.ts"

/** One whole response of the service. Header names are in lower case. */
export interface ServiceResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** Why a redirect is not the response to a request, whatever is at its other address. */
export const redirectWords = "the response is a redirect, which is not followed"

export const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** Maximum nesting of a response. A deeper one would overflow the stack of whatever walks over it. */
const maxDepth = 200

/** Returns the JSON of a body, or `undefined` when it is an HTML page, empty, compressed, nested too deeply or not JSON. */
export const jsonOf = (headers: ServiceResponse["headers"], body: string): unknown => {
  if (/html/iu.test(headers["content-type"] ?? "")) return undefined
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return undefined
  const text = body.startsWith("\uFEFF") ? body.slice(1) : body
  const bytes = Buffer.from(text)
  return scanValue(bytes, 0, bytes.length).depth > maxDepth ? undefined : jsonIn(text)
}

/** Returns a string, or a number in its written form; `null` for everything else and for the empty string. */
export const nonEmptyText = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null

/**
 * Returns the text of a response in one line of readable length. Returns `null` if there is none, or if it repeats what must not be
 * shown.
 */
export const oneLine = (text: string | null, hidden: ReadonlyArray<string>): string | null => {
  if (text === null || hidden.some((secret) => secret !== "" && text.includes(secret))) return null
  const line = text.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, " ").trim().slice(0, 160)
  return line === "" ? null : line
}
