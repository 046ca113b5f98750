import { Clock, Effect, type FileSystem, Option } from "effect"
import { Operator } from "../../service/Operator.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import { nonEmptyText } from "../../service/responses/ServiceResponse.ts"
import type { VisitProblem } from "../../visit/VisitProblem.ts"
import { type CardCheck, type Facility, noJournal } from "../Facility.ts"
import { type KnownBeneficiary, knownOf } from "./Beneficiary.ts"
import { type Asked, beneficiaryFile, inMemoryBeneficiaryFile, openBeneficiaryFile } from "./BeneficiaryFile.ts"
import { cardNotFound, isDead, noBeneficiaryToCopy, notAsked, others, several } from "./cardProblems.ts"
import { choosePatient } from "./choosePatient.ts"
import { cardNumbers, fillPatient, hasGap, needsIdentity, patientOf, type VisitObject } from "./fillPatient.ts"

/** A visit with what the service knows of its patient filled in, and what is to be told about that. */
export interface Filled {
  readonly visit: VisitObject
  readonly problems: ReadonlyArray<VisitProblem>
}

/** Fills one visit. It fails only when the service was asked and the world stopped us. */
export type FillVisit = (visit: VisitObject) => Effect.Effect<Filled, OperatorError>

/** An answer is asked for again after this many days where the service is at hand; that nobody has a card, after one. */
const freshDays = { found: 30, nobody: 1 } as const

/**
 * Fills the patients of visits as the facility asks for (`beneficiary: fill:`), from answers that are kept, and from the service
 * where one is at hand: a run has it, a conversion has not. Where the service is asked (`asks`) it also looks the cards of further
 * patients up, as far as the facility wants them checked (`check:`). `null` when the facility asks for nothing. Look-ups of a run leave
 * the reserve to people who wait for theirs (§8).
 */
export const fillVisits = (
  facility: Facility,
  asks = true
): Effect.Effect<FillVisit | null, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const { fillPatient: fields } = facility
    const isChecked = asks ? sampling(facility.checkCards) : null
    const path = beneficiaryFile(facility)
    if ((fields.length === 0 && isChecked === null) || path === null) return null
    const file = path === noJournal
      ? inMemoryBeneficiaryFile()
      : yield* openBeneficiaryFile(path, yield* Clock.currentTimeMillis)

    const ask = Effect.fnUntraced(function*(card: string): Effect.fn.Return<Asked | undefined, OperatorError> {
      const now = yield* Clock.currentTimeMillis
      const kept = file.find(card)
      const days = kept?.known.length === 0 ? freshDays.nobody : freshDays.found
      if (kept !== undefined && now - kept.at < days * 86_400_000) return kept
      const operator = yield* Effect.serviceOption(Operator)
      if (Option.isNone(operator)) return kept
      const found = yield* operator.value.beneficiaries(card, "bulk").pipe(
        // an answer about this card that is not understood says nothing about the next
        Effect.catchReason("OperatorError", "UnexpectedAnswer", () => Effect.undefined)
      )
      if (found === undefined) return kept
      const requested = { at: now, known: found.map((record) => knownOf(record, card)) }
      yield* file.add(card, requested).pipe(
        Effect.catch(() => Effect.logWarning("the answer to a card search could not be kept"))
      )
      return requested
    })

    const fillFrom = (visit: VisitObject, people: ReadonlyArray<KnownBeneficiary>, fills: boolean): Filled => {
      const choice = choosePatient(visit, people, facility.timezone)
      if (choice._tag === "Patient") {
        const { dead, deathDate } = choice.known
        return {
          visit: fillPatient(visit, choice.known, fields),
          problems: dead && deathDate === null ? [isDead(fills)] : []
        }
      }
      // without its code or its `spid` the visit cannot go; without more cards it can
      const severity = needsIdentity(visit, fields) ? "error" : "warning"
      if (choice._tag === "Others") return { visit, problems: [others(severity, choice.differs, fills)] }
      return { visit, problems: fills ? [several(severity)] : [] }
    }

    return Effect.fnUntraced(function*(visit) {
      const fills = hasGap(visit, fields)
      const cards = cardNumbers(visit)
      const checks = isChecked !== null && cards.length > 0 && isChecked(visit)
      if (!fills && !checks) return { visit, problems: [] }
      let unasked = false
      for (const card of cards) {
        const requested = yield* ask(card)
        if (requested === undefined) unasked = true
        // the first card that the service knows decides
        else if (requested.known.length > 0) return fillFrom(visit, requested.known, fills)
      }
      if (fills) return { visit, problems: [unasked ? notAsked : noBeneficiaryToCopy] }
      return { visit, problems: unasked ? [] : [cardNotFound] }
    })
  })

/** So many patients are a sample: enough to see that the codes or the cards are not those the service knows. */
const sampleSize = 20

/** Of which visits the cards are checked; `null` where none is. */
const sampling = (check: CardCheck): ((visit: VisitObject) => boolean) | null => {
  if (check === "off") return null
  if (check === "all") return () => true
  const patients = new Set<unknown>()
  return (visit) => {
    const patient = nonEmptyText(patientOf(visit)["code"]) ?? cardNumbers(visit)[0]
    if (patients.size < sampleSize) patients.add(patient)
    return patients.has(patient)
  }
}
