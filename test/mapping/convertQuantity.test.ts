import { assert, describe, it } from "@effect/vitest"
import ucum from "@lhncbc/ucum-lhc"
import { commonUnits, convertQuantity } from "../../src/mapping/convertQuantity.ts"

it.each([...commonUnits])("UCUM knows %s", (unit) => {
  assert.strictEqual(ucum.UcumLhcUtils.getInstance().validateUnitString(unit).status, "valid")
})

describe("converting a quantity", () => {
  const convert = (value: number, code: string, to: string, molarMass?: number) => {
    const quantity = { value, code, unit: code, system: "http://unitsofmeasure.org" }
    const converted = convertQuantity(quantity, to, { to, round: 2, ...(molarMass === undefined ? {} : { molarMass }) })
    return converted.kind === "converted" ? Number(String(converted.value)) : converted.kind
  }

  it("scales and shifts", () => {
    assert.strictEqual(convert(98.6, "[degF]", "Cel"), 37)
    assert.strictEqual(convert(1.7, "m", "cm"), 170)
    assert.strictEqual(convert(70, "kg", "mm"), "cannot-convert")
  })

  it("converts amount to mass by the molar mass of the substance, and not without it", () => {
    assert.strictEqual(convert(5.5, "mmol/L", "mg/dL", 180.156), 99.09)
    assert.strictEqual(convert(99.0858, "mg/dL", "mmol/L", 180.156), 5.5)
    assert.strictEqual(convert(5.5, "mmol/L", "mg/dL"), "cannot-convert")
  })
})
