import { firstArgumentsOf } from "../../fhirpath/FhirPath.ts"
import type { TableLayout } from "../../source/tables/TableLayout.ts"
import { clinicalTypes } from "../clinicalTypes.ts"
import type { GroupingPlan } from "../grouping/GroupingPlan.ts"
import { groupingPaths } from "../grouping/GroupingPlan.ts"
import type { FollowedLinks } from "../MappingPlan.ts"
import type { UsedNames } from "./expressions/PathScope.ts"

/** What decides which records a mapping reads. */
interface RecordSelection {
  readonly grouping: GroupingPlan
  /** Elements that function bodies follow backwards. */
  readonly inFunctions: ReadonlySet<string>
  readonly tables: ReadonlyArray<TableLayout>
  /** Types whose records are rows of a visit. */
  readonly visitTypes: ReadonlySet<string>
}

/** Returns how a mapping's expressions go from record to record, from the names they use. */
export const followedBy = (
  { backwards, followsTexts, types, words }: UsedNames,
  { grouping, inFunctions, tables, visitTypes }: RecordSelection
): FollowedLinks => {
  const inGrouping = new Set(groupingPaths(grouping).flatMap(({ text }) => firstArgumentsOf(text, "reverseResolve")))
  const read = types.has("*") ? undefined : new Set([
    ...types,
    ...visitTypes,
    ...grouping.patientScope.keys(),
    ...[...backwards].map((element) => element.replace(/\..*$/u, "")),
    ...tables.map(({ name }) => name),
    grouping.rootType
  ])
  return {
    backwards: backwards.has("*") ? undefined : backwards,
    backwardsToVisit: new Set(
      [...backwards].filter((element) => inFunctions.has(element) || inGrouping.has(element))
    ),
    texts: followsTexts.size > 0,
    types: read,
    assigned: read === undefined ? undefined : new Set([...read, ...clinicalTypes]),
    elements: words.has("*") ? undefined : words
  }
}
