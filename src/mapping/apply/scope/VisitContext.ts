import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { Elements, Variables } from "../../../fhirpath/FhirPath.ts"
import { recordOf } from "../../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import type { BranchPlan, LeafPlan, MappingPlan, PathPlan } from "../../MappingPlan.ts"
import type { LeafContext } from "../fields/FieldContext.ts"
import type { OpenVisitScope } from "./OpenVisitScope.ts"
import type { FoundUnmappedCode } from "./VisitReports.ts"
import type { VisitVariables } from "./visitVariables.ts"

export type SectionRow = Record<string, unknown>

/** A record that may become a row. */
export interface Candidate {
  readonly record: SourceRecord
  /** Only the element that represents it. */
  readonly focus: Elements
  /** The source states a number for it in some list. */
  readonly numbered: boolean
}

/** The focus of a row, and the number the source gives the row. */
export interface FoundRow {
  readonly focus: Elements
  readonly number?: number | undefined
}

/** The origin of a row of the draft. Its position in the visit is known after its siblings are sorted. */
export interface RowProvenance {
  readonly row: SectionRow
  readonly parent: SectionRow | null
  readonly name: string
  readonly branch: BranchPlan
  readonly focus: Elements
  readonly variables: Variables
  /** The number that the source gives the row. */
  readonly number: number | undefined
  index: number | null
  /** For a row of an examination: the object in the visit that has its name as the key. */
  finding?: SectionRow
  dropped: boolean
  /** The fields without a value for which it is dropped, if these are the reason. */
  lacks?: ReadonlyArray<string>
  /** How some of its fields were found: those whose paths reached other records, and in a row of several elements those with a choice. */
  filled?: Array<FilledField>
}

/** A record that a line reads and that one of its conditions excludes. */
export interface Exclusion {
  readonly record: SourceRecord
  /** The section that excludes it: `laboratories`. */
  readonly section: string
  readonly condition: PathPlan
  /** Number of conditions before it that hold. */
  readonly passed: number
}

/** A problem of a field, whose path is set after its row has a position. */
export interface PendingProblem {
  readonly row: SectionRow | null
  readonly name: string
  readonly diagnostic: Diagnostic
}

/** A field that a path has filled. */
export interface FilledField {
  readonly made: RowProvenance
  readonly leaf: LeafPlan
  /** The path that found its value. */
  readonly path: PathPlan
  /** The records that its paths have read; empty if they read none but that of the row. */
  readonly records: ReadonlyArray<SourceRecord>
}

/** The state of one visit while it is made. */
export interface VisitContext extends LeafContext {
  readonly plan: MappingPlan
  readonly scope: OpenVisitScope
  readonly visit: SectionRow
  readonly visitVariables: VisitVariables
  /** The variables at the position of a row. */
  readonly variablesAt: (parent: Elements, rowIndex: unknown) => Variables
  readonly inVisit: (type: string) => ReadonlyArray<Candidate>
  readonly ofPatient: (type: string) => ReadonlyArray<Candidate>
  /** Receives each record of the visit that a condition excludes from a section. */
  readonly excluded: ((exclusion: Exclusion) => void) | undefined
  /** All rows, in the order in which they were made: parent rows before nested rows. */
  readonly rows: Array<RowProvenance>
  readonly pending: Array<PendingProblem>
  readonly unmappedCodes: Array<FoundUnmappedCode>
  /** Records that functions have reached since the last field was made. */
  readonly reads: Array<SourceRecord>
  /** Problems of keys that a field has reported. */
  readonly reportedKeys: Set<Diagnostic>
  /** Discards what functions have reported in the latest evaluation. */
  readonly forget: () => void
  /** Returns whether functions have reported something since. */
  readonly hasReports: () => boolean
  /** Reports it for a path and what the path found. */
  readonly report: (path: PathPlan, found: Elements, focus: Elements, row: SectionRow | null, name: string) => void
  /** The records of the visit that fields of most rows read: its root, its main encounter and its patient. */
  readonly near: ReadonlyArray<SourceRecord>
  /** The fields whose paths reached other records than that of their row. */
  readonly lookups: Array<FilledField>
  /** Those whose paths reached other records than near ones, too. */
  readonly farLookups: Array<FilledField>
}

/** The record of a focus, as a diagnostic names it. */
export const sourceOf = (focus: Elements): Pick<Diagnostic, "source" | "origin"> => {
  const record = recordOf(focus[0])
  return record === undefined ? {} : { source: record.origin.reference, origin: record.origin }
}

/** Returns whether a field has no value. */
export const isBlankValue = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
