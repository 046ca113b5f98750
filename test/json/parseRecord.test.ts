import { assert, describe, it } from "@effect/vitest"
import { isWithoutModifiers, notePart, parseRecord, parseText } from "../../src/json/parseRecord.ts"
import { scanValue } from "../../src/json/scanJson.ts"

const parsed = (text: string): object => {
  const bytes = Buffer.from(text)
  const found = parseRecord(bytes, scanValue(bytes, 0, bytes.length), 100)
  return "value" in found ? found.value as object : assert.fail(found.unfit)
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
      const entry = parseText(text) as { readonly resource: object }
      assert.isFalse(isWithoutModifiers(entry.resource))
      notePart(entry, entry.resource)
      assert.strictEqual(isWithoutModifiers(entry.resource), is, text)
    }
  })
})
