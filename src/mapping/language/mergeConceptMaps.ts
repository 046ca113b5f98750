import type { Syntax, SyntaxEntry, SyntaxMap } from "./MappingSyntax.ts"
import { isNull } from "./MappingSyntax.ts"
import { mergeMaps, mergeSyntax } from "./mergeSyntax.ts"

/**
 * Merges an overlay's concept maps over the base's. `system:` of the base is about the base's rows. If the overlay does not set it, its own
 * rows without a system are for codes of any system, `*|code`.
 */
export const mergeConceptMaps = (base: SyntaxMap, overlay: SyntaxMap): SyntaxMap => {
  const merged = mergeMaps(base, overlay)
  const entries = new Map(merged.entries)
  for (const [name, { key, value: over }] of overlay.entries) {
    const below = base.entries.get(name)?.value
    if (below?.kind !== "map" || over.kind !== "map" || over.entries.has("system")) continue
    const [table, rows] = [below, over].map((map) => map.entries.get("table"))
    if (table?.value.kind !== "map" || rows?.value.kind !== "map" || !hasSystem(below)) continue
    const whole = entries.get(name)
    if (whole?.value.kind !== "map") continue
    const value = mergeRows(below, table.value, rows.value)
    entries.set(name, {
      key,
      value: { ...whole.value, entries: new Map([...whole.value.entries, ["table", { key: rows.key, value }]]) }
    })
  }
  return { ...merged, entries }
}

/** Merges rows over the table of a concept map. If the concept map has `system:`, rows without a system are for codes of any system. */
export const mergeRows = (below: SyntaxMap, table: SyntaxMap, rows: SyntaxMap): Syntax => {
  if (!hasSystem(below)) return mergeSyntax(table, rows)
  const isRepeated = (code: string): boolean => !code.includes("|") && rows.entries.has(code)
  return mergeMaps(
    withKeys(table, (code) => (isRepeated(code) ? `*|${code}` : code)),
    withKeys(rows, (code) => (code.includes("|") ? code : `*|${code}`))
  )
}

const hasSystem = ({ entries }: SyntaxMap): boolean => {
  const system = entries.get("system")
  return system !== undefined && !isNull(system.value)
}

const withKeys = (map: SyntaxMap, change: (code: string) => string): SyntaxMap => ({
  ...map,
  entries: new Map([...map.entries].map(([code, entry]): [string, SyntaxEntry] => [change(code), entry]))
})
