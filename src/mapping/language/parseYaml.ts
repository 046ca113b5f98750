import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml"
import type { Document, Node, ParsedNode, Scalar } from "yaml"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { quoted } from "./checkNumbers.ts"
import type { Syntax, SyntaxEntry, SyntaxScalar } from "./MappingSyntax.ts"
import { asData, withScalars } from "./MappingSyntax.ts"
import { spansWithin } from "./spansWithin.ts"
import { firstLine, pastedBlank, yamlFaults } from "./yamlFaults.ts"

/** Maximum length of a YAML file in characters; large code tables belong in CSV. */
const maxLength = 2 * 1024 * 1024
const maxDepth = 40
/** A NUL appears if bytes of another encoding are read as UTF-8. */
const nul = "\0"
const replaced = "\ufffd"

/** The result of reading a YAML text. */
interface ParsedYaml {
  readonly syntax?: Syntax
  readonly problems: ReadonlyArray<Diagnostic>
}

/** The files that were parsed last. Cases and the workbench load a mapping again and again, and its base stays the same. */
const parsed = new Map<string, ParsedYaml>()
const maxParsed = 32

const nameOf = (file: string, text: string): string => `${file}\n${text}`

/** Returns the syntax of a file that was parsed without a problem, for another process. */
export const parsedData = (file: string, text: string): Syntax | undefined => {
  const { problems = [], syntax } = parsed.get(nameOf(file, text)) ?? {}
  return syntax === undefined || problems.length > 0 ? undefined : asData(syntax)
}

/** Takes the syntax of a file that an earlier process has parsed. */
export const addParsed = (file: string, text: string, data: Syntax): void => {
  if (!parsed.has(nameOf(file, text))) {
    parsed.set(nameOf(file, text), { syntax: withParts(file, text, data), problems: [] })
  }
}

/** Adds the source locations of parts of texts. Only errors need them, so the file is parsed for the first of them. */
const withParts = (file: string, text: string, data: Syntax): Syntax => {
  const place = ({ span: { column, line } }: SyntaxScalar): string => `${line}:${column}`
  const parts = lazily(() => {
    const all = new Map<string, SyntaxScalar["spanAt"]>()
    const { syntax } = parse(file, text)
    if (syntax !== undefined) {
      withScalars(syntax, (scalar) => {
        all.set(place(scalar), scalar.spanAt)
        return scalar
      })
    }
    return (scalar: SyntaxScalar) => all.get(place(scalar))
  })
  return withScalars(data, (scalar) =>
    scalar.verbatim || typeof scalar.value !== "string"
      ? scalar
      : { ...scalar, spanAt: (offset, length) => parts(scalar)?.(offset, length) ?? scalar.span })
}

/**
 * Reads YAML text into a tree with source locations. Every error is reported, not only the first. Rejects several documents, tags,
 * duplicate keys, keys that are not text, nesting beyond 40, and aliases (an alias hides where a value was written).
 */
export const parseYaml = (file: string, text: string): ParsedYaml => {
  const name = nameOf(file, text)
  const result = parsed.get(name) ?? parse(file, text)
  parsed.delete(name)
  parsed.set(name, result)
  const [oldest] = parsed.keys()
  if (oldest !== undefined && parsed.size > maxParsed) parsed.delete(oldest)
  return result
}

const parse = (file: string, text: string): ParsedYaml => {
  const problems: Array<Diagnostic> = []
  const complain = (span: Span, title: string, help: string) =>
    problems.push({ code: "invalid-yaml", severity: "error", title, mapping: span, help: [help] })
  const start: Span = { file, line: 1, column: 1, endColumn: 2 }
  if (text.length > maxLength) {
    complain(start, "the file is larger than 2 MB", "keep large code tables in CSV files")
    return { problems }
  }
  const foreign = Math.min(...[nul, replaced].map((sign) => text.indexOf(sign)).filter((at) => at >= 0))
  if (Number.isFinite(foreign)) {
    const before = text.slice(0, foreign)
    const column = foreign - before.lastIndexOf("\n")
    complain(
      { file, line: before.split("\n").length, column, endColumn: column + 1 },
      text.includes(nul) ? "this file is not UTF-8; it looks like UTF-16" : "this file is not UTF-8",
      "save it as UTF-8: editors offer it under \"Encoding\" when a file is saved"
    )
    return { problems }
  }
  const counter = new LineCounter()
  // The library's own check for duplicate keys is quadratic; the check is made below, during conversion of the tree.
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: false, schema: "core", prettyErrors: false })
  const spanOf = (from: number, to: number): Span => {
    const begin = counter.linePos(from)
    const end = counter.linePos(to)
    const lineEnd = text.indexOf("\n", from)
    const endColumn = end.line === begin.line
      ? end.col
      : begin.col + Math.max(1, (lineEnd < 0 ? text.length : lineEnd) - from)
    return { file, line: begin.line, column: begin.col, endColumn: Math.max(endColumn, begin.col + 1) }
  }
  for (const { from, help, title, to } of yamlFaults(document.errors, text, () => openQuote(document, text))) {
    complain(spanOf(from, to), title, help)
  }
  for (const warning of document.warnings) {
    // A `*` that is no alias is an error too.
    if (warning.code === "BAD_ALIAS") continue
    complain(
      spanOf(warning.pos[0], warning.pos[1]),
      firstLine(warning.message),
      "tags and directives are not used in mappings"
    )
  }
  // Report only the first: its help applies to all.
  let isReported = false
  const reportShared = (span: Span): void => {
    if (isReported) return
    isReported = true
    complain(
      span,
      "anchors and aliases are not used here",
      "write the value out wherever it is used; in a mapping a section can be like another:  sameAs: SECTION"
    )
  }
  const convert = (node: ParsedNode, depth: number): Syntax | undefined => {
    const [from, to] = node.range
    const span = spanOf(from, to)
    if (depth > maxDepth) {
      complain(span, `nested deeper than ${maxDepth} levels`, "a mapping is never that deep")
      return undefined
    }
    if (isAlias(node)) {
      reportShared(span)
      return undefined
    }
    if ("anchor" in node && node.anchor !== undefined) reportShared(span)
    if (isScalar(node)) {
      const value = node.value
      const quoted = node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE"
      const textColumn = span.column + (quoted ? 1 : 0)
      const offset = from + (quoted ? 1 : 0)
      if (typeof value === "string") {
        const verbatim = text.startsWith(value, offset) && !value.includes("\n")
        const comment = node.type === "PLAIN" ? /^[ \t]+(#\S*)/u.exec(text.slice(to, to + 80))?.[1] : undefined
        const scalar = {
          kind: "scalar",
          span,
          value,
          verbatim,
          textColumn,
          ...(comment === undefined ? {} : { comment })
        } as const
        return verbatim
          ? scalar
          : { ...scalar, spanAt: lazily(() => spansWithin(value, text, from, node.type, spanOf)) }
      }
      if (typeof value === "number" || typeof value === "boolean" || value === null || value === undefined) {
        const unwritten = isUnwritten(node) ? { unwritten: "nothing" } as const : {}
        const scalar = {
          kind: "scalar",
          span,
          value: value ?? null,
          verbatim: false,
          textColumn,
          ...unwritten
        } as const
        const { source } = node
        return typeof value === "number" && isOther(value, source) ? { ...scalar, written: source } : scalar
      }
      complain(span, "this value cannot be used in a mapping", "write text, a number, true, false or null")
      return undefined
    }
    if (isSeq(node)) {
      const items: Array<Syntax> = []
      for (const item of node.items) {
        const converted = convert(item, depth + 1)
        if (converted !== undefined) items.push(converted)
      }
      return { kind: "list", span, items }
    }
    if (isMap(node)) {
      const entries = new Map<string, SyntaxEntry>()
      for (const pair of node.items) {
        const { key } = pair
        const keySpan = spanOf(key.range[0], key.range[1])
        const name = isScalar(key) ? wordOf(key) : undefined
        if (name === undefined) {
          complain(keySpan, "a key must be a word", "write the key as text")
          continue
        }
        if (isScalar(key) && key.type === "PLAIN" && /^[\u00a0\u2000-\u200b\u202f\u3000\ufeff]/u.test(name)) {
          complain(spanOf(key.range[0], key.range[0] + 1), pastedBlank.title, pastedBlank.help)
          continue
        }
        if (isScalar(key) && typeof key.value === "number" && isOther(key.value, key.source)) {
          complain(keySpan, `without quotes this key is the number \`${name}\``, quoted(key.source))
          continue
        }
        if (entries.has(name)) {
          complain(keySpan, `the key \`${name}\` is written twice`, "keep one of the two")
          continue
        }
        const value = pair.value === null || isUnwritten(pair.value)
          ? {
            kind: "scalar",
            span: keySpan,
            value: null,
            verbatim: false,
            textColumn: keySpan.column,
            unwritten: /^\s*:[ \t]*#\S/u.test(text.slice(key.range[1])) ? "comment" : "nothing"
          } as const
          : convert(pair.value, depth + 1)
        if (value !== undefined) entries.set(name, { key: keySpan, value })
      }
      return { kind: "map", span, entries }
    }
    return undefined
  }
  if (document.errors.length > 0) return { problems }
  if (document.contents === null) {
    complain(start, "the file is empty", "write at least `mapping: NAME`")
    return { problems }
  }
  const syntax = convert(document.contents, 0)
  return syntax === undefined || problems.length > 0 ? { problems } : { syntax, problems }
}

/** Returns whether there is no text where a value is possible. */
const isUnwritten = (node: Node): boolean => isScalar(node) && node.value === null && (node.source ?? "") === ""

/** Returns a key as text; `null:` is the text `null`, an empty key is not text. */
const wordOf = ({ source, value }: Scalar): string | undefined =>
  value === null ? (source === "null" ? source : undefined) : typeof value === "object" ? undefined : String(value)

/** Returns whether a number's value is written with different digits. */
const isOther = (value: number, source: string | undefined): source is string =>
  source !== undefined && source !== String(value)

/** Delays the computation: most scalars have no error and never need it. */
const lazily = <A extends ReadonlyArray<unknown>, B>(make: () => (...args: A) => B): (...args: A) => B => {
  let made: ((...args: A) => B) | undefined
  return (...args) => (made ??= make())(...args)
}

/** Returns the offset of the unclosed quote: the first that runs past its line, as quoted texts rarely do; if none does, the last. */
const openQuote = (document: Document, text: string): number | undefined => {
  const quotes: Array<{ readonly from: number; readonly isLong: boolean }> = []
  visit(document, {
    Scalar: (_, { range, type }) => {
      if (!range || (type !== "QUOTE_DOUBLE" && type !== "QUOTE_SINGLE")) return
      quotes.push({ from: range[0], isLong: text.slice(range[0], range[1]).includes("\n") })
    }
  })
  return (quotes.find(({ isLong }) => isLong) ?? quotes.at(-1))?.from
}
