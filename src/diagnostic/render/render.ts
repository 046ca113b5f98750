import type { Collated } from "../collate.ts"
import { number, plural } from "../count.ts"
import type { Diagnostic } from "../Diagnostic.ts"
import { originText, typeAt } from "../Origin.ts"
import { problemOf } from "../Problem.ts"
import { shownFile, type Span } from "../Span.ts"
import { helpOf } from "./helpOf.ts"
import { displayWidth, printable } from "./printable.ts"
import { plain, type Style } from "./Style.ts"
import { wrap } from "./wrap.ts"

/** What rendering needs besides the message. */
export interface RenderOptions {
  readonly style: Style
  /** Returns the text of a mapping or settings file. If it is `undefined` (unavailable), the message is rendered without the line. */
  readonly textOf: (file: string) => string | undefined
  /** Shows source values, for a user at their own terminal. */
  readonly showValues: boolean
  /** The columns of the terminal. If it is `undefined` (a file or a pipe), lines have any length. */
  readonly width?: number
}

/** Without colour, source lines or values. */
export const bare: RenderOptions = { style: plain, textOf: () => undefined, showValues: false }

/**
 * Renders one kind of problem for people: what is wrong, and the line with a caret under the words in question. Then follow the facts, the
 * next step and the number of occurrences. The text does not end in a line feed.
 */
export const render = (collated: Collated, options: RenderOptions = bare): string => {
  const { first } = collated
  const { style, width = Infinity } = options
  const places = placesOf(first)
  const digits = Math.max(0, ...places.map((place) => String(place.line).length))
  const margin = " ".repeat(digits + 1)
  const lines = [...headline(first, style, width)]
  if (places.length === 0 && first.origin !== undefined) {
    lines.push(`  ${style.frame("┌─")} ${printable(first.origin.file)}:${first.origin.line}`)
    // The line itself can hold a patient's data, so words describe the position and the reason.
    if (first.label !== undefined) {
      const label = wrap(printable(first.label), width - 5, "")
      lines.push(...label.map((line) => `  ${style.frame("│")}  ${line}`), `  ${style.frame("│")}`)
    }
  }
  places.forEach((place, index) => {
    lines.push(
      `${margin}${style.frame(index === 0 ? "┌─" : "├─")} ${
        printable(shownFile(place.file))
      }:${place.line}:${place.column}`
    )
    const text = withoutSecret(lineOf(options.textOf(place.file), place.line), first, place)
    if (text === undefined && place.marks.every((mark) => mark.text === "")) return
    const bar = style.frame("│")
    lines.push(`${margin}${bar}`)
    if (text === undefined) {
      for (const mark of place.marks) {
        if (mark.text === "") continue
        lines.push(...wrap(printable(mark.text), width - digits - 3, "").map((line) => `${margin}${bar} ${line}`))
      }
    } else {
      const shown = cutLine(text, place.marks, width - digits - 3)
      lines.push(`${style.frame(String(place.line).padStart(digits))} ${bar} ${printable(withoutTabs(shown.text))}`)
      for (const drawn of drawMarks(shown.marks, shown.text, style, width - digits - 3)) {
        lines.push(`${margin}${bar} ${drawn}`)
      }
    }
    lines.push(`${margin}${bar}`)
  })
  lines.push(...drawFacts(factsOf(collated, options), margin === " " ? "  " : margin, style, width))
  return lines.join("\n")
}

const headline = ({ code, severity, title }: Diagnostic, style: Style, width: number): ReadonlyArray<string> => {
  const word = `${problemOf(code).refusal === true ? "refused" : severity}[${code}]`
  const [line = "", ...more] = wrap(`${word}: ${printable(title)}`, width, "  ")
  return [
    `${(severity === "error" ? style.error : style.warning)(word)}${style.title(line.slice(word.length))}`,
    ...more.map(style.title)
  ]
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
  const add = (mark: Mark): void => {
    const { span } = mark
    const known = places.find((place) => place.file === span.file && place.line === span.line)
    if (known === undefined) places.push({ file: span.file, line: span.line, column: span.column, marks: [mark] })
    else known.marks.push(mark)
  }
  if (diagnostic.mapping !== undefined) add({ span: diagnostic.mapping, text: diagnostic.label ?? "", main: true })
  for (const label of diagnostic.labels ?? []) add({ ...label, main: false })
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
 * Returns a line that is safe to show. It has no password and no query in an address, and no text after a key that looks like a secret. The text after an
 * unknown key is removed too, because the key can be a misspelt secret.
 */
const withoutSecret = (text: string | undefined, { code, mapping }: Diagnostic, place: Place): string | undefined => {
  const cut = text
    ?.replace(/((?:pass|pwd|secret)[\w-]*["']?\s*[:=]\s*)\S.*$/iu, "$1…")
    .replace(/\/\/[^\s/@"']*@/gu, "//…@")
    .replace(/(\/\/[^\s?"']*\?)[^\s"']+/gu, "$1…")
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

/** Cuts a source line to the given number of columns, around its first mark. `…` takes the place of one character. */
const cutLine = (
  line: string,
  marks: ReadonlyArray<Mark>,
  room: number
): { readonly text: string; readonly marks: ReadonlyArray<Mark> } => {
  const width = (text: string) => displayWidth(printable(withoutTabs(text)))
  if (width(line) <= room) return { text: line, marks }
  const first = Math.min(...marks.map(({ span }) => span.column - 1))
  const from = first < room / 2 ? 0 : first - Math.floor(room / 4)
  const before = from === 0 ? line : `…${line.slice(from + 1)}`
  let end = Math.min(before.length, room)
  while (end > 1 && width(before.slice(0, end)) > room) end--
  const text = end === before.length ? before : `${before.slice(0, end - 1)}…`
  const within = (column: number) => Math.max(1, Math.min(column - from, text.length + 1))
  return {
    text,
    marks: marks.map((mark) => ({
      ...mark,
      span: { ...mark.span, column: within(mark.span.column), endColumn: within(mark.span.endColumn) }
    }))
  }
}

/**
 * Renders the lines below a source line: carets for the location itself, dashes for further ones. The text of the rightmost mark follows
 * it if there is room; the texts of other marks are below them.
 */
const drawMarks = (
  marks: ReadonlyArray<Mark>,
  line: string,
  style: Style,
  room: number
): ReadonlyArray<string> => {
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
  const last = drawn.at(-1)
  if (last === undefined) return []
  const isBeside = last.text !== "" && at + 1 + displayWidth(last.text) <= room
  const lines = [isBeside ? `${under} ${paintOf(last)(last.text)}` : under]
  for (const mark of (isBeside ? drawn.slice(0, -1) : drawn).toReversed()) {
    if (mark.text === "") continue
    const indent = " ".repeat(Math.max(0, Math.min(mark.from, room - displayWidth(mark.text))))
    for (const part of wrap(mark.text, room, "")) lines.push(indent + paintOf(mark)(part))
  }
  return lines
}

type Fact = readonly [name: string, lines: ReadonlyArray<string>]

const factsOf = ({ count, first, visits }: Collated, { showValues }: RenderOptions): ReadonlyArray<Fact> => {
  const facts: Array<Fact> = []
  const add = (name: string, ...lines: ReadonlyArray<string>): void => void facts.push([name, lines.map(printable)])
  const own = first.facts ?? []
  if (first.path !== undefined) {
    const type = first.origin === undefined ? first.source?.split("/")[0] : typeAt(first.origin)
    const path = shortPath(first.path)
    add("path", type === undefined || type === "" ? path : `${path}    evaluated on ${type}`)
  }
  const { origin, source } = first
  if (source !== undefined || (origin !== undefined && first.mapping !== undefined)) {
    // A row without a key, and a file as a whole, have no name.
    const parts = [source ?? origin?.reference ?? "", origin === undefined ? "" : originText(origin)]
    add("source", parts.filter((part) => part !== "").join("    "))
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

/** Maximum characters of a path in a message. Reports, and messages for programs, have all of it. */
const maxPath = 240

/** Returns a path, without alternatives that would make it too long: the mapping line has them. */
const shortPath = (path: string): string => {
  if (path.length <= maxPath) return path
  const [first = "", ...others] = path.split(", otherwise ")
  const shown = first.length <= maxPath ? first : `${first.slice(0, maxPath - 1)}…`
  return others.length === 0 ? shown : `${shown}, otherwise ${plural(others.length, "other path")}`
}

const drawFacts = (
  facts: ReadonlyArray<Fact>,
  margin: string,
  style: Style,
  width: number
): ReadonlyArray<string> => {
  const names = Math.max(0, ...facts.map(([name]) => displayWidth(name)))
  const sign = style.frame("=")
  return facts.flatMap(([name, lines]) => {
    const [line = "", ...more] = lines.flatMap((text) => wrap(text, width - margin.length - names - 4, ""))
    return [
      `${margin}${sign} ${name}${" ".repeat(names - displayWidth(name))}  ${line}`,
      ...more.map((next) => `${margin}  ${" ".repeat(names)}  ${next}`)
    ]
  })
}
