import { isJsonObject, type JsonObject } from "../../json/JsonObject.ts"

/** Returns what an envelope (§2.1) declares by `success`; `undefined` without it, `null` for any other value. */
export const successOf = ({ success }: JsonObject): boolean | null | undefined => {
  if (success === undefined) return undefined
  if (success === true || success === "true" || success === 1) return true
  return success === false || success === "false" || success === 0 ? false : null
}

/** Whether the `http_code` of an envelope is another than the status of its response, which it mirrors (§2.1). */
export const contradictsStatus = ({ http_code: code }: JsonObject, status: number): boolean =>
  code !== undefined && code !== null && Number(code) !== status

/** Whether an envelope holds errors. §2.1 shows them only in the response to a failure, in place of its data. */
export const holdsErrors = ({ errors }: JsonObject): boolean => !holdsNoMessage(errors)

/** Returns the messages in `errors`. The specification shows a string; services also send an array, or an object of arrays. */
export const messagesIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(messagesIn)
  if (isJsonObject(value)) return Object.entries(value).flatMap(([key, messages]) => [key, ...messagesIn(messages)])
  return []
}

export const holdsNoMessage = (value: unknown): boolean => messagesIn(value).every((text) => text.trim() === "")
