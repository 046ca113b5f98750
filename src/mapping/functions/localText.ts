import { getOrMake, getOrRemember } from "../../maps.ts"
import { formatTimestamp, parseInstant } from "../../visit/values/Timestamp.ts"

/** The local times of texts, by zone. */
const localTimes = new Map<string, Map<string, string>>()

/** Returns a date or time as text; any other text is unchanged. Memoized, because many visits show the same times of their patient. */
export const localText = (text: string | undefined, zone: string): string | undefined => {
  if (text === undefined || text.length <= 10) return text
  const known = getOrMake(localTimes, zone, () => new Map())
  const read = (): string => {
    const instant = parseInstant(text, { zone })
    if ("reason" in instant) return text
    const local = formatTimestamp(instant.epochMillis, zone)
    return `${local.slice(0, 10)} ${local.slice(11, local.startsWith("00", 17) ? 16 : 19)}`
  }
  return getOrRemember(known, text, read, 10_000)
}
