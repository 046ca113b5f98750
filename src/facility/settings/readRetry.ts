import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { defaultRetry, type RetrySettings } from "../../service/settings/RetrySettings.ts"
import { retryKeys } from "./facilityGrammar.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `retry:` of a `facility.yaml`: number of retries, and the delays between them. */
export const readRetry = (reader: FacilityReader, root: SyntaxMap): RetrySettings => {
  const { map, values } = reader.section(root, "retry", retryKeys)
  const { deadline, delay, longest = Math.max(defaultRetry.longestMillis, delay), unknownPatient, ...counts } = values
  if (map !== undefined && longest < delay) {
    reader.report("invalid-facility", map.span, "`longest` is shorter than `delay`")
  }
  return {
    ...counts,
    delayMillis: delay,
    longestMillis: longest,
    unknownPatientMillis: unknownPatient,
    deadlineMillis: deadline
  }
}
