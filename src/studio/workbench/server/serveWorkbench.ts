import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Cause, Context, Data, Effect, Layer, Schema, Stream } from "effect"
import {
  HttpMiddleware,
  HttpRouter,
  HttpServer,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { randomBytes } from "node:crypto"
import { makeServer } from "../../../makeServer.ts"
import { mappingSchema } from "../../../mapping/language/mappingSchema.ts"
import { benchStyle } from "../../viewer/bench/benchStyle.ts"
import { benchScript } from "../../viewer/writePage.ts"
import type { Workbench } from "../Workbench.ts"
import { AccessGuard, newSessionPath } from "./AccessGuard.ts"
import { deniedPage, icon, openedPage, pageHtml } from "./pageHtml.ts"

/** The port cannot be used. */
export class WorkbenchError extends Data.TaggedError("WorkbenchError")<{ readonly detail: string }> {}

/** Serves the page on loopback until the scope ends. Returns the address with the key, which is valid once. */
export const serveWorkbench = Effect.fn("serveWorkbench")(function*(bench: Workbench, port: number) {
  const server = makeServer()
  const access: { guard?: AccessGuard } = {}
  const sessionPath = newSessionPath()
  const script = yield* Effect.promise(benchScript)
  const running = yield* Layer.build(
    HttpRouter.serve(
      Layer.mergeAll(layerPages(sessionPath, script), layerData(sessionPath, bench), layerAccess(() => access.guard)),
      { disableLogger: true, disableListenLog: true }
    ).pipe(
      // A request identifies a visit, so requests are excluded from traces, which can be sent to another machine.
      Layer.provide(Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)),
      Layer.provideMerge(NodeHttpServer.layer(() => server, {
        port,
        host: "127.0.0.1",
        gracefulShutdownTimeout: "200 millis"
      }))
    )
  ).pipe(Effect.mapError(() => new WorkbenchError({ detail: `port ${port} of 127.0.0.1 cannot be used` })))
  // The page's event stream would keep the server open.
  yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
  const { address } = Context.get(running, HttpServer.HttpServer)
  access.guard = new AccessGuard("port" in address ? address.port : port, sessionPath)
  return { url: access.guard.url, port: "port" in address ? address.port : port }
})

const Edit = Schema.Struct({ file: Schema.String, text: Schema.String, from: Schema.String })

const AcceptedCodeBody = Schema.Struct({
  table: Schema.String,
  system: Schema.String,
  code: Schema.String,
  display: Schema.String,
  value: Schema.String
})

/** A visit by its key, and the name of its case. */
const NamedVisit = Schema.Struct({
  of: Schema.String,
  name: Schema.String.check(Schema.isPattern(/^[^\n#`]{1,100}$/u))
})

/** Allows the styles that the editor adds to the page while it runs. */
const nonce = randomBytes(16).toString("base64url")

const layerPages = (sessionPath: `/${string}`, script: string) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const text = (body: string, contentType: string) => HttpServerResponse.text(body, { contentType })
    yield* router.add("GET", sessionPath, text(pageHtml(nonce), "text/html; charset=utf-8"))
    yield* router.add("GET", `${sessionPath}page.css`, text(benchStyle, "text/css; charset=utf-8"))
    yield* router.add("GET", `${sessionPath}page.js`, text(script, "text/javascript; charset=utf-8"))
    yield* router.add("GET", `${sessionPath}icon.svg`, text(icon, "image/svg+xml"))
  }))

const layerData = (sessionPath: `/${string}`, bench: Workbench) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const json = (value: unknown) => HttpServerResponse.jsonUnsafe(value)
    yield* router.add("GET", `${sessionPath}schema`, Effect.sync(() => json(mappingSchema())))
    yield* router.add("GET", `${sessionPath}plan`, Effect.sync(() => json(bench.plan() ?? null)))
    yield* router.add(
      "GET",
      `${sessionPath}find`,
      Effect.gen(function*() {
        const { text } = yield* HttpServerRequest.ParsedSearchParams
        return json(typeof text === "string" && text !== "" ? yield* bench.find(text) : [])
      })
    )
    yield* router.add(
      "POST",
      `${sessionPath}edit`,
      Effect.gen(function*() {
        const { file, from, text } = yield* HttpServerRequest.schemaBodyJson(Edit)
        return json({ revision: yield* bench.edit(file, text, from) })
      })
    )
    yield* router.add(
      "GET",
      `${sessionPath}case`,
      Effect.gen(function*() {
        const { name, of } = yield* HttpServerRequest.schemaSearchParams(NamedVisit)
        return json((yield* bench.caseOf(of, name)) ?? null)
      })
    )
    yield* router.add(
      "POST",
      `${sessionPath}case`,
      Effect.gen(function*() {
        const { name, of } = yield* HttpServerRequest.schemaBodyJson(NamedVisit)
        return json(yield* bench.keepCase(of, name))
      })
    )
    yield* router.add("GET", `${sessionPath}codes`, Effect.map(bench.codes, json))
    yield* router.add(
      "POST",
      `${sessionPath}codes`,
      Effect.gen(function*() {
        return json(yield* bench.acceptCode(yield* HttpServerRequest.schemaBodyJson(AcceptedCodeBody)))
      })
    )
    yield* router.add("POST", `${sessionPath}undo`, Effect.map(bench.undo, json))
    yield* router.add("POST", `${sessionPath}save`, Effect.map(bench.save, json))
    yield* router.add("GET", `${sessionPath}visits`, Effect.sync(() => json(bench.list())))
    yield* router.add("GET", `${sessionPath}mapping`, Effect.sync(() => json(bench.mapping())))
    yield* router.add(
      "GET",
      `${sessionPath}visit`,
      Effect.gen(function*() {
        const { of } = yield* HttpServerRequest.ParsedSearchParams
        return json(typeof of === "string" ? bench.visit(of) ?? null : null)
      })
    )
    yield* router.add(
      "GET",
      `${sessionPath}events`,
      HttpServerResponse.stream(
        bench.status.pipe(Stream.map((status) => `data: ${JSON.stringify(status)}\n\n`), Stream.encodeText),
        { contentType: "text/event-stream" }
      )
    )
  }))

/** Checks the access of every request, and sets the security headers of every response. */
const layerAccess = (guardOf: () => AccessGuard | undefined) =>
  HttpRouter.middleware((app) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const guard = guardOf()
      if (guard === undefined) return withHeaders(HttpServerResponse.empty({ status: 503 }))
      const { pathname, searchParams } = new URL(request.url, "http://127.0.0.1")
      const key = pathname === guard.sessionPath ? searchParams.get("key") ?? undefined : undefined
      const { cookies, headers, method } = request
      const decision = guard.decide({ cookies, headers, method, key })
      switch (decision._tag) {
        case "Denied":
          return withHeaders(page(deniedPage(decision.why), decision.status))
        case "Opened":
          return withHeaders(page(openedPage)).pipe(
            HttpServerResponse.setCookieUnsafe(guard.cookieName, decision.cookie, {
              httpOnly: true,
              sameSite: "strict",
              path: guard.sessionPath
            })
          )
        case "Known":
          return withHeaders(key === undefined ? yield* Effect.catchCause(app, respondToFailure) : page(openedPage))
      }
    }), { global: true })

const page = (body: string, status = 200) =>
  HttpServerResponse.text(body, { contentType: "text/html; charset=utf-8", status })

const withHeaders = HttpServerResponse.setHeaders({
  "content-security-policy":
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})

const respondToFailure = <E>(cause: Cause.Cause<E>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const error = Cause.squash(cause)
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
    return Effect.succeed(HttpServerResponse.empty({ status: 404 }))
  }
  // The error can contain a patient's value, so only the fact that it failed is reported.
  return Effect.as(Effect.logError("the workbench failed to respond"), HttpServerResponse.empty({ status: 500 }))
}
