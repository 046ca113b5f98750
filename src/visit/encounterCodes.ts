import { encounterLists, entriesOf, textAt, toUnvalidated } from "./rules/Rule.ts"
import { EncounterCode } from "./values/Code.ts"
import type { ValuePath } from "./VisitProblem.ts"

/** The code of an encounter in a visit, and its path. */
export interface LocatedEncounterCode {
  readonly code: EncounterCode
  readonly path: ValuePath
}

/** Returns the codes of all encounters of a visit, in any section: each is unique in one record system (§4.5 rule 3). */
export const encounterCodesOf = (visit: unknown): ReadonlyArray<LocatedEncounterCode> => {
  const found: Array<LocatedEncounterCode> = []
  for (const list of encounterLists) {
    for (const [index, entry] of entriesOf(toUnvalidated(visit), list).entries()) {
      const code = textAt(entry, "code")
      if (code !== undefined) found.push({ code: EncounterCode(code), path: [list, index, "code"] })
    }
  }
  return found
}
