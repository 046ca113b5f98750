import { createPublicKey, type KeyObject, verify } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { at } from "../../src/at.ts"
import type { Resource as SourceResource } from "../../src/source/records/SourceRecord.ts"
import { portOf } from "../portOf.ts"
import { present } from "../present.ts"

export type Resource = Readonly<Record<string, unknown>> & {
  readonly resourceType: string
  readonly id: string
  readonly meta?: { readonly lastUpdated?: string; readonly versionId?: string }
}

/** A record as the server stores it. Without `meta` it is the first version. */
export const stored = (record: SourceResource, meta = firstVersion): Resource => ({
  ...record,
  id: present(record.id),
  meta
})

const firstVersion = { versionId: "1", lastUpdated: "2026-11-01T08:00:00Z" }

const day = 86_400_000

/** The time at which a server starts: noon of yesterday. After a week, a fetch requests everything again. */
export const serverStart = Math.floor(Date.now() / day) * day - day / 2

/** When a record was changed, in milliseconds. */
export const changedAt = ({ meta }: Resource): number => Date.parse(present(meta?.lastUpdated))

/** What goes wrong, and what the server is like. */
export interface ServerOptions {
  /** Statuses of `status` before it is ready. */
  readonly polls?: number
  /** Files an export is cut into, for each type. */
  readonly filesPerType?: number
  /** Pages of the manifest. */
  readonly manifestPages?: number
  readonly requiresToken?: boolean
  readonly publicKey?: KeyObject
  /** Requests after which a token expires without notice. */
  readonly tokenUses?: number
  /** What its tokens begin with. */
  readonly tokenPrefix?: string
  /** Exports of changes hold everything. */
  readonly ignoresSince?: boolean
  /** Searches for records of some patients find those of all. */
  readonly ignoresPatient?: boolean
  /** The response to a request; `undefined`: the server's own. */
  readonly instead?: (
    request: { readonly url: URL; readonly count: number; readonly headers: IncomingMessage["headers"] }
  ) =>
    | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | Buffer
      /** The connection breaks off after the body. */
      readonly isCut?: boolean
    }
    | undefined
  /** The server acts on a request, and the connection breaks before its response. */
  readonly losesResponse?: (request: { readonly url: URL; readonly count: number }) => boolean
  /** Bulk exports are offered. */
  readonly bulk?: boolean
  /** `_lastUpdated` and `_sort` are understood. */
  readonly ordered?: boolean
  /** Called before each search page: records change in the meantime. */
  readonly onPage?: (records: Map<string, Resource>) => void
  readonly count?: (real: number) => number
  /** Changes a manifest. */
  readonly manifest?: (real: Manifest) => object
}

interface Manifest {
  readonly transactionTime: string
  readonly output: ReadonlyArray<{ readonly type: string; readonly url: string }>
}

export interface FhirServer {
  readonly url: string
  readonly records: Map<string, Resource>
  /** Records that were deleted, by reference, and when: exports of changes list them. */
  readonly gone: Map<string, string>
  /** Paths that were asked for, in order, without queries. */
  readonly log: Array<string>
  /** Headers of each request, in the same order. */
  readonly headers: Array<IncomingMessage["headers"]>
  /** Full addresses, in the same order. */
  readonly urls: Array<string>
  /** Files that were sent whole, by path. */
  readonly served: Array<string>
  /** Exports that were accepted. */
  readonly jobs: () => number
  now: number
  options: ServerOptions
  readonly close: () => Promise<void>
}

/** A FHIR server over HTTP with bulk exports, searches by pages of offsets, and SMART Backend Services; its records can be changed at any time. */
export const startFhirServer = (records: ReadonlyArray<Resource>, options: ServerOptions = {}): Promise<FhirServer> => {
  const held = new Map(records.map((record) => [`${record.resourceType}/${record.id}`, record]))
  const jobs: Array<
    {
      readonly types: ReadonlyArray<string>
      readonly snapshot: ReadonlyArray<Resource>
      readonly deleted: ReadonlyArray<Resource>
      readonly time: string
      polls: number
    }
  > = []
  const counts = new Map<string, number>()
  const assertions = new Set<string>()
  let tokens = 0
  let uses = 0
  const tokenNow = (): string => `${self.options.tokenPrefix ?? "t"}${tokens}`
  const isAuthorized = (request: IncomingMessage): boolean =>
    request.headers.authorization === `Bearer ${tokenNow()}` && ++uses <= (self.options.tokenUses ?? Infinity)
  const server = createServer((request, response) => {
    const url = new URL(present(request.url), self.url)
    const count = (counts.get(url.pathname) ?? 0) + 1
    counts.set(url.pathname, count)
    self.log.push(url.pathname)
    self.urls.push(url.href)
    self.headers.push(request.headers)
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (self.options.losesResponse?.({ url, count }) === true) {
        response.end = () => {
          request.socket.destroy()
          return response
        }
      }
      const other = self.options.instead?.({ url, count, headers: request.headers })
      if (other !== undefined) {
        response.writeHead(other.status, { date: new Date(self.now).toUTCString(), ...other.headers })
        if (other.isCut === true) response.write(other.body ?? "", () => request.socket.destroy())
        else response.end(other.body ?? "")
      } else answer(request, response, url, Buffer.concat(chunks).toString("utf8"))
    })
  })
  const send = (
    response: ServerResponse,
    status: number,
    body: unknown,
    headers: Readonly<Record<string, string>> = {}
  ) =>
    response.writeHead(status, {
      "content-type": "application/fhir+json",
      date: new Date(self.now).toUTCString(),
      ...headers
    }).end(typeof body === "string" ? body : JSON.stringify(body))
  const ofType = (type: string): ReadonlyArray<Resource> =>
    [...held.values()].filter(({ resourceType }) => resourceType === type)

  const answer = (request: IncomingMessage, response: ServerResponse, url: URL, body: string): void => {
    const path = url.pathname.slice("/fhir".length)
    if (url.pathname === "/token") return token(response, new URLSearchParams(body))
    if (path === "/.well-known/smart-configuration") {
      return void send(response, 200, { token_endpoint: `${origin()}/token` })
    }
    if (path === "/metadata") return void send(response, 200, capability())
    if (url.pathname.startsWith("/files/")) {
      const needs = self.options.requiresToken === true
      if (needs && !isAuthorized(request)) return void send(response, 401, {})
      return file(request, response, url)
    }
    if (self.options.publicKey !== undefined && !isAuthorized(request)) {
      return void send(response, 401, {})
    }
    if (path.endsWith("/$export")) return kickOff(response, url)
    const job = /^\/status\/(\d+)$/u.exec(path)
    if (job !== null) {
      if (request.method === "DELETE") return void send(response, 202, "")
      return status(response, Number(job[1]), Number(url.searchParams.get("page") ?? "0"))
    }
    const [, type = "", id] = path.split("/")
    if (id !== undefined) {
      const found = held.get(`${type}/${id}`)
      return void send(response, found === undefined ? 404 : 200, found ?? {})
    }
    search(response, url, type)
  }

  const token = (response: ServerResponse, form: URLSearchParams): void => {
    const [head = "", payload = "", signature = ""] = (form.get("client_assertion") ?? "").split(".")
    const { alg } = JSON.parse(Buffer.from(head, "base64url").toString())
    const key = present(self.options.publicKey)
    const good = verify(
      "sha384",
      Buffer.from(`${head}.${payload}`),
      alg === "ES384" ? { key, dsaEncoding: "ieee-p1363" } : key,
      Buffer.from(signature, "base64url")
    )
    // An assertion is accepted once.
    const { jti } = JSON.parse(Buffer.from(payload, "base64url").toString())
    if (!good || assertions.has(jti)) return void send(response, 400, { error: "invalid_client" })
    assertions.add(jti)
    tokens++
    uses = 0
    send(response, 200, { access_token: tokenNow(), token_type: "bearer", expires_in: 300 })
  }

  const capability = () => ({
    resourceType: "CapabilityStatement",
    fhirVersion: "4.0.1",
    software: { name: "test server", version: "1" },
    rest: [{
      resource: [...new Set([...held.values()].map(({ resourceType }) => resourceType))].map((type) => ({ type }))
    }]
  })

  const kickOff = (response: ServerResponse, url: URL): void => {
    if (self.options.bulk === false) return void send(response, 404, {})
    const since = self.options.ignoresSince === true ? null : url.searchParams.get("_since")
    const types = present(url.searchParams.get("_type")).split(",")
    const snapshot = types.flatMap(ofType).filter(({ meta }) =>
      since === null || Date.parse(meta?.lastUpdated ?? "1970-01-01") >= Date.parse(since)
    )
    const deleted = since === null ? [] : [...self.gone].filter(([, at]) => Date.parse(at) >= Date.parse(since)).map((
      [url, at]
    ) => ({
      resourceType: "Bundle",
      id: "deleted",
      type: "transaction",
      entry: [{ request: { method: "DELETE", url }, response: { status: "204", lastModified: at } }]
    }))
    jobs.push({ types, snapshot, deleted, time: new Date(self.now).toISOString(), polls: self.options.polls ?? 0 })
    send(response, 202, "", { "content-location": `${self.url}/status/${jobs.length - 1}` })
  }

  const filesOf = (id: number) => {
    const { snapshot, types } = at(jobs, id)
    const parts = self.options.filesPerType ?? 1
    return types.flatMap((type) => {
      const all = snapshot.filter(({ resourceType }) => resourceType === type)
      if (all.length === 0) return []
      return Array.from({ length: parts }, (_, index) => ({
        type,
        lines: all.filter((_, at) => at % parts === index),
        url: `${origin()}/files/${id}/${type}/${index}`
      }))
    })
  }

  const status = (response: ServerResponse, id: number, page: number): void => {
    const job = at(jobs, id)
    if (job.polls-- > 0) return void send(response, 202, "", { "x-progress": "50%", "retry-after": "0" })
    const files = filesOf(id)
    const pages = self.options.manifestPages ?? 1
    const manifest = {
      transactionTime: job.time,
      request: `${self.url}/$export`,
      requiresAccessToken: self.options.requiresToken === true,
      output: files.filter((_, index) => index % pages === page).map(({ lines, type, url }) => ({
        type,
        url,
        count: self.options.count?.(lines.length) ?? lines.length
      })),
      deleted: job.deleted.length === 0 ? [] : [{ type: "Bundle", url: `${origin()}/files/${id}/deleted/0` }],
      error: [],
      ...(page + 1 < pages ? { link: [{ relation: "next", url: `${self.url}/status/${id}?page=${page + 1}` }] } : {})
    }
    send(response, 200, self.options.manifest?.(manifest) ?? manifest)
  }

  const file = (request: IncomingMessage, response: ServerResponse, url: URL): void => {
    const [, , id, type, index] = url.pathname.split("/")
    const lines = type === "deleted"
      ? at(jobs, Number(id)).deleted
      : at(filesOf(Number(id)).filter((one) => one.type === type), Number(index)).lines
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
    self.served.push(url.pathname)
    const gzip = request.headers["accept-encoding"]?.includes("gzip") === true
    response.writeHead(200, {
      "content-type": "application/fhir+ndjson",
      ...(gzip ? { "content-encoding": "gzip" } : {})
    }).end(gzip ? gzipSync(text) : text)
  }

  const search = (response: ServerResponse, url: URL, type: string): void => {
    const ordered = self.options.ordered !== false
    const since = ordered ? url.searchParams.get("_lastUpdated")?.slice(2) : undefined
    const ids = url.searchParams.get("_id")?.split(",")
    const patients = self.options.ignoresPatient === true ? undefined : url.searchParams.get("patient")?.split(",")
    self.options.onPage?.(held)
    let found = ofType(type).filter((record) =>
      (since === undefined || changedAt(record) >= Date.parse(since)) &&
      (ids === undefined || ids.includes(record.id)) &&
      (patients === undefined || patients.some((id) => JSON.stringify(record).includes(`"Patient/${id}"`)))
    )
    if (ordered && url.searchParams.get("_sort") === "_lastUpdated") {
      found = found.toSorted((one, other) => changedAt(one) - changedAt(other))
    }
    if (url.searchParams.get("_summary") === "count") {
      return void send(response, 200, { resourceType: "Bundle", type: "searchset", total: found.length })
    }
    const size = Number(url.searchParams.get("_count") ?? "10")
    const offset = Number(url.searchParams.get("offset") ?? "0")
    const next = new URL(url)
    next.searchParams.set("offset", String(offset + size))
    send(response, 200, {
      resourceType: "Bundle",
      type: "searchset",
      entry: found.slice(offset, offset + size).map((resource) => ({ resource })),
      link: [
        { relation: "self", url: url.href },
        ...(offset + size < found.length ? [{ relation: "next", url: next.href }] : [])
      ]
    })
  }

  const self: FhirServer = {
    url: "",
    records: held,
    gone: new Map(),
    log: [],
    headers: [],
    urls: [],
    served: [],
    jobs: () => jobs.length,
    now: serverStart,
    options,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
  const origin = () => new URL(self.url).origin
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      Object.assign(self, { url: `http://127.0.0.1:${portOf(server)}/fhir` })
      resolve(self)
    })
  })
}

/** The public half of a private key. */
export const publicHalf = (key: KeyObject): KeyObject => createPublicKey(key)
