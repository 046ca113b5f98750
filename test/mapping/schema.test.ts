import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse } from "yaml"
import { at } from "../../src/at.ts"
import { facilitySchema } from "../../src/facility/settings/facilityGrammar.ts"
import { isJsonObject, jsonListOf, type JsonObject, jsonObjectOf } from "../../src/json/JsonObject.ts"
import { keysOf } from "../../src/mapping/language/grammar/Kind.ts"
import { mappingKeys } from "../../src/mapping/language/grammar/mappingGrammar.ts"
import { mappingSchema } from "../../src/mapping/language/mappingSchema.ts"
import { showMapping } from "../../src/mapping/language/showMapping.ts"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { present } from "../present.ts"

type Schema = JsonObject

/** A part of a schema that is itself a schema. */
const schemaIn = (rule: unknown): Schema => {
  assert(isJsonObject(rule))
  return rule
}

const typeOf = (value: unknown): string => value === null ? "null" : Array.isArray(value) ? "array" : typeof value

/** A validator for the keywords of JSON Schema that the schema uses. Another keyword fails the test. */
const faults = (value: unknown, schema: Schema, place: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const complain = (text: string): void => void found.push(`${place}: ${text}`)
  for (const [word, rule] of Object.entries(schema)) {
    switch (word) {
      case "$schema":
      case "title":
      case "description":
      case "format":
      case "additionalProperties":
      case "$defs":
        break
      case "$ref": {
        const [, name] = /^#\/\$defs\/(.+)$/.exec(String(rule)) ?? []
        found.push(...faults(value, definition(present(name)), place))
        break
      }
      case "required":
        assert(Array.isArray(rule))
        for (const name of rule) {
          if (isJsonObject(value) && !(String(name) in value)) complain(`has no \`${name}\``)
        }
        break
      case "propertyNames":
        for (const name of Object.keys(jsonObjectOf(value))) {
          found.push(...faults(name, schemaIn(rule), `${place}.${name}`))
        }
        break
      case "minimum":
        if (typeof value === "number" && value < Number(rule)) complain("is too small")
        break
      case "maximum":
        if (typeof value === "number" && value > Number(rule)) complain("is too large")
        break
      case "type": {
        const types = Array.isArray(rule) ? rule : [rule]
        const type = typeOf(value)
        if (!types.includes(type) && !(type === "number" && Number.isInteger(value) && types.includes("integer"))) {
          complain(`is ${type}, not ${types.join(" or ")}`)
        }
        break
      }
      case "enum":
        if (!jsonListOf(rule).includes(value)) complain("is not one of the values")
        break
      case "pattern":
        if (typeof value === "string" && !new RegExp(String(rule), "u").test(value)) complain("has another form")
        break
      case "minLength":
      case "maxLength":
        if (
          typeof value === "string" &&
          (word === "minLength" ? value.length < Number(rule) : value.length > Number(rule))
        ) {
          complain(`is not of the length ${word} says`)
        }
        break
      case "const":
        if (value !== rule) complain("is another word")
        break
      case "oneOf":
      case "anyOf": {
        const fitting = jsonListOf(rule).filter((one) => faults(value, schemaIn(one), place).length === 0)
        if (word === "oneOf" ? fitting.length !== 1 : fitting.length === 0) {
          complain(`fits ${fitting.length} of ${word}`)
        }
        break
      }
      case "items":
        if (Array.isArray(value)) {
          value.forEach((item, index) => found.push(...faults(item, schemaIn(rule), `${place}[${index}]`)))
        }
        break
      case "properties": {
        const known = schemaIn(rule)
        const others = schema["additionalProperties"]
        for (const [key, item] of Object.entries(jsonObjectOf(value))) {
          const own = known[key]
          if (own !== undefined) found.push(...faults(item, schemaIn(own), `${place}.${key}`))
          else if (others === false) complain(`has no \`${key}\``)
          else if (typeof others === "object") found.push(...faults(item, schemaIn(others), `${place}.${key}`))
        }
        break
      }
      default:
        assert.fail(`the test does not know the word ${word}`)
    }
    if (word === "additionalProperties" && schema["properties"] === undefined) {
      for (const [key, item] of Object.entries(jsonObjectOf(value))) {
        found.push(...faults(item, schemaIn(rule), `${place}.${key}`))
      }
    }
  }
  return found
}

const schema = mappingSchema()

const definition = (name: string): Schema => {
  const found = schemaIn(schema["$defs"])[name]
  assert.isDefined(found, `the schema refers to ${name}`)
  return schemaIn(found)
}

describe("The JSON Schema of a mapping file", () => {
  it("has every key of the top level", () =>
    assert.deepStrictEqual(Object.keys(schemaIn(schema["properties"])), [...keysOf(mappingKeys)]))

  for (const file of globSync("mappings/*/*.yaml").filter((name) => !name.endsWith("facility.yaml")).toSorted()) {
    it(`accepts ${file}`, () => assert.deepStrictEqual(faults(parse(readFileSync(file, "utf8")), schema, file), []))
  }

  it("declares repeated parts once, so that it is small enough for an editor", () =>
    assert.isBelow(JSON.stringify(schema).length, 300_000))

  it("accepts a window of the base that is disabled", () =>
    assert.deepStrictEqual(faults(parse("mapping: x\ngrouping: {window: {Observation: null}}"), schema, "x"), []))

  it("accepts rows in the order of a field or a path, descending", () => {
    const written = parse(
      "mapping: x\nvisit: {triages: {orderBy: [{field: code, conceptMap: own, descending: true}, {path: row, descending: true}]}}"
    )
    assert.deepStrictEqual(faults(written, schema, "x"), [])
  })

  it("rejects a misspelt field, key and policy", () => {
    const wrong = parse(
      "mapping: x\ntime: {partialDate: sometimes}\nvisit: {admited_at: a, patient: {phone: {path: a, requird: none}}}"
    )
    assert.deepStrictEqual(faults(wrong, schema, "x"), [
      "x.time.partialDate: is not one of the values",
      "x.visit: has no `admited_at`",
      "x.visit.patient.phone: fits 0 of anyOf"
    ])
  })
})

describe("The JSON Schema of a facility.yaml", () => {
  const files = globSync(["mappings/*/facility.yaml", "samples/*/facility.yaml", "samples/facility.yaml"]).toSorted()

  it("finds samples", () => assert.isAtLeast(files.length, 2))

  for (const file of files) {
    it(`accepts ${file}`, () =>
      assert.deepStrictEqual(faults(parse(readFileSync(file, "utf8")), facilitySchema(), file), []))
  }

  it("accepts the settings of the pages", () => {
    for (const page of globSync("docs/*.md")) {
      for (const [, body] of readFileSync(page, "utf8").matchAll(/^```yaml facility\.yaml\n([\s\S]*?)^```$/gmu)) {
        assert.deepStrictEqual(faults({ timezone: "UTC", ...parse(body ?? "") }, facilitySchema(), page), [])
      }
    }
  })

  it("rejects a misspelt key, a misspelt value and a number out of range", () => {
    const wrong = parse("timezone: UTC\nretrys: {}\nsubmit: {partial: keep}\nsource: {server: x, downloads: 17}")
    assert.deepStrictEqual(faults(wrong, facilitySchema(), "x"), [
      "x: has no `retrys`",
      "x.submit.partial: is not one of the values",
      "x.source.downloads: is too large"
    ])
  })
})

describe("mapping show", () => {
  for (const name of ["fhir-r4", "us-synthetic"]) {
    it.effect(`prints a mapping that equals the original when read: ${name}`, () =>
      Effect.gen(function*() {
        const { checked, syntax } = yield* loadMapping(`mappings/${name}/mapping.yaml`, "mappings")
        const shown = showMapping(present(syntax), (file) => file)
        const file = join(mkdtempSync(join(tmpdir(), "shown-")), "mapping.yaml")
        writeFileSync(file, shown)
        const again = yield* loadMapping(file, "mappings")
        assert.deepStrictEqual(again.problems.filter(({ code }) => code !== "unused-name"), [])
        assert.strictEqual(again.checked?.plan.hash, checked?.plan.hash)
      }).pipe(Effect.provide(NodeServices.layer)))
  }

  it.effect("shows the file and line of each effective line", () =>
    Effect.gen(function*() {
      const { syntax } = yield* loadMapping("mappings/us-synthetic/mapping.yaml", "mappings")
      const lines = showMapping(present(syntax), (file) => file).split("\n")
      const source = (text: string): string => {
        const [, file, line] = /# (\S+):(\d+)$/.exec(lines.find((one) => one.includes(text)) ?? "") ?? []
        return at(readFileSync(present(file), "utf8").split("\n"), Number(line) - 1)
      }
      assert.match(source("default_facility:"), /default_facility: HF-US-01/)
      assert.match(source("  icd10:"), /icd10: /)
      assert.match(source("location:"), /location: .path: line/)
      for (const block of ["constant:", "grouping:", "stated:", "function:"]) {
        assert.strictEqual(source(`${block}  `).trim(), block)
      }
    }).pipe(Effect.provide(NodeServices.layer)))
})
