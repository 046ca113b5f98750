import type { SyntaxEntry, SyntaxMap, SyntaxScalar } from "./MappingSyntax.ts"
import { isNull } from "./MappingSyntax.ts"
import { mergeMaps } from "./mergeSyntax.ts"

/**
 * Merges an overlay's `table:` over the base's. A column keeps the base's type, unless the overlay sets one. The base's `optional` applies only to files in the base's layout. A column that the
 * overlay names is required in the header, unless the overlay sets `optional` for it or for its table.
 */
export const mergeTables = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const merged = withTrim(mergeMaps(withLongColumns(base, overlay), overlay), overlay)
  const entries = new Map(merged.entries)
  const forAll = wordOf(base.entries.get("*"), "optional") !== undefined
  if (wordOf(overlay.entries.get("*"), "optional") !== undefined) return merged
  for (const [name, over] of overlay.entries) {
    const below = base.entries.get(name)
    const both = entries.get(name)
    if (name === "*" || below === undefined || wordOf(over, "optional") !== undefined) continue
    if (both?.value.kind !== "map") continue
    const everywhere = forAll || wordOf(below, "optional") !== undefined
    entries.set(name, { key: both.key, value: withNeeded(both.value, below, over, everywhere) })
  }
  return { ...merged, entries }
}

/** Returns the base with each column that is only a type in its long form, `{type: …}`, so that the overlay's attributes join it. */
const withLongColumns = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const tables = new Map(base.entries)
  for (const [name, over] of overlay.entries) {
    const [table, columns, more] = [tables.get(name), wordOf(tables.get(name), "column"), wordOf(over, "column")]
    if (table?.value.kind !== "map" || columns?.value.kind !== "map" || more?.value.kind !== "map") continue
    const entries = new Map(columns.value.entries)
    for (const [column, { value }] of more.value.entries) {
      const below = entries.get(column)
      if (below?.value.kind === "scalar" && value.kind === "map") {
        entries.set(column, { key: below.key, value: longForm(below) })
      }
    }
    const value = withWord(table.value, "column", { key: columns.key, value: { ...columns.value, entries } })
    tables.set(name, { key: table.key, value })
  }
  return { ...base, entries: tables }
}

/** The base's `trim: false` applies to its own files: a file that the overlay names is trimmed, unless the overlay sets `trim`. */
const withTrim = (merged: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  if (wordOf(overlay.entries.get("*"), "trim") !== undefined) return merged
  const entries = new Map(merged.entries)
  for (const [name, over] of overlay.entries) {
    const both = entries.get(name)
    const file = wordOf(over, "file")
    if (name === "*" || file === undefined || wordOf(over, "trim") !== undefined || both?.value.kind !== "map") continue
    if (both.value.entries.has("trim")) {
      entries.set(name, { key: both.key, value: withWord(both.value, "trim", saying(true, file)) })
    }
  }
  return { ...merged, entries }
}

/** Returns a merged table with `optional: false` on each column that the overlay names and the base makes optional. */
const withNeeded = (table: SyntaxMap, below: SyntaxEntry, over: SyntaxEntry, everywhere: boolean): SyntaxMap => {
  const ofOverlay = wordOf(over, "column")
  const columns = table.entries.get("column")
  if (ofOverlay === undefined || columns === undefined) return table
  // A list replaces all columns of the base.
  if (ofOverlay.value.kind !== "map" || columns.value.kind !== "map") {
    return everywhere ? withWord(table, "optional", needed(columns)) : table
  }
  const entries = new Map(columns.value.entries)
  for (const [name, column] of ofOverlay.value.entries) {
    if (isNull(column.value) || wordOf(column, "optional") !== undefined) continue
    const known = wordOf(below, "column")
    if (!everywhere && wordOf(wordOf(known, name), "optional") === undefined) continue
    const both = entries.get(name)
    if (both === undefined) continue
    const long = both.value.kind === "map" ? both.value : longForm(both)
    entries.set(name, { key: both.key, value: withWord(long, "optional", needed(both)) })
  }
  return withWord(table, "column", { key: columns.key, value: { ...columns.value, entries } })
}

const longForm = ({ key, value }: SyntaxEntry): SyntaxMap => ({
  kind: "map",
  span: value.span,
  entries: new Map([["type", { key, value }]])
})

const wordOf = (entry: SyntaxEntry | undefined, word: string): SyntaxEntry | undefined =>
  entry?.value.kind === "map" ? entry.value.entries.get(word) : undefined

const withWord = (map: SyntaxMap, word: string, entry: SyntaxEntry): SyntaxMap => ({
  ...map,
  entries: new Map([...map.entries, [word, entry]])
})

/** Returns `optional: false`, with the source location of the column. */
const needed = (entry: SyntaxEntry): SyntaxEntry => saying(false, entry)

const saying = (stated: boolean, { key }: SyntaxEntry): SyntaxEntry => {
  const value: SyntaxScalar = { kind: "scalar", span: key, value: stated, verbatim: false, textColumn: key.column }
  return { key, value }
}
