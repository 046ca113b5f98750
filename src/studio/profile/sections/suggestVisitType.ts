import { plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/printable.ts"
import { lookUp } from "../../../mapping/apply/ConceptMap.ts"
import type { Findings, Out } from "../Findings.ts"
import { codesAt, isNeverEmpty, percentage, substitute } from "../Findings.ts"
import { assumedValue } from "../substitutes.ts"
import { isEmergency, isSide, sideOf } from "../tables/guessColumn.ts"

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
    const words = [shown.display ?? "", code]
    const known = words.find(isSide) ?? words.find((word) => sideOf(word)[1] === undefined)
    const kind = known === undefined ? "outpatient" : isEmergency(known)
      ? "emergency"
      : sideOf(known)[0] === "IPD"
      ? "inpatient"
      : "outpatient"
    const why = `${plural(shown.count, "encounter")}${shown.display === null ? "" : `, ${printable(shown.display)}`}`
    const row = ["conceptMap", "visit_type", "table", code]
    const type = kind === "inpatient" ? "IPD" : "OPD"
    if (known === undefined) out.writer.doubt(row, type, `${why}; nothing says whether they stayed`)
    else out.writer.put(row, type, why)
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
