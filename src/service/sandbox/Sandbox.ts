import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Cause, Clock, Context, Effect, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { internalError } from "../../diagnostic/internalError.ts"
import { makeServer } from "../../makeServer.ts"
import type { FacilityCode, SystemCode, VisitCode } from "../../visit/values/Code.ts"
import { Api } from "../Api.ts"
import { ServerErrorResponse } from "../responses/Envelope.ts"
import { headerNames, paths, sentences } from "../wire.ts"
import { layerAuthorization, layerRequestValidation } from "./handlers/authorize.ts"
import { failure, success } from "./handlers/envelope.ts"
import { grantToken } from "./handlers/grantToken.ts"
import { handleBeneficiary, handleProcessed, handleStandardData } from "./handlers/handleReads.ts"
import { handleSubmission } from "./handlers/handleSubmission.ts"
import { droppedHeader, injectFault } from "./handlers/injectFault.ts"
import { readBody } from "./handlers/readBody.ts"
import { layerShowState, sandboxPaths } from "./handlers/showState.ts"
import { SandboxError } from "./SandboxError.ts"
import { defaultOptions, type SandboxOptions, type SandboxUser, sandboxUser } from "./SandboxOptions.ts"
import { makeState, readStats, type SandboxState } from "./SandboxState.ts"
import type { SandboxStats } from "./Stats.ts"
import { openFileStore } from "./store/fileStore.ts"
import { makeMemoryStore, type StoredVisit } from "./store/SandboxStore.ts"

/** The embedded implementation of the national service: a real HTTP server on loopback that implements the whole specification. */
export class Sandbox extends Context.Service<Sandbox, {
  /** `http://127.0.0.1:PORT`: base URL and auth URL in one. */
  readonly url: string
  readonly port: number
  readonly user: SandboxUser
  readonly stats: Effect.Effect<SandboxStats>
  /** The stored visits, in the order of their first submission. */
  readonly visits: Effect.Effect<ReadonlyArray<StoredVisit>>
  /** The exact text of a stored visit, or `null`. */
  readonly body: (facilityCode: FacilityCode, code: VisitCode) => Effect.Effect<string | null>
}>()("fhir2visit/sandbox/Sandbox") {
  static readonly layer = (options: Partial<SandboxOptions> = {}): Layer.Layer<Sandbox, SandboxError> =>
    Layer.effect(Sandbox, startSandbox(options))
}

/** Starts the service; it ends with the scope. */
export const startSandbox = Effect.fnUntraced(function*(
  given: Partial<SandboxOptions> = {}
): Effect.fn.Return<Sandbox["Service"], SandboxError, Scope.Scope> {
  const options: SandboxOptions = { ...defaultOptions, ...given }
  const store = options.storeFile === undefined ? makeMemoryStore() : yield* openFileStore(options.storeFile)
  const state = makeState(options, store, yield* Clock.currentTimeMillis)
  const server = makeServer()
  const running = yield* Layer.build(layerServer(state, server)).pipe(
    Effect.mapError(() =>
      new SandboxError({
        detail: `port ${options.port} of 127.0.0.1 cannot be used`,
        help: ["--port 0 takes a free port"]
      })
    )
  )
  const { address } = Context.get(running, HttpServer.HttpServer)
  // Idle connections of clients would hold the server open.
  yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
  const port = "port" in address ? address.port : options.port
  const [user = sandboxUser] = state.users
  const scope = yield* Effect.scope
  state.restart = (millis) =>
    Effect.suspend(() => {
      if (!server.listening) return Effect.void
      server.close()
      server.closeAllConnections()
      const comeBack = Effect.sync(() => server.listen(port, "127.0.0.1"))
      return Effect.asVoid(Effect.forkIn(Effect.delay(comeBack, millis), scope))
    })
  return Sandbox.of({
    url: `http://127.0.0.1:${port}`,
    port,
    user,
    stats: Effect.sync(() => readStats(state)),
    visits: Effect.sync(() => [...store.visits()]),
    body: (facilityCode, code) => Effect.sync(() => store.body(facilityCode, code))
  })
})

const layerServer = (state: SandboxState, server: ReturnType<typeof makeServer>) =>
  HttpRouter.serve(
    Layer.mergeAll(layerApi(state), layerPages(state), layerResponses(state)),
    { disableLogger: true, disableListenLog: true }
  ).pipe(Layer.provideMerge(NodeHttpServer.layer(() => server, {
    port: state.options.port,
    host: "127.0.0.1",
    gracefulShutdownTimeout: "200 millis"
  })))

const layerPages = (state: SandboxState) => state.options.pages === "none" ? Layer.empty : layerShowState(state)

const layerApi = (state: SandboxState) => {
  const oauth = HttpApiBuilder.group(
    Api,
    "oauth",
    (handlers) => handlers.handleRaw("token", ({ request }) => grantToken(state, request), { uninterruptible: true })
  )

  const standardData = (query: Parameters<typeof handleStandardData>[1]) =>
    injectFault(
      state,
      "standard-data",
      JSON.stringify(query),
      () => Effect.sync(() => handleStandardData(state, query))
    )
  const reference = HttpApiBuilder.group(Api, "reference", (handlers) =>
    handlers
      .handle("standardData", ({ query }) => standardData(query))
      .handle("standardDataShort", ({ query }) => standardData(query)))

  const data = HttpApiBuilder.group(Api, "data", (handlers) =>
    handlers
      .handle("beneficiary", ({ query }) =>
        injectFault(state, "beneficiary", query.card_number, () =>
          handleBeneficiary(state, query.card_number)))
      .handle("processed", ({ headers, query }) =>
        injectFault(state, "processed", JSON.stringify(query), () =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            handleProcessed(state, headers[headerNames.facilityCode], query, now))))
      // A started submission is completed, whether the client waits for it or not.
      .handleRaw("submit", ({ headers, request }) =>
        submit(state, headers, request), { uninterruptible: true }))

  return HttpApiBuilder.layer(Api).pipe(
    Layer.provide([
      oauth,
      reference.pipe(Layer.provide(layerRequestValidation)),
      data.pipe(Layer.provide([layerAuthorization(state), layerRequestValidation]))
    ])
  )
}

const submit = Effect.fnUntraced(function*(
  state: SandboxState,
  headers: { readonly [headerNames.systemCode]: SystemCode; readonly [headerNames.facilityCode]: FacilityCode },
  request: HttpServerRequest.HttpServerRequest
) {
  const body = yield* readBody(request, state.options.maxBodyBytes)
  if (typeof body !== "string") {
    return body.fault === "too large"
      ? failure(413, "Payload Too Large", { connection: "close" })
      : failure(body.fault === "not plain or gzip" ? 415 : 400, `The request body is ${body.fault}.`)
  }
  return yield* injectFault(state, "visits", body, (stores) =>
    Effect.gen(function*() {
      const result = handleSubmission(state, {
        systemCode: headers[headerNames.systemCode],
        facilityCode: headers[headerNames.facilityCode],
        now: yield* Clock.currentTimeMillis,
        partial: stores === "in part"
      }, body)
      return success(sentences.saved, yield* Effect.fromResult(result))
    }))
})

const known: ReadonlyArray<readonly [method: string, path: string]> = [
  ["POST", paths.token],
  ["GET", paths.standardData],
  ["GET", paths.standardDataShort],
  ["GET", paths.beneficiary],
  ["POST", paths.visits],
  ["GET", paths.processed],
  ...sandboxPaths.map((path) => ["GET", path] as const)
]

/** Wraps every response: access control, 404, 405 and 500 in the envelope of §2.1, and the count. */
const layerResponses = (state: SandboxState) =>
  HttpRouter.middleware((app) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const [path = ""] = request.url.split("?", 1)
      const response = isLocal(request.headers["host"])
        ? yield* Effect.catchCause(app, (cause) => respondToFailure(cause, path, state))
        : failure(403, "Only requests from this machine are allowed.")
      const endpoint = known.some(([, known]) => known === path) ? `${request.method} ${path}` : "other"
      state.counters.request(endpoint, droppedHeader in response.headers ? "dropped" : String(response.status))
      return response
    }), { global: true })

const respondToFailure = <E>(cause: Cause.Cause<E>, path: string, { options: { pages } }: SandboxState) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const error = Cause.squash(cause)
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
    const isHidden = pages === "none" && path.startsWith("/sandbox")
    const allowed = isHidden ? [] : known.filter(([, known]) => known === path).map(([method]) => method)
    return Effect.succeed(
      allowed.length === 0
        ? failure(404, "Not Found")
        : failure(405, "Method Not Allowed", { allow: allowed.join(", ") })
    )
  }
  return Effect.as(
    Effect.logError(`the embedded service failed: ${internalError(error)}`),
    HttpServerResponse.jsonUnsafe(ServerErrorResponse.documented(), { status: 500 })
  )
}

/** Whether the host is loopback. A web page whose host name resolves to this machine must not read the stored data. */
const isLocal = (host: string | undefined): boolean =>
  host === undefined || /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/iu.test(host)
