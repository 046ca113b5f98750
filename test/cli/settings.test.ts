import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { present } from "../present.ts"
import { type Arrived, type Say, scripted, token } from "../service/scripted.ts"
import { visitCode } from "../visitCodes.ts"
import { typed } from "./sandboxUser.ts"
import { visitJson } from "./visitFiles.ts"

/** Submits one visit to a scripted service with these lines in `facility.yaml`, and again with `later`. */
const submitted = (lines: string, say: (request: Arrived, nth: number) => Say, later = lines) =>
  Effect.gen(function*() {
    const { arrived, url } = yield* scripted((request, nth) =>
      request.path === "/oauth/token" ? token(nth) : say(request, nth)
    )
    const folder = mkdtempSync(join(tmpdir(), "settings-"))
    const file = (name: string) => join(folder, name)
    const settings = (lines: string) =>
      writeFileSync(
        file("facility.yaml"),
        `facility: HF0001\nsystem: SYS\ntimezone: Asia/Phnom_Penh\nservice: {baseUrl: "${url}", authUrl: "${url}"}\n${lines}\n`
      )
    settings(lines)
    writeFileSync(file("visits.ndjson"), `${visitJson(1)}\n`)
    const words = ["submit", file("visits.ndjson"), "--facility", folder, "--report", file("report.json")]
    const first = yield* typed(words)
    settings(later)
    const { code } = later === lines ? first : yield* typed(words)
    const { counts } = JSON.parse(readFileSync(file("report.json"), "utf8"))
    const sent = arrived.filter(({ method, path }) => method === "POST" && path !== "/oauth/token")
    return { code, counts, posts: sent.length, sent, journal: join(folder, ".fhir2visit", "HF0001.sqlite") }
  }).pipe(Effect.scoped)

const firstCode = visitCode(visitJson(1))
const stated = (status: number): Say => [200, {
  success: true,
  http_code: 200,
  message: "Save successfully",
  data: { status, uuld: "u", visit_code: firstCode }
}]
const isList = ({ path }: Arrived) => path.endsWith("/processed")
const nothing: Say = [200, { success: true, data: [] }]

describe("the service settings of facility.yaml apply to a run", () => {
  it.live("counts a status as stored if the facility sets it so", () =>
    Effect.gen(function*() {
      const { code, counts } = yield* submitted(
        "submit: {storedStatus: [2]}",
        (request) => isList(request) ? nothing : stated(2)
      )
      assert.strictEqual(code, 0)
      assert.strictEqual(counts.stored, 1)
    }))

  it.live("§4.6: resolves a lost response with a list that has its own keys and statuses", () =>
    Effect.gen(function*() {
      const { admitted_at, patient_code } = JSON.parse(visitJson(1))
      const { code, counts, posts } = yield* submitted(
        [
          "submit: {storedStatus: [processed]}",
          "processed: {fields: {visitCode: no, patientCode: who, admittedAt: in, status: state}}",
          "reconcile: {wait: 0s}",
          "retry: {delay: 100ms}"
        ].join("\n"),
        (request, nth) =>
          !isList(request)
            ? (response) => present(response.socket).destroy()
            : nth === 1
            ? nothing
            : [200, {
              success: true,
              data: [{ no: firstCode, who: patient_code, in: admitted_at, state: "processed" }]
            }]
      )
      assert.deepStrictEqual([code, counts.stored, posts], [0, 1, 1])
    }))

  it.live("gives each attempt a random id, in the header and in the journal", () =>
    Effect.gen(function*() {
      const { journal, sent } = yield* submitted(
        "submit: {requestIdHeader: X-Request-Id}\nreconcile: {wait: 0s}\nretry: {delay: 100ms}",
        (request, nth) =>
          isList(request) ? nothing : nth === 1 ? (response) => present(response.socket).destroy() : stated(1)
      )
      const ids = sent.map(({ headers }) => headers["x-request-id"])
      assert.strictEqual(new Set(ids).size, 2)
      for (const id of ids) assert.match(String(id), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/u)
      const database = new DatabaseSync(journal, { readOnly: true })
      const noted = database.prepare("SELECT detail FROM attempt WHERE event = 'Intended' ORDER BY id").all()
      database.close()
      assert.deepStrictEqual(noted.map(({ detail }) => String(detail)), ids.map(String))
    }))

  it.live("I5: resends a visit without a response with the same bytes, even if `submit:` has changed", () =>
    Effect.gen(function*() {
      const often = "reconcile: {wait: 0s}\nretry: {visits: 1, delay: 100ms}\n"
      const { code, sent } = yield* submitted(
        `${often}submit: {noReferral: nulls, tilte: on, optional: omit}`,
        (request, nth) =>
          isList(request) ? nothing : nth === 1 ? (response) => present(response.socket).destroy() : stated(1),
        often
      )
      const [first, second] = sent.map(({ body }) => body)
      assert.include(first, "\"tilte\":")
      assert.strictEqual(second, first)
      assert.strictEqual(code, 0)
    }))

  it.live("§7: limits the attempts for a visit, and the requests without a response before the run stops", () =>
    Effect.gen(function*() {
      const lost = (request: Arrived): Say =>
        isList(request) ? nothing : (response) => present(response.socket).destroy()
      const often = yield* submitted("retry: {visits: 5, delay: 100ms}\nreconcile: {wait: 0s}", lost)
      assert.deepStrictEqual([often.code, often.counts.unknown, often.posts], [3, 1, 5])
      const once = yield* submitted("retry: {visits: 5, delay: 100ms, stopAfter: 1}\nreconcile: {wait: 0s}", lost)
      assert.deepStrictEqual([once.code, once.counts.unknown, once.posts], [3, 1, 1])
    }))
})
