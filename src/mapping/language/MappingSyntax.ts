import type { Span } from "../../diagnostic/Span.ts"
import { remarkedWords } from "./words.ts"

/**
 * A mapping as written: YAML with a place on every node. Overlays are merged on this tree, so that after the merge each node
 * still knows the file and line it came from.
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

export interface SyntaxList {
  readonly kind: "list"
  readonly span: Span
  readonly items: ReadonlyArray<Syntax>
}

export interface SyntaxScalar {
  readonly kind: "scalar"
  readonly span: Span
  readonly value: string | number | boolean | null
  /** A number as it is written, where its digits are not those of the value: `007`, `1.50`. */
  readonly written?: string
  /** Nothing is written, not even `null`; `comment`: but for a comment that begins right behind the key. */
  readonly unwritten?: "nothing" | "comment"
  /** True when the text stands in the file as it is, so that an offset in the value is an offset in the line. */
  readonly verbatim: boolean
  /** Column of the first character of the value (after an opening quote). */
  readonly textColumn: number
  /** The place of a part of a text that is written over several lines or with escapes. */
  readonly spanAt?: (offset: number, length: number) => Span
}

/** The same tree as data, which another thread can be given: without the places of parts of texts. */
export const asData = (syntax: Syntax): Syntax => {
  switch (syntax.kind) {
    case "map":
      return {
        ...syntax,
        entries: new Map([...syntax.entries].map(([key, entry]) => [key, { ...entry, value: asData(entry.value) }]))
      }
    case "list":
      return { ...syntax, items: syntax.items.map(asData) }
    case "scalar": {
      const { spanAt: _, ...data } = syntax
      return data
    }
  }
}

/** The place of a part of a scalar's text, for a caret inside an expression. */
export const spanWithin = (scalar: SyntaxScalar, offset: number, length: number): Span =>
  scalar.verbatim
    ? {
      file: scalar.span.file,
      line: scalar.span.line,
      column: scalar.textColumn + offset,
      endColumn: scalar.textColumn + offset + Math.max(1, length)
    }
    : scalar.spanAt?.(offset, length) ?? scalar.span

/**
 * An overlay over a base: maps merge by key, to any depth; anything else replaces what was there. Keys keep the base's order,
 * new ones follow. A path, value or condition with its remark is one: an overlay replaces it as a whole.
 */
export const mergeSyntax = (base: Syntax, overlay: Syntax): Syntax =>
  base.kind !== "map" || overlay.kind !== "map" || isRemarked(base) || isRemarked(overlay)
    ? overlay
    : mergeMaps(base, overlay)

/** A map that is a path, value, condition or policy with what it reports: `{path: …, assume: NAME}`. */
const isRemarked = ({ entries }: SyntaxMap): boolean =>
  (entries.has("assume") || entries.has("warn")) && entries.size > 1 &&
  [...entries.keys()].every((key) => remarkedWords.has(key))

/** A written `null`, by which an overlay takes away what stands below. */
export const isNull = (syntax: Syntax | undefined): boolean => syntax?.kind === "scalar" && syntax.value === null

/** A map without the names that are taken away; `kept`: where `null` is a value. */
export const withoutNulls = (map: SyntaxMap, kept: ReadonlyArray<string> = []): SyntaxMap =>
  [...map.entries].some(([name, { value }]) => isNull(value) && !kept.includes(name))
    ? {
      ...map,
      entries: new Map([...map.entries].filter(([name, { value }]) => !isNull(value) || kept.includes(name)))
    }
    : map

/** A map without some of its names. */
export const without = (map: SyntaxMap, ...names: ReadonlyArray<string>): SyntaxMap => ({
  ...map,
  entries: new Map([...map.entries].filter(([key]) => !names.includes(key)))
})

/** What stands under a name of a map, where that is a map as well; nothing where it is not. */
export const mappingEntriesOf = (map: SyntaxMap, name: string): SyntaxMap["entries"] => {
  const syntax = map.entries.get(name)?.value
  return syntax?.kind === "map" ? syntax.entries : new Map()
}

/** The words that say where rows come from: a component has one of them. */
const rowWords = ["resource", "forEach", "forEachOrNull"] as const

/** The entries of a base that an overlay leaves there: rows of another kind take the place of all that say where rows come from. */
export const dropRows = (base: SyntaxMap, overlay: SyntaxMap): Map<string, SyntaxEntry> => {
  const entries = new Map(base.entries)
  if (rowWords.some((word) => overlay.entries.has(word))) { for (const word of rowWords) entries.delete(word) }
  return entries
}

/** {@link mergeSyntax} of two maps. Rows that come from elsewhere take the place of those of the base. */
export const mergeMaps = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const entries = dropRows(base, overlay)
  for (const [key, entry] of overlay.entries) {
    const below = base.entries.get(key)
    entries.set(key, below === undefined ? entry : { key: entry.key, value: mergeSyntax(below.value, entry.value) })
  }
  return { kind: "map", span: overlay.span, entries }
}
