import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, two } from "./drafted.ts"

/** The department of each of six visits, beside one other column. */
const departments = (header: string, more: (at: number) => string) =>
  drafted(days(6, { header: `,${header}`, more: (at) => `,${more(at)}` })).pipe(
    Effect.map(({ visits }) => visits.map(({ outpatients: [{ service_type }] }) => service_type))
  )

describe("The department of a visit", () => {
  for (
    const [name, value] of [
      ["service_date", "2026-03-01"],
      ["ward_time", "08:20"],
      ["department_head", "Example"],
      ["service_fee", "12.50"],
      ["health_service_purchaser", "35"]
    ] as const
  ) {
    it.effect(`is not in a column \`${name}\``, () =>
      Effect.gen(function*() {
        const found = yield* departments(`${name},clinic`, () => `${value},Surgery`)
        assert.deepStrictEqual([...new Set(found)], ["Surgery"])
      }))
  }

  it.effect("is in a column `Admission Ward`", () =>
    Effect.gen(function*() {
      const found = yield* departments("Admission Ward", (at) => `Ward ${two(at % 2)}`)
      assert.deepStrictEqual(found.toSorted()[0], "Ward 00")
    }))
})
