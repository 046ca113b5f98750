import { isDecimal } from "../../json/Decimal.ts"
import { entriesOf, type Rule } from "./Rule.ts"

/** §2.6 LabResult: a `float` is a number, a `string` is a string. */
export const labValueHasItsType: Rule = (visit, _settings, report) => {
  entriesOf(visit, "laboratories").forEach((laboratory, index) => {
    entriesOf(laboratory, "results").forEach(({ value, value_type: type }, at) => {
      const agrees = value === null || value === undefined
        ? true
        : type === "float"
        ? isDecimal(value)
        : type === "string"
        ? typeof value === "string"
        : type !== null
      if (agrees) return
      report({
        code: "contradiction",
        severity: "warning",
        path: ["laboratories", index, "results", at, "value_type"],
        title: "`value_type` is not the type of `value`"
      })
    })
  })
}
