import type { Element, FhirPath } from "../../fhirpath/FhirPath.ts"
import { recordOf, valueOf } from "../../fhirpath/FhirPath.ts"
import { isResource, type SourceRecord } from "../../source/records/SourceRecord.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"

/** Returns the record of a resource, or the target of a reference. */
export const recordReached = (element: Element, scope: EvaluationScope): SourceRecord | undefined => {
  const value = valueOf(element)
  const from = recordOf(element)
  if (isResource(value)) return from
  return from === undefined ? undefined : scope.resolve(value, from)
}

/** Like `recordReached`, for functions that make a text of the target. Also reports the target as read. */
export const readTarget = (element: Element, scope: EvaluationScope): SourceRecord | undefined => {
  const record = recordReached(element, scope)
  if (record !== undefined) scope.read(record)
  return record
}

/** Makes the elements of records, and reports the records as read. */
export const elementsBy =
  (fhirPath: () => FhirPath<EvaluationScope>) => (record: SourceRecord, scope: EvaluationScope): Element => {
    scope.read(record)
    return fhirPath().elementOf(record)
  }
