import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { at } from "../../src/at.ts"
import * as Decimal from "../../src/json/Decimal.ts"
import { arbitraryDecimal } from "../../src/studio/proof/arbitraryVisit.ts"
import { present } from "../present.ts"

const text = (source: string): string | undefined => {
  const read = Decimal.fromText(source)
  return read === undefined ? undefined : JSON.stringify(read)
}

describe("Decimal: a number keeps its digits", () => {
  it("is an ordinary number if that writes the same digits", () => {
    assert.strictEqual(Decimal.fromText("7.2"), 7.2)
    assert.strictEqual(Decimal.fromText("250000"), 250_000)
    assert.strictEqual(Decimal.fromText("0"), 0)
  })

  it("keeps zeros at the end, and digits a double does not have", () => {
    assert.strictEqual(text("7.20"), "7.20")
    assert.strictEqual(text("0.00"), "0.00")
    assert.strictEqual(text("12345678901234567890.123"), "12345678901234567890.123")
  })

  it("writes exponents out, digit for digit", () => {
    assert.strictEqual(text("1.5e3"), "1500")
    assert.strictEqual(text("1.50e1"), "15.0")
    assert.strictEqual(text("12e-3"), "0.012")
    assert.strictEqual(text("-1E+2"), "-100")
    assert.strictEqual(text("1e21"), "1000000000000000000000")
    assert.strictEqual(text("0e9"), "0")
    assert.strictEqual(text("-0"), "0")
    assert.strictEqual(text("-0.00"), "0.00")
  })

  it("is undefined for a text that is not a JSON number, or is too long", () => {
    for (const source of ["", "NaN", "Infinity", "+1", "01", "1.", ".5", "1e", "0x10", "1_000", " 1", "1,5", "--1"]) {
      assert.strictEqual(Decimal.fromText(source), undefined, source)
    }
    assert.strictEqual(Decimal.fromText("1e999999999"), undefined)
    assert.strictEqual(Decimal.fromText("1e-999999999"), undefined)
    assert.strictEqual(Decimal.fromText("9".repeat(401)), undefined)
    assert.strictEqual(text("9".repeat(400)), "9".repeat(400))
    assert.strictEqual(text("1e398"), `1${"0".repeat(398)}`)
    assert.strictEqual(Decimal.fromText("1e400"), undefined)
    assert.isTrue(Decimal.isDecimal(Decimal.fromText("9".repeat(400))))
  })

  it("is not NaN, not infinite, not a string, not raw JSON of something else", () => {
    for (const value of [Number.NaN, Infinity, "7.2", null, {}, { rawJSON: "7.20" }]) {
      assert.isFalse(Decimal.isDecimal(value))
    }
    assert.isFalse(Decimal.isDecimal(JSON.rawJSON("\"7.20\"")))
    assert.isFalse(Decimal.isDecimal(JSON.rawJSON("1e5")))
    assert.isTrue(Decimal.isDecimal(JSON.rawJSON("7.20")))
  })

  it("is written without an exponent, for any size", () => {
    const written = [1e20, 1e21, -1e21, 1e-6, 1e-7, -1.5e-7, 0, -0, 5e-324, Number.MAX_VALUE].map((number) =>
      JSON.stringify(Decimal.withoutExponent(number))
    )
    assert.deepStrictEqual(written.slice(0, 8), [
      "100000000000000000000",
      "1000000000000000000000",
      "-1000000000000000000000",
      "0.000001",
      "0.0000001",
      "-0.00000015",
      "0",
      "0"
    ])
    assert.match(at(written, 8), /^0\.0{323}5$/)
    assert.match(at(written, 9), /^17976931348623157\d{292}$/)
    assert.strictEqual(Decimal.withoutExponent(null), null)
  })

  it("law: text to decimal to text changes nothing in plain notation", () => {
    fc.assert(fc.property(arbitraryDecimal, (value) => {
      assert.isTrue(Decimal.isDecimal(value))
      assert.deepStrictEqual(Decimal.fromText(Decimal.decimalText(value)), value)
      assert.match(Decimal.decimalText(value), /^-?\d+(?:\.\d+)?$/)
      assert.strictEqual(JSON.stringify(Decimal.withoutExponent(value)), Decimal.decimalText(value))
    }))
  })

  it("adds without drift", () => {
    assert.strictEqual(Decimal.sum([0.1, 0.2]), 0.3)
    assert.strictEqual(JSON.stringify(Decimal.sum([present(Decimal.fromText("7.20")), 0.1])), "7.30")
    assert.strictEqual(Decimal.sum([]), 0)
    assert.strictEqual(JSON.stringify(Decimal.sum(Array.from({ length: 1000 }, () => 0.1))), "100.0")
  })

  it("law: sums do not depend on the order, and multiply agrees with adding", () => {
    const small = fc.integer({ min: -999_999, max: 999_999 }).map((n) =>
      present(Decimal.fromText((n / 100).toFixed(2)))
    )
    fc.assert(fc.property(fc.array(small, { maxLength: 20 }), (terms) => {
      assert.strictEqual(Decimal.compare(Decimal.sum(terms), Decimal.sum(terms.toReversed())), 0)
    }))
    fc.assert(fc.property(small, fc.integer({ min: 0, max: 50 }), (term, times) => {
      const added = Decimal.sum(Array.from({ length: times }, () => term))
      assert.strictEqual(Decimal.compare(Decimal.multiply(term, times), added), 0)
    }))
    fc.assert(fc.property(arbitraryDecimal, arbitraryDecimal, (a, b) => {
      assert.strictEqual(Decimal.compare(Decimal.sum([Decimal.subtract(a, b), b]), a), 0)
      assert.strictEqual(Decimal.compare(a, b), -Decimal.compare(b, a) || 0)
    }))
  })

  it("compares by value, exactly", () => {
    assert.strictEqual(Decimal.compare(present(Decimal.fromText("7.20")), 7.2), 0)
    assert.strictEqual(
      Decimal.compare(present(Decimal.fromText("9007199254740993")), present(Decimal.fromText("9007199254740992.5"))),
      1
    )
    assert.strictEqual(Decimal.compare(-1, present(Decimal.fromText("0.00"))), -1)
  })
})
