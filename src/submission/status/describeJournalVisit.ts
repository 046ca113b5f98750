import { withoutIndexes } from "../../diagnostic/collate.ts"
import { plural } from "../../diagnostic/count.ts"
import { doubtOf, isContradicted, type JournalVisit } from "../journal/JournalVisit.ts"
import { isUnknownPatient } from "../plan/plan.ts"
import { mayBeHeld } from "./sendingOutcomes.ts"

/** Why a visit is in its state, and the next step: one clause each. */
interface Description {
  readonly why: string
  readonly next: string
}

/** Describes the state of a visit for a user. */
export const describeJournalVisit = (visit: JournalVisit): Description =>
  visit.withdrawn ? describeWithdrawn(visit) : describeState(visit)

/** Describes a visit that the source no longer has as a visit. Its state shows what the service has of it. */
const describeWithdrawn = (visit: JournalVisit): Description => {
  const { next, why } = visit.state === "READY" && !visit.held
    ? { why: "not sent", next: "" }
    : describeState({ ...visit, changedSince: false })
  return {
    why: `${why}; the source no longer has it as a visit of the facility, for example because it was cancelled`,
    next: !mayBeHeld(visit)
      ? "nothing: it is not sent, unless an input has it as a visit again"
      : visit.held || (visit.state === "STORED" && !isContradicted(visit))
      ? "ask the operator to remove it: the service has no request for that. If the record is wrong, correct it"
      : visit.state === "DOUBT" || visit.state === "STORED"
      ? `${next}. A record of yours can only be removed by the operator`
      : "run again, or `status --remote`: the outcome is looked up, and it is not sent again"
  }
}

const describeState = (visit: JournalVisit): Description => {
  switch (visit.state) {
    case "READY":
      return { why: "checked, waiting to be sent", next: "run again with this visit in the input" }
    case "SENDING":
      return { why: "a request is on its way, or was when the run was killed", next: "run the same command again" }
    case "UNKNOWN":
      return {
        why: `sent, and no clear response came; the service may have it${
          visit.looked ? `, but ${describeLookup(visit, "its", "does not show it")}` : ""
        }`,
        next: "run again, or `status --remote`: the outcome is looked up before it is sent again"
      }
    case "VERIFY":
      return {
        why: "the service says it has this visit; whose record it is has not been looked up",
        next: "run again, or `status --remote`"
      }
    case "DOUBT":
      return {
        why: describeDoubt(visit),
        next: `\`status --remote\` looks it up again; otherwise ask the operator ${
          doubtOf(visit) === "unknown status"
            ? "what this status means: if the visit is stored"
            : "whose record it is: if it is yours"
        }, \`release --accept\`; if there is none, \`release --resend\``
      }
    case "CONFLICT":
      return describeConflict(visit)
    case "DUPLICATE":
      return {
        why: "the service has another record under this visit code",
        next:
          "find out who submitted it; give this visit another code, or let the operator free the code, then `fhir2visit release VISIT`"
      }
    case "REFUSED":
      return describeRefusal(visit)
    case "PARTIAL":
      return isUpdateRefused(visit)
        ? {
          why: "stored in part, and the service refused its update: it says that it already has this visit code",
          next:
            "if the patient code has changed, restore it; otherwise ask the operator how a visit that is stored in part is updated"
        }
        : {
          why: "stored in part; the service waits for an update",
          next: "it is sent again when its source has changed, with the same admission date"
        }
    case "STORED":
      return describeStored(visit)
  }
}

/** Whether the last bytes sent were an update, and the list shows the visit as it was before. */
const isUpdateRefused = ({ fingerprint, heldFingerprint, problem }: JournalVisit): boolean =>
  problem === "visit-already-submitted" && heldFingerprint !== null && heldFingerprint !== fingerprint

const describeConflict = (visit: JournalVisit): Description => {
  if (visit.problem === "duplicate-code") {
    return {
      why: "another visit that was sent has an encounter with the same code",
      next: "remove the visit if it is the same one; otherwise correct the code, or `fhir2visit release VISIT`"
    }
  }
  return visit.problem === "admission-date-changed"
    ? {
      why: "the service has this visit with another admission date",
      next: "restore the first date in the source, or let the operator free the visit, then `fhir2visit release VISIT`"
    }
    : {
      why: visit.attempts === 0
        ? "another visit of the patient was sent with the same admission time"
        : "the service has another visit of the patient with the same admission time",
      next: "correct the admission time in the source, or remove the visit from the input if it is the same one"
    }
}

const describeRefusal = (visit: JournalVisit): Description => {
  if (visit.problem === "released") {
    return { why: "released by hand", next: "run again: it is resent if it is in the input" }
  }
  if (isUnknownPatient(visit)) return { why: describeReason(visit), next: registrationHelp }
  return {
    why: describeReason(visit),
    next: `${
      visit.moreFields === 0
        ? "correct the source or the mapping; it is sent again when it has changed"
        : "correct the source or the mapping; the service names the other errors when the visit is sent again"
    }${visit.said === null ? "" : "; `status --show-values` shows the service's message"}`
  }
}

const describeStored = (visit: JournalVisit): Description => {
  if (isContradicted(visit)) {
    return {
      why: visit.unlisted
        ? "the service responded that it is stored, and its list does not show it as ours"
        : `the service responded that it is stored, and lists it with the status \`${visit.listedStatus ?? ""}\``,
      next: visit.unlisted
        ? "`status --remote` looks it up again; ask the operator for its state: if it is stored, `release --accept`; if it is gone, `fhir2visit release VISIT`"
        : "`status --remote` looks it up again; ask the operator what this status means: if the visit is stored, add it to `submit: storedStatus:` in facility.yaml"
    }
  }
  return visit.changedSince
    ? {
      why: "stored, and the source has changed since; the service accepts no second version",
      next: "ask the operator how a stored visit is corrected"
    }
    : visit.unseen
    ? {
      why: "stored, and no response shows with which content; what the service has may differ from the source",
      next: "when the content matters, compare it with what the operator shows"
    }
    : { why: "stored", next: "nothing" }
}

/** The result of the last lookup: what a list shows, or why it is no evidence. */
const describeLookup = ({ listError }: JournalVisit, whose: string, shows: string): string =>
  listError === null
    ? `${whose} list ${shows}`
    : listError === "incomplete"
    ? `${whose} list was incomplete`
    : `${whose} list could not be read${listError === 0 ? "" : ` (status ${listError})`}`

const describeDoubt = (visit: JournalVisit): string => {
  const doubt = doubtOf(visit)
  if (doubt === "unclear responses") {
    return `the same unclear response came in several runs (status ${visit.status ?? 0}), and ${
      describeLookup(visit, "the service's", "does not show the visit")
    }: it is not sent again by itself`
  }
  return doubt === "unknown status"
    ? `the service lists it as ours with a status that is neither 1 nor 3: \`${visit.listedStatus ?? ""}\``
    : `the service says that it has this visit code, and ${
      describeLookup(visit, "its", "does not show whose record it is")
    }; ${
      doubt === "probably ours"
        ? "an attempt of this journal may have been stored: it is probably ours"
        : "no attempt of this journal can have stored it: it is probably another's"
    }`
}

/** The next step for a patient whom the service does not know. */
export const registrationHelp =
  "register the patient with the operator's system first (§4.5 rule 1); a later run sends the visit again (by default once a day), and `fhir2visit release VISIT` at once. If the code is wrong, correct it"

const describeReason = (visit: JournalVisit): string =>
  `${describeProblem(visit)}${visit.moreFields === 0 ? "" : `; it found ${plural(visit.moreFields, "more error")}`}`

const describeProblem = (visit: JournalVisit): string => {
  switch (visit.problem) {
    case "field-refused":
      return visit.field === null
        ? "the service refused a field"
        : isUnknownPatient(visit)
        ? "the service refused `patient_code`: it may not know the patient yet"
        : `the service refused \`${withoutIndexes(visit.field)}\``
    case "too-large":
      return "the visit is larger than the service accepts"
    default:
      return "the service refused it for a reason it does not document"
  }
}
