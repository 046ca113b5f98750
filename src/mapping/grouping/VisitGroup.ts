import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { GroupingRemark, TimeWindow } from "./GroupingPlan.ts"

/** All records of one visit, before mapping. */
export interface VisitGroup {
  /** The root encounter of this visit: the top of `partOf`. */
  readonly root: SourceRecord
  /** The encounters that become rows of the visit, the main one (earliest start) first. Never empty. */
  readonly encounters: ReadonlyArray<SourceRecord>
  readonly patient: SourceRecord | undefined
  /** Records of the visit by resource type, each list in the index's order; encounters included. */
  readonly records: ReadonlyMap<string, ReadonlyArray<SourceRecord>>
  /** The encounter that assigned a record to the visit, by any path. */
  readonly encounterOf: (record: SourceRecord) => SourceRecord | undefined
  readonly problems: ReadonlyArray<Diagnostic>
  /** Records of encounters below the root that are not part of the visit, such as a cancelled one. */
  readonly ofExcluded?: ReadonlyArray<SourceRecord>
  /** The assumptions by which records are in the visit. */
  readonly assumed: ReadonlyMap<SourceRecord, ReadonlyArray<GroupingRemark>>
  /** Codes without a table row that the grouping looked up. */
  readonly unmapped: ReadonlyArray<UnmappedCode>
}

/** Returns the records of a visit and its patient, each once. */
export const recordsOfGroup = ({ encounters, patient, records, root }: VisitGroup): ReadonlySet<SourceRecord> =>
  new Set([root, ...encounters, ...(patient === undefined ? [] : [patient]), ...[...records.values()].flat()])

/** Why a record is in no visit. */
export type UnassignedRecord =
  /** It refers to no encounter, and no linked record does. */
  | { readonly why: "no-link" }
  /** It refers to an encounter that is not in the input. */
  | { readonly why: "dangling" }
  /** Its encounter is not a visit as the mapping defines it, or it is such an encounter itself. */
  | { readonly why: "not-a-visit" }
  /** It is an encounter that can be a visit or a part of one, but its top is not a visit. */
  | { readonly why: "part-of-none" }
  /** A path of the grouping failed on it, so its visit is unknown. */
  | { readonly why: "path-failed"; readonly problem: Diagnostic }
  /** It was looked up by patient and time, and matches no visit or several. */
  | { readonly why: "no-time" | "no-patient" | "no-visit-then" | "several-visits"; readonly window: TimeWindow }

/** The result of grouping the records of a run. */
export interface Grouping {
  /** The selected visits, in the order of their patients' names and then of their roots. */
  readonly groups: ReadonlyArray<VisitGroup>
  /** Records that could belong to a visit and do not. */
  readonly unplaced: ReadonlyMap<SourceRecord, UnassignedRecord>
  /** Records that were assigned by their patient and time. */
  readonly placedByTime: ReadonlySet<SourceRecord>
  /** Records of types that belong to a patient, by patient. */
  readonly ofPatient: (patient: SourceRecord, type: string) => ReadonlyArray<SourceRecord>
}
