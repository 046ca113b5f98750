import { lookUp } from "../../../mapping/apply/ConceptMap.ts"
import type { Findings, Out } from "../Findings.ts"
import { addQuestion, codesAt, nodeAt, percentage } from "../Findings.ts"

/** Suggests the required fields of a person that some records lack. */
export const suggestPerson = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const sexes = plan.conceptMaps.get("sex")
  let others = 0
  for (const { code, count } of codesAt(findings, "Patient", "gender")?.all() ?? []) {
    if (sexes !== undefined && lookUp(sexes, [{ system: null, code, display: null }]) === undefined) others += count
  }
  if (others > 0) {
    out.notes.push(
      `${
        percentage(others, profiler.facts.patients.records, "patient")
      } are neither female nor male: the service takes M or F`
    )
  }
  const born = nodeAt(findings, "Patient", "birthDate")
  const forms = born === undefined ? undefined : profiler.dates.get(born)?.forms
  const partial = (forms?.get("year") ?? 0) + (forms?.get("month") ?? 0)
  if (partial > 0 && plan.time.partialDate === "reject") {
    addQuestion(
      out,
      ["time", "partialDate"],
      "first-day",
      `${
        percentage(partial, profiler.facts.patients.records, "patient")
      } have only a year or a month of birth: is its first day to be sent?`
    )
  }
}
