import { Redacted } from "effect"
import { number } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { type Origin, originText } from "../../diagnostic/Origin.ts"
import type { ProblemCode } from "../../diagnostic/Problem.ts"
import { fieldText } from "../../mapping/draft/VisitDraft.ts"
import type { Conversion } from "../../run/Conversion.ts"
import { isContradicted, type JournalVisit } from "../../submission/journal/JournalVisit.ts"
import { planReasons } from "../../submission/plan/explainPlan.ts"
import type { OtherVisits } from "../../submission/plan/otherVisits.ts"
import type { Decision } from "../../submission/plan/plan.ts"
import { describeJournalVisit } from "../../submission/status/describeJournalVisit.ts"
import type { VisitResult } from "../../submission/status/tally.ts"
import { fieldAt } from "../../visit/fields.ts"

/** The location of the other visit of two, if known. */
const otherPlace = (
  decision: Decision,
  originOf: (source: string) => Origin | undefined
): Pick<Diagnostic, "facts"> => {
  if (decision._tag !== "Hold" || decision.other == null) return {}
  const origin = originOf(decision.other)
  return { facts: [["other", origin === undefined ? decision.other : originText(origin)]] }
}

/** The visit that was sent before. */
const earlierVisit = (decision: Decision): Pick<Diagnostic, "facts"> =>
  decision._tag === "Hold" && decision.earlier !== undefined
    ? { facts: [["earlier", `visit ${decision.earlier}`]] }
    : {}

/**
 * Reports why the service does not hold a visit completely, or not as the source has it now. A field that the service refused has the
 * location of its mapping line and record; a visit of a file has its line.
 */
export const outcomeProblems = (
  { code, decision, source, visit }: VisitResult,
  fieldOrigin: Conversion["fieldOrigin"] = () => undefined,
  originOf: (source: string) => Origin | undefined = () => undefined
): ReadonlyArray<Diagnostic> => {
  const origin = source === null ? undefined : originOf(source)
  const about = { visit: code, ...(origin !== undefined ? { origin } : source === null ? {} : { source }) }
  if (decision.why === "given-twice" || decision.why === "visit-code-known") {
    const isOfRun = decision.why === "given-twice"
    return [{
      code: "duplicate-code",
      severity: "error",
      title: planReasons[decision.why].words,
      field: "code",
      ...about,
      ...(isOfRun ? otherPlace(decision, originOf) : source === null ? {} : fieldOrigin(source, "code")),
      help: [
        isOfRun
          ? "remove one of them from the input"
          : "visit codes are unique for each facility; if the numbers begin again each year, add the year to the code"
      ]
    }]
  }
  if (decision.why === "admission-time-known" || decision.why === "encounter-code-known") {
    const isTime = decision.why === "admission-time-known"
    const field = isTime ? "admitted_at" : fieldText(decision.path ?? [])
    return [{
      code: isTime ? "admission-time-taken" : "duplicate-code",
      severity: "error",
      title: planReasons[decision.why].words,
      field,
      ...about,
      ...(source === null ? {} : fieldOrigin(source, field)),
      ...earlierVisit(decision),
      help: [
        "if it is the same visit under another code, the mapping generates other codes than before: correct it",
        `if the service no longer has the earlier one:  fhir2visit release ${code}`
      ]
    }]
  }
  if (decision.why === "other-facility") {
    const title = "the visit is of another facility than this run"
    return [{ code: "foreign-code", severity: "error", title, field: "health_facility_code", ...about }]
  }
  const warning = (code: ProblemCode, title: string, field: string, earlier: string | undefined) =>
    earlier === undefined ? [] : [
      {
        code,
        severity: "warning",
        title,
        field,
        ...about,
        ...(source === null ? {} : fieldOrigin(source, field)),
        facts: [["earlier", `visit ${earlier}`]]
      } satisfies Diagnostic
    ]
  const near: ReadonlyArray<Diagnostic> = decision._tag !== "Send" ? [] : [
    ...warning(
      "same-admission-time",
      "the patient was admitted within the same minute for a visit that was sent before",
      "admitted_at",
      decision.near
    ),
    ...warning(
      "duplicate-code",
      "`code` differs only in letter case from that of a visit of the patient that was sent before",
      "code",
      decision.spelled
    ),
    ...(decision.replaces === true
      ? [
        {
          code: "duplicate-code",
          severity: "warning",
          title:
            "an earlier run had another visit with this `code`, of another patient on another day. It was not stored, and this one replaces it",
          field: "code",
          ...about,
          ...(source === null ? {} : fieldOrigin(source, "code")),
          help: [
            "visit codes are unique for each facility; give the earlier visit a code of its own, and run again with its records"
          ]
        } as const
      ]
      : [])
  ]
  if (visit === null) return near
  const held = visit.state === "PARTIAL" || visit.state === "READY" ? heldUpdate(decision) : null
  const kind = held === null ? outcomeKindOf(visit) : storedInPart
  if (kind === undefined) return near
  const { next, why } = held ?? describeJournalVisit(visit)
  const status = visit.status === null ? [] : [["service", `status ${visit.status}`] as const]
  return [{
    ...about,
    code: kind.code,
    severity: kind.severity,
    title: why,
    ...(visit.field === null ? {} : { field: visit.field }),
    ...(visit.field === null || source === null ? {} : fieldOrigin(source, visit.field)),
    facts: [...status, ["attempts", String(visit.attempts)]],
    ...(visit.said === null ? {} : { said: Redacted.value(visit.said) }),
    help: [next, ...requireIt(visit)]
  }, ...near]
}

/** Why this run does not send the update of a visit that is stored in part, and the next step. The journal does not keep this. */
const heldUpdate = ({ why }: Decision): { readonly why: string; readonly next: string } | null => {
  switch (why) {
    case "partial-with-other-admission-date":
      return {
        why: "stored in part, and its update is not sent: the source has another admission date now",
        next:
          "restore the first admission date in the source, or ask the operator; the service accepts no other date (§3)"
      }
    case "partial-and-held":
      return {
        why: "stored in part, and its update is not sent: `submit: {partial: hold}` in facility.yaml",
        next: "when the operator has documented updates, remove that line"
      }
    default:
      return null
  }
}

/** For a field that the service requires and the specification does not: how to check it before sending. */
const requireIt = ({ field, said: stated }: JournalVisit): ReadonlyArray<string> => {
  const path = field?.replaceAll(/\[\d+\]/gu, "")
  const known = path === undefined ? undefined : fieldAt(path)
  if (known === undefined || known.mandatory || stated === null) return []
  const words = Redacted.value(stated)
  // The message is about a nested key that the specification does not have.
  const isPart = words.includes(`${field?.replaceAll(/\[(\d+)\]/gu, ".$1")}.`)
  if (isPart || !/\brequired\b/iu.test(words)) return []
  return [`to check this before sending, in facility.yaml:  validation: {required: [${path}]}`]
}

const storedInPart = { code: "stored-in-part", severity: "warning" } as const

/** The problem that the service reported for a visit, if any. */
export const outcomeKindOf = (visit: JournalVisit): Pick<Diagnostic, "code" | "severity"> | undefined => {
  const error = (code: ProblemCode) => ({ code, severity: "error" }) as const
  switch (visit.state) {
    case "REFUSED":
    case "CONFLICT":
      return error(
        visit.problem === null || visit.problem === "released" || visit.problem === "accepted"
          ? "refused-other" :
          visit.problem
      )
    case "DUPLICATE":
      return error("visit-already-submitted")
    case "DOUBT":
      return error("in-doubt")
    case "UNKNOWN":
    case "VERIFY":
    case "SENDING":
      return error("unknown-outcome")
    case "PARTIAL":
      return storedInPart
    case "STORED":
      if (isContradicted(visit)) return { code: "not-confirmed", severity: visit.unlisted ? "error" : "warning" }
      if (visit.changedSince) return { code: "changed-since-stored", severity: "warning" }
      return visit.unseen ? { code: "content-unknown", severity: "warning" } : undefined
    case "READY":
      return undefined
  }
}

/**
 * Reports what the journal has of visits that this run cannot send. It can have visits that an earlier run left, which nothing else would
 * show, and earlier versions of visits that are rejected or cancelled now.
 */
export const otherProblems = (
  { earlierVersions, leftElsewhere, withdrawn }: OtherVisits
): ReadonlyArray<Diagnostic> => [
  ...(leftElsewhere === 0 ? [] : [
    {
      code: "not-sent",
      severity: "warning",
      title: leftElsewhere === 1
        ? "1 visit of an earlier run was not sent: this input has no valid version of it"
        : `${number(leftElsewhere)} visits of earlier runs were not sent: this input has no valid version of them`,
      help: [
        "run again with the records of these visits; `fhir2visit status` lists them. A visit that is no longer in the source needs nothing"
      ]
    } as const
  ]),
  ...earlierVersions.map((visit) => ({
    code: "earlier-version-held",
    severity: "warning",
    title: `the visit is rejected, and the service ${
      visit.state === "STORED"
        ? "has an earlier version of it"
        : visit.held
        ? "has an earlier version of it in part"
        : "may have an earlier version of it"
    }`,
    visit: visit.code,
    help: [
      visit.state === "STORED"
        ? "correct what rejects it, and compare the two: the service accepts no second version, so ask the operator if the earlier one is wrong"
        : visit.held
        ? "correct what rejects it, and run again: the new version is sent as an update"
        : "correct what rejects it, and run again: the outcome of the earlier version is looked up first"
    ]
  } as const)),
  ...withdrawn.map((visit) => ({
    code: "earlier-version-held",
    severity: "warning",
    title:
      `the source no longer has this as a visit of the facility, for example because it was cancelled, and the service ${
        visit.state === "STORED" ? "has it" : visit.held ? "has it in part" : "may have it"
      }`,
    ...(visit.source === null ? {} : { source: visit.source }),
    visit: visit.code,
    help: ["ask the operator to remove it: the service has no request for that. If the record is wrong, correct it"]
  } as const))
]
