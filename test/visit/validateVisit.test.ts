import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { at } from "../../src/at.ts"
import { arbitraryVisit } from "../../src/studio/proof/arbitraryVisit.ts"
import { formProblems } from "../../src/visit/checkForm.ts"
import type { Field } from "../../src/visit/Field.ts"
import { visitFields } from "../../src/visit/fields.ts"
import { makeUniqueInRun } from "../../src/visit/rules/uniqueInRun.ts"
import { hasNoErrors, validateVisit } from "../../src/visit/validateVisit.ts"
import type { VisitProblem } from "../../src/visit/VisitProblem.ts"
import { runs } from "../runs.ts"
import { exampleVisit } from "./exampleVisit.ts"
import { placesOf, valueAt, withValue } from "./mutate.ts"
import { schemaProblems } from "./schemaProblems.ts"

const now = Date.UTC(2026, 3, 1)

const schemaAccepts = (value: unknown): boolean => schemaProblems(value).length === 0
const isVisit = (value: unknown): boolean => formProblems(value).length === 0

const errorsOf = (visit: unknown): ReadonlyArray<string> =>
  validateVisit(visit, { now }).filter(isDocumented).map(({ code, path }) => `${code} ${path.join(".")}`)

/** A valid visit, and one of its places that some field is at. */
const visitAndPlace = (expected: (field: Field) => boolean) =>
  arbitraryVisit.chain((visit) => {
    const places = placesOf(visit, visitFields).filter(({ field }) => expected(field))
    return fc.tuple(fc.constant(visit), fc.constantFrom(...places))
  })

const isCode = (field: Field): boolean => field.kind === "code" || field.kind === "identifier"

/** Something no field of the kind can hold. */
const wrongFor = (field: Field): fc.Arbitrary<unknown> => {
  switch (field.kind) {
    case "timestamp":
      return fc.constantFrom<unknown>("2026-03-01", "2026-02-30T10:00:00.000+07:00", "2026-03-01T10:00:00.000Z", 7, [])
    case "date":
      return fc.constantFrom<unknown>("2026-02-30", "1.3.2026", 20_260_301, {})
    case "decimal":
      return fc.constantFrom<unknown>("7.2", Number.NaN, Infinity, true, [7])
    case "boolean":
      return fc.constantFrom<unknown>("true", 0, 1)
    case "text-or-decimal":
      return fc.constantFrom<unknown>(true, [], {})
    case "strings":
    case "list":
      return fc.constantFrom<unknown>(null, "text", {}, [null], [7])
    case "object":
      return fc.constantFrom<unknown>("text", [], 7)
    case "examination":
      return fc.constantFrom<unknown>(7, {}, [{}], [{ inspection: "a", palpation: "b" }], [{ smell: "c" }])
    default:
      return fc.constantFrom<unknown>(7, false, [], {})
  }
}

const isAtOrInside = (found: string, path: string): boolean => found === path || found.startsWith(`${path}.`)

describe("validateVisit on any valid visit", () => {
  it("law: finds no error", () => {
    fc.assert(
      fc.property(arbitraryVisit, (visit) => {
        // a transfer needs its referral and no other text may mean one by chance
        fc.pre(!/refer/i.test(visit.discharge_type ?? ""))
        assert.deepStrictEqual(errorsOf(visit), [])
        assert.deepStrictEqual(makeUniqueInRun()(visit), [])
      }),
      { numRuns: 200 }
    )
  })

  it("law: never shows a value of the visit", () => {
    const marked = withValue(exampleVisit, ["patient", "surname"], "\u0001Canary")
    const broken = ["sex", "birthdate", "phone", "death_at"].reduce<unknown>(
      (visit, name) => withValue(visit, ["patient", name], "Canary"),
      withValue(withValue(marked, ["diagnosis", 0, "encounter_code"], "Canary"), ["soaps", 0, "plan"], "Canary\uD800")
    )
    const problems = validateVisit(broken, { now })
    assert.isAbove(problems.length, 4)
    assert.notInclude(JSON.stringify(problems), "Canary")
  })
})

describe("validateVisit on a visit with one mistake", () => {
  const check = (
    mutated: fc.Arbitrary<readonly [visit: unknown, path: ReadonlyArray<string | number>]>,
    codes: ReadonlyArray<string>
  ): void => {
    fc.assert(
      fc.property(mutated, ([visit, path]) => {
        const errors = errorsOf(visit)
        const here = errors.filter((error) => isAtOrInside(error.split(" ")[1] ?? "", path.join(".")))
        assert.isNotEmpty(here, `nothing found at ${path.join(".")}; found ${errors.join(", ")}`)
        assert.include(codes, at(here, 0).split(" ")[0])
        assert.isFalse(isVisit(visit))
        assert.isFalse(schemaAccepts(visit))
      }),
      { numRuns: 200 }
    )
  }

  it("§4.5 rule 7: law: reports a missing code, timestamp or identifier at its path", () => {
    check(
      visitAndPlace((field) => field.mandatory && field.fields === undefined).chain(([visit, { path }]) =>
        fc.constantFrom<unknown>(undefined, null, "", "  ").map((gone) => [withValue(visit, path, gone), path] as const)
      ),
      ["required-field", "invalid-field"]
    )
  })

  it("§2: law: reports a removed field at its path", () => {
    check(
      visitAndPlace((field) => !field.optional).map(([visit, { path }]) =>
        [withValue(visit, path, undefined), path] as const
      ),
      ["required-field"]
    )
  })

  it("law: reports a field of another type or form at its path", () => {
    check(
      visitAndPlace(() => true).chain(([visit, { path, field }]) =>
        wrongFor(field).filter((wrong) => !(field.kind === "list" && Array.isArray(wrong) && wrong.length === 0))
          .filter((wrong) => field.fields !== undefined || field.kind !== "object" || !isPlainObject(wrong))
          .map((wrong) => [withValue(visit, path, wrong), path] as const)
      ),
      ["invalid-field", "required-field"]
    )
  })

  it("§4.5 rule 5: law: reports an array that is null", () => {
    check(
      visitAndPlace((field) => field.kind === "list" || field.kind === "strings").map(([visit, { path }]) =>
        [withValue(visit, path, null), path] as const
      ),
      ["invalid-field"]
    )
  })

  it("law: reports a key that the specification does not have at its path", () => {
    check(
      arbitraryVisit.chain((visit) => {
        const inside = placesOf(visit, visitFields).filter(({ path, field }) =>
          field.fields !== undefined && field.kind === "object" && valueAt(visit, path) !== null
        ).map(({ path }) => path)
        return fc.constantFrom([], ...inside).map((path) => {
          const extra = [...path, "tilte"]
          return [withValue(visit, extra, null), extra] as const
        })
      }),
      ["unexpected-field"]
    )
  })

  it("law: reports a code of something outside the visit at its path", () => {
    const links = new Set(["patient_code", "visit_code", "encounter_code", "invoice_code"])
    fc.assert(
      fc.property(
        visitAndPlace((field) => isCode(field) && links.has(field.name))
          .filter(([visit, { path }]) => path.length > 1 && valueAt(visit, path) !== null),
        ([visit, { path }]) => {
          fc.pre(!/refer/i.test(visit.discharge_type ?? ""))
          assert.deepStrictEqual(errorsOf(withValue(visit, path, "elsewhere-9")), [`foreign-code ${path.join(".")}`])
        }
      ),
      { numRuns: 100 }
    )
  })
})

const isPlainObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The schema reports some findings of an examination as a whole, because it tries one form after the other; the checker names the entry.
 * Everything else is compared word by word.
 */
const alike = (problems: ReadonlyArray<VisitProblem>): ReadonlyArray<unknown> => {
  const seen = new Set<string>()
  return problems.flatMap((problem): ReadonlyArray<unknown> => {
    const [list, index, field] = problem.path
    if (list !== "physical_examinations" || field !== "value") return [problem]
    const place = `${list}.${index}.${field} ${problem.code}`
    if (seen.has(place)) return []
    seen.add(place)
    return [place]
  })
}

describe("validateVisit on anything", () => {
  it("law: never throws, and finds errors in a value that is not a visit", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, maxDepth: 4 }), (value) => {
        assert.isFalse(hasNoErrors(validateVisit(value, { now })))
        makeUniqueInRun()(value)
      }),
      { numRuns: 500 }
    )
  })

  it("§2.6 PhysicalExamination: the checker and the schema agree on every form of value", () => {
    const values: ReadonlyArray<unknown> = [
      null,
      "",
      "text",
      [],
      [{}],
      [null],
      ["text"],
      [[]],
      [7],
      [{ inspection: "a" }],
      [{ inspection: 7 }],
      [{ inspection: "a", palpation: "b" }],
      [{ smell: "a" }],
      [{ palpation: "a" }, { palpation: "b" }]
    ]
    const accepted: Array<string> = []
    for (const type of ["text", "complex", null, "other"]) {
      for (const value of values) {
        const visit = withValue(
          withValue(exampleVisit, ["physical_examinations", 0, "value_type"], type),
          ["physical_examinations", 0, "value"],
          value
        )
        assert.strictEqual(isVisit(visit), schemaAccepts(visit), `${type} ${JSON.stringify(value)}`)
        if (isVisit(visit)) accepted.push(`${type} ${JSON.stringify(value)}`)
      }
    }
    assert.deepStrictEqual(accepted, [
      "text null",
      "text \"\"",
      "text \"text\"",
      "complex []",
      "complex [{\"inspection\":\"a\"}]",
      "complex [{\"palpation\":\"a\"},{\"palpation\":\"b\"}]",
      "null null"
    ])
  })

  it("accepts any text with a character that is not white space as a code", () => {
    for (const code of [" L-1", "\tL-1", "១២", "\u200B", "0"]) {
      const visit = withValue(exampleVisit, ["laboratories", 0, "request_code"], code)
      assert.isTrue(isVisit(visit) && schemaAccepts(visit), JSON.stringify(code))
    }
  })

  it("§4.5 rule 7: rejects white space of any script as a code", () => {
    for (const code of [" ", "\t\n", "\u00A0", "\u3000\u00A0", "\u2003", "\uFEFF"]) {
      const visit = withValue(exampleVisit, ["laboratories", 0, "request_code"], code)
      assert.isFalse(isVisit(visit) || schemaAccepts(visit), JSON.stringify(code))
      assert.deepStrictEqual(alike(formProblems(visit)), alike(schemaProblems(visit)))
    }
  })

  it("law: finds the same problems of form as the schema, in its order", () => {
    fc.assert(
      fc.property(
        visitAndPlace(() => true),
        fc.oneof(
          fc.constantFrom<unknown>(undefined, null, "", 7, [], {}, ["", 1], [null], [{}]),
          fc.anything({ maxDepth: 2 })
        ),
        fc.constantFrom<unknown>(undefined, null, 7, [{ more: 1 }], { more: [] }),
        fc.nat(),
        ([visit, { path }], one, other, nth) => {
          const places = placesOf(visit, visitFields)
          const second = at(places, nth % places.length).path
          const [here, there] = [path.join("."), second.join(".")]
          const isApart = !isAtOrInside(here, there) && !isAtOrInside(there, here)
          const mutated = withValue(isApart ? withValue(visit, second, other) : visit, path, one)
          assert.deepStrictEqual(alike(formProblems(mutated)), alike(schemaProblems(mutated)))
        }
      ),
      { numRuns: runs(400) }
    )
  })

  it("law: the rules accept any value at any path without throwing", () => {
    fc.assert(
      fc.property(visitAndPlace(() => true), fc.anything({ maxDepth: 2 }), ([visit, { path }], anything) => {
        const mutated = withValue(visit, path, anything)
        validateVisit(mutated, { now })
        makeUniqueInRun()(mutated)
        assert.strictEqual(
          isVisit(mutated),
          schemaAccepts(mutated),
          `the checker and the schema agree at ${path.join(".")}`
        )
      }),
      { numRuns: 300 }
    )
  })
}) /** What the specification documents; a hollow visit has its form. */
const isDocumented = ({ code, severity }: VisitProblem): boolean =>
  severity === "error" && code !== "missing-content" && code !== "odd-value"
