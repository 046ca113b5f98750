import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { gunzipSync } from "node:zlib"

type BodyFault = "too large" | "not UTF-8" | "cut off" | "not gzip" | "not plain or gzip"

/** Returns the text of a request's body, plain or gzip, or why there is none. */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number
): Effect.Effect<string | { readonly fault: BodyFault }> => {
  const encoding = request.headers["content-encoding"] ?? "identity"
  if (encoding !== "identity" && encoding !== "gzip") return Effect.succeed({ fault: "not plain or gzip" })
  // A body that declares its size is refused before it is read.
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Effect.succeed({ fault: "too large" })
  const chunks: Array<Uint8Array> = []
  let size = 0
  return Stream.runForEach(request.stream, (chunk) => {
    size += chunk.length
    if (size > maxBytes) return Effect.fail("too large" as const)
    chunks.push(chunk)
    return Effect.void
  }).pipe(
    Effect.map(() => {
      const bytes = Buffer.concat(chunks)
      const plain = encoding === "gzip" ? inflated(bytes, maxBytes) : bytes
      if (typeof plain === "string") return { fault: plain }
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(plain)
      } catch {
        return { fault: "not UTF-8" } as const
      }
    }),
    Effect.catch((error) => Effect.succeed({ fault: error === "too large" ? error : "cut off" as const }))
  )
}

/** Inflates at most the limit, because a few bytes may inflate to very many. */
const inflated = (bytes: Buffer, maxBytes: number): Buffer | "too large" | "not gzip" => {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLarge = error instanceof RangeError ||
      (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
    return isTooLarge ? "too large" : "not gzip"
  }
}
