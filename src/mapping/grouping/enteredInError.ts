import { types } from "node:util"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { codesOf } from "../codes/ConceptMap.ts"

/**
 * Returns whether the source states that a record should never have existed: FHIR R4 `status`, or `verificationStatus` of conditions and
 * allergies. A tracker on the record does not record the read.
 */
export const isEnteredInError = ({ resource, row }: SourceRecord): boolean => {
  if (row !== undefined) return false
  const isWatched = types.isProxy(resource)
  const held = (name: string): unknown =>
    isWatched ? Object.getOwnPropertyDescriptor(resource, name)?.value : resource[name]
  return held("status") === "entered-in-error" ||
    codesOf(held("verificationStatus")).some(({ code }) => code === "entered-in-error")
}

/** Reports a record that was entered in error and that a record of the visit refers to, or that refers to one. */
export const enteredInError = ({ origin }: SourceRecord): Diagnostic => ({
  code: "dropped-record",
  severity: "warning",
  title: "a record that is linked to a record of the visit was entered in error: it is not used",
  source: origin.reference,
  origin,
  help: ["if it is right, correct its status in the source system; otherwise remove the reference"]
})
