import type { Elements, Variables } from "../../fhirpath/FhirPath.ts"
import { isExactDecimal } from "../../fhirpath/FhirPath.ts"
import type { FieldKind } from "../../visit/Field.ts"
import { isCalendarDate } from "../../visit/values/CalendarDate.ts"
import { fromText as decimalFromText } from "../../visit/values/Decimal.ts"
import type { LeafPlan } from "../MappingPlan.ts"
import { applyLeaf, blankOf } from "./applyLeaf.ts"
import { isCleanText } from "./cleanText.ts"
import { lookUpForced } from "./ConceptMap.ts"
import type { LeafContext } from "./FieldContext.ts"
import { knownTimestamp } from "./leafTimes.ts"
import type { SectionRow } from "./VisitContext.ts"

/** Returns the value of one field of a row; `said`: the values that the source states explicitly for it. */
type FillLeaf = (
  context: LeafContext,
  focus: Elements,
  variables: Variables,
  row: SectionRow,
  stated: ReadonlyArray<unknown> | undefined
) => unknown

/** Returns the value of a field as sent, in simple cases; otherwise `undefined`. */
type Plainly = (value: unknown, context: LeafContext) => unknown

/**
 * Compiles one field. Most fields find one value of the right type in their first paths without a problem: they are filled here, and all
 * others by `applyLeaf`.
 */
export const compileLeaf = (leaf: LeafPlan): FillLeaf => {
  const slowly: FillLeaf = (context, focus, variables, row, stated) =>
    applyLeaf({ leaf, focus, variables, row, context }, stated)
  const { field, name, paths } = leaf
  if (leaf.literal !== undefined || leaf.unit !== undefined || field.kind === "strings") return slowly
  const plainly = plain[field.kind]
  if (plainly === undefined || leaf.listed !== undefined) return slowly
  const { conceptMap } = leaf
  const read: Plainly = conceptMap === undefined
    ? plainly
    : (value, context) => plainly(lookUpForced(conceptMap, value), context)
  const isQuiet = leaf.fallback === undefined && leaf.required !== "warning" &&
    (leaf.required === "none" || field.mandatory)
  const blank = blankOf(leaf)
  return (context, focus, variables, row, stated) => {
    if (stated !== undefined) return slowly(context, focus, variables, row, stated)
    const before = context.told()
    for (let at = 0; at < paths.length; at++) {
      const path = paths[at]!
      const values = context.values(path, focus, variables, row, name)
      if (values.length === 0) continue
      const value = values.length === 1 && path.warn === undefined && path.assume === undefined
        ? read(values[0], context)
        : undefined
      return value === undefined
        ? applyLeaf({ leaf, focus, variables, row, context }, undefined, { at, values, before })
        : value
    }
    return isQuiet
      ? blank
      : applyLeaf({ leaf, focus, variables, row, context }, undefined, { at: paths.length, values: [], before })
  }
}

const text: Plainly = (value) => (typeof value === "string" && isCleanText(value) ? value : undefined)

const decimal: Plainly = (value) => (isExactDecimal(value) ? decimalFromText(value.toString()) : undefined)

const plain: Readonly<Partial<Record<FieldKind, Plainly>>> = {
  code: text,
  identifier: text,
  text,
  timestamp: (value, context) => (typeof value === "string" ? knownTimestamp(value, context) : undefined),
  date: (value) => (typeof value === "string" && isCalendarDate(value) ? value : undefined),
  decimal,
  "text-or-decimal": decimal,
  boolean: (value) => (typeof value === "boolean" ? value : undefined)
}
