import { number } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/printable.ts"
import { addQuestion, codesAt, constantOf, type Findings, isNeverEmpty, type Out } from "../Findings.ts"
import { isPlainAddress } from "../mayBeShown.ts"
import { assumedProvided } from "../substitutes.ts"

const types = ["MedicationRequest", "MedicationDispense", "MedicationAdministration"]

/** A concept map for medicines whose codes are of another system than the service's: they are listed and sent with a warning each. */
export const suggestMedicineCodes = (findings: Findings, out: Out): void => {
  const field = ["prescriptions", "medications", "code"]
  const own = constantOf(findings.plan, "medication_system")
  if (own === "" || isNeverEmpty(findings.plan, field) || findings.plan.conceptMaps.has("medicine_code")) return
  const systems = new Map<string, number>()
  const elements = [
    ...types.map((type) => [type, "medicationCodeableConcept"] as const),
    ["Medication", "code"] as const
  ]
  for (const [type, element] of elements) {
    for (const [system, count] of codesAt(findings, type, element)?.systems() ?? []) {
      if (system !== own) systems.set(system, (systems.get(system) ?? 0) + count)
    }
  }
  if (systems.size === 0) return
  const shown = [...systems].map(([system, count]) =>
    `${number(count)} of ${isPlainAddress(system) ? printable(system) : system === "" ? "no system" : "another system"}`
  )
  addQuestion(
    out,
    ["conceptMap", "medicine_code", "unmapped"],
    assumedProvided(out.writer),
    `what are these codes of medicines at the service? Fill in tables/medicine_code.csv:  ${shown.join(", ")}`
  )
  out.writer.put(["conceptMap", "medicine_code", "list"], "medications")
  out.writer.put(
    ["visit", ...field, "path"],
    "[medicine().conceptCode(%medication_system), medicine(), medicineDisplay()]"
  )
  out.writer.put(["visit", ...field, "conceptMap"], "medicine_code")
}
