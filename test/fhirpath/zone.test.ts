import { afterEach, assert, describe, it } from "@effect/vitest"
import { rootNode } from "../../src/fhirpath/evaluate/Node.ts"
import type { Elements } from "../../src/fhirpath/FhirPath.ts"
import { makeFhirPath } from "../../src/fhirpath/FhirPath.ts"
import { outcome, utcScope } from "./outcome.ts"

const times = [
  "2026",
  "2026-03",
  "2026-03-02",
  "2026-03-02T08",
  "2026-03-02T08:05:00",
  "2026-03-02T23:30:00",
  "2026-03-02T08:05:00+07:00",
  "2026-03-01T17:00:00Z",
  "2026-03-02T01:05:00.500Z",
  "2026-07-01T00:00:00-04:00",
  "2026-06-30T21:30:00",
  "2026-07-01"
]

const expressions = [
  ..."< > <= >= = != ~ !~ |".split(" ").map((operator) => `start ${operator} end`),
  "(start | end | @2026-03-02 | @2026-03-02T08:05:00+07:00).count()",
  "start in (@2026-03-02T08:05:00 | end)",
  "start.combine(end).isDistinct()",
  "start.combine(end).distinct()",
  "start.intersect(end)",
  "start.exclude(end)",
  "start.subsetOf(end)",
  "start.toDateTime().subsetOf(end.toDateTime())",
  "start.combine(end).min()",
  "start.combine(end).max()",
  "start.combine(end).sort()",
  "start.combine(end).combine(@2026-03-02T09:00:00).sort($this desc)",
  "start.combine(end).sort($this.toDateTime() < @2026-03-02T03:00:00Z, $this)",
  "where(start < @2026-03-02T03:00:00).start",
  "where(start >= @2026-03-02).end",
  "start > @2026-03-02T03:00:00Z",
  "$this.repeat(start | end)",
  "coalesce(iif(start < end, start), end) >= end",
  "start.toDateTime() + 1 day",
  "end + 1 month",
  "end - 36 hours",
  "end + 90 minutes < start",
  "(end + 90 minutes).toString()",
  "start + 30 seconds",
  "@T08:00 + 90 minutes",
  "@T10:30 > @T10",
  "@2026-01-31T10:00:00 + 1 month",
  "end.toString() & start.toDate().toString() & start.toDateTime().toString()",
  "start.lowBoundary() < end.highBoundary()"
]

/** The library writes UTC as `-00:00`. */
const withPlusZero = (result: unknown): unknown => JSON.parse(JSON.stringify(result).replaceAll("-00:00", "+00:00"))

const zones = ["UTC", "Asia/Phnom_Penh", "America/New_York", "Asia/Katmandu"]

describe("Dates and times in a zone", () => {
  const { TZ: before } = process.env
  const setProcessZone = (zone: string | undefined): void => {
    if (zone === undefined) delete process.env["TZ"]
    else process.env["TZ"] = zone
  }

  afterEach(() => setProcessZone(before))

  const results = (by: "definition" | "library", zone: string, processZone: string): ReadonlyArray<unknown> => {
    setProcessZone(processZone)
    assert.strictEqual(Intl.DateTimeFormat().resolvedOptions().timeZone, processZone)
    const { compile } = makeFhirPath(new Map(), by)
    const paths = expressions.map(compile)
    return times.flatMap((start) =>
      times.flatMap((end) => {
        const focus: Elements = rootPeriod(start, end)
        return paths.map((path) => [path.text, start, end, outcome(path, focus, {}, { zone })])
      })
    )
  }

  const rootPeriod = (start: string, end: string): Elements => {
    const encounter = rootNode({ resourceType: "Encounter", period: { start, end } })
    return makeFhirPath(new Map()).compile("period").evaluate([encounter], {}, utcScope)
  }

  it.each(zones)("are the same in every process zone, and as in the library in a process of this zone: %s", (zone) => {
    const expected = results("library", zone, zone).map(withPlusZero)
    for (const processZone of zones) {
      const found = results("definition", zone, processZone)
      found.forEach((one, at) => assert.deepStrictEqual(one, expected[at], `in a process of ${processZone}`))
    }
  })

  it("reads fractions of a second and offsets of less than an hour as they are written, unlike the library", () => {
    const { compile } = makeFhirPath(new Map())
    const compared = (start: string, end: string): unknown =>
      compile("start = end").values(rootPeriod(start, end), {}, utcScope)[0]
    assert.isTrue(compared("2026-03-02T01:05:00.5Z", "2026-03-02T01:05:00.500Z"))
    assert.isTrue(compared("2026-03-02T01:05:00.1234567Z", "2026-03-02T01:05:00.123Z"))
    assert.isTrue(compared("2026-03-02T01:05:00-00:30", "2026-03-02T01:35:00Z"))
  })

  describe("in the forms that fields of records tolerate", () => {
    const forms = [
      "2026-03-02 08:05:00+07:00",
      "2026-03-02T08:05:00+0700",
      "2026-03-02t08:05:00.0+07",
      "2026-03-02 01:05:00z"
    ]
    const written = "2026-03-02T08:05:00+07:00"

    it.each(forms)("are compared and calculated as if they were written in the form of FHIR: %s", (form) => {
      for (const by of ["definition", { after: 0 }] as const) {
        const { compile } = makeFhirPath(new Map(), by)
        const compared = "< > <= >= = != ~ !~".split(" ").map((operator) => compile(`start ${operator} end`))
        for (const path of compared) {
          for (const other of times) {
            const found = path.values(rootPeriod(form, other), {}, utcScope)
            assert.deepStrictEqual(
              found,
              path.values(rootPeriod(written, other), {}, utcScope),
              `${path.text}: ${other}`
            )
          }
        }
        const isTrue = (text: string): boolean =>
          compile(text).values(rootPeriod(form, written), {}, utcScope)[0] === true
        assert.isTrue(isTrue("start + 1 minute > end and start - 1 minute < end"))
        assert.isTrue(isTrue("start.combine(end).min() = end"))
        assert.isTrue(isTrue("start.convertsToDateTime() and start.toDateTime() = end"))
      }
    })

    it("are local times without an offset, also where FHIR has an instant", () => {
      const record = rootNode({
        resourceType: "Observation",
        effectiveDateTime: "2026-03-02T08:05:00",
        issued: "2026-03-02 08:06:00"
      })
      const { compile } = makeFhirPath(new Map())
      assert.deepStrictEqual(compile("issued > effective").values([record], {}, utcScope), [true])
    })

    it("are no times in texts of expressions", () => {
      const { compile } = makeFhirPath(new Map())
      assert.deepStrictEqual(compile(`'${forms[0]}'.convertsToDateTime()`).values([], {}, utcScope), [false])
    })
  })

  it("never depend on the clock", () => {
    const { compile } = makeFhirPath(new Map())
    for (const text of ["now()", "today()", "timeOfDay()"]) {
      assert.throws(() => compile(text).evaluate([], {}, utcScope), /depend on the time of the run/u)
    }
  })
})
