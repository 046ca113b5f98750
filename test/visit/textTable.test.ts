import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { codePoint } from "../../src/studio/proof/arbitraryVisit.ts"
import { TextTable } from "../../src/visit/rules/TextTable.ts"
import { runs } from "../runs.ts"

const text = fc.oneof(
  fc.constantFrom("", "a", "A", "ä", "Ä", "ក", "\0", "\uD800", "V-1", "v-1"),
  fc.string({ unit: codePoint, maxLength: 8 }),
  fc.nat(5_000).map((length) => "x".repeat(length))
)

describe("A table of texts in bytes", () => {
  it("returns each text unchanged, and finds it by its key in the order of insertion", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 200 }), fc.boolean(), (texts, caseless) => {
        const keyOf = (one: string): string => (caseless ? one.toLowerCase() : one)
        const table = new TextTable(keyOf)
        texts.forEach((one, number) => {
          const alike = texts.slice(0, number).flatMap((other, at) => (keyOf(other) === keyOf(one) ? [at] : []))
          assert.deepStrictEqual(table.alike(one), alike)
          assert.strictEqual(table.add(one), number)
        })
        assert.deepStrictEqual(texts.map((_, number) => table.at(number)), texts)
      }),
      { numRuns: runs(100) }
    )
  })

  it("works for many texts, and for texts longer than a chunk", () => {
    const table = new TextTable()
    const texts = Array.from({ length: 20_000 }, (_, at) => (at % 5_000 === 1 ? `${at}`.repeat(100_000) : `code ${at}`))
    texts.forEach((one) => table.add(one))
    texts.forEach((one, number) => {
      if (table.at(number) !== one) assert.fail(`text ${number}`)
      assert.deepStrictEqual(table.alike(one), [number])
    })
    assert.deepStrictEqual(table.alike("code"), [])
  })
})
