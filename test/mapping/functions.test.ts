import { assert, describe, it } from "@effect/vitest"
import type { Elements, FhirPath } from "../../src/fhirpath/FhirPath.ts"
import { makeFhirPath, recordOf, valueOf } from "../../src/fhirpath/FhirPath.ts"
import { readingScope } from "../../src/mapping/apply/scope/runScope.ts"
import type { ConceptMap } from "../../src/mapping/codes/ConceptMap.ts"
import { current } from "../../src/mapping/functions/current.ts"
import { timesOf } from "../../src/mapping/functions/dosages.ts"
import type { EvaluationScope } from "../../src/mapping/functions/EvaluationScope.ts"
import { languageFunctions } from "../../src/mapping/functions/functions.ts"
import { htmlText } from "../../src/mapping/functions/htmlText.ts"
import { getExisting } from "../../src/maps.ts"
import type { SourceRecord } from "../../src/source/records/SourceRecord.ts"

const inUse = (values: ReadonlyArray<object>, at?: string): ReadonlyArray<object> => current(values, (one) => one, at)

describe("the time of day of a dose", () => {
  const limits = [
    ["00:00:00", "night"],
    ["03:59:59", "night"],
    ["04:00:00", "morning"],
    ["11:59:59", "morning"],
    ["12:00:00", "afternoon"],
    ["16:59:59", "afternoon"],
    ["17:00:00", "evening"],
    ["20:59:59", "evening"],
    ["21:00:00", "night"]
  ] as const
  for (const [time, name] of limits) {
    it(`${time} is ${name}`, () =>
      assert.deepStrictEqual(timesOf({ timing: { repeat: { timeOfDay: [time] } } }), [name]))
  }
})

describe("current()", () => {
  const at = "2026-03-02T08:00:00+07:00"

  it("excludes old elements and those that ended before the instant", () => {
    const lasting = { use: "home" }
    const old = { use: "old" }
    const ended = { period: { end: "2026-03-01" } }
    assert.deepStrictEqual(inUse([old, ended, lasting], at), [lasting])
    assert.deepStrictEqual(inUse([old, ended], at), [])
  })

  it("includes the whole last day, month or year of a period", () => {
    for (const end of ["2026", "2026-03", "2026-03-02", "2026-03-02T01:00:00Z"]) {
      assert.lengthOf(inUse([{ period: { end } }], at), 1, end)
    }
    for (const end of ["2025", "2026-02", "2026-03-01", "2026-03-02T00:59:59Z"]) {
      assert.lengthOf(inUse([{ period: { end } }], at), 0, end)
    }
  })

  it("returns a later element if there is no other", () => {
    const later = { use: "official", period: { start: "2026-07-01" } }
    const now = { period: { start: "2020-01-01" } }
    assert.deepStrictEqual(inUse([later, now], at), [now])
    assert.deepStrictEqual(inUse([later], at), [later])
  })

  it("returns an element with an end if no instant is given and there is no other", () => {
    const ending = { use: "official", period: { end: "2030-01-01" } }
    const lasting = {}
    assert.deepStrictEqual(inUse([ending, lasting]), [lasting])
    assert.deepStrictEqual(inUse([ending]), [ending])
  })

  it("prefers the lowest rank, then official, usual, no use, others", () => {
    const uses = ["maiden", "temp", undefined, "usual", "official"].map((use) => ({ use }))
    for (let count = uses.length; count > 0; count--) {
      assert.deepStrictEqual(inUse(uses.slice(0, count)), uses.slice(count - 1, count))
    }
    const first = { rank: 1 }
    assert.deepStrictEqual(inUse([{ use: "official" }, { rank: 2 }, first]), [first])
  })

  it("returns several equally preferred elements", () => {
    const both = [{ use: "home" }, { use: "mobile" }]
    assert.deepStrictEqual(inUse(both), both)
  })
})

describe("htmlText()", () => {
  it("removes tags and comments", () => {
    assert.strictEqual(htmlText("<div><p>One</p>\n<!-- a > b --><p>two</p></div>"), "One two")
  })

  it("decodes character references", () => {
    assert.strictEqual(
      htmlText("38&#176;C &#x2265; 37 &lt;b&gt; &amp;lt; it&apos;s caf&eacute;"),
      "38°C ≥ 37 <b> &lt; it's café"
    )
  })

  it("keeps text that is neither a reference nor a tag", () => {
    assert.strictEqual(
      htmlText("a & b &nosuch; &#0; &#xD800; &#99999999; 1 < 2"),
      "a & b &nosuch; &#0; &#xD800; &#99999999; 1 < 2"
    )
  })

  it("marks deleted text, and keeps a power", () => {
    assert.strictEqual(
      htmlText("<p>Stop <del>aspirin</del> 5 x 10<sup>9</sup>/L H<sub>2</sub>O <S class='x'>iron</S></p>"),
      "Stop (deleted: aspirin) 5 x 10^9/L H2O (deleted: iron)"
    )
  })

  it("has no style, script or title of a page", () => {
    assert.strictEqual(
      htmlText("<html><HEAD><title>R</title></HEAD><style>p > a {}</style>Hb <script>if (1<2) {}</script>12 <style>x"),
      "Hb 12 x"
    )
  })

  it("keeps a comparison", () => {
    assert.strictEqual(htmlText("BP < 90, HR > 100 <b>x</b>"), "BP < 90, HR > 100 x")
  })

  it("takes time proportional to the text", () => {
    for (const part of ["<style>", "< >", "<head><style></style>"]) htmlText(part.repeat(100_000))
    assert.lengthOf(htmlText("<".repeat(500_000)), 500_000)
  })
})

const fhirPath: FhirPath<EvaluationScope> = makeFhirPath(new Map())
const functions = languageFunctions({ fhirPath: () => fhirPath, statements: undefined })

/** A scope that only answers what is given. */
const scopeOf = (parts: Partial<EvaluationScope>): EvaluationScope =>
  Object.create(readingScope, Object.getOwnPropertyDescriptors(parts))

describe("hasTwoUnits()", () => {
  it("reads the spellings of the concept map that it names", () => {
    const asked: Array<string> = []
    const scope = scopeOf({
      conceptMap: (name) => {
        asked.push(name)
        return undefined
      }
    })
    const { call } = getExisting(functions, "hasTwoUnits")
    assert.deepStrictEqual(call([{ unit: "mg", code: "g" }], [["spelling"]], scope), [true])
    assert.deepStrictEqual(asked, ["spelling"])
  })
})

describe("localTime()", () => {
  it("returns the time of the zone that is asked for, each time", () => {
    const { call } = getExisting(functions, "localTime")
    const at = (zone: string) => call(["2026-03-02T01:15:00Z"], [], scopeOf({ zone }))
    for (let time = 0; time < 2; time++) {
      assert.deepStrictEqual(at("Asia/Phnom_Penh"), ["2026-03-02 08:15"])
      assert.deepStrictEqual(at("Europe/Paris"), ["2026-03-02 02:15"])
    }
  })
})

// An engine calls such a function with elements, or only with their values: generated code and the definition do not always do the same.
describe("A function that reads only the values of its input", () => {
  const { compile, elementOf } = fhirPath
  const origin = { file: "f", line: 1, reference: "Basic/1" }
  const records: ReadonlyArray<SourceRecord> = [
    {
      origin,
      resource: { resourceType: "patient", job_code: "a", job_name: "Farmer" },
      row: { nameOf: (element) => element, naming: new Set() }
    },
    { origin, resource: { resourceType: "Basic", code: { coding: [{ system: "http://s.example", code: "a" }] } } }
  ]
  const elements = records.flatMap((record) => {
    const variables = { record: [elementOf(record)] }
    return ["%record", "%record.job_code | %record.code | %record.code.coding"].flatMap((path) =>
      compile(path).evaluate([], variables, scopeOf({ zone: "UTC" }))
    )
  })
  const conceptMap: ConceptMap = {
    name: "jobs",
    span: { file: "f", line: 1, column: 1, endColumn: 2 },
    rows: new Map(),
    unmapped: { mode: "warn" }
  }

  it.each([...functions].filter(([, { readsValues }]) => readsValues === true))(
    "finds and reports the same for an element and for its value: %s",
    (_, { call, parameters }) => {
      const found = (input: Elements) => {
        const reported: Array<unknown> = []
        const note = (what: unknown) => void reported.push(what)
        const scope = scopeOf({
          zone: "UTC",
          conceptMap: () => conceptMap,
          unmapped: note,
          assumed: note,
          inVisit: () => [],
          ofPatient: () => []
        })
        return { values: call(input, parameters.map(() => ["jobs"]), scope), reported }
      }
      assert.isAbove(elements.length, 3)
      for (const element of elements) assert.deepStrictEqual(found([valueOf(element)]), found([element]))
    }
  )
})

describe("reverseResolve()", () => {
  it("returns a record once that refers to several elements of the input", () => {
    const record = (id: string): SourceRecord => ({
      origin: { file: "f", line: 1, reference: `Basic/${id}` },
      resource: { resourceType: "Basic", id }
    })
    const one = record("one")
    const other = record("other")
    const first = record("first")
    const second = record("second")
    const { call } = getExisting(functions, "reverseResolve")
    const referring = new Map([[one, [first, second]], [other, [second, first]]])
    const scope = scopeOf({ read: () => undefined, reverse: (target) => referring.get(target) ?? [] })
    const found = (...targets: ReadonlyArray<SourceRecord>) =>
      call(targets.map(fhirPath.elementOf), [["Basic.subject"]], scope).map(recordOf)
    assert.deepStrictEqual(found(one), [first, second])
    assert.deepStrictEqual(found(other, one), [second, first])
    assert.deepStrictEqual(found(), [])
  })
})
