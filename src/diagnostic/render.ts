import type { Collated } from "./collate.ts"
import { number, plural } from "./count.ts"
import type { Diagnostic, Label } from "./Diagnostic.ts"
import { helpOf } from "./helpOf.ts"
import { displayWidth, printable } from "./printable.ts"
import { problemOf } from "./Problem.ts"
import type { Span } from "./Span.ts"
import { plain, type Style } from "./Style.ts"

/** What rendering needs besides the message. */
export interface Rendering {
  readonly style: Style
  /** Returns the text of a mapping or settings file. If it is `undefined` (unavailable), the message is rendered without the line. */
  readonly textOf: (file: string) => string | undefined
  /** Shows source values, for a user at their own terminal. */
  readonly showValues: boolean
}

/** Without colour, source lines or values. */
export const bare: Rendering = { style: plain, textOf: () => undefined, showValues: false }

/**
 * Renders one kind of problem for people: what is wrong, and the line with a caret under the words in question. Then follow the facts, the
 * next step and the number of occurrences. The text does not end in a line feed.
 */
export const render = (collated: Collated, rendering: Rendering = bare): string => {
  const { first } = collated
  const { style } = rendering
  const places = placesOf(first)
  const digits = Math.max(0, ...places.map((place) => String(place.line).length))
  const margin = " ".repeat(digits + 1)
  const lines = [`${headline(first, style)}${style.title(`: ${printable(first.title)}`)}`]
  if (places.length === 0 && first.origin !== undefined) {
    lines.push(`  ${style.frame("┌─")} ${printable(first.origin.file)}:${first.origin.line}`)
    // The line itself can hold a patient's data, so words describe the position and the reason.
    if (first.label !== undefined) {
      lines.push(`  ${style.frame("│")}  ${printable(first.label)}`, `  ${style.frame("│")}`)
    }
  }
  places.forEach((place, index) => {
    lines.push(
      `${margin}${style.frame(index === 0 ? "┌─" : "├─")} ${printable(place.file)}:${place.line}:${place.column}`
    )
    const text = withoutSecret(lineOf(rendering.textOf(place.file), place.line), first, place)
    const bar = style.frame("│")
    lines.push(`${margin}${bar}`)
    if (text === undefined) {
      for (const mark of place.marks) if (mark.text !== "") lines.push(`${margin}${bar} ${printable(mark.text)}`)
    } else {
      lines.push(`${style.frame(String(place.line).padStart(digits))} ${bar} ${printable(withoutTabs(text))}`)
      for (const drawn of drawMarks(place.marks, text, style)) lines.push(`${margin}${bar} ${drawn}`)
    }
    lines.push(`${margin}${bar}`)
  })
  lines.push(...drawFacts(factsOf(collated, rendering), margin === " " ? "  " : margin, style))
  return lines.join("\n")
}

/** Renders several problems, separated by an empty line. */
export const renderAll = (all: Iterable<Collated>, rendering: Rendering = bare): string =>
  Array.from(all, (collated) => render(collated, rendering)).join("\n\n")

const headline = ({ code, severity }: Diagnostic, style: Style): string => {
  const word = problemOf(code).refusal === true ? "refused" : severity
  return (severity === "error" ? style.error : style.warning)(`${word}[${code}]`)
}

interface Mark {
  readonly span: Span
  readonly text: string
  readonly main: boolean
}

interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly marks: Array<Mark>
}

/** Returns the source locations of a message, the first one first; marks on one line are rendered together. */
const placesOf = (diagnostic: Diagnostic): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  const add = ({ span, text }: Label, main: boolean): void => {
    const known = places.find((place) => place.file === span.file && place.line === span.line)
    const mark = { span, text, main }
    if (known === undefined) places.push({ file: span.file, line: span.line, column: span.column, marks: [mark] })
    else known.marks.push(mark)
  }
  if (diagnostic.mapping !== undefined) add({ span: diagnostic.mapping, text: diagnostic.label ?? "" }, true)
  for (const label of diagnostic.labels ?? []) add(label, false)
  return places
}

const lineOf = (text: string | undefined, line: number): string | undefined => {
  if (text === undefined) return undefined
  let start = 0
  for (let skipped = 1; skipped < line; skipped++) {
    const end = text.indexOf("\n", start)
    if (end < 0) return undefined
    start = end + 1
  }
  const end = text.indexOf("\n", start)
  return text.slice(start, end < 0 ? text.length : end).replace(/\r$/, "")
}

/**
 * Returns a line that is safe to show: no password in an address, and no text after a key that looks like a secret. The text after an
 * unknown key is removed too, because the key can be a misspelt secret.
 */
const withoutSecret = (text: string | undefined, { code, mapping }: Diagnostic, place: Place): string | undefined => {
  const cut = text
    ?.replace(/((?:pass|pwd|secret)[\w-]*["']?\s*[:=]\s*)\S.*$/iu, "$1…")
    .replace(/\/\/[^\s/@"']*@/gu, "//…@")
  if (cut === undefined || code !== "unknown-key" || mapping?.line !== place.line || mapping.file !== place.file) {
    return cut
  }
  const end = mapping.endColumn - 1
  return /^["']?\s*:\s*\S/u.test(cut.slice(end)) ? `${cut.slice(0, end)}: …` : cut
}

const withoutTabs = (text: string): string => text.replaceAll("\t", "    ")

/** Returns the terminal column of a character, from 0. */
const columnOf = (line: string, character: number): number =>
  displayWidth(printable(withoutTabs(line.slice(0, character))))

/**
 * Renders the lines below a source line: carets for the location itself, dashes for further ones. The text of the rightmost mark follows
 * it; the texts of other marks are below them.
 */
const drawMarks = (marks: ReadonlyArray<Mark>, line: string, style: Style): ReadonlyArray<string> => {
  const drawn = marks
    .map((mark) => {
      const from = columnOf(line, mark.span.column - 1) + Math.max(0, mark.span.column - 1 - line.length)
      const to = columnOf(line, mark.span.endColumn - 1)
      return { from, width: Math.max(1, to - from), text: printable(mark.text), main: mark.main }
    })
    .toSorted((a, b) => a.from - b.from)
  const paintOf = ({ main }: { readonly main: boolean }) => (main ? style.error : style.further)
  let under = ""
  let at = 0
  for (const mark of drawn) {
    const from = Math.max(at, mark.from)
    const width = Math.max(1, mark.from + mark.width - from)
    under += " ".repeat(from - at) + paintOf(mark)((mark.main ? "^" : "-").repeat(width))
    at = from + width
  }
  const last = drawn.at(-1)!
  const lines = [last.text === "" ? under : `${under} ${paintOf(last)(last.text)}`]
  for (const mark of drawn.slice(0, -1).toReversed()) {
    if (mark.text !== "") lines.push(" ".repeat(mark.from) + paintOf(mark)(mark.text))
  }
  return lines
}

type Fact = readonly [name: string, lines: ReadonlyArray<string>]

const factsOf = ({ count, first, visits }: Collated, { showValues }: Rendering): ReadonlyArray<Fact> => {
  const facts: Array<Fact> = []
  const add = (name: string, ...lines: ReadonlyArray<string>): void => void facts.push([name, lines.map(printable)])
  const own = first.facts ?? []
  if (first.path !== undefined) {
    const type = first.source?.split("/")[0]
    add("path", type === undefined || type === "" ? first.path : `${first.path}    evaluated on ${type}`)
  }
  if (first.source !== undefined) {
    add(
      "source",
      first.origin === undefined ? first.source : `${first.source}    ${first.origin.file}:${first.origin.line}`
    )
  } else if (first.origin !== undefined && first.mapping !== undefined) {
    add("source", `${first.origin.reference}    ${first.origin.file}:${first.origin.line}`)
  }
  for (const [name, text] of own) if (name === "element") add(name, text)
  if (first.visit !== undefined) {
    add("visit", first.field === undefined ? first.visit : `${first.visit} › ${first.field}`)
  } else if (first.field !== undefined) add("field", first.field)
  for (const [name, text] of own) if (name !== "element") add(name, text)
  if (showValues && first.value !== undefined) add("value", JSON.stringify(first.value))
  if (showValues && first.said !== undefined) add("said", JSON.stringify(first.said))
  add("help", ...helpOf(first))
  const hidden = first.value !== undefined && !showValues
  if (count > 1) {
    const often = visits === 0 ? `${number(count)} times` : `${number(count)} times in ${plural(visits, "visit")}`
    add("seen", `${often}; this is the first.${hidden ? "  Values are hidden: --show-values" : ""}`)
  } else if (hidden) {
    add("seen", "once.  Values are hidden: --show-values")
  }
  add("more", `fhir2visit explain ${first.code}`)
  return facts
}

const drawFacts = (facts: ReadonlyArray<Fact>, margin: string, style: Style): ReadonlyArray<string> => {
  const width = Math.max(0, ...facts.map(([name]) => displayWidth(name)))
  const sign = style.frame("=")
  return facts.flatMap(([name, [line = "", ...more]]) => [
    `${margin}${sign} ${name}${" ".repeat(width - displayWidth(name))}  ${line}`,
    ...more.map((next) => `${margin}  ${" ".repeat(width)}  ${next}`)
  ])
}
