import { assert, describe, it } from "@effect/vitest"
import { isJsonObject, type JsonObject } from "../../src/json/JsonObject.ts"
import { isWithoutModifiers, notePart, parseRecord, parseText } from "../../src/json/parseRecord.ts"
import { scanValue } from "../../src/json/scanJson.ts"

const objectOf = (value: unknown): JsonObject => isJsonObject(value) ? value : assert.fail("not an object")

const parsed = (text: string): JsonObject => {
  const bytes = Buffer.from(text)
  const found = parseRecord(bytes, scanValue(bytes, 0, bytes.length), 100)
  return "value" in found ? objectOf(found.value) : assert.fail(found.unfit)
}

describe("parseRecord", () => {
  it("marks a value as without modifiers if its text can hold none", () => {
    assert.isTrue(isWithoutModifiers(parsed(`{"resourceType":"Patient","extension":[{"url":"a\\n"}]}`)))
    const others = [
      `{"modifierExtension":[]}`,
      `{"name":[{"modifierExtension":[{"url":"a"}]}]}`,
      `{"implicitRules":"a"}`,
      `{"modifier\\u0045xtension":[]}`
    ]
    for (const text of others) assert.isFalse(isWithoutModifiers(parsed(text)), text)
    assert.isFalse(isWithoutModifiers({}))
  })

  it("marks the parts of such a value as well", () => {
    for (
      const [text, is] of [[`{"resource":{"id":"a"}}`, true], [`{"resource":{"modifierExtension":[]}}`, false]] as const
    ) {
      const entry = objectOf(parseText(text))
      const resource = objectOf(entry["resource"])
      assert.isFalse(isWithoutModifiers(resource))
      notePart(entry, resource)
      assert.strictEqual(isWithoutModifiers(resource), is, text)
    }
  })

  it("reads an element of a resource that is null as one that is missing", () => {
    const patient = "\"resourceType\":\"Patient\""
    const cases = [
      [
        `{${patient},"gender":null,"name":[null,{"family":null,"given":["A"]}]}`,
        `{${patient},"name":[{"given":["A"]}]}`
      ],
      [`{${patient},"photo":[null],"address":{"line":["a",null]}}`, `{${patient},"photo":[],"address":{"line":["a"]}}`],
      [
        `{"resourceType":"Bundle","entry":[null,{"resource":{${patient},"birthDate":null}}]}`,
        `{"resourceType":"Bundle","entry":[null,{"resource":{${patient}}}]}`
      ],
      [
        `{"patient":{${patient},"contained":[{${patient},"gender":null}],"multipleBirthInteger":1.0,"active":null}}`,
        `{"patient":{${patient},"contained":[{${patient}}],"multipleBirthInteger":1}}`
      ]
    ] as const
    for (const [text, same] of cases) assert.deepStrictEqual(parsed(text), JSON.parse(same), text)
  })

  it("keeps a null that holds the place of an item or of its companion", () => {
    const text = `{"resourceType":"Patient","name":[{"given":["A",null],"_given":[null,{"id":"b"}]}]}`
    assert.deepStrictEqual(parsed(text), JSON.parse(text))
  })
})
