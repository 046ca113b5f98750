import { r4Model } from "./Model.ts"

/**
 * Whether the `status` of a resource is one that FHIR R4 knows of its type (a required binding), written as R4 writes it: another text, such as
 * `CANCELLED`, or a list says nothing that may be relied on. A resource without a status has no such status.
 */
export const hasUnknownStatus = (
  { resourceType, status }: { readonly resourceType: string; readonly status?: unknown }
): boolean => {
  if (status === undefined || status === null) return false
  const codes = r4Model.codesOfElement(resourceType, "status")
  return codes !== undefined && (typeof status !== "string" || !codes.includes(status))
}
