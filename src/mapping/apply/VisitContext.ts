import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Elements, Variables } from "../../fhirpath/FhirPath.ts"
import { recordOf } from "../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import type { BranchPlan, FieldPlan, LeafPlan, MappingPlan, PathPlan } from "../MappingPlan.ts"
import type { LeafContext } from "./FieldContext.ts"

export type SectionRow = Record<string, unknown>

/** A record that may become a row. */
export interface Candidate {
  readonly record: SourceRecord
  /** The element that stands for it, alone. */
  readonly focus: Elements
  /** The source states a number for it, in some list. */
  readonly numbered: boolean
  /** So many of the first conditions of its branch are known to hold. */
  readonly holds: number
}

/** What a row stands on, and the number the source gives it. */
export interface FoundRow {
  readonly focus: Elements
  readonly number?: number | undefined
}

/** Where a row of the draft came from; its place in the visit is known once its siblings are sorted. */
export interface RowProvenance {
  readonly row: SectionRow
  readonly parent: SectionRow | null
  readonly name: string
  readonly branch: BranchPlan
  readonly focus: Elements
  readonly variables: Variables
  index: number | null
  /** Of a row of an examination: the object in the visit that has its name for a key. */
  finding?: SectionRow
  /** It is left out. */
  dropped: boolean
}

/** A record that a line reads and a condition of it keeps out. */
export interface Exclusion {
  readonly record: SourceRecord
  /** The section it is no row of: `laboratories`. */
  readonly section: string
  readonly condition: PathPlan
  /** How many conditions before it hold. */
  readonly passed: number
}

/** A problem of a field, which is named once its row has its place. */
export interface PendingProblem {
  readonly row: SectionRow | null
  readonly name: string
  readonly diagnostic: Diagnostic
}

/** A field whose paths went to other records than those of its row. */
export interface Lookup {
  /** The section of the row: `laboratories`. */
  readonly section: string
  readonly leaf: LeafPlan
  readonly row: SectionRow
  readonly focus: Elements
  readonly variables: Variables
  readonly records: ReadonlyArray<SourceRecord>
  /** The records whose values the field holds, once `recordsIn` has found them: for all visits that share the field. */
  readonly traced: { sources: Iterable<SourceRecord> | undefined }
}

/** What differs between the ways in which a visit is made. */
export type MappingContext = Pick<VisitContext, "scope" | "standing" | "unmapped" | "within">

/** What a field is, where it stands. */
export type MakeField = (making: VisitContext, variables: Variables) => unknown

/** One visit while it is made. */
export interface VisitContext extends LeafContext {
  readonly plan: MappingPlan
  readonly scope: EvaluationScope
  readonly visit: SectionRow
  /** The variables where a row stands. */
  readonly standing: (parent: Elements, rowIndex: unknown) => Variables
  /** The variables that rows within are looked for by: their own index is not known yet, it is that of the row around. */
  readonly within: (parent: Elements, around: Variables) => Variables
  readonly inVisit: (type: string) => ReadonlyArray<Candidate>
  /** Records of the visit's patient that the conditions of a branch do not keep out, as far as records alone tell. */
  readonly ofPatient: (branch: BranchPlan, type: string, section: string) => ReadonlyArray<Candidate>
  /** Makes a field of a row that stands on one record of the patient: once for all visits, where it needs nothing else. */
  readonly onceForPatient: (
    field: FieldPlan,
    focus: Elements,
    variables: Variables,
    row: SectionRow,
    make: MakeField
  ) => unknown
  readonly refused: ((refusal: Exclusion) => void) | undefined
  /** In the order in which they were made, rows around before rows within. */
  readonly stories: Array<RowProvenance>
  readonly pending: Array<PendingProblem>
  /** Records that functions have gone to since the last field was made. */
  readonly reads: Array<SourceRecord>
  readonly lookups: Array<Lookup>
}

/** The record a focus stands in, as a diagnostic names it. */
export const sourceOf = (focus: Elements): Pick<Diagnostic, "source" | "origin"> => {
  const record = recordOf(focus[0])
  return record === undefined ? {} : { source: record.origin.reference, origin: record.origin }
}
