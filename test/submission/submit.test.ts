import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { at } from "../../src/at.ts"
import { outcomeProblems } from "../../src/cli/screen/outcomeProblems.ts"
import type { Operator } from "../../src/service/Operator.ts"
import type { OperatorError } from "../../src/service/OperatorError.ts"
import type { Outcome } from "../../src/service/responses/Outcome.ts"
import { defaultRetry } from "../../src/service/settings/RetrySettings.ts"
import { Journal } from "../../src/submission/journal/Journal.ts"
import type { JournalOptions } from "../../src/submission/journal/JournalFile.ts"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import { reconcile } from "../../src/submission/list/reconcile.ts"
import { journalStatus, statusRemote } from "../../src/submission/status/status.ts"
import type { SubmitResult } from "../../src/submission/status/tally.ts"
import { factsOf } from "../../src/submission/Submission.ts"
import { submit } from "../../src/submission/submit.ts"
import { FacilityCode, VisitCode } from "../../src/visit/values/Code.ts"
import { only, present } from "../present.ts"
import { drive, turn } from "./drive.ts"
import { FakeService, type Fault } from "./FakeOperator.ts"
import { journalIn, temporaryFolder, visit } from "./samples.ts"
import { counted, onceEach, runOn, setting, some } from "./setting.ts"

describe("§4.5 submission", () => {
  it.effect("sends every visit once, in the order of the input, one per request", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      const visits = some(5).toReversed()
      const result = yield* once(visits)
      assert.deepStrictEqual(counted(result), { visits: 5, sent: 5, stored: 5 })
      assert.deepStrictEqual(
        service.log.flatMap((entry) => entry._tag === "Submit" ? [entry.codes.join()] : []),
        visits.map(({ code }) => code)
      )
      for (const { code, payload } of visits) assert.strictEqual(service.stored.get(code)?.payload, payload)
      assert.deepStrictEqual(yield* known, some(5).map(({ code }) => `${code} STORED`))
      assert.isNull(result.stopped)
      assert.deepStrictEqual(result.notable, [])
    }))

  it.effect("reports visits that an earlier input left, and sends them when they are in the input again", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push("denied")
      yield* once(some(3))
      const other = yield* once([visit({ code: "W1" })])
      assert.deepStrictEqual(counted(other), { visits: 1, sent: 1, stored: 1 })
      assert.strictEqual(other.leftElsewhere, 3)
      assert.deepStrictEqual(counted(yield* once(some(3))), { visits: 3, sent: 3, stored: 3 })
    }))

  it.effect("§3: does not send the same visit under another code in a later run", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      yield* once([visit({ code: "V1", patient: "P-1" }), visit({ code: "V2", patient: "P-2" })])
      const before = service.log.length
      const renamed = [visit({ code: "W1", patient: "P-1" }), visit({ code: "W2", patient: "P-2" })]
      const result = yield* once(renamed)
      assert.deepStrictEqual(counted(result), { visits: 2, conflict: 2 })
      assert.strictEqual(service.log.length, before)
      const held = (
        code: string,
        earlier: string
      ) => [VisitCode(code), { _tag: "Hold", why: "admission-time-known", earlier } as const]
      assert.deepStrictEqual(result.notable.map(({ code, decision }) => [code, decision]), [
        held("W1", "V1"),
        held("W2", "V2")
      ])
      assert.deepStrictEqual(yield* known, ["V1 STORED", "V2 STORED", "W1 CONFLICT", "W2 CONFLICT"])
      assert.deepStrictEqual(counted(yield* once(renamed)), { visits: 2, conflict: 2 })
      // The service decides, and refuses them.
      const sent = yield* once(renamed, { sendSameAdmission: true })
      assert.deepStrictEqual(counted(sent), { visits: 2, sent: 2, conflict: 2 })
    }))

  it.effect("§3: sends and reports a visit within the same minute as an earlier one", () =>
    Effect.gen(function*() {
      const { once } = yield* setting
      yield* once([visit({ code: "V1", patient: "P-1" })])
      const near = visit({ code: "W1", patient: "P-1", admittedAt: "2026-03-03T08:00:30.000+07:00" })
      const result = yield* once([near])
      assert.deepStrictEqual(counted(result), { visits: 1, sent: 1, stored: 1 })
      const reported = result.notable.flatMap((visit) => outcomeProblems(visit))
      assert.deepStrictEqual(reported.map(({ code, facts, severity }) => [code, severity, facts]), [
        ["same-admission-time", "warning", [["earlier", "visit V1"]]]
      ])
      assert.deepStrictEqual((yield* once([near])).notable, [])
    }))

  it.effect("§4.5 rule 2: sends and reports a visit whose code is that of an earlier one in another letter case", () =>
    Effect.gen(function*() {
      const { once } = yield* setting
      yield* once([visit({ code: "V1", patient: "P-1" }), visit({ code: "V2", patient: "P-2" })])
      const result = yield* once([
        visit({ code: "v1", patient: "P-1", admittedAt: "2026-03-04T08:00:00.000+07:00" }),
        visit({ code: "v2", patient: "P-1", admittedAt: "2026-03-05T08:00:00.000+07:00" })
      ])
      assert.deepStrictEqual(counted(result), { visits: 2, sent: 2, stored: 2 })
      const reported = result.notable.flatMap((visit) => outcomeProblems(visit))
      assert.deepStrictEqual(reported.map(({ code, facts, severity }) => [code, severity, facts]), [
        ["duplicate-code", "warning", [["earlier", "visit V1"]]]
      ])
    }))

  it.effect("§4.5 rule 2: reports a visit that replaces another patient's unsent visit of another day", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      service.faults.push("denied")
      yield* once([visit({ code: "V1", patient: "P-1" }), visit({ code: "V2", patient: "P-2" })])
      assert.deepStrictEqual(yield* known, ["V1 READY", "V2 READY"])
      const result = yield* once([
        visit({ code: "V1", patient: "P-9", admittedAt: "2026-09-04T08:00:00.000+07:00" }),
        // A correction of the patient.
        visit({ code: "V2", patient: "P-9" })
      ])
      assert.deepStrictEqual(counted(result), { visits: 2, sent: 2, stored: 2 })
      const reported = result.notable.flatMap((visit) => outcomeProblems(visit))
      assert.deepStrictEqual(reported.map(({ code, severity, visit }) => [visit, code, severity]), [
        ["V1", "duplicate-code", "warning"]
      ])
    }))

  it.effect("§4.5 rule 3: does not send a visit with an encounter code of a sent visit in a later run", () =>
    Effect.gen(function*() {
      const { journal, known, once, service } = yield* setting
      yield* once([visit({ code: "V1", encounters: ["E-1", "E-2"] })])
      const before = service.log.length
      const renamed = visit({ code: "W1", encounters: ["E-2"], admittedAt: "2026-03-03T08:20:00.000+07:00" })
      const held = {
        _tag: "Hold",
        why: "encounter-code-known",
        earlier: "V1",
        path: ["outpatients", 0, "code"]
      } as const
      const result = yield* once([renamed])
      assert.deepStrictEqual(counted(result), { visits: 1, conflict: 1 })
      assert.deepStrictEqual(result.notable.map(({ decision }) => decision), [held])
      assert.strictEqual(service.log.length, before)
      assert.deepStrictEqual(yield* known, ["V1 STORED", "W1 CONFLICT"])
      const [problem] = outcomeProblems(at(result.notable, 0))
      assert.deepStrictEqual(
        [problem?.code, problem?.severity, problem?.field, problem?.facts],
        ["duplicate-code", "error", "outpatients[0].code", [["earlier", "visit V1"]]]
      )
      const read = Effect.provide(journalStatus, JournalReader.layer(journal), { local: true })
      assert.include((yield* read).visits[0]?.why, "has an encounter with the same code")
      // checked again in each run; the journal shows the current reason of the hold
      assert.deepStrictEqual(counted(yield* once([renamed])), { visits: 1, conflict: 1 })
      const moved = visit({ code: "W1", patient: "P-V1" })
      assert.deepStrictEqual(counted(yield* once([moved])), { visits: 1, conflict: 1 })
      assert.include((yield* read).visits[0]?.why, "the same admission time")
      const corrected = visit({ code: "W1", encounters: ["E-3"] })
      assert.deepStrictEqual(counted(yield* once([corrected])), { visits: 1, sent: 1, stored: 1 })
    }))

  it.effect("§4.5 rule 3: a visit that may have been stored holds others; a refused one does not", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      service.faults.push(...Array<Fault>(20).fill("lost-request"))
      yield* once([visit({ code: "V1", encounters: ["E-1"] })])
      service.faults.length = 0
      service.poisoned.add("V1")
      yield* once([visit({ code: "V2", visitType: "", encounters: ["E-2"] })])
      yield* once([visit({ code: "W1", encounters: ["E-1"] }), visit({ code: "W2", encounters: ["E-2"] })])
      assert.deepStrictEqual(yield* known, ["V1 UNKNOWN", "V2 REFUSED", "W1 CONFLICT", "W2 STORED"])
    }))

  it.effect("§4.5 rule 3: keeps the encounters that the service has while an update waits, whatever its outcome", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      const open = { code: "V1", dischargedAt: null }
      yield* once([visit({ ...open, encounters: ["E-1"] })])
      // the update was not sent: the record of before is still there, and the next one may be
      service.faults.push("denied")
      yield* once([visit({ ...open, encounters: ["E-9"] })])
      const others = [visit({ code: "W1", encounters: ["E-1"] }), visit({ code: "W9", encounters: ["E-9"] })]
      assert.deepStrictEqual(counted(yield* once(others)), { visits: 2, conflict: 2 })
      service.faults.push("none")
      yield* once([visit({ ...open, visitType: "", encounters: ["E-9"] })])
      assert.deepStrictEqual(yield* known, ["V1 REFUSED", "W1 CONFLICT", "W9 CONFLICT"])
      assert.deepStrictEqual(counted(yield* once(others)), { visits: 2, conflict: 2 })
    }))

  it.effect("§4.5 rule 3: adds the encounters of visits from an earlier format when they are read again", () =>
    Effect.gen(function*() {
      const { journal, once } = yield* setting
      const first = visit({ code: "V1", encounters: ["E-1"] })
      const second = visit({ code: "W1", encounters: ["E-1"] })
      yield* once([first])
      const database = new DatabaseSync(journal.file)
      database.exec("DELETE FROM encounter")
      database.close()
      assert.deepStrictEqual(counted(yield* once([first])), { visits: 1, skipped: 1 })
      assert.deepStrictEqual(counted(yield* once([second])), { visits: 1, conflict: 1 })
      assert.deepStrictEqual(counted(yield* once([second], { sendSameEncounter: true })), {
        visits: 1,
        sent: 1,
        stored: 1
      })
    }))

  it.effect("sends nothing in a second run", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once(some(5))
      const before = service.log.length
      assert.deepStrictEqual(counted(yield* once(some(5))), { visits: 5, skipped: 5 })
      assert.strictEqual(service.log.length, before)
    }))

  it.effect("§3: sends a partly stored visit again when its source has changed, with the same admission date", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const open = visit({ code: "V1", dischargedAt: null })
      assert.deepStrictEqual(counted(yield* once([open])), { visits: 1, sent: 1, partial: 1 })
      const again = yield* once([open])
      assert.deepStrictEqual(counted(again), { visits: 1, partial: 1 })
      assert.strictEqual(again.notable[0]?.decision.why, "partial-and-unchanged")
      const moved = visit({ code: "V1", dischargedAt: null, admittedAt: "2026-03-05T08:00:00.000+07:00" })
      const refused = yield* once([moved])
      assert.deepStrictEqual(counted(refused), { visits: 1, partial: 1 })
      assert.strictEqual(refused.notable[0]?.decision.why, "partial-with-other-admission-date")
      assert.strictEqual(service.submitted("V1"), 1)
      const closed = visit({ code: "V1" })
      assert.deepStrictEqual(counted(yield* once([closed])), { visits: 1, sent: 1, stored: 1 })
      assert.strictEqual(service.stored.get("V1")?.payload, closed.payload)
    }))

  it.effect("§3: holds a partly stored visit if the facility sends no updates, and sends it once it does", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once([visit({ code: "V1", dischargedAt: null })])
      const held = yield* once([visit({ code: "V1" })], { holdPartial: true })
      assert.deepStrictEqual(counted(held), { visits: 1, partial: 1 })
      assert.deepStrictEqual(held.notable.map(({ decision }) => decision.why), ["partial-and-held"])
      assert.strictEqual(service.submitted("V1"), 1)
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V1" })])), { visits: 1, sent: 1, stored: 1 })
    }))

  it.effect("§3: reports a stored visit that has changed since, and never sends it again", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      yield* once([visit({ code: "V1" })])
      const result = yield* once([visit({ code: "V1", note: "a late result" })])
      assert.deepStrictEqual(counted(result), { visits: 1, skipped: 1, changedSince: 1 })
      assert.strictEqual(result.notable[0]?.decision.why, "stored-and-changed")
      assert.strictEqual(service.submitted("V1"), 1)
      const read = Effect.provide(journalStatus, JournalReader.layer(journal), { local: true })
      assert.deepStrictEqual((yield* read).visits.map(({ changedSince, code }) => [code, changedSince]), [["V1", true]])
      yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual((yield* read).visits, [])
    }))

  it.effect("§4.5 rule 2: a visit with the code of another visit that was sent earlier is in conflict, not stored", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      yield* once([visit({ code: "V1", patient: "P-1" })])
      const result = yield* once([visit({ code: "V1", patient: "P-2", admittedAt: "2027-01-04T08:00:00.000+07:00" })])
      assert.deepStrictEqual(counted(result), { visits: 1, conflict: 1 })
      assert.strictEqual(service.submitted("V1"), 1)
      const read = Effect.provide(journalStatus, JournalReader.layer(journal), { local: true })
      assert.deepStrictEqual((yield* read).visits, [], "the stored visit has not changed")
    }))

  it.effect("§7 422: reports a refused visit with its field, and sends it again only when it has changed", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const bad = visit({ code: "V1", visitType: "" })
      const result = yield* once([bad, visit({ code: "V2" })])
      assert.deepStrictEqual(counted(result), { visits: 2, sent: 2, stored: 1, refused: 1 })
      assert.deepStrictEqual(
        result.notable.map(({ visit }) => [visit?.code, visit?.problem, visit?.field, visit?.status]),
        [
          ["V1", "field-refused", "visit_type", 422]
        ]
      )
      assert.deepStrictEqual(counted(yield* once([bad])), { visits: 1, refused: 1 })
      assert.strictEqual(service.submitted("V1"), 1)
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V1" })])), { visits: 1, sent: 1, stored: 1 })
    }))

  it.effect("§4.5 rule 1: sends visits again whose patients may be registered by now, after all others", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const visits = [visit({ code: "V1", patient: "P-1" }), visit({ code: "V2", patient: "P-2" })]
      service.unknownPatients.add("P-1")
      assert.deepStrictEqual(counted(yield* once(visits.slice(0, 1))), { visits: 1, sent: 1, refused: 1 })
      const before = service.log.length
      yield* TestClock.adjust("1 day")
      service.unknownPatients.clear()
      const result = yield* once(visits, { unknownPatientBefore: "2026-03-11T00:00:00.000Z" })
      assert.deepStrictEqual(counted(result), { visits: 2, sent: 2, stored: 2 })
      const sent = service.log.slice(before).flatMap((entry) => entry._tag === "Submit" ? entry.codes : [])
      assert.deepStrictEqual(sent, ["V2", "V1"])
    }))

  it.effect("reports a sent visit whose records are no visit any more, unless the input has it as a rejected visit", () =>
    Effect.gen(function*() {
      const { once } = yield* setting
      yield* once(some(2))
      const withdrawnOf = (rejected: ReadonlyArray<string>) =>
        once([], {
          unsent: () => ({
            rejected: new Set(rejected.map(VisitCode)),
            excluded: new Set(["Encounter/V001", "Encounter/V002"])
          })
        }).pipe(Effect.map(({ withdrawn }) => withdrawn.map(({ code }) => code)))
      assert.deepStrictEqual(yield* withdrawnOf([]), ["V001", "V002"])
      assert.deepStrictEqual(yield* withdrawnOf(["V002"]), ["V001"])
    }))

  it.effect("§7 422: reports that the service found more errors than it names, until it names them", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.moreFaults = 2
      const reported = at((yield* once([visit({ code: "V1", visitType: "" })])).notable, 0)
      const [problem] = outcomeProblems(reported)
      assert.strictEqual(problem?.title, "the service refused `visit_type`; it found 2 more errors")
      assert.include(problem?.help?.[0], "names the other errors")
      service.moreFaults = 0
      const again = at((yield* once([visit({ code: "V1", visitType: "", note: "other" })])).notable, 0)
      assert.strictEqual(outcomeProblems(again)[0]?.title, "the service refused `visit_type`")
    }))

  it.effect("§7 422: another visit of the patient at the same admission time is a conflict, until the source is corrected", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.hold({ code: "X1", patientCode: "P-V1", admittedAt: "2026-03-03T01:00:00.000+00:00" })
      const result = yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(counted(result), { visits: 1, sent: 1, conflict: 1 })
      assert.strictEqual(result.notable[0]?.visit?.problem, "admission-time-taken")
      const corrected = visit({ code: "V1", admittedAt: "2026-03-03T11:00:00.000+07:00" })
      assert.deepStrictEqual(counted(yield* once([corrected])), { visits: 1, sent: 1, stored: 1 })
    }))

  it.effect("§7 422 same admission time after an attempt without a response: looks up the conflicting visit", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.hold({ code: "X1", patientCode: "P-V1", admittedAt: "2026-03-03T01:00:00.000+00:00" })
      service.faults.push("lost-answer")
      const result = yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(counted(result), { visits: 1, sent: 1, conflict: 1 })
      assert.isFalse(result.notable[0]?.visit?.open)
    }))

  it.effect("sends the first of two different visits with one code, and puts the second in conflict", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      const first = visit({ code: "V1" })
      const result = yield* once([first, visit({ code: "V2" }), { ...visit({ code: "V1", note: "x" }), source: "b:2" }])
      assert.deepStrictEqual(counted(result), { visits: 3, sent: 2, stored: 2, conflict: 1 })
      assert.strictEqual(service.submitted("V1"), 1)
      assert.strictEqual(service.stored.get("V1")?.payload, first.payload)
      assert.deepStrictEqual(yield* known, ["V1 STORED", "V2 STORED"])
      assert.deepStrictEqual(result.notable.map(({ source }) => source), ["b:2"])
    }))

  it.effect("does not send a visit of another facility", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const result = yield* once([{ ...visit({ code: "V1" }), facility: FacilityCode("HF0002") }])
      assert.deepStrictEqual(counted(result), { visits: 1, conflict: 1 })
      assert.strictEqual(service.log.length, 0)
    }))

  it.effect("sends nothing when the input cannot be read to its end", () =>
    Effect.gen(function*() {
      const { journal, known, service } = yield* setting
      const torn = Stream.concat(Stream.fromIterable(some(300)), Stream.fail("the file is cut off" as const))
      const exit = yield* Effect.exit(drive(Effect.provide(
        submit(torn),
        Layer.merge(Journal.layer(journal), service.layer),
        { local: true }
      )))
      assert.deepStrictEqual(exit, Exit.fail("the file is cut off"))
      assert.strictEqual(service.log.length, 0)
      assert.isTrue((yield* known).every((line) => line.endsWith("READY")))
    }))
})

describe("missing responses", () => {
  const settled: ReadonlyArray<readonly [fault: Fault, requests: number]> = [
    ["lost-request", 2],
    ["lost-answer", 1],
    ["late", 1],
    ["500-not-stored", 2],
    ["500-stored", 1],
    ["repeated", 1],
    ["gibberish", 1]
  ]
  for (const [fault, requests] of settled) {
    it.effect(`I1 I2: ${fault}: looks the visit up, and stores it once, in ${requests} requests`, () =>
      Effect.gen(function*() {
        const { known, once, service } = yield* setting
        service.faults.push("none", fault)
        const result = yield* once(some(3))
        assert.deepStrictEqual(counted(result), { visits: 3, sent: 3, stored: 3 })
        assert.deepStrictEqual(yield* known, some(3).map(({ code }) => `${code} STORED`))
        assert.strictEqual(service.submitted("V002"), requests)
        onceEach(service)
      }))
  }

  it.effect("a late request is refused after the lookup and the next attempt, and the list shows that it is ours", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      // the first stays on its way past the list, and is there before the second is looked at
      service.faults.push("late")
      service.lag = 1
      const result = yield* once([visit({ code: "V1" })], { listFirst: false })
      assert.deepStrictEqual(counted(result), { visits: 1, sent: 1, stored: 1 })
      assert.strictEqual(service.submitted("V1"), 2)
      onceEach(service)
    }))

  it.effect("I3: no list at all: the same bytes again, and then DOUBT, never STORED", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push("lost-answer")
      service.listFaults.push(...Array<"no-list">(20).fill("no-list"))
      const result = yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(counted(result), { visits: 1, sent: 1, doubt: 1 })
      assert.strictEqual(service.submitted("V1"), 2)
      assert.isTrue(result.notable[0]?.visit?.open, "probably ours")
      const before = service.submitted("V1")
      service.listFaults.length = 0
      const later = yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(counted(later), { visits: 1, stored: 1 })
      assert.strictEqual(service.submitted("V1"), before)
    }))

  it.effect("does not look up a visit while its request may still be on its way", () =>
    Effect.gen(function*() {
      const { journal, service } = yield* setting
      const one = visit({ code: "V1" })
      const answers = ["Unknown", "Refused"] as const
      yield* Effect.provide(
        Effect.gen(function*() {
          for (const answer of answers) {
            const { intend, receive, record } = yield* Journal
            const outcome: Outcome = answer === "Unknown"
              ? { _tag: "Unknown", why: "no answer" }
              : { _tag: "Refused", reason: "visit-already-submitted", status: 422 }
            if (answer === "Unknown") yield* receive([{ ...factsOf(one), payload: one.payload, mapping: null }])
            yield* intend([VisitCode("V1")])
            yield* record([{ code: VisitCode("V1"), event: { _tag: "Answered", outcome } }])
            const before = service.listings
            yield* TestClock.adjust("1 second")
            const asking = yield* Effect.forkChild(reconcile({ waitMillis: 5000 }))
            yield* turn
            yield* TestClock.adjust("3900 millis")
            yield* turn
            assert.strictEqual(service.listings, before, `${answer}: not asked before the time`)
            yield* TestClock.adjust("100 millis")
            assert.strictEqual((yield* Fiber.join(asking)).listings, 1, `${answer}: asked when it is over`)
          }
        }),
        Layer.merge(Journal.layer(journal), service.layer),
        { local: true }
      )
    }))

  it.effect("counts that time from the request, not from the start of a later run", () =>
    Effect.gen(function*() {
      const { journal, service } = yield* setting
      const inRun = <A, E>(work: Effect.Effect<A, E, Journal | Operator>) =>
        Effect.provide(work, Layer.merge(Journal.layer(journal), service.layer), { local: true })
      for (const isKilled of [false, true]) {
        const one = visit({ code: isKilled ? "V2" : "V1" })
        const { code } = factsOf(one)
        yield* inRun(Effect.gen(function*() {
          const { intend, receive, record } = yield* Journal
          yield* receive([{ ...factsOf(one), payload: one.payload, mapping: null }])
          yield* intend([code])
          const outcome: Outcome = { _tag: "Unknown", why: "no answer" }
          if (!isKilled) yield* record([{ code, event: { _tag: "Answered", outcome } }])
        }))
        yield* TestClock.adjust("6 seconds")
        const before = service.listings
        yield* inRun(Effect.gen(function*() {
          const asking = yield* Effect.forkChild(reconcile({ waitMillis: 5000 }))
          yield* turn
          assert.strictEqual(service.listings - before, 1, isKilled ? "killed" : "no response")
          yield* Fiber.join(asking)
        }))
      }
    }))

  it.effect("does not request an unreadable list repeatedly", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      const years = Array.from({ length: 8 }, (_, at) =>
        visit({ code: `Y${at}`, admittedAt: `${1990 + at}-06-01T08:00:00.000+07:00` }))
      yield* once(years)
      const before = service.listings
      service.listFaults.push(...Array<"no-list">(100).fill("no-list"))
      const remote = yield* drive(
        Effect.provide(statusRemote(), Layer.merge(Journal.layer(journal), service.layer), { local: true })
      )
      assert.strictEqual(remote.comparison.untold, years.length)
      assert.strictEqual(service.listings - before, 2)
    }))

  it.effect("I3: leaves DOUBT after a list without details", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push("lost-answer")
      service.details = "none"
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V1" })])), { visits: 1, sent: 1, doubt: 1 })
      onceEach(service)
    }))

  it.effect("I3: reports a code of another sender as DUPLICATE", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.hold({ code: "V1", patientCode: "P-OTHER", admittedAt: "2026-03-03T08:00:00.000+07:00" })
      const result = yield* once([visit({ code: "V1" })], { listFirst: false })
      assert.deepStrictEqual(counted(result), { visits: 1, sent: 1, duplicate: 1 })
      const again = yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(counted(again), { visits: 1, duplicate: 1 })
      assert.strictEqual(service.submitted("V1"), 1)
    }))

  it.effect("keeps and shows a status that is neither 1 nor 3, and resolves nothing", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      service.faults.push("lost-answer")
      service.listedStatus = "2"
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V1" })])), { visits: 1, sent: 1, doubt: 1 })
      const reported = yield* Effect.provide(journalStatus, JournalReader.layer(journal), { local: true })
      assert.include(reported.visits[0]?.why, "`2`")
      service.listedStatus = "1"
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V1" })])), { visits: 1, stored: 1 })
    }))

  it.effect("resolves a visit by a status that the facility configures", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const statuses = { stored: ["1", "processed"], partial: ["3", "waiting"] }
      service.faults.push("lost-answer", "lost-answer")
      service.listedStatus = "waiting"
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V1" })], { statuses })), {
        visits: 1,
        sent: 1,
        partial: 1
      })
      service.listedStatus = "processed"
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V2" })], { statuses })), {
        visits: 1,
        sent: 1,
        stored: 1
      })
    }))

  it.effect("I5: keeps the bytes in doubt when the source changes meanwhile", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const first = visit({ code: "V1", note: "first" })
      service.faults.push(...Array<Fault>(3).fill("lost-request"))
      assert.deepStrictEqual(counted(yield* once([first])), { visits: 1, sent: 1, unknown: 1 })
      const result = yield* once([visit({ code: "V1", note: "second" })])
      assert.deepStrictEqual(result.notable.flatMap((one) => outcomeProblems(one)).map(({ code }) => code), [
        "changed-since-stored"
      ])
      assert.deepStrictEqual(counted(result), { visits: 1, sent: 1, stored: 1, changedSince: 1 })
      assert.strictEqual(service.stored.get("V1")?.payload, first.payload)
      const later = yield* once([visit({ code: "V1", note: "second" })])
      assert.deepStrictEqual(counted(later), { visits: 1, skipped: 1, changedSince: 1 })
    }))

  it.effect("I5: keeps the bytes in doubt when the configured form changes meanwhile", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      const expected = { optional: "null", noReferral: "nulls", tilte: false } as const
      const input = visit({ code: "V1" })
      service.faults.push("lost-request", "denied")
      yield* once([input], { form: expected })
      // from here onwards as in the specification
      yield* once([input, visit({ code: "V2" })])
      const sent = service.log.flatMap((entry) => entry._tag === "Submit" ? entry.payloads : [])
      const [first, ...again] = sent.filter((payload) => payload.includes("\"V1\""))
      assert.include(first, "\"referrals\":{\"referred_from\":null,\"referred_to\":null}")
      assert.deepStrictEqual(again, [first, first])
      assert.include(sent.find((payload) => payload.includes("\"V2\"")), "\"referrals\":null")
      const changed = { ...input, payload: input.payload.replace("OPD", "IPD") }
      assert.deepStrictEqual(counted(yield* once([input], { form: expected })), { visits: 1, skipped: 1 })
      assert.strictEqual((yield* once([changed])).counts.changedSince, 1)
      const database = new DatabaseSync(journal.file, { readOnly: true })
      const kept = database.prepare("SELECT count(*) AS n FROM visit WHERE form IS NOT NULL").get()
      database.close()
      assert.strictEqual(kept?.["n"], 0)
    }))

  it.effect("I5: sends a visit that was certainly not sent in the current form", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const input = visit({ code: "V1" })
      service.faults.push("denied")
      yield* once([input], { form: { optional: "null", noReferral: "nulls", tilte: false } })
      yield* once([input])
      assert.strictEqual(service.stored.get("V1")?.payload, input.payload)
    }))

  it.effect("resolves a visit without a response from an earlier input", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      service.faults.push(...Array<Fault>(3).fill("lost-request"))
      yield* once([visit({ code: "V1" })])
      const result = yield* once([visit({ code: "V2" })])
      assert.deepStrictEqual(counted(result), { visits: 1, sent: 1, stored: 1 })
      assert.strictEqual(result.openElsewhere, 0)
      assert.deepStrictEqual(yield* known, ["V1 STORED", "V2 STORED"])
    }))

  it.effect("sends the other visits first when some never get a response, in this run and the next", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const visits = some(12)
      for (const { code } of visits.filter((_, index) => index % 2 === 0)) service.poisoned.add(code)
      const result = yield* once(visits)
      assert.deepStrictEqual(counted(result), { visits: 12, sent: 12, stored: 6, unknown: 6 })
      service.faults.push("lost-request")
      const next = yield* once([...visits, visit({ code: "V999" })])
      assert.strictEqual(next.counts.stored, 1)
      assert.strictEqual(next.stopped?._tag, "NoClearResponse")
      onceEach(service)
    }))

  it.effect("§3: sends an update without a response again until a response accepts it", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once([visit({ code: "V1", dischargedAt: null })])
      service.faults.push("lost-request")
      const closed = visit({ code: "V1" })
      assert.deepStrictEqual(counted(yield* once([closed])), { visits: 1, sent: 1, stored: 1 })
      assert.strictEqual(service.stored.get("V1")?.payload, closed.payload)
    }))

  it.effect("§3: keeps the first version stored if an update comes too late, and reports that the source differs", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      yield* once([visit({ code: "V1", dischargedAt: null })])
      // completed at the service by hand
      service.stored.set("V1", { ...present(service.stored.get("V1")), status: 1 })
      const result = yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(counted(result), { visits: 1, sent: 1, stored: 1, changedSince: 1 })
      const reported = yield* Effect.provide(journalStatus, JournalReader.layer(journal), { local: true })
      assert.isTrue(reported.visits[0]?.changedSince)
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V1" })])), { visits: 1, skipped: 1, changedSince: 1 })
      const first = yield* once([visit({ code: "V1", dischargedAt: null })])
      assert.deepStrictEqual(counted(first), { visits: 1, skipped: 1 })
    }))

  it.effect("§3: resolves the pending visits of an earlier run before it decides what to send", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push("lost-answer", "denied")
      yield* once([visit({ code: "V1", dischargedAt: null }), visit({ code: "V2" })])
      const closed = visit({ code: "V1" })
      assert.deepStrictEqual(counted(yield* once([closed])), { visits: 1, sent: 1, stored: 1 })
      assert.strictEqual(service.stored.get("V1")?.payload, closed.payload)
    }))
})

describe("a lost journal", () => {
  it.effect("reads the list first: ours is stored and not sent, another's is a duplicate", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once(some(3))
      service.hold({ code: "V004", patientCode: "P-OTHER", admittedAt: "2026-03-03T08:00:00.000+07:00" })
      const folder = yield* temporaryFolder
      const before = service.log.length
      const result = yield* drive(runOn(journalIn(folder), service, some(5)))
      assert.deepStrictEqual(counted(result), { visits: 5, sent: 1, stored: 4, duplicate: 1 })
      assert.strictEqual(service.log.length - before, 2, "one listing, one request")
    }))

  it.effect("reports visits that were stored before, because their content at the service is unknown", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once(some(2))
      const journal = journalIn(yield* temporaryFolder)
      const result = yield* drive(
        runOn(journal, service, [visit({ code: "V001", note: "other" }), ...some(3).slice(2)])
      )
      assert.deepStrictEqual(counted(result), { visits: 2, sent: 1, stored: 2 })
      assert.deepStrictEqual(
        result.notable.map((notable) => [notable.code, notable.outcome, outcomeProblems(notable)[0]?.code]),
        [[VisitCode("V001"), "stored", "content-unknown"]]
      )
      const known = yield* Effect.provide(journalStatus, JournalReader.layer(journal), { local: true })
      assert.deepStrictEqual(known.visits.map(({ code, state }) => [code, state]), [["V001", "STORED"]])
      assert.include(at(known.visits, 0).why, "may differ")
    }))

  it.effect("updates partly stored visits", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once([visit({ code: "V1", dischargedAt: null })])
      const closed = visit({ code: "V1" })
      const result = yield* drive(runOn(journalIn(yield* temporaryFolder), service, [closed]))
      assert.deepStrictEqual(counted(result), { visits: 1, sent: 1, stored: 1 })
      assert.strictEqual(service.stored.get("V1")?.payload, closed.payload)
    }))

  it.effect("§3: sends no update of a partly stored visit if the facility sends none", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once([visit({ code: "V1", dischargedAt: null })])
      const journal = journalIn(yield* temporaryFolder)
      const visits = [visit({ code: "V1" }), visit({ code: "V2" })]
      for (const counts of [{ visits: 2, sent: 1, stored: 1, partial: 1 }, { visits: 2, partial: 1, skipped: 1 }]) {
        const result = yield* drive(runOn(journal, service, visits, { holdPartial: true }))
        assert.deepStrictEqual(counted(result), counts)
        const held = result.notable.find(({ outcome }) => outcome === "partial")
        assert.deepStrictEqual(present(held).decision, { _tag: "Hold", why: "partial-and-held" })
        assert.strictEqual(outcomeProblems(present(held))[0]?.code, "stored-in-part")
      }
      assert.strictEqual(service.submitted("V1"), 1)
    }))

  it.effect("verifies each visit without the listing, and stores none twice", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once(some(3))
      const result = yield* drive(runOn(journalIn(yield* temporaryFolder), service, some(3), { listFirst: false }))
      assert.deepStrictEqual(counted(result), { visits: 3, sent: 3, stored: 3 })
      onceEach(service)
    }))

  it.effect("limits the listing", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const years = Array.from({ length: 60 }, (_, at) =>
        visit({ code: `Y${at}`, admittedAt: `${1960 + at}-06-01T08:00:00.000+07:00` }))
      const result = yield* once(years)
      assert.strictEqual(service.listings, 24)
      assert.strictEqual(result.counts.stored, 60)
    }))
})

describe("an acknowledgement is confirmed by the list", () => {
  const reported = (result: SubmitResult) =>
    result.contradicted.map((one) => [one.code, one.visit?.state, outcomeProblems(one)[0]?.code])

  it.effect("is looked up an hour after the response, once, and nothing is sent", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const first = yield* once(some(3))
      yield* TestClock.adjust("50 minutes")
      yield* once(some(3))
      assert.strictEqual(service.listings, first.listings)
      yield* TestClock.adjust("20 minutes")
      const later = yield* once(some(3))
      assert.deepStrictEqual([later.listings, counted(later), reported(later)], [1, { visits: 3, skipped: 3 }, []])
      yield* TestClock.adjust("20 minutes")
      assert.strictEqual((yield* once(some(3))).listings, 0)
    }))

  it.effect("a stored visit is looked up again when its age is four times that of the last lookup", () =>
    Effect.gen(function*() {
      const { once } = yield* setting
      yield* once(some(2))
      const looks: Array<number> = []
      // After the last look, what is due in an hour without a run is due in the next run.
      for (let hour = 1; hour < 800; hour += hour < 300 ? 1 : 50) {
        yield* TestClock.adjust(hour <= 300 ? "1 hour" : "50 hours")
        if ((yield* once([])).listings > 0) looks.push(hour)
      }
      assert.deepStrictEqual(looks, [1, 4, 17, 68, 273])
    }))

  it.effect("a stored visit that disappears after it was confirmed is reported in every run from the next lookup", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once(some(2))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(reported(yield* once([])), [])
      service.stored.delete("V002")
      yield* TestClock.adjust("4 hours")
      for (const _ of [1, 2]) {
        assert.deepStrictEqual(reported(yield* once([])), [[VisitCode("V002"), "STORED", "not-confirmed"]])
      }
    }))

  it.effect("reports a visit that the list does not show, or shows with another status, and keeps it stored", () =>
    Effect.gen(function*() {
      const { journal, known, once, service } = yield* setting
      yield* once(some(2))
      service.stored.delete("V002")
      service.listedStatus = "9"
      yield* TestClock.adjust("2 hours")
      const later = yield* once([])
      assert.deepStrictEqual(reported(later), [[VisitCode("V001"), "STORED", "not-confirmed"], [
        VisitCode("V002"),
        "STORED",
        "not-confirmed"
      ]])
      assert.deepStrictEqual(yield* known, ["V001 STORED", "V002 STORED"])
      const { visits } = yield* Effect.provide(journalStatus, JournalReader.layer(journal), { local: true })
      assert.include(at(visits, 0).why, "`9`")
      assert.include(at(visits, 1).why, "does not show it")
      assert.strictEqual(service.submitted("V002"), 1)
      // reported in every run until it is resolved
      const again = yield* once(some(2))
      assert.deepStrictEqual(
        [...reported(again), ...reported({ ...again, contradicted: again.notable })],
        reported(later)
      )
      service.listedStatus = null
      service.stored.set("V002", { ...present(service.stored.get("V001")), code: "V002", patientCode: "P-V002" })
      assert.deepStrictEqual(reported(yield* once(some(2))), [])
    }))

  it.effect("requests an unavailable list once a run, and continues", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      yield* once(some(2))
      yield* TestClock.adjust("2 hours")
      for (const fault of ["no-list", "limited"] as const) {
        service.listFaults.push(fault)
        const later = yield* once([...some(2), visit({ code: `N-${fault}` })])
        assert.deepStrictEqual([later.listings, later.stopped, later.counts.stored], [1, null, 1])
      }
      assert.strictEqual((yield* once([])).listings, 1)
    }))

  it.effect("has a configured time; `never` requests nothing", () =>
    Effect.gen(function*() {
      const { once } = yield* setting
      yield* once(some(1))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* once([], { confirmAfterMillis: null })).listings, 0)
      assert.strictEqual((yield* once([], { confirmAfterMillis: 600_000 })).listings, 1)
    }))
})

describe("a verdict that a person releases", () => {
  it.effect("sends a duplicate again after the operator has freed its code; keeps one that is still held", () =>
    Effect.gen(function*() {
      const { journal: file, known, once, service } = yield* setting
      const release = Effect.flatMap(
        Journal,
        (journal) => journal.record([{ code: VisitCode("V1"), event: { _tag: "Released" } }])
      ).pipe(Effect.provide(Journal.layer(file), { local: true }))
      service.hold({ code: "V1", patientCode: "P-other", admittedAt: "2026-03-03T08:00:00.000+07:00" })
      yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(yield* known, ["V1 DUPLICATE"])
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V1" })])), { visits: 1, duplicate: 1 })
      yield* release
      assert.deepStrictEqual(yield* known, ["V1 REFUSED"])
      yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(yield* known, ["V1 DUPLICATE"])
      yield* release
      service.stored.delete("V1")
      assert.deepStrictEqual(counted(yield* once([visit({ code: "V1" })])), { visits: 1, sent: 1, stored: 1 })
      onceEach(service)
    }))
})

describe("external failures", () => {
  const stops: ReadonlyArray<readonly [fault: Fault, tag: OperatorError["reason"]["_tag"]]> = [
    ["limited", "RateLimited"],
    ["denied", "AccessDenied"]
  ]
  for (const [fault, tag] of stops) {
    it.effect(`§7 §8 ${fault}: keeps what was certainly not processed READY, and the same command resumes`, () =>
      Effect.gen(function*() {
        const { known, once, service } = yield* setting
        service.faults.push("none", fault)
        const result = yield* once(some(3))
        assert.strictEqual(result.stopped?._tag === "OperatorError" && result.stopped.error.reason._tag, tag)
        assert.deepStrictEqual(counted(result), { visits: 3, sent: 1, stored: 1, left: 2 })
        assert.deepStrictEqual(yield* known, ["V001 STORED", "V002 READY", "V003 READY"])
        assert.deepStrictEqual(counted(yield* once(some(3))), { visits: 3, sent: 2, stored: 2, skipped: 1 })
      }))
  }

  it.effect("retries a missing connection four times, and uses one that returns", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push("unreachable", "unreachable")
      assert.deepStrictEqual(counted(yield* once(some(1))), { visits: 1, sent: 1, stored: 1 })
      service.faults.push(...Array<Fault>(5).fill("unreachable"))
      const result = yield* once([visit({ code: "V2" }), visit({ code: "V3" })])
      assert.strictEqual(result.stopped?._tag === "OperatorError" && result.stopped.error.reason._tag, "Unreachable")
      assert.deepStrictEqual(counted(result), { visits: 2, left: 2 })
    }))

  it.effect("does not retry without a token, because several were requested", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      service.faults.push("no-token")
      const result = yield* once(some(2))
      assert.strictEqual(result.stopped?._tag === "OperatorError" && result.stopped.error.withoutToken, true)
      assert.strictEqual(service.submitted("V001"), 1)
      assert.deepStrictEqual(yield* known, ["V001 READY", "V002 READY"])
    }))

  it.effect("keeps UNKNOWN after an attempt that was not sent", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      service.faults.push("lost-request", "denied")
      yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(yield* known, ["V1 UNKNOWN"])
    }))

  it.effect("does not count a request that a limit blocks as an attempt, and keeps the order", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      const attempts = Effect.provide(
        Effect.map(journalStatus, ({ visits }) => visits.map(({ attempts, code }) => `${code} ${attempts}`)),
        JournalReader.layer(journal),
        { local: true }
      )
      for (let run = 0; run < 2; run++) {
        service.faults.push("limited")
        yield* once([visit({ code: "V1" })])
      }
      assert.deepStrictEqual(yield* attempts, ["V1 0"])
      service.faults.push("lost-request", "limited", "limited", "limited")
      for (let run = 0; run < 3; run++) yield* once([visit({ code: "V1" })])
      assert.deepStrictEqual(yield* attempts, ["V1 1"])
      const before = service.log.length
      yield* once([visit({ code: "V0" }), visit({ code: "V1" })])
      const sent = service.log.slice(before).flatMap((entry) => entry._tag === "Submit" ? entry.codes : [])
      assert.deepStrictEqual(sent, ["V1", "V0"])
    }))

  it.effect("I7: stops after six requests in a row without a clear response", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      service.faults.push(...Array<Fault>(50).fill("500-not-stored"))
      const result = yield* once(some(20))
      assert.strictEqual(result.stopped?._tag, "NoClearResponse")
      assert.deepStrictEqual(counted(result), { visits: 20, sent: 6, unknown: 6, left: 14 })
      assert.strictEqual((yield* known).filter((line) => line.endsWith("UNKNOWN")).length, 6)
      service.faults.length = 0
      assert.deepStrictEqual(counted(yield* once(some(20))), { visits: 20, sent: 20, stored: 20 })
      onceEach(service)
    }))

  it.effect("uses the configured number of requests without a clear response, and the configured waits", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push(...Array.from({ length: 20 }, () => "500-not-stored" as const))
      const began = yield* Clock.currentTimeMillis
      const retry = {
        reads: 4,
        visits: 3,
        delayMillis: 100_000,
        longestMillis: 150_000,
        stopAfter: 4,
        deadlineMillis: 25_000,
        unknownPatientMillis: null
      }
      const result = yield* once(some(10), { retry })
      assert.strictEqual(result.stopped?._tag === "NoClearResponse" && result.stopped.requests, 4)
      // an eighth of the delay, the delay, the longest; of each at least a half
      const waited = (yield* Clock.currentTimeMillis) - began
      assert.isAtLeast(waited, (12_500 + 100_000 + 150_000) / 2)
      assert.isAtMost(waited, 12_500 + 100_000 + 150_000 + 10_000)
    }))

  it.effect("sends one visit as often as configured", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push(...Array.from({ length: 20 }, () => "lost-request" as const))
      yield* once(some(1), { retry: { ...defaultRetry, visits: 2 } })
      assert.strictEqual(service.submitted("V001"), 2)
    }))

  it.effect("I9: stops at once after a redirect", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push("redirect")
      const result = yield* once(some(3))
      assert.deepStrictEqual(counted(result), { visits: 3, sent: 1, unknown: 1, left: 2 })
      assert.strictEqual(result.stopped?._tag, "NoClearResponse")
    }))

  it.effect("keeps a defect of the client as a defect, with the visit UNKNOWN", () =>
    Effect.gen(function*() {
      const { known, once, service } = yield* setting
      service.faults.push("client-breaks")
      assert.isTrue(Exit.hasDies(yield* Effect.exit(once(some(2)))))
      assert.deepStrictEqual(yield* known, ["V001 UNKNOWN", "V002 READY"])
      assert.deepStrictEqual(counted(yield* once(some(2))), { visits: 2, sent: 1, stored: 2 })
      onceEach(service)
    }))

  it.effect("I4: sends nothing that does not fit into the journal", () =>
    Effect.gen(function*() {
      const { journal, service } = yield* setting
      const large = some(400).map(({ code }) => visit({ code, note: "x".repeat(1500) }))
      const exit = yield* Effect.exit(drive(runOn({ ...journal, maxBytes: 256 * 1024 }, service, large)))
      assert.isTrue(Exit.hasFails(exit))
      const sent = service.log.filter(({ _tag }) => _tag === "Submit").length
      const last = Effect.flatMap(JournalReader, (reader) => reader.lastRun)
      const ended = yield* Effect.provide(last, JournalReader.layer(journal), { local: true })
      assert.strictEqual(ended?.ending, "no-room")
      const result = yield* drive(runOn(journal, service, large))
      assert.strictEqual(result.counts.stored + result.counts.skipped, 400)
      assert.isAtLeast(sent + result.counts.sent, 400)
      onceEach(service)
    }))
})

describe("interruption", () => {
  /** A run of three visits that is interrupted while two are on their way: its result, and how long it took to end. */
  const interrupted = (journal: JournalOptions, service: FakeService) =>
    Effect.gen(function*() {
      const reported: Array<SubmitResult> = []
      const running = yield* Effect.forkChild(runOn(journal, service, some(3), {
        listFirst: false,
        onInterrupted: (result) =>
          Effect.sync(() => {
            reported.push(result)
          })
      }))
      while (service.log.length < 2) yield* turn
      const before = yield* Clock.currentTimeMillis
      const stopping = yield* Effect.forkChild(Fiber.interrupt(running))
      yield* drive(Fiber.join(stopping))
      return { told: only(reported), millis: (yield* Clock.currentTimeMillis) - before }
    })

  it.effect("I2: gives the request in flight a few seconds, then UNKNOWN, and reports the state of each visit", () =>
    Effect.gen(function*() {
      const { journal, known, once, service } = yield* setting
      service.faults.push("none", "silence")
      const { millis, told: reported } = yield* interrupted(journal, service)
      assert.isAtMost(millis, 20_000)
      assert.deepStrictEqual(yield* known, ["V001 STORED", "V002 UNKNOWN", "V003 READY"])
      assert.deepStrictEqual(counted(reported), { visits: 3, sent: 2, stored: 1, unknown: 1, left: 1 })
      assert.deepStrictEqual(counted(yield* once(some(3))), { visits: 3, sent: 1, stored: 2, skipped: 1 })
      onceEach(service)
    }))

  it.effect("returns a visit that waits for a limit to READY, and ends at once", () =>
    Effect.gen(function*() {
      const { journal, known, once, service } = yield* setting
      service.faults.push("none", "queued")
      const { millis, told: reported } = yield* interrupted(journal, service)
      assert.isAtMost(millis, 2_000)
      assert.deepStrictEqual(yield* known, ["V001 STORED", "V002 READY", "V003 READY"])
      assert.deepStrictEqual(counted(reported), { visits: 3, sent: 1, stored: 1, left: 2 })
      assert.deepStrictEqual(counted(yield* once(some(3))), { visits: 3, sent: 2, stored: 2, skipped: 1 })
      onceEach(service)
    }))

  it.effect("abandons a client that never ends, with an unknown outcome", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push("silence")
      const limits = { deadline: "90 seconds", grace: "5 seconds" } as const
      assert.deepStrictEqual(counted(yield* once(some(1), { limits })), { visits: 1, sent: 1, stored: 1 })
      assert.strictEqual(service.submitted("V001"), 1)
    }))
})

describe("several visits per request", () => {
  const batch = (service: FakeService) =>
    service.log.flatMap((entry) => entry._tag === "Submit" ? [entry.codes.length] : [])

  it.effect("resolves all of them when the whole request is stored", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      assert.deepStrictEqual(counted(yield* once(some(10), { batch: 4 })), { visits: 10, sent: 10, stored: 10 })
      assert.deepStrictEqual(batch(service), [4, 4, 2])
    }))

  for (const batches of ["all-or-nothing", "one-by-one"] as const) {
    it.effect(`I1 I2: isolates one bad visit by its index, and resolves the rest one by one (${batches})`, () =>
      Effect.gen(function*() {
        const { once, service } = yield* setting
        service.batches = batches
        yield* once([visit({ code: "V003" })])
        const visits = some(6)
        visits[4] = visit({ code: "V005", visitType: "" })
        const folder = yield* temporaryFolder
        const result = yield* drive(runOn(journalIn(folder), service, visits, { batch: 6, listFirst: false }))
        assert.deepStrictEqual(counted(result), { visits: 6, sent: 6, stored: 5, refused: 1 })
        assert.strictEqual(service.submitted("V005"), 1)
        onceEach(service)
      }))
  }

  it.effect("puts all of them to UNKNOWN after a response without a verdict, and resolves each", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.faults.push("lost-answer", "500-not-stored")
      const result = yield* once(some(8), { batch: 4 })
      assert.deepStrictEqual(counted(result), { visits: 8, sent: 8, stored: 8 })
      assert.deepStrictEqual(batch(service), [4, 4, 1, 1, 1, 1])
      onceEach(service)
    }))

  it.effect("§3: looks up each visit after 'stored in part', which does not name one", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      const visits = some(3)
      visits[1] = visit({ code: "V002", dischargedAt: null })
      assert.deepStrictEqual(counted(yield* once(visits, { batch: 3 })), { visits: 3, sent: 3, stored: 2, partial: 1 })
      onceEach(service)
    }))

  it.effect("413: halves a request that is too large; refuses a single visit that is too large", () =>
    Effect.gen(function*() {
      const { once, service } = yield* setting
      service.maxBytes = 1000
      const visits = some(8)
      visits[2] = visit({ code: "V003", note: "x".repeat(2000) })
      const result = yield* once(visits, { batch: 8 })
      assert.deepStrictEqual(counted(result), { visits: 8, sent: 8, stored: 7, refused: 1 })
      assert.strictEqual(result.notable[0]?.visit?.problem, "too-large")
    }))
})

describe("status", () => {
  it.effect("shows counts, and each unresolved visit with its reason and next step; codes only", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      service.hold({ code: "V004", patientCode: "P-OTHER", admittedAt: "2026-03-03T08:00:00.000+07:00" })
      service.faults.push("none", "none", "lost-request", "denied")
      const visits = some(5)
      visits[1] = visit({ code: "V002", visitType: "", note: "SECRET", patient: "P-SECRET" })
      yield* once(visits)
      const reported = yield* Effect.provide(journalStatus, JournalReader.layer(journal), { local: true })
      assert.deepStrictEqual(reported.visits.map(({ code, state }) => `${code} ${state}`), [
        "V003 UNKNOWN",
        "V004 DUPLICATE",
        "V002 REFUSED",
        "V005 READY"
      ])
      assert.strictEqual(reported.total, 5)
      assert.strictEqual(reported.counts.STORED, 1)
      assert.strictEqual(reported.lastRun?.ending, "stopped")
      assert.isFalse(reported.inUse)
      for (const { next, why } of reported.visits) {
        assert.isAbove(why.length, 10)
        assert.isAbove(next.length, 10)
      }
      assert.notInclude(JSON.stringify(reported), "SECRET")
    }))

  it.effect("--remote looks up and resolves what it can, and sends nothing", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      service.faults.push("lost-answer", "denied")
      yield* once([visit({ code: "V1" }), visit({ code: "V2", dischargedAt: null })])
      service.stored.set("V2", { ...present(service.stored.get("V1")), code: "V2", patientCode: "P-V2", status: 1 })
      const requests = service.submitted("V1")
      const { reconciled, status: reported } = yield* drive(Effect.provide(
        statusRemote(),
        Layer.merge(Journal.layer(journal), service.layer),
        { local: true }
      ))
      assert.strictEqual(reconciled.asked, 1)
      assert.strictEqual(reported.counts.STORED, 2)
      assert.strictEqual(service.submitted("V1"), requests)
    }))

  it.effect("--remote counts a listed visit once, also if the dates of two listings overlap", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      // three months, a visit every day: more than one listing takes, and no gap between them
      const dates = Array.from({ length: 90 }, (_, at) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString())
      yield* once(
        dates.map((date, at) => visit({ code: `V${at}`, admittedAt: `${date.slice(0, 10)}T08:00:00.000+07:00` }))
      )
      const listings = service.listings
      const { comparison } = yield* drive(Effect.provide(
        statusRemote(),
        Layer.merge(Journal.layer(journal), service.layer),
        { local: true }
      ))
      assert.isAbove(service.listings - listings, 2)
      assert.deepStrictEqual(comparison.statuses, { "1": 90 })
      assert.deepStrictEqual([comparison.compared, comparison.disagreements], [90, []])
    }))

  it.effect("--remote lists the dates of many years with few requests, and shows how many before the first", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      const visits = Array.from(
        { length: 120 },
        (_, index) =>
          visit({
            code: `V${index}`,
            admittedAt: `${1976 + Math.floor(index / 3)}-0${1 + (index % 3) * 4}-05T08:00:00.000+07:00`
          })
      )
      yield* once(visits)
      const compare = (perPage = 100) =>
        Effect.gen(function*() {
          const before = service.listings
          const forecasts: Array<readonly [listings: number, visits: number, sent: number]> = []
          const { comparison } = yield* drive(Effect.provide(
            statusRemote({
              perPage,
              onForecast: ({ listings, visits }) =>
                Effect.sync(() => void forecasts.push([listings, visits, service.listings - before]))
            }),
            Layer.merge(Journal.layer(journal), service.layer),
            { local: true }
          ))
          assert.deepStrictEqual([comparison.compared, comparison.disagreements], [120, []])
          return { forecasts, listings: service.listings - before }
        })
      assert.deepStrictEqual(yield* compare(), { forecasts: [[24, 120, 0]], listings: 24 })
      // a service that refuses a long range of dates is asked for each date
      service.listFaults.push("no-list")
      assert.strictEqual((yield* compare()).listings, 121)
    }))

  it.effect("--remote looks up partly stored visits", () =>
    Effect.gen(function*() {
      const { journal, once, service } = yield* setting
      yield* once([visit({ code: "V1", dischargedAt: null })])
      service.stored.set("V1", { ...present(service.stored.get("V1")), status: 1 })
      const { status: reported } = yield* drive(Effect.provide(
        statusRemote(),
        Layer.merge(Journal.layer(journal), service.layer),
        { local: true }
      ))
      assert.strictEqual(reported.counts.STORED, 1)
    }))
})

it.effect("I8: after a run the journal file holds no payload of a stored visit", () =>
  Effect.gen(function*() {
    const { journal, once, service } = yield* setting
    service.faults.push("none", "lost-request", "lost-answer")
    const visits = some(6).map(({ code }) => visit({ code, note: "CANARY-7f3a" }))
    yield* once(visits)
    assert.isFalse(readFileSync(journal.file).includes("CANARY-7f3a"))
    assert.isTrue(readFileSync(journal.file).includes(factsOf(at(visits, 0)).fingerprint))
  }))
