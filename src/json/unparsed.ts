import { scanValue } from "./scanJson.ts"

/**
 * Questions about text that is not parsed: because that takes time, because the text is damaged, or because it may not be JSON. A name that
 * is written with escapes is not recognised; `hasEscapedLetters` shows whether there can be one.
 */

/** Returns whether a byte begins an object. */
export const opensObject = (byte: number | undefined): boolean => byte === 0x7b

/** Returns whether a byte begins an object or array. */
export const opensValue = (byte: number | undefined): boolean => byte === 0x7b || byte === 0x5b

/** Returns whether a byte can end an object. */
export const closesObject = (byte: number | undefined): boolean => byte === 0x7d

export const beginsAsObject = (text: string): boolean => /^\s*\{/u.test(text)

/** Returns whether a text begins as an object, or as an array of objects. A cell of CSV can begin with a bracket. */
export const beginsAsObjects = (text: string): boolean => /^\s*(?:\{|\[\s*[{\]])/u.test(text)

/** Returns whether a text begins as an object, an array, or a comment, which JSON does not allow but people write. */
export const beginsAsValueOrComment = (text: string): boolean => /^\s*(?:[{[]|\/\/|\/\*)/u.test(text)

/** Returns the pattern of a member with one of these names, up to its colon. */
export const memberPattern = (...names: ReadonlyArray<string>): string => String.raw`"(?:${names.join("|")})"\s*:`

/** Returns the pattern of an object whose first member has one of these names, up to the colon. */
export const objectPattern = (...names: ReadonlyArray<string>): string => String.raw`\{\s*` + memberPattern(...names)

/** Returns the pattern of a bracket that opens an object or array. */
export const openPattern = "[{[]"

/** Returns the expression for an object that begins with these members: texts of the given patterns, which are its groups. */
export const beginsWithTexts = (members: ReadonlyArray<readonly [name: string, pattern: string]>): RegExp =>
  // Without the flag `u`: this reads the first bytes of each line of an input.
  new RegExp(
    String.raw`^\{\s*` +
      members.map(([name, text]) => String.raw`"${name}"\s*:\s*"(${text})"\s*,`).join(String.raw`\s*`)
  )

/** Returns the texts of the members with a name, except those that are written with escapes. */
export const memberTexts = (text: string, name: string): ReadonlyArray<string> =>
  Array.from(
    text.matchAll(new RegExp(memberPattern(name) + String.raw`\s*"([^"\\]*)"`, "gu")),
    ([, value = ""]) => value
  )

/** Returns the bytes of a name as text writes it. */
export const nameBytes = (name: string): Buffer => Buffer.from(`"${name}"`)

/** Returns the objects and arrays that are members with a name, anywhere in a valid text; `undefined` if one cannot be parsed. */
export const membersIn = (bytes: Buffer, name: Buffer): ReadonlyArray<unknown> | undefined => {
  const found: Array<unknown> = []
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) {
    let start = at + name.length
    while (isBlankOrColon(bytes[start])) start++
    if (!opensValue(bytes[start])) continue
    try {
      found.push(JSON.parse(bytes.toString("utf8", start, scanValue(bytes, start, bytes.length).end)))
    } catch {
      return undefined
    }
  }
  return found
}

const isBlankOrColon = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x3a || byte === 0x09 || byte === 0x0d || byte === 0x0a

/** JSON allows an ASCII letter as an escape, so a search for a name does not find it. No known exporter writes one. */
export const escapeOfAscii = Buffer.from("\\u00")

/** Returns whether an ASCII letter is written as an escape, which can be in a name too. */
export const hasEscapedLetters = (bytes: Buffer): boolean => {
  for (let at = bytes.indexOf(escapeOfAscii); at !== -1; at = bytes.indexOf(escapeOfAscii, at + 1)) {
    const digit = bytes[at + escapeOfAscii.length] ?? 0
    if (digit >= 0x34 && digit <= 0x37) return true
  }
  return false
}
