import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { rootNode } from "../../src/fhirpath/evaluate/Node.ts"
import { makeFhirPath } from "../../src/fhirpath/FhirPath.ts"
import { isExactNumber } from "../../src/json/exactNumber.ts"
import { parseRecord } from "../../src/json/parseRecord.ts"
import { scanText, scanValue } from "../../src/json/scanJson.ts"
import { present } from "../present.ts"

const parse = (text: string): unknown => {
  const bytes = Buffer.from(text)
  const parsed = parseRecord(bytes, scanValue(bytes, 0, bytes.length), 200)
  return "value" in parsed ? parsed.value : parsed.unfit
}
/** Every number with its key, by its digits. */
const numbersOf = (value: unknown, key = ""): ReadonlyArray<string> =>
  typeof value === "number" || isExactNumber(value)
    ? [`${key} ${String(value)}${isExactNumber(value) ? " exact" : ""}`]
    : typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, member]) => numbersOf(member, Array.isArray(value) ? key : name))
    : []

describe("exact numbers", () => {
  it("keeps the digits of an amount or a result that a double would change", () => {
    const text =
      "{\"a\":{\"value\":7.20},\"b\":{\"value\":7.2},\"c\":[{\"value\":12345678901234567890},{\"value\":1e3}]," +
      "\"d\":{\"value\":-0},\"e\":{\"value\":0.0000001},\"f\":{\"valueDecimal\":595.00},\"g\":{\"factor\":1.10},\"h\":{\"value\":250000}}"
    assert.deepStrictEqual(numbersOf(parse(text)), [
      "value 7.20 exact",
      "value 7.2",
      "value 12345678901234567890 exact",
      "value 1e3 exact",
      "value -0 exact",
      "value 0.0000001 exact",
      "valueDecimal 595.00 exact",
      "factor 1.10 exact",
      "value 250000"
    ])
  })

  it("keeps another number exactly only if a double would be a different number", () => {
    const text =
      "{\"period\":1.0,\"count\":1e3,\"longitude\":-83.694710,\"big\":12345678901234567890,\"huge\":1e399,\"tiny\":1e-399}"
    assert.deepStrictEqual(numbersOf(parse(text)), [
      "period 1",
      "count 1000",
      "longitude -83.69471",
      "big 12345678901234567890 exact",
      "huge 1e399 exact",
      "tiny 1e-399 exact"
    ])
  })

  it("finds numbers whose order differs from the text: keys that look like indexes", () => {
    const text = "{\"b\":{\"value\":1.0},\"1\":{\"value\":2.50},\"0\":{\"value\":4}}"
    assert.deepStrictEqual(numbersOf(parse(text)), ["value 4", "value 2.50 exact", "value 1.0 exact"])
  })

  it("leaves a number in a text unchanged", () => {
    assert.deepStrictEqual(
      numbersOf(parse("{\"text\":\"\\\"value\\\":7.20\",\"value\":\"7.20\",\"x\":{\"value\":1.50}}")),
      ["value 1.50 exact"]
    )
  })

  it("rejects a number with too many digits", () => {
    assert.strictEqual(parse(`{"value":1${"0".repeat(500)}}`), "endless-number")
    assert.strictEqual(parse("{\"value\":1e999999999}"), "endless-number")
  })

  it("lets the FHIRPath engine calculate with it", () => {
    const observation = parse("{\"resourceType\":\"Observation\",\"valueQuantity\":{\"value\":0.10,\"unit\":\"mg\"}}")
    const focus = [rootNode(observation)]
    for (const by of ["definition", "library"] as const) {
      const { compile } = makeFhirPath(new Map(), by)
      assert.strictEqual(
        String(compile("Observation.value.value + 0.2").evaluate(focus, {}, { zone: "UTC" })[0]),
        "0.3",
        by
      )
    }
  })

  const decimal = fc.tuple(
    fc.constantFrom("", "-"),
    fc.bigInt({ min: 0n, max: 10n ** 22n }),
    fc.option(fc.stringMatching(/^[0-9]{1,20}$/)),
    fc.option(fc.tuple(fc.constantFrom("e", "E"), fc.constantFrom("", "+", "-"), fc.nat(350)))
  ).map(([sign, whole, fraction, exponent]) =>
    `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${exponent === null ? "" : exponent.join("")}`
  )

  it("law: writes the digits of the source", () => {
    fc.assert(
      fc.property(fc.array(decimal, { minLength: 1, maxLength: 8 }), fc.boolean(), (texts, pretty) => {
        const text = `{${texts.map((digits, n) => `"k${n}":{${pretty ? "\n" : ""}"value":${digits}}`).join(",")}}`
        assert.deepStrictEqual(
          numbersOf(parse(text)).map((number) => number.split(" ")[1]),
          texts
        )
      }),
      { numRuns: 500 }
    )
  })

  it("law: equals the result of `JSON.parse` without such numbers", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        assert.deepStrictEqual(parse(text), JSON.parse(text))
      })
    )
  })
})

describe("scanText", () => {
  it("law: finds each element of a list with its bytes and its line", () => {
    const text = fc.tuple(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 6 }),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom(0, 2)
    )
    fc.assert(
      fc.property(text, fc.boolean(), ([elements, around, indent], bare) => {
        const { entry: _, ...others } = around
        const whole = JSON.stringify(bare ? elements : { ...others, entry: elements }, null, indent)
        const bytes = Buffer.from(`\n${whole}\n${whole}`)
        const values = present(scanText(bytes))
        assert.strictEqual(values.length, 2)
        for (const { list } of values) {
          const found = present(list).elements.map(({ line, scan }): unknown => {
            assert.strictEqual(bytes.subarray(0, scan.start).toString().split("\n").length, line)
            return JSON.parse(bytes.toString("utf8", scan.start, scan.end))
          })
          assert.deepStrictEqual(found, JSON.parse(JSON.stringify(elements)))
        }
      })
    )
  })
})
