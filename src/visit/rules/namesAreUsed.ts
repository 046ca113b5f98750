import { historyNames } from "../components/MedicalHistory.ts"
import { examinationNames } from "../components/PhysicalExamination.ts"
import { signNames } from "../components/VitalSign.ts"
import { entriesOf, type ReportProblem, type Rule, textAt, type UnvalidatedVisit } from "./Rule.ts"

const signs: ReadonlySet<string> = new Set(signNames)
const histories: ReadonlySet<string> = new Set(historyNames)
const examinations: ReadonlySet<string> = new Set(examinationNames)

/**
 * Checks that observations, histories and examinations have names from the specification or the settings. The specification does not define
 * whether the service accepts others. A record of vital signs has one value per name.
 */
export const namesAreUsed: Rule = (visit, settings, report) => {
  entriesOf(visit, "vital_signs").forEach((record, index) => checkSigns(record, index, report))
  checkNames(visit, "medical_histories", histories, settings.historyNames, report)
  checkNames(visit, "physical_examinations", examinations, settings.examinationNames, report)
}

const checkNames = (
  visit: UnvalidatedVisit,
  list: string,
  documented: ReadonlySet<string>,
  configured: ReadonlyArray<string>,
  report: ReportProblem
): void => {
  if (configured.includes("*")) return
  entriesOf(visit, list).forEach((entry, index) => {
    const name = textAt(entry, "name")
    if (name === undefined || documented.has(name) || configured.includes(name)) return
    report(unknownName([list, index, "name"]))
  })
}

const unknownName = (path: ReadonlyArray<string | number>) =>
  ({
    code: "unknown-list-value",
    severity: "warning",
    path,
    title: "`name` is not one of the names that the specification uses here",
    help: "the service may not know it"
  }) as const

const checkSigns = (record: UnvalidatedVisit, at: number, report: ReportProblem): void => {
  const observations = entriesOf(record, "observations")
  observations.forEach((observation, index) => {
    const name = textAt(observation, "name")
    if (name === undefined) return
    if (!signs.has(name)) report(unknownName(["vital_signs", at, "observations", index, "name"]))
    if (observations.findIndex((other) => other.name === name) === index) return
    report({
      code: "contradiction",
      severity: "warning",
      path: ["vital_signs", at, "observations", index, "name"],
      title: "the record already has a value of this name"
    })
  })
}
