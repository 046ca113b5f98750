import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { afterAll, beforeAll, vi } from "vitest"
import type { Elements, Variables } from "../../src/fhirpath/FhirPath.ts"
import { FacilityCode } from "../../src/visit/values/Code.ts"
import { temporaryFolder, written } from "../run/converted.ts"
import { everythingFound } from "./everythingFound.ts"
import { generatedAtOnce } from "./generatedCode.ts"
import { recordWith } from "./recordWith.ts"
import { engineWithCalls, notingScope } from "./reportedCalls.ts"
import { engineOf } from "./wholeConversion.ts"

/** Texts that would be code if they were not quoted. `planted` marks them. */
const hostile = [
  "\"; globalThis.planted = 1; \"",
  "'; globalThis.planted = 1; '",
  "\\\"; globalThis.planted = 1; //",
  "\\",
  "${globalThis.planted = 1}",
  "`${globalThis.planted = 1}`",
  "a\u2028globalThis.planted = 1\u2029",
  "a\nglobalThis.planted = 1\r\n",
  "*/ globalThis.planted = 1 /*",
  "</script><script>planted = 1</script>",
  "\u0000planted",
  "\uD800planted",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "contains",
  "f.data",
  "k0",
  "return null"
]

/** A FHIRPath literal, and a name in backquotes. */
const literal = (text: string): string => `'${escaped(text).replaceAll("'", "\\'")}'`
const named = (text: string): string => `\`${escaped(text).replaceAll("`", "\\`")}\``
const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll(
    /[^\u0020-\u007E]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const expressionsWith = (text: string): ReadonlyArray<string> => [
  literal(text),
  `gender = ${literal(text)}`,
  `gender = ${literal(text)} or gender = 'female'`,
  `gender & ${literal(text)}`,
  `name.where(family = ${literal(text)}).given`,
  `name.given.combine(${literal(text)})`,
  `iif(gender = ${literal(text)}, 1, ${literal(text)})`,
  `extension(${literal(text)}).value`,
  `name.given.contains(${literal(text)})`,
  `name.given.without(${literal(text)})`,
  `named(${literal(text)})`,
  `known(${literal(text)}, ${literal(text)})`,
  named(text),
  `name.${named(text)}`,
  `name.given.${named(text)}`,
  `own().select(${named(text)})`,
  `name.${named(text)}()`,
  `name.given.where(${named(text)} = ${literal(text)})`,
  `name.ofType(${named(text)})`,
  `name is ${named(text)}`,
  `%${named(text)}`,
  `%${named(text)}.family`,
  "gender",
  "name.family",
  "name.given.first()",
  "extension.url",
  "%resource1.id",
  "$this",
  "id"
]

const recordsWith = (text: string): ReadonlyArray<object> => [
  {
    resourceType: "Patient",
    id: text,
    gender: text,
    name: [{ family: text, given: [text, "Ann"], [text === "__proto__" ? "proto" : text]: text }],
    extension: [{ url: text, valueString: text }]
  },
  JSON.parse(`{"resourceType":"Patient","id":"p",${JSON.stringify(text)}:${JSON.stringify(text)},"gender":"female"}`),
  { resourceType: text, id: "odd", gender: text, name: text },
  { resourceType: "Patient", id: "c", contained: [{ resourceType: text, id: "x" }] }
]

const definition = engineWithCalls("definition")

const outcomeOf = (make: () => unknown): unknown => {
  try {
    return make()
  } catch (cause) {
    return { throws: String(cause) }
  }
}

// The library logs a warning about a wrong number of arguments.
beforeAll(() => void vi.spyOn(console, "warn").mockReturnValue())
afterAll(() => void vi.restoreAllMocks())

describe("A text", () => {
  it.each(hostile)("of an expression or a record is never code: %j", (text) => {
    const { by, texts } = generatedAtOnce()
    const generated = engineWithCalls(by)
    const records = recordsWith(text).map(recordWith)
    for (const expression of expressionsWith(text)) {
      const [ours, theirs] = [generated, definition].map(({ compile, elementOf }) => {
        const roots = records.map(elementOf)
        const variables = (root: unknown): Variables =>
          Object.assign(Object.create({ text: "http://ex.example/a" }), { resource1: [root] }, { ["own value"]: text })
        const on = (focus: Elements): unknown =>
          outcomeOf(() => everythingFound(compile(expression), focus, variables(focus[0]), notingScope()))
        return [...roots.map((root) => on([root])), on(roots.slice(0, 2))]
      })
      assert.deepStrictEqual(ours, theirs, expression)
    }
    assert.notProperty(globalThis, "planted")
    assert.isAbove(texts.length, 10)
    for (const code of texts) assert.notInclude(code.replaceAll(/"(?:[^"\\]|\\.)*"/gu, "\"\""), "planted")
  })

  it("of an expression is a name of its own, also if it is that of a function or of another type", () => {
    const { by } = generatedAtOnce()
    const generated = engineWithCalls(by)
    const record = recordWith({ resourceType: "Patient", id: "p", name: [{ given: ["Ann"] }], gender: "female" })
    const expressions = [
      "name.given.contains('A')",
      "own().select(contains)",
      "name.given.exclude('B')",
      "own().select(exclude)",
      "own().started()",
      "name.given.indexOf('n')",
      "own().select(indexOf)",
      "given(5 'mg')",
      "given(5 'g')",
      "given(7.2)",
      "given(7.20)",
      "given('7.2')",
      "given(@2026)",
      "given(@2026T)",
      "given('2026')",
      "given('@2026')",
      "given(@T08:00)",
      "given(true)",
      "given('true')",
      "given({})"
    ]
    for (const expression of expressions) {
      const [ours, theirs] = [generated, definition].map(({ compile, elementOf }) =>
        everythingFound(compile(expression), [elementOf(record)], { text: "x" }, notingScope())
      )
      assert.deepStrictEqual(ours, theirs, expression)
    }
  })

  it.effect.each(hostile)("of a mapping is never code: %j", (text) =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const quoted = JSON.stringify(text)
      const [mapping] = written(folder, {
        "mapping.yaml": [
          "mapping: hostile",
          "extends: fhir-r4",
          `constant: {hostile_text: ${quoted}}`,
          `conceptMap: {job: {table: {${quoted}: ${quoted}, female: ${quoted}}}}`,
          "visit:",
          "  patient:",
          `    nationality: {value: ${quoted}}`,
          `    disabilities: {path: "telecom.where(system = %hostile_text).value", default: ${quoted}}`,
          `    occupation: ${JSON.stringify(`iif(gender = ${literal(text)}, 'x', ${literal(text)})`)}`,
          `    marital_status: {path: gender, conceptMap: job}`,
          "  diagnosis:",
          "    where:",
          `      none: ${JSON.stringify(`code.text != ${literal(text)}`)}`
        ].join("\n")
      })
      const settings = { mapping, facility: FacilityCode("HF0001") }
      const inputs = ["samples/outpatient-fever/input"]
      const { by, texts } = generatedAtOnce()
      const theirs = yield* Effect.exit(engineOf("definition")(inputs, settings))
      const ours = yield* Effect.exit(engineOf(by)(inputs, settings))
      assert.deepStrictEqual(ours, theirs)
      assert.notProperty(globalThis, "planted")
      for (const code of texts) assert.notInclude(code.replaceAll(/"(?:[^"\\]|\\.)*"/gu, "\"\""), "planted")
      if (Exit.isSuccess(theirs)) assert.isAbove(texts.length, 50)
      // The other texts cannot be in a mapping: it is not loaded.
      else assert.isTrue(text.startsWith("\u0000") || text.startsWith("\uD800"))
    }).pipe(Effect.provide(NodeServices.layer)))
})
