import { Result } from "effect"
import { shown } from "../../../diagnostic/shown.ts"
import { typeNameOf, valueText } from "../../../fhirpath/FhirPath.ts"
import { fromText as decimalFromText } from "../../../json/Decimal.ts"
import { isExactNumber } from "../../../json/exactNumber.ts"
import { isOpenObject } from "../../../visit/components/Referral.ts"
import { parseJson } from "../../../visit/decode.ts"
import type { LeafPlan, PathPlan } from "../../MappingPlan.ts"
import { cleanText, isBlank, isCleanText } from "./cleanText.ts"
import type { FieldContext } from "./FieldContext.ts"
import { reportOn } from "./FieldReport.ts"
import { dateOf, leafTimestampOf } from "./leafTimes.ts"

/**
 * Converts one value to the form that its field is sent in; `undefined`, with a report, if that is not possible. `at` is its index among
 * the values found. `path` found it, unless the source or the mapping states it explicitly.
 */
export const leafValue = (filling: FieldContext, value: unknown, at: number, path?: PathPlan): unknown => {
  if (value === null || value === undefined || (typeof value === "string" && isBlank(value))) return undefined
  switch (filling.leaf.field.kind) {
    case "timestamp":
    case "date": {
      const text = momentText(value)
      if (text === undefined) return reportWrong(filling, value, path, at)
      return (filling.leaf.field.kind === "date" ? dateOf : leafTimestampOf)(filling, text, path)
    }
    case "decimal":
      return decimalOf(value) ?? reportWrong(filling, value, path, at)
    case "text-or-decimal": {
      if (typeof value === "boolean") return String(value)
      // Some systems write the number of a Quantity as a string.
      const number = typeof value === "string" && typeNameAt(filling, value, path, at) !== "decimal"
        ? undefined
        : decimalOf(value)
      return number ??
        (typeof value === "string" ? cleaned(filling, value, path) : reportWrong(filling, value, path, at))
    }
    case "object":
      return openObject(value) ?? reportWrong(filling, value, path, at)
    case "boolean":
      return truthOf(value) ?? reportWrong(filling, value, path, at)
    default: {
      const text = valueText(value)
      return text === undefined ? reportWrong(filling, value, path, at) : cleaned(filling, text, path)
    }
  }
}

/** The type of a value: that of its element, if it is the value that was found. */
export const typeNameAt = (
  { context, focus, leaf, row, variables }: FieldContext,
  value: unknown,
  path: PathPlan | undefined,
  at: number
): string =>
  path === undefined || leaf.unit !== undefined || leaf.conceptMap !== undefined
    ? typeNameOf(value)
    : typeNameOf(context.evaluate(path, focus, variables, row, leaf.name)[at])

const reportWrong = (filling: FieldContext, value: unknown, path: PathPlan | undefined, at: number): undefined => {
  const { leaf } = filling
  return reportOn(filling, path)({
    code: "wrong-type",
    severity: leaf.field.mandatory ? "error" : "warning",
    title: `\`${leaf.name}\` cannot take what this path found`,
    label: `found ${article(typeNameAt(filling, value, path, at))}`,
    value: shown(typeof value === "object" ? JSON.stringify(value) : String(value)),
    // With a unit, the text is the value of a Quantity.
    help: [
      leaf.unit !== undefined && typeof value === "string"
        ? "correct the number of the Quantity in the source system"
        : `end the path in ${expected(leaf)}`
    ]
  })
}

const article = (name: string): string => (/^[aeiou]/iu.test(name) ? `an ${name}` : `a ${name}`)

const expected = (leaf: LeafPlan): string => {
  switch (leaf.field.kind) {
    case "decimal":
      return "a number, for example  value.ofType(Quantity).value"
    case "boolean":
      return "true or false"
    default:
      return "a text, for example  .coding.display.first()  or  .text"
  }
}

/** A date or time as text; numbers and booleans are not converted. */
const momentText = (value: unknown): string | undefined =>
  typeof value === "number" || typeof value === "boolean" ? undefined : valueText(value)

const truthOf = (value: unknown): boolean | undefined =>
  typeof value === "boolean" ? value : value === "true" ? true : value === "false" ? false : undefined

const decimalOf = (value: unknown): unknown => {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined
  if (isExactNumber(value)) return value.toDecimal() ?? undefined
  if (typeof value === "string") return decimalFromText(value.trim())
  return undefined
}

/** An object whose form the specification does not show: a source gives it as JSON text. */
const openObject = (value: unknown): unknown => {
  const parsed = typeof value === "string" ? parseJson(value) : undefined
  return parsed !== undefined && Result.isSuccess(parsed) && isOpenObject(parsed.success) ? parsed.success : undefined
}

const cleaned = (filling: FieldContext, written: string, path: PathPlan | undefined): string | undefined => {
  if (isCleanText(written)) return written
  const { leaf } = filling
  const { hadControl, text, wasApart } = cleanText(written, leaf.asWritten === true)
  if (hadControl) {
    reportOn(filling, path)({
      code: "text-changed",
      severity: "warning",
      title: `control characters were removed from \`${leaf.name}\``
    })
  }
  if (wasApart) {
    reportOn(filling, path)({
      code: "text-changed",
      severity: "warning",
      title: `letters of \`${leaf.name}\` were written in parts, and were put together`
    })
  }
  return text === "" ? undefined : text
}
