import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { ConceptMap } from "../apply/ConceptMap.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"

/** What the functions of the mapping language may ask about the run and the visit they are evaluated for. */
export interface EvaluationScope {
  /** IANA name of the facility's time zone. */
  readonly zone: string
  /** The record a Reference (or its text) names; `undefined` when it is not in the input. */
  readonly resolve: (reference: unknown, from: SourceRecord) => SourceRecord | undefined
  /** The records whose element (`Type.element`) refers to `target`. */
  readonly reverse: (target: SourceRecord, element: string) => ReadonlyArray<SourceRecord>
  /** A business identifier of a record. */
  readonly keyOf: (name: string, record: SourceRecord) => string | undefined
  readonly conceptMap: (name: string) => ConceptMap | undefined
  /** Records of a type in the visit, or of its patient. Empty while records are still being grouped. */
  readonly inVisit: (type: string) => ReadonlyArray<SourceRecord>
  readonly ofPatient: (type: string) => ReadonlyArray<SourceRecord>
  /** The encounters of the visit, the main one first. */
  readonly encounters: ReadonlyArray<SourceRecord>
  /** The encounter that a record of the visit was placed by. */
  readonly encounterOf: (record: SourceRecord) => SourceRecord | undefined
  /** A code that has no row in a concept map was met. */
  readonly unmapped: (code: UnmappedCode) => void
  /** A function went to a record other than by a variable or the row: a value of it may be in the field that is being made. */
  readonly read: (record: SourceRecord) => void
}
