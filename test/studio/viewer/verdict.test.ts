import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { noCounts } from "../../../src/cli/report/Report.ts"
import { type Counts, endings, type ReportJson } from "../../../src/studio/viewer/ReportJson.ts"
import { en } from "../../../src/studio/viewer/texts/en.ts"
import { countStates, restSentence, verdictOf } from "../../../src/studio/viewer/verdict.ts"
import { outcomeNames } from "../../../src/submission/status/sendingOutcomes.ts"
import { present } from "../../present.ts"

const report = (counts: Partial<Counts>, more: Partial<ReportJson> = {}): ReportJson => ({
  counts: { ...noCounts, ...counts },
  problems: [],
  unmapped: [],
  unused: {},
  unresolved: {},
  placedByTime: {},
  started: "2026-11-22T18:01:00Z",
  ended: "2026-11-22T18:07:00Z",
  version: "0.1.0",
  mapping: null,
  command: "run",
  purpose: "send",
  facility: "HF0001",
  zone: "Asia/Phnom_Penh",
  ...more
})

const sentences = (of: ReportJson): ReadonlyArray<string> => {
  const verdict = verdictOf(of, en)
  return [verdict.headline, restSentence(verdict, en), verdict.next ?? ""]
}

const night = { visits: 424, ready: 405, rejected: 19, stored: 315, skipped: 90 }
const cut = { visits: 1_144, ready: 1_144, stored: 543, left: 601 }

describe("The verdict", () => {
  const cases: ReadonlyArray<readonly [string, ReportJson, ReadonlyArray<string>]> = [
    ["counts what earlier runs delivered", report(night), [
      "405 of 424 visits delivered.",
      "19 need a correction; nothing waits.",
      ""
    ]],
    ["is short on a good night", report({ visits: 424, ready: 424, stored: 4, skipped: 420 }), [
      "All 424 visits are delivered.",
      "",
      ""
    ]],
    [
      "names what is open and what waits",
      report({ ...night, visits: 435, ready: 407, unknown: 1, doubt: 1, open: 9 }),
      [
        "405 of 435 visits delivered.",
        "19 need a correction, 9 are still open, 1 waits, 1 is in doubt: ask the operator.",
        ""
      ]
    ],
    ["says that a run was interrupted, and what to do", report(cut, { ending: { how: "interrupted" } }), [
      "The run was interrupted: 601 of 1,144 visits are not delivered yet.",
      "601 wait.",
      "The administrator runs the same command again. Nothing is lost and nothing is sent twice."
    ]],
    [
      "says from when running again can help",
      report(cut, { ending: { how: "rate-limited", until: "2026-11-22T05:04:00Z" } }),
      [
        "The service asked for a wait: 601 of 1,144 visits are not delivered yet.",
        "601 wait.",
        "The administrator runs the same command again after 22 Nov 2026, 12:04. Nothing is lost and nothing is sent twice."
      ]
    ],
    ["says that a rehearsal sent nothing", report(night, { purpose: "rehearsal" }), [
      "A rehearsal, nothing was sent to the service: 405 of 424 visits could be delivered.",
      "19 need a correction; nothing waits.",
      ""
    ]],
    [
      "says that the service has the first version of visits that have changed",
      report({ ...night, changedSince: 3 }),
      [
        "405 of 424 visits delivered; the service has 3 of them in an earlier version.",
        "19 need a correction; nothing waits.",
        ""
      ]
    ],
    ["reports it also if nothing else is to be done", report({ visits: 1, ready: 1, skipped: 1, changedSince: 1 }), [
      "The visit is delivered; the service has it in an earlier version.",
      "",
      ""
    ]],
    [
      "says that a dry run sent nothing, and what it would skip",
      report({ visits: 424, ready: 405, rejected: 19, left: 315, skipped: 90, changedSince: 2 }, { purpose: "plan" }),
      [
        "Nothing was sent: 315 of 424 visits could be delivered, 90 are skipped; the service has 2 of them in an earlier version.",
        "19 need a correction; nothing waits.",
        ""
      ]
    ],
    [
      "counts what a dry run would not send",
      report({ visits: 3, ready: 3, refused: 1, doubt: 1, skipped: 1 }, { purpose: "plan" }),
      [
        "Nothing was sent: 0 of 3 visits could be delivered, 1 is skipped.",
        "1 needs a correction, 1 is in doubt: ask the operator.",
        ""
      ]
    ],
    ["counts what can be sent where nothing is sent", report(night, { command: "convert", purpose: "file" }), [
      "405 of 424 visits can be sent.",
      "19 need a correction; nothing waits.",
      ""
    ]],
    ["asks for the export where there is no visit", report({}), [
      "Nothing was found to send.",
      "",
      "The integration engineer checks the export: it has no visit."
    ]],
    [
      "says that a part is not the whole run",
      report(night, { part: { index: 2, count: 4, of: "", parts: "", sealed: "" } }),
      [
        "Part 2 of 4, not the whole run. 405 of 424 visits delivered.",
        "19 need a correction; nothing waits.",
        ""
      ]
    ]
  ]
  for (const [name, of, expected] of cases) it(name, () => assert.deepStrictEqual(sentences(of), expected))

  it("adds up: the four states contain every visit", () => {
    const count = fc.nat(10_000)
    const parts = fc.tuple(fc.record(Object.fromEntries(outcomeNames.map((name) => [name, count]))), count)
    fc.assert(fc.property(parts, fc.constantFrom(...endings), ([sums, rejected], how) => {
      const ready = outcomeNames.reduce((sum, name) => sum + (name === "open" ? 0 : present(sums[name])), 0)
      const visits = ready + rejected + present(sums["open"])
      for (const purpose of ["send", "plan", "rehearsal", "file"] as const) {
        const of = report({ ...sums, ready, rejected, visits }, { purpose, ending: { how } })
        assert.strictEqual(Object.values(countStates(of)).reduce((sum, one) => sum + one, 0), visits)
        const { headline, rest, states } = verdictOf(of, en)
        assert.match(headline, /\.$/u)
        const named = rest.map(([, text]) => Number(/[\d,]+/u.exec(text)?.[0].replaceAll(",", "")))
        assert.strictEqual(named.reduce((sum, one) => sum + one, 0), visits - states.delivered, "the rest is named")
      }
    }))
  })
})
