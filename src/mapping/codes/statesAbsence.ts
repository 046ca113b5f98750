import { isJsonObject, type JsonObject } from "../../json/JsonObject.ts"

/**
 * Code systems whose codes are no concept. They state why there is none, such as `masked` or `unknown`.
 * - https://hl7.org/fhir/R4/codesystem-data-absent-reason.html
 * - https://terminology.hl7.org/CodeSystem-v3-NullFlavor.html
 *
 * STU3 has other names for both.
 */
const systems: ReadonlySet<unknown> = new Set([
  "http://terminology.hl7.org/CodeSystem/data-absent-reason",
  "http://terminology.hl7.org/CodeSystem/v3-NullFlavor",
  "http://hl7.org/fhir/data-absent-reason",
  "http://hl7.org/fhir/v3/NullFlavor"
])

/** Returns whether a Coding, or a code with its system, states why there is no concept. */
export const statesAbsence = ({ system }: { readonly system?: unknown }): boolean => systems.has(system)

/** Returns the first Coding that states why there is no concept. */
export const absenceIn = (codings: ReadonlyArray<unknown>): JsonObject | undefined => {
  for (const coding of codings) {
    if (isJsonObject(coding) && statesAbsence(coding)) return coding
  }
  return undefined
}
