import type { ValuePath } from "../VisitProblem.ts"
import { entriesOf, instantAt, partOf, type ReportProblem, type Rule, type UnvalidatedVisit } from "./Rule.ts"

type Pair = readonly [first: string, second: string]

const kept: Pair = ["created_at", "updated_at"]
const lasted: Pair = ["started_at", "ended_at"]

const ofVisit: ReadonlyArray<Pair> = [["admitted_at", "discharged_at"], ["admitted_at", "followup_at"], kept]
const ofPatient: ReadonlyArray<Pair> = [kept]
const ofReferral: ReadonlyArray<Pair> = [["referred_at", "received_at"]]
const ofEntries: ReadonlyArray<readonly [list: string, pairs: ReadonlyArray<Pair>]> = [
  ["outpatients", [lasted, kept]],
  ["inpatients", [lasted, kept]],
  ["emergencies", [lasted, kept]],
  ["surgeries", [lasted, kept]],
  ["progress_notes", [lasted, kept]],
  ["laboratories", [["requested_at", "collected_at"]]],
  ["imageries", [["requested_at", "collected_at"]]],
  ["invoices", [kept]]
]

/** Returns whether a timestamp is the first instant of another timestamp's day. */
const isMidnightOf = (one: unknown, other: unknown): boolean =>
  typeof one === "string" && typeof other === "string" && one.startsWith("T00:00:00.000", 10) &&
  one.slice(0, 10) === other.slice(0, 10)

const inOrder = (
  value: UnvalidatedVisit,
  path: ValuePath,
  pairs: ReadonlyArray<Pair>,
  report: ReportProblem
): void => {
  for (const [first, second] of pairs) {
    if (instantAt(value, second) < instantAt(value, first)) {
      report({
        code: "ends-before-start",
        // A stay that ends before it began is invalid.
        severity: first === "admitted_at" && second === "discharged_at" ? "error" : "warning",
        path: [...path, second],
        ...(isMidnightOf(value[second], value[first])
          ? {
            title: `\`${second}\` is the midnight before \`${first}\``,
            help: `send the time of \`${second}\`: it may be a date to which the midnight was added on the way`
          }
          : { title: `\`${second}\` is before \`${first}\`` })
      })
    }
  }
}

/** Checks that each end is after its start, for the visit, its encounters, requests and records. */
export const endsAfterStart: Rule = (visit, _settings, report) => {
  inOrder(visit, [], ofVisit, report)
  inOrder(partOf(visit, "patient"), ["patient"], ofPatient, report)
  for (const [list, pairs] of ofEntries) {
    entriesOf(visit, list).forEach((entry, index) => inOrder(entry, [list, index], pairs, report))
  }
  const to = partOf(partOf(visit, "referrals"), "referred_to")
  inOrder(to, ["referrals", "referred_to"], ofReferral, report)
}
