import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Elements, Variables } from "../../fhirpath/FhirPath.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { LeafPlan, PathPlan, TimePlan } from "../MappingPlan.ts"
import type { SectionRow } from "./VisitContext.ts"

/** One field of a row while it is filled. */
export interface FieldContext {
  readonly leaf: LeafPlan
  /** What its paths stand on. */
  readonly focus: Elements
  readonly variables: Variables
  readonly row: SectionRow
  readonly context: LeafContext
}

/** What a path finds; a problem of the field if it fails. */
type Evaluate = (
  path: PathPlan,
  focus: Elements,
  variables: Variables,
  row: SectionRow | null,
  name: string
) => Elements

/** What filling one field may use and report to. */
export interface LeafContext {
  readonly zone: string
  readonly time: TimePlan
  readonly unmapped: (code: UnmappedCode) => void
  readonly problem: (row: SectionRow | null, name: string, diagnostic: Diagnostic) => void
  /** How many problems have been told so far. */
  readonly told: () => number
  /** Whether one of those told since then is an error. */
  readonly failedSince: (reported: number) => boolean
  readonly evaluate: Evaluate
  /** As `evaluate`, for the values alone. */
  readonly values: Evaluate
}
