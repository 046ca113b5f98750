import { plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/printable.ts"
import { quotedText } from "../draft/OverlayWriter.ts"
import type { Findings, Out } from "../Findings.ts"
import { addQuestion, codesAt, constantOf, isNeverEmpty, leafAt, percentage } from "../Findings.ts"
import { isPlainAddress } from "../mayBeShown.ts"
import { openCodes } from "../tables/sections/suggestConceptMaps.ts"
import { icd10Form } from "../tables/sections/suggestDiagnoses.ts"

/** Gives how many rows it proposes. */
export const suggestDiagnosisCode = (findings: Findings, out: Out): number => {
  const { plan, profiler } = findings
  const icd10 = constantOf(plan, "icd10")
  const leaf = leafAt(plan, ["diagnosis", "diagnosis_code"])
  if (leaf === undefined || leaf.conceptMap !== undefined || isNeverEmpty(plan, ["diagnosis", "diagnosis_code"])) {
    return 0
  }
  let all = 0
  let coded = 0
  const others = new Map<string, number>()
  const icd = new Map<string, number>()
  for (const [key, { records }] of profiler.facts.conditionSystems.entries()) {
    all += records
    const systems = key.startsWith("(") ? [] : key.split("\n")
    if (icd10 !== "" && systems.some((system) => system.startsWith(icd10))) {
      coded += records
      continue
    }
    const own = systems.find((system) => otherIcd10.test(system) && isPlainAddress(system))
    if (own !== undefined) icd.set(own, (icd.get(own) ?? 0) + records)
    else for (const system of systems) others.set(system, (others.get(system) ?? 0) + records)
  }
  if (all === 0 || coded === all) return 0
  const [spelt] = [...icd].toSorted(([, a], [, b]) => b - a)
  if (spelt !== undefined && coded === 0) {
    out.writer.put(
      ["constant", "icd10"],
      quotedText(spelt[0]),
      `${percentage(spelt[1], all, "condition")} have a code of it`
    )
    if (spelt[1] === all) return 0
  }
  const map = ["conceptMap", "diagnosis_code"]
  out.writer.put([...map, "unmapped"], "reject")
  let rows = 0
  let own = 0
  let missing = 0
  const open: Array<readonly [string, number]> = []
  let hidden = 0
  for (const { code, count, shown, system } of codesAt(findings, "Condition", "code")?.all() ?? []) {
    const known = findings.icd10.get(code)
    if (known === undefined && shown !== undefined && system === "" && new RegExp(icd10Form, "u").test(code)) {
      out.writer.doubt([...map, "table", code], quotedText(code), `${plural(count, "condition")}; the form of ICD-10`)
      own++
      continue
    }
    if (known === undefined || shown === undefined) {
      missing++
      if (shown === undefined) hidden++
      else if (!otherIcd10.test(system) && (icd10 === "" || !system.startsWith(icd10))) open.push([code, count])
      continue
    }
    out.writer.put(
      [...map, "table", code],
      quotedText(known),
      `${shown.display === null ? "" : `${printable(shown.display)}; `}a proposal of \`us-synthetic\`: confirm it`
    )
    rows++
  }
  const words = codesAt(findings, "Condition", "code")?.words ?? 0
  const shown = [
    ...open.length + hidden === 0 ? [] : [openCodes(open.toSorted(([, a], [, b]) => b - a), hidden)],
    ...words === 0 ? [] : [`${plural(words, "condition")} with words only`]
  ].join(", ")
  if (shown !== "") {
    addQuestion(
      out,
      [...map, "list"],
      "diagnoses",
      `what are these diagnoses in ICD-10? Fill in tables/diagnosis_code.csv; an unmapped code rejects its visit:  ${shown}`
    )
  }
  out.writer.put([...map, "list"], "diagnoses")
  const field = ["visit", "diagnosis", "diagnosis_code"]
  // Codes of ICD-10 need no row.
  const yaml = coded > 0 || spelt !== undefined
    ? "[code.conceptCode(%icd10), code.conceptCode(%icd10 + '*'), \"code.translated('diagnosis_code')\"]"
    : "{path: code, conceptMap: diagnosis_code}"
  const why = `${percentage(all - coded - (spelt?.[1] ?? 0), all, "condition")} have no code of ICD-10${
    maxCountOf(others)
  }`
  const isMapped = missing + words === 0 && rows + own > 0
  out.writer.put(field, yaml, isMapped ? `${why}; each has a row above` : why)
  return rows
}

/** Addresses of ICD-10 that differ from the one the base mapping asks for. */
const otherIcd10 = /^urn:oid:2\.16\.840\.1\.113883\.6\.(?:3|90)$|icd-?10/iu

const maxCountOf = (systems: ReadonlyMap<string, number>): string => {
  const [max] = [...systems].filter(([system]) => isPlainAddress(system)).toSorted(([, a], [, b]) => b - a)
  return max === undefined ? "" : `, most are of ${printable(max[0])}`
}
