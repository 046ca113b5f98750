import type { Origin } from "../../diagnostic/Origin.ts"
import type { Span } from "../../diagnostic/Span.ts"

/** Something a path found: what it is and where it stands. */
export interface FoundElement {
  /** `Quantity`, `string` */
  readonly type: string
  /** `Observation.component[0].value`; missing when a function made it. */
  readonly element?: string
  readonly source?: string
  readonly origin?: Origin
  /** Of a row: how the file calls the column, with its number. */
  readonly column?: string
  /** Shown only under `--show-values`. */
  readonly value: unknown
}

/** One of a field's paths, and what came of it. */
export interface PathProvenance {
  readonly text: string
  readonly span: Span
  /** `not-asked`: a path before it won. */
  readonly outcome: "won" | "found-nothing" | "not-fitting" | "not-asked"
  readonly found: ReadonlyArray<FoundElement>
}

/** A code that was looked up, and the row that was found. */
export interface CodeProvenance {
  readonly map: string
  readonly system: string | null
  readonly code: string
  /** It is no code, but the words that stand where codes are missing. */
  readonly words?: true
  /** The key of the row; missing when there is none, and the policy decided. */
  readonly row?: string
  readonly policy?: string
}

/** Where a field of one visit came from. */
export interface FieldProvenance {
  readonly kind: "field"
  readonly name: string
  readonly section: string
  /** The line of the mapping that counts: the last of the overlays. */
  readonly mapping: Span
  readonly value: unknown
  /** What made the value; `source`: it states it outright, whatever the mapping says. */
  readonly by: "source" | "path" | "value" | "default" | "nothing"
  readonly paths: ReadonlyArray<PathProvenance>
  /** What the row stands on. */
  readonly source?: string
  readonly origin?: Origin
  readonly codes: ReadonlyArray<CodeProvenance>
  /** The assumptions that the value is made under; `accepted`: why, who and when. */
  readonly assumptions?: ReadonlyArray<{ readonly name: string; readonly means: string; readonly accepted?: string }>
  /** The units of the quantities found, and the unit that is sent. */
  readonly unit?: { readonly from: ReadonlyArray<string>; readonly to: string }
  /** The key whose code was made because the source has none. */
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
