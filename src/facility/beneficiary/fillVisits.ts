import { Clock, Effect, type FileSystem, Option } from "effect"
import { Operator } from "../../service/Operator.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import { nonEmptyText } from "../../service/responses/ServiceResponse.ts"
import type { VisitProblem } from "../../visit/VisitProblem.ts"
import { type CardCheck, type Facility, noJournal } from "../Facility.ts"
import { type KnownBeneficiary, knownOf } from "./Beneficiary.ts"
import { beneficiaryFile, type CardResponse, inMemoryBeneficiaryFile, openBeneficiaryFile } from "./BeneficiaryFile.ts"
import {
  cardNotFound,
  cardsWithoutType,
  noBeneficiaryToCopy,
  notChecked,
  notLookedUp,
  onlyByCard,
  otherPerson,
  severalPeople,
  undatedDeath
} from "./cardProblems.ts"
import { choosePatient, isConfirmed } from "./choosePatient.ts"
import {
  cardNumbers,
  fillPatient,
  hasGap,
  missingCards,
  needsIdentity,
  patientOf,
  type VisitObject
} from "./fillPatient.ts"

/** A visit filled in from the service's record of its patient, and the problems found. */
interface Filled {
  readonly visit: VisitObject
  readonly problems: ReadonlyArray<VisitProblem>
}

/** Fills one visit. It fails only on a temporary failure of a lookup. */
export type FillVisit = (visit: VisitObject) => Effect.Effect<Filled, OperatorError>

/** Days after which a response is looked up again if the service is available. "Card not found" expires after one day. */
const freshDays = { found: 30, notFound: 1 } as const

/**
 * Fills the patients of visits as the facility requests (`beneficiary: fill:`). It uses cached responses, and the service if the caller has
 * one: a run has it, a conversion has not. With `canLookUp`, it also checks the cards of further patients, up to the facility's limit
 * (`check:`). `null` when the facility requests nothing. The lookups of a run leave the reserve to interactive users (§8).
 */
export const fillVisits = (
  facility: Facility,
  canLookUp = true
): Effect.Effect<FillVisit | null, never, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const { fillPatient: fields } = facility
    const isChecked = canLookUp ? sampling(facility.checkCards) : null
    const path = beneficiaryFile(facility)
    if ((fields.length === 0 && isChecked === null) || path === null) return null
    const file = path === noJournal
      ? inMemoryBeneficiaryFile()
      : yield* openBeneficiaryFile(path, yield* Clock.currentTimeMillis)

    const lookUp = Effect.fnUntraced(
      function*(card: string): Effect.fn.Return<CardResponse | undefined, OperatorError> {
        const now = yield* Clock.currentTimeMillis
        const kept = file.find(card)
        const days = kept?.known.length === 0 ? freshDays.notFound : freshDays.found
        if (kept !== undefined && now - kept.at < days * 86_400_000) return kept
        const operator = yield* Effect.serviceOption(Operator)
        if (Option.isNone(operator)) return kept
        const found = yield* operator.value.beneficiaries(card, "bulk").pipe(
          // An unexpected response for this card has no consequence for the next one.
          Effect.catchReason("OperatorError", "UnexpectedResponse", () => Effect.undefined)
        )
        if (found === undefined) return kept
        const response = { at: now, known: found.map((record) => knownOf(record, card)) }
        yield* file.add(card, response).pipe(
          Effect.catch(() => Effect.logWarning("the response to a card lookup could not be stored"))
        )
        return response
      }
    )

    const fillFrom = (visit: VisitObject, people: ReadonlyArray<KnownBeneficiary>, fills: boolean): Filled => {
      const choice = choosePatient(visit, people, facility.timezone)
      if (choice._tag === "Patient") {
        const { dead, deathDate } = choice.known
        const problems = dead && deathDate === null ? [undatedDeath(fills)] : []
        const untyped = fields.includes("identifications") ? missingCards(visit, choice.known).untyped.length : 0
        if (untyped > 0) problems.push(cardsWithoutType(untyped))
        if (needsIdentity(visit, fields) && !isConfirmed(visit, choice.known)) problems.push(onlyByCard)
        return { visit: fillPatient(visit, choice.known, fields), problems }
      }
      // without its code or its `spid` the visit cannot be sent; without more cards it can
      const severity = needsIdentity(visit, fields) ? "error" : "warning"
      if (choice._tag === "Others") return { visit, problems: [otherPerson(severity, choice.differs, fills)] }
      return { visit, problems: fills ? [severalPeople(severity)] : [] }
    }

    return Effect.fnUntraced(function*(visit) {
      const fills = hasGap(visit, fields)
      const cards = cardNumbers(visit)
      const checks = isChecked !== null && cards.length > 0 && isChecked(visit)
      if (!fills && !checks) return { visit, problems: [] }
      let isIncomplete = false
      for (const card of cards) {
        const response = yield* lookUp(card)
        if (response === undefined) isIncomplete = true
        // the first card that the service knows decides
        else if (response.known.length > 0) return fillFrom(visit, response.known, fills)
      }
      if (fills) return { visit, problems: [isIncomplete ? notLookedUp : noBeneficiaryToCopy] }
      return { visit, problems: [isIncomplete ? notChecked : cardNotFound] }
    })
  })

/** Patients in a sample: enough to see that the codes or the cards differ from the service's. */
const sampleSize = 20

/** The visits whose cards are checked; `null` if none. */
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
