import { vitalSigns } from "../vitalSigns.ts"
import { heightWords, weightWords, withoutUnit } from "./columnWords.ts"
import type { ColumnProfile, TableConversion } from "./TableProfile.ts"

/** The range of a column's numbers, from the smallest to the largest. */
interface Range {
  readonly least: number
  readonly most: number
}

/** Returns what a numeric column measures by its name, and the conversion to the unit that is sent. Both must fit the numbers. */
export const measureOf = (name: string, range: Range): Pick<ColumnProfile, "vital" | "size" | "conversion"> => {
  const { unit, words } = withoutUnit(name)
  const sign = vitalSigns.find((one) => one.columnWords.test(words))
  if (sign !== undefined) {
    const conversion = sign.branch === "temperature" ? temperatureOf(unit, range) : undefined
    // Millimoles of glucose are not sent as milligrams, nor kilopascals as millimetres of mercury.
    if (/^(?:mmol l|k ?pa)$/u.test(unit)) return {}
    const fits = conversion !== undefined || (range.most >= sign.from && range.least <= sign.to)
    return fits ? { vital: sign.name, ...(conversion === undefined ? {} : { conversion }) } : {}
  }
  const size = heightWords.test(words) ? "height" : weightWords.test(words) ? "weight" : undefined
  if (size === undefined) return {}
  const conversion = size === "height" ? heightOf(unit, range) : weightOf(unit)
  return { size, ...(conversion === undefined ? {} : { conversion }) }
}

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

const temperatureOf = (unit: string, { least, most: max }: Range): TableConversion | undefined =>
  least >= 80 && max <= 120
    ? {
      path: fahrenheit,
      why: `degrees Fahrenheit, ${unit.startsWith("f") ? "according to the header" : "by the numbers"}, sent in Celsius`
    }
    : least <= 120 && max >= 86
    ? {
      path: `iif($ > 60, ${fahrenheit}, $)`,
      why: least >= 25 && least <= 45 && max <= 120
        ? "QUESTION Celsius and Fahrenheit are both in it: above 60 is read as Fahrenheit"
        : "QUESTION some numbers are no temperatures: above 60 is read as Fahrenheit"
    }
    : undefined

const heightOf = (unit: string, { most: max }: Range): TableConversion | undefined =>
  /^(?:in|inch\w*)$/u.test(unit)
    ? { path: "($ * 2.54).round(1)", why: "inches, as the header says, sent in cm" }
    : /^(?:ft|feet|foot)$/u.test(unit)
    ? { path: "($ * 30.48).round(1)", why: "feet, as the header says, sent in cm" }
    : unit === "mm"
    ? { path: "($ / 10)", why: "millimetres, as the header says, sent in cm" }
    : max > 0 && max < 3
    ? {
      path: "($ * 100).round(1)",
      why: `metres, ${unit.startsWith("m") ? "according to the header" : "by the numbers"}, sent in cm`
    }
    : undefined

const weightOf = (unit: string): TableConversion | undefined =>
  /^(?:lbs?|pounds?)$/u.test(unit)
    ? { path: "($ * 0.45359237).round(1)", why: "pounds, as the header says, sent in kg" }
    : /^(?:oz|ounces?)$/u.test(unit)
    ? { path: "($ * 0.028349523125).round(2)", why: "ounces, as the header says, sent in kg" }
    : /^(?:gr?|gms?|grams?)$/u.test(unit)
    ? { path: "($ / 1000)", why: "grams, as the header says, sent in kg" }
    : undefined
