import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import type { JournalVisit } from "../../src/submission/journal/JournalVisit.ts"
import { unsent, type VisitState } from "../../src/submission/journal/VisitState.ts"
import { explainPlan, planReasons, summarisePlan } from "../../src/submission/plan/explainPlan.ts"
import { planAgainst } from "../../src/submission/plan/intake.ts"
import type { PlannedVisit, PlanOptions, Sent } from "../../src/submission/plan/plan.ts"
import { PlanDraft } from "../../src/submission/plan/PlanDraft.ts"
import { factsOf, type VisitFacts } from "../../src/submission/Submission.ts"
import { EncounterCode, FacilityCode, PatientCode, VisitCode } from "../../src/visit/values/Code.ts"
import { present } from "../present.ts"
import { journalIn, type SampleVisit, temporaryFolder, visit } from "./samples.ts"

const options: PlanOptions = { facility: FacilityCode("HF0001") }

/** What the journal knows of a visit that was frozen like this. */
const known = (sample: SampleVisit, state: VisitState, more: Partial<JournalVisit> = {}): JournalVisit => {
  const { admittedAt, code, fingerprint, patientCode, source } = factsOf(visit(sample))
  return {
    ...unsent,
    state,
    code,
    fingerprint,
    patientCode,
    admittedAt,
    source,
    mapping: null,
    attempts: 1,
    sentFingerprint: fingerprint,
    heldFingerprint: null,
    heldAdmittedAt: null,
    changedSince: false,
    withdrawn: false,
    unseen: false,
    unlisted: false,
    moreFields: 0,
    said: null,
    uuid: null,
    problem: null,
    field: null,
    status: null,
    listedStatus: null,
    listError: null,
    attemptedAt: null,
    listedAt: null,
    updatedAt: "",
    ...more
  }
}
const plan = (
  visits: ReadonlyArray<VisitFacts>,
  known: ReadonlyMap<string, JournalVisit>,
  options: PlanOptions,
  sent: Sent = { ofPatient: new Map(), withEncounter: new Map() }
): { readonly visits: ReadonlyArray<PlannedVisit> } => {
  const draft = new PlanDraft(options)
  try {
    for (const visit of visits) draft.add(visit, known.get(visit.code), sent)
    return { visits: [...draft.plan.visits] }
  } finally {
    draft.close()
  }
}

const decisions = (
  samples: ReadonlyArray<SampleVisit>,
  rows: ReadonlyArray<JournalVisit>,
  more: Partial<PlanOptions> = {}
) =>
  plan(samples.map((sample) => factsOf(visit(sample))), new Map(rows.map((row) => [row.code, row])), {
    ...options,
    ...more
  }).visits.map(({ decision }) => `${decision._tag} ${decision.why}`)

const before: SampleVisit = { code: "V1" }
const now: SampleVisit = { code: "V1", note: "corrected" }
const otherTime: SampleVisit = { code: "V1", admittedAt: "2026-03-03T08:20:00.000+07:00" }
const otherPatient: SampleVisit = { code: "V1", patient: "P-other" }
const another: SampleVisit = { ...otherPatient, admittedAt: "2027-01-04T08:00:00.000+07:00" }
const otherDate: SampleVisit = { code: "V1", admittedAt: "2026-03-04T08:00:00.000+07:00" }

describe("one visit", () => {
  const released = { problem: "released" } as const
  const held = { held: true, heldAdmittedAt: "2026-03-03T08:00:00.000+07:00" }
  const table: ReadonlyArray<
    readonly [name: string, row: JournalVisit | null, input: SampleVisit, decision: string, more?: Partial<PlanOptions>]
  > = [
    ["that the journal does not know", null, before, "Send new"],
    ["that an earlier run froze and did not send", known(before, "READY"), before, "Send left-over"],
    ["the same, changed since", known(before, "READY"), now, "Send left-over"],
    ["§3: stored, unchanged", known(before, "STORED"), before, "Skip stored"],
    ["§3: stored, changed since", known(before, "STORED"), now, "Hold stored-and-changed"],
    ["§3: stored, changed since, even if released", known(before, "STORED", released), now, "Hold stored-and-changed"],
    ["stored, with another patient code now", known(before, "STORED"), otherPatient, "Hold stored-and-changed"],
    ...(["STORED", "PARTIAL", "UNKNOWN"] as const).map((state) =>
      [
        `§4.5 rule 2: ${state}, and the code of another visit now`,
        known(before, state, state === "PARTIAL" ? held : {}),
        another,
        "Hold visit-code-known"
      ] as const
    ),
    ["not sent, and the code of another visit now", known(before, "READY"), another, "Send left-over"],
    [
      "released, and the code of another visit now",
      known(before, "REFUSED", { ...released, open: true, looked: true }),
      another,
      "Send changed-after-refusal"
    ],
    ["§3: stored in part, unchanged", known(before, "PARTIAL", held), before, "Hold partial-and-unchanged"],
    ["§3: stored in part, changed since", known(before, "PARTIAL", held), now, "Send update-of-partial"],
    [
      "stored in part, another time of the same day",
      known(before, "PARTIAL", held),
      otherTime,
      "Send update-of-partial"
    ],
    [
      "§3: stored in part, now with another admission date",
      known(before, "PARTIAL", held),
      otherDate,
      "Hold partial-with-other-admission-date"
    ],
    [
      "an update that was not sent, now with another admission date",
      known(before, "READY", held),
      otherDate,
      "Hold partial-with-other-admission-date"
    ],
    ...(["PARTIAL", "READY", "REFUSED"] as const).map((state) =>
      [
        `an update of a partly stored visit, ${state}, if the facility sends none`,
        known(before, state, held),
        now,
        "Hold partial-and-held",
        { holdPartial: true }
      ] as const
    ),
    ["refused, unchanged", known(before, "REFUSED"), before, "Hold refused-and-unchanged"],
    ["refused, unchanged, and released", known(before, "REFUSED", released), before, "Send asked-for-again"],
    ["refused, changed since", known(before, "REFUSED"), now, "Send changed-after-refusal"],
    [
      "a refused update, now with another admission date",
      known(before, "REFUSED", held),
      otherDate,
      "Hold partial-with-other-admission-date"
    ],
    [
      "refused after an attempt without a response, changed since",
      known(before, "REFUSED", { open: true }),
      now,
      "LookUp no-answer-yet-and-changed"
    ],
    ["in conflict, unchanged", known(before, "CONFLICT"), before, "Hold conflict-and-unchanged"],
    ["in conflict, changed since", known(before, "CONFLICT"), otherTime, "Send changed-after-conflict"],
    ["whose code is another's", known(before, "DUPLICATE"), now, "Hold duplicate"],
    ["in doubt", known(before, "DOUBT"), now, "Hold in-doubt"],
    ["without a response", known(before, "UNKNOWN", { open: true }), before, "LookUp no-answer-yet"],
    ["without a response, changed since", known(before, "UNKNOWN"), now, "LookUp no-answer-yet-and-changed"],
    ["that is on its way", known(before, "SENDING"), before, "LookUp no-answer-yet"],
    ["that the service reports to hold", known(before, "VERIFY"), before, "LookUp no-answer-yet"],
    ["of another facility", null, before, "Hold other-facility", { facility: FacilityCode("HF0002") }]
  ]
  for (const [name, row, input, decision, more] of table) {
    it(`${name}: ${decision}`, () => {
      assert.deepStrictEqual(decisions([input], row === null ? [] : [row], more), [decision])
    })
  }
})

describe("§4.5 rule 1 a visit refused because its patient is unknown", () => {
  const refused = { problem: "field-refused", field: "patient_code", attemptedAt: "2026-03-03T10:00:00.000Z" } as const
  const due = { unknownPatientBefore: "2026-03-03T10:00:00.000Z" }
  const table: ReadonlyArray<readonly [name: string, row: JournalVisit, decision: string, input?: SampleVisit]> = [
    ["is sent again after the wait", known(before, "REFUSED", refused), "Send may-be-mended"],
    [
      "is held during the wait",
      known(before, "REFUSED", { ...refused, attemptedAt: "2026-03-03T10:00:00.001Z" }),
      "Hold refused-and-unchanged"
    ],
    [
      "is held if no attempt is known",
      known(before, "REFUSED", { ...refused, attemptedAt: null }),
      "Hold refused-and-unchanged"
    ],
    ["is sent at once if it changed", known(before, "REFUSED", refused), "Send changed-after-refusal", now],
    [
      "is held if another field was refused",
      known(before, "REFUSED", { ...refused, field: "code" }),
      "Hold refused-and-unchanged"
    ],
    [
      "is held if the code is missing",
      known(before, "REFUSED", { ...refused, said: Redacted.make("The patient_code is required.") }),
      "Hold refused-and-unchanged"
    ],
    [
      "is held if it was refused for another reason",
      known(before, "REFUSED", { ...refused, problem: "refused-other" }),
      "Hold refused-and-unchanged"
    ],
    [
      "is held as the update of a partial visit",
      known(before, "REFUSED", { ...refused, held: true }),
      "Hold refused-and-unchanged"
    ],
    [
      "is held after an attempt without a response",
      known(before, "REFUSED", { ...refused, open: true }),
      "Hold refused-and-unchanged"
    ],
    ["is held in conflict", known(before, "CONFLICT", refused), "Hold conflict-and-unchanged"]
  ]
  for (const [name, row, decision, input = before] of table) {
    it(`${name}: ${decision}`, () => assert.deepStrictEqual(decisions([input], [row], due), [decision]))
  }
  it("is held if the facility disables the retry", () =>
    assert.deepStrictEqual(decisions([before], [known(before, "REFUSED", refused)]), ["Hold refused-and-unchanged"]))
})

describe("one code twice in an input", () => {
  it("I1: is sent once if the bytes are equal", () =>
    assert.deepStrictEqual(decisions([before, before], []), ["Send new", "Skip same-visit-twice"]))
  it("sends the first of two different visits", () => {
    assert.deepStrictEqual(decisions([before, now], []), ["Send new", "Hold given-twice"])
    assert.deepStrictEqual(decisions([before, now, before, now], []), [
      "Send new",
      "Hold given-twice",
      "Skip same-visit-twice",
      "Hold given-twice"
    ])
  })
  it("reports the source of the first with the second of two different visits", () => {
    const visits = [{ ...visit(before), source: "a.ndjson:1" }, { ...visit(now), source: "b.ndjson:7" }].map(factsOf)
    assert.deepStrictEqual(plan(visits, new Map(), options).visits.map(({ decision, source }) => [source, decision]), [
      ["a.ndjson:1", { _tag: "Send", why: "new" }],
      ["b.ndjson:7", { _tag: "Hold", why: "given-twice", other: "a.ndjson:1" }]
    ])
  })
  it("keeps a stored visit stored if a different one follows", () =>
    assert.deepStrictEqual(decisions([before, now], [known(before, "STORED")]), ["Skip stored", "Hold given-twice"]))
})

describe("§3 between runs: a patient has one visit at an admission time", () => {
  const time = "2026-03-03T08:00:00.000+07:00"
  const input = { code: "V2", patient: "P-1", admittedAt: "2026-03-03T01:00:00.000Z" }
  const decided = (admittedAt: string, code = "V1", more: Partial<PlanOptions> = {}) =>
    plan(
      [factsOf(visit(input))],
      new Map(),
      { ...options, ...more },
      {
        ofPatient: new Map([[PatientCode("P-1"), [{
          code: VisitCode(code),
          patientCode: PatientCode("P-1"),
          admittedAt
        }]]]),
        withEncounter: new Map()
      }
    ).visits.map(({ decision }) => decision)

  it("is held by another visit that was sent at the same instant, whatever the offset", () =>
    assert.deepStrictEqual(decided(time), [{ _tag: "Hold", why: "admission-time-known", earlier: "V1" }]))
  it("is not held by another time, or by the visit itself", () => {
    assert.deepStrictEqual(decided("2026-03-03T08:01:00.000+07:00"), [{ _tag: "Send", why: "new" }])
    assert.deepStrictEqual(decided(time, "V2"), [{ _tag: "Send", why: "new" }])
  })
  it("reports another visit within the same minute, and is held by it if the facility requires that", () => {
    const near = "2026-03-03T08:00:01.000+07:00"
    assert.deepStrictEqual(decided(near), [{ _tag: "Send", why: "new", near: "V1" }])
    assert.deepStrictEqual(decided(near, "V1", { holdSameMinute: true }), [
      { _tag: "Hold", why: "admission-time-known", earlier: "V1" }
    ])
  })
  it("is left to the service if the facility requires that", () =>
    assert.deepStrictEqual(decided(time, "V1", { sendSameAdmission: true }), [{ _tag: "Send", why: "new" }]))
})

describe("§4.5 rule 3 between runs: an encounter code is in one visit", () => {
  const input = { code: "V2", encounters: ["E-1", "E-2"] }
  const decided = (
    earlier: Readonly<Record<string, ReadonlyArray<string>>>,
    rows: ReadonlyArray<JournalVisit> = [],
    more: Partial<PlanOptions> = {},
    sample: SampleVisit = input
  ) => {
    const [planned] = plan(
      [factsOf(visit(sample))],
      new Map(rows.map((row) => [row.code, row])),
      { ...options, ...more },
      {
        ofPatient: new Map(),
        withEncounter: new Map(
          Object.entries(earlier).map(([code, visits]) => [EncounterCode(code), visits.map((one) => VisitCode(one))])
        )
      }
    ).visits
    return present(planned).decision
  }
  const held = { _tag: "Hold", why: "encounter-code-known", earlier: "V1", path: ["outpatients", 1, "code"] } as const

  it("is held by another visit that was sent, and the path of the code is reported", () =>
    assert.deepStrictEqual(decided({ "E-2": ["V1"] }), held))
  it("is not held by other codes, another spelling, or the visit itself", () => {
    assert.deepStrictEqual(decided({ "E-3": ["V1"], "e-1": ["V1"] }), { _tag: "Send", why: "new" })
    assert.deepStrictEqual(decided({ "E-1": ["V2"] }), { _tag: "Send", why: "new" })
  })
  it("is checked again in each run, whatever the reason for the last hold", () => {
    for (const problem of ["duplicate-code", "admission-time-taken"] as const) {
      const row = known(input, "CONFLICT", { attempts: 0, problem })
      assert.deepStrictEqual(decided({ "E-2": ["V1", "V2"] }, [row]), held)
      assert.deepStrictEqual(decided({}, [row]), { _tag: "Send", why: "left-over" })
    }
  })
  it("holds an update of a partly stored visit", () => {
    const row = known({ code: "V2" }, "PARTIAL", { held: true })
    assert.deepStrictEqual(decided({ "E-2": ["V1"] }, [row]), held)
  })
  it("is sent if it was released, or if the facility leaves the check to the service", () => {
    const row = known(input, "REFUSED", { problem: "released" })
    assert.deepStrictEqual(decided({ "E-2": ["V1"] }, [row]), { _tag: "Send", why: "asked-for-again" })
    assert.deepStrictEqual(decided({ "E-2": ["V1"] }, [], { sendSameEncounter: true }), { _tag: "Send", why: "new" })
  })
  it("does not hold a stored visit again", () =>
    assert.deepStrictEqual(decided({ "E-2": ["V1"] }, [known(input, "STORED")]), { _tag: "Skip", why: "stored" }))
})

describe("submit: settle", () => {
  const over = Date.parse("2026-03-02T03:00:00.000Z")
  const hour = 3_600_000
  const corrected = now
  const at = (now: number, row?: JournalVisit, lastChangeAt = over) => {
    const [planned] = plan(
      [{ ...factsOf(visit(row === undefined ? before : corrected)), lastChangeAt }],
      new Map(row === undefined ? [] : [[row.code, row]]),
      { ...options, settle: { millis: 24 * hour, now } }
    ).visits
    return present(planned).decision
  }

  it("holds a visit until it has been over for that long, and sends it from then onwards", () => {
    const readyAt = "2026-03-03T03:00:00.000Z"
    assert.deepStrictEqual(at(over + 24 * hour - 1), { _tag: "Hold", why: "still-open", readyAt })
    assert.deepStrictEqual(at(over + 24 * hour), { _tag: "Send", why: "new" })
  })

  it("holds a visit without a discharge, and states no time for it", () =>
    assert.deepStrictEqual(at(over, undefined, Number.NaN), { _tag: "Hold", why: "still-open", readyAt: null }))

  it("holds everything that would be sent, and changes no other decision", () => {
    const states: ReadonlyArray<VisitState> = [
      "READY",
      "STORED",
      "PARTIAL",
      "REFUSED",
      "CONFLICT",
      "DUPLICATE",
      "DOUBT",
      "UNKNOWN"
    ]
    for (const state of states) {
      const row = known(before, state)
      const settled = at(over + 24 * hour, row)
      const early = at(over + hour, row)
      if (settled._tag === "Send") assert.strictEqual(early.why, "still-open", state)
      else assert.deepStrictEqual(early, settled, state)
    }
  })
})

describe("what --dry-run prints", () => {
  const samples = Array.from({ length: 1500 }, (_, at): SampleVisit => ({ code: `N${at}` }))
  const mixed = plan(
    [...samples, before, { code: "V2", note: "now" }].map((sample) => factsOf(visit(sample))),
    new Map([known(before, "UNKNOWN"), known({ code: "V2" }, "STORED")].map((row) => [row.code, row])),
    options
  )

  it("is a table of counts, the requests and the time they take at §8's 1000 an hour", () =>
    assert.strictEqual(
      explainPlan(mixed),
      [
        "      1,502  visits in the input",
        "",
        "      1,500  send     new",
        "          1  look up  sent before, outcome unknown: looked up first",
        "          1  hold     stored, and changed since: the service accepts no second version",
        "",
        "  1,501 requests to send",
        "  1,000 an hour are allowed: about 1 hour",
        ""
      ].join("\n")
    ))

  it("counts requests, not visits, when a request has several", () => {
    const summary = summarisePlan(mixed, { batch: 20, perHour: 60 })
    assert.strictEqual(summary.requests, 76)
    assert.strictEqual(summary.minutes, 60)
  })

  it("shows the lookups, and what is left of the hour", () => {
    const forecast = { asked: 2, listings: 3, used: 600, waitUntil: null }
    assert.include(
      explainPlan(mixed, { forecast }),
      [
        "  1,501 requests to send, at least 3 to look up 2 visits",
        "  1,000 an hour are allowed, 600 of them used: about 2 hours"
      ].join("\n")
    )
    assert.strictEqual(summarisePlan(mixed, { perHour: 2104, forecast }).minutes, 0)
    assert.strictEqual(summarisePlan(mixed, { perHour: 2103, forecast }).minutes, 60)
  })

  it("states that there is nothing to send", () => assert.include(explainPlan({ visits: [] }), "nothing to send"))

  it("describes each reason in its own words", () => {
    const words = Object.values(planReasons).map(({ words }) => words)
    assert.strictEqual(new Set(words).size, words.length)
    for (const text of words) assert.match(text, /^[a-z]/)
  })

  it.effect("needs no journal, and creates none", () =>
    Effect.gen(function*() {
      const journal = journalIn(yield* temporaryFolder)
      const planned = yield* Effect.provide(
        planAgainst(Stream.fromIterable(samples.map(visit)), options),
        JournalReader.layer(journal),
        { local: true }
      )
      const reasons = Array.from(planned.visits, ({ decision }) => decision.why)
      assert.strictEqual(reasons.length, 1500)
      assert.isTrue(reasons.every((why) => why === "new"))
    }))
})
