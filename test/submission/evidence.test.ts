import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { at } from "../../src/at.ts"
import { outcomeProblems } from "../../src/cli/screen/outcomeProblems.ts"
import { defaultRetry } from "../../src/service/settings/RetrySettings.ts"
import { Journal } from "../../src/submission/journal/Journal.ts"
import type { JournalOptions } from "../../src/submission/journal/JournalFile.ts"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import type { VisitEvent } from "../../src/submission/journal/VisitState.ts"
import { journalStatus, statusRemote } from "../../src/submission/status/status.ts"
import type { SubmitResult } from "../../src/submission/status/tally.ts"
import { maxSameRefusals } from "../../src/submission/submit.ts"
import { VisitCode } from "../../src/visit/values/Code.ts"
import { drive } from "./drive.ts"
import type { FakeService, Fault } from "./FakeOperator.ts"
import { visit } from "./samples.ts"
import { counted, onceEach, setting, some, start } from "./setting.ts"

/** What a person decides about visits. */
const decide = (journal: JournalOptions, event: VisitEvent, ...codes: ReadonlyArray<string>) =>
  Effect.flatMap(Journal, (open) => open.record(codes.map((code) => ({ code: VisitCode(code), event })))).pipe(
    Effect.provide(Journal.layer({ ...journal, isLookup: true }), { local: true })
  )

const remote = (journal: JournalOptions, service: FakeService) =>
  drive(Effect.provide(statusRemote(), Layer.merge(Journal.layer(journal), service.layer), { local: true }))

const statusOf = (journal: JournalOptions) =>
  Effect.provide(journalStatus, JournalReader.layer(journal), { local: true })

const reported = (result: SubmitResult) =>
  [...result.notable, ...result.contradicted].flatMap((one) => outcomeProblems(one)).map(({ code, severity, visit }) =>
    [visit, code, severity].join(" ")
  )

/** Puts a visit there as the service would have stored it. */
const put = (service: FakeService, code: string, more: object = {}) =>
  service.stored.set(code, {
    code,
    patientCode: `P-${code}`,
    admittedAt: "2026-03-03T08:00:00.000+07:00",
    status: 1,
    payload: "",
    uuid: "u",
    hidden: 0,
    effects: 1,
    ...more
  })

describe("a visit that was refused and that the list shows as ours", () => {
  it.effect("is resolved by the next run, whatever its input, and is not sent again", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      yield* once([visit({ code: "V1", visitType: "" }), visit({ code: "V2", visitType: "" })])
      assert.deepStrictEqual(yield* known, ["V1 REFUSED", "V2 REFUSED"])
      put(service, "V1")
      yield* once([])
      assert.deepStrictEqual(yield* known, ["V1 STORED", "V2 REFUSED"])
      assert.strictEqual(service.submitted("V1"), 1)
    }))

  it.effect("is resolved by status --remote, which then finds no disagreement", () =>
    Effect.gen(function*() {
      const { journal, known, once, service } = yield* setting
      yield* once([visit({ code: "V1", visitType: "" })])
      put(service, "V1")
      const { comparison } = yield* remote(journal, service)
      assert.deepStrictEqual([comparison.settled, comparison.disagreements], [["V1"], []])
      assert.deepStrictEqual(yield* known, ["V1 STORED"])
    }))

  it.effect("counts as stored in the run that resolves it, with the correction that came meanwhile", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once([visit({ code: "V1", visitType: "" })])
      put(service, "V1")
      const result = yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(counted(result), { visits: 1, stored: 1, changedSince: 1 })
      assert.deepStrictEqual(reported(result), ["V1 changed-since-stored warning"])
    }))

  it.effect("stays refused if the list does not show it, and its history does not grow with every run", () =>
    Effect.gen(function*() {
      const { journal, once } = yield* setting
      yield* once([visit({ code: "V1", visitType: "" })])
      const history = Effect.provide(
        Effect.flatMap(JournalReader, (reader) => reader.history(VisitCode("V1"))),
        JournalReader.layer(journal),
        { local: true }
      )
      const before = yield* history
      yield* once([])
      yield* once([])
      assert.strictEqual((yield* history).length, before.length)
    }))
})

describe("a stored visit that the list no longer shows", () => {
  const gone = Effect.gen(function*() {
    const all = yield* setting
    yield* all.once(some(2))
    all.service.stored.delete("V002")
    yield* remote(all.journal, all.service)
    return all
  })
  const error = ["V002 not-confirmed error"]

  it.effect("is an error in every run until the list shows it again", () =>
    Effect.gen(function*() {
      const { once, service } = yield* gone
      for (let run = 0; run < 3; run++) {
        const result = yield* once(some(2))
        assert.deepStrictEqual(reported(result), error)
        assert.deepStrictEqual(counted(result), { visits: 2, doubt: 1, skipped: 1 })
      }
      put(service, "V002")
      assert.deepStrictEqual(reported(yield* once([])), [])
    }))

  it.effect("is an error also without a list to read", () =>
    Effect.gen(function*() {
      const { once, service } = yield* gone
      service.listFaults.push("500", "500")
      assert.deepStrictEqual(reported(yield* once([])), error)
    }))

  it.effect("and lists it with another status, disagrees; `status` then knows it from the journal", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      yield* once(some(3))
      const before = yield* statusOf(journal)
      assert.deepStrictEqual([before.listedSince, before.visits.length], [0, 0])
      put(service, "V002", { status: "rejected" })
      const { comparison } = yield* remote(journal, service)
      assert.deepStrictEqual(comparison.disagreements, [
        { code: VisitCode("V002"), state: "STORED", what: "listed-otherwise" }
      ])
      const after = yield* statusOf(journal)
      assert.strictEqual(after.listedSince, 3)
      assert.deepStrictEqual(after.visits.map(({ code, state }) => [code, state]), [["V002", "STORED"]])
      assert.include(after.visits[0]?.why, "`rejected`")
      yield* once(some(3))
      onceEach(service)
    }))

  it.effect("is sent again once a person releases it; a record of an earlier attempt counts as ours", () =>
    Effect.gen(function*() {
      const { journal, known, once, service } = yield* gone
      yield* decide(journal, { _tag: "Released" }, "V002")
      assert.deepStrictEqual(counted(yield* once(some(2))), { visits: 2, sent: 1, stored: 1, skipped: 1 })
      assert.deepStrictEqual(yield* known, ["V001 STORED", "V002 STORED"])
      onceEach(service)
    }))

  it.effect("is resolved when a person accepts it, also after the next lookup", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* gone
      yield* decide(journal, { _tag: "Accepted" }, "V002")
      assert.deepStrictEqual(reported(yield* once(some(2))), [])
      assert.deepStrictEqual((yield* remote(journal, service)).comparison.disagreements, [])
      assert.deepStrictEqual(reported(yield* once(some(2))), [])
    }))
})

describe("a correction that comes while a response is missing", () => {
  it.effect("is reported by the run that resolves the visit by the list", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push("lost-answer", "denied")
      yield* once([visit({ code: "V1", note: "first" }), visit({ code: "V2" })])
      const result = yield* once([visit({ code: "V1", note: "second" }), visit({ code: "V2" })])
      assert.deepStrictEqual(counted(result), { visits: 2, sent: 1, stored: 2, changedSince: 1 })
      assert.deepStrictEqual(reported(result), ["V1 changed-since-stored warning"])
    }))

  it.effect("is reported by the run that sends the first version again", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push(...Array<Fault>(3).fill("lost-request"))
      yield* once([visit({ code: "V1", note: "first" })])
      const result = yield* once([visit({ code: "V1", note: "second" })])
      assert.deepStrictEqual(reported(result), ["V1 changed-since-stored warning"])
    }))

  it.effect("is reported as of unknown content if it is sent after a person's decision and the first version is found", () =>
    Effect.gen(function*() {
      const { journal, known, once, service } = yield* setting
      service.details = "none"
      service.faults.push("lost-answer")
      yield* once([visit({ code: "V1", note: "first" })])
      assert.deepStrictEqual(yield* known, ["V1 DOUBT"])
      yield* decide(journal, { _tag: "Released" }, "V1")
      service.details = "all"
      const result = yield* once([visit({ code: "V1", note: "second" })])
      assert.deepStrictEqual(yield* known, ["V1 STORED"])
      assert.deepStrictEqual(reported(result), ["V1 content-unknown warning"])
    }))
})

describe("a visit in doubt, without a list", () => {
  /** The answer to the first attempt is lost; the second is refused as submitted before; the list fails with a status. */
  const doubt = Effect.gen(function*() {
    const all = yield* setting
    all.service.faults.push("lost-answer")
    all.service.listFaults.push(...Array.from({ length: 12 }, () => "no-list" as const))
    yield* all.once([visit({ code: "V1" })])
    assert.deepStrictEqual(yield* all.known, ["V1 DOUBT"])
    return all
  })

  it.effect("shows the result of the lookup, and that an attempt of ours is open", () =>
    Effect.gen(function*() {
      const { journal } = yield* doubt
      const one = at((yield* statusOf(journal)).visits, 0)
      assert.include(one.why, "status 404")
      assert.include(one.why, "probably ours")
      assert.include(one.next, "release --accept")
    }))

  it.effect("is stored when a person accepts it", () =>
    Effect.gen(function*() {
      const { journal, known, once, service } = yield* doubt
      yield* decide(journal, { _tag: "Accepted" }, "V1")
      assert.deepStrictEqual(yield* known, ["V1 STORED"])
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V1" })])), { visits: 1, skipped: 1 })
      onceEach(service)
    }))

  it.effect("is sent again when a person releases it, and keeps the evidence of the first attempt", () =>
    Effect.gen(function*() {
      const { journal, known, once, service } = yield* doubt
      yield* decide(journal, { _tag: "Released" }, "V1")
      yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(yield* known, ["V1 DOUBT"])
      assert.include(at((yield* statusOf(journal)).visits, 0).why, "probably ours")
      service.stored.delete("V1")
      yield* decide(journal, { _tag: "Released" }, "V1")
      yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(yield* known, ["V1 STORED"])
    }))
})

describe("§4.5 rule 1 a patient whom the service does not know yet", () => {
  const visits = [visit({ code: "V1" }), visit({ code: "V2" })]
  const before = (millis: number) => new Date(start + millis - 20 * 3_600_000).toISOString()

  it.effect("is sent again once a day by plain runs, after the new visits", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.unknownPatients.add("P-V1")
      assert.deepStrictEqual(counted(yield* once(visits)), { visits: 2, sent: 2, stored: 1, refused: 1 })
      const again = (hours: number) =>
        Effect.andThen(
          TestClock.setTime(start + hours * 3_600_000),
          once([...visits, visit({ code: `N${hours}` })], { unknownPatientBefore: before(hours * 3_600_000) })
        )
      yield* again(1)
      assert.strictEqual(service.submitted("V1"), 1)
      yield* again(21)
      assert.strictEqual(service.submitted("V1"), 2)
      assert.strictEqual(service.log.findLast(({ _tag }) => _tag === "Submit")?._tag, "Submit")
      yield* again(22)
      assert.strictEqual(service.submitted("V1"), 2)
      service.unknownPatients.clear()
      yield* again(42)
      assert.strictEqual(service.stored.get("V1")?.effects, 1)
    }))

  it.effect("is never sent again if the facility disables it", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.unknownPatients.add("P-V1")
      yield* once(visits)
      yield* TestClock.adjust("3 days")
      yield* once(visits)
      assert.strictEqual(service.submitted("V1"), 1)
    }))
})

describe("a gateway that loses every response", () => {
  it.effect("does not stop the run while the list shows that the visits arrive", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push(...Array<Fault>(1000).fill("gibberish"))
      const result = yield* once(some(100))
      assert.strictEqual(result.stopped, null)
      assert.deepStrictEqual(counted(result), { visits: 100, sent: 100, stored: 100 })
      // asked less and less often
      assert.isAtMost(service.listings, 7)
      onceEach(service)
    }))

  it.effect("stops the run if the list shows none of them, and reports what came instead of responses", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push("lost-request", "500-not-stored", ...Array<Fault>(50).fill("lost-request"))
      const { stopped } = yield* once(some(100))
      assert.deepStrictEqual(stopped, {
        _tag: "NoClearResponse",
        requests: 6,
        kinds: [["connection reset", 5], ["the service responded with 500", 1]],
        list: "shows none"
      })
    }))

  it.effect("stops the run without a list", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push(...Array<Fault>(50).fill("lost-answer"))
      service.listFaults.push(...Array.from({ length: 50 }, () => "no-list" as const))
      const { counts, stopped } = yield* once(some(100))
      assert.isTrue(stopped?._tag === "NoClearResponse" && stopped.list === "no list")
      assert.strictEqual(counts.sent, defaultRetry.stopAfter)
    }))
})

describe("identical refusals", () => {
  const all = some(60).map(({ code }) => visit({ code, visitType: "" }))

  it.effect("end the run, and the others are not sent", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const result = yield* once(all)
      assert.deepStrictEqual(result.stopped, {
        _tag: "SameRefusal",
        visits: maxSameRefusals,
        reason: "field-refused",
        field: "visit_type"
      })
      assert.deepStrictEqual(counted(result), { visits: 60, sent: 20, refused: 20, left: 40 })
      assert.strictEqual(service.submitted("V021"), 0)
    }))

  it.effect("do not end the run if it is to continue", () =>
    Effect.gen(function*() {
      const { once } = yield* setting
      const result = yield* once(all, { keepGoing: true })
      assert.deepStrictEqual([result.stopped, counted(result)], [null, { visits: 60, sent: 60, refused: 60 }])
    }))

  it.effect("do not end the run if a different one is between them", () =>
    Effect.gen(function*() {
      const { once } = yield* setting
      const result = yield* once(all.map((one, at) => at % 20 === 19 ? visit({ code: one.code }) : one))
      assert.strictEqual(result.stopped, null)
    }))
})
