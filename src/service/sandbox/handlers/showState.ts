import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash, timingSafeEqual } from "node:crypto"
import { openApi } from "../../Api.ts"
import { paths } from "../../wire.ts"
import { readStats, type SandboxState } from "../SandboxState.ts"
import { failure } from "./envelope.ts"

/**
 * The pages that only the embedded service has, for people and for tests. They need no token and accept only requests from this
 * machine. `fhir2visit sandbox` requires its key (`?key=KEY`).
 *
 * - `GET /sandbox`: these lines, as JSON
 * - `GET /sandbox/visits`: the stored visits, without their texts
 * - `GET /sandbox/visits/CODE?facility=CODE`: the exact text of one visit as received. The facility is optional if only one has the
 *   code.
 * - `GET /sandbox/stats`: requests by endpoint and response, faults, grants, the maximum of requests in a window's length
 * - `GET /openapi.json`: the declaration of the service
 */
export const layerShowState = (state: SandboxState): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const json = (value: unknown) => HttpServerResponse.jsonUnsafe(value)
    const page = (
      path: `/${string}`,
      response: Effect.Effect<HttpServerResponse.HttpServerResponse, never, PageContext>
    ) => router.add("GET", path, keyed(state, response))
    yield* page("/sandbox", Effect.sync(() => json({ paths, sandbox: sandboxPaths })))
    yield* page("/sandbox/visits", Effect.sync(() => json([...state.store.visits()])))
    yield* page("/sandbox/stats", Effect.sync(() => json(readStats(state))))
    yield* router.add("GET", "/openapi.json", Effect.sync(() => json(openApi())))
    yield* page(
      "/sandbox/visits/:code",
      Effect.gen(function*() {
        const { code } = yield* HttpRouter.params
        const { facility } = yield* HttpServerRequest.ParsedSearchParams
        const [visit, ...others] = [...state.store.visits()].filter((visit) =>
          visit.code === code && (facility === undefined || visit.facilityCode === facility)
        )
        if (others.length > 0) return failure(409, "Several facilities have this visit code; add ?facility=CODE.")
        const body = visit === undefined ? null : state.store.body(visit.facilityCode, visit.code)
        return body === null
          ? failure(404, "Not Found")
          : HttpServerResponse.text(body, { contentType: "application/json" })
      })
    )
  }))

type PageContext = HttpRouter.RouteContext | HttpServerRequest.ParsedSearchParams

/** Restricts the pages that show stored data to users with the key, if there is one. */
const keyed = <E, R>(
  { options: { pages } }: SandboxState,
  response: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  typeof pages === "string" ? response : Effect.flatMap(
    HttpServerRequest.ParsedSearchParams,
    ({ key }) =>
      typeof key === "string" && timingSafeEqual(digest(key), digest(pages.key))
        ? response
        : Effect.succeed(failure(403, "Add the key that the command `sandbox` prints: ?key=KEY"))
  )

const digest = (text: string): Buffer => hash("sha256", text, "buffer")

/** The paths in addition to those of the specification. */
export const sandboxPaths = [
  "/sandbox",
  "/sandbox/visits",
  "/sandbox/visits/:code",
  "/sandbox/stats",
  "/openapi.json"
] as const
