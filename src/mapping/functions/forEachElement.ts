import type { Element, Elements } from "../../fhirpath/FhirPath.ts"

const none: Elements = []

/** Returns the result for each element, in order; elements without a result are omitted. */
export const forEachElement = (input: Elements, of: (element: Element) => Element | undefined): Elements => {
  if (input.length === 0) return none
  const found: Array<Element> = []
  for (const element of input) {
    const one = of(element)
    if (one !== undefined) found.push(one)
  }
  return found
}
