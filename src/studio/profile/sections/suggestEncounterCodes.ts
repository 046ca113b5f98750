import { quotedText } from "../draft/OverlayWriter.ts"
import { bestFirst, isDistinct, profiledIdentifiersOf, systemKindOf, whyOf } from "../fhir/identifierSystems.ts"
import type { Findings, Out } from "../Findings.ts"
import { constantOf } from "../Findings.ts"

export const suggestEncounterCodes = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const { members, records } = profiler.facts.encounters
  if (records === 0) {
    out.notes.push("the input has no Encounter, so it gives no visit: add the encounters to the export")
    return
  }
  const systems = profiledIdentifiersOf(findings, "Encounter")
  const known = new Set([constantOf(plan, "visit_code_system"), constantOf(plan, "encounter_code_system")])
  if (systems.some(({ system }) => known.has(system))) return
  const best = bestFirst(systems).find((one) =>
    isDistinct(one) && one.several === 0 && one.records * 2 >= records &&
    !["MR", "PI", "PT", "SS"].includes(systemKindOf(one) ?? "")
  )
  if (best === undefined) return
  out.writer.put(["constant", "visit_code_system"], quotedText(best.system), whyOf(best, records, "encounter"))
  if (members === 0) {
    out.writer.put(
      ["constant", "encounter_code_system"],
      quotedText(best.system),
      "each encounter is a visit of its own"
    )
  }
}
