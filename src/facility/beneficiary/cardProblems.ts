import type { Severity } from "../../diagnostic/Diagnostic.ts"
import type { VisitProblem } from "../../visit/VisitProblem.ts"
import type { Contradiction } from "./choosePatient.ts"

const path = ["patient", "identifications"]

/** The lookup of a card for missing fields was not made. */
export const notLookedUp: VisitProblem = {
  code: "no-beneficiary",
  severity: "warning",
  path,
  title: "the patient's card has not been looked up, so nothing is filled in from it",
  help: "a run looks it up, and so does  fhir2visit convert INPUT --look-up"
}

/** No card of the patient was found, although fields are filled from its record. */
export const noBeneficiaryToCopy: VisitProblem = {
  code: "no-beneficiary",
  severity: "warning",
  path,
  title: "the patient has no card that the service knows, so nothing is filled in from it",
  help: "correct the card's number in the source system"
}

/** No card of the patient was found; no field depends on it. */
export const cardNotFound: VisitProblem = {
  code: "no-beneficiary",
  severity: "warning",
  path,
  title: "the service knows none of the patient's cards",
  help: "correct the card's number in the source system"
}

/** A card could not be checked; no field depends on it. */
export const notChecked: VisitProblem = {
  code: "no-beneficiary",
  severity: "warning",
  path,
  title: "the patient's card could not be checked: the service gave no response that can be read",
  help: "look the card up:  fhir2visit beneficiary CARD;  the next run tries it again"
}

/** Cards of the service's record are not copied into the visit. */
export const cardsWithoutType = (count: number): VisitProblem => ({
  code: "dropped-record",
  severity: "warning",
  path,
  title: "the service's record of the patient has a card without a type, which is not filled in",
  times: count,
  help: "ask the operator to add the card's type, or export the card with its type"
})

/** The card belongs to a different person. */
export const otherPerson = (
  severity: Severity,
  differs: ReadonlyArray<Contradiction>,
  fills: boolean
): VisitProblem => ({
  code: "other-beneficiary",
  severity,
  path,
  title: `the service's record of the patient's card has ${listed(differs.map((one) => words[one]))}${
    fills ? ", so nothing is filled in from it" : ""
  }`,
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

/** A household shares the card, and its record does not identify the patient. */
export const severalPeople = (severity: Severity): VisitProblem => ({
  code: "other-beneficiary",
  severity,
  path,
  title: "several people have the patient's card, and more than one may be the patient, so nothing is filled in",
  help: "export the patient's own code, or sex and birth date: they distinguish the members of a household"
})

/** The number of the card can be mistyped, and nothing else shows that the record is the patient's. */
export const onlyByCard: VisitProblem = {
  code: "other-beneficiary",
  severity: "warning",
  path,
  title: "the patient is filled in from the record of the card, and no birth date or other number confirms it",
  help: "export the birth date: it shows whether the card is mistyped"
}

/** The holder of the card is recorded as dead without a date, so the death can be before the visit. */
export const undatedDeath = (fills: boolean): VisitProblem => ({
  code: "other-beneficiary",
  severity: "warning",
  path,
  title: fills
    ? "the patient is filled in from the service's record of the card, which reports a death without its date"
    : "the service's record of the patient's card reports a death without its date",
  help: "find out whose card it is"
})
