import { assert, describe, it } from "@effect/vitest"
import { type Keys, readValues } from "../../src/mapping/language/grammar/Kind.ts"
import * as grammar from "../../src/mapping/language/grammar/mappingGrammar.ts"
import * as tables from "../../src/mapping/language/grammar/tableGrammar.ts"
import { parseYaml } from "../../src/mapping/language/parseYaml.ts"
import { SyntaxReader } from "../../src/mapping/language/SyntaxReader.ts"
import { renderMappingGrammar } from "../../tools/renderGrammar.ts"
import { assertGolden } from "../golden.ts"

/** What keys read from the text of a file. */
const readText = (keys: Keys, text: string): Readonly<Record<string, unknown>> => {
  const { problems, syntax } = parseYaml("mapping.yaml", text)
  assert.deepStrictEqual(problems, [])
  const reader = new SyntaxReader()
  const map = reader.map(syntax!, "the text", Object.keys(keys))
  const values = readValues(reader, keys, map)
  assert.deepStrictEqual(reader.problems, [], text)
  return values
}

const all = Object.entries({ ...grammar, ...tables }).flatMap(([name, keys]) =>
  name.endsWith("Keys") ? [[name, keys as Keys] as const] : []
)

describe("docs/reference/mapping.md", () => {
  it("is what the grammar prints", () => assertGolden("docs/reference/mapping.md", renderMappingGrammar()))

  it("describes every key, in sentences", () => {
    const page = renderMappingGrammar()
    for (const [, key, means] of page.matchAll(/^\| `(\w+)` \|.*\| ([^|]*) \|$/gmu)) {
      assert.match(means!, /^[A-Z`].*[.`)]$/u, key)
    }
    for (const [name, keys] of all) {
      for (const key of Object.keys(keys)) assert.include(page, `| \`${key}\` |`, name)
    }
  })
})

describe("The grammar of a mapping", () => {
  for (const [name, keys] of all) {
    it(`${name}: a default that is written is the value without the key, and every example is read`, () => {
      const usual = readText(keys, "{}")
      for (const [key, { default: value, example, kind }] of Object.entries(keys)) {
        if (value !== undefined && value !== null) {
          const written = kind.write?.(value) ?? String(value)
          assert.deepStrictEqual(readText(keys, `${key}: ${written}`)[key], usual[key], key)
        }
        if (example === undefined) continue
        assert.match(example, new RegExp(`^${key}: `, "u"))
        assert.isDefined(readText(keys, example)[key], example)
      }
    })
  }
})
