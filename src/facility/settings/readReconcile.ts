import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import type { ReconcileSettings } from "../../service/settings/ReconcileSettings.ts"
import { reconcileKeys } from "./facilityGrammar.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `reconcile:` of a `facility.yaml`: when the journal is compared with the service's list, and the part of the requests for it. */
export const readReconcile = (reader: FacilityReader, root: SyntaxMap): ReconcileSettings => {
  const { confirmAfter, partialAfter, share, wait } = reader.section(root, "reconcile", reconcileKeys).values
  return { waitMillis: wait, partialAfterMillis: partialAfter, confirmAfterMillis: confirmAfter, share }
}
