import { historyNames } from "../components/MedicalHistory.ts"
import { examinationNames } from "../components/PhysicalExamination.ts"
import { observationNames } from "../components/VitalSign.ts"
import { entriesOf, type ReportProblem, type Rule, textAt, type UnvalidatedVisit } from "./Rule.ts"

const signs: ReadonlySet<string> = new Set(observationNames)
const histories: ReadonlySet<string> = new Set(historyNames)
const examinations: ReadonlySet<string> = new Set(examinationNames)

/**
 * Checks that observations, histories and examinations have names from the specification or the settings. The specification does not define
 * whether the service accepts others. A record of vital signs has one value per name.
 */
export const namesAreUsed: Rule = (visit, settings, report) => {
  const records = entriesOf(visit, "vital_signs")
  for (let index = 0; index < records.length; index++) signsOf(records[index]!, index, report)
  named(visit, "medical_histories", histories, settings.historyNames, report)
  named(visit, "physical_examinations", examinations, settings.examinationNames, report)
}

const named = (
  visit: UnvalidatedVisit,
  list: string,
  used: ReadonlySet<string>,
  more: ReadonlyArray<string>,
  report: ReportProblem
): void => {
  if (more.includes("*")) return
  const entries = entriesOf(visit, list)
  for (let index = 0; index < entries.length; index++) {
    const name = textAt(entries[index]!, "name")
    if (name === undefined || used.has(name) || more.includes(name)) continue
    report(other([list, index, "name"]))
  }
}

const other = (path: ReadonlyArray<string | number>) =>
  ({
    code: "unknown-list-value",
    severity: "warning",
    path,
    title: "`name` is not one of the names that the specification uses here",
    help: "the service may not know it"
  }) as const

const signsOf = (record: UnvalidatedVisit, at: number, report: ReportProblem): void => {
  const observations = entriesOf(record, "observations")
  for (let index = 0; index < observations.length; index++) {
    const name = textAt(observations[index]!, "name")
    if (name === undefined) continue
    if (!signs.has(name)) report(other(["vital_signs", at, "observations", index, "name"]))
    for (let before = 0; before < index; before++) {
      if (observations[before]!.name !== name) continue
      report({
        code: "contradiction",
        severity: "warning",
        path: ["vital_signs", at, "observations", index, "name"],
        title: "the record has a value of this name already"
      })
      break
    }
  }
}
