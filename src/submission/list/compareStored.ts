import { Effect, Iterable } from "effect"
import type { Operator, ProcessedVisit } from "../../service/Operator.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import type { VisitCode } from "../../visit/values/Code.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { isVerdict, type JournalVisit } from "../journal/JournalVisit.ts"
import type { Recorded } from "../journal/JournalWriter.ts"
import { type VisitState, visitStates } from "../journal/VisitState.ts"
import { hasMoreEvidence } from "./confirm.ts"
import { maxListings } from "./queryListFirst.ts"
import { byCode, codesIn, type ListedStatuses, readStoredList, rowsFor } from "./readStoredList.ts"
import { type Cluster, cluster, isSilent, joinClusters, listing, maxFailedListings } from "./reconcile.ts"
import { type StatusCounts, statusCounts } from "./statusCounts.ts"

/** A contradiction between the journal and the service's list about one visit code. */
export type Discrepancy =
  /** The service holds it according to the journal, and the whole list does not show it. */
  | "not-listed"
  /** It is ours according to the journal, and the list shows the code with other details. */
  | "listed-as-anothers"
  /** It is complete according to the journal, and waits for an update according to the list. */
  | "listed-in-part"
  /** It is complete according to the journal, and the list shows it with another status, for example because it was rejected later. */
  | "listed-otherwise"
  /** The journal does not show that the service holds it, and the list shows it as ours. */
  | "listed-and-not-stored"
  /** The list shows a code that this journal has never had. */
  | "unknown-here"

interface Disagreement {
  readonly code: VisitCode
  /** `null` if the journal does not know the code. */
  readonly state: VisitState | null
  readonly what: Discrepancy
}

/** The result of comparing the journal with the processed list. */
export interface Comparison {
  /** Visits of the journal whose dates were listed. */
  readonly compared: number
  /** Visits whose dates had no readable list. */
  readonly untold: number
  readonly disagreements: ReadonlyArray<Disagreement>
  /** Visits that the list shows as ours, and that had a verdict against them or were not sent: they count as stored now. */
  readonly settled: ReadonlyArray<VisitCode>
  readonly statuses: StatusCounts
  /** Why there was no readable list for some dates. */
  readonly failure: OperatorError | null
}

/**
 * Compares every visit of the journal with what the service lists for its admission date (§4.6), and resolves what the list shows as
 * ours. A visit that the service acknowledged stays stored if the list disagrees: the contradiction is noted, and every run reports it.
 */
export const compareStored = Effect.fn("compare")(function*(
  options: { readonly statuses?: ListedStatuses }
): Effect.fn.Return<Comparison, OperatorError | JournalError, Journal | Operator> {
  const journal = yield* Journal
  const all = yield* journal.visits(visitStates)
  const known = new Set(all.map(({ code }) => code))
  const disagreements: Array<Disagreement> = []
  let compared = 0
  let untold = 0
  /** Failed listings in a row. */
  let failed = 0
  let failure: OperatorError | null = null
  const unknownHere = new Set<VisitCode>()
  const settled: Array<VisitCode> = []
  const stored = new Set(all.flatMap(({ code, state }) => state === "STORED" ? [code] : []))
  const listed: Array<ProcessedVisit> = []
  /** The codes of `listed`: the dates of two listings may overlap, and a row of both is one row. */
  const listedCodes = new Set<string>()
  const queue = [...compareClusters(all)]
  let isJoined = true
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { members, range } = next
    const isListed = range !== null && failed < maxFailedListings
    const { error, rows } = isListed ? yield* listing(range, "front") : { error: null, rows: null }
    // the service may refuse long ranges of dates
    if (isJoined && error?.reason._tag === "UnexpectedResponse") {
      isJoined = false
      const rest = [next, ...queue].flatMap((one) => one.members)
      const parts = cluster(rest, ({ admittedAt }) => admittedAt)
      if (parts.length > queue.length + 1) {
        queue.splice(0, queue.length, ...parts)
        continue
      }
    }
    failure ??= error
    if (isListed) failed = rows === null ? failed + (isSilent(error) ? maxFailedListings : 1) : 0
    if (rows === null) {
      untold += members.length
      continue
    }
    compared += members.length
    const found = byCode(rows)
    for (const code of codesIn(found)) {
      if (!listedCodes.has(code)) listed.push(...rowsFor(found, code))
      listedCodes.add(code)
      if (!known.has(code)) unknownHere.add(code)
    }
    for (const group of Iterable.chunksOf(members, 500)) {
      const events: Array<Recorded> = []
      for (const { versions, visit } of yield* journal.versions(group.map(({ code }) => code))) {
        const { evidence, row } = readStoredList(versions, rowsFor(found, visit.code), options.statuses)
        const isNew = mayResolve(visit) && hasMoreEvidence(visit, evidence)
        if (isNew) events.push({ code: visit.code, event: { _tag: "Looked", evidence }, listed: row })
        if (isNew && visit.state !== "STORED") continue
        // a person has checked it with the operator
        if (visit.state === "STORED" && visit.problem === "accepted") continue
        const what = differenceOf(visit.state, evidence._tag === "Ours" ? evidence.status : evidence._tag)
        if (what !== null) disagreements.push({ code: visit.code, state: visit.state, what })
      }
      for (const { code, state } of yield* journal.record(events)) {
        if (state !== "STORED" || !stored.has(code)) settled.push(code)
      }
    }
  }
  for (const code of unknownHere) disagreements.push({ code, state: null, what: "unknown-here" })
  return {
    compared,
    untold,
    disagreements,
    settled,
    statuses: statusCounts(listed),
    failure
  }
})

/** Returns the listings of the whole journal. */
export const compareClusters = (
  visits: ReadonlyArray<JournalVisit>
): ReadonlyArray<Cluster<JournalVisit>> => joinClusters(cluster(visits, ({ admittedAt }) => admittedAt), maxListings)

/** Whether the list may resolve the visit. Pending visits were looked up before; a released visit waits for its next attempt. */
const mayResolve = (visit: JournalVisit): boolean =>
  isVerdict(visit) || visit.state === "READY" || (visit.state === "STORED" && visit.problem !== "accepted")

const differenceOf = (state: VisitState, listed: string): Discrepancy | null => {
  switch (state) {
    case "STORED":
    case "PARTIAL":
      if (listed === "NotListed") return "not-listed"
      if (listed === "Anothers") return "listed-as-anothers"
      if (state === "PARTIAL") return null
      return listed === "partial" ? "listed-in-part" : listed === "other" ? "listed-otherwise" : null
    // an update of a partial record may wait to be sent, and a visit without a response is reported separately
    default:
      return listed === "stored" && state !== "DOUBT" && state !== "UNKNOWN" ? "listed-and-not-stored" : null
  }
}
