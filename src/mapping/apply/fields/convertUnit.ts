import type { Element } from "../../../fhirpath/FhirPath.ts"
import { valueText } from "../../../fhirpath/FhirPath.ts"
import { codesOf, lookUp } from "../../codes/ConceptMap.ts"
import { convertQuantity } from "../../codes/convertQuantity.ts"
import { quoteKey } from "../../language/quoteKey.ts"
import type { PathPlan, UnitPlan } from "../../MappingPlan.ts"
import type { FieldContext } from "./FieldContext.ts"
import { reportOn } from "./FieldReport.ts"

/** Converts a value of a field to the unit that is sent. If that is not possible, it returns nothing and reports why. */
export const convertUnit = (
  filling: FieldContext,
  plan: UnitPlan,
  value: unknown,
  path: PathPlan | undefined
): ReadonlyArray<Element> => {
  const { context, focus, leaf, row, variables } = filling
  const to = wantedUnit(filling, plan)
  if (to === undefined) return reportNoUnit(filling, plan, path)
  const quantity = plan.from === undefined
    ? value
    : { value, unit: context.values(plan.from, focus, variables, row, leaf.name).map(valueText)[0] }
  const converted = convertQuantity(quantity, to, plan)
  switch (converted.kind) {
    case "converted":
      return [converted.value]
    case "comparator":
      return reportComparator(filling, path)
    case "two-units":
      reportOn(filling, path)({
        code: "unknown-unit",
        severity: "error",
        title: `\`${leaf.name}\` has two units in the source: its \`unit\` and its \`code\` differ`,
        facts: [["unit", converted.unit], ["code", converted.code]],
        help: ["correct the Quantity in the source system: the number can be true in one unit only"]
      })
      return []
    case "no-unit":
      reportOn(filling, path)({
        code: "unknown-unit",
        severity: "warning",
        title: `\`${leaf.name}\` needs ${to} and the source gives a number without a unit`,
        help: [correctUnit]
      })
      return []
    case "cannot-convert":
      return reportOtherUnit(filling, plan, converted.unit, to, path)
  }
}

/** The target unit: a fixed one, or the one a concept map gives for the record. */
const wantedUnit = ({ context, focus, leaf, row, variables }: FieldContext, { to }: UnitPlan): string | undefined =>
  typeof to === "string"
    ? to
    : lookUp(to.conceptMap, context.values(to.of, focus, variables, row, leaf.name).flatMap(codesOf))

const reportNoUnit = (filling: FieldContext, { to }: UnitPlan, path: PathPlan | undefined): ReadonlyArray<Element> => {
  reportOn(filling, path)({
    code: "unknown-unit",
    severity: "warning",
    title: `\`${filling.leaf.name}\` has no unit to be sent in`,
    help: [
      typeof to === "string" ? "name the unit" : `add a row to the concept map  ${to.conceptMap.name}`,
      "the value is dropped"
    ]
  })
  return []
}

const reportComparator = (filling: FieldContext, path: PathPlan | undefined): ReadonlyArray<Element> => {
  reportOn(filling, path)({
    code: "dropped-record",
    severity: "warning",
    title: `\`${filling.leaf.name}\` is a number, and the source states only an upper or lower limit`,
    help: ["the value is dropped"]
  })
  return []
}

/** Counts a unit without a known conversion as an unmapped spelling. */
const reportOtherUnit = (
  filling: FieldContext,
  { spelling }: UnitPlan,
  unit: string,
  to: string,
  path: PathPlan | undefined
): ReadonlyArray<Element> => {
  if (spelling !== undefined) {
    filling.context.unmapped({ table: spelling.name, system: null, code: unit, display: null, blocking: false })
  }
  reportOn(filling, path)({
    code: "unknown-unit",
    severity: "warning",
    title: `\`${filling.leaf.name}\` needs ${to} and the source's unit cannot be converted to it`,
    facts: [["unit", unit]],
    help: spelling === undefined
      ? [correctUnit]
      : [
        `map the unit:  conceptMap: {${spelling.name}: {table: {${quoteKey(unit)}: UCUM UNIT}}}`,
        "or correct the unit in the source system; the value is dropped"
      ]
  })
  return []
}

const correctUnit = "the value is dropped; correct the unit in the source system"
