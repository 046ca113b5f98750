import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { findFault } from "../../json/findFault.ts"
import type { Syntax, SyntaxEntry } from "../language/MappingSyntax.ts"

const maxDepth = 200

/** Reads JSON text into a tree with source locations. `JSON.parse` decides what is valid; this code only locates the values. */
export const jsonSyntax = (file: string, text: string): Syntax | Diagnostic => {
  try {
    JSON.parse(text)
  } catch {
    const fault = findFault(text) ?? { line: 1, column: 1, reason: "the file is not JSON" }
    return {
      code: "invalid-value",
      severity: "error",
      title: `the file is not JSON: ${fault.reason}`,
      mapping: { file, line: fault.line, column: fault.column, endColumn: fault.column + 1 },
      ...(fault.help === undefined ? {} : { help: [fault.help] })
    }
  }
  const walker = new Walker(file, text)
  return walker.value(0) ?? {
    code: "invalid-value",
    severity: "error",
    title: `the file is nested deeper than ${maxDepth} levels`,
    mapping: { file, line: 1, column: 1, endColumn: 2 }
  }
}

/** Walks over JSON that is known to parse. */
class Walker {
  readonly #file: string
  readonly #text: string
  #at = 0
  #line = 1
  #lineStart = 0

  constructor(file: string, text: string) {
    this.#file = file
    this.#text = text
  }

  value(depth: number): Syntax | undefined {
    if (depth > maxDepth) return undefined
    this.#blanks()
    const span = this.#span(1)
    const first = this.#text[this.#at]
    if (first === "{") return this.#map(span, depth)
    if (first === "[") return this.#list(span, depth)
    const start = this.#at
    const value = this.#scalar()
    const quoted = typeof value === "string"
    const length = this.#at - start
    return {
      kind: "scalar",
      span: { ...span, endColumn: span.column + length },
      value,
      verbatim: quoted && value.length === length - 2,
      textColumn: span.column + (quoted ? 1 : 0)
    }
  }

  #map(span: Span, depth: number): Syntax | undefined {
    const entries = new Map<string, SyntaxEntry>()
    this.#at++
    for (this.#blanks(); this.#text[this.#at] !== "}"; this.#blanks()) {
      this.#skip(",")
      const key = this.#span(1)
      const start = this.#at
      const name = String(this.#scalar())
      const end = key.column + this.#at - start
      this.#blanks()
      this.#skip(":")
      const value = this.value(depth + 1)
      if (value === undefined) return undefined
      entries.set(name, { key: { ...key, endColumn: end }, value })
    }
    this.#at++
    return { kind: "map", span, entries }
  }

  #list(span: Span, depth: number): Syntax | undefined {
    const items: Array<Syntax> = []
    this.#at++
    for (this.#blanks(); this.#text[this.#at] !== "]"; this.#blanks()) {
      this.#skip(",")
      const value = this.value(depth + 1)
      if (value === undefined) return undefined
      items.push(value)
    }
    this.#at++
    return { kind: "list", span, items }
  }

  /** Reads a value that begins with neither `{` nor `[`. */
  #scalar(): string | number | boolean | null {
    const start = this.#at
    if (this.#text[start] === "\"") {
      for (this.#at++; this.#text[this.#at] !== "\""; this.#at++) if (this.#text[this.#at] === "\\") this.#at++
      this.#at++
    } else {
      while (this.#at < this.#text.length && !/[\s,\]}:]/u.test(this.#text.charAt(this.#at))) this.#at++
    }
    return JSON.parse(this.#text.slice(start, this.#at))
  }

  #skip(sign: string): void {
    if (this.#text[this.#at] !== sign) return
    this.#at++
    this.#blanks()
  }

  #blanks(): void {
    for (; this.#text.charCodeAt(this.#at) <= 32; this.#at++) {
      if (this.#text[this.#at] === "\n") {
        this.#line++
        this.#lineStart = this.#at + 1
      }
    }
  }

  #span(length: number): Span {
    const column = this.#at - this.#lineStart + 1
    return { file: this.#file, line: this.#line, column, endColumn: column + length }
  }
}
