/**
 * Returns text that is safe for a terminal or a log: one line, no control characters, no marks that change the writing direction. They
 * appear as `\x1b` and `\u202e`, so that a file name or a code cannot overwrite the message.
 */
export const printable = (text: string): string =>
  unprintable.test(text) ? text.replace(allUnprintable, escapeCharacter) : text

const unprintable = /[\p{Cc}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/u
const allUnprintable = new RegExp(unprintable.source, "gu")

const escapeCharacter = (character: string): string => {
  if (character === "\n") return "\\n"
  if (character === "\r") return "\\r"
  if (character === "\t") return "\\t"
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u${code.padStart(4, "0")}`
}

/** Returns the number of terminal columns of a text: two for wide characters, none for combining marks. */
export const displayWidth = (text: string): number => {
  if (narrow.test(text)) return text.length
  let width = 0
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" })
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

/** Latin letters, and the signs of messages, tables and sentences: each is one column, whatever follows. */
const narrow = /^[\x20-\x7E\xA0-\xAC\xAE-\u02FF\u2010-\u2027\u2030-\u205E\u2190-\u21FF\u2500-\u257F]*$/

/** Created on first use, because it takes milliseconds. */
let graphemes: Intl.Segmenter | undefined

const graphemeWidth = (grapheme: string): number => {
  if (/^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u.test(grapheme)) return 0
  if (/\p{Emoji_Presentation}|\uFE0F/u.test(grapheme)) return 2
  return wide.test(grapheme) ? 2 : 1
}

/** East Asian Wide and Fullwidth (Unicode Annex 11), by block. */
const wide =
  /^[\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]/u
