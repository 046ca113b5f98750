import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Clock, ConfigProvider, Effect, Layer } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { at } from "../../src/at.ts"
import type { Facility } from "../../src/facility/Facility.ts"
import { readFacility } from "../../src/facility/readFacility.ts"
import { readOperatorConfig } from "../../src/facility/settings/readOperatorConfig.ts"
import { Operator } from "../../src/service/Operator.ts"
import { present } from "../present.ts"
import { RecordingClock } from "../RecordingClock.ts"
import { type Arrived, type Say, scripted, token } from "../service/scripted.ts"

const secrets = {
  FHIR2VISIT_USERNAME: "user",
  FHIR2VISIT_PASSWORD: "Meadow7",
  FHIR2VISIT_CLIENT_ID: "client",
  FHIR2VISIT_CLIENT_SECRET: "Meadow8"
}

const read = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(
    effect,
    Layer.mergeAll(NodeFileSystem.layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord(secrets)))
  )

/** A facility with these lines in `facility.yaml`, a scripted service, and the client for it. */
const speaking = <A, E>(
  lines: string,
  say: (request: Arrived, nth: number) => Say,
  body: (
    operator: Operator["Service"],
    service: { readonly arrived: ReadonlyArray<Arrived>; readonly facility: Facility }
  ) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const { arrived, url } = yield* scripted((request, nth) =>
      request.path === "/oauth/token" ? token(nth) : say(request, nth)
    )
    const file = join(mkdtempSync(join(tmpdir(), "service-")), "facility.yaml")
    writeFileSync(
      file,
      `facility: F1\nsystem: SYS\ntimezone: Asia/Phnom_Penh\nservice: {baseUrl: "${url}", authUrl: "${url}"}\n${lines}\n`
    )
    const facility = yield* read(readFacility(file))
    const config = yield* read(readOperatorConfig(facility))
    return yield* Effect.gen(function*() {
      return yield* body(yield* Operator, { arrived, facility })
    }).pipe(Effect.provide(Operator.layer(config), { local: true }))
  }).pipe(Effect.scoped)

const visit = "{\"code\":\"V1\"}"
const answered = (status: unknown): Say => [200, {
  success: true,
  http_code: 200,
  message: "Save successfully",
  data: { status, uuld: "u", visit_code: "V1" }
}]
const refused = (message: string): Say => [422, { success: false, http_code: 422, message, data: null }]

describe("retries", () => {
  it.live(
    "§7: retries a failed read as often as set, with waits up to the maximum",
    () =>
      speaking(
        "retry: {reads: 6, delay: 400ms, longest: 1s}",
        (_, nth) => nth <= 6 ? [500, "{}"] : [200, { success: true, data: [] }],
        (operator, { arrived }) =>
          Effect.gen(function*() {
            const clock = new RecordingClock()
            const requested = operator.standardData("diagnoses").pipe(Effect.provideService(Clock.Clock, clock))
            assert.deepStrictEqual(yield* requested, [])
            assert.strictEqual(arrived.length, 7)
            // each up to a fifth shorter or longer
            const planned = [100, 200, 400, 800, 1000, 1000]
            assert.strictEqual(clock.waits.length, planned.length)
            for (const [retry, wait] of clock.waits.entries()) assert.closeTo(wait / at(planned, retry), 1, 0.201)
          })
      )
  )
})

describe("the share of requests for lists", () => {
  it.live("§8: uploads cannot read the list after their share is used up; interactive lookups can", () =>
    speaking(
      "limits: {requestsPerHour: 100}\nreconcile: {share: 20%}",
      ({ query }) => {
        const at = Number(query.get("page"))
        return at === 31 ? [200, { success: true, data: [] }] : [200, { success: true, data: [{ code: `V${at}` }] }]
      },
      (operator, { arrived }) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(operator.processed("2026-03-01", "2026-03-02"))
          assert.include(reason._tag === "UnexpectedResponse" ? reason.detail : "", "used up")
          assert.strictEqual(arrived.filter(({ path }) => path.endsWith("/processed")).length, 20)
          assert.strictEqual((yield* operator.processed("2026-03-01", "2026-03-02", "front")).length, 30)
        })
    ))
})

describe("how lists are requested and read", () => {
  const page = (items: ReadonlyArray<unknown>, current: number, last: number): Say => [200, {
    success: true,
    data: { data: items, current_page: current, last_page: last, total: last * items.length }
  }]

  it.live("§4.3: uses the configured page size and page parameter", () =>
    speaking(
      "reference: {perPage: 2, pageParam: page_no}",
      ({ query }) => {
        const at = Number(query.get("page_no") ?? 1)
        return page([{ code: `A${at}` }, { code: `B${at}` }], at, 3)
      },
      (operator, { arrived }) =>
        Effect.gen(function*() {
          const rows = yield* operator.standardData("diagnoses")
          assert.deepStrictEqual(rows.map(({ code }) => code), ["A1", "B1", "A2", "B2", "A3", "B3"])
          assert.isTrue(arrived.every(({ query }) => query.get("per_page") === "2" && !query.has("page")))
        })
    ))

  it.live("§4.3: requests only the configured one of the two documented paths", () =>
    Effect.forEach(
      [["", 2], ["reference: {path: auto}", 2], ["reference: {path: /api/v1}", 1]] as const,
      ([line, requested]) =>
        speaking(
          line,
          () => [404, "<html/>"],
          (operator, { arrived }) =>
            Effect.gen(function*() {
              const { reason } = yield* Effect.flip(operator.standardData("visit_types"))
              assert.strictEqual(reason._tag, "UnexpectedResponse")
              const paths = ["/api/v1/external/common/standard-data", "/v1/external/common/standard-data"]
              assert.deepStrictEqual(arrived.map(({ path }) => path), paths.slice(0, requested))
            })
        )
    ).pipe(Effect.andThen(speaking(
      "reference: {path: /v1}",
      ({ path }) => path.startsWith("/v1/") ? page([{ code: "OPD" }], 1, 1) : [404, "<html/>"],
      (operator, { arrived }) =>
        Effect.gen(function*() {
          assert.deepStrictEqual((yield* operator.standardData("visit_types")).map(({ code }) => code), ["OPD"])
          assert.strictEqual(arrived.length, 1)
        })
    ))))

  it.live("reports the page parameter instead of looping if the pages do not advance", () =>
    speaking(
      "reference: {pageParam: p}",
      () => page([{ code: "A1" }], 1, 40),
      (operator, { arrived }) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(operator.standardData("diagnoses"))
          const detail = reason._tag === "UnexpectedResponse" ? reason.detail : ""
          assert.include(detail, "page parameter `p`")
          assert.include(detail, "do not advance")
          assert.isAtMost(arrived.length, 3)
        })
    ))

  it.live("§4.6: reads a processed list with its own keys, and uses only a configured key", () =>
    speaking(
      [
        "processed:",
        "  perPage: 50",
        "  pageParam: p",
        "  sortBy: none",
        "  fields: {visitCode: record.no, patientCode: record.who, admittedAt: in, status: state, facility: site}"
      ].join("\n"),
      () =>
        page(
          [
            { record: { no: "V1", who: "P1" }, in: "2026-03-01T08:00:00+07:00", state: "done", site: "F1", id: 7 },
            { record: { no: "V2" }, patient_code: "P2", status: 1, admitted_at: "2026-03-01T08:00:00+07:00" },
            { record: { no: "V3" }, site: "F9" }
          ],
          1,
          1
        ),
      (operator, { arrived }) =>
        Effect.gen(function*() {
          const list = yield* operator.processed("2026-03-01", "2026-03-02")
          assert.deepStrictEqual(
            list.map((row) => [row.visitCode, row.patientCode, row.admittedAt, row.status, row.uuid]),
            [
              ["V1", "P1", "2026-03-01T08:00:00+07:00", "done", "7"],
              ["V2", null, null, null, null]
            ]
          )
          const { query } = present(arrived.at(-1))
          assert.deepStrictEqual([query.get("per_page"), query.get("p"), query.has("sort_by")], ["50", "1", false])
        })
    ))
})

describe("how responses are read", () => {
  const outcomeOf = (lines: string, say: Say) => speaking(lines, () => say, (operator) => operator.submit([visit]))

  it.live("counts a configured status as stored, and any other as unknown", () =>
    Effect.gen(function*() {
      const lines = "submit: {storedStatus: [2, Done], partialStatus: 4}"
      const tags = yield* Effect.forEach(
        [1, 2, "2", "Done", 3, 4, 5, "done"],
        (status) => Effect.map(outcomeOf(lines, answered(status)), ({ _tag }) => _tag)
      )
      assert.deepStrictEqual(tags, [
        "Stored",
        "Stored",
        "Stored",
        "Stored",
        "PartlyStored",
        "PartlyStored",
        "Unknown",
        "Unknown"
      ])
      assert.strictEqual((yield* outcomeOf("", answered(2)))._tag, "Unknown")
    }))

  it.live("§7: classifies a refusal in another language by its pattern, otherwise as another reason", () =>
    Effect.gen(function*() {
      const lines = [
        "submit:",
        "  messages:",
        "    visit-already-submitted: [\"La visite (\\\\S+) existe déjà\", \"déjà transmise\"]",
        "    admission-time-taken: même heure d'admission"
      ].join("\n")
      const reasons = yield* Effect.forEach(
        [
          "La visite V1 existe déjà.",
          "Visite DÉJÀ transmise",
          "Refus: même heure d'admission",
          "Submit blocked. Admission date must match the original date.",
          "Autre refus"
        ],
        (message) =>
          Effect.map(
            outcomeOf(lines, refused(message)),
            (outcome) => outcome._tag === "Refused" ? [outcome.reason, outcome.index] : outcome._tag
          )
      )
      assert.deepStrictEqual(reasons, [
        ["visit-already-submitted", 0],
        ["visit-already-submitted", undefined],
        ["admission-time-taken", undefined],
        ["admission-date-changed", undefined],
        ["refused-other", undefined]
      ])
      const plain = yield* outcomeOf("", refused("La visite V1 existe déjà."))
      assert.strictEqual(plain._tag === "Refused" && plain.reason, "refused-other")
    }))
})
