import { number, plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { firstArgumentsOf, hasWord, isPathFault, valuesOfPath } from "../../../fhirpath/FhirPath.ts"
import { readingScope } from "../../../mapping/apply/scope/runScope.ts"
import type { LeafPlan } from "../../../mapping/MappingPlan.ts"
import { increment } from "../../../maps.ts"
import { assumedProvided } from "../draft/assumptions.ts"
import { type Draft, quotedText } from "../draft/Draft.ts"
import { codesAt, constantOf, type Findings, isNeverEmpty, leafAt, partOfWhole } from "../Findings.ts"
import { isPlainAddress } from "../mayBeShown.ts"
import { openCodes } from "../tables/sections/suggestConceptMaps.ts"
import { icd10Form } from "../tables/sections/suggestDiagnoses.ts"
import { inCondition } from "../tables/writePath.ts"

/** Suggests how diagnoses become codes of ICD-10: their own code, rows that translate another code, or a question. */
export const suggestDiagnosisCode = (findings: Findings, draft: Draft): void => {
  const { plan } = findings
  const field = ["diagnosis", "diagnosis_code"]
  const leaf = leafAt(plan, field)
  if (leaf === undefined || leaf.conceptMap !== undefined || isNeverEmpty(plan, field)) return
  if (leaf.paths.some(({ text }) => firstArgumentsOf(text, "translated").length > 0)) return
  const { all, coded, national, others, otherSpellings } = conditionsBySystem(findings, leaf)
  if (national.size > 0) {
    const records = [...national.values()].reduce((sum, one) => sum + one)
    draft.put(
      ["function", "nationalIcd10"],
      quotedText(
        `coding.where((system.startsWith(%icd10) or ${
          inCondition("system", [...national.keys()])
        }) and system != %icd10 and system.contains('pcs').not() and code.exists())`
      ),
      `${partOfWhole(records, all, "condition")} have a code of a national edition`
    )
  }
  // ICD-10 under an address other than the one the mapping expects.
  const [spelling] = byFrequency(otherSpellings)
  if (spelling !== undefined && coded === 0) {
    const [system, records] = spelling
    draft.put(["constant", "icd10"], quotedText(system), `${partOfWhole(records, all, "condition")} have a code of it`)
    if (records === all) return
  }
  if (coded === all) return
  const map = ["conceptMap", "diagnosis_code"]
  draft.put([...map, "unmapped"], "reject")
  const isComplete = suggestRows(findings, map, draft)
  draft.put([...map, "list"], "diagnoses")
  const why = `${partOfWhole(all - coded - (spelling?.[1] ?? 0), all, "condition")} have no code of ICD-10${
    mainSystem(others)
  }`
  // Codes of ICD-10 need no row, also those that only other exports have.
  draft.put(
    ["visit", ...field],
    "{after: [\"code.translated('diagnosis_code')\"]}",
    isComplete ? `${why}; each has a row above` : why
  )
}

/** Asks about conditions whose categories the mapping does not know: they are diagnoses only if an encounter lists them. */
export const askAboutCategories = (findings: Findings, draft: Draft): void => {
  const diagnoses = constantOf(findings.plan, "diagnosis_categories")
  if (diagnoses === "" || isNeverEmpty(findings.plan, ["diagnosis", "diagnosis_code"])) return
  const words = new Set(`${diagnoses} ${constantOf(findings.plan, "problem_categories")} ${complaint}`.split(" "))
  const isKnown = (systemAndCode: string): boolean =>
    words.has(systemAndCode) || words.has(systemAndCode.slice(systemAndCode.lastIndexOf("|") + 1))
  let records = 0
  const unknown = new Set<string>()
  for (const [key, { records: found }] of findings.profiler.facts.conditionCategories.entries()) {
    const categories = key.split("\n")
    if (key === "" || categories.some(isKnown)) continue
    records += found
    for (const category of categories) unknown.add(category)
  }
  if (records === 0) return
  const codes = [...codesAt(findings, "Condition", "category")?.all() ?? []].filter(({ code, system }) =>
    unknown.has(`${system}|${code}`)
  )
  const shown = codes.filter((one) => one.shown !== undefined).map(({ code, count }) => [code, count] as const)
  draft.askWithoutLine(
    `are conditions of these categories diagnoses of the visit? They are sent as diagnoses only if an encounter lists them:  ${
      openCodes(byFrequency(shown), codes.length - shown.length) ?? plural(records, "condition")
    }`,
    `If they are, add the codes:  constant: {diagnosis_categories: ${quotedText(`${diagnoses} CODE`)}}`
  )
}

/** The category of conditions that are complaints. */
const complaint = "chief-complaint"

/** Addresses of ICD-10 that differ from the one the base mapping expects. */
const otherIcd10 = /^urn:oid:2\.16\.840\.1\.113883\.6\.(?:3|90)$|icd-?10/iu

/** Addresses of national editions among them: `icd-10-xx`. ICD-10-PCS codes procedures. */
const nationalIcd10 = /^urn:oid:2\.16\.840\.1\.113883\.6\.90$|icd-?10-?(?!who|pcs)[a-z]{2,3}(?![a-z])/iu

/**
 * Counts conditions by the systems of their codes. `coded`: the mapping sends the code, or can send it like those of the national editions
 * that it knows. `national` are such editions that it does not know. `otherSpellings` are other addresses of ICD-10.
 */
const conditionsBySystem = (findings: Findings, leaf: LeafPlan) => {
  const sendsNational = leaf.paths.some(({ text }) => hasWord(text, "nationalIcd10"))
  let all = 0
  let coded = 0
  const national = new Map<string, number>()
  const others = new Map<string, number>()
  const otherSpellings = new Map<string, number>()
  for (const [key, { records }] of findings.profiler.facts.conditionSystems.entries()) {
    all += records
    const systems = key.startsWith("(") ? [] : key.split("\n")
    const spelling = systems.find((system) => otherIcd10.test(system) && isPlainAddress(system))
    if (systems.some((system) => isSent(findings, leaf, system))) coded += records
    else if (spelling === undefined) { for (const system of systems) increment(others, system, records) }
    else if (sendsNational && nationalIcd10.test(spelling)) {
      coded += records
      increment(national, spelling, records)
    } else increment(otherSpellings, spelling, records)
  }
  return { all, coded, national, others, otherSpellings }
}

/** Whether the mapping sends codes of a system as codes of diagnoses. */
const isSent = ({ plan }: Findings, leaf: LeafPlan, system: string): boolean => {
  const condition = plan.fhirPath.elementOf({
    origin: { file: "", line: 1, reference: "Condition" },
    resource: { resourceType: "Condition", code: { coding: [{ system, code: "A00" }] } }
  })
  return leaf.paths.some((path) => {
    const found = valuesOfPath(path, [condition], plan.constants, readingScope)
    return !isPathFault(found) && found.length > 0
  })
}

/** Suggests a row for each code whose ICD-10 code is known, and adds a question for the others. Returns whether every code has a row. */
const suggestRows = (findings: Findings, map: ReadonlyArray<string>, draft: Draft): boolean => {
  const icd10 = constantOf(findings.plan, "icd10")
  const form = new RegExp(icd10Form, "u")
  const codes = codesAt(findings, "Condition", "code")
  const open: Array<readonly [string, number]> = []
  let rows = 0
  let missing = 0
  let hidden = 0
  for (const { code, count, shown, system } of codes?.all() ?? []) {
    const known = findings.icd10.get(code)
    const row = [...map, "table", code]
    if (known !== undefined && shown !== undefined) {
      draft.propose(row, known, shown.display === null ? "" : `${printable(shown.display)}; `)
      rows++
    } else if (known === undefined && shown !== undefined && system === "" && form.test(code)) {
      draft.doubt(row, quotedText(code), `${plural(count, "condition")}; the form of ICD-10`)
      rows++
    } else {
      missing++
      if (shown === undefined) hidden++
      else if (!otherIcd10.test(system) && (icd10 === "" || !system.startsWith(icd10))) open.push([code, count])
    }
  }
  const words = codes?.words ?? 0
  const unmapped = [
    openCodes(byFrequency(open), hidden) ?? [],
    words === 0 ? [] : `${plural(words, "condition")} with words only`
  ].flat().join(", ")
  if (unmapped !== "") {
    draft.ask(
      [...map, "list"],
      "diagnoses",
      `what are these diagnoses in ICD-10? Fill in tables/diagnosis_code.csv; an unmapped code rejects its visit:  ${unmapped}`
    )
  }
  return missing + words === 0 && rows > 0
}

const byFrequency = (counts: Iterable<readonly [string, number]>): ReadonlyArray<readonly [string, number]> =>
  [...counts].toSorted(([, a], [, b]) => b - a)

const mainSystem = (systems: ReadonlyMap<string, number>): string => {
  const main = byFrequency(systems).find(([system]) => isPlainAddress(system))
  return main === undefined ? "" : `, most are of ${printable(main[0])}`
}

/** Elements with the code of a medicine. */
const medicineElements = [
  ["MedicationRequest", "medicationCodeableConcept"],
  ["MedicationDispense", "medicationCodeableConcept"],
  ["MedicationAdministration", "medicationCodeableConcept"],
  ["Medication", "code"]
] as const

/** The paths of the base mapping, with their assumptions: whole concepts instead of codes, because a code table has rows for their systems. */
const medicineCodePaths = `[${
  ([
    ["medicine().firstOfSeveralCodes(%medication_system)", "first-of-several-medicine-codes"],
    ["medicine().conceptCode(%medication_system)"],
    ["medicine().where(coding.code.distinct().count() > 1)", "first-of-several-code-systems"],
    ["medicine().where(coding.code.exists())"],
    ["medicineName()", "name-is-code"]
  ] as const).map(([path, assume]) =>
    assume === undefined ? quotedText(path) : `{path: ${quotedText(path)}, assume: ${assume}}`
  ).join(", ")
}]`

/** Suggests a concept map for medicines whose codes are not the service's: they are listed and sent with a warning each. */
export const suggestMedicineCodes = (findings: Findings, draft: Draft): void => {
  const field = ["prescriptions", "medications", "code"]
  const own = constantOf(findings.plan, "medication_system")
  if (own === "" || isNeverEmpty(findings.plan, field) || findings.plan.conceptMaps.has("medicine_code")) return
  const systems = new Map<string, number>()
  for (const [type, element] of medicineElements) {
    for (const [system, count] of codesAt(findings, type, element)?.systems() ?? []) {
      if (system !== own) increment(systems, system, count)
    }
  }
  if (systems.size === 0) return
  const shown = [...systems].map(([system, count]) =>
    `${number(count)} of ${isPlainAddress(system) ? printable(system) : system === "" ? "no system" : "another system"}`
  )
  const map = ["conceptMap", "medicine_code"]
  draft.ask(
    [...map, "unmapped"],
    assumedProvided(draft),
    `what are these codes of medicines at the service? Fill in tables/medicine_code.csv:  ${shown.join(", ")}`
  )
  draft.put([...map, "list"], "medications")
  draft.put(["visit", ...field, "path"], medicineCodePaths)
  draft.put(["visit", ...field, "conceptMap"], "medicine_code")
}
