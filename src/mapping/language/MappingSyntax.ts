import type { Span } from "../../diagnostic/Span.ts"

/**
 * A mapping as written: YAML with a source location on every node. Overlays are merged on this tree, so that after the merge each node
 * still has the file and line it came from.
 */
export type Syntax = SyntaxMap | SyntaxList | SyntaxScalar

export interface SyntaxMap {
  readonly kind: "map"
  readonly span: Span
  readonly entries: ReadonlyMap<string, SyntaxEntry>
}

export interface SyntaxEntry {
  readonly key: Span
  readonly value: Syntax
}

interface SyntaxList {
  readonly kind: "list"
  readonly span: Span
  readonly items: ReadonlyArray<Syntax>
}

/** Returns the items of a list, or the values of a map. */
export const itemsOf = (syntax: SyntaxMap | SyntaxList): ReadonlyArray<Syntax> =>
  syntax.kind === "list" ? syntax.items : [...syntax.entries.values()].map(({ value }) => value)

export interface SyntaxScalar {
  readonly kind: "scalar"
  readonly span: Span
  readonly value: string | number | boolean | null
  /** A number as written, if its digits differ from the value: `007`, `1.50`. */
  readonly written?: string
  /** Set if there is no value, not even `null`; `comment`: the key is followed directly by a comment. */
  readonly unwritten?: "nothing" | "comment"
  /** The first word of the comment of YAML, which ` #` begins, that follows the text on its line. */
  readonly comment?: string
  /** True if the file holds the text unchanged, so that an offset in the value is an offset in the line. */
  readonly verbatim: boolean
  /** Column of the first character of the value (after an opening quote). */
  readonly textColumn: number
  /** Returns the source location of a part of a text that is written over several lines or with escapes. */
  readonly spanAt?: (offset: number, length: number) => Span
}

/** Returns the tree as data for another thread, without the source locations of parts of texts. */
export function asData(syntax: SyntaxScalar): SyntaxScalar
export function asData(syntax: Syntax): Syntax
export function asData(syntax: Syntax): Syntax {
  return withScalars(syntax, (scalar) => {
    const { spanAt: _, ...data } = scalar
    return data
  })
}

/** Returns the tree with other scalars. */
export const withScalars = (syntax: Syntax, change: (scalar: SyntaxScalar) => SyntaxScalar): Syntax => {
  switch (syntax.kind) {
    case "map": {
      const entries = new Map<string, SyntaxEntry>()
      for (const [key, entry] of syntax.entries) entries.set(key, { ...entry, value: withScalars(entry.value, change) })
      return { ...syntax, entries }
    }
    case "list":
      return { ...syntax, items: syntax.items.map((item) => withScalars(item, change)) }
    case "scalar":
      return change(syntax)
  }
}

/** Returns the source location of a part of a scalar's text, for a caret inside an expression. */
export const spanWithin = (scalar: SyntaxScalar, offset: number, length: number): Span =>
  scalar.verbatim
    ? {
      file: scalar.span.file,
      line: scalar.span.line,
      column: scalar.textColumn + offset,
      endColumn: scalar.textColumn + offset + Math.max(1, length)
    }
    : scalar.spanAt?.(offset, length) ?? scalar.span

/** Returns whether a value adds to a list of the base instead of replacing it: `{before: […]}`, `{after: […]}`. */
export const isAddition = (syntax: Syntax): boolean =>
  syntax.kind === "map" && syntax.entries.size > 0 &&
  [...syntax.entries].every(([word, { value }]) => additionKeys.some((key) => key === word) && value.kind === "list")

/** The keys of what an overlay adds to a list of the mapping below. */
export const additionKeys = ["before", "after"] as const

/** Returns whether a value is a written `null`, with which an overlay removes the base's entry. */
export const isNull = (syntax: Syntax | undefined): boolean => syntax?.kind === "scalar" && syntax.value === null

/** Returns a map without the names that are removed; `kept`: keys whose `null` is a value. */
export const withoutNulls = (map: SyntaxMap, kept: ReadonlyArray<string> = []): SyntaxMap =>
  [...map.entries].some(([name, { value }]) => isNull(value) && !kept.includes(name))
    ? {
      ...map,
      entries: new Map([...map.entries].filter(([name, { value }]) => !isNull(value) || kept.includes(name)))
    }
    : map

/** Returns a map without some of its names. */
export const without = (map: SyntaxMap, ...names: ReadonlyArray<string>): SyntaxMap => ({
  ...map,
  entries: new Map([...map.entries].filter(([key]) => !names.includes(key)))
})

/** Returns the entries under a name of a map, if its value is a map as well; otherwise none. */
export const mappingEntriesOf = (map: SyntaxMap, name: string): SyntaxMap["entries"] => {
  const syntax = map.entries.get(name)?.value
  return syntax?.kind === "map" ? syntax.entries : new Map()
}
