import {
  type Element,
  type Elements,
  evaluatePath,
  type FhirPath,
  recordOf,
  valueOf,
  valuesOfPath,
  type Variables
} from "../../fhirpath/FhirPath.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { ConceptMap } from "../codes/ConceptMap.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import type { GroupingPath, GroupingPlan } from "./GroupingPlan.ts"
import type { GroupingReports } from "./GroupingReports.ts"

/** The records of a run as grouping requires them, in an order that does not depend on the files. */
export interface RecordSource {
  readonly types: Iterable<string>
  readonly all: (type: string) => ReadonlyArray<SourceRecord>
  readonly resolve: (reference: unknown, from: SourceRecord, quietly?: "quietly") => SourceRecord | undefined
}

/** What grouping needs of a run. */
export interface GroupingOptions {
  readonly source: RecordSource
  readonly plan: GroupingPlan
  readonly fhirPath: Pick<FhirPath, "elementOf">
  readonly variables: Variables
  readonly scope: EvaluationScope
  /** The tables that the help of an unmapped code refers to. */
  readonly conceptMaps?: ReadonlyMap<string, ConceptMap>
  /** Selects the visits to make, by their root (default: all). */
  readonly wanted?: (root: SourceRecord) => boolean
  /** Types whose records make a visit (default: all). */
  readonly read?: ReadonlySet<string> | undefined
  /** Names of elements that the mapping reads (default: all). */
  readonly elements?: ReadonlySet<string> | undefined
  /** Types whose records are put into their visits (default: all). Those that are not read are only reported. */
  readonly assigned?: ReadonlySet<string> | undefined
}

/** The same, and what its paths have reported so far. */
export interface GroupingContext extends GroupingOptions {
  readonly reports: GroupingReports
}

/** Returns the elements that a path finds on a record. What it reports is noted; a path that fails finds nothing. */
export const evaluateOn = (context: GroupingContext, path: GroupingPath, record: SourceRecord): Elements =>
  context.reports.note(
    record,
    path,
    evaluatePath(path, [context.fhirPath.elementOf(record)], context.variables, context.scope)
  )

/** Like `evaluateOn`, for a path of which only the values are needed. */
export const valuesOn = (context: GroupingContext, path: GroupingPath, record: SourceRecord): Elements =>
  context.reports.note(
    record,
    path,
    valuesOfPath(path, [context.fhirPath.elementOf(record)], context.variables, context.scope)
  )

/** Returns the record that an element is, or refers to. A value without its element is one of `from`. */
export const targetOf = (
  context: GroupingContext,
  element: Element,
  from: SourceRecord,
  quietly?: "quietly"
): SourceRecord | undefined => {
  const value = valueOf(element)
  if (isJsonObject(value) && "resourceType" in value) return element === value ? from : recordOf(element)
  return context.source.resolve(value, recordOf(element) ?? from, quietly)
}
