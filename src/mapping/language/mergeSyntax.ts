import { remarkedWords, rowWords } from "./grammar/mappingGrammar.ts"
import type { Syntax, SyntaxEntry, SyntaxMap } from "./MappingSyntax.ts"
import { isAddition, isNull } from "./MappingSyntax.ts"

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

/**
 * Returns the base's entries that an overlay keeps. If the overlay sets where rows come from, all such keys of the base are removed. `take`
 * and `join` of a field replace each other.
 */
export const dropReplaced = (base: SyntaxMap, overlay: SyntaxMap): Map<string, SyntaxEntry> => {
  const entries = new Map(base.entries)
  if (base.entries.has("path") || overlay.entries.has("path")) {
    if (overlay.entries.has("take")) entries.delete("join")
    if (overlay.entries.has("join")) entries.delete("take")
  }
  if (rowWords.some((word) => overlay.entries.has(word))) { for (const word of rowWords) entries.delete(word) }
  return entries
}

/** Like {@link mergeSyntax}, for two maps. If the overlay sets where rows come from, it replaces the base's keys for that. */
export const mergeMaps = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const entries = dropReplaced(base, overlay)
  for (const [key, entry] of overlay.entries) {
    const below = base.entries.get(key)
    entries.set(key, below === undefined ? entry : { key: entry.key, value: mergeSyntax(below.value, entry.value) })
  }
  return { kind: "map", span: overlay.span, entries }
}

/** Without a list below, the addition stays as written, and the check reports it. */
const addTo = (base: Syntax, addition: Syntax): Syntax => {
  if (isNull(base) || addition.kind !== "map") return addition
  const { entries, span } = addition
  const items = [...itemsOf(entries.get("before")?.value), ...itemsOf(base), ...itemsOf(entries.get("after")?.value)]
  return { kind: "list", span, items }
}

const itemsOf = (syntax: Syntax | undefined): ReadonlyArray<Syntax> =>
  syntax === undefined ? [] : syntax.kind === "list" ? syntax.items : [syntax]

/** Returns whether a map is a path, value, condition or policy with its remark: `{path: …, assume: NAME}`. */
const isRemarked = ({ entries }: SyntaxMap): boolean =>
  (entries.has("assume") || entries.has("warn")) && entries.size > 1 &&
  [...entries.keys()].every((key) => remarkedWords.has(key))
