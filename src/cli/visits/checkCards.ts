import { Effect, Result } from "effect"
import { atLevels } from "../../diagnostic/levels.ts"
import { fillVisits } from "../../facility/beneficiary/fillVisits.ts"
import type { Facility } from "../../facility/Facility.ts"
import { jsonObjectOf } from "../../json/JsonObject.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import { parseJson } from "../../visit/decode.ts"
import { asDiagnostic, type CheckedVisit } from "./checkVisit.ts"

/**
 * Looks up the cards of visits that were read from files and adds the problems found. The visits themselves are not changed. `null` if the
 * facility does not check cards.
 */
export const checkCards = Effect.fnUntraced(function*(facility: Facility) {
  const look = yield* fillVisits({ ...facility, fillPatient: [] })
  if (look === null) return null
  return Effect.fnUntraced(function*(checked: CheckedVisit): Effect.fn.Return<CheckedVisit, OperatorError> {
    if (checked.submission === undefined) return checked
    const visit = Result.getOrElse(parseJson(checked.submission.payload), () => null)
    const { problems } = yield* look(jsonObjectOf(visit))
    const reported = atLevels(problems, facility.validation.levels).map(asDiagnostic(checked.code, checked.origin))
    const { submission, ...rest } = { ...checked, problems: [...checked.problems, ...reported] }
    return reported.some(({ severity }) => severity === "error") || submission === undefined
      ? rest
      : { ...rest, submission }
  })
})
