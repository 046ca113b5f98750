import type { FhirPath } from "../../fhirpath/FhirPath.ts"
import { recordOf } from "../../fhirpath/FhirPath.ts"
import { textArgument } from "./arguments.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"
import { forSome } from "./ofElements.ts"
import { recordsOfType, yesOrNo } from "./results.ts"
import { elementsBy } from "./targets.ts"

/** Functions over the records of the visit and of its patient. */
export const visitFunctions = (
  fhirPath: () => FhirPath<EvaluationScope>
): Readonly<Record<string, LanguageFunction>> => {
  const elementOf = elementsBy(fhirPath)
  return {
    /** Returns the records of a type in the visit: `inVisit('Appointment')`. */
    inVisit: {
      ...ofType,
      names: "type",
      call: (_, [type], scope) => scope.inVisit(textArgument(type) ?? "").map((record) => elementOf(record, scope))
    },
    /** Returns whether one of the input's records belongs to the visit. */
    isInVisit: {
      parameters: [],
      gives: yesOrNo,
      readsVisit: true,
      effect: "reads",
      ...forSome((element, _, scope) => {
        const record = recordOf(element)
        return record !== undefined && scope.inVisit(record.resource.resourceType).includes(record)
      })
    },
    /** Returns the records of a type that belong to the visit's patient: `ofPatient('Coverage')`. */
    ofPatient: {
      ...ofType,
      names: "typeOfPatient",
      call: (_, [type], scope) => scope.ofPatient(textArgument(type) ?? "").map((record) => elementOf(record, scope))
    }
  }
}

const ofType = {
  parameters: ["type"],
  gives: recordsOfType,
  returns: "named",
  readsVisit: true,
  reads: (type) => ({ types: [type] }),
  readsValues: true,
  effect: "reads"
} as const satisfies Partial<LanguageFunction>
