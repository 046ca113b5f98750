import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { defaultReconcile, type ReconcileSettings } from "../../service/settings/ReconcileSettings.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `reconcile:` of a `facility.yaml`: when the journal is compared with the service's list, and the part of the requests for it. */
export const readReconcile = (reader: FacilityReader, root: SyntaxMap): ReconcileSettings => {
  const map = reader.mapOf(root, "reconcile", ["wait", "partialAfter", "confirmAfter", "share"])
  const never = map?.entries.get("confirmAfter")?.value
  return {
    waitMillis: reader.duration(map, "wait", "0s", "1h") ?? defaultReconcile.waitMillis,
    partialAfterMillis: reader.duration(map, "partialAfter", "0s", "30d") ?? defaultReconcile.partialAfterMillis,
    confirmAfterMillis: never?.kind === "scalar" && never.value === "never"
      ? null
      : reader.duration(map, "confirmAfter", "0s", "7d", "or `never`") ?? defaultReconcile.confirmAfterMillis,
    share: reader.percent(map, "share", 1, 100) ?? defaultReconcile.share
  }
}
