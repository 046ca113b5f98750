import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { ZoneScope } from "../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { ConceptMap } from "../codes/ConceptMap.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { ValueRemark } from "../MappingPlan.ts"

/** A business identifier of a record, and what each visit reports that uses it. It is found once, and used by many visits. */
export interface RecordKey {
  readonly code: string | undefined
  /** A path failed, so the code is not known. */
  readonly fault?: Diagnostic
  readonly warnings: ReadonlyArray<Diagnostic>
  readonly assumed: ReadonlyArray<ValueRemark>
  readonly unmapped: ReadonlyArray<UnmappedCode>
  /** The records that its paths reached. */
  readonly read: ReadonlyArray<SourceRecord>
  /** Returns the records whose values are in the code, if its paths reached other records. */
  readonly sourcesOf?: () => ReadonlySet<SourceRecord>
}

/** What functions of the mapping language can read from the run and the visit they are evaluated for. */
export interface EvaluationScope extends ZoneScope {
  /** Returns the target of a Reference (or its text); `undefined` if it is not in the input, or must not be used. */
  readonly resolve: (reference: unknown, from: SourceRecord) => SourceRecord | undefined
  /** Returns the records whose element (`Type.element`) refers to `target`, without those that must not be used. */
  readonly reverse: (target: SourceRecord, element: string) => ReadonlyArray<SourceRecord>
  /** Like `resolve` and `reverse`, also with records that must not be used. */
  readonly anyTarget: (reference: unknown, from: SourceRecord, quietly?: "quietly") => SourceRecord | undefined
  readonly anyReverse: (target: SourceRecord, element: string) => ReadonlyArray<SourceRecord>
  /** Returns a business identifier of a record. */
  readonly keyOf: (name: string, record: SourceRecord) => RecordKey
  /** Called for each warning of a key that is used. */
  readonly keyWarning: (warning: Diagnostic) => void
  readonly conceptMap: (name: string) => ConceptMap | undefined
  /** Returns the records of a type in the visit, or of its patient. Empty during grouping. */
  readonly inVisit: (type: string) => ReadonlyArray<SourceRecord>
  readonly ofPatient: (type: string) => ReadonlyArray<SourceRecord>
  /** The encounters of the visit, the main encounter first. */
  readonly encounters: ReadonlyArray<SourceRecord>
  /** Returns the encounter by which a record was assigned to the visit. */
  readonly encounterOf: (record: SourceRecord) => SourceRecord | undefined
  /** Called for each unmapped code. */
  readonly unmapped: (code: UnmappedCode) => void
  /** Called for each row, or policy, of a concept map that is an assumption. */
  readonly assumed: (remark: ValueRemark) => void
  /** Called when a function reads a record other than by a variable or the row: a value of it may be in the current field. */
  readonly read: (record: SourceRecord) => void
}
