import { encounterLists, entriesOf, textAt, toUnvalidated } from "./rules/Rule.ts"
import { EncounterCode } from "./values/Code.ts"
import type { ValuePath } from "./VisitProblem.ts"

/** The code of an encounter in a visit, and its path. */
export interface LocatedEncounterCode {
  readonly code: EncounterCode
  readonly path: ValuePath
}

/** Returns the codes of all encounters of a visit, in any section: each is unique in one record system (§4.5 rule 3). */
export const encounterCodesOf = (visit: unknown): ReadonlyArray<LocatedEncounterCode> =>
  encounterLists.flatMap((list) =>
    entriesOf(toUnvalidated(visit), list).flatMap((entry, index) => {
      const code = textAt(entry, "code")
      return code === undefined ? [] : [{ code: EncounterCode(code), path: [list, index, "code"] }]
    })
  )
