import { Effect } from "effect"
import type { Operator, ProcessedVisit } from "../operator/Operator.ts"
import type { OperatorError } from "../operator/OperatorError.ts"
import { Journal } from "./Journal.ts"
import type { JournalError } from "./JournalError.ts"
import { byCode, type ListedStatuses, readList } from "./readList.ts"
import { cluster, listing, mostDead } from "./reconcile.ts"
import { type StatusCounts, statusCounts } from "./statusCounts.ts"
import { type VisitState, visitStates } from "./VisitState.ts"

/** How the journal and the service's list contradict each other about one visit code. */
export type Difference =
  /** The journal says the service holds it, and the whole list does not show it. */
  | "not-listed"
  /** The journal says it is ours, and the list shows the code with other details. */
  | "listed-as-anothers"
  /** The journal says it is complete, and the list that it waits for an update. */
  | "listed-in-part"
  /** The journal does not say that the service holds it, and the list shows it as ours. */
  | "listed-and-not-stored"
  /** The list shows a code that this journal has never seen. */
  | "unknown-here"

export interface Disagreement {
  readonly code: string
  /** `null` when the journal does not know the code. */
  readonly state: VisitState | null
  readonly what: Difference
}

/** What comparing the journal with the processed list came to. */
export interface Comparison {
  /** Visits of the journal whose dates were listed. */
  readonly compared: number
  /** Visits for whose dates there was no list to read. */
  readonly untold: number
  readonly disagreements: ReadonlyArray<Disagreement>
  readonly statuses: StatusCounts
  /** Why nothing could be compared, where no list was had at all. */
  readonly failure: OperatorError | null
}

/**
 * Compares every visit of the journal with what the service lists for its admission date (§4.6). It changes no state: what is
 * open was asked about before, and what the service once acknowledged is not given up for a list that disagrees.
 */
export const compare = Effect.fn("compare")(function*(
  options: { readonly statuses?: ListedStatuses } = {}
): Effect.fn.Return<Comparison, OperatorError | JournalError, Journal | Operator> {
  const journal = yield* Journal
  const all = yield* journal.visits(visitStates)
  const known = new Set(all.map(({ code }) => code))
  const disagreements: Array<Disagreement> = []
  let compared = 0
  let untold = 0
  let dead = 0
  let failure: OperatorError | null = null
  const strangers = new Set<string>()
  const listed: Array<ProcessedVisit> = []
  /** The codes of `listed`: the dates of two listings may overlap, and a row of both is one row. */
  const listedCodes = new Set<string>()
  for (const { members, range } of cluster(all, ({ admittedAt }) => admittedAt)) {
    const asks = range !== null && dead < mostDead
    const { error, rows } = asks ? yield* listing(range, "front") : { error: null, rows: null }
    failure ??= error
    if (asks) dead = rows === null ? dead + 1 : 0
    if (rows === null) {
      untold += members.length
      continue
    }
    compared += members.length
    const found = byCode(rows)
    for (const [code, own] of found) {
      if (!listedCodes.has(code)) listed.push(...own)
      listedCodes.add(code)
      if (!known.has(code)) strangers.add(code)
    }
    for (let at = 0; at < members.length; at += 500) {
      for (const { versions, visit } of yield* journal.versions(members.slice(at, at + 500).map(({ code }) => code))) {
        const { evidence } = readList(versions, found.get(visit.code) ?? [], options.statuses)
        const what = differenceOf(visit.state, evidence._tag === "Ours" ? evidence.status : evidence._tag)
        if (what !== null) disagreements.push({ code: visit.code, state: visit.state, what })
      }
    }
  }
  for (const code of strangers) disagreements.push({ code, state: null, what: "unknown-here" })
  return {
    compared,
    untold,
    disagreements,
    statuses: statusCounts(listed),
    failure: compared === 0 ? failure : null
  }
})

const differenceOf = (state: VisitState, listed: string): Difference | null => {
  switch (state) {
    case "STORED":
    case "PARTIAL":
      if (listed === "NotListed") return "not-listed"
      if (listed === "Anothers") return "listed-as-anothers"
      return state === "STORED" && listed === "partial" ? "listed-in-part" : null
    // an update of a partial record may wait to be sent, and a visit without an answer is told as such
    default:
      return listed === "stored" && state !== "DOUBT" && state !== "UNKNOWN" ? "listed-and-not-stored" : null
  }
}
