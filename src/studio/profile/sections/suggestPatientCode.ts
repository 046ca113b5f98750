import { plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/printable.ts"
import { quotedText } from "../draft/OverlayWriter.ts"
import type { IdentifierSystem } from "../fhir/Codes.ts"
import { bestFirst, isDistinct, profiledIdentifiersOf, systemKindOf, whyOf } from "../fhir/identifierSystems.ts"
import type { Findings, Out } from "../Findings.ts"
import { addQuestion, constantOf, isNeverEmpty, leafAt, percentage, substitute } from "../Findings.ts"
import { assumedPath } from "../substitutes.ts"

export const suggestPatientCode = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const { records } = profiler.facts.patients
  if (records === 0) {
    if (profiler.facts.encounters.records > 0) {
      out.notes.push("the input has encounters and no Patient: add the patients to the export")
    }
    return
  }
  const systems = profiledIdentifiersOf(findings, "Patient")
  const current = constantOf(plan, "patient_code_system")
  const isSet = systems.some(({ records: found, system }) => system === current && found * 2 > records)
  const candidates = bestFirst(systems)
  // What fewer than half the patients have is no patient code, whatever it is called.
  const best = candidates.find((one) => one.records * 2 >= records) ?? candidates[0]
  const code = isSet ? systems.find(({ system }) => system === current) : best
  if (!isSet) {
    if (best === undefined) {
      const nameless = systems.find(({ system }) => system === "")
      if (nameless !== undefined) {
        addQuestion(
          out,
          ["key", "patient"],
          "{path: [identifierIn(%patient_code_system), identifier.value.first()]}",
          `${
            percentage(nameless.records, records, "patient")
          } have an identifier, and it has no system: is it the patient code?`
        )
      } else {
        addQuestion(
          out,
          ["key", "patient"],
          "{path: [identifierIn(%patient_code_system), id]}",
          "patients have no identifier: does the service know them by the `id` of the record, which is sent?"
        )
      }
    } else {
      const others = candidates.filter((one) => one !== best).slice(0, 4).map((one) =>
        `\`${printable(one.system)}\` (${whyOf(one, records, "patient")})`
      )
      addQuestion(
        out,
        ["constant", "patient_code_system"],
        quotedText(best.system),
        `is this the patient code that the service knows?  \`${printable(best.system)}\`: ${
          whyOf(best, records, "patient")
        }${others.length === 0 ? "" : `. Others: ${others.join("; ")}`}`
      )
      const alike = candidates.filter((one) =>
        one !== best && one.records < records && systemKindOf(one) === systemKindOf(best)
      )
      if (best.records * 2 < records) {
        addQuestion(
          out,
          ["key", "patient"],
          "{path: [identifierIn(%patient_code_system), id]}",
          "fewer than half the patients have one: does the service know the others by the `id` of the record, which is sent?"
        )
      } else if (best.records < records && alike.length > 0 && systemKindOf(best) !== undefined) {
        const paths = [
          "identifierIn(%patient_code_system)",
          ...alike.slice(0, 4).map(({ system }) => `identifierIn('${system.replaceAll("'", "\\'")}')`)
        ]
        out.writer.put(
          ["key", "patient"],
          `{path: [${paths.map(quotedText).join(", ")}]}`,
          `other systems of kind ${systemKindOf(best)}, for patients that do not have the first`
        )
      }
      if (best.records * 2 < records) {
        out.notes.push("no identifier system is had by half the patients: ask which number is the patient code")
      }
      if (!isDistinct(best)) {
        out.notes.push(
          `\`${printable(best.system)}\` has ${plural(best.values.size, "value")} for ${
            plural(best.records, "patient record")
          }: several records are one patient, or it is no patient code`
        )
      }
    }
  }
  suggestSpid(findings, out, code, records)
}

const suggestSpid = (findings: Findings, out: Out, code: IdentifierSystem | undefined, records: number): void => {
  const { plan } = findings
  if (isNeverEmpty(plan, ["patient", "spid"])) return
  const systems = profiledIdentifiersOf(findings, "Patient")
  const current = constantOf(plan, "spid_system")
  if (systems.some(({ records: found, system }) => system === current && found >= records)) return
  const leaf = leafAt(plan, ["patient", "spid"])
  if (leaf !== undefined && leaf.paths.length > 1) return
  const path = code === undefined ? "%patient.keyOf('patient')" : "keyOf('patient')"
  substitute(
    out,
    ["visit", "patient", "spid"],
    `[identifierIn(%spid_system), ${assumedPath(out.writer, path, "patient-code-is-spid")}]`,
    "the service's own patient id is not in this data; until it is, the patient code is sent"
  )
}
