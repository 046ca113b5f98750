import type { Element, Elements } from "../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import { forEachElement } from "./forEachElement.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"

/** Calls a function that returns something for each element by itself, or nothing. */
export const forEach = (
  of: (
    element: Element,
    args: ReadonlyArray<Elements>,
    scope: EvaluationScope,
    made?: (record: SourceRecord) => void
  ) => Element | undefined
): Pick<LanguageFunction, "call" | "forEach"> => ({
  forEach: of,
  call: (input, args, scope, made) => forEachElement(input, (element) => of(element, args, scope, made))
})

/** Calls a function that tests whether some element of its input has a property. */
export const forSome = (
  is: (element: Element, args: ReadonlyArray<Elements>, scope: EvaluationScope) => boolean
): Pick<LanguageFunction, "call" | "forSome" | "isTest"> => ({
  isTest: true,
  forSome: is,
  call: (input, args, scope) => [input.some((element) => is(element, args, scope))]
})
