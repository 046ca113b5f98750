import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Operator } from "../../src/service/Operator.ts"
import { parseFaults } from "../../src/service/sandbox/Faults.ts"
import { Sandbox, startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import type { SandboxOptions } from "../../src/service/sandbox/SandboxOptions.ts"
import type { OperatorConfig } from "../../src/service/settings/OperatorConfig.ts"
import { defaultSending } from "../../src/service/settings/SendingSettings.ts"
import { wireForm } from "../../src/service/wireForm.ts"
import { referenceListTypes } from "../../src/visit/Field.ts"
import { FacilityCode, VisitCode } from "../../src/visit/values/Code.ts"
import { present } from "../present.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"
import { configFor } from "./configFor.ts"
import { sampleVisit } from "./sandbox/sampleVisit.ts"

const text = (n: number, over: Record<string, unknown> = {}): string => JSON.stringify(sampleVisit(n, over))

/** The client of this program against the service of this program, over real HTTP. */
const together = <A, E>(
  options: Partial<SandboxOptions> & { readonly spec?: string },
  over: Partial<OperatorConfig>,
  body: (operator: Operator["Service"], sandbox: Sandbox["Service"]) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const faults = options.spec === undefined ? {} : { faults: Result.getOrThrow(parseFaults(options.spec)) }
    const sandbox = yield* startSandbox({ ...options, ...faults })
    return yield* Effect.gen(function*() {
      return yield* body(yield* Operator, sandbox)
    }).pipe(Effect.provide(Operator.layer(configFor(sandbox.url, over)), { local: true }))
  }).pipe(Effect.scoped)

describe("§4 every endpoint, client and service from one declaration", () => {
  it.live("§4.5, §3 submits: stored, partly stored, refused", () =>
    together({ strictHeaders: true }, {}, (operator, sandbox) =>
      Effect.gen(function*() {
        const stored = yield* operator.submit([text(1)])
        assert.strictEqual(stored._tag, "Stored")
        assert.strictEqual(yield* sandbox.body(FacilityCode("F1"), VisitCode("V420001")), text(1))
        const open = yield* operator.submit([text(2, { discharged_at: null })])
        assert.strictEqual(open._tag, "PartlyStored")
        const refusal = (outcome: Effect.Success<ReturnType<typeof operator.submit>>) =>
          outcome._tag === "Refused" ? [outcome.reason, outcome.field, outcome.index] : outcome._tag
        const admitted_at = "2026-03-01T00:01:00.000+07:00"
        assert.deepStrictEqual(refusal(yield* operator.submit([text(1)])), ["visit-already-submitted", undefined, 0])
        assert.deepStrictEqual(
          refusal(yield* operator.submit([text(2, { admitted_at: "2026-04-01T00:00:00.000+07:00" })])),
          ["admission-date-changed", undefined, undefined]
        )
        assert.deepStrictEqual(refusal(yield* operator.submit([text(3, { admitted_at })])), [
          "admission-time-taken",
          undefined,
          undefined
        ])
        assert.deepStrictEqual(refusal(yield* operator.submit([text(4), text(5, { created_at: null })])), [
          "field-refused",
          "created_at",
          1
        ])
        assert.strictEqual((yield* operator.submit([text(4), text(5)]))._tag, "Stored")
        assert.strictEqual((yield* sandbox.visits).length, 4)
      })))

  it.live("§4.5 submits compressed, in the form of an operator who differs from the specification", () =>
    together({}, { sending: { ...defaultSending, gzip: true } }, (operator, sandbox) =>
      Effect.gen(function*() {
        const own = { patient_code: "P25000001", visit_code: "V420001", encounter_code: "E300001" }
        const imageries = exampleVisit.imageries.map((imagery) => ({ ...imagery, ...own }))
        const form = { optional: "omit", noReferral: "nulls", tilte: true } as const
        const visit = wireForm(text(1, { referrals: null, imageries }), form)
        assert.strictEqual((yield* operator.submit([visit]))._tag, "Stored")
        const kept = JSON.parse(present(yield* sandbox.body(FacilityCode("F1"), VisitCode("V420001"))))
        assert.deepStrictEqual(kept.referrals, { referred_from: null, referred_to: null })
        assert.isNotEmpty(kept.imageries)
        for (const imagery of kept.imageries) assert.strictEqual(imagery.tilte, imagery.title)
        assert.strictEqual((yield* operator.submit([text(2), text(3)]))._tag, "Stored")
      })))

  it.live("§4.6 reads every page and every fact of the processed list", () =>
    together({ maxPerPage: 7 }, {}, (operator) =>
      Effect.gen(function*() {
        for (let n = 0; n < 20; n++) yield* operator.submit([text(n)])
        const list = yield* operator.processed("2026-02-28", "2026-03-02")
        assert.strictEqual(list.length, 20)
        const [first] = list
        assert.strictEqual(first?.visitCode, "V420000")
        assert.strictEqual(first?.patientCode, "P25000001")
        assert.strictEqual(first?.admittedAt, "2026-03-01T00:00:00.000+07:00")
        assert.strictEqual(first?.status, "1")
        assert.match(first?.uuid ?? "", /^[0-9a-f-]{36}$/)
        assert.deepStrictEqual(yield* operator.processed("2026-03-02", "2026-03-03"), [])
      })))

  it.live("§4.3 reads all twelve lists without credentials", () =>
    together({ maxPerPage: 25 }, { username: "", clientId: "" }, (operator, sandbox) =>
      Effect.gen(function*() {
        for (const type of referenceListTypes) assert.isNotEmpty(yield* operator.standardData(type))
        const diagnoses = yield* operator.standardData("diagnoses")
        assert.isAtLeast(diagnoses.length, 60)
        assert.isTrue(diagnoses.some((item) => item["code"] === "A91"))
        assert.deepStrictEqual((yield* sandbox.stats).grants, { password: 0, refresh: 0 })
        const error = yield* Effect.flip(operator.standardData("colours"))
        assert.strictEqual(error.reason._tag, "UnexpectedResponse")
        const refused = yield* Effect.flip(operator.submit([text(1)]))
        assert.strictEqual(refused.reason._tag, "Unauthenticated")
      })))

  it.live("§4.4 looks up a card: found, not found", () =>
    together({}, {}, (operator) =>
      Effect.gen(function*() {
        const found = yield* operator.beneficiaries("100-000-003")
        assert.deepStrictEqual(found.map((record) => record["patient_code"]), ["P25000003"])
        assert.deepStrictEqual(yield* operator.beneficiaries("nobody"), [])
        assert.deepStrictEqual(yield* operator.beneficiaries("100-000-001 &?#=%é"), [])
      })))

  it.live("§7 stops at 403: another facility, another system", () =>
    together(
      {
        users: [{
          username: "sandbox",
          password: "sandbox",
          clientId: "sandbox",
          clientSecret: "sandbox",
          systemCodes: ["SYS"],
          facilityCodes: ["F2"]
        }]
      },
      {},
      (operator, sandbox) =>
        Effect.gen(function*() {
          for (
            const call of [
              Effect.asVoid(operator.submit([text(1)])),
              Effect.asVoid(operator.processed("2026-03-01", "2026-03-01")),
              Effect.asVoid(operator.beneficiaries("100-000-001"))
            ]
          ) {
            assert.strictEqual((yield* Effect.flip(call)).reason._tag, "AccessDenied")
          }
          assert.deepStrictEqual(yield* sandbox.visits, [])
        })
    ))
})

describe.concurrent("§5 tokens in the middle of a run", () => {
  it.live("renews a token that lives one second in time, once for all workers", () =>
    together({ tokenLifetimeSeconds: 1 }, {}, (operator, sandbox) =>
      Effect.gen(function*() {
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 60 }, (_, n) => n),
          (n) => Effect.delay(operator.submit([text(n)]), n * 40),
          { concurrency: 60 }
        )
        assert.isTrue(outcomes.every((outcome) => outcome._tag === "Stored"))
        const { grants, requests } = yield* sandbox.stats
        assert.strictEqual(grants.password, 1)
        assert.isAtLeast(grants.refresh, 2)
        // A request on its way while the pair is renewed may meet 401, for the renewal ends the old token; it goes again.
        assert.strictEqual(requests["POST /api/v1/external/visits"]?.["200"], 60)
      })))

  it.live("repeats the request with one new token after an unexpected 401", () =>
    together({ spec: "expire=0.4,seed=5" }, {}, (operator, sandbox) =>
      Effect.gen(function*() {
        for (let n = 0; n < 12; n++) {
          const outcome = yield* Effect.result(operator.submit([text(n)]))
          if (Result.isSuccess(outcome)) assert.strictEqual(outcome.success._tag, "Stored")
          else assert.strictEqual(outcome.failure.reason._tag, "Unauthenticated")
        }
        const { faults, grants, requests, visits } = yield* sandbox.stats
        assert.isAbove(present(faults["expire"]), 2)
        assert.isAbove(grants.refresh, 2)
        assert.strictEqual(requests["POST /api/v1/external/visits"]?.["200"], visits.stored)
        assert.isAtLeast(visits.stored, 8)
      })))
})

describe.concurrent("faults on the wire", () => {
  it.live("reports a lost response as unknown, and finds the visit in the list", () =>
    together({ spec: "drop-after=1" }, {}, (operator, sandbox) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* operator.submit([text(1)]))._tag, "Unknown")
        assert.strictEqual((yield* operator.processed("2026-03-01", "2026-03-01")).length, 1)
        const again = yield* operator.submit([text(1)])
        assert.strictEqual(again._tag === "Refused" && again.reason, "visit-already-submitted")
        assert.strictEqual((yield* sandbox.stats).visits.stored, 1)
      })))

  const unknowns: ReadonlyArray<readonly [spec: string, stored: number]> = [
    ["drop-before=1", 0],
    ["500-before=1", 0],
    ["500-after=1", 1],
    ["503=1", 0],
    ["html=1", 0],
    ["html-after=1", 1],
    ["delay=1,delay-ms=1000", 1]
  ]
  for (const [spec, stored] of unknowns) {
    it.live(`${spec}: unknown after one request, ${stored} stored`, () =>
      together({ spec }, { deadlineMillis: 400 }, (operator, sandbox) =>
        Effect.gen(function*() {
          const outcome = yield* operator.submit([text(1)])
          assert.strictEqual(outcome._tag, "Unknown")
          const { requests, visits } = yield* sandbox.stats
          assert.strictEqual(visits.stored, stored)
          const answers = Object.values(requests["POST /api/v1/external/visits"] ?? {})
          assert.isAtMost(answers.reduce((a, b) => a + b, 0), 1)
        })))
  }

  it.live("§8 waits after 429, then stores", () =>
    together({ spec: "429=0.4,seed=12" }, {}, (operator, sandbox) =>
      Effect.gen(function*() {
        for (let n = 0; n < 3; n++) assert.strictEqual((yield* operator.submit([text(n)]))._tag, "Stored")
        const { requests } = yield* sandbox.stats
        assert.isAbove(requests["POST /api/v1/external/visits"]?.["429"] ?? 0, 0)
      })))

  it.live("§7 retries reads after 500, lost responses, and a page that is not of the service", () =>
    together(
      {
        spec:
          "500-before@processed=0.3,html@processed=0.3,truncated@processed=0.2,drop-before@beneficiary=0.5,500-before@token=0.5,seed=8"
      },
      { readRetryMillis: 20, readRetries: 8 },
      (operator, sandbox) =>
        Effect.gen(function*() {
          for (let n = 0; n < 3; n++) {
            assert.deepStrictEqual(yield* operator.processed(`2026-03-0${n + 1}`, "2026-03-09"), [])
            assert.isNotEmpty(yield* operator.beneficiaries(`100-000-00${n + 1}`))
          }
          const { faults } = yield* sandbox.stats
          assert.isAbove((faults["500-before"] ?? 0) + (faults["drop-before"] ?? 0), 1)
        })
    ))

  it.live("stores each of a hundred visits once under many faults", () =>
    together(
      { spec: "drop-before=0.15,drop-after=0.15,500-after=0.1,html-after=0.05,503=0.05,expire=0.1,seed=21" },
      { readRetryMillis: 20 },
      (operator, sandbox) =>
        Effect.gen(function*() {
          const settle = (n: number): Effect.Effect<string> =>
            operator.submit([text(n)]).pipe(
              Effect.flatMap((outcome) => outcome._tag === "Unknown" ? settle(n) : Effect.succeed(outcome._tag)),
              Effect.catch(() => settle(n))
            )
          const settled = yield* Effect.forEach(Array.from({ length: 100 }, (_, n) => n), settle, { concurrency: 6 })
          assert.isTrue(settled.every((tag) => tag === "Stored" || tag === "Refused"))
          const visits = yield* sandbox.visits
          assert.strictEqual(visits.length, 100)
          assert.isTrue(visits.every((visit) => visit.submissions === 1))
          for (const visit of visits) {
            assert.strictEqual(
              yield* sandbox.body(FacilityCode("F1"), visit.code),
              text(Number(visit.code.slice(1)) - 420_000)
            )
          }
        })
    ))

  it.live("§8 the limits are kept by ourselves: the service never has to refuse", () =>
    together(
      { limits: { token: { count: 60, windowMillis: 60_000 }, data: { count: 20, windowMillis: 1000 } } },
      {
        limits: {
          token: { count: 60, windowMillis: 60_000 },
          data: { count: 20, windowMillis: 1000 },
          maxWaitMillis: 60_000,
          reserve: 0
        }
      },
      (operator, sandbox) =>
        Effect.gen(function*() {
          yield* Effect.forEach(Array.from({ length: 35 }, (_, n) => n), (n) => operator.submit([text(n)]), {
            concurrency: 8
          })
          const { peaks, requests } = yield* sandbox.stats
          assert.deepStrictEqual(requests["POST /api/v1/external/visits"], { 200: 35 })
          assert.isAtMost(present(peaks.data["sandbox"]), 20)
        })
    ))

  it.live("§8 the service's own count wins over ours", () =>
    together(
      { limits: { token: { count: 60, windowMillis: 60_000 }, data: { count: 5, windowMillis: 1500 } } },
      {},
      (operator, sandbox) =>
        Effect.gen(function*() {
          for (let n = 0; n < 9; n++) assert.strictEqual((yield* operator.submit([text(n)]))._tag, "Stored")
          const { requests } = yield* sandbox.stats
          assert.deepStrictEqual(requests["POST /api/v1/external/visits"], { 200: 9 })
        })
    ))
})
