import { cacheFolder, keep, readKept } from "../../mapping/planCache.ts"
import { isZone, useZoneDays, type ZoneDays, zoneDays } from "../../visit/values/Zone.ts"

/**
 * Same as `isZone`. The offsets of the zone are kept in the cache folder, because loading the platform's time zone data takes a twentieth of
 * a short command. They belong to one version of that data.
 */
export const isKeptZone = (name: string): boolean => {
  const request = ["zone", name, process.versions.icu, process.versions["tz"]]
  const kept = readKept(request, "zone")
  if (kept !== undefined) {
    // Only the call of `keep` below writes an entry of this kind, and the cache checks that this program did.
    useZoneDays(name, kept as ZoneDays)
    return true
  }
  if (!isZone(name)) return false
  if (cacheFolder() !== undefined) keep(request, [], () => zoneDays(name), "zone")
  return true
}
