import type { Effect } from "effect"
import type { PageStatus } from "../../viewer/bench/Wire.ts"

/** Changes a part of the status that the page shows. */
export type ReportStatus = (change: Partial<PageStatus>) => Effect.Effect<void>

/** The status before anything is read. */
export const nothingYet: PageStatus = {
  phase: "reading",
  records: 0,
  made: 0,
  madeAt: 0,
  first: null,
  listed: 0,
  total: 0,
  mapped: 0,
  ready: 0,
  rejected: 0,
  open: 0,
  edited: [],
  revision: 0,
  texts: 0,
  before: null,
  changed: null,
  mistakes: [],
  facility: null,
  mapping: null
}
