import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { ProcessedVisit } from "../../src/service/Operator.ts"
import { mayBeAdmission, sameAdmissionDate } from "../../src/submission/list/AdmissionTime.ts"
import { byCode, readAbsence, readStoredList, rowsFor } from "../../src/submission/list/readStoredList.ts"
import { cluster } from "../../src/submission/list/reconcile.ts"
import { PatientCode, VisitCode } from "../../src/visit/values/Code.ts"
import { runs } from "../runs.ts"

const ours = { patientCode: PatientCode("P1"), admittedAt: "2026-03-03T00:30:15.250+07:00" }
const row = (shown: Partial<ProcessedVisit>): ProcessedVisit => ({
  visitCode: VisitCode("V1"),
  patientCode: null,
  admittedAt: null,
  status: "1",
  uuid: "u",
  ...shown
})

describe("§4.6: a listed time and an admission time, at the precision of the list", () => {
  const times: ReadonlyArray<readonly [listed: string, answer: boolean | null]> = [
    ["2026-03-03T00:30:15.250+07:00", true],
    ["2026-03-02T17:30:15.250Z", true],
    ["2026-03-02T17:30:15Z", true],
    ["2026-03-02T17:30:15.250000Z", true],
    ["2026-03-02T17:30:15.000000Z", true],
    ["2026-03-02T17:30:14.000000Z", false],
    ["2026-03-02 17:30:15", true],
    ["2026-03-03 00:30:15", true],
    ["2026-03-03 00:30", true],
    ["2026-03-03", true],
    ["2026-03-02", true],
    ["2026-03-02T17:30:15.251Z", false],
    ["2026-03-03T00:30:16+07:00", false],
    ["2026-03-03T00:30:15+08:00", false],
    ["2026-03-03 00:31", false],
    ["2026-03-05", false],
    ["3 March 2026", null],
    ["2026-13-41", null],
    ["", null]
  ]
  for (const [listed, answer] of times) {
    it(`${listed === "" ? "nothing" : listed}: ${answer ?? "not known"}`, () => {
      assert.strictEqual(mayBeAdmission(listed, ours.admittedAt), answer)
    })
  }
})

it("§3: the admission date of a resubmission is compared as a date, or as one instant", () => {
  assert.isTrue(sameAdmissionDate("2026-03-03T08:00:00.000+07:00", "2026-03-03T09:15:00.000+07:00"))
  assert.isTrue(sameAdmissionDate("2026-03-03T00:30:00.000+07:00", "2026-03-02T17:30:00.000+00:00"))
  assert.isFalse(sameAdmissionDate("2026-03-03T08:00:00.000+07:00", "2026-03-04T08:00:00.000+07:00"))
  assert.isFalse(sameAdmissionDate("", ""))
})

describe("the sender of a listed record", () => {
  const evidence = (...rows: ReadonlyArray<ProcessedVisit>) => readStoredList([ours], rows).evidence
  it("is ours if nothing in it contradicts us", () => {
    assert.deepStrictEqual(evidence(row({ patientCode: PatientCode("P1"), admittedAt: ours.admittedAt })), {
      _tag: "Ours",
      status: "stored"
    })
    assert.strictEqual(evidence(row({ patientCode: PatientCode("P1") }))._tag, "Ours")
    assert.strictEqual(evidence(row({ admittedAt: "2026-03-02 17:30:15" }))._tag, "Ours")
    assert.strictEqual(evidence(row({ patientCode: PatientCode("P1"), admittedAt: "soon" }))._tag, "Ours")
  })
  it("is another's if patient or admission time differ", () => {
    assert.strictEqual(evidence(row({ patientCode: PatientCode("P2"), admittedAt: ours.admittedAt }))._tag, "Anothers")
    assert.strictEqual(
      evidence(row({ patientCode: PatientCode("P1"), admittedAt: "2026-03-09T00:00:00Z" }))._tag,
      "Anothers"
    )
  })
  it("is untold if it shows neither", () => {
    assert.strictEqual(evidence(row({}))._tag, "Untold")
    assert.strictEqual(evidence(row({ admittedAt: "soon" }))._tag, "Untold")
  })
  it("is not listed if no row has the code", () => assert.strictEqual(evidence()._tag, "NotListed"))
  it("is untold if no row has the code, and one without a code can be ours", () => {
    const listed = (...rows: ReadonlyArray<ProcessedVisit>) => evidence(...rowsFor(byCode(rows), VisitCode("V1")))._tag
    const unnamed = (shown: Partial<ProcessedVisit>) => row({ visitCode: null, ...shown })
    const other = unnamed({ patientCode: PatientCode("P2") })
    const own = row({ patientCode: PatientCode("P1") })
    assert.strictEqual(listed(unnamed({})), "Untold")
    assert.strictEqual(listed(other, unnamed({ patientCode: PatientCode("P1"), status: "1" })), "Untold")
    assert.strictEqual(listed(other), "NotListed")
    assert.strictEqual(listed(unnamed({}), own), "Ours")
    assert.strictEqual(listed(unnamed({}), row({ patientCode: PatientCode("P2") })), "Anothers")
  })
  it("does not show another visit at our admission time if its row has no code", () => {
    const taken = (visitCode: VisitCode | null) =>
      readAbsence("admission-time-taken", [ours], [row({ visitCode, ...ours })]).evidence._tag
    assert.strictEqual(taken(VisitCode("V2")), "Taken")
    assert.strictEqual(taken(null), "Untold")
  })
  it("is ours if it matches any version that was sent", () => {
    const versions = [{ patientCode: PatientCode("P9"), admittedAt: ours.admittedAt }, ours]
    assert.strictEqual(readStoredList(versions, [row({ patientCode: PatientCode("P1") })]).evidence._tag, "Ours")
  })
  it("prefers ours to another's, and stored to partial, for several rows of a code", () => {
    const others = row({ patientCode: PatientCode("P2") })
    const partial = row({ patientCode: PatientCode("P1"), status: "3", uuid: "a" })
    const stored = row({ patientCode: PatientCode("P1"), status: "1", uuid: "b" })
    assert.strictEqual(readStoredList([ours], [others, partial, stored]).row?.uuid, "b")
    assert.deepStrictEqual(readStoredList([ours], [others, partial]).evidence, { _tag: "Ours", status: "partial" })
  })
  it("§3: reads status 1 as stored, 3 as partial, and any other or none as neither", () => {
    const status = (status: string | null) => evidence(row({ patientCode: PatientCode("P1"), status }))
    assert.deepStrictEqual(
      [status("1"), status("3"), status("2"), status("x"), status(null)].map((found) =>
        found._tag === "Ours" ? found.status : found._tag
      ),
      ["stored", "partial", "other", "other", "none"]
    )
  })
  it("reads statuses that the facility configures", () => {
    const statuses = { stored: ["PROCESSED"], partial: ["WAITING"] }
    const found = readStoredList([ours], [row({ patientCode: PatientCode("P1"), status: "PROCESSED" })], statuses)
    assert.deepStrictEqual(found.evidence, { _tag: "Ours", status: "stored" })
  })
})

describe("one listing for near dates", () => {
  const ranges = (...dates: ReadonlyArray<string>) =>
    cluster(dates, (date) => date).map(({ members, range }) =>
      range === null ? `none: ${members.length}` : `${range.from} ${range.to}: ${members.length}`
    )
  it("is a day wider on both sides, because the service's time zone is unknown", () =>
    assert.deepStrictEqual(ranges("2026-03-03T00:30:00.000+07:00"), ["2026-03-02 2026-03-04: 1"]))
  it("serves near dates, across months and years", () => {
    assert.deepStrictEqual(ranges("2026-01-01", "2025-12-30", "2026-01-02"), ["2025-12-29 2026-01-03: 3"])
    assert.deepStrictEqual(ranges("2026-02-27", "2026-03-03"), ["2026-02-26 2026-02-28: 1", "2026-03-02 2026-03-04: 1"])
  })
  it("is at most a month wide, and has no range for visits without a date", () => {
    const days = Array.from(
      { length: 59 },
      (_, at) => `2026-0${at < 31 ? 1 : 2}-${String(at < 31 ? at + 1 : at - 30).padStart(2, "0")}`
    )
    assert.deepStrictEqual(ranges(...days, "soon"), [
      "none: 1",
      "2025-12-31 2026-01-30: 29",
      "2026-01-29 2026-02-28: 29",
      "2026-02-27 2026-03-01: 1"
    ])
  })

  it("law: each visit is in one listing of at most 31 days, with its day and one on both sides, in any order", () => {
    const day = fc.oneof(
      fc.integer({ min: 0, max: 900 }).map((at) => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10)),
      fc.constantFrom("", "soon", "2026-13-01")
    )
    fc.assert(
      fc.property(fc.array(day, { maxLength: 60 }), fc.array(fc.nat(), { maxLength: 60 }), (days, lots) => {
        const clusters = cluster(days, (one) => one)
        assert.deepStrictEqual(clusters.flatMap(({ members }) => members).toSorted(), days.toSorted())
        for (const { members, range } of clusters) {
          if (range === null) continue
          const [from, to] = [Date.parse(range.from), Date.parse(range.to)]
          assert.isAtMost((to - from) / 86_400_000, 31)
          for (const member of members) {
            assert.isAtMost(from + 86_400_000, Date.parse(member))
            assert.isAtLeast(to - 86_400_000, Date.parse(member))
          }
        }
        const drawn = days.map((one, at) => [lots[at] ?? 0, one] as const).toSorted(([a], [b]) => a - b)
        assert.deepStrictEqual(
          cluster(drawn, ([, one]) => one).map(({ range }) => range),
          clusters.map(({ range }) => range)
        )
      }),
      { numRuns: runs(100) }
    )
  })
})
