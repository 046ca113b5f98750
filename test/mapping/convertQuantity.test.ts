import { assert, describe, it } from "@effect/vitest"
import ucum from "@lhncbc/ucum-lhc"
import { commonConversion, commonUnits, glucose } from "../../src/mapping/codes/commonUnits.ts"
import { canConvert, convertQuantity, isUnit, unitNear } from "../../src/mapping/codes/convertQuantity.ts"

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

  it("converts a number that is written as a text, and leaves any other text to the field", () => {
    const convertText = (value: string) =>
      convertQuantity({ value, code: "[degF]", unit: "[degF]" }, "Cel", { to: "Cel", round: 2 })
    assert.deepStrictEqual(convertText(" 98.60"), { kind: "converted", value: 37 })
    for (const value of ["", " ", "0x62", "98,6", "Infinity", "98.6 F"]) {
      assert.deepStrictEqual(convertText(value), { kind: "converted", value })
    }
  })

  it("converts amount to mass only with the molar mass of the substance", () => {
    assert.strictEqual(convert(5.5, "mmol/L", "mg/dL", 180.156), 99.09)
    assert.strictEqual(convert(99.0858, "mg/dL", "mmol/L", 180.156), 5.5)
    assert.strictEqual(convert(5.5, "mmol/L", "mg/dL"), "cannot-convert")
  })

  it("converts nothing if the printed unit denotes another unit than the code", () => {
    const kindOf = (unit: string, code: string, to: string) =>
      convertQuantity({ value: 110, unit, code, system: "http://unitsofmeasure.org" }, to, { to, round: 2 }).kind
    for (
      const [unit, code, to] of [
        ["mg/dL", "mmol/L", "mg/dL"],
        ["Cel", "[degF]", "Cel"],
        ["g", "kg", "kg"],
        ["kg", "cm", "cm"]
      ] as const
    ) assert.strictEqual(kindOf(unit, code, to), "two-units", `${unit} ${code}`)
    for (
      const [unit, code, to] of [
        ["beats per minute", "/min", "/min"],
        ["{beats}/min", "/min", "/min"],
        ["C", "Cel", "Cel"],
        ["ML", "mL", "mL"]
      ] as const
    ) assert.strictEqual(kindOf(unit, code, to), "converted", `${unit} ${code}`)
  })
})

describe("A unit with a code of SNOMED CT", () => {
  const converted = (code: string, to: string, unit?: string) =>
    convertQuantity({ value: 95, unit, code, system: "http://snomed.info/sct" }, to, { to, round: 2 })

  it("is the printed unit", () => {
    for (const [unit, code] of [["%", "118582008"], ["kg", "258683005"], ["mm[Hg]", "259018001"]] as const) {
      assert.deepStrictEqual(converted(code, unit, unit), { kind: "converted", value: 95 })
    }
  })

  it("is not converted if no unit is printed: the code is no factor", () => {
    assert.deepStrictEqual(converted("118582008", "%"), { kind: "cannot-convert", unit: "118582008" })
    assert.isFalse(isUnit("118582008"))
    assert.isFalse(canConvert("118582008", "%"))
  })
})

describe("A quantity in an unknown unit", () => {
  it("is not printed: stdout may hold visits", () => {
    const printed: Array<unknown> = []
    const { log } = console
    const print = (...words: ReadonlyArray<unknown>): void => void printed.push(words)
    // Nothing may replace it meanwhile: it belongs to the whole process.
    Object.defineProperty(console, "log", { value: print, writable: false, configurable: true })
    try {
      for (const unit of ["deg. C", "Canary says", "{a}b(c", "m)(", "10*"]) {
        assert.strictEqual(
          convertQuantity({ value: 37, unit }, "Cel", { to: "Cel", round: 2 }).kind,
          "cannot-convert",
          unit
        )
      }
    } finally {
      Object.defineProperty(console, "log", { value: log, writable: true, configurable: true })
    }
    assert.deepStrictEqual(printed, [])
  })
})

describe("commonUnits", () => {
  const units = ucum.UcumLhcUtils.getInstance()

  it("converts between each two as the library does", () => {
    const at = (value: number, from: string, to: string, molecularWeight: number | null): number | null => {
      const { status, toVal } = units.convertUnitTo(from, value, to, { molecularWeight })
      return status === "succeeded" ? toVal : null
    }
    const line = (from: string, to: string, molarMass: number | null) => {
      const [one, two] = [at(100, from, to, molarMass), at(200, from, to, molarMass)]
      return one === null || two === null ? null : { factor: (two - one) / 100, offset: one - (two - one) }
    }
    for (const from of commonUnits) {
      for (const to of commonUnits) {
        if (from === to) continue
        const name = `${from} to ${to}`
        assert.deepStrictEqual(commonConversion(from, to, undefined), line(from, to, null), name)
        assert.deepStrictEqual(
          commonConversion(from, to, glucose),
          line(from, to, null) ?? line(from, to, glucose),
          name
        )
      }
    }
  })

  it("leaves other units and other molar masses to the library", () => {
    assert.isUndefined(commonConversion("kg", "t", undefined))
    assert.isUndefined(commonConversion("oz", "kg", undefined))
    assert.isUndefined(commonConversion("mmol/L", "mg/dL", 386.65))
  })

  it.each([...commonUnits])("has only units of UCUM: %s", (unit) => {
    assert.strictEqual(units.validateUnitString(unit).status, "valid")
  })

  it("takes no unit from the members of objects, on which the library fails", () => {
    for (const unit of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      for (const more of [{}, { code: "cm", system: "http://unitsofmeasure.org" }]) {
        assert.isDefined(convertQuantity({ value: 185, unit, ...more }, "cm", { to: "cm", round: 2 }).kind)
      }
      assert.isFalse(isUnit(unit))
      assert.isFalse(canConvert(unit, "cm"))
      assert.isUndefined(unitNear(unit))
    }
  })
})
