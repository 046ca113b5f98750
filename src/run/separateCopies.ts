import { runScope } from "../mapping/apply/scope/runScope.ts"
import { visitsOfCopies } from "../mapping/grouping/groupByEncounter.ts"
import type { MappingPlan } from "../mapping/MappingPlan.ts"
import type { RecordIndex } from "../source/records/RecordIndex.ts"

/** Returns the records of a run, in which a record that several documents contain is one record in the visit of each. */
export const separateCopies = (
  records: RecordIndex,
  plan: MappingPlan,
  settings: { readonly facility: string | null; readonly system: string | null; readonly zone: string }
): RecordIndex => {
  const copies = records.copiesInBundles(plan.grouping.bundles)
  if (copies.length === 0) return records
  const visits = visitsOfCopies({
    source: records,
    plan: plan.grouping,
    fhirPath: plan.fhirPath,
    variables: Object.create(plan.constants),
    scope: runScope(plan, records, settings),
    read: plan.followed.types,
    elements: plan.followed.elements,
    assigned: plan.followed.assigned
  }, copies)
  return records.withVisitsOfCopies(visits)
}
