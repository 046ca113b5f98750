import type { CompiledPath, FhirPath, FunctionInput } from "../../fhirpath/FhirPath.ts"
import { valueOf, valueText as momentText } from "../../fhirpath/FhirPath.ts"
import type { StatementsPlan } from "../language/Statements.ts"
import { rowNumber } from "../language/Statements.ts"
import { textArgument, timeArgument } from "./arguments.ts"
import { conceptMapFunctions } from "./conceptMaps.ts"
import { conceptFunctions } from "./concepts.ts"
import { current } from "./current.ts"
import { dosageFunctions } from "./dosageFunctions.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import { keyFunctions } from "./keys.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"
import { localText } from "./localText.ts"
import { forEach, forSome } from "./ofElements.ts"
import { peopleFunctions } from "./people.ts"
import { rangesFor } from "./ranges.ts"
import { referenceFunctions } from "./references.ts"
import { oneOfInput, someOfInput, textOfEach, yesOrNo } from "./results.ts"
import { sectionFunctions } from "./sections.ts"
import { visitFunctions } from "./visitRecords.ts"

/** What functions need of their mapping: among others the engine, which makes elements of records. */
export interface FunctionContext {
  readonly fhirPath: () => FhirPath<EvaluationScope>
  readonly statements: StatementsPlan | undefined
}

/** Makes a function that chooses reference ranges. */
const ranges = (uncertain: boolean): LanguageFunction => ({
  parameters: ["sex", "birth date", "time"],
  least: uncertain ? 3 : 1,
  gives: someOfInput,
  chooses: true,
  effect: "none",
  call: (input, [sex, birth, time]) => {
    if (input.length === 0) return input
    const age = birth === undefined ? undefined : { birth: timeArgument(birth), time: timeArgument(time) }
    return rangesFor(input, { gender: timeArgument(sex), age }, valueOf, uncertain)
  }
})

/** The functions that every mapping can call; a mapping adds its own under `function:`. */
export const languageFunctions = (
  { fhirPath, statements }: FunctionContext
): ReadonlyMap<string, LanguageFunction> => {
  const functions: Record<string, LanguageFunction> = {
    /** Returns the input if it is a single element. */
    only: {
      parameters: [],
      gives: oneOfInput,
      chooses: true,
      effect: "none",
      call: (input) => (input.length === 1 ? input : [])
    },
    /**
     * Returns the preferred values among those in use at a time: names, addresses, telephone numbers, identifiers, or anything with a
     * period. Example: `telecom.where(system = 'phone').current(%visit.period.start)`.
     */
    current: {
      parameters: ["moment"],
      least: 0,
      gives: someOfInput,
      chooses: true,
      effect: "none",
      call: (input, [moment]) => current(input, valueOf, timeArgument(moment))
    },
    /** Returns whether the source states that the input is a row of a list of the visit: `isRow('vital_signs')`. */
    isRow: {
      parameters: ["list"],
      names: "list",
      gives: yesOrNo,
      readsValues: true,
      effect: "none",
      ...forSome((element, [list]) =>
        statements !== undefined && rowNumber(statements, textArgument(list) ?? "", element) !== undefined
      )
    },
    /** Returns a date, or a local time to the minute or second in the facility's zone, as text: `2026-03-02`, `2026-03-02 08:15`. */
    localTime: {
      parameters: [],
      gives: textOfEach,
      readsValues: true,
      reaches: "values",
      effect: "none",
      ...forEach((element, _, scope) => localText(momentText(valueOf(element)), scope.zone))
    },
    /** Returns the reference ranges that hold for a sex, and for the age that a birth date and a time give. */
    rangesFor: ranges(false),
    /** Returns the reference ranges for an age or a group to which the patient may belong, if no other range holds. */
    uncertainRangesFor: ranges(true)
  }
  return new Map(
    Object.entries({
      ...functions,
      ...referenceFunctions(fhirPath),
      ...keyFunctions,
      ...conceptMapFunctions,
      ...visitFunctions(fhirPath),
      ...dosageFunctions,
      ...conceptFunctions,
      ...peopleFunctions,
      ...sectionFunctions
    })
  )
}

/** Makes a function of a mapping. */
export const mappingFunction = (
  parameters: ReadonlyArray<string>,
  path: string,
  over: FunctionInput,
  fhirPath: () => FhirPath<EvaluationScope>
): LanguageFunction => {
  let compiled: CompiledPath<EvaluationScope> | undefined
  return {
    parameters,
    body: { text: path, over },
    call: (input, args, scope, _made, variables = {}) => {
      compiled ??= fhirPath().compile(path)
      const body = compiled
      const inner: Record<string, unknown> = Object.create(variables)
      parameters.forEach((name, index) => {
        inner[name] = args[index] ?? []
      })
      return over === "item"
        ? input.flatMap((element) => body.evaluate([element], inner, scope))
        : body.evaluate(over === "visit" ? [] : input, inner, scope)
    }
  }
}
