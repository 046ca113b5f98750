import { quotedText } from "../draft/OverlayWriter.ts"
import type { Findings, Out } from "../Findings.ts"
import { constantOf, isNeverEmpty, nodeAt, substitute } from "../Findings.ts"
import { assumedValue } from "../substitutes.ts"

export const suggestAddress = (findings: Findings, out: Out): void => {
  const { plan, profiler } = findings
  const { records } = profiler.facts.patients
  if (records === 0) return
  const address = nodeAt(findings, "Patient", "address")
  const division = address?.children.get(`extension ${constantOf(plan, "ext")}administrative-division`)
  if (division !== undefined && division.records >= records) return
  for (const [level, code] of levels) {
    if (isNeverEmpty(plan, ["patient", "address", level, "code"])) continue
    substitute(
      out,
      ["visit", "patient", "address", level, "code"],
      `{default: ${assumedValue(out.writer, quotedText(code), "address-code-is-no-place")}}`,
      level === "province"
        ? "addresses have no codes of the national gazetteer: write the facility's own, or map the names"
        : "as above"
    )
  }
}

const levels = [["province", "00"], ["district", "0000"], ["commune", "000000"], ["village", "00000000"]] as const
