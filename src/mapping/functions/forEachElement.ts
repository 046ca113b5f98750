import type { Element, Elements } from "../../fhirpath/FhirPath.ts"

const none: ReadonlyArray<never> = []

/** Returns the result for each element, in order; elements without a result are omitted. */
export const forEachElement = <Found>(
  input: Elements,
  of: (element: Element, index: number) => Found | undefined
): ReadonlyArray<Found> => {
  if (input.length === 0) return none
  const found: Array<Found> = []
  for (let index = 0; index < input.length; index++) {
    const one = of(input[index], index)
    if (one !== undefined) found.push(one)
  }
  return found
}
