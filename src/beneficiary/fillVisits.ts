import { Clock, Effect, type FileSystem, Option } from "effect"
import { type Facility, keptNowhere } from "../facility/Facility.ts"
import { Operator } from "../operator/Operator.ts"
import type { OperatorError } from "../operator/OperatorError.ts"
import type { VisitProblem } from "../visit/VisitProblem.ts"
import { knownOf } from "./Beneficiary.ts"
import { type Asked, beneficiaryFile, forgetfulFile, openBeneficiaryFile } from "./BeneficiaryFile.ts"
import { cardNumbers, type DraftedVisit, fillPatient, hasGap } from "./fillPatient.ts"

/** A visit with what the service knows of its patient, and what is to be told about that. */
export interface Filled {
  readonly visit: DraftedVisit
  readonly problems: ReadonlyArray<VisitProblem>
}

/** Fills one visit. It fails only when the service was asked and the world stopped us. */
export type FillVisit = (visit: DraftedVisit) => Effect.Effect<Filled, OperatorError>

/** An answer is asked for again after this many days where the service is at hand; that nobody has a card, after one. */
const freshDays = { found: 30, nobody: 1 } as const

/**
 * Fills the patients of visits as the facility asks for (`beneficiary: fill:`), from answers that are kept, and from the service
 * where one is at hand: a run has it, a conversion has not. `null` when the facility asks for nothing. Look-ups of a run leave the
 * reserve to people who wait for theirs (§8).
 */
export const fillVisits = (facility: Facility): Effect.Effect<FillVisit | null, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const { fillPatient: fields } = facility
    const path = beneficiaryFile(facility)
    if (fields.length === 0 || path === null) return null
    const file = path === keptNowhere
      ? forgetfulFile()
      : yield* openBeneficiaryFile(path, yield* Clock.currentTimeMillis)

    const ask = Effect.fnUntraced(function*(card: string): Effect.fn.Return<Asked | undefined, OperatorError> {
      const now = yield* Clock.currentTimeMillis
      const kept = file.find(card)
      const days = kept?.known === null ? freshDays.nobody : freshDays.found
      if (kept !== undefined && now - kept.at < days * 86_400_000) return kept
      const operator = yield* Effect.serviceOption(Operator)
      if (Option.isNone(operator)) return kept
      const found = yield* operator.value.beneficiary(card, "bulk").pipe(
        // an answer about this card that is not understood says nothing about the next
        Effect.catchReason("OperatorError", "UnexpectedAnswer", () => Effect.undefined)
      )
      if (found === undefined) return kept
      const asked = { at: now, known: found === null ? null : knownOf(found) }
      yield* file.add(card, asked).pipe(
        Effect.catch(() => Effect.logWarning("the answer to a card search could not be kept"))
      )
      return asked
    })

    return Effect.fnUntraced(function*(visit) {
      if (!hasGap(visit, fields)) return { visit, problems: [] }
      let unasked = false
      for (const card of cardNumbers(visit)) {
        const asked = yield* ask(card)
        if (asked === undefined) unasked = true
        else if (asked.known !== null) return fillPatient(visit, asked.known, fields)
      }
      return { visit, problems: [unasked ? notAsked : nobody] }
    })
  })

const path = ["patient", "identifications"]

const notAsked: VisitProblem = {
  code: "no-beneficiary",
  severity: "warning",
  path,
  title: "the patient's card has not been looked up, so nothing is filled in from it",
  help: "a run looks it up, and so does  fhir2visit convert --look-up"
}

const nobody: VisitProblem = {
  code: "no-beneficiary",
  severity: "warning",
  path,
  title: "the patient has no card that the service knows, so nothing is filled in from it",
  help: "correct the card's number in the source system"
}
