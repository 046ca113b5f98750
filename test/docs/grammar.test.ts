import { assert, describe, it } from "@effect/vitest"
import * as facility from "../../src/facility/settings/facilityGrammar.ts"
import { FacilityReader } from "../../src/facility/settings/FacilityReader.ts"
import * as service from "../../src/facility/settings/serviceGrammar.ts"
import * as source from "../../src/facility/settings/sourceGrammar.ts"
import * as validation from "../../src/facility/settings/validationGrammar.ts"
import { isJsonObject } from "../../src/json/JsonObject.ts"
import * as conceptMaps from "../../src/mapping/language/grammar/conceptMapGrammar.ts"
import * as grouping from "../../src/mapping/language/grammar/groupingGrammar.ts"
import { type Keys, readValues } from "../../src/mapping/language/grammar/Kind.ts"
import * as grammar from "../../src/mapping/language/grammar/mappingGrammar.ts"
import * as tables from "../../src/mapping/language/grammar/tableGrammar.ts"
import { parseYaml } from "../../src/mapping/language/parseYaml.ts"
import { SyntaxReader } from "../../src/mapping/language/SyntaxReader.ts"
import { renderFacilityGrammar, renderMappingGrammar } from "../../tools/renderGrammar.ts"
import { assertGolden } from "../golden.ts"
import { present } from "../present.ts"

/** The values that keys read from a file's text. */
const readText = (reader: SyntaxReader, keys: Keys, text: string): Readonly<Record<string, unknown>> => {
  const { problems, syntax } = parseYaml("mapping.yaml", text)
  assert.deepStrictEqual(problems, [])
  const map = reader.map(present(syntax), "the text", Object.keys(keys))
  const values = readValues(reader, keys, map)
  assert.deepStrictEqual(reader.problems, [], text)
  return values
}

const blocksOf = (module: Readonly<Record<string, unknown>>): ReadonlyArray<readonly [string, Keys]> =>
  Object.entries(module).filter(([name]) => name.endsWith("Keys")).map(([name, keys]) => {
    if (!isKeys(keys)) throw new Error(`${name} are no keys`)
    return [name, keys]
  })

const isKeys = (value: unknown): value is Keys =>
  isJsonObject(value) && Object.values(value).every((key) => isJsonObject(key) && "kind" in key)

const files = [
  {
    page: "docs/reference/mapping.md",
    text: renderMappingGrammar(),
    blocks: blocksOf({ ...grammar, ...conceptMaps, ...grouping, ...tables }),
    reader: () => new SyntaxReader()
  },
  {
    page: "docs/reference/facility.md",
    text: renderFacilityGrammar(),
    blocks: blocksOf({ ...facility, ...service, ...source, ...validation }),
    reader: () => new FacilityReader()
  }
]

for (const { blocks, page, reader, text } of files) {
  describe(page, () => {
    it("equals the printed grammar", () => assertGolden(page, text))

    it("describes every key in sentences", () => {
      for (const [, key, means] of text.matchAll(/^\| `(\w[\w: -]*)` \|.*\| ([^|]*) \|$/gmu)) {
        assert.match(present(means), /^[A-Z`\d].*[.`)]$/u, key)
      }
      for (const [name, keys] of blocks) {
        for (const key of Object.keys(keys)) {
          assert.match(text, new RegExp(`^\\| \`(?:[\\w: ]+: )?${key}\` \\|`, "mu"), name)
        }
      }
    })

    it("reads a file whatever its descriptions are", () => {
      for (const [, keys] of blocks) {
        if (!("description" in keys)) continue
        for (const text of ["", "\"\"", "[a, b]", "a text #1"]) readText(reader(), keys, `description: ${text}`)
      }
    })

    for (const [name, keys] of blocks) {
      it(`documents the real default and valid examples: ${name}`, () => {
        const usual = readText(reader(), keys, "{}")
        for (const [key, { default: value, example, kind }] of Object.entries(keys)) {
          if (value !== undefined) {
            const written = kind.write?.(value) ?? String(value)
            assert.deepStrictEqual(readText(reader(), keys, `${key}: ${written}`)[key], usual[key], key)
          }
          if (example === undefined) continue
          assert.match(example, new RegExp(`^${key}: `, "u"))
          assert.isDefined(readText(reader(), keys, example)[key], example)
        }
      })
    }
  })
}
