import type { ReferenceListType } from "../visit/Field.ts"
import { referenceListTypes } from "../visit/Field.ts"
import type { ConceptMap, Unmapped } from "./ConceptMap.ts"
import type { Syntax, SyntaxEntry } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

const modes = ["reject", "warn", "skip", "provided"] as const

/** Reads `conceptMap:`: each table inline, with its policy for codes that have no row. */
export const checkConceptMaps = (
  reader: SyntaxReader,
  syntax: Syntax | undefined
): ReadonlyMap<string, ConceptMap> => {
  const maps = new Map<string, ConceptMap>()
  const map = syntax === undefined ? undefined : reader.map(syntax, "`conceptMap`")
  for (const [name, { key, value }] of map?.entries ?? []) {
    const table = reader.map(value, `the concept map \`${name}\``, ["table", "unmapped", "list", "description"])
    if (table === undefined) continue
    const rows = new Map<string, string>()
    const tableEntry = table.entries.get("table")
    const rowMap = tableEntry === undefined || isNull(tableEntry) ? undefined : reader.map(tableEntry.value, "`table`")
    for (const [code, row] of rowMap?.entries ?? []) {
      if (isNull(row)) continue
      const target = reader.text(row, `the value of \`${code}\``)
      if (target !== undefined) rows.set(code, target)
    }
    const list = reader.oneOf<ReferenceListType>(table.entries.get("list"), "`list`", referenceListTypes)
    maps.set(name, {
      name,
      span: key,
      rows,
      unmapped: readUnmapped(reader, table.entries.get("unmapped")),
      ...(list === undefined ? {} : { list })
    })
  }
  return linkOthers(reader, maps, map?.entries)
}

const isNull = (entry: SyntaxEntry): boolean => entry.value.kind === "scalar" && entry.value.value === null

const readUnmapped = (reader: SyntaxReader, entry: SyntaxEntry | undefined): Unmapped => {
  if (entry === undefined) return { mode: "warn" }
  if (entry.value.kind !== "map") {
    return { mode: reader.oneOf(entry, "`unmapped`", modes) ?? "warn" }
  }
  const map = reader.map(entry.value, "`unmapped`", ["fixed", "table"])
  const fixed = map?.entries.get("fixed")
  if (fixed !== undefined) return { mode: "fixed", value: reader.text(fixed, "`fixed`") ?? "" }
  const other = reader.text(map?.entries.get("table"), "`table`")
  return other === undefined ? { mode: "warn" } : { mode: "other-map", name: other }
}

const linkOthers = (
  reader: SyntaxReader,
  maps: ReadonlyMap<string, ConceptMap>,
  entries: ReadonlyMap<string, SyntaxEntry> | undefined
): ReadonlyMap<string, ConceptMap> => {
  const linked = new Map<string, ConceptMap>()
  const link = (name: string, above: ReadonlyArray<string>): ConceptMap | undefined => {
    const done = linked.get(name)
    if (done !== undefined) return done
    const map = maps.get(name)
    if (map === undefined || map.unmapped.mode !== "other-map") {
      if (map !== undefined) linked.set(name, map)
      return map
    }
    const next = map.unmapped.name
    if (above.includes(next) || next === name || !maps.has(next)) {
      reader.report(
        "unknown-concept-map",
        entries?.get(name)?.key ?? map.span,
        maps.has(next)
          ? `the concept maps ${[...above, name, next].join(", ")} end in a circle`
          : `no concept map is called \`${next}\``
      )
      linked.set(name, map)
      return map
    }
    const other = link(next, [...above, name])
    const result: ConceptMap = other === undefined ? map : { ...map, other }
    linked.set(name, result)
    return result
  }
  for (const name of maps.keys()) link(name, [])
  return linked
}
