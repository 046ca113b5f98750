import type { Diagnostic, Severity } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { VisitProvenance } from "./FieldProvenance.ts"

/** A field of a visit with its indexes: `["vital_signs", 3, "recorded_by"]`. */
export type DraftPath = ReadonlyArray<string | number>

/** The mapping line and the record that made a value. */
export interface Provenance {
  /** Finds the systems of the record's codes, if the path uses a constant as a system. Few problems need them. */
  readonly systems?: () => FoundSystems | undefined
  readonly mapping: Span
  /** The expression; absent if the mapping states the value itself. */
  readonly path?: string
  readonly record?: SourceRecord
  /** The severity of a missing value according to the mapping. */
  readonly required: Severity | "none"
}

/** The constant that a path uses as a system, and the systems the record has. */
export interface FoundSystems {
  readonly of: "identifier" | "coding"
  readonly constant: string
  readonly found: ReadonlyArray<string>
  /** The key whose paths use it, such as `patient`. */
  readonly key?: string
}

export interface UnmappedCode {
  readonly table: string
  readonly system: string | null
  readonly code: string
  readonly display: string | null
  /** Free text in place of a missing code, so it can be anything. */
  readonly words?: true
  /** The field requires it: the visit is rejected unless another path finds a value. */
  readonly blocking: boolean
}

/** The visit that a mapping made: every field of the specification with its provenance, valid or not. */
export interface VisitDraft {
  /** The root encounter of the visit; its code may not exist yet. */
  readonly root: SourceRecord
  /** The visit as made by the mapping, possibly incomplete, with keys in the specification's order. */
  readonly visit: Readonly<Record<string, unknown>>
  readonly problems: ReadonlyArray<Diagnostic>
  /** The assumptions of the visit, each with its first use; one that is not accepted is a problem. */
  readonly assumed: ReadonlyArray<Diagnostic>
  readonly unmapped: ReadonlyArray<UnmappedCode>
  /** The provenance of a field, or of the nearest component around it if the field itself has no line. */
  readonly provenanceOf: (path: DraftPath) => Provenance | undefined
  /** The complete provenance of a field or section, computed on request; `undefined` if the mapping has no such field. */
  readonly explainField: (path: DraftPath) => VisitProvenance | undefined
  /**
   * The records that the visit holds a value of, or a code that was made for them. Those in `known` are decided in another visit: only the
   * ones of this visit's group are certain to be returned.
   */
  readonly recordsIn: (known?: Pick<ReadonlySet<SourceRecord>, "has">) => ReadonlySet<SourceRecord>
}

/** Parses a path that `fieldText` wrote, or that the service names: `vital_signs.3.recorded_by`. */
export const fieldPath = (text: string): DraftPath =>
  (text.match(/[^.[\]]+/gu) ?? []).map((step) => (/^\d+$/u.test(step) ? Number(step) : step))

/** `vital_signs[3].recorded_by` */
export const fieldText = (path: DraftPath): string => {
  let text = ""
  for (const step of path) text = typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`
  return text
}
