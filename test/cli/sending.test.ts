import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { at } from "../../src/at.ts"
import { jsonObjectsIn } from "../../src/json/JsonObject.ts"
import { type Arrived, type Say, scripted, token } from "../service/scripted.ts"
import { submittedCodes } from "../visitCodes.ts"
import { typed } from "./sandboxUser.ts"
import { facilityFolder, list, settingsFor, stored, visitJson } from "./visitFiles.ts"

const codeOf = ({ body }: Arrived): string => at(submittedCodes(body), 0)

const refused = (errors: string): Say => [
  422,
  { success: false, http_code: 422, message: "Invalid request data", errors, data: null }
]

/** A service over HTTP that does as `service` says, a facility that sends there, and its visits. */
const setting = (visits: number, confirmAfter = "7d") =>
  Effect.gen(function*() {
    const service = {
      submission: (code: string): Say => stored(code),
      list: (): Say => list([])
    }
    const { arrived, url } = yield* scripted((request) =>
      request.path === "/oauth/token"
        ? token(1)
        : request.method === "POST"
        ? service.submission(codeOf(request))
        : service.list()
    )
    const { file, folder } = facilityFolder(
      visits,
      settingsFor(url, "retry: {delay: 100ms, reads: 0}", `reconcile: {wait: 0s, confirmAfter: ${confirmAfter}}`)
    )
    const type = (command: string, ...more: ReadonlyArray<string>) => typed([command, ...more, "--facility", folder])
    const states = Effect.map(
      type("status", "--format", "json"),
      ({ stdout }) => jsonObjectsIn(JSON.parse(stdout).visits).map(({ code, state }) => `${code} ${state}`).toSorted()
    )
    const posts = () => arrived.filter(({ method, path }) => method === "POST" && path !== "/oauth/token").length
    return { service, folder, file, type, states, posts, submit: type("submit", file), url }
  })

describe("release applies to all selected visits or to none", () => {
  it.live("selects by state, field and problem, and the next run sends what it selected", () =>
    Effect.gen(function*() {
      const { posts, service, states, submit, type } = yield* setting(4)
      service.submission = (code) =>
        code === "V000001" || code === "V000002"
          ? refused("The visits.0.patient_code field is invalid.")
          : code === "V000003"
          ? refused("The visits.0.visit_type field is required.")
          : stored(code)
      assert.strictEqual((yield* submit).code, 1)
      assert.deepStrictEqual(yield* states, ["V000001 REFUSED", "V000002 REFUSED", "V000003 REFUSED"])

      const none = yield* type("release", "V000001", "V000004")
      assert.deepStrictEqual([none.code, none.stdout], [2, ""])
      assert.include(none.stderr, "`V000004` is STORED")
      assert.include(none.stderr, "because this cannot be done for all")
      const other = yield* type("release", "V000001", "V000003", "--field", "patient_code")
      assert.strictEqual(other.code, 2)
      assert.include(other.stderr, "`V000003`")

      const before = posts()
      const byCode = yield* type("release", "--code", "in-doubt")
      assert.include(byCode.stderr, "no visit")
      assert.strictEqual(byCode.code, 0)
      const byField = yield* type("release", "--state", "REFUSED", "--field", "patient_code", "--code", "field-refused")
      assert.strictEqual(byField.code, 0, byField.stderr)
      assert.include(byField.stderr, "released 2 visits")
      service.submission = stored
      assert.strictEqual((yield* submit).code, 1)
      assert.strictEqual(posts() - before, 2)
      assert.deepStrictEqual(yield* states, ["V000003 REFUSED"])
      assert.include((yield* type("release", "--state", "REFUSED")).stderr, "released 1 visit;")
      const last = yield* submit
      assert.strictEqual(last.code, 0, last.stderr)
    }).pipe(Effect.scoped))

  it.live("selects by a problem code", () =>
    Effect.gen(function*() {
      const { service, submit, type } = yield* setting(2)
      service.submission = () => refused("The period is closed.")
      assert.strictEqual((yield* submit).code, 1)
      assert.include((yield* type("release", "--code", "field-refused")).stderr, "no visit")
      assert.include((yield* type("release", "--code", "refused-other")).stderr, "released 2 visits;")
    }).pipe(Effect.scoped))

  it.live("suggests registration and release if the service does not know the patient", () =>
    Effect.gen(function*() {
      const { service, submit } = yield* setting(1)
      service.submission = () => refused("The visits.0.patient_code field is invalid.")
      const { stderr } = yield* submit
      assert.include(stderr, "register the patient with the operator's system first")
      assert.match(stderr, /`fhir2visit release --facility \S+ VISIT`/u)
    }).pipe(Effect.scoped))
})

describe("status --remote", () => {
  for (const status of [404, 403, 500]) {
    it.live(`reports that the list answered ${status}, and exits with 1`, () =>
      Effect.gen(function*() {
        const { service, states, submit, type } = yield* setting(1)
        service.submission = (code) => [
          422,
          {
            success: false,
            http_code: 422,
            message: `Submit is blocked: Visit Code ${code} has already been submitted.`,
            data: null
          }
        ]
        service.list = () => [status, { success: false, message: "no list", errors: "not for this role", data: null }]
        const run = yield* submit
        assert.strictEqual(run.code, 1, run.stderr)
        assert.include(run.stderr, `status ${status}`)
        assert.deepStrictEqual(yield* states, ["V000001 DOUBT"])
        const remote = yield* type("status", "--remote")
        assert.strictEqual(remote.code, 1, remote.stderr)
        assert.include(remote.stdout + remote.stderr, String(status))
        service.list = () => list([])
        assert.strictEqual((yield* type("release", "--accept", "V000001")).code, 0)
        assert.deepStrictEqual(yield* states, ["V000001 STORED"])
        assert.strictEqual((yield* submit).code, 0)
      }).pipe(Effect.scoped))
  }

  it.live("shows why a list with status 200 or a redirect could not be read", () =>
    Effect.gen(function*() {
      const { service, submit, type } = yield* setting(1)
      assert.strictEqual((yield* submit).code, 0)
      const cases: ReadonlyArray<readonly [Say, string]> = [
        [[200, "<html>Sign in</html>"], "status 200: the response is not JSON"],
        [[200, { success: false, message: "no list" }], "status 200: the response has no list"],
        [[302, "", { location: "/login" }], "status 302: the response is a redirect, which is not followed"]
      ]
      for (const [answer, why] of cases) {
        service.list = () => answer
        const { code, stdout } = yield* type("status", "--remote")
        assert.strictEqual(code, 1)
        assert.include(stdout, `no list could be read for 1: the service responded with ${why}`)
      }
    }).pipe(Effect.scoped))

  it.live(
    "reports a stored visit that is not in the list, in every run until it is resolved",
    () =>
      Effect.gen(function*() {
        const { folder, posts, service, submit, type } = yield* setting(1, "0s")
        assert.strictEqual((yield* submit).code, 0)
        const empty = join(folder, "other.ndjson")
        writeFileSync(empty, visitJson(2))
        for (const command of [type("status", "--remote"), submit, type("submit", empty), submit]) {
          const { code, stderr, stdout } = yield* command
          assert.strictEqual(code, 1, stdout + stderr)
          assert.match(stdout + stderr, /V000001/u)
        }
        const row = {
          visit_code: "V000001",
          patient_code: "P00000100",
          admitted_at: "2026-03-01T08:00:00.000+07:00",
          status: 1
        }
        service.list = () => list([row, { ...row, visit_code: "V000002", patient_code: "P00000200" }])
        const settled = yield* submit
        assert.strictEqual(settled.code, 0, settled.stderr)
        service.list = () => list([])
        assert.strictEqual((yield* type("status", "--remote")).code, 1)
        const released = yield* type("release", "--resend")
        assert.strictEqual(released.code, 0, released.stderr)
        const before = posts()
        assert.strictEqual((yield* submit).code, 0)
        assert.strictEqual(posts(), before + 1)
      }).pipe(Effect.scoped)
  )
})

describe("a 413 that is not from the service", () => {
  it.live("is retried by some runs, and then left to the operator without a verdict", () =>
    Effect.gen(function*() {
      const { posts, service, states, submit, type } = yield* setting(2)
      service.submission = (code) => code === "V000001" ? [413, "<html>too large</html>"] : stored(code)
      for (let run = 1; run < 5; run++) {
        assert.strictEqual((yield* submit).code, 3)
        assert.deepStrictEqual(yield* states, ["V000001 UNKNOWN"])
      }
      const last = yield* submit
      assert.strictEqual(last.code, 1, last.stderr)
      assert.include(last.stderr, "status 413")
      assert.include(last.stderr, " --resend`")
      assert.notInclude(last.stderr, "has this visit code")
      assert.deepStrictEqual(yield* states, ["V000001 DOUBT"])
      const before = posts()
      assert.strictEqual((yield* submit).code, 1)
      assert.strictEqual(posts(), before)
      assert.strictEqual((yield* type("release", "--resend")).code, 0)
      assert.strictEqual((yield* submit).code, 3)
      assert.deepStrictEqual(yield* states, ["V000001 UNKNOWN"])
      service.submission = stored
      const taken = yield* submit
      assert.strictEqual(taken.code, 0, taken.stderr)
    }).pipe(Effect.scoped))

  it.live("for a batch is no verdict on its visits: they are sent one by one", () =>
    Effect.gen(function*() {
      const { arrived, url } = yield* scripted((request) => {
        if (request.path === "/oauth/token") return token(1)
        if (request.method !== "POST") return list([])
        const codes = submittedCodes(request.body)
        return codes.length > 1 ? [413, "<html>too large</html>"] : stored(at(codes, 0))
      })
      const { file, folder } = yield* setting(4)
      const yaml = readFileSync(join(folder, "facility.yaml"), "utf8")
      writeFileSync(join(folder, "facility.yaml"), yaml.replaceAll(/http:[^"]*/gu, url))
      const { code, stderr } = yield* typed(["submit", file, "--batch", "4", "--facility", folder])
      assert.strictEqual(code, 0, stderr)
      assert.isAbove(arrived.filter(({ method }) => method === "POST").length, 4)
    }).pipe(Effect.scoped))
})

describe("codes pull stores only complete lists", () => {
  const items = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ code: `A${at}`, name: `Name ${at}`, description: "" }))

  /** A service with 250 diagnoses whose habits are `page`'s; its other lists have three items. */
  const pulled = (page: (nth: number, perPage: number, request: number) => Say) =>
    Effect.gen(function*() {
      let requests = 0
      const { url } = yield* scripted(({ query }) =>
        query.get("type") === "diagnoses"
          ? page(Number(query.get("page") ?? 1), Number(query.get("per_page") ?? 100), ++requests)
          : list(items(3))
      )
      const { folder } = facilityFolder(0, settingsFor(url, "retry: {reads: 0}"))
      const seen = yield* typed(["codes", "pull", "--facility", folder])
      const cache = join(folder, ".fhir2visit/standard-data", new URL(url).host.replace(":", "_"))
      const kept = readdirSync(cache).includes("diagnoses.json")
        ? JSON.parse(readFileSync(join(cache, "diagnoses.json"), "utf8")).count
        : null
      return { ...seen, kept, requests, files: readdirSync(cache).length }
    })
  const pageOf = (all: ReadonlyArray<object>, nth: number, perPage: number, more: object = {}): Say =>
    list(all.slice((nth - 1) * perPage, nth * perPage), {
      current_page: nth,
      per_page: perPage,
      last_page: Math.ceil(all.length / perPage),
      total: all.length,
      ...more
    })

  it.live("reads a list again if its pages shift", () =>
    Effect.gen(function*() {
      const { code, kept, stderr } = yield* pulled((nth, perPage, request) =>
        pageOf(request === 1 ? items(1250) : items(1250).slice(2), nth, perPage)
      )
      assert.strictEqual(code, 0, stderr)
      assert.strictEqual(kept, 1248)
    }).pipe(Effect.scoped))

  it.live(
    "stores neither a list that always shifts nor one that is shorter than its `total`",
    () =>
      Effect.gen(function*() {
        const shifting = yield* pulled((nth, perPage, request) =>
          pageOf(items(1250 + request * 7).slice(request * 5), nth, perPage)
        )
        const short = yield* pulled((nth, perPage) => pageOf(items(1250), nth, perPage, { total: 1400 }))
        for (const { code, files, kept, stderr } of [shifting, short]) {
          assert.strictEqual(code, 3)
          assert.isNull(kept)
          assert.strictEqual(files, 11)
          assert.include(stderr, "diagnoses")
        }
      }).pipe(Effect.scoped)
  )

  it.live("requests smaller pages if the service refuses ours", () =>
    Effect.gen(function*() {
      const { code, kept, stderr } = yield* pulled((nth, perPage) =>
        perPage > 60
          ? [422, { success: false, http_code: 422, message: "The per_page must not be greater than 60.", data: null }]
          : pageOf(items(250), nth, perPage)
      )
      assert.strictEqual(code, 0, stderr)
      assert.strictEqual(kept, 250)
    }).pipe(Effect.scoped))
})
