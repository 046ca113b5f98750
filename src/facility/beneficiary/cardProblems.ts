import type { VisitProblem } from "../../visit/VisitProblem.ts"
import type { Contradiction } from "./choosePatient.ts"

type Severity = VisitProblem["severity"]

const path = ["patient", "identifications"]

/** A card that was to be looked up for what is missing, and was not. */
export const notAsked: VisitProblem = {
  code: "no-beneficiary",
  severity: "warning",
  path,
  title: "the patient's card has not been looked up, so nothing is filled in from it",
  help: "a run looks it up, and so does  fhir2visit convert --look-up"
}

/** Nobody has a card of the patient from whose record something was to be filled in. */
export const noBeneficiaryToCopy: VisitProblem = {
  code: "no-beneficiary",
  severity: "warning",
  path,
  title: "the patient has no card that the service knows, so nothing is filled in from it",
  help: "correct the card's number in the source system"
}

/** Nobody has a card of the patient, and nothing depends on it but that it is right. */
export const cardNotFound: VisitProblem = {
  code: "no-beneficiary",
  severity: "warning",
  path,
  title: "the service knows none of the patient's cards",
  help: "correct the card's number in the source system"
}

/** Whoever has the card is somebody else. */
export const others = (severity: Severity, differs: ReadonlyArray<Contradiction>, fills: boolean): VisitProblem => ({
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

/** A household has the card, and which of them the patient is cannot be told. */
export const several = (severity: Severity): VisitProblem => ({
  code: "other-beneficiary",
  severity,
  path,
  title: "several people have the patient's card, and more than one may be the patient, so nothing is filled in",
  help:
    "let the source system give the patient's own code, or sex and birthdate that tell the members of a household apart"
})

/** Whoever has the card is dead, and may have died before the visit. */
export const isDead = (fills: boolean): VisitProblem => ({
  code: "other-beneficiary",
  severity: "warning",
  path,
  title: fills
    ? "the patient is filled in from the service's record of the card, which says of a death and not when it was"
    : "the service's record of the patient's card says of a death and not when it was",
  help: "find out whose card it is"
})
