import type { Span } from "../../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import { listedSigns } from "../../../visit/components/VitalSign.ts"
import type { ConceptMap } from "../../codes/ConceptMap.ts"
import { canConvert, isUnit, unitNear } from "../../codes/convertQuantity.ts"
import { isNull, type Syntax } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"

/** The units a mapping names, in its lines and in the concept maps that return units. */
export interface NamedUnits {
  readonly written: Array<{ readonly unit: string; readonly span: Span; readonly field: string }>
  /** Concept maps from a source's spelling to UCUM. */
  readonly spellings: Set<string>
  /** Other concept maps that return a unit, each with the concept map whose values it looks up, if one is known. */
  readonly tables: Map<string, ConceptMap | undefined>
}

/** The unit in which the service is sent a field, or a vital sign. Another unit must at least measure the same. */
const sentUnits: ReadonlyMap<string, string> = new Map([
  ["height", "cm"],
  ["weight", "kg"],
  ["days", "d"],
  ...listedSigns.map(({ name, ucum }) => [name, ucum] as const)
])

/** Reports units that UCUM does not know. They cannot be converted, so the field would be empty. */
export const checkUnits = (
  reader: SyntaxReader,
  { spellings, tables, written }: NamedUnits,
  conceptMaps: ReadonlyMap<string, ConceptMap>,
  syntax: Syntax | undefined,
  own: (file: string) => boolean
): void => {
  const known = [...spellings].flatMap((name) => conceptMaps.get(name) ?? [])
  const check = (unit: string, span: Span, reported: string, field?: string): void => {
    if (isUnit(unit)) {
      const sent = field === undefined ? undefined : sentUnits.get(field)
      if (sent === undefined || sent === unit || canConvert(unit, sent)) return
      reader.report("invalid-value", span, `\`${unit}\` is not a unit of \`${field}\``, {
        help: [`use one that can be converted to  ${sent}`]
      })
      return
    }
    const spelt = known.map(({ rows }) => rows.get(unit)).find((one) => one !== undefined && isUnit(one))
    const near = spelt ?? unitNear(unit) ?? suggest(unit, [...new Set(known.flatMap(({ rows }) => [...rows.values()]))])
    reader.report("invalid-value", span, reported, {
      label: didYouMean(near),
      help: ["write units as in UCUM: cm, kg, Cel, mm[Hg], /min, %, mmol/L"]
    })
  }
  for (const { field, span, unit } of written) check(unit, span, `UCUM knows no unit \`${unit}\``, field)
  for (const name of new Set([...spellings, ...tables.keys()])) {
    const table = entryOf(entryOf(syntax, name), "table")
    if (table?.kind !== "map") continue
    const reported = new Set<string>()
    const keys = new Set(tables.get(name)?.rows.values())
    for (const [key, { key: span, value: row }] of table.entries) {
      const isWritten = !isNull(row) && !key.includes("|")
      if (keys.size > 0 && isWritten && own(span.file)) checkKey(reader, key, span, name, tables.get(name), keys)
      const value = entryOf(row, "value") ?? row
      const field = tables.has(name) && sentUnits.has(key) ? key : undefined
      if (value.kind !== "scalar" || value.value === null) continue
      const unit = String(value.value)
      if (field === undefined && reported.has(unit)) continue
      reported.add(unit)
      check(unit, value.span, `the concept map \`${name}\` gives \`${unit}\`, which is not a unit of UCUM`, field)
    }
  }
}

/** Warns about a row that no value of the other concept map finds, so that the unit is never used. */
const checkKey = (
  reader: SyntaxReader,
  key: string,
  span: Span,
  name: string,
  of: ConceptMap | undefined,
  keys: ReadonlySet<string>
): void => {
  if (of === undefined || keys.has(key) || of.unmapped.mode === "provided" || of.unmapped.mode === "other-map") return
  if (of.unmapped.mode === "fixed" && of.unmapped.value === key) return
  const near = suggest(key, keys)
  reader.warn(
    "unused-name",
    span,
    `the concept map \`${name}\` has a unit for \`${key}\`, which \`${of.name}\` never gives`,
    {
      label: didYouMean(near),
      help: near === undefined ? [`add a row to \`${of.name}\` that gives \`${key}\`, or remove this one`] : []
    }
  )
}

const entryOf = (syntax: Syntax | undefined, key: string): Syntax | undefined =>
  syntax?.kind === "map" ? syntax.entries.get(key)?.value : undefined
