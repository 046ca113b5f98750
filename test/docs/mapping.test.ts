import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { converted, temporaryFolder, written } from "../pipeline/converted.ts"

interface Example {
  readonly heading: string
  readonly mapping: string
  readonly source: string
  readonly visit: unknown
}

/** The examples of a page: a mapping, the records it is given, and what the visit must hold. */
const examplesOf = (page: string): ReadonlyArray<Example> => {
  const found: Array<Example> = []
  let heading = ""
  let open: { mapping?: string; source?: string } = {}
  for (const [, title, language, kind, body] of page.matchAll(/^#+ (.+)$|^```(\w+)(?: (\w+))?\n([\s\S]*?)^```$/gmu)) {
    if (title !== undefined) heading = title
    else if (language === "yaml" && kind === "mapping") open = { mapping: body! }
    else if (language === "json" && kind === "source") open.source = body!
    else if (language === "json" && kind === "visit") {
      assert.isDefined(open.mapping, `${heading}: a visit without a mapping`)
      assert.isDefined(open.source, `${heading}: a visit without records`)
      found.push({ heading, mapping: open.mapping!, source: open.source!, visit: JSON.parse(body!) })
    }
  }
  return found
}

/** What is expected must be there; lists have as many elements as expected. */
const holds = (actual: unknown, expected: unknown, place: string): void => {
  if (Array.isArray(expected)) {
    assert.isArray(actual, place)
    assert.strictEqual((actual as ReadonlyArray<unknown>).length, expected.length, `${place}: number of elements`)
    expected.forEach((item, index) => holds((actual as ReadonlyArray<unknown>)[index], item, `${place}[${index}]`))
  } else if (typeof expected === "object" && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      holds((actual as Readonly<Record<string, unknown>> | null)?.[key], value, `${place}.${key}`)
    }
  } else assert.strictEqual(actual, expected, place)
}

const examples = examplesOf(readFileSync("docs/mapping.md", "utf8"))

describe("docs/mapping.md", () => {
  it("has examples", () => assert.isAtLeast(examples.length, 6))

  for (const { heading, mapping, source, visit } of examples) {
    it.effect(`${heading}: the example makes the visit that stands beside it`, () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const [mappingFile, input] = written(folder, { "mapping.yaml": mapping, "records.json": source })
        const { visits } = yield* converted([input!], { mapping: mappingFile! })
        assert.strictEqual(visits.length, 1)
        holds(JSON.parse(visits[0]!.json), visit, "visit")
      }))
  }
})
