import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { checkFields } from "../../../src/service/sandbox/handlers/checkFields.ts"
import { checkLinks } from "../../../src/service/sandbox/handlers/checkLinks.ts"
import { visitTexts } from "../../../src/service/sandbox/handlers/handleSubmission.ts"
import { arbitraryVisit } from "../../../src/studio/proof/arbitraryVisit.ts"
import { decodeVisit } from "../../../src/visit/decode.ts"
import { encodeVisit } from "../../../src/visit/encode.ts"
import { withValue } from "../../visit/mutate.ts"
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

describe("§2.4 to §2.6 the form of a visit", () => {
  it("accepts every valid visit", () => {
    fc.assert(
      fc.property(arbitraryVisit, (visit) => {
        const received = JSON.parse(encodeVisit(visit))
        assert.isNull(checkFields(received, "visits.0", strict))
        assert.isNull(checkLinks(received, "visits.0", { transferValues: [] }))
      }),
      { numRuns: 60 }
    )
  })

  it("refuses a visit with one wrong value, with a sentence that names its path", () => {
    const visit = sampleVisit(1)
    const all = places(visit).filter((path) => path.length > 0)
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.constantFrom(undefined, null, "", " ", "x", 0, 1.5, true, [], {}, [1], ["x"], "2026-02-30", "2026-03-01"),
        (path, value) => {
          const received = withValue(visit, path, value)
          const isValid = decodeVisit(JSON.stringify(received))._tag === "Success"
          const sentence = checkFields(received, "visits.0", strict)
          assert.strictEqual(sentence === null, isValid, `${path.join(".")} = ${JSON.stringify(value)}`)
          // The place itself, one inside it, or the examination around it.
          const place = ["visits.0", ...path[0] === "physical_examinations" ? path.slice(0, 2) : path].join(".")
          if (sentence !== null) assert.include(sentence, place)
        }
      ),
      { numRuns: 1500 }
    )
  })
})

describe("the stored text of each visit", () => {
  const indented = fc.tuple(fc.json(), fc.constantFrom(undefined, 1, 2, "\t")).map(([json, space]) =>
    JSON.stringify(JSON.parse(json), null, space)
  )
  it("is the received text, for any JSON around and inside", () => {
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
  it("uses the last of two equal keys, however they are escaped", () => {
    assert.deepStrictEqual(visitTexts("{\"visits\":[1,2],\"\\u0076isits\":[3]}"), ["3"])
  })
})
