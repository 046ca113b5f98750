import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { defaultRetry, type RetrySettings } from "../../service/settings/RetrySettings.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `retry:` of a `facility.yaml`: number of retries, and the delays between them. */
export const readRetry = (reader: FacilityReader, root: SyntaxMap): RetrySettings => {
  const map = reader.mapOf(root, "retry", [
    "reads",
    "visits",
    "delay",
    "longest",
    "stopAfter",
    "deadline",
    "unknownPatient"
  ])
  const count = (key: "reads" | "visits" | "stopAfter", least: number) =>
    reader.count(map, key, least, 20)?.value ?? defaultRetry[key]
  const never = map?.entries.get("unknownPatient")?.value
  const delayMillis = reader.duration(map, "delay", "100ms", "10m") ?? defaultRetry.delayMillis
  const longestMillis = reader.duration(map, "longest", "1s", "1h") ??
    Math.max(defaultRetry.longestMillis, delayMillis)
  if (map !== undefined && longestMillis < delayMillis) {
    reader.report("invalid-facility", map.span, "`longest` is shorter than `delay`")
  }
  return {
    reads: count("reads", 0),
    visits: count("visits", 1),
    delayMillis,
    longestMillis,
    stopAfter: count("stopAfter", 1),
    unknownPatientMillis: never?.kind === "scalar" && never.value === "never"
      ? null
      : reader.duration(map, "unknownPatient", "1h", "30d", "or `never`") ?? defaultRetry.unknownPatientMillis,
    deadlineMillis: reader.duration(map, "deadline", "1s", "10m") ?? defaultRetry.deadlineMillis
  }
}
