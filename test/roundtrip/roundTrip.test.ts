import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { at } from "../../src/at.ts"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import { normalize } from "../../src/studio/canonical/normalize.ts"
import { toFhir } from "../../src/studio/canonical/toFhir.ts"
import { arbitraryVisit } from "../../src/studio/proof/arbitraryVisit.ts"
import { variants } from "../../src/studio/proof/variants.ts"
import { encodeVisit } from "../../src/visit/encode.ts"
import type { Field } from "../../src/visit/Field.ts"
import { visitFields } from "../../src/visit/fields.ts"
import { PatientCode } from "../../src/visit/values/Code.ts"
import { toEpochMillis } from "../../src/visit/values/Timestamp.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import { runs, timeout } from "../runs.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"
import {
  asFile,
  assertSame,
  bundleText,
  convert,
  decoded,
  expected,
  loadChecked,
  sampleVisit,
  together,
  value,
  zone
} from "./convert.ts"
import { longVisit } from "./longVisit.ts"
import { ordinaryVisit, withoutStatements } from "./ordinaryVisit.ts"

const checked = await loadChecked()

const assertRoundTrip = (visit: Visit): ReturnType<typeof convert>["totals"] => {
  const { totals, visits } = convert(checked, [asFile(bundleText(visit))])
  assert.strictEqual(visits.length, 1)
  assertSame(at(visits, 0).json, expected(visit))
  assert.deepStrictEqual(totals.rejectedRecords, [])
  return totals
}

/** Where no field of a visit is empty, a value of each resource is in its bytes. */
const assertWhole = (visit: Visit): void => assert.deepStrictEqual([...assertRoundTrip(visit).unused], [])

describe("law: map(toFhir(v)) equals v, with the shipped base mapping", () => {
  it("for any visit, field by field and byte by byte", { timeout }, () => {
    fc.assert(fc.property(arbitraryVisit, (visit) => void assertRoundTrip(visit)), { numRuns: runs(200) })
  })

  it("for visits with a long list", { timeout }, () => {
    fc.assert(fc.property(longVisit, (visit) => void assertRoundTrip(visit)), { numRuns: runs(30) })
  })

  it("for a valid visit, with problems only for its empty fields, and no unread resource", () => {
    assertWhole(exampleVisit)
    const [back] = convert(checked, [asFile(bundleText(exampleVisit))]).visits
    // Without the service's lists, a type of card or payment that is sent as it is remains an assumption.
    const others = back?.problems.filter(({ assumption, code }) =>
      code !== "null-field" && assumption !== "code-is-sent-as-it-is"
    )
    assert.deepStrictEqual(others, [])
    assert.isTrue(back?.ready)
  })

  it("for the visit written by hand for a sample", () => {
    assertRoundTrip(sampleVisit)
  })

  it("for several visits together, of one patient and of several", { timeout }, () => {
    const visits = together((visit, same, index, first) =>
      same ? withPatient(visit, first) : withPatient(visit, visit, PatientCode(`P${index}`))
    )
    fc.assert(
      fc.property(visits, (visits) => {
        const files = visits.map((visit, index) => asFile(bundleText(visit), `${index}.json`))
        const back = convert(checked, files).visits
        assert.strictEqual(back.length, visits.length)
        for (const visit of visits) assertSame(back.find(({ code }) => code === visit.code)?.json, expected(visit))
      }),
      { numRuns: runs(25) }
    )
  })

  it("toFhir returns the same Bundle each time, and for the normal form of a visit", () => {
    fc.assert(
      fc.property(arbitraryVisit, (visit) => {
        assert.strictEqual(bundleText(visit), JSON.stringify(toFhir(visit)))
        assert.strictEqual(bundleText(visit), bundleText(normalize(visit)))
      }),
      { numRuns: runs(30) }
    )
  })
})

/** The visit as one of another patient. */
const withPatient = (visit: Visit, { patient }: Visit, code = patient.code): Visit =>
  decoded(JSON.stringify(
    { ...visit, patient: { ...patient, code } },
    (key, inner: unknown) => key === "patient_code" ? code : inner
  ))

describe("law: the form of the input does not change the visit", () => {
  for (const { name, of } of variants) {
    it(name, { timeout }, () => {
      const cases = arbitraryVisit.chain((visit) => of(toFhir(visit)).map((texts) => ({ visit, texts })))
      fc.assert(
        fc.property(cases, ({ texts, visit }) => {
          const { visits } = convert(checked, texts)
          assert.strictEqual(visits.length, 1)
          assertSame(at(visits, 0).json, expected(visit))
        }),
        { numRuns: runs(25) }
      )
    })
  }
})

/** Each leaf of the specification with its values in a visit: `vital_signs.observations.value`. */
const leaves = (
  fields: ReadonlyArray<Field>,
  holder: unknown,
  use: (path: string, field: Field, value: unknown) => void,
  prefix = ""
): void => {
  for (const field of fields) {
    const path = prefix + field.name
    const inner = jsonObjectOf(holder)[field.name]
    if (field.fields === undefined) use(path, field, inner)
    else if (field.kind === "object") leaves(field.fields, inner, use, `${path}.`)
    else {for (const entry of Array.isArray(inner) ? inner : [null]) {
        leaves(field.fields, entry, use, `${path}.`)
      }}
  }
}

describe("law: an ordinary visit is preserved by FHIR without stated fields", () => {
  const bundle = withoutStatements(toFhir(ordinaryVisit))

  it("preserves every field, ready to be sent", () => {
    const { totals, visits } = convert(checked, [asFile(JSON.stringify(bundle))])
    assert.notInclude(JSON.stringify(bundle), "/stated-")
    assertSame(visits[0]?.json, expected(ordinaryVisit))
    assert.deepStrictEqual([...totals.unused], [])
    assert.isTrue(at(visits, 0).ready)
  })

  for (const { name, of } of variants) {
    it(name, () => {
      fc.assert(
        fc.property(of(bundle), (texts) => {
          assertSame(convert(checked, texts).visits[0]?.json, expected(ordinaryVisit))
        }),
        { numRuns: runs(8) }
      )
    })
  }
})

describe("law: times in another zone", () => {
  const zones = ["UTC", "America/St_Johns", "Pacific/Kiritimati", "Europe/Amsterdam", "-11:30"]

  it(
    "an instant keeps its instant whatever the output offset; a date never shifts; all else is the same",
    { timeout },
    () => {
      fc.assert(
        fc.property(arbitraryVisit, fc.constantFrom(...zones), (visit, other) => {
          const there = at(convert(checked, [asFile(bundleText(visit))], other).visits, 0)
          const found: Array<unknown> = []
          const normalized: Array<unknown> = []
          const collect = (into: Array<unknown>) => (path: string, field: Field, inner: unknown): void => {
            into.push([
              path,
              field.kind === "timestamp" && typeof inner === "string" ? toEpochMillis(inner) : JSON.stringify(inner)
            ])
          }
          leaves(visitFields, value(there.json), collect(found))
          leaves(visitFields, value(encodeVisit(normalize(visit))), collect(normalized))
          assert.deepStrictEqual(found, normalized)
        }),
        { numRuns: runs(40) }
      )
    }
  )
})

describe("law: decode(encode(v)) equals v", () => {
  it("for visits as they come back from FHIR, with the same bytes", { timeout }, () => {
    fc.assert(
      fc.property(arbitraryVisit, (visit) => {
        const json = expected(visit)
        const again = decoded(json)
        assert.strictEqual(encodeVisit(again), json)
        assert.deepStrictEqual(again, normalize(visit, zone))
      }),
      { numRuns: runs(40) }
    )
  })
})

describe("coverage", () => {
  // The laws above compare what comes back with what is expected.
  it("expects a value other than null in every leaf field of §2.4 to §2.6", () => {
    const all = new Set<string>()
    const seen = new Set<string>()
    leaves(visitFields, null, (path) => all.add(path))
    for (const visit of fc.sample(arbitraryVisit, { numRuns: 40, seed: 20_260_301 })) {
      leaves(visitFields, value(expected(visit)), (path, _, inner) => {
        const empty = inner === null || inner === undefined || inner === "" ||
          (Array.isArray(inner) && inner.length === 0)
        if (!empty) seen.add(path)
      })
    }
    assert.isAbove(all.size, 190)
    assert.deepStrictEqual([...all].filter((path) => !seen.has(path)), [])
  })
})
