import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"

/** The text of a request's body, or why there is none. */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number
): Effect.Effect<string | { readonly fault: "too large" | "not UTF-8" | "cut off" }> => {
  // What says its size is refused before it is read.
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
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))
      } catch {
        return { fault: "not UTF-8" } as const
      }
    }),
    Effect.catch((error) => Effect.succeed({ fault: error === "too large" ? error : "cut off" as const }))
  )
}
