import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { runs, timeout } from "../runs.ts"
import { bothWays } from "./converted.ts"

const folder = "samples/clinic-day/input"
const exported = readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, "utf8")] as const)

/** Elements of which each type of record has some. */
const names = [
  "category",
  "note",
  "reasonCode",
  "performer",
  "value",
  "effectiveDateTime",
  "extension",
  "contained",
  "unknown"
]

/** The visits of some records, with their problems, and without the folder of their files. */
const visitsOf = (files: Readonly<Record<string, string>>): Promise<string> =>
  bothWays(files).pipe(
    Effect.map(({ folder, visits }) => JSON.stringify(visits).replaceAll(folder, "")),
    Effect.scoped,
    Effect.runPromise
  )

/** The same records with `null` for elements that they do not have, and in lists of which the places do not matter. `pick` decides where. */
const withNulls = (value: unknown, pick: () => number): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => withNulls(item, pick))
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).map(([name, member]) => {
    const same = withNulls(member, pick)
    return Array.isArray(same) && !name.startsWith("_") && !(`_${name}` in value) && pick() % 3 === 0
      ? [name, same.toSpliced(pick() % (same.length + 1), 0, null)]
      : [name, same]
  })
  const name = names[pick() % names.length]
  if (name === undefined || name in value || pick() % 2 === 0) return Object.fromEntries(members)
  return Object.fromEntries([...members, [name, pick() % 2 === 0 ? null : [null]]])
}

describe("null in records", () => {
  it("law: a visit is the same if elements that a record does not have are null", async () => {
    const expected = await visitsOf(Object.fromEntries(exported))
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(1000)), async (numbers) => {
        const pick = () => Number(numbers.next().value)
        const lines = (text: string) =>
          text.trimEnd().split("\n").map((line) => JSON.stringify(withNulls(JSON.parse(line), pick))).join("\n")
        const files = Object.fromEntries(exported.map(([name, text]) => [name, lines(text)]))
        assert.strictEqual(await visitsOf(files), expected)
      }),
      { numRuns: runs(10) }
    )
  }, timeout)
})
