import type { Target } from "./checkWords.ts"
import { hint } from "./checkWords.ts"
import type { ComponentPlan, RowOrder } from "./MappingPlan.ts"
import type { Syntax, SyntaxScalar } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"
import type { VisitScope } from "./VisitScope.ts"

/** `field`, `-field`, or `{field: name, conceptMap: vital_name}`: in the order in which a concept map's values are written. */
export const checkOrder = (
  reader: SyntaxReader,
  syntax: Syntax | undefined,
  target: Target,
  what: string,
  scope: VisitScope
): ComponentPlan["orderBy"] => {
  const items = syntax === undefined ? [] : syntax.kind === "list" ? syntax.items : [syntax]
  return items.flatMap((item): ReadonlyArray<RowOrder> => {
    const long = item.kind === "map"
      ? reader.map(item, "`orderBy`", ["field", "conceptMap", "path", "descending"])
      : undefined
    if (orderPath(item) !== undefined) {
      return [{ name: undefined, descending: reader.boolean(long?.entries.get("descending"), "`descending`") ?? false }]
    }
    const entry = long?.entries.get("field")
    const text = long === undefined
      ? (item.kind === "scalar" ? String(item.value) : "")
      : (reader.text(entry, "`field`") ?? "")
    if (long !== undefined && entry === undefined) {
      if (!long.entries.has("field") && [...long.entries.keys()].every((key) => key === "conceptMap")) {
        reader.report("missing-key", item.span, "`orderBy` needs the `field`")
      }
      return []
    }
    const name = text.replace(/^-/u, "")
    if (!target.fields.some((field) => field.name === name)) {
      reader.report(
        "unknown-field",
        entry?.value.span ?? item.span,
        `${what} cannot be ordered by \`${name}\``,
        hint(name, target.fields.map((field) => field.name))
      )
      return []
    }
    const mapEntry = long?.entries.get("conceptMap")
    const mapName = reader.text(mapEntry, "`conceptMap`")
    const conceptMap = mapName === undefined ? undefined : scope.conceptMaps.get(mapName)
    if (mapName !== undefined) scope.used.conceptMaps.add(mapName)
    if (mapName !== undefined && conceptMap === undefined) {
      reader.report(
        "unknown-concept-map",
        mapEntry!.value.span,
        `no concept map is called \`${mapName}\``,
        hint(mapName, [...scope.conceptMaps.keys()])
      )
    }
    const ranks = conceptMap === undefined
      ? undefined
      : new Map([...new Set(conceptMap.rows.values())].map((value, rank) => [value, rank] as const))
    return [{ name, descending: text.startsWith("-"), ...(ranks === undefined ? {} : { ranks }) }]
  })
}

/** `{path: row}`: rows in the order of what a path finds on each. */
export const orderPath = (item: Syntax | undefined): SyntaxScalar | undefined => {
  const path = item?.kind === "map" ? item.entries.get("path")?.value : undefined
  return path?.kind === "scalar" && typeof path.value === "string" ? path : undefined
}
