import { assert, describe, it } from "@effect/vitest"
import type { Outcome, RefusalReason } from "../../src/service/responses/Outcome.ts"
import {
  type ListEvidence,
  unsent,
  type VisitEvent,
  type VisitState,
  visitStates,
  type VisitStatus
} from "../../src/submission/journal/VisitState.ts"
import { maySend, nextState, releasableStates } from "../../src/submission/nextState.ts"

const reasons: ReadonlyArray<RefusalReason> = [
  "visit-already-submitted",
  "admission-date-changed",
  "admission-time-taken",
  "field-refused",
  "refused-other",
  "too-large"
]
const outcomes: ReadonlyArray<Outcome> = [
  { _tag: "Stored", uuid: "u" },
  { _tag: "PartlyStored", uuid: "u" },
  { _tag: "Unknown", why: "no answer" },
  ...reasons.map((reason): Outcome => ({ _tag: "Refused", reason, status: 422 }))
]
const evidence: ReadonlyArray<ListEvidence> = [
  { _tag: "Ours", status: "stored" },
  { _tag: "Ours", status: "partial" },
  { _tag: "Ours", status: "other" },
  { _tag: "Ours", status: "none" },
  { _tag: "Anothers" },
  { _tag: "Untold" },
  { _tag: "NotListed" },
  { _tag: "Taken" },
  { _tag: "NoList" }
]
const events: ReadonlyArray<VisitEvent> = [
  { _tag: "Changed" },
  { _tag: "Intended" },
  { _tag: "NotSent" },
  { _tag: "Reopened" },
  { _tag: "Withheld", because: "admission-time-taken" },
  { _tag: "Withheld", because: "duplicate-code" },
  { _tag: "Released" },
  { _tag: "Accepted" },
  { _tag: "LeftToOperator" },
  ...outcomes.map((outcome): VisitEvent => ({ _tag: "Answered", outcome })),
  ...evidence.map((evidence): VisitEvent => ({ _tag: "Looked", evidence }))
]

const both = [false, true]
const allStatuses: ReadonlyArray<VisitStatus> = visitStates.flatMap((state) =>
  both.flatMap((open) =>
    both.flatMap((held) =>
      both.flatMap((looked) =>
        // only what the service acknowledged can be missing from its list
        (state === "STORED" ? both : [false]).map((unlisted) => ({ state, open, held, looked, unlisted }))
      )
    )
  )
)

const every = (check: (before: VisitStatus, event: VisitEvent, after: VisitStatus | null) => void) => {
  for (const before of allStatuses) for (const event of events) check(before, event, nextState(before, event))
}
const show = (before: VisitStatus, event: VisitEvent) => `${JSON.stringify(before)} ${JSON.stringify(event)}`
const answer = (outcome: Outcome): VisitEvent => ({ _tag: "Answered", outcome })
const look = (evidence: ListEvidence): VisitEvent => ({ _tag: "Looked", evidence })
const refuse = (reason: RefusalReason) => answer({ _tag: "Refused", reason, status: 422 })
const at = (state: VisitState, facts: Partial<VisitStatus> = {}): VisitStatus => ({ ...unsent, state, ...facts })
const stateAfter = (before: VisitStatus, ...happenings: ReadonlyArray<VisitEvent>): VisitState | null => {
  let now: VisitStatus | null = before
  for (const event of happenings) now = now === null ? null : nextState(now, event)
  return now?.state ?? null
}

describe("every state and every event", () => {
  it("returns a result, and never changes its input", () => {
    let answers = 0
    every((before, event, after) => {
      answers++
      if (after !== null) assert.include(visitStates, after.state, show(before, event))
      assert.deepStrictEqual(nextState(Object.freeze({ ...before }), event), after, show(before, event))
    })
    assert.strictEqual(answers, (9 * 8 + 16) * events.length)
  })

  it("I1: sends only from READY or UNKNOWN, and after an attempt without a response only after a lookup", () =>
    every((before, event, after) => {
      if (event._tag !== "Intended") {
        assert.notStrictEqual(after?.state, "SENDING", show(before, event))
        return
      }
      const clear = before.state === "READY" || before.state === "UNKNOWN"
      const requested = before.looked || (before.state === "READY" && !before.open)
      assert.strictEqual(after !== null, clear && requested, show(before, event))
      assert.strictEqual(maySend(before), after !== null, show(before, event))
      if (after !== null) assert.deepStrictEqual(after, { ...before, state: "SENDING", looked: false })
    }))

  it("I3: STORED needs a plain 200, our own record in the list, or a person's decision about a visit in doubt", () =>
    every((before, event, after) => {
      if (after?.state !== "STORED" || before.state === "STORED") return
      const answered = event._tag === "Answered" && event.outcome._tag === "Stored" && before.state === "SENDING"
      const ours = event._tag === "Looked" && event.evidence._tag === "Ours" ? event.evidence.status : undefined
      // a list without statuses says no more than that the visit is there, which an acknowledged part of it is as well
      const listed = ours === "stored" || (ours === "none" && !before.held && before.state !== "PARTIAL")
      const accepted = event._tag === "Accepted" && ["DOUBT", "DUPLICATE"].includes(before.state)
      assert.isTrue(answered || listed || accepted, show(before, event))
    }))

  it("I3: PARTIAL needs a 200 with status 3 or our own record in the list with it", () =>
    every((before, event, after) => {
      if (after?.state !== "PARTIAL" || before.state === "PARTIAL") return
      const answered = event._tag === "Answered" && event.outcome._tag === "PartlyStored"
      const listed = event._tag === "Looked" && event.evidence._tag === "Ours" && event.evidence.status === "partial"
      assert.isTrue(answered || listed, show(before, event))
    }))

  it("I3: DUPLICATE needs another sender's record in the list", () =>
    every((before, event, after) => {
      if (after?.state !== "DUPLICATE" || before.state === "DUPLICATE") return
      assert.isTrue(event._tag === "Looked" && event.evidence._tag === "Anothers", show(before, event))
    }))

  it("a visit leaves STORED only by a person's decision if the list does not show it; its bytes are never replaced", () =>
    every((before, event, after) => {
      if (before.state !== "STORED") return
      const released = event._tag === "Released" && before.unlisted
      assert.isTrue(after === null || after.state === "STORED" || released, show(before, event))
      if (event._tag === "Changed" || event._tag === "Intended") assert.isNull(after, show(before, event))
    }))

  it("only a STORED visit becomes unlisted, by a whole list without it, until a list shows it or a person decides", () =>
    every((before, event, after) => {
      if (after === null) return
      if (after.unlisted) assert.strictEqual(after.state, "STORED", show(before, event))
      const evidence = event._tag === "Looked" ? event.evidence._tag : null
      if (after.unlisted && !before.unlisted) assert.include(["NotListed", "Anothers", "Taken"], evidence)
      if (before.unlisted && !after.unlisted) {
        assert.isTrue(
          evidence === "Ours" || event._tag === "Released" || event._tag === "Accepted",
          show(before, event)
        )
      }
    }))

  it("a person's decision erases no evidence of an attempt of ours", () =>
    every((before, event, after) => {
      if (event._tag !== "Released" || after === null) return
      assert.strictEqual(after.open, before.open || before.state === "STORED", show(before, event))
      assert.strictEqual(after.held, before.held, show(before, event))
      // a lookup that repeats the result from before the decision is no new evidence
      for (const _tag of ["NotListed", "Anothers", "Untold", "NoList", "Taken"] as const) {
        const later = nextState(after, look({ _tag }))
        assert.strictEqual(later?.open, after.open, `${show(before, event)} ${_tag}`)
      }
    }))

  it("I5: bytes in doubt are not replaced before they are resolved", () =>
    every((before, event, after) => {
      if (event._tag !== "Changed" || after === null) return
      assert.notInclude(["SENDING", "UNKNOWN", "VERIFY", "DOUBT", "STORED", "DUPLICATE"], before.state)
      if (before.state !== "PARTIAL" && before.open) assert.isTrue(before.looked, show(before, event))
    }))

  it("VERIFY and DOUBT are never sent again", () => {
    for (const state of ["VERIFY", "DOUBT"] as const) {
      for (const before of allStatuses.filter((standing) => standing.state === state)) {
        for (const event of events) {
          assert.notInclude(["READY", "SENDING", "UNKNOWN"], nextState(before, event)?.state, show(before, event))
        }
      }
    }
  })

  it("I2: an unknown outcome stays unknown until there is evidence", () =>
    every((before, event, after) => {
      if (!before.open || after === null || after.open) return
      const clear = event._tag === "Answered" &&
        (event.outcome._tag === "Stored" || event.outcome._tag === "PartlyStored")
      const listed = event._tag === "Looked" && (event.evidence._tag === "Ours" || event.evidence._tag === "Anothers")
      // the same bytes were refused, and a whole list does not have them
      const refusedAndAbsent = event._tag === "Looked" && !before.looked
        && (event.evidence._tag === "NotListed" || event.evidence._tag === "Taken")
        && (before.state === "REFUSED" || before.state === "CONFLICT")
      // the service has a record that excludes it
      const taken = event._tag === "Looked" && event.evidence._tag === "Taken" && after.state === "CONFLICT"
      assert.isTrue(
        clear || listed || refusedAndAbsent || taken || event._tag === "Accepted",
        show(before, event)
      )
    }))

  it("an attempt that was certainly not sent restores the state before it", () => {
    for (const before of allStatuses) {
      const sending = nextState(before, { _tag: "Intended" })
      if (sending === null) continue
      const after = nextState(sending, { _tag: "NotSent" })
      if (before.state === "UNKNOWN" && before.open) assert.deepStrictEqual(after, before)
      if (before.state === "READY" && !before.open) assert.deepStrictEqual(after, { ...before, looked: false })
      assert.isTrue(after !== null && maySend(after), "it may be sent")
    }
  })

  it("a person can release a verdict, but not a visit that the service acknowledged and lists, nor one without a response", () =>
    every((before, event, after) => {
      if (event._tag !== "Released") return
      const may = ["REFUSED", "CONFLICT", "DUPLICATE", "DOUBT"].includes(before.state) || before.unlisted
      const open = before.open || before.state === "STORED"
      assert.deepStrictEqual(
        after,
        may ? { ...before, state: "REFUSED", open, looked: true, unlisted: false } : null,
        show(before, event)
      )
    }))

  it("offers for release exactly the states that a person can release", () => {
    const released = allStatuses.filter((status) => nextState(status, { _tag: "Released" }) !== null)
    assert.sameMembers([...releasableStates], [...new Set(released.map(({ state }) => state))])
  })

  it("a person can accept a visit in doubt, a duplicate, and a stored visit that the list does not show", () =>
    every((before, event, after) => {
      if (event._tag !== "Accepted") return
      const may = ["DOUBT", "DUPLICATE"].includes(before.state) || before.unlisted
      assert.deepStrictEqual(after, may ? at("STORED", { looked: true }) : null, show(before, event))
    }))

  it("§3 §4.5: a visit is withheld only if the service cannot hold it", () =>
    every((before, event, after) => {
      if (event._tag !== "Withheld") return
      assert.strictEqual(
        after?.state ?? null,
        before.state === "READY" && !before.open && !before.held ? "CONFLICT" : null
      )
    }))

  it("only a visit that is SENDING can be answered or not sent", () =>
    every((before, event, after) => {
      if (event._tag === "Answered" || event._tag === "NotSent") {
        assert.strictEqual(after !== null, before.state === "SENDING", show(before, event))
      }
    }))
})

describe("the meaning of an outcome", () => {
  const sending = at("SENDING")
  const table: ReadonlyArray<readonly [name: string, event: VisitEvent, first: VisitState, afterOpen: VisitState]> = [
    ["§4.5 200 with status 1", answer({ _tag: "Stored", uuid: null }), "STORED", "STORED"],
    ["§3 200 with status 3", answer({ _tag: "PartlyStored", uuid: null }), "PARTIAL", "PARTIAL"],
    ["§7 422 visit code already submitted", refuse("visit-already-submitted"), "VERIFY", "VERIFY"],
    ["§7 422 same admission time", refuse("admission-time-taken"), "CONFLICT", "VERIFY"],
    ["§7 422 admission date differs", refuse("admission-date-changed"), "CONFLICT", "CONFLICT"],
    ["§7 422 validation", refuse("field-refused"), "REFUSED", "REFUSED"],
    ["422 that is not documented", refuse("refused-other"), "REFUSED", "REFUSED"],
    ["413 for one visit", refuse("too-large"), "REFUSED", "REFUSED"],
    ["§7 500, no answer, not understood", answer({ _tag: "Unknown", why: "" }), "UNKNOWN", "UNKNOWN"],
    ["certainly not looked at", { _tag: "NotSent" }, "READY", "UNKNOWN"],
    ["killed", { _tag: "Reopened" }, "UNKNOWN", "UNKNOWN"]
  ]
  for (const [name, event, first, afterOpen] of table) {
    it(`${name}: ${first} at the first try, ${afterOpen} when an earlier one is open`, () => {
      assert.strictEqual(stateAfter(sending, event), first)
      assert.strictEqual(stateAfter({ ...sending, open: true }, event), afterOpen)
    })
  }
})

describe("the meaning of the list", () => {
  const table: ReadonlyArray<
    readonly [evidence: ListEvidence, unknown: VisitState, verify: VisitState, doubt: VisitState]
  > = [
    [{ _tag: "Ours", status: "stored" }, "STORED", "STORED", "STORED"],
    [{ _tag: "Ours", status: "partial" }, "PARTIAL", "PARTIAL", "PARTIAL"],
    [{ _tag: "Ours", status: "other" }, "DOUBT", "DOUBT", "DOUBT"],
    [{ _tag: "Ours", status: "none" }, "STORED", "STORED", "STORED"],
    [{ _tag: "Anothers" }, "DUPLICATE", "DUPLICATE", "DUPLICATE"],
    [{ _tag: "Untold" }, "UNKNOWN", "DOUBT", "DOUBT"],
    [{ _tag: "NotListed" }, "UNKNOWN", "DOUBT", "DOUBT"],
    [{ _tag: "Taken" }, "UNKNOWN", "CONFLICT", "CONFLICT"],
    [{ _tag: "NoList" }, "UNKNOWN", "DOUBT", "DOUBT"]
  ]
  for (const [evidence, unknown, verify, doubt] of table) {
    it(`${JSON.stringify(evidence)}: UNKNOWN → ${unknown}, VERIFY → ${verify}, DOUBT → ${doubt}`, () => {
      assert.strictEqual(stateAfter(at("UNKNOWN", { open: true }), look(evidence)), unknown)
      assert.strictEqual(stateAfter(at("VERIFY"), look(evidence)), verify)
      assert.strictEqual(stateAfter(at("DOUBT"), look(evidence)), doubt)
    })
  }

  it("sends the same bytes again after a lost response only if the list does not show the visit", () => {
    const lost = at("UNKNOWN", { open: true })
    assert.isNull(nextState(lost, { _tag: "Intended" }))
    assert.strictEqual(stateAfter(lost, look({ _tag: "NotListed" }), { _tag: "Intended" }), "SENDING")
    assert.strictEqual(stateAfter(lost, look({ _tag: "NoList" }), { _tag: "Intended" }), "SENDING")
  })

  it("does not send a visit that is found before its first attempt; updates one that is found in part", () => {
    assert.strictEqual(stateAfter(unsent, look({ _tag: "Ours", status: "stored" })), "STORED")
    assert.strictEqual(stateAfter(unsent, look({ _tag: "Anothers" })), "DUPLICATE")
    assert.deepStrictEqual(nextState(unsent, look({ _tag: "Ours", status: "partial" })), {
      state: "READY",
      open: false,
      held: true,
      looked: true,
      unlisted: false
    })
    assert.strictEqual(stateAfter(unsent, look({ _tag: "Untold" })), "READY")
    assert.strictEqual(stateAfter(unsent, look({ _tag: "NotListed" })), "READY")
  })

  it("a list with status 3 does not resolve an update without a response: it may show the earlier record", () => {
    const update = at("UNKNOWN", { open: true, held: true })
    assert.strictEqual(stateAfter(update, look({ _tag: "Ours", status: "partial" })), "UNKNOWN")
    assert.strictEqual(stateAfter(update, look({ _tag: "Ours", status: "partial" }), { _tag: "Intended" }), "SENDING")
    assert.strictEqual(stateAfter(update, look({ _tag: "Ours", status: "stored" })), "STORED")
  })

  it("§4.6: a partly stored visit stays so if the list shows no status, and its update is still to be sent", () => {
    const none = look({ _tag: "Ours", status: "none" })
    assert.strictEqual(stateAfter(at("PARTIAL", { held: true }), none), "PARTIAL")
    assert.strictEqual(stateAfter(at("READY", { held: true }), none, { _tag: "Intended" }), "SENDING")
    assert.strictEqual(stateAfter(at("UNKNOWN", { open: true, held: true }), none), "UNKNOWN")
    assert.strictEqual(stateAfter(at("VERIFY", { held: true }), none), "DOUBT")
  })

  it("a refused update stays refused when the list shows the earlier partial record", () => {
    for (const state of ["REFUSED", "CONFLICT"] as const) {
      for (const status of ["partial", "none"] as const) {
        assert.strictEqual(stateAfter(at(state, { held: true }), look({ _tag: "Ours", status })), state)
      }
    }
  })

  it("a refusal of the same bytes and a list without them resolve an open attempt", () => {
    const refused = at("REFUSED", { open: true })
    assert.isNull(nextState(refused, { _tag: "Changed" }))
    assert.deepStrictEqual(nextState(refused, look({ _tag: "NotListed" })), at("REFUSED", { looked: true }))
    assert.strictEqual(stateAfter(refused, look({ _tag: "Ours", status: "stored" })), "STORED")
  })
})

it("§3: a visit stored in part is updated when its source has changed", () => {
  const path: ReadonlyArray<VisitEvent> = [
    { _tag: "Intended" },
    answer({ _tag: "PartlyStored", uuid: "u" }),
    { _tag: "Changed" },
    { _tag: "Intended" },
    answer({ _tag: "Stored", uuid: "u" })
  ]
  assert.strictEqual(stateAfter(unsent, ...path), "STORED")
})
