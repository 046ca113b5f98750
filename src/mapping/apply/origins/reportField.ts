import type { Element, Elements, Variables } from "../../../fhirpath/FhirPath.ts"
import { elementPathOf, firstArgumentOf, hasWord, recordOf, typeNameOf, valueOf } from "../../../fhirpath/FhirPath.ts"
import { jsonObjectOf } from "../../../json/JsonObject.ts"
import type { ConceptMap } from "../../codes/ConceptMap.ts"
import { codesOf, lookUp, resolveCode } from "../../codes/ConceptMap.ts"
import type { CodeProvenance, FieldProvenance, FoundElement, PathProvenance } from "../../draft/FieldProvenance.ts"
import type { Unmapped } from "../../language/grammar/conceptMapGrammar.ts"
import type { BranchPlan, KeyPlan, LeafPlan } from "../../MappingPlan.ts"
import { foundValue } from "../fields/applyLeaf.ts"
import type { LeafContext } from "../fields/FieldContext.ts"
import { silentContext } from "../scope/silentContext.ts"
import type { RowProvenance, VisitContext } from "../scope/VisitContext.ts"

/**
 * Reports the provenance of a field's value by evaluating its paths again, in order; conversion itself pays nothing for it.
 * `context` is that of the visit and receives no reports. `isStated`: the source states the value itself.
 */
export const reportField = (
  leaf: LeafPlan,
  { branch, focus, variables }: Pick<RowProvenance, "branch" | "focus" | "variables">,
  value: unknown,
  isStated: boolean,
  context: VisitContext,
  keys: ReadonlyMap<string, KeyPlan>
): FieldProvenance => {
  const quiet = silentContext(context, context.scope.silently())
  const paths: Array<PathProvenance> = []
  let won: Elements | undefined
  for (const path of leaf.literal === undefined && !isStated ? leaf.paths : []) {
    if (won !== undefined) {
      paths.push({ text: path.text, span: path.span, outcome: "not-asked", found: [] })
      continue
    }
    const elements = quiet.evaluate(path, focus, variables, null, leaf.name)
    const fits = elements.length > 0 &&
      foundValue({ leaf, focus, variables, row: {}, context: quiet }, elements.map(valueOf), path) !== undefined
    if (fits) won = elements
    paths.push({
      text: path.text,
      span: path.span,
      outcome: fits ? "won" : elements.length === 0 ? "found-nothing" : "not-fitting",
      found: elements.map(foundElement)
    })
  }
  const last = won ?? []
  const by = isStated ? "source" : leaf.literal !== undefined
    ? "value"
    : won !== undefined
    ? "path"
    : leaf.fallback !== undefined
    ? "default"
    : "nothing"
  const assumptions = assumedFor(leaf, branch, by, won, paths.findIndex(({ outcome }) => outcome === "won"))
  const winner = paths.find(({ outcome }) => outcome === "won")
  const record = recordOf(focus[0])
  const minted = winner === undefined ? undefined : mintedKey(winner.text, value, keys)
  const to = won === undefined ? undefined : unitOf(leaf, focus, variables, quiet)
  return {
    kind: "field",
    name: leaf.name,
    section: leaf.field.section,
    mapping: winner?.span ?? leaf.paths[0]?.span ?? leaf.span,
    value,
    by,
    paths,
    codes: leaf.conceptMap === undefined
      ? []
      : codesIn(leaf.conceptMap, won ?? paths.flatMap(({ found }) => found.map((one) => one.value))),
    ...(record === undefined ? {} : { source: record.origin.reference, origin: record.origin }),
    ...(assumptions.length === 0 ? {} : { assumptions }),
    ...(to === undefined ? {} : { unit: { from: last.flatMap(unitIn), to } }),
    ...(minted === undefined ? {} : { minted })
  }
}

/** Returns the assumptions that a value depends on: those of its row, its path or literal, and the row of its concept map. */
const assumedFor = (
  leaf: LeafPlan,
  branch: BranchPlan,
  by: FieldProvenance["by"],
  won: Elements | undefined,
  at: number
): NonNullable<FieldProvenance["assumptions"]> => {
  const codes = leaf.conceptMap === undefined || won === undefined
    ? undefined
    : resolveCode(leaf.conceptMap, won.flatMap((element) => codesOf(valueOf(element))))
  const made = {
    source: undefined,
    nothing: undefined,
    value: leaf.literalRemark?.assume,
    path: leaf.paths[at]?.assume,
    default: leaf.fallbackRemark?.assume
  }[by]
  return [branch.assume, made, ...(codes?.remarks ?? []).map(({ assume }) => assume)].flatMap((assumption) => {
    if (assumption === undefined) return []
    const { accepted, means, name } = assumption
    return [{ name, means, ...(accepted === undefined || accepted.isStale ? {} : { accepted: accepted.why }) }]
  })
}

const foundElement = (element: Element): FoundElement => {
  const record = recordOf(element)
  const place = elementPathOf(element)
  const column = place === undefined ? undefined : record?.row?.nameOf(place.split(".")[1] ?? "")
  return {
    type: typeNameOf(element),
    value: valueOf(element),
    ...(place === undefined ? {} : { element: record?.nameInSource?.(place) ?? place }),
    ...(column === undefined ? {} : { column }),
    ...(record === undefined ? {} : { source: record.origin.reference, origin: record.origin })
  }
}

const unitOf = (
  leaf: LeafPlan,
  focus: Elements,
  variables: Variables,
  context: LeafContext
): string | undefined => {
  const to = leaf.unit?.to
  if (to === undefined || typeof to === "string") return to
  const codes = context.evaluate(to.of, focus, variables, null, leaf.name).flatMap((one) => codesOf(valueOf(one)))
  return lookUp(to.conceptMap, codes)
}

const unitIn = (element: Element): ReadonlyArray<string> => {
  const { code, unit } = jsonObjectOf(valueOf(element))
  return typeof code === "string" ? [code] : typeof unit === "string" ? [unit] : []
}

const codesIn = (map: ConceptMap, elements: Elements): ReadonlyArray<CodeProvenance> => {
  const codes = elements.flatMap((element) => codesOf(valueOf(element)))
  const resolved = resolveCode(map, codes)
  if (resolved === undefined) return []
  const [first = resolved.code] = codes
  const withoutRow = ({ name, unmapped }: ConceptMap): CodeProvenance => {
    const { code, system, words } = first
    return { map: name, system, code, ...(words === true ? { words } : {}), policy: policyOf(unmapped) }
  }
  const { code: { code, system }, key } = resolved
  return [
    ...resolved.passed.map(withoutRow),
    // The key of a table row is already readable in the mapping.
    key === undefined ? withoutRow(resolved.map) : { map: resolved.map.name, system, code, row: key }
  ]
}

const policyOf = (unmapped: Unmapped): string =>
  unmapped.mode === "fixed"
    ? `fixed: ${unmapped.value}`
    : unmapped.mode === "other-map"
    ? `table: ${unmapped.name}`
    : unmapped.mode

/** Returns the key that a path uses, if the code was generated. */
const mintedKey = (text: string, value: unknown, keys: ReadonlyMap<string, KeyPlan>): string | undefined => {
  const name = firstArgumentOf(text, "keyOf") ?? (hasWord(text, "encounterCode") ? "encounter" : undefined)
  const prefix = name === undefined ? undefined : keys.get(name)?.mint
  if (prefix === undefined || typeof value !== "string" || !value.startsWith(`${prefix}-`)) return undefined
  return /^[0-9A-HJKMNP-TV-Z]{13}$/u.test(value.slice(prefix.length + 1)) ? name : undefined
}
