import { at } from "../../at.ts"
import { fromText } from "../../json/Decimal.ts"
import { numberIn } from "../../json/exactNumber.ts"
import { jsonObjectOf } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import { requireModule } from "../../requireModule.ts"
import type { UnitPlan } from "../MappingPlan.ts"
import { type Affine, commonConversion, commonUnits, glucose } from "./commonUnits.ts"
import { lookUp } from "./ConceptMap.ts"

/** A converted value, or why there is none. */
type ConvertedQuantity =
  | { readonly kind: "converted"; readonly value: unknown }
  /** It has a comparator: the value is only less or more than the number. */
  | { readonly kind: "comparator" }
  | { readonly kind: "no-unit" }
  /** `unit` and `code` of the Quantity are different units, so the unit of the number is unknown. */
  | { readonly kind: "two-units"; readonly unit: string; readonly code: string }
  /** `unit`: as written in the source. */
  | { readonly kind: "cannot-convert"; readonly unit: string }

/** The library of units. It is loaded when a unit is not one of the common ones. */
const library = (): typeof import("./ucumLibrary.ts")["units"] =>
  // What is loaded by its name has no type. The name is that of this file.
  (requireModule(import.meta.url, "ucumLibrary") as typeof import("./ucumLibrary.ts")).units

const conversions = new Map<string, Affine | null>()

/** Returns the conversion from one UCUM unit to another. */
const conversion = (from: string, to: string, molarMass: number | undefined): Affine | null =>
  getOrMake(conversions, `${from}\u0000${to}\u0000${molarMass ?? ""}`, () => {
    const common = commonConversion(from, to, molarMass)
    return common !== undefined
      ? common
      : line(from, to, null) ?? (molarMass === undefined ? null : line(from, to, molarMass))
  })

const line = (from: string, to: string, molarMass: number | null): Affine | null => {
  if (isNoUnit(from) || isNoUnit(to)) return null
  const at = (value: number): number | null => {
    const result = library().convertUnitTo(from, value, to, { molecularWeight: molarMass })
    return result.status === "succeeded" && typeof result.toVal === "number" ? result.toVal : null
  }
  const one = at(100)
  const two = at(200)
  return one === null || two === null ? null : { factor: (two - one) / 100, offset: one - (two - one) }
}

/**
 * Returns true for a number other than 1, which is a code of another system: `258683005` is the kilogram of SNOMED CT. The library reads it as
 * a factor. Returns true for the name of a member that all objects have, too: the library fails on it.
 */
const isNoUnit = (unit: string): boolean => /^[0-9]{2,}$/u.test(unit) || unit in Object.prototype

/** Returns true if the two UCUM units measure the same. */
export const canConvert = (from: string, to: string): boolean => conversion(from, to, glucose) !== null

/** Returns true if the unit is a UCUM unit. */
export const isUnit = (unit: string): boolean =>
  commonUnits.has(unit) || !isNoUnit(unit) &&
    library().validateUnitString(unit, false).status === "valid"

/** The UCUM unit that is commonly written in this way. */
export const unitNear = (unit: string): string | undefined =>
  isNoUnit(unit) ? undefined : library().validateUnitString(unit, true).suggestions?.[0]?.units[0]?.[0]

/**
 * Converts a FHIR Quantity to another UCUM unit. The digits of the source are kept if it already has the target unit; a converted value is
 * rounded to the plan's decimals. A number without a unit is not converted. A Quantity with a comparator (`<`, `>`) has no value.
 */
export const convertQuantity = (quantity: unknown, to: string, plan: UnitPlan): ConvertedQuantity => {
  const { value, code, comparator, unit, system } = jsonObjectOf(quantity)
  if (value === undefined || value === null) return { kind: "no-unit" }
  if (comparator !== undefined && comparator !== null) return { kind: "comparator" }
  const names = [system === "http://unitsofmeasure.org" ? code : undefined, unit, code].filter(
    (name): name is string => typeof name === "string" && name !== ""
  ).map((name) => (/^'.*'$/u.test(name) ? name.slice(1, -1) : name))
  if (names.length === 0) return { kind: "no-unit" }
  if (
    typeof unit === "string" && typeof code === "string" && areDifferentUnits(unit, code, plan.spelling, plan.molarMass)
  ) {
    return { kind: "two-units", unit, code }
  }
  for (const name of names) {
    const spelled = spelledOut(name, plan.spelling)
    for (const from of spelled === undefined ? [name] : [spelled, name]) {
      if (from === to) return { kind: "converted", value }
      const affine = conversion(from, to, plan.molarMass)
      if (affine === null) continue
      const number = numberWritten(value)
      // The field reports a text that is no number, as it does for one in the same unit.
      if (number === undefined && typeof value === "string") return { kind: "converted", value }
      if (number === undefined) return { kind: "cannot-convert", unit: name }
      if (Math.abs(affine.factor - 1) < 1e-12 && Math.abs(affine.offset) < 1e-9) return { kind: "converted", value }
      const scale = 10 ** plan.round
      return { kind: "converted", value: Math.round((number * affine.factor + affine.offset) * scale) / scale }
    }
  }
  return { kind: "cannot-convert", unit: at(names, 0) }
}

/** Some systems write the number of a Quantity as a text. */
const numberWritten = (value: unknown): number | undefined => {
  const number = typeof value === "string" && fromText(value.trim()) !== undefined ? Number(value) : numberIn(value)
  return Number.isFinite(number) ? number : undefined
}

const spelledOut = (name: string, spelling: UnitPlan["spelling"]): string | undefined =>
  spelling === undefined ? undefined : lookUp(spelling, [{ system: null, code: name, display: null }])

/**
 * Returns true if the printed `unit` of a Quantity denotes another unit than its `code`. Words that are no unit ("beats/minute") denote
 * none. Neither does a unit of another dimension that no mapping names: "C" next to `Cel` is not the coulomb. "ML" and `mL` differ only
 * in capitals.
 */
export const areDifferentUnits = (
  unit: string,
  code: string,
  spelling: UnitPlan["spelling"],
  molarMass?: UnitPlan["molarMass"]
): boolean => {
  if (unit.toLowerCase() === code.toLowerCase()) return false
  const [one, other] = [spelledOut(unit, spelling) ?? unit, spelledOut(code, spelling) ?? code]
  if (one === other) return false
  const affine = conversion(one, other, molarMass)
  if (affine !== null) return Math.abs(affine.factor - 1) > 1e-12 || Math.abs(affine.offset) > 1e-9
  return one !== unit || commonUnits.has(one) ? isUnit(other) : false
}
