import { vitalSigns } from "../../vitalSigns.ts"
import type { ColumnProfile, TableConversion } from "../facts/TableProfile.ts"
import { heightWords, weightWords, withoutUnit } from "../words/columnWords.ts"

/** The range of a column's numbers, from the smallest to the largest. */
interface Range {
  readonly least: number
  readonly most: number
}

/**
 * Returns what a numeric column measures by its name, and the conversion to the unit that is sent. Both must fit the numbers. The unit of a column without numbers is that of its name.
 */
export const measureOf = (
  name: string,
  range: Range
): Pick<ColumnProfile, "vital" | "size" | "assumedUnit" | "conversion"> => {
  const { unit, words } = withoutUnit(name)
  const isEmpty = range.least > range.most
  const sign = vitalSigns.find((one) => one.columnWords.test(words))
  if (sign !== undefined) {
    // Millimoles of glucose are not sent as milligrams, nor kilopascals as millimetres of mercury.
    if (/^(?:mmol l|k ?pa)$/u.test(unit)) return {}
    // Numbers of glucose can fit both of its units.
    if (isEmpty && sign.branch === "glucose" && unit === "") return {}
    const conversion = sign.branch !== "temperature"
      ? undefined
      : isEmpty
      ? { path: eitherTemperature, why: "numbers above 60 are degrees Fahrenheit, sent in Celsius" }
      : temperatureOf(unit, range)
    const fits = isEmpty || conversion !== undefined || (range.most >= sign.from && range.least <= sign.to)
    return fits ? { vital: sign.name, ...(conversion === undefined ? {} : { conversion }) } : {}
  }
  const size = heightWords.test(words) ? "height" : weightWords.test(words) ? "weight" : undefined
  if (size === undefined) return {}
  const isStated = (size === "height" ? lengthUnit : massUnit).test(unit)
  const shown = isEmpty ? /^m(?!m)/u.test(unit) ? aboutMetres : aboutCentimetres : range
  const conversion = size === "height" ? heightOf(isStated ? unit : "", shown) : weightOf(isStated ? unit : "", shown)
  const assumedUnit = isStated ? undefined : size === "weight" ? "kg" : areMetres(shown) ? "m" : "cm"
  return {
    size,
    ...(assumedUnit === undefined ? {} : { assumedUnit }),
    ...(conversion === undefined ? {} : { conversion })
  }
}

/** Numbers instead of those of a column that is still empty. */
const aboutMetres: Range = { least: 1, most: 2 }
const aboutCentimetres: Range = { least: 100, most: 200 }

const lengthUnit = /^(?:cms?|mm|m|meters?|metres?|in|inch(?:es)?|ft|feet|foot)$/u
const massUnit = /^(?:kgs?|kilo\w*|lbs?|pounds?|gr?|gms?|grams?|oz|ounces?)$/u

/** The same for a column of texts such as `11 st 4 lb`. */
export const stonesOf = (name: string): Pick<ColumnProfile, "size" | "conversion"> => {
  if (!weightWords.test(withoutUnit(name.replace(/\W*\b(?:st|stones?)\W*$/iu, "")).words)) return {}
  const parts = "$.lower().split('st')"
  const pounds = `${parts}.last().replaceMatches('[^0-9.]', '')`
  return {
    size: "weight",
    conversion: {
      path:
        `((${parts}.first().trim().toDecimal() * 14 + iif(${pounds}.convertsToDecimal(), ${pounds}.toDecimal(), 0)) * 0.45359237).round(1)`,
      why: "stones and pounds, sent in kg"
    }
  }
}

const fahrenheit = "(($ - 32) * 5 / 9).round(1)"
const eitherTemperature = `iif($ > 60, ${fahrenheit}, $)`

const temperatureOf = (unit: string, { least, most: max }: Range): TableConversion | undefined =>
  least >= 80 && max <= 120
    ? {
      path: fahrenheit,
      why: `degrees Fahrenheit, ${unit.startsWith("f") ? "according to the header" : "by the numbers"}, sent in Celsius`
    }
    : least <= 120 && max >= 86
    ? {
      path: eitherTemperature,
      question: least >= 25 && least <= 45 && max <= 120
        ? "are the numbers above 60 Fahrenheit, and the others Celsius? They are read so"
        : "which numbers are Fahrenheit? Some are no temperatures, and those above 60 are read as Fahrenheit"
    }
    : undefined

/** No person is as tall as three metres, or as small as three centimetres. */
const areMetres = ({ most }: Range): boolean => most > 0 && most < 3

/** `unit`: empty if the header states none. */
const heightOf = (unit: string, range: Range): TableConversion | undefined => {
  const { least, most: max } = range
  if (unit.startsWith("in")) return { path: "($ * 2.54).round(1)", why: "inches, as the header says, sent in cm" }
  if (unit.startsWith("f")) {
    // In 5.11, the digits after the point can be inches.
    return {
      path: null,
      question:
        "is 5.5 five and a half feet, or 5 ft 5 in? None is sent. If it is the first, write  height: \"($ * 30.48).round(1)\""
    }
  }
  if (unit === "mm") return { path: "($ / 10)", why: "millimetres, as the header says, sent in cm" }
  if (areMetres(range)) {
    const path = "($ * 100).round(1)"
    return unit.startsWith("c")
      ? { path, question: "are these metres? The header says centimetres, but the numbers are read as metres" }
      : { path, why: `metres, ${unit === "" ? "by the numbers" : "according to the header"}, sent in cm` }
  }
  if (max >= 3 && least < 3) {
    return {
      path: "iif($ < 3, ($ * 100).round(1), $)",
      question: "are the numbers below 3 metres, and the others centimetres? They are read so"
    }
  }
  if (unit.startsWith("m")) {
    return {
      path: "$",
      question: "are these centimetres? The header says metres, but the numbers are read as centimetres"
    }
  }
  return unit === "" && max > 50 && max < 90
    ? {
      path: null,
      question:
        "are these inches? None is above 90, and none is sent. If they are, write  height: \"($ * 2.54).round(1)\"  and otherwise  height: $"
    }
    : undefined
}

/** No person weighs more. */
const maxKilograms = 700

/** Whether heights are in inches or feet, or can be. */
export const isInInches = (height: Pick<ColumnProfile, "conversion"> | undefined): boolean =>
  height?.conversion?.path === null || /\* (?:2\.54|30\.48)\)/u.test(height?.conversion?.path ?? "")

/** Weights without a unit, next to heights that are inches or feet or can be. */
export const besideInches: TableConversion = {
  path: null,
  question:
    "are these pounds? The heights next to them are no centimetres or metres, and none is sent. If they are, write  weight: \"($ * 0.45359237).round(1)\"  and otherwise  weight: $"
}

/** `unit`: empty if the header states none. */
const weightOf = (unit: string, { most }: Range): TableConversion | undefined =>
  /^(?:k.*)?$/u.test(unit)
    ? most > maxKilograms
      ? {
        path: null,
        question:
          `are these grams? Some are above ${maxKilograms}, and none is sent. If they are, write  weight: "($ / 1000)",  for ounces  weight: "($ * 0.0283495).round(2)",  and for kilograms with mistakes  weight: $`
      }
      : undefined
    : /^(?:lbs?|pounds?)$/u.test(unit)
    ? { path: "($ * 0.45359237).round(1)", why: "pounds, as the header says, sent in kg" }
    : /^(?:oz|ounces?)$/u.test(unit)
    ? { path: "($ * 0.028349523125).round(2)", why: "ounces, as the header says, sent in kg" }
    : /^(?:gr?|gms?|grams?)$/u.test(unit)
    ? { path: "($ / 1000)", why: "grams, as the header says, sent in kg" }
    : undefined
