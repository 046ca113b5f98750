import { encounterLists, entriesOf, textAt, toUnvalidated } from "./rules/Rule.ts"
import type { ValuePath } from "./VisitProblem.ts"

/** The code of an encounter of a visit, and where it stands in it. */
export interface EncounterCode {
  readonly code: string
  readonly path: ValuePath
}

/** The codes of all encounters of a visit, whatever section they are in: one record system has each of them once (§4.5 rule 3). */
export const encounterCodesOf = (visit: unknown): ReadonlyArray<EncounterCode> =>
  encounterLists.flatMap((list) =>
    entriesOf(toUnvalidated(visit), list).flatMap((entry, index) => {
      const code = textAt(entry, "code")
      return code === undefined ? [] : [{ code, path: [list, index, "code"] }]
    })
  )
