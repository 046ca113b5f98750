import { HttpBody, HttpClientRequest } from "effect/http"
import { gzipSync } from "node:zlib"
import type { SendingSettings } from "./settings/SendingSettings.ts"

/** Adds what an operator can require, and §4.5 does not show: the id of the attempt in a header, and a compressed body. */
export const writeSubmission = (
  request: HttpClientRequest.HttpClientRequest,
  { gzip, requestIdHeader }: SendingSettings,
  attempt: string | null
): HttpClientRequest.HttpClientRequest => {
  const withId = requestIdHeader === null || attempt === null
    ? request
    : HttpClientRequest.setHeader(request, requestIdHeader, attempt)
  return gzip ? compressed(withId) : withId
}

const compressed = (request: HttpClientRequest.HttpClientRequest): HttpClientRequest.HttpClientRequest => {
  const { body } = request
  if (body._tag !== "Uint8Array") return request
  return request.pipe(
    HttpClientRequest.setBody(HttpBody.uint8Array(gzipSync(body.body), body.contentType)),
    HttpClientRequest.setHeader("content-encoding", "gzip")
  )
}
