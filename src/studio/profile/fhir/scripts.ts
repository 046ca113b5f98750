/** Scripts that names and texts are written in; what is left has no letters. */
const scripts: ReadonlyArray<readonly [name: string, letters: RegExp]> = (
  "Latin Khmer Thai Lao Myanmar Sinhala Tamil Devanagari Bengali Telugu Kannada Malayalam Gujarati Gurmukhi "
  + "Arabic Hebrew Cyrillic Greek Ethiopic Armenian Georgian Tibetan Mongolian Han Hiragana Katakana Hangul"
).split(" ").map((name) => [name, new RegExp(`\\p{Script=${name}}`, "u")])

const onlyAscii = /^[ -~\s]*$/u

/** The scripts of a text. */
export const scriptsOf = (text: string): ReadonlyArray<string> => {
  if (onlyAscii.test(text)) return /[A-Za-z]/u.test(text) ? ["Latin"] : []
  const found = scripts.filter(([, letters]) => letters.test(text)).map(([name]) => name)
  return found.length === 0 && /\p{L}/u.test(text) ? ["another script"] : found
}

/** Signs that are not seen and spoil comparisons: zero-width spaces, marks of direction, byte order marks. */
export const hasUnseenSigns = (text: string): boolean => !onlyAscii.test(text) && unseen.test(text)

const unseen = /[\u200B\u200E\u200F\u202A-\u202E\u2060\uFEFF]/u
