/** The smallest parts of a regular expression: a character, a class, an escape, the begin of a group, or a quantifier. */
const piece =
  /\\(?:u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[pP]\{[^}]*\}|k<\w+>|c[A-Za-z]|[^])|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/uy

/** Returns the piece of a pattern that begins at an offset; `undefined` at its end. */
export const pieceAt = (pattern: string, at: number): string | undefined => {
  piece.lastIndex = at
  return piece.exec(pattern)?.[0]
}

/** How often a quantifier repeats. */
interface Quantifier {
  readonly least: number
  readonly most: number
}

const signs: Readonly<Record<string, Quantifier>> = {
  "*": { least: 0, most: Infinity },
  "+": { least: 1, most: Infinity },
  "?": { least: 0, most: 1 }
}

/** Reads a piece as a quantifier; `undefined` if it is not one. */
export const quantifierOf = (piece = ""): Quantifier | undefined => {
  const [found, sign = "", least = "0", comma, most = ""] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/u.exec(piece) ?? []
  if (found === undefined) return undefined
  return signs[sign] ?? {
    least: Number(least),
    most: comma === "" ? Number(least) : most === "" ? Infinity : Number(most)
  }
}

/** Whether a piece consumes no text. */
export const isAnchor = (piece: string): boolean => /^(?:[$^]|\\[bB])$/u.test(piece)

/** Whether a piece matches the text of a group again. */
export const isBackreference = (piece: string): boolean => /^\\(?:[1-9]|k<)/u.test(piece)
