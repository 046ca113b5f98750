import { Clock, Effect, type FileSystem, Option } from "effect"
import { type Facility, keptNowhere } from "../facility/Facility.ts"
import { Operator } from "../operator/Operator.ts"
import type { OperatorError } from "../operator/OperatorError.ts"
import type { VisitProblem } from "../visit/VisitProblem.ts"
import { type KnownBeneficiary, knownOf } from "./Beneficiary.ts"
import { type Asked, beneficiaryFile, forgetfulFile, openBeneficiaryFile } from "./BeneficiaryFile.ts"
import { choosePatient, type Contradiction } from "./choosePatient.ts"
import { cardNumbers, type DraftedVisit, fillPatient, hasGap, needsIdentity } from "./fillPatient.ts"

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
      const days = kept?.known.length === 0 ? freshDays.nobody : freshDays.found
      if (kept !== undefined && now - kept.at < days * 86_400_000) return kept
      const operator = yield* Effect.serviceOption(Operator)
      if (Option.isNone(operator)) return kept
      const found = yield* operator.value.beneficiaries(card, "bulk").pipe(
        // an answer about this card that is not understood says nothing about the next
        Effect.catchReason("OperatorError", "UnexpectedAnswer", () => Effect.undefined)
      )
      if (found === undefined) return kept
      const asked = { at: now, known: found.map((record) => knownOf(record, card)) }
      yield* file.add(card, asked).pipe(
        Effect.catch(() => Effect.logWarning("the answer to a card search could not be kept"))
      )
      return asked
    })

    const fillFrom = (visit: DraftedVisit, people: ReadonlyArray<KnownBeneficiary>): Filled => {
      const choice = choosePatient(visit, people, facility.timezone)
      if (choice._tag === "Patient") {
        const { dead, deathDate } = choice.known
        return { visit: fillPatient(visit, choice.known, fields), problems: dead && deathDate === null ? [isDead] : [] }
      }
      // without its code or its `spid` the visit cannot go; without more cards it can
      const severity = needsIdentity(visit, fields) ? "error" : "warning"
      return { visit, problems: [choice._tag === "Several" ? several(severity) : others(severity, choice.differs)] }
    }

    return Effect.fnUntraced(function*(visit) {
      if (!hasGap(visit, fields)) return { visit, problems: [] }
      let unasked = false
      for (const card of cardNumbers(visit)) {
        const asked = yield* ask(card)
        if (asked === undefined) unasked = true
        // the first card that the service knows decides
        else if (asked.known.length > 0) return fillFrom(visit, asked.known)
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

const others = (severity: VisitProblem["severity"], differs: ReadonlyArray<Contradiction>): VisitProblem => ({
  code: "other-beneficiary",
  severity,
  path,
  title: `the service's record of the patient's card has ${
    listed(differs.map((one) => words[one]))
  }, so nothing is filled in from it`,
  help: "find out whose card it is, and correct the card or the patient in the source system"
})

const words: Readonly<Record<Contradiction, string>> = {
  sex: "another `sex`",
  birthdate: "another `birthdate`",
  spid: "another `spid`",
  code: "another `code`",
  cards: "other cards",
  death: "a death before the admission"
}

const listed = (all: ReadonlyArray<string>): string =>
  all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`

const several = (severity: VisitProblem["severity"]): VisitProblem => ({
  code: "other-beneficiary",
  severity,
  path,
  title: "several people have the patient's card, and more than one may be the patient, so nothing is filled in",
  help:
    "let the source system give the patient's own code, or sex and birthdate that tell the members of a household apart"
})

const isDead: VisitProblem = {
  code: "other-beneficiary",
  severity: "warning",
  path,
  title: "the patient is filled in from the service's record of the card, which says of a death and not when it was",
  help: "find out whose card it is"
}
