import { plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/printable.ts"
import { lookUp } from "../../../mapping/apply/ConceptMap.ts"
import { convertQuantity } from "../../../mapping/apply/convertQuantity.ts"
import { quotedText } from "../draft/OverlayWriter.ts"
import { vitalSignOf } from "../fhir/vitalSigns.ts"
import type { Findings, Out } from "../Findings.ts"
import { isKnownCode } from "../mayBeShown.ts"

export const suggestVitalSigns = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const names = plan.conceptMaps.get("vital_name")
  const units = plan.conceptMaps.get("vital_unit")
  const spelling = plan.conceptMaps.get("unit_spelling")
  if (names === undefined) return
  for (const one of profiler.facts.measured.values()) {
    const sources = one.codings.map(({ code, system }) => ({
      system: system === "" ? null : system,
      code,
      display: null
    }))
    const isMapped = lookUp(names, sources) !== undefined
    const found = vitalSignOf(one)
    if (found === undefined) continue
    const { sign } = found
    if (!isMapped) {
      const coding = one.codings.find(({ code, system }) => isKnownCode(system, code)) ??
        (one.met.areEnough ? one.codings[0] : undefined)
      if (coding === undefined) continue
      const called = one.met.areEnough || isKnownCode(coding.system, coding.code) ? coding.display : undefined
      out.writer.put(
        ["conceptMap", "vital_name", "table", coding.code],
        sign.name,
        `${plural(one.count, "measurement")}${called === undefined ? "" : `, ${printable(called)}`}${
          found.by === "name" ? "; found by its name: look at it" : ""
        }`
      )
      // The unit is looked up by what the service calls the sign.
      if (units !== undefined && lookUp(units, [{ system: null, code: sign.name, display: null }]) === undefined) {
        out.writer.put(["conceptMap", "vital_unit", "table", sign.name], quotedText(sign.unit))
      }
    }
    for (const [unit] of one.units.sorted()) {
      const quantity = { value: 1, unit, code: unit }
      const plainUnit = { to: sign.unit, round: 2, ...(spelling === undefined ? {} : { spelling }), molarMass: 180.156 }
      if (convertQuantity(quantity, sign.unit, plainUnit).kind === "converted") continue
      const intended = unitMeant(unit, sign.unit)
      if (intended !== undefined && (one.met.areEnough || unit.length <= 20)) {
        out.writer.put(["conceptMap", "unit_spelling", "table", unit], quotedText(intended), `of ${sign.name}`)
      } else {out.notes.push(
          `a unit of ${sign.name} is not known: --show-values shows it; it needs a row in unit_spelling`
        )}
    }
  }
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
