import { ExactNumber } from "../../json/exactNumber.ts"
import type { Element } from "../FhirPath.ts"
import { QuantityValue, TimeValue } from "../library/systemValues.ts"
import { isDerivedFrom, typeNames } from "../model/typeElements.ts"
import { isNode } from "./Node.ts"
import { isInteger } from "./numbers.ts"

/** Returns whether an element has a type, or can be converted to it. */
export type TypeTest = (element: Element) => boolean

/** The types of FHIRPath itself, in the namespace `System`. */
const systemTypes: ReadonlySet<string> = new Set(
  "Boolean String Integer Long Decimal Date DateTime Time Quantity".split(" ")
)

/** The types of FHIRPath to which `ofType` converts types of FHIR. */
const conversions: ReadonlyMap<string, string> = new Map(
  [
    ["Boolean", "boolean"],
    ["String", "string uri code oid id uuid markdown base64Binary"],
    ["Integer", "integer unsignedInt positiveInt"],
    ["Long", "integer64"],
    ["Decimal", "decimal"],
    ["DateTime", "date dateTime instant"],
    ["Time", "time"],
    ["Quantity", "Quantity"]
  ].flatMap(([to = "", from = ""]) => from.split(" ").map((one) => [one, to] as const))
)

/** Returns the type of a value that is no element of a resource. */
const systemTypeOf = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return "System.String"
    case "boolean":
      return "System.Boolean"
    case "number":
      return Number.isInteger(value) ? "System.Integer" : "System.Decimal"
    case "bigint":
      return "System.Long"
    default:
      return value instanceof ExactNumber
        ? (isInteger(value) ? "System.Integer" : "System.Decimal")
        : value instanceof TimeValue
        ? `System.${TimeValue.typeOf(value)}`
        : value instanceof QuantityValue
        ? "System.Quantity"
        // No type of FHIRPath: no expression can name it.
        : "System.Object"
  }
}

/**
 * Returns the test of `is` or `ofType` for a type by its name, with or without a namespace; `undefined` if there is no such type. `ofType`
 * also includes what is converted to the type automatically.
 */
export const typeTest = (operator: "is" | "ofType", names: ReadonlyArray<string>): TypeTest | undefined => {
  const [name = "", namespace, ...others] = names.toReversed()
  const isOfFhir = namespace !== "System" && typeNames().has(name)
  const isOfSystem = namespace !== "FHIR" && systemTypes.has(name)
  const hasNamespace = namespace === undefined || namespace === "System" || namespace === "FHIR"
  if (others.length > 0 || !hasNamespace || !(isOfFhir || isOfSystem)) return undefined
  const fitsType = (type: string): boolean =>
    type.startsWith("System.")
      ? namespace !== "FHIR" && type.slice("System.".length) === name
      : (operator === "ofType" && namespace !== "FHIR" && conversions.get(type) === name) ||
        (namespace !== "System" && isDerivedFrom(type, name))
  const known = new Map<string, boolean>()
  let last: string | undefined
  let lastFits = false
  return (element) => {
    const type = isNode(element) ? element.fhirNodeDataType ?? systemTypeOf(element.data) : systemTypeOf(element)
    if (type === last) return lastFits
    let fits = known.get(type)
    if (fits === undefined) known.set(type, fits = fitsType(String(type)))
    last = type
    lastFits = fits
    return fits
  }
}
