import type { Element, Elements } from "../../fhirpath/FhirPath.ts"

const none: Elements = []

/** Returns the result for each element, in order; elements without a result are omitted. */
export const forEachElement = (input: Elements, of: (element: Element) => Element | undefined): Elements => {
  if (input.length === 0) return none
  if (input.length === 1) {
    const one = of(input[0]!)
    return one === undefined ? none : [one]
  }
  const found: Array<Element> = []
  for (const element of input) {
    const one = of(element)
    if (one !== undefined) found.push(one)
  }
  return found
}
