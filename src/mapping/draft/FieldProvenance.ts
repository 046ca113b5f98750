import type { Origin } from "../../diagnostic/Origin.ts"
import type { Span } from "../../diagnostic/Span.ts"

/** An element that a path found: its value and its source location. */
export interface FoundElement {
  /** `Quantity`, `string` */
  readonly type: string
  /** `Observation.component[0].value`; absent if a function made it. */
  readonly element?: string
  readonly source?: string
  readonly origin?: Origin
  /** For a CSV row: the column's name in the file, with its number. */
  readonly column?: string
  /** Shown only under `--show-values`. */
  readonly value: unknown
}

/** One of a field's paths, and its result. */
export interface PathProvenance {
  readonly text: string
  readonly span: Span
  /** `not-asked`: an earlier path won. */
  readonly outcome: "won" | "found-nothing" | "not-fitting" | "not-asked"
  readonly found: ReadonlyArray<FoundElement>
}

/** A code that was looked up, and its table row. */
export interface CodeProvenance {
  readonly map: string
  readonly system: string | null
  readonly code: string
  /** It is not a code but free text in place of a missing code. */
  readonly words?: true
  /** The key of the row; absent if the code is unmapped and the policy decided. */
  readonly row?: string
  readonly policy?: string
}

/** The origin of a field of one visit. */
export interface FieldProvenance {
  readonly kind: "field"
  readonly name: string
  readonly section: string
  /** The mapping line that applies: that of the last overlay. */
  readonly mapping: Span
  readonly value: unknown
  /** What made the value; `source`: the source states it explicitly, and the mapping has no effect. */
  readonly by: "source" | "path" | "value" | "default" | "nothing"
  readonly paths: ReadonlyArray<PathProvenance>
  /** The focus of the row. */
  readonly source?: string
  readonly origin?: Origin
  readonly codes: ReadonlyArray<CodeProvenance>
  /** The assumptions that the value depends on; `accepted`: why, who and when. */
  readonly assumptions?: ReadonlyArray<{ readonly name: string; readonly means: string; readonly accepted?: string }>
  /** The units of the quantities found, and the unit sent. */
  readonly unit?: { readonly from: ReadonlyArray<string>; readonly to: string }
  /** The key whose code was generated because the source has none. */
  readonly minted?: string
}

/** The rows of a section. */
export interface SectionProvenance {
  readonly kind: "section"
  readonly name: string
  readonly mapping: Span
  readonly rows: ReadonlyArray<{
    readonly mapping: Span
    readonly branch: string | null
    readonly records: ReadonlyArray<{ readonly source: string; readonly origin: Origin }>
  }>
}

export type VisitProvenance = FieldProvenance | SectionProvenance
