import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { at } from "../../src/at.ts"
import { assertGolden } from "../golden.ts"
import { portOf } from "../portOf.ts"
import { good, key } from "../service/certificates.ts"
import { type Arrived, type Say, scripted, token } from "../service/scripted.ts"
import { FastClock } from "../submission/FastClock.ts"
import { submittedCodes } from "../visitCodes.ts"
import { typed } from "./sandboxUser.ts"
import { list, spoiled, stored, visitJson } from "./visitFiles.ts"

/** What one situation is made of. */
interface Situation {
  /** What the service does, in the golden's words. */
  readonly when: string
  /** The response to the nth submission. */
  readonly submission?: (code: string, nth: number) => Say
  readonly list?: (nth: number) => Say
  readonly token?: (nth: number) => Say
  /** Visits of the input (default: 1). */
  readonly visits?: number
  /** Commands before the one that is judged. */
  readonly before?: ReadonlyArray<ReadonlyArray<string>>
  /** The input of the judged command, where it is another. */
  readonly corrected?: string
  readonly command?: ReadonlyArray<string>
  /** Lines of `facility.yaml`. */
  readonly settings?: ReadonlyArray<string>
  /** Another address than the service's. */
  readonly address?: (url: string) => string
  /** The only version of TLS that the service accepts. */
  readonly tls?: "TLSv1.1"
  /** The state folder exists and cannot be written. */
  readonly isReadOnly?: boolean
  /** How many times as fast the clock runs, where the wait is long (default: 1). */
  readonly speed?: number
}

const envelope = (status: number, message: string, errors?: string): Say => [
  status,
  { success: false, http_code: status, message, ...(errors === undefined ? { data: null } : { errors }) }
]
const invalid = (errors: string): Say => envelope(422, "Invalid request data", errors)
const denied = (errors: string) => () => envelope(403, "Access denied", errors)
const reset: Say = (response) => void response.socket?.resetAndDestroy()
const page = (status: number): Say => [status, "<html>proxy</html>", { "content-type": "text/html" }]
const half = (status: number): Say => [status, "{\"success\": false, \"http_code\": 4"]
const row = (number: number) => ({
  visit_code: `V00000${number}`,
  patient_code: `P00000${number}00`,
  admitted_at: "2026-03-01T08:00:00.000+07:00",
  status: 1
})
const busy: Say = [429, "", { "retry-after": "90000" }]

const situations: ReadonlyArray<Situation> = [
  { when: "403: the facility", submission: denied("You may not create visits for this facility") },
  { when: "403: the system code", submission: denied("System code does not match") },
  { when: "403: the role", submission: denied("The role of this user is insufficient") },
  { when: "the port speaks plain http", address: (url) => url.replace("http:", "https:") },
  { when: "the port speaks an old version of TLS", tls: "TLSv1.1" },
  {
    when: "422 with a firewall's page, and no visit in the list",
    submission: () => page(422)
  },
  {
    when: "422 with half a body, and the visit in the list",
    submission: () => half(422),
    list: (nth) => list(nth === 1 ? [] : [row(1)])
  },
  { when: "413 with a proxy's page", submission: () => page(413) },
  {
    when: "resets, pages with 502, and pages with 200, and no visit in the list",
    visits: 8,
    submission: (_, nth) => at([reset, page(502), page(200)], nth % 3)
  },
  {
    when: "only resets, and a list with status 500",
    visits: 8,
    submission: () => reset,
    list: () => envelope(500, "Internal server error")
  },
  { when: "a redirect", visits: 3, submission: () => [302, "", { location: "https://other.example" }] },
  {
    when: "our own request limit is reached",
    visits: 3,
    speed: 300,
    settings: ["limits: {requestsPerHour: 3, reserve: 0}"]
  },
  { when: "429 with a wait of 25 hours", submission: () => busy },
  {
    when: "a dry run during that wait",
    submission: () => busy,
    before: [["submit"]],
    command: ["submit", "--dry-run"]
  },
  {
    when: "429 with a wait of 20 minutes, and -q",
    submission: (code, nth) => nth === 1 ? [429, "", { "retry-after": "1200" }] : stored(code),
    speed: 300,
    command: ["submit", "-q"]
  },
  {
    when: "422 for a field at three indexes",
    visits: 3,
    submission: (_, nth) => invalid(`The visits.0.diagnosis.${nth}.diagnosis_code field is required.`)
  },
  { when: "20 equal refusals", visits: 25, submission: () => invalid("The visits.0.visit_type field is required.") },
  { when: "422 for an unknown patient", submission: () => invalid("The visits.0.patient_code field is invalid.") },
  {
    when: "422: the visit code was submitted, and the list has status 404",
    submission: (code) => envelope(422, `Submit is blocked: Visit Code ${code} has already been submitted.`),
    list: () => envelope(404, "Not found")
  },
  {
    when: "the same, and then `status --remote`",
    submission: (code) => envelope(422, `Submit is blocked: Visit Code ${code} has already been submitted.`),
    list: () => envelope(403, "Access denied", "No list for this role"),
    before: [["submit"]],
    command: ["status", "--remote"]
  },
  {
    when: "a lost response, then a correction, and the first version in the list",
    submission: () => reset,
    list: (nth) => nth < 5 ? envelope(500, "Internal server error") : list([row(1)]),
    before: [["submit"]],
    corrected: spoiled(1, "\"occupation\":\"Farmer\"", "\"occupation\":\"Teacher\"")
  },
  {
    when: "a stored visit that the list no longer shows",
    settings: ["reconcile: {wait: 0s, confirmAfter: 0s}"],
    before: [["submit"]]
  },
  {
    when: "401 to every token that was issued",
    submission: () => envelope(401, "Unauthenticated", "Invalid or expired token"),
    speed: 20
  },
  {
    when: "400: the credentials are wrong",
    token: () => [400, { error: "invalid_grant", error_description: "Invalid user" }]
  },
  {
    when: "status 3: partly stored",
    submission: (code) => [200, { success: true, data: { status: 3, uuld: "u", visit_code: code } }]
  },
  {
    when: "500 with the envelope, and no visit in the list",
    submission: () => envelope(500, "Internal server error", "An unexpected error occurred")
  },
  {
    when: "no response at all",
    submission: () => () => {},
    speed: 100,
    settings: ["retry: {deadline: 25s, delay: 1s, reads: 0}"]
  },
  {
    when: "half a response that never ends, and -q",
    submission: () => (response) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.write("{")
    },
    speed: 200,
    settings: ["retry: {deadline: 65s, delay: 1s, reads: 0}"],
    command: ["submit", "-q"]
  },
  { when: "the state folder is read-only", isReadOnly: true },
  { when: "the state folder has become read-only", before: [["submit"]], isReadOnly: true },
  {
    when: "422 with a firewall's page, and a list that lacks rows",
    submission: () => page(422),
    list: () => [
      200,
      { success: true, data: { current_page: 1, per_page: 100, last_page: 1, total: 3, data: [row(2)] } }
    ]
  },
  {
    when: "403 with a firewall's page, for one visit of two",
    visits: 2,
    submission: (code, nth) => nth > 1 && code.endsWith("2") ? stored(code) : page(403)
  },
  { when: "status then", before: [["submit"]], isReadOnly: true, command: ["status"] },
  {
    when: "our own request limit is reached, and then `status --remote`",
    settings: ["limits: {requestsPerHour: 2, reserve: 0}"],
    before: [["submit"]],
    command: ["status", "--remote"]
  },
  { when: "404 at the address", submission: () => page(404) },
  {
    when: "a visit code that was sent for another patient and day",
    before: [["submit"]],
    corrected: visitJson(2).replaceAll("V000002", "V000001").replaceAll("2026-03", "2025-03")
  }
]

/** A facility that sends to `url`, and a way to type its commands. */
const facilityAt = (folder: string, url: string, { settings = [], visits = 1 }: Situation) => {
  const file = join(folder, "visits.ndjson")
  writeFileSync(file, Array.from({ length: visits }, (_, at) => visitJson(at + 1)).join("\n"))
  const lines = [
    "facility: HF0001",
    "system: SYS-1",
    "timezone: Asia/Phnom_Penh",
    `service: {baseUrl: "${url}", authUrl: "${url}"}`,
    ...["retry: {delay: 100ms, reads: 0, deadline: 10m}", "reconcile: {wait: 0s}"].filter((line) =>
      !settings.some((own) => own.startsWith(line.slice(0, 6)))
    ),
    ...settings
  ]
  writeFileSync(join(folder, "facility.yaml"), lines.join("\n"))
  const type = (words: ReadonlyArray<string>) =>
    typed([...words, ...(words[0] === "submit" ? [file] : []), "--facility", folder])
  return { file, type }
}

/** What a person reads, without what differs from run to run. */
const readable = (text: string, folder: string): string =>
  text.replaceAll(folder, "FOLDER").replaceAll(/127\.0\.0\.1:\d+/gu, "HOST")
    .replaceAll(/\d{4}-\d\d-\d\d( \d\d:\d\dZ)?/gu, (_, time) => time === undefined ? "DATE" : "TIME")
    .replaceAll(/in \d+ (seconds|minutes)/gu, "in N $1").split("\n").map((line) => `    ${line}`.trimEnd()).join("\n")
    .replace(/\n +null in \d+ fields?[^\n]*(?:\n +\d+ ×[^\n]*)*/u, "").replaceAll(/\n(?:\s*\n)+/gu, "\n\n").trimEnd()

/** A fast clock makes a busy machine look like a silent service. */
const silence = /^the service has not responded.*\n+/gmu

/** How often a silent request is reported depends on the machine too. */
const withOneReport = (text: string): string =>
  text.replaceAll(/(the service has not responded[^\n]*\n)(?:\s*\1)+/gu, "$1")

/** The address of a server that accepts one version of TLS. */
const secured = (version: "TLSv1.1") =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer({
          key,
          cert: good,
          minVersion: version,
          maxVersion: version,
          ciphers: "DEFAULT@SECLEVEL=0"
        })
        server.on("tlsClientError", () => {})
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    ),
    (server) => `https://127.0.0.1:${portOf(server)}`
  )

/** Runs a command that may not write the state folder. The superuser may write everything, so it becomes user `nobody`. english-ok */
const withoutRights = <A, E, R>(folder: string, command: Effect.Effect<A, E, R>) => {
  const state = join(folder, ".fhir2visit")
  const isSuperuser = process.geteuid?.() === 0
  return Effect.acquireUseRelease(
    Effect.sync(() => {
      mkdirSync(state, { recursive: true })
      for (const file of readdirSync(state)) chmodSync(join(state, file), 0o444)
      chmodSync(state, 0o555)
      chmodSync(folder, 0o755)
      chmodSync(dirname(folder), 0o755)
      if (isSuperuser) process.seteuid?.(65_534)
    }),
    () => command,
    () =>
      Effect.sync(() => {
        if (isSuperuser) process.seteuid?.(0)
        chmodSync(state, 0o755)
      })
  )
}

const played = (situation: Situation) =>
  Effect.gen(function*() {
    const counts = new Map<string, number>()
    const { url } = yield* scripted(({ body, method, path }: Arrived): Say => {
      const kind = path === "/oauth/token" ? "token" : method
      const nth = (counts.get(kind) ?? 0) + 1
      counts.set(kind, nth)
      if (kind === "token") return situation.token?.(nth) ?? token(nth)
      if (kind === "GET") return situation.list?.(nth) ?? list([])
      const code = at(submittedCodes(body), 0)
      return situation.submission?.(code, nth) ?? stored(code)
    })
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "messages-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    const address = situation.tls === undefined ? situation.address?.(url) ?? url : yield* secured(situation.tls)
    const { file, type } = facilityAt(folder, address, situation)
    for (const words of situation.before ?? []) yield* type(words)
    if (situation.corrected !== undefined) writeFileSync(file, situation.corrected)
    const command = situation.command ?? ["submit"]
    const { code, stderr, stdout } = yield* situation.isReadOnly === true
      ? withoutRights(folder, type(command))
      : type(command)
    assert.notMatch(stdout + stderr, /access-\d|refresh-\d|Sopheak/u)
    return [
      `## ${situation.when}`,
      "",
      `\`${command.join(" ")}\` exits with ${code}:`,
      "",
      readable(
        situation.speed === 300 ? (stdout + stderr).replaceAll(silence, "") : withOneReport(stdout + stderr),
        folder
      )
    ].join("\n")
  }).pipe(
    Effect.scoped,
    Effect.provideService(Clock.Clock, new FastClock(situation.speed ?? 1, Date.parse("2026-04-01T00:00:00Z")))
  )

describe("messages of a run", () => {
  for (const [index, situation] of situations.entries()) {
    it.live(`${situation.when}`, () =>
      Effect.map(played(situation), (text) => {
        const name = situation.when.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-").replaceAll(/^-|-$/gu, "")
        assertGolden(join(import.meta.dirname, "messages", `${String(index + 1).padStart(2, "0")}-${name}.md`), text)
      }))
  }
})
