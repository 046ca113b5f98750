import type { Diagnostic, Severity } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { VisitProvenance } from "./FieldProvenance.ts"

/** A field of a visit with its indexes: `["vital_signs", 3, "recorded_by"]`. */
export type DraftPath = ReadonlyArray<string | number>

/** Which line of the mapping and which record made a value. */
export interface Provenance {
  /** Where the path looks in a system that a constant names: that constant, and the systems the record has. */
  readonly systems?: {
    readonly of: "identifier" | "coding"
    readonly constant: string
    readonly found: ReadonlyArray<string>
  }
  readonly mapping: Span
  /** The expression; missing when the mapping states the value itself. */
  readonly path?: string
  readonly record?: SourceRecord
  /** How much the mapping says a missing value matters. */
  readonly required: Severity | "none"
}

/** A code that had no row in its concept map. */
export interface UnmappedCode {
  readonly table: string
  readonly system: string | null
  readonly code: string
  readonly display: string | null
  /** Words that stand where a code is missing: anything may have been written there. */
  readonly words?: true
  /** The field cannot be sent without it: the visit is rejected unless another path finds a value. */
  readonly blocking: boolean
}

/** A visit on its way out of a mapping: every field of the specification, and the story of each, valid or not. */
export interface VisitDraft {
  /** The encounter the visit grew from; its code may not exist yet. */
  readonly root: SourceRecord
  /** The visit as far as the mapping could make it, keys in the specification's order. */
  readonly visit: Readonly<Record<string, unknown>>
  readonly problems: ReadonlyArray<Diagnostic>
  /** The assumptions that it is made under, each with the first place it is made at; what nobody has accepted is a problem. */
  readonly assumed: ReadonlyArray<Diagnostic>
  readonly unmapped: ReadonlyArray<UnmappedCode>
  /** The story of a field; of the nearest component around it when the field itself has no line. */
  readonly provenanceOf: (path: DraftPath) => Provenance | undefined
  /** The whole story of a field or section, found out when it is asked for; `undefined` when the mapping has no such field. */
  readonly storyOf: (path: DraftPath) => VisitProvenance | undefined
  /**
   * The records that the visit holds a value of, or a code that was made for them. Of `known`, records that are in some visit already, only
   * those of this visit's group are sure to be told again.
   */
  readonly recordsIn: (known?: ReadonlySet<SourceRecord>) => ReadonlySet<SourceRecord>
}

/** The path that `fieldText` wrote, or that the service names: `vital_signs.3.recorded_by`. */
export const fieldPath = (text: string): DraftPath =>
  (text.match(/[^.[\]]+/gu) ?? []).map((step) => (/^\d+$/u.test(step) ? Number(step) : step))

/** `vital_signs[3].recorded_by` */
export const fieldText = (path: DraftPath): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    ""
  )
