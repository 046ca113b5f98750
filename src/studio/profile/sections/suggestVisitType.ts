import { plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/printable.ts"
import { lookUp } from "../../../mapping/apply/ConceptMap.ts"
import type { Findings, Out } from "../Findings.ts"
import { codesAt, isNeverEmpty, percentage, substitute } from "../Findings.ts"
import { assumedValue } from "../substitutes.ts"

export const suggestVisitType = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const { noClass, notVisits, records } = profiler.facts.encounters
  const visitType = plan.conceptMaps.get("visit_type")
  const encounterKind = plan.conceptMaps.get("encounter_kind")
  let withheld = 0
  for (const { code, shown, system } of codesAt(findings, "Encounter", "class")?.all() ?? []) {
    const source = [{ system: system === "" ? null : system, code, display: null }]
    if (visitType === undefined || lookUp(visitType, source) !== undefined) continue
    if (shown === undefined) {
      withheld++
      continue
    }
    const [type, kind] = kindOfVisit(`${code} ${shown.display ?? ""}`)
    const why = `${plural(shown.count, "encounter")}${shown.display === null ? "" : `, ${printable(shown.display)}`}`
    out.writer.put(["conceptMap", "visit_type", "table", code], type, why)
    if (encounterKind !== undefined && lookUp(encounterKind, source) === undefined) {
      out.writer.put(["conceptMap", "encounter_kind", "table", code], kind)
    }
  }
  if (withheld > 0) {
    out.notes.push(
      `${plural(withheld, "code")} of Encounter.class without a row are rare, and not shown: --show-values`
    )
  }
  if (noClass > 0 && !isNeverEmpty(plan, ["visit_type"])) {
    substitute(
      out,
      ["visit", "visit_type", "default"],
      assumedValue(out.writer, "OPD", "visit-without-type-is-outpatient"),
      `${percentage(noClass, records - notVisits, "encounter")} have no class: outpatient assumed`
    )
  }
}

/** What a class is called decides where it goes, where its code has no row. */
const kindOfVisit = (words: string): readonly [type: "IPD" | "OPD", kind: string] =>
  /in-?patient|\bIPD?\b|^I$|admi(?:t|ssion)|hospitali[sz]|ward|stationary/iu.test(words)
    ? ["IPD", "inpatient"]
    : /emerg|\bER\b|\bED\b|^E$|casualty|trauma/iu.test(words)
    ? ["OPD", "emergency"]
    : ["OPD", "outpatient"]
