import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { Elements, Variables } from "../../../fhirpath/FhirPath.ts"
import type { UnmappedCode } from "../../draft/VisitDraft.ts"
import type { LeafPlan, PathPlan, TimePlan } from "../../MappingPlan.ts"
import type { SectionRow } from "../scope/VisitContext.ts"

/** One field of a row while it is filled. */
export interface FieldContext {
  readonly leaf: LeafPlan
  /** The focus of its paths. */
  readonly focus: Elements
  readonly variables: Variables
  readonly row: SectionRow
  readonly context: LeafContext
  /** The path that found its value. */
  path?: PathPlan
}

/** Returns the result of a path; reports a problem of the field if it fails. */
type Evaluate = (
  path: PathPlan,
  focus: Elements,
  variables: Variables,
  row: SectionRow | null,
  name: string
) => Elements

/** What filling one field may use, and where it reports. */
export interface LeafContext {
  readonly zone: string
  readonly time: TimePlan
  /** Timestamps by their source text, because texts recur. The visits of the run share them. Those with a problem are not in it. */
  readonly timestamps: Map<string, string>
  readonly unmapped: (code: UnmappedCode, of?: Pick<FieldContext, "row" | "leaf">) => void
  readonly problem: (row: SectionRow | null, name: string, diagnostic: Diagnostic) => void
  /** Number of problems reported so far. */
  readonly problemCount: () => number
  /** Returns true if an error was reported after the first `count` problems. */
  readonly hasErrorSince: (count: number) => boolean
  readonly evaluate: Evaluate
  /** Like `evaluate`, for the values only. */
  readonly values: Evaluate
}
