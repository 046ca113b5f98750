import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { FacilityCode } from "../../src/visit/values/Code.ts"
import { assertGolden } from "../golden.ts"
import { present } from "../present.ts"
import { addsUp, converted } from "../run/converted.ts"
import { leafPaths } from "../visit/leafPaths.ts"

const facilities: Readonly<Record<string, string>> = {
  "outpatient-fever": "HF0001",
  "inpatient-surgery-referral": "HF0002",
  "emergency-labs-imaging": "HF0003",
  "clinic-day": "HF0004",
  "district-tables": "HF0005"
}

/** Samples with a mapping of their own. */
const mappings: Readonly<Record<string, string>> = {
  "district-tables": "samples/district-tables/mapping.yaml"
}

const convertSample = (name: string) =>
  converted([`samples/${name}/input`], {
    facility: FacilityCode(present(facilities[name])),
    ...(mappings[name] === undefined ? {} : { mapping: mappings[name] })
  })

describe("The samples", () => {
  it.effect("converts outpatient-fever to the visit written by hand", () =>
    Effect.gen(function*() {
      const { visits } = yield* convertSample("outpatient-fever")
      assert.deepStrictEqual(visits.map((visit) => JSON.parse(visit.json)), [
        JSON.parse(readFileSync("samples/outpatient-fever/expected.json", "utf8"))
      ])
    }))

  for (const name of Object.keys(facilities)) {
    it.effect(`gives the reviewed visits, problems and accounts: ${name}`, () =>
      Effect.gen(function*() {
        const result = yield* convertSample(name)
        assert.isTrue(addsUp(result))
        const page = {
          visits: result.visits.map(({ code, ready, problems, json }) => ({
            code,
            ready,
            problems: problems.map(({ code, severity, field, source, title }) => ({
              code,
              severity,
              field,
              source,
              title
            })),
            visit: JSON.parse(json)
          })),
          rejectedRecords: result.totals.rejectedRecords.map(({ source, problems }) => ({
            source,
            codes: problems.map((problem) => problem.code)
          })),
          unused: Object.fromEntries(result.totals.unused),
          unmapped: result.totals.unmapped
        }
        assertGolden(`test/samples/golden/${name}.json`, `${JSON.stringify(page, null, 2)}\n`)
      }))
  }

  it.effect("fills every field of the specification that has a stated form", () =>
    Effect.gen(function*() {
      const filled = new Set<string>()
      const walk = (value: unknown, path: string): void => {
        if (value === null || value === undefined || value === "") return
        if (Array.isArray(value)) { for (const item of value) walk(item, path) }
        else if (typeof value === "object") {
          filled.add(path)
          for (const [key, inner] of Object.entries(value)) walk(inner, path === "" ? key : `${path}.${key}`)
        } else filled.add(path)
      }
      for (const name of Object.keys(facilities)) {
        for (const { json } of (yield* convertSample(name)).visits) walk(JSON.parse(json), "")
      }
      // Photos are never sent. The specification does not define the structure of `referred_from`.
      assert.deepStrictEqual(leafPaths.filter((path) => !filled.has(path)), [
        "patient.photos",
        "referrals.referred_from"
      ])
    }))
})
