import { assert, describe, it } from "@effect/vitest"
import { mergeMaps } from "../../../src/mapping/language/mergeSyntax.ts"
import { FieldLayers } from "../../../src/studio/workbench/disk/FieldLayers.ts"
import { yamlMap } from "../../mapping/yamlMap.ts"

const base = `visit:
  patient:
    surname: name.family
    name: name.given
  triages:
    code: id
`
const own = `visit:
  patient:
    surname:
      path:
        - name.text
        - name.family
    occupation: {value: Farmer}
`
const texts = new Map([["own.yaml", own], ["base.yaml", base]])
const layers = new FieldLayers(mergeMaps(yamlMap("base.yaml", base), yamlMap("own.yaml", own)), texts)
const others = (name: string, file: string, line: number, column: number) =>
  layers.others(name, { file, line, column, endColumn: column + 1 }).map((span) => `${span.file}:${span.line}`)

describe("The layers of a field", () => {
  it("finds the base line that an overlay line overrides, also from inside its long form", () => {
    assert.deepStrictEqual(others("surname", "own.yaml", 3, 5), ["base.yaml:3"])
    assert.deepStrictEqual(others("surname", "own.yaml", 6, 11), ["base.yaml:3"])
  })

  it("finds none for a line that overrides no other", () => {
    assert.deepStrictEqual(others("occupation", "own.yaml", 7, 17), [])
    assert.deepStrictEqual(others("name", "base.yaml", 4, 11), [])
    assert.deepStrictEqual(others("code", "base.yaml", 6, 11), [])
  })

  it("finds none for a location that is not a line of the field", () => {
    assert.deepStrictEqual(others("surname", "base.yaml", 99, 1), [])
  })
})
