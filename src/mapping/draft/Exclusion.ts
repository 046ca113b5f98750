import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { PathPlan } from "../MappingPlan.ts"

/** A record that a line reads and that one of its conditions excludes. */
export interface Exclusion {
  readonly record: SourceRecord
  /** The section that excludes it: `laboratories`. */
  readonly section: string
  readonly condition: PathPlan
  /** Number of conditions before it that hold. */
  readonly passed: number
}
