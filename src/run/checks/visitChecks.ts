import type { Levels } from "../../diagnostic/levels.ts"
import { validateVisit, type ValidationSettings } from "../../visit/validateVisit.ts"
import type { FacilityCode } from "../../visit/values/Code.ts"
import type { ReferenceLists } from "../../visit/values/ReferenceList.ts"
import type { CheckVisit } from "../convertPartition.ts"

interface VisitChecks {
  readonly checkVisit: CheckVisit
  readonly levels: Levels | undefined
  readonly currencies: ReadonlyArray<string> | undefined
  readonly maxBytes: number | undefined
}

/** Validation settings of one run: the facility's settings, the current time, and the facility that the visits must belong to. */
export const runSettings = (
  validation: Partial<ValidationSettings> | undefined,
  run: {
    /** Milliseconds since 1970. */
    readonly now: number
    readonly facility: FacilityCode | null
    /** The standard data that is loaded. */
    readonly lists?: ReferenceLists
  }
): ValidationSettings => ({
  ...validation,
  now: run.now,
  ...(run.lists === undefined ? {} : { lists: run.lists }),
  ...(run.facility === null ? {} : { facilityCode: run.facility })
})

export const visitChecks = (settings: ValidationSettings): VisitChecks => ({
  checkVisit: (visit) => validateVisit(visit, settings),
  levels: settings.levels,
  currencies: settings.currencies,
  maxBytes: settings.maxBytes
})
