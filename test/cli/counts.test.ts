import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { noCounts, type Report } from "../../src/cli/report/Report.ts"
import { summary } from "../../src/cli/screen/summary.ts"
import { plural } from "../../src/diagnostic/count.ts"
import { en } from "../../src/studio/viewer/texts/en.ts"
import { textsOf } from "../../src/studio/viewer/texts/texts.ts"

const nouns = "visit|record|row|file|field|request|code|kind|case|column|part|list|line|problem|warning|facility|copy"

/**
 * A count of one with a noun or a verb of several: `1 visits`, `1 visit are`, `the 1 that`. Digits of longer numbers and names are no
 * counts, and in `0 of 1 visit are sent` the verb belongs to the first.
 */
const slip = new RegExp(
  `(?<!of |[\\w.,:/-])1 (?:(?:(?!in |of )[a-z]+ )?(?:${
    nouns.replace("facility", "facilitie").replace("copy", "copie")
  })s\\b|` +
    `(?:(?:${nouns}) )?(?:are|were|have|need|wait|agree)\\b)|\\b(?:the|all|All) 1 [a-z]`,
  "u"
)

const slipsIn = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => slip.test(line))

describe("A count agrees with its noun and its verb", () => {
  it("is found if it does not", () => {
    for (
      const text of [
        "1 visits",
        "1 visit are sent",
        "All 1 visit can be sent",
        "sends the 1 that are ready",
        "1 older copies"
      ]
    ) {
      assert.deepStrictEqual(slipsIn(text), [text])
    }
    for (
      const text of [
        "1 visit",
        "11 visits",
        "0.1 visits",
        "0 of 1 visit are sent",
        "1 in visits",
        "column 1 is empty",
        "1 agrees"
      ]
    ) {
      assert.deepStrictEqual(slipsIn(text), [], text)
    }
  })

  it("in the forms of a word", () => {
    assert.strictEqual([0, 1, 2].map((count) => plural(count, "copy", "copies")).join(), "0 copies,1 copy,2 copies")
  })

  for (const count of [0, 1, 2]) {
    it(`in every text of the pages, for ${count}`, () => {
      const { assumptions, groups, problems, records, stateDetails, todo, trend, verdict, visits } = en
      const texts = textsWith(count, {
        assumptions,
        groups: { ...groups, wards: () => "" },
        problems,
        records,
        stateDetails,
        todo,
        trend,
        verdict,
        visits
      })
      assert.isAbove(texts.length, 50)
      assert.deepStrictEqual(texts.flatMap(slipsIn), [])
    })

    it(`in the summary of a run, for ${count}`, () => {
      for (const command of ["convert", "run", "submit"]) {
        const text = summary(reportOf(command, count), { isBrief: false, texts: textsOf("en"), width: 100 })
        assert.include(text, `${count} ready`)
        assert.deepStrictEqual(slipsIn(text), [])
      }
    })
  }

  it("in every recorded screen and every page of the documentation", () => {
    const files = [...globSync("test/cli/{screens,messages}/*"), ...globSync("docs/**/*.md"), "README.md"]
    assert.isAbove(files.length, 100)
    const slips = files.flatMap((file) => slipsIn(readFileSync(file, "utf8")).map((line) => `${file}: ${line.trim()}`))
    assert.deepStrictEqual(slips, [])
  })
})

/** Every text in a part of the texts of the pages; those that are functions with the same count for each parameter. */
const textsWith = (count: number, part: unknown): ReadonlyArray<string> =>
  typeof part === "string"
    ? [part]
    : typeof part === "function"
    ? [String(part(count, count, count))]
    : typeof part === "object" && part !== null
    ? Object.values(part).flatMap((inner) => textsWith(count, inner))
    : []

/** A run in which everything that is counted occurs as often. */
const reportOf = (command: string, count: number): Report => ({
  command,
  facility: "HF0001",
  counts: {
    ...noCounts,
    records: count,
    usedRecords: count,
    unusedRecords: count * 2,
    rejectedRecords: count,
    visits: count * 2,
    ready: count,
    rejected: count,
    open: count,
    sent: count,
    stored: count,
    unknown: count,
    left: count
  },
  problems: [],
  unmapped: Array.from({ length: count }, (_, index) => ({
    table: "sex",
    system: null,
    code: `x${index}`,
    display: null,
    count,
    visits: count,
    blocked: count
  })),
  unused: new Map([["Basic", count]]),
  copies: new Map([["Basic", count]]),
  unresolved: new Map([["Patient", count]]),
  placedByTime: new Map([["Observation", count]]),
  stillOpen: { visits: count * 2, notOver: count, nextReady: "2026-03-02T00:00:00Z", first: [] },
  started: "2026-03-02T00:00:00Z",
  ended: "2026-03-02T00:00:01Z",
  version: "0.1.0",
  mapping: null
})
