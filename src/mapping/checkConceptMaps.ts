import type { Span } from "../diagnostic/Span.ts"
import { suggest } from "../diagnostic/suggest.ts"
import type { ReferenceListType } from "../visit/Field.ts"
import { referenceListTypes } from "../visit/Field.ts"
import { asListed, type ReferenceList, type ReferenceLists, spellingKey } from "../visit/ReferenceList.ts"
import type { ConceptMap, Unmapped } from "./ConceptMap.ts"
import type { Syntax, SyntaxEntry } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/** The words of a concept map. `file` and `accept` are done with before the check: their rows stand in `table` (see `tables/`). */
export const conceptMapWords = ["table", "file", "accept", "unmapped", "list", "description"] as const

const modes = ["reject", "warn", "skip", "provided"] as const

/**
 * Reads `conceptMap:`: each table with its policy for codes that have no row. Values of a list of the standard data that is at
 * hand get the list's spelling; those that are not in it are told as warnings.
 */
export const checkConceptMaps = (
  reader: SyntaxReader,
  syntax: Syntax | undefined,
  lists: ReferenceLists | undefined
): ReadonlyMap<string, ConceptMap> => {
  const maps = new Map<string, ConceptMap>()
  const map = syntax === undefined ? undefined : reader.map(syntax, "`conceptMap`")
  for (const [name, { key, value }] of map?.entries ?? []) {
    const table = reader.map(value, `the concept map \`${name}\``, conceptMapWords)
    if (table === undefined) continue
    const rows = new Map<string, string>()
    const list = reader.oneOf<ReferenceListType>(table.entries.get("list"), "`list`", referenceListTypes)
    const standard = list === undefined ? undefined : lists?.get(list)
    const spell = standard === undefined ? undefined : speller(reader, name, list!, standard)
    const tableEntry = table.entries.get("table")
    const rowMap = tableEntry === undefined || isNull(tableEntry) ? undefined : reader.map(tableEntry.value, "`table`")
    for (const [code, row] of rowMap?.entries ?? []) {
      if (isNull(row)) continue
      const target = reader.text(row, `the value of \`${code}\``)
      if (target !== undefined) rows.set(code, spell?.(target, row.value.span) ?? target)
    }
    maps.set(name, {
      name,
      span: key,
      rows,
      unmapped: readUnmapped(reader, table.entries.get("unmapped"), spell),
      ...(list === undefined ? {} : { list }),
      ...(standard === undefined ? {} : { standard })
    })
  }
  return linkOthers(reader, maps, map?.entries)
}

const isNull = (entry: SyntaxEntry): boolean => entry.value.kind === "scalar" && entry.value.value === null

/** Gives a value as a list spells it, and tells each value that is not in the list once. */
type Speller = (value: string, span: Span) => string

/** Looking for a near name takes long in a list of thousands; for more wrong values than this it is not done. */
const suggestions = 20

const speller = (reader: SyntaxReader, name: string, type: ReferenceListType, list: ReferenceList): Speller => {
  const told = new Set<string>()
  return (value, span) => {
    const spelt = asListed(list, value)
    if (spelt !== undefined) return spelt
    if (told.has(value)) return value
    told.add(value)
    const near = list.spellings.get(spellingKey(value)) ??
      (told.size <= suggestions ? suggest(value, list.values) ?? suggest(value, list.codes) : undefined)
    reader.warn(
      "unknown-list-value",
      span,
      `the concept map \`${name}\` gives \`${value}\`, which is not in the list \`${type}\``,
      near === undefined ? undefined : `did you mean \`${near}\`?`,
      [`fhir2visit codes search ${type} TEXT  finds what the list has`]
    )
    return value
  }
}

const readUnmapped = (
  reader: SyntaxReader,
  entry: SyntaxEntry | undefined,
  spell: Speller | undefined
): Unmapped => {
  if (entry === undefined) return { mode: "warn" }
  if (entry.value.kind !== "map") {
    return { mode: reader.oneOf(entry, "`unmapped`", modes) ?? "warn" }
  }
  const map = reader.map(entry.value, "`unmapped`", ["fixed", "table"])
  const fixed = map?.entries.get("fixed")
  if (fixed !== undefined) {
    const value = reader.text(fixed, "`fixed`") ?? ""
    return { mode: "fixed", value: value === "" ? "" : spell?.(value, fixed.value.span) ?? value }
  }
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
