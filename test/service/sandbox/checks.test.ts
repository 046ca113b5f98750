import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { checkFields } from "../../../src/service/sandbox/checkFields.ts"
import { checkLinks } from "../../../src/service/sandbox/checkLinks.ts"
import { visitTexts } from "../../../src/service/sandbox/handleSubmission.ts"
import { isDate, isStrictTimestamp } from "../../../src/service/sandbox/isStrictTimestamp.ts"
import { arbitraryVisit } from "../../../src/studio/proof/arbitraryVisit.ts"
import { decodeVisit } from "../../../src/visit/decode.ts"
import { encodeVisit } from "../../../src/visit/encode.ts"
import { visitFields } from "../../../src/visit/fields.ts"
import { isCalendarDate } from "../../../src/visit/values/CalendarDate.ts"
import { isTimestamp as isVisitTimestamp } from "../../../src/visit/values/Timestamp.ts"
import { sampleVisit } from "./sampleVisit.ts"

const strict = { openVisits: false }

/** Every place in a JSON value, as a path. */
const places = (
  value: unknown,
  at: ReadonlyArray<string | number> = []
): ReadonlyArray<ReadonlyArray<string | number>> =>
  typeof value !== "object" || value === null
    ? [at]
    : [
      at,
      ...Object.entries(value).flatMap(([key, inner]) =>
        places(inner, [...at, Array.isArray(value) ? Number(key) : key])
      )
    ]

const changed = (visit: unknown, path: ReadonlyArray<string | number>, value: unknown): unknown => {
  const copy = structuredClone(visit) as Record<string | number, unknown>
  let at: Record<string | number, unknown> = copy
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>
  if (value === undefined && typeof path.at(-1) === "string") delete at[path.at(-1)!]
  else at[path.at(-1)!] = value
  return copy
}

describe("§2.4 to §2.6 two readings of the specification, written apart, agree", () => {
  it("every visit that can be made is taken", () => {
    fc.assert(
      fc.property(arbitraryVisit, (visit) => {
        const received = JSON.parse(encodeVisit(visit)) as Record<string, unknown>
        assert.isNull(checkFields(received, visitFields, "visits.0", strict))
        assert.isNull(checkLinks(received, "visits.0", { transferValues: [] }))
      }),
      { numRuns: 60 }
    )
  })

  it("a visit with one wrong value is refused by both or by neither", () => {
    const visit = sampleVisit(1)
    const all = places(visit).filter((path) => path.length > 0)
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.constantFrom(undefined, null, "", " ", "x", 0, 1.5, true, [], {}, [1], ["x"], "2026-02-30", "2026-03-01"),
        (path, value) => {
          const received = changed(visit, path, value)
          const ours = decodeVisit(JSON.stringify(received))._tag === "Success"
          const theirs = checkFields(received, visitFields, "visits.0", strict) === null
          assert.strictEqual(theirs, ours, `${path.join(".")} = ${JSON.stringify(value)}`)
        }
      ),
      { numRuns: 1500 }
    )
  })

  it("§2 timestamps and dates", () => {
    const near = fc.tuple(
      fc.integer({ min: 0, max: 9999 }),
      ...[13, 32, 24, 60, 60, 999, 24, 60].map((max) => fc.integer({ min: 0, max })),
      fc.constantFrom("+", "-")
    ).map(([year, month, day, hour, minute, second, milli, offsetHour, offsetMinute, sign]) => {
      const two = (n: unknown) => String(n).padStart(2, "0")
      const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`
      return `${date}T${two(hour)}:${two(minute)}:${two(second)}.${String(milli).padStart(3, "0")}${sign}${
        two(offsetHour)
      }:${two(offsetMinute)}`
    })
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (text) => {
        assert.strictEqual(isStrictTimestamp(text), isVisitTimestamp(text), text)
        assert.strictEqual(isDate(text.slice(0, 10)), isCalendarDate(text.slice(0, 10)), text)
      }),
      { numRuns: 3000 }
    )
  })
})

describe("the text of each visit is what was received", () => {
  const indented = fc.tuple(fc.json(), fc.constantFrom(undefined, 1, 2, "\t")).map(([json, space]) =>
    JSON.stringify(JSON.parse(json), null, space)
  )
  it("for any JSON around and inside", () => {
    fc.assert(
      fc.property(fc.array(indented), indented, fc.constantFrom("", " ", "\n\t"), (visits, other, space) => {
        const body = `${space}{${space}"a":${other},${space}"visits"${space}:${space}[${
          visits.join(`${space},${space}`)
        }${space}]${space},"b":${other}}`
        assert.deepStrictEqual(visitTexts(body), visits)
      }),
      { numRuns: 500 }
    )
  })
  it("of a key that occurs twice the last one counts, however it is spelt", () => {
    assert.deepStrictEqual(visitTexts("{\"visits\":[1,2],\"\\u0076isits\":[3]}"), ["3"])
  })
})
