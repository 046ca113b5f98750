import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { modifierProblem, type ModifierRules, unknownModifier } from "./modifiers.ts"
import type { VisitGroup } from "./VisitGroup.ts"

/** Records that visits must report. */
export interface RecordsToReport {
  /**
   * Records that rows and fields do not read, each with its problem. They have a modifier that the mapping does not understand, or are not
   * about a patient.
   */
  readonly records: Map<SourceRecord, Diagnostic>
  /** Records of patients with a status that FHIR R4 does not define, so it is unknown whether they count. */
  readonly doubtful: Map<SourceRecord, Diagnostic>
  /** Records of both kinds that lines find by the patient. */
  readonly ofPatient: Map<SourceRecord, Set<SourceRecord>>
}

/**
 * Returns the group without records that must not be used. Its encounters and its patient are kept, because for them such a modifier is an
 * error.
 */
export const withoutModified = (
  group: VisitGroup,
  { doubtful, ofPatient, records }: RecordsToReport,
  rules: ModifierRules
): VisitGroup => {
  const { encounters, patient, root } = group
  const problems: Array<Diagnostic> = []
  const own = new Set([root, ...encounters, ...group.records.get(root.resource.resourceType) ?? []])
  if (patient !== undefined) own.add(patient)
  for (const record of own) {
    const modifier = unknownModifier(record, rules)
    if (modifier !== undefined) problems.push(modifierProblem(record, modifier, "error"))
  }
  let kept = group.records
  if (records.size > 0) {
    kept = new Map(
      Array.from(kept, ([type, list]) => [type, list.filter((record) => own.has(record) || !records.has(record))])
    )
    const ofThePatient = patient === undefined ? [] : ofPatient.get(patient) ?? []
    for (const record of new Set([...[...group.records.values()].flat(), ...ofThePatient])) {
      const problem = own.has(record) ? undefined : records.get(record)
      if (problem !== undefined) problems.push(problem)
    }
  }
  if (doubtful.size > 0 && patient !== undefined) {
    for (const record of ofPatient.get(patient) ?? []) {
      const doubt = records.has(record) ? undefined : doubtful.get(record)
      // `statusProblems` checks the records of the visit itself.
      if (doubt !== undefined && group.records.get(record.resource.resourceType)?.includes(record) !== true) {
        problems.push(doubt)
      }
    }
  }
  return problems.length === 0 ? group : { ...group, records: kept, problems: [...group.problems, ...problems] }
}
