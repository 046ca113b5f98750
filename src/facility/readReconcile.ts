import type { SyntaxMap } from "../mapping/MappingSyntax.ts"
import { type ReconcileSettings, usualReconcile } from "../operator/ReconcileSettings.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `reconcile:` of a `facility.yaml`: when the service is asked what it holds, and with how many of the requests. */
export const readReconcile = (reader: FacilityReader, root: SyntaxMap): ReconcileSettings => {
  const map = reader.mapOf(root, "reconcile", ["wait", "partialAfter", "confirmAfter", "share"])
  const never = map?.entries.get("confirmAfter")?.value
  return {
    waitMillis: reader.duration(map, "wait", "0s", "1h") ?? usualReconcile.waitMillis,
    partialAfterMillis: reader.duration(map, "partialAfter", "0s", "30d") ?? usualReconcile.partialAfterMillis,
    confirmAfterMillis: never?.kind === "scalar" && never.value === "never"
      ? null
      : reader.duration(map, "confirmAfter", "0s", "7d", "or `never`") ?? usualReconcile.confirmAfterMillis,
    share: share(reader, map) ?? usualReconcile.share
  }
}

const share = (reader: FacilityReader, map: SyntaxMap | undefined): number | undefined => {
  const setting = reader.setting(map, "share")
  const percent = Number(/^(\d{1,3}) ?%$/u.exec(setting?.value ?? "")?.[1])
  if (setting === undefined || (percent >= 1 && percent <= 100)) return setting && percent / 100
  return reader.report("invalid-facility", setting.span, "`share` is from 1% to 100%")
}
