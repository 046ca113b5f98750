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
  switch (syntax.kind) {
    case "map":
      return {
        ...syntax,
        entries: new Map([...syntax.entries].map(([key, entry]) => [key, { ...entry, value: asData(entry.value) }]))
      }
    case "list":
      return { ...syntax, items: syntax.items.map((item) => asData(item)) }
    case "scalar": {
      const { spanAt: _, ...data } = syntax
      return data
    }
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

/**
 * Merges an overlay over a base: maps merge by key, to any depth; anything else replaces the base's value. Keys keep the base's order,
 * and new ones follow. A path, value or condition with a remark is one unit: an overlay replaces it as a whole.
 */
export const mergeSyntax = (base: Syntax, overlay: Syntax): Syntax =>
  isAddition(overlay)
    ? addTo(base, overlay)
    : base.kind !== "map" || overlay.kind !== "map" || isRemarked(base) || isRemarked(overlay)
    ? overlay
    : mergeMaps(base, overlay)

/** Returns whether a value adds to a list of the base instead of replacing it: `{before: […]}`, `{after: […]}`. */
export const isAddition = (syntax: Syntax): boolean =>
  syntax.kind === "map" && syntax.entries.size > 0 &&
  [...syntax.entries].every(([word, { value }]) => additionWords.has(word) && value.kind === "list")

const additionWords: ReadonlySet<string> = new Set(["before", "after"])

/** Without a list below, the addition stays as written, and the check reports it. */
const addTo = (base: Syntax, addition: Syntax): Syntax => {
  if (isNull(base) || addition.kind !== "map") return addition
  const { entries, span } = addition
  const items = [...itemsOf(entries.get("before")?.value), ...itemsOf(base), ...itemsOf(entries.get("after")?.value)]
  return { kind: "list", span, items }
}

const itemsOf = (syntax: Syntax | undefined): ReadonlyArray<Syntax> =>
  syntax === undefined ? [] : syntax.kind === "list" ? syntax.items : [syntax]

/** Every key that can be used together with `warn` or `assume`: those of a path, of a value, and of a policy for unmapped codes. */
export const remarkedKeys: ReadonlySet<string> = new Set([
  "path",
  "warn",
  "assume",
  "value",
  "fixed",
  "table",
  "policy"
])

/** Returns whether a map is a path, value, condition or policy with its remark: `{path: …, assume: NAME}`. */
const isRemarked = ({ entries }: SyntaxMap): boolean =>
  (entries.has("assume") || entries.has("warn")) && entries.size > 1 &&
  [...entries.keys()].every((key) => remarkedKeys.has(key))

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

/** The keys that set where rows come from: a component has one of them. */
const rowWords = ["resource", "forEach", "forEachOrNull"] as const

/** Returns the base's entries that an overlay keeps. If the overlay sets where rows come from, all such keys of the base are removed. */
export const dropRows = (base: SyntaxMap, overlay: SyntaxMap): Map<string, SyntaxEntry> => {
  const entries = new Map(base.entries)
  if (rowWords.some((word) => overlay.entries.has(word))) { for (const word of rowWords) entries.delete(word) }
  return entries
}

/** Like {@link mergeSyntax}, for two maps. If the overlay sets where rows come from, it replaces the base's keys for that. */
export const mergeMaps = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const entries = dropRows(base, overlay)
  for (const [key, entry] of overlay.entries) {
    const below = base.entries.get(key)
    entries.set(key, below === undefined ? entry : { key: entry.key, value: mergeSyntax(below.value, entry.value) })
  }
  return { kind: "map", span: overlay.span, entries }
}
