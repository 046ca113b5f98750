import { isComponentKey, isFieldKey, keyKeys, valueWords } from "./grammar/mappingGrammar.ts"
import type { Syntax, SyntaxEntry, SyntaxMap } from "./MappingSyntax.ts"
import { isAddition, isNull, mappingEntriesOf, without } from "./MappingSyntax.ts"
import { mergeConceptMaps } from "./mergeConceptMaps.ts"
import { dropReplaced, mergeMaps, mergeSyntax } from "./mergeSyntax.ts"
import { mergeTables } from "./mergeTables.ts"

/**
 * Merges a mapping over its base by name, to any depth; other values are replaced. On either side, a field's short form counts as
 * `path:` only, so an overlay's attributes join it. An overlay's path keeps the other attributes except `take` and `join`, which
 * apply to the values of the base's path. A path and a fixed value replace each other, and so do `take` and `join`; `null` replaces
 * everything. `{before: […]}` and `{after: […]}` add to a list of the base.
 */
export const mergeOverlay = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const merged = mergeMaps(withSharedWindows(base, overlay), overlay)
  const entries = new Map(merged.entries)
  for (const section of ["visit", "key"]) {
    const below = base.entries.get(section)
    const over = overlay.entries.get(section)
    if (below?.value.kind !== "map" || over?.value.kind !== "map") continue
    entries.set(section, { key: over.key, value: mergeFields(below.value, over.value) })
  }
  const [conceptMaps, rows] = [base.entries.get("conceptMap"), overlay.entries.get("conceptMap")]
  if (conceptMaps?.value.kind === "map" && rows?.value.kind === "map") {
    entries.set("conceptMap", { key: rows.key, value: mergeConceptMaps(conceptMaps.value, rows.value) })
  }
  const [tables, more] = [base.entries.get("table"), overlay.entries.get("table")]
  if (tables?.value.kind === "map" && more?.value.kind === "map") {
    entries.set("table", { key: more.key, value: mergeTables(tables.value, more.value) })
  }
  return { ...merged, entries }
}

/** Merges `window: {"*": …}` of an overlay over each window of its base. The overlay's other windows are merged after it. */
const withSharedWindows = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const [grouping, over] = [base, overlay].map((map) => map.entries.get("grouping"))
  if (grouping?.value.kind !== "map" || over?.value.kind !== "map") return base
  const windows = grouping.value.entries.get("window")
  const shared = mappingEntriesOf(over.value, "window").get("*")?.value
  if (windows?.value.kind !== "map" || shared?.kind !== "map") return base
  const entries = new Map([...windows.value.entries].map(([type, { key, value }]) => [
    type,
    { key, value: mergeSyntax(value, shared) }
  ]))
  const value = { ...windows.value, entries }
  const groupingEntries = new Map([...grouping.value.entries, ["window", { ...windows, value }]])
  return {
    ...base,
    entries: new Map([...base.entries, ["grouping", {
      ...grouping,
      value: { ...grouping.value, entries: groupingEntries }
    }]])
  }
}

const mergeFields = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const entries = dropReplaced(base, overlay)
  for (const [name, entry] of overlay.entries) {
    const below = base.entries.get(name)
    entries.set(name, below === undefined ? entry : { key: entry.key, value: mergeField(name, below, entry) })
  }
  return { kind: "map", span: overlay.span, entries }
}

const mergeField = (name: string, below: SyntaxEntry, over: SyntaxEntry): Syntax => {
  const isWord = isComponentKey(name) && name !== "unionAll"
  const base = isPath(below.value) && !isWord && isAttributes(over.value) ? longForm(below) : below.value
  const overlay = isPath(over.value) && !isWord && isLongForm(below.value) ? longForm(over) : over.value
  if (isAddition(overlay)) return mergeSyntax(base, overlay)
  if (base.kind !== "map" || overlay.kind !== "map" || replacesAll(base, overlay)) return overlay
  if (isWord || isAttributes(base)) {
    const merged = mergeMaps(base, overlay)
    // A path and a fixed value replace each other.
    if (isPath(over.value) && !isAddition(over.value)) return without(merged, "value", "take", "join")
    const [path, value] = ["path", "value"].map((word) =>
      overlay.entries.has(word) && !isNull(overlay.entries.get(word)?.value)
    )
    return path === value ? merged : without(merged, path === true ? "value" : "path")
  }
  return mergeFields(base, overlay)
}

/**
 * Returns whether an overlay adds `sameAs` to a component that the base defines without it. Then nothing of the base stays,
 * because each of its lines would override the sibling's.
 */
export const replacesAll = (base: SyntaxMap, overlay: SyntaxMap): boolean => {
  const [below, over] = [base, overlay].map(({ entries }) => entries.get("sameAs")?.value)
  return over !== undefined && !isNull(over) && (below === undefined || isNull(below))
}

/** Returns whether a node is a field's short form: a path, several, or paths that are added. */
const isPath = (syntax: Syntax): boolean =>
  syntax.kind === "list" || (syntax.kind === "scalar" && typeof syntax.value === "string") || isAddition(syntax)

const longForm = ({ key, value }: SyntaxEntry): SyntaxMap => ({
  kind: "map",
  span: value.span,
  entries: new Map([["path", { key, value }]])
})

const isAttribute = (key: string): boolean => isFieldKey(key) || key in keyKeys

/** Returns whether a map holds attributes of a field, and no keys or fields of a component. */
const isAttributes = (syntax: Syntax): boolean =>
  syntax.kind === "map" && [...syntax.entries.keys()].some(isAttribute) &&
  [...syntax.entries.keys()].every((word) => isAttribute(word) || !isComponentKey(word))

const isLongForm = (syntax: Syntax): boolean =>
  syntax.kind === "map" && [...syntax.entries.keys()].every(isAttribute) &&
  [...valueWords, "mint"].some((word) => syntax.entries.has(word))
