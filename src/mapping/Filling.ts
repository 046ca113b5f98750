import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { Elements, Variables } from "../fhirpath/FhirPath.ts"
import type { Row } from "./Making.ts"
import type { LeafPlan, PathPlan, TimePlan } from "./MappingPlan.ts"

/** One field of a row while it is filled. */
export interface Filling {
  readonly leaf: LeafPlan
  /** What its paths stand on. */
  readonly focus: Elements
  readonly variables: Variables
  readonly row: Row
  readonly context: LeafContext
}

/** What a path finds; a problem of the field if it fails. */
type Evaluate = (path: PathPlan, focus: Elements, variables: Variables, row: Row | null, name: string) => Elements

/** What filling one field may use and report to. */
export interface LeafContext {
  readonly zone: string
  readonly time: TimePlan
  readonly unmapped: (code: UnmappedCode) => void
  readonly problem: (row: Row | null, name: string, diagnostic: Diagnostic) => void
  /** How many problems have been told so far. */
  readonly told: () => number
  /** Whether one of those told since then is an error. */
  readonly failedSince: (told: number) => boolean
  readonly evaluate: Evaluate
  /** As `evaluate`, for the values alone. */
  readonly values: Evaluate
}
