import type { Span } from "../../diagnostic/Span.ts"

/**
 * Locates parts of a scalar's value in its YAML source, where the two differ: folded lines, indentation, `''`, `\"`. Characters have
 * the same order on both sides; the number of spaces can differ. `from` is the offset where the scalar begins.
 */
export const spansWithin = (
  value: string,
  yaml: string,
  from: number,
  style: string | null | undefined,
  spanOf: (from: number, to: number) => Span
): (offset: number, length: number) => Span => {
  const signs = alignSigns(value, yaml, from, style)
  return (offset, length) => {
    const last = signs.length - 1
    const start = signs[offset]?.from ?? signs[last]?.to ?? from
    const end = signs[Math.min(offset + Math.max(1, length) - 1, last)]?.to ?? from
    return spanOf(start, Math.max(end, start + 1))
  }
}

/** The offsets of a character, with its escape. */
interface WrittenSign {
  readonly from: number
  readonly to: number
}

/** Returns where each character of the value is written. */
const alignSigns = (
  value: string,
  yaml: string,
  from: number,
  style: string | null | undefined
): ReadonlyArray<WrittenSign> => {
  const block = style === "BLOCK_FOLDED" || style === "BLOCK_LITERAL"
  const quoted = style === "QUOTE_SINGLE" || style === "QUOTE_DOUBLE"
  // A block begins below the line of its `|` or `>`.
  let at = block ? yaml.indexOf("\n", from) + 1 : from + (quoted ? 1 : 0)
  const signs: Array<WrittenSign> = []
  for (const sign of value.split("")) {
    if (isBlank(sign) && isBlank(yaml[at])) {
      signs.push({ from: at, to: at + 1 })
      at++
      continue
    }
    if (!isBlank(sign)) at = afterBlanks(yaml, at, style)
    // A space made from several by folding, or one that ends the last line.
    const length = isBlank(sign) && yaml[at] !== "\\" ? 0 : written(yaml, at, style)
    signs.push({ from: at, to: at + length })
    at += length
  }
  return signs
}

/** Skips whitespace. A line of a double-quoted text can end in a backslash, which joins it to the next. */
const afterBlanks = (yaml: string, from: number, style: string | null | undefined): number => {
  const blanks = style === "QUOTE_DOUBLE" ? /(?:[ \t\r\n]|\\\r?\n)*/uy : /[ \t\r\n]*/uy
  blanks.lastIndex = from
  return from + (blanks.exec(yaml)?.[0].length ?? 0)
}

const isBlank = (sign: string | undefined): boolean => sign === " " || sign === "\n" || sign === "\r" || sign === "\t"

/** Returns the length of a character with its escape. */
const written = (yaml: string, at: number, style: string | null | undefined): number => {
  if (style === "QUOTE_SINGLE" && yaml.startsWith("''", at)) return 2
  if (style !== "QUOTE_DOUBLE" || yaml[at] !== "\\") return 1
  return { x: 4, u: 6, U: 10 }[yaml[at + 1] ?? ""] ?? 2
}
