import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Journal } from "../../src/submission/journal/Journal.ts"
import { reconcile } from "../../src/submission/list/reconcile.ts"
import { factsOf } from "../../src/submission/Submission.ts"
import { drive } from "./drive.ts"
import type { ListFault } from "./FakeOperator.ts"
import { visit } from "./samples.ts"
import { setting } from "./setting.ts"

/** Looks up stored visits whose responses were lost, one of each year, so that each needs a listing of its own. */
const lookUp = (years: number, listFaults: ReadonlyArray<ListFault>) =>
  Effect.gen(function*() {
    const { journal, known, service } = yield* setting
    const visits = Array.from(
      { length: years },
      (_, at) => visit({ code: `Y${at}`, admittedAt: `${2001 + at}-06-01T08:00:00.000+07:00` })
    )
    for (const { admittedAt, code, patientCode } of visits.map(factsOf)) {
      service.stored.set(code, {
        code,
        patientCode,
        admittedAt,
        status: 1,
        payload: "",
        uuid: code,
        hidden: 0,
        effects: 1
      })
    }
    service.listFaults.push(...listFaults)
    const { asked, error, listings, unreadable } = yield* drive(
      Effect.provide(
        Effect.gen(function*() {
          const open = yield* Journal
          yield* open.receive(visits.map((one) => ({ ...factsOf(one), payload: one.payload, mapping: null })))
          const codes = visits.map(({ code }) => code)
          yield* open.intend(codes)
          yield* open.record(codes.map((code) => ({
            code,
            event: { _tag: "Answered", outcome: { _tag: "Unknown", why: "the response was lost" } } as const
          })))
          return yield* reconcile()
        }),
        Layer.merge(Journal.layer(journal), service.layer),
        { local: true }
      )
    )
    assert.strictEqual(service.listings, listings)
    return { asked, listings, unreadable, error: error?.reason._tag, states: yield* known }
  })

describe("§4.6 the listings of a lookup", () => {
  it.effect("are one for each range of dates", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* lookUp(4, []), {
        asked: 4,
        listings: 4,
        unreadable: 0,
        error: undefined,
        states: ["Y0 STORED", "Y1 STORED", "Y2 STORED", "Y3 STORED"]
      })
    }))

  it.effect("end after two in a row that cannot be read", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* lookUp(4, ["no-list", "500"]), {
        asked: 4,
        listings: 2,
        unreadable: 4,
        error: "ServiceFailed",
        states: ["Y0 UNKNOWN", "Y1 UNKNOWN", "Y2 UNKNOWN", "Y3 UNKNOWN"]
      })
    }))

  it.effect("continue if one between them can be read", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* lookUp(4, ["no-list", "none", "500", "none"]), {
        asked: 4,
        listings: 4,
        unreadable: 2,
        error: "ServiceFailed",
        states: ["Y0 UNKNOWN", "Y1 STORED", "Y2 UNKNOWN", "Y3 STORED"]
      })
    }))

  it.effect("end after one without any response: each would cost the same wait", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* lookUp(3, ["silence"]), {
        asked: 3,
        listings: 1,
        unreadable: 3,
        error: "Unreachable",
        states: ["Y0 UNKNOWN", "Y1 UNKNOWN", "Y2 UNKNOWN"]
      })
    }))
})
