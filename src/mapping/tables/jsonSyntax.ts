import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { findFault } from "../../json/findFault.ts"
import { type LocatedValue, locateValues } from "../../json/locateValues.ts"
import type { Syntax } from "../language/MappingSyntax.ts"

const maxDepth = 200

/**
 * Reads JSON text into a tree with source locations. JSON is YAML too, but the YAML library needs nine times the time. A ConceptMap of
 * 60,000 codes takes five seconds and 1 GB of memory.
 */
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
  const value = locateValues(text, maxDepth)
  return value === undefined
    ? {
      code: "invalid-value",
      severity: "error",
      title: `the file is nested deeper than ${maxDepth} levels`,
      mapping: { file, line: 1, column: 1, endColumn: 2 }
    }
    : syntaxOf(value, spansIn(file, text))
}

/** Returns a function that gives the spans of offsets, which must increase. */
const spansIn = (file: string, text: string): (start: number, length: number) => Span => {
  let line = 1
  let lineStart = 0
  let feed = text.indexOf("\n")
  return (start, length) => {
    for (; feed !== -1 && feed < start; feed = text.indexOf("\n", lineStart)) {
      line++
      lineStart = feed + 1
    }
    const column = start - lineStart + 1
    return { file, line, column, endColumn: column + length }
  }
}

const syntaxOf = (located: LocatedValue, spanOf: ReturnType<typeof spansIn>): Syntax => {
  const { end, start } = located
  switch (located.kind) {
    case "object": {
      const span = spanOf(start, 1)
      // If a name is repeated, the last one counts, as in parsing.
      const entries = new Map(located.members.map(({ key, name, value }) => [
        name,
        { key: spanOf(key.start, key.end - key.start), value: syntaxOf(value, spanOf) }
      ]))
      return { kind: "map", span, entries }
    }
    case "array":
      return { kind: "list", span: spanOf(start, 1), items: located.items.map((item) => syntaxOf(item, spanOf)) }
    case "scalar": {
      const { value } = located
      const span = spanOf(start, end - start)
      const isText = typeof value === "string"
      return {
        kind: "scalar",
        span,
        value,
        verbatim: isText && value.length === end - start - 2,
        textColumn: span.column + (isText ? 1 : 0)
      }
    }
  }
}
