import type { Syntax, SyntaxEntry, SyntaxMap } from "./MappingSyntax.ts"
import { dropRows, isNull, mergeMaps, without } from "./MappingSyntax.ts"
import { mergeTables } from "./mergeTables.ts"
import { componentWords, leafWords } from "./words.ts"

/**
 * A mapping over the one it extends. Maps merge by name, to any depth; anything else replaces what was there. A field's short form is
 * its long form with `path:` alone, on either side: attributes of an overlay join a short form, and a path of an overlay leaves the other
 * attributes but `take` and `join`, which say how the values of the path below are taken. A path and a fixed value take each other's place. `null` takes the place of all.
 */
export const mergeOverlay = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const merged = mergeMaps(base, overlay)
  const entries = new Map(merged.entries)
  for (const section of ["visit", "key"]) {
    const below = base.entries.get(section)
    const over = overlay.entries.get(section)
    if (below?.value.kind !== "map" || over?.value.kind !== "map") continue
    entries.set(section, { key: over.key, value: mergeFields(below.value, over.value) })
  }
  const [tables, more] = [base.entries.get("table"), overlay.entries.get("table")]
  if (tables?.value.kind === "map" && more?.value.kind === "map") {
    entries.set("table", { key: more.key, value: mergeTables(tables.value, more.value) })
  }
  return { ...merged, entries }
}

const mergeFields = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const entries = dropRows(base, overlay)
  for (const [name, entry] of overlay.entries) {
    const below = base.entries.get(name)
    entries.set(name, below === undefined ? entry : { key: entry.key, value: mergeField(name, below, entry) })
  }
  return { kind: "map", span: overlay.span, entries }
}

const mergeField = (name: string, below: SyntaxEntry, over: SyntaxEntry): Syntax => {
  const isWord = (componentWords as ReadonlyArray<string>).includes(name) && name !== "unionAll"
  const base = isPath(below.value) && !isWord && isAttributes(over.value) ? longForm(below) : below.value
  const overlay = isPath(over.value) && !isWord && isLongForm(below.value) ? longForm(over) : over.value
  if (base.kind !== "map" || overlay.kind !== "map" || replacesAll(base, overlay)) return overlay
  if (isWord || isAttributes(base)) {
    const merged = mergeMaps(base, overlay)
    // A path and a fixed value take each other's place.
    if (isPath(over.value)) return without(merged, "value", "take", "join")
    const [path, value] = ["path", "value"].map((word) =>
      overlay.entries.has(word) && !isNull(overlay.entries.get(word)?.value)
    )
    return path === value ? merged : without(merged, path === true ? "value" : "path")
  }
  return mergeFields(base, overlay)
}

/**
 * Whether an overlay makes a component the same as a sibling, where the mapping below says itself what it is: nothing of that stays, or
 * every line of it would stand on top of the sibling's.
 */
export const replacesAll = (base: SyntaxMap, overlay: SyntaxMap): boolean => {
  const [below, over] = [base, overlay].map(({ entries }) => entries.get("sameAs")?.value)
  return over !== undefined && !isNull(over) && (below === undefined || isNull(below))
}

/** A field's short form: a path, or several. */
const isPath = ({ kind, ...syntax }: Syntax): boolean =>
  kind === "list" || (kind === "scalar" && "value" in syntax && typeof syntax.value === "string")

const longForm = ({ key, value }: SyntaxEntry): SyntaxMap => ({
  kind: "map",
  span: value.span,
  entries: new Map([["path", { key, value }]])
})

const attributes: ReadonlySet<string> = new Set([...leafWords, "mint"])

/** A map that holds attributes of a field and no words or fields of a component. */
const isAttributes = (syntax: Syntax): boolean =>
  syntax.kind === "map" && [...syntax.entries.keys()].some((word) => attributes.has(word)) &&
  [...syntax.entries.keys()].every((word) => attributes.has(word) || !isComponentWord(word))

const isComponentWord = (word: string): boolean => (componentWords as ReadonlyArray<string>).includes(word)

const isLongForm = (syntax: Syntax): boolean =>
  syntax.kind === "map" && [...syntax.entries.keys()].every((word) => attributes.has(word)) &&
  ["path", "value", "default", "mint"].some((word) => syntax.entries.has(word))
