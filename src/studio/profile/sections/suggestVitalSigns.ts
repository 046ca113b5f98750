import { plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { hasWord } from "../../../fhirpath/FhirPath.ts"
import { lookUp } from "../../../mapping/codes/ConceptMap.ts"
import { convertQuantity } from "../../../mapping/codes/convertQuantity.ts"
import { type Draft, quotedText } from "../draft/Draft.ts"
import type { Measured } from "../Facts.ts"
import { branchesAt, type Findings } from "../Findings.ts"
import { isKnownCode } from "../mayBeShown.ts"
import { sizeNamed } from "../tables/words/columnWords.ts"
import { inCondition } from "../tables/writePath.ts"
import { vitalSignOf } from "../vitalSigns.ts"

/** Suggests concept map rows for vital signs, and their units, that the mapping does not know. */
export const suggestVitalSigns = (findings: Findings, draft: Draft): void => {
  const { plan, profiler } = findings
  const names = plan.conceptMaps.get("vital_name")
  const units = plan.conceptMaps.get("vital_unit")
  const spelling = plan.conceptMaps.get("unit_spelling")
  if (names === undefined) return
  const sizes: Sizes = { height: [], weight: [] }
  for (const one of profiler.facts.measured.values()) {
    const sources = one.codings.length === 0 && one.words !== undefined
      ? [{ system: null, code: one.words, display: null }]
      : one.codings.map(({ code, system }) => ({ system: system === "" ? null : system, code, display: null }))
    const found = vitalSignOf(one)
    if (found === undefined) {
      addSize(one, sizes)
      continue
    }
    const { sign } = found
    if (lookUp(names, sources) === undefined) {
      const coding = one.codings.find(({ code, system }) => isKnownCode(system, code)) ??
        (one.met.areEnough ? one.codings[0] : undefined)
      const code = coding?.code ?? (one.met.areEnough && one.codings.length === 0 ? one.words : undefined)
      if (code === undefined) continue
      const called = coding !== undefined && (one.met.areEnough || isKnownCode(coding.system, coding.code))
        ? coding.display
        : undefined
      const at = ["conceptMap", "vital_name", "table", code]
      const why = `${plural(one.count, "measurement")}${called === undefined ? "" : `, ${printable(called)}`}`
      if (found.by === "code") draft.put(at, sign.name, why)
      else draft.doubt(at, sign.name, `${why}; found by its name`)
      // The unit is looked up by the service's name of the sign.
      if (units !== undefined && lookUp(units, [{ system: null, code: sign.name, display: null }]) === undefined) {
        draft.put(["conceptMap", "vital_unit", "table", sign.name], quotedText(sign.unit))
      }
    }
    for (const [unit] of one.units.sorted()) {
      const quantity = { value: 1, unit, code: unit }
      const plainUnit = { to: sign.unit, round: 2, ...(spelling === undefined ? {} : { spelling }), molarMass: 180.156 }
      if (convertQuantity(quantity, sign.unit, plainUnit).kind === "converted") continue
      const intended = unitMeant(unit, sign.unit)
      if (intended !== undefined && (one.met.areEnough || unit.length <= 20)) {
        draft.put(["conceptMap", "unit_spelling", "table", unit], quotedText(intended), `of ${sign.name}`)
      } else {
        draft.notes.push(
          `unknown unit of ${sign.name} (--show-values shows it): it needs a row in unit_spelling`
        )
      }
    }
  }
  suggestSizes(findings, sizes, draft)
}

/** Measurements of height and weight that the base mapping does not know. */
type Sizes = Readonly<Record<"height" | "weight", Array<Measured>>>

/** Collects a measurement of height or weight under a code of the facility's own or under words. The base mapping knows those of LOINC. */
const addSize = (one: Measured, sizes: Sizes): void => {
  if (!one.met.areEnough || one.codings.some(({ code, system }) => isKnownCode(system, code))) return
  const names = [one.words, ...one.codings.map(({ display }) => display)].filter((name) => name !== undefined)
  const size = names.map(sizeNamed).find((size) => size !== undefined)
  if (size !== undefined) sizes[size].push(one)
}

/** Triages read height and weight by LOINC codes; these lines add the others. */
const suggestSizes = ({ plan }: Findings, sizes: Sizes, draft: Draft): void => {
  const branch = branchesAt(plan.visit, "triages")[0]
  const codes = branch?.where.find(({ text }) => hasWord(text, "hasCode"))?.text
  if (branch === undefined || codes === undefined) return
  const all: Array<string> = []
  for (const [size, measured] of Object.entries(sizes)) {
    if (measured.length === 0) continue
    const own = measured.flatMap(({ codings }) => codings.slice(0, 1).map(({ code }) => code))
    const words = measured.flatMap(({ codings, words }) => (codings.length === 0 && words !== undefined ? [words] : []))
    const condition = [
      ...(own.length === 0 ? [] : [`code.coding.where(${inCondition("code", own)}).exists()`]),
      ...(words.length === 0 ? [] : [inCondition("code.text", words)])
    ].join(" or ")
    all.push(condition)
    const count = measured.reduce((sum, one) => sum + one.count, 0)
    draft.doubt(
      ["visit", "triages", size, "path", "after"],
      `[${quotedText(`where(${condition}).value.ofType(Quantity)`)}]`,
      `${plural(count, "measurement")}; found by its name`
    )
  }
  if (all.length === 0) return
  draft.put(["visit", "triages", "where", "code"], quotedText([codes, ...all].join(" or ")))
}

/** The UCUM unit that a spelling means, among the units a vital sign is measured in. */
const unitMeant = (spelling: string, sent: string): string | undefined => {
  const plain = spelling.toLowerCase().replaceAll(/[^a-z0-9%]/gu, "")
  const meanings: Readonly<Record<string, ReadonlyArray<readonly [RegExp, string]>>> = {
    "mm[Hg]": [[/^mm(?:of)?hg$|^millimet(?:er|re)s?(?:of)?mercury$/u, "mm[Hg]"], [/^kpa$/u, "kPa"]],
    "/min": [[
      /^(?:beats?|breaths?|pulse|resp(?:irations?)?|count|x)?(?:per|p|a)?(?:m|min|mins|minute)$|^[br]pm$/u,
      "/min"
    ]],
    Cel: [[/^(?:deg(?:rees?)?)?c(?:el|elsius|elcius|entigrade)?$/u, "Cel"], [
      /^(?:deg(?:rees?)?)?f(?:ahrenheit)?$/u,
      "[degF]"
    ]],
    "%": [[/^%.*$|^percent.*$|^pct$/u, "%"]],
    "mg/dL": [[/^mg(?:per|p)?dl$/u, "mg/dL"], [/^mmol(?:per|p)?l$/u, "mmol/L"]]
  }
  return meanings[sent]?.find(([words]) => words.test(plain))?.[1]
}
