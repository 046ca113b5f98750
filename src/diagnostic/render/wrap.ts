import { displayWidth } from "./printable.ts"

/**
 * Cuts a line into lines of at most `width` columns: at a wide gap if there is one late enough, otherwise at a blank. Words stay whole.
 * The lines after the first begin with `hang`.
 */
export const wrap = (line: string, width: number, hang: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let rest = line
  while (displayWidth(rest) > width) {
    const at = breakOf(rest, width)
    if (at === undefined) break
    lines.push(rest.slice(0, at).trimEnd())
    rest = hang + rest.slice(at).trimStart()
  }
  return [...lines, rest]
}

/** Returns the blanks at the beginning of a line. */
export const indentOf = (line: string): string => line.slice(0, line.search(/[^ ]|$/u))

const breakOf = (line: string, width: number): number | undefined => {
  const margin = indentOf(line).length
  let last = Math.min(width, line.length)
  while (displayWidth(line.slice(0, last)) > width) last--
  const gap = [...line.matchAll(/ {3,}/gu)].findLast(({ index }) => index <= last)?.index ?? 0
  const blank = gap > Math.max(margin, width / 3) ? gap : line.lastIndexOf(" ", last)
  const at = blank > margin ? blank : line.indexOf(" ", Math.max(last, margin))
  return at < 0 || line.slice(at).trim() === "" ? undefined : at
}
