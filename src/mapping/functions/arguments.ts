import type { Element, Elements } from "../../fhirpath/FhirPath.ts"
import { valueOf, valueText } from "../../fhirpath/FhirPath.ts"

/** Returns the text that an argument is; `undefined` for other values. */
export const textArgument = (elements: Elements | undefined): string | undefined => {
  const value = elements === undefined ? undefined : valueOf(elements[0])
  return typeof value === "string" ? value : undefined
}

/** Returns a time as written in the source or the expression. */
export const timeArgument = (elements: Elements | undefined): string | undefined => {
  const [first]: ReadonlyArray<Element> = elements ?? []
  return first === undefined ? undefined : valueText(valueOf(first))
}
