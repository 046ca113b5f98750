import { HttpServerResponse } from "effect/http"

export const success = <A>(message: string, data: A) => ({ success: true, http_code: 200, message, data }) as const

/** Returns an error in the envelope of §2.1 whose status the specification does not list. */
export const failure = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ success: false, http_code: status, message, data: null }, { status, headers })
