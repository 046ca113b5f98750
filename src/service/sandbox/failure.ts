import { HttpServerResponse } from "effect/http"

/** Returns an error in the envelope of §2.1 whose status the specification does not list. */
export const failure = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ success: false, http_code: status, message, data: null }, { status, headers })
