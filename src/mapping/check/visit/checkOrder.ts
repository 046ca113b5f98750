import type { Span } from "../../../diagnostic/Span.ts"
import { keysOf, type Placed, readValues } from "../../language/grammar/Kind.ts"
import { orderKeys } from "../../language/grammar/mappingGrammar.ts"
import type { Syntax, SyntaxScalar } from "../../language/MappingSyntax.ts"
import { isNull } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { BranchPlan, LeafPlan, RowOrder } from "../../MappingPlan.ts"
import { findConceptMap } from "./checkLeaf.ts"
import type { Target } from "./checkWords.ts"
import { hint } from "./checkWords.ts"
import type { VisitScope } from "./VisitScope.ts"

/** The order of a component's rows; for an order by path, what to compile on each branch's rows. */
interface CheckedOrder {
  readonly order: RowOrder
  readonly path?: SyntaxScalar
  /** Where the concept map is named whose values are the order. */
  readonly mapSpan?: Span
}

/**
 * Reads `field`, `-field`, or an item with keys; either kind can be `descending`. `{field: name, conceptMap: vital_name}` uses the order
 * of a concept map's values, `{path: row}` that of the values a path finds on each row. `null` removes the base's order.
 */
export const checkOrder = (
  reader: SyntaxReader,
  syntax: Syntax | undefined,
  target: Target,
  what: string,
  scope: VisitScope
): ReadonlyArray<CheckedOrder> => {
  if (syntax === undefined || isNull(syntax)) return []
  const items = syntax.kind === "list" ? syntax.items : [syntax]
  return items.flatMap((item): ReadonlyArray<CheckedOrder> => {
    if (item.kind !== "map") {
      const text = item.kind === "scalar" && typeof item.value === "string" ? item.value : undefined
      if (text === undefined) {
        return reader.report("invalid-value", item.span, "`orderBy` names fields", { help: [forms] }) ?? []
      }
      return byField(reader, text, item, false, target, what)
    }
    const before = reader.errors
    const long = reader.names(item, "`orderBy`", keysOf(orderKeys))
    const { conceptMap, descending, field, path } = readValues(reader, orderKeys, long)
    const both = field === undefined ? undefined : long.entries.get("path")
    if (both !== undefined) {
      reader.report("invalid-value", both.key, "rows are in the order of a `field` or of a `path`, not both", {
        help: ["to use one after the other, write two items:  orderBy: [{field: …}, {path: …}]"]
      })
      return []
    }
    if (path !== undefined) {
      const mapEntry = long.entries.get("conceptMap")
      if (mapEntry !== undefined) {
        reader.report("invalid-value", mapEntry.key, "a `conceptMap` orders the values of a `field`", {
          help: ["translate the result of a path in the path:  path: code.translated('NAME')"]
        })
      }
      return [{ order: { name: undefined, descending }, path }]
    }
    if (field === undefined) {
      if (reader.errors === before) {
        reader.report("missing-key", item.span, "`orderBy` needs a `field` or a `path`")
      }
      return []
    }
    const order = byField(reader, field.value, field, descending, target, what)
    const ranks = ranksOf(reader, conceptMap, scope)
    return ranks === undefined || conceptMap === undefined
      ? order
      : order.map((one) => ({ order: { ...one.order, ranks }, mapSpan: conceptMap.span }))
  })
}

const forms = "write  orderBy: [field, -field]  or  [{path: row}]"

const byField = (
  reader: SyntaxReader,
  text: string,
  { span }: Pick<Syntax, "span">,
  descending: boolean,
  target: Target,
  what: string
): ReadonlyArray<CheckedOrder> => {
  const name = text.replace(/^-/u, "")
  if (target.fields.some((field) => field.name === name)) {
    return [{ order: { name, descending: descending || text.startsWith("-") } }]
  }
  reader.report("unknown-field", span, `${what} cannot be ordered by \`${name}\``, {
    label: hint(name, target.fields.map((field) => field.name))
  })
  return []
}

/** Warns about an order by a concept map that has none of the values of its field, if the mapping shows all of them. */
export const checkRanks = (
  reader: SyntaxReader,
  orders: ReadonlyArray<CheckedOrder>,
  branches: ReadonlyArray<BranchPlan>,
  own: (file: string) => boolean
): void => {
  for (const { mapSpan, order: { name, ranks } } of orders) {
    if (ranks === undefined || mapSpan === undefined || ranks.size === 0 || !own(mapSpan.file)) continue
    const leaves = branches.flatMap(({ fields }) => fields.filter((field) => field.name === name))
    const values = leaves.map((leaf) => leaf.kind === "leaf" ? valuesOf(leaf) : undefined)
    const all = values.flatMap((some) => [...some ?? []])
    if (all.length === 0 || values.includes(undefined) || all.some((value) => ranks.has(value))) continue
    reader.warn("invalid-value", mapSpan, `this orders by values that \`${name}\` never has`, {
      label: `gives ${[...ranks.keys()].slice(0, 3).join(", ")} …`,
      help: [`name the concept map of \`${name}\`, which gives: ${[...new Set(all)].slice(0, 8).join(", ")}`]
    })
  }
}

/** Returns the values that a field can have; `undefined` if a path can find others. */
const valuesOf = ({ conceptMap, fallback, literal, paths }: LeafPlan): ReadonlyArray<string> | undefined => {
  const given = [literal, fallback].flatMap((value) => value === undefined ? [] : [String(value)])
  if (literal !== undefined || paths.length === 0) return given
  if (conceptMap === undefined) return undefined
  const { rows, unmapped } = conceptMap
  if (unmapped.mode === "provided" || unmapped.mode === "other-map") return undefined
  return [...rows.values(), ...(unmapped.mode === "fixed" ? [unmapped.value] : []), ...given]
}

/** Returns the rank of each value of a concept map, in written order. */
const ranksOf = (
  reader: SyntaxReader,
  written: Placed<string> | undefined,
  scope: VisitScope
): ReadonlyMap<string, number> | undefined => {
  const rows = findConceptMap(reader, written, scope)?.rows
  return rows === undefined
    ? undefined
    : new Map([...new Set(rows.values())].map((value, rank) => [value, rank] as const))
}
