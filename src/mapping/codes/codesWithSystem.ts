import { getOrMake } from "../../maps.ts"

/**
 * Returns the words that name a code with its system, `http://loinc.org|8480-6`, by code and system. A code can contain bars, too: such a word is
 * found under each of its readings.
 */
export const codesWithSystem = (words: Iterable<string>): ReadonlyMap<string, ReadonlyMap<string, string>> => {
  const found = new Map<string, Map<string, string>>()
  for (const word of words) {
    for (let bar = word.indexOf("|"); bar >= 0; bar = word.indexOf("|", bar + 1)) {
      getOrMake(found, word.slice(bar + 1), () => new Map<string, string>()).set(word.slice(0, bar), word)
    }
  }
  return found
}
