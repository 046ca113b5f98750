import { Effect, Iterable } from "effect"
import type { VisitCode } from "../../visit/values/Code.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalQueries } from "../journal/JournalReader.ts"
import type { JournalVisit } from "../journal/JournalVisit.ts"
import { mayBeHeld } from "../status/sendingOutcomes.ts"
import type { Plan } from "./plan.ts"

/** What a run has not in its plan: the visits that it cannot send. */
export interface OtherVisits {
  /**
   * Visits of other inputs that are frozen and not sent; they are sent when they are in the input again. Those that the source has
   * withdrawn are not counted.
   */
  readonly leftElsewhere: number
  /** Visits that the input has only in a version that is rejected, and that the service holds, or may hold, in an earlier version. */
  readonly earlierVersions: ReadonlyArray<JournalVisit>
  /** Visits that the service holds, or may hold, and whose records are no longer a visit: the encounter was cancelled. */
  readonly withdrawn: ReadonlyArray<JournalVisit>
}

/** The visits that the input has, and this run cannot send. */
export interface UnsentVisits {
  /** The codes of the rejected ones. */
  readonly rejected: ReadonlySet<VisitCode>
  /** References to the records that are excluded from being a visit, or deleted. */
  readonly excluded: ReadonlySet<string>
}

/** The unsent visits that the journal may know. */
interface KnownUnsent {
  readonly rejected: ReadonlySet<VisitCode>
  /** Visits of this input whose records are no longer a visit. */
  readonly withdrawn: ReadonlyArray<JournalVisit>
  /** The same, and those of earlier inputs. */
  readonly withdrawnOfAll: ReadonlyMap<VisitCode, JournalVisit>
  /** The codes of all of them. */
  readonly codes: ReadonlySet<VisitCode>
}

export const knownUnsent = Effect.fnUntraced(function*(
  journal: Pick<JournalQueries, "madeFrom" | "withdrawn">,
  { excluded, rejected }: UnsentVisits
): Effect.fn.Return<KnownUnsent, JournalError> {
  const made = excluded.size === 0 ? [] : yield* journal.madeFrom(excluded)
  // A rejected visit is a visit of the source.
  const isWithdrawn = ({ code }: JournalVisit): boolean => !rejected.has(code)
  const withdrawn = made.filter(isWithdrawn)
  const noted = (yield* journal.withdrawn).filter(isWithdrawn)
  const withdrawnOfAll = new Map([...noted, ...withdrawn].map((visit) => [visit.code, visit]))
  return { rejected, withdrawn, withdrawnOfAll, codes: new Set([...rejected, ...withdrawnOfAll.keys()]) }
})

/** Returns the other visits of a run. `planned` are the unsent codes that are also in the plan, `ready` counts its frozen visits. */
export const otherThanPlanned = Effect.fnUntraced(function*(
  journal: Pick<JournalQueries, "find" | "counts">,
  { rejected, withdrawn, withdrawnOfAll }: KnownUnsent,
  { planned, ready }: { readonly planned: ReadonlySet<VisitCode>; readonly ready: number }
): Effect.fn.Return<OtherVisits, JournalError> {
  const isOther = ({ code }: JournalVisit): boolean => !planned.has(code)
  const earlierVersions: Array<JournalVisit> = []
  for (const codes of Iterable.chunksOf(Iterable.filter(rejected, (code) => !planned.has(code)), 500)) {
    for (const visit of (yield* journal.find(codes)).values()) {
      if (mayBeHeld(visit)) earlierVersions.push(visit)
    }
  }
  const readyWithdrawn = Iterable.size(
    Iterable.filter(withdrawnOfAll.values(), (visit) => visit.state === "READY" && isOther(visit))
  )
  return {
    leftElsewhere: (yield* journal.counts).READY - ready - readyWithdrawn,
    earlierVersions,
    withdrawn: withdrawn.filter((visit) => mayBeHeld(visit) && isOther(visit))
  }
})

/** Returns the other visits of a dry run. */
export const otherVisitsOf = Effect.fnUntraced(function*(
  journal: Pick<JournalQueries, "find" | "madeFrom" | "withdrawn" | "counts">,
  plan: Plan,
  unsent: UnsentVisits
): Effect.fn.Return<OtherVisits, JournalError> {
  const known = yield* knownUnsent(journal, unsent)
  const planned = new Set<VisitCode>()
  let ready = 0
  for (const group of Iterable.chunksOf(plan.visits, 500)) {
    const codes = new Set(group.map(({ code }) => code))
    for (const { state } of (yield* journal.find([...codes])).values()) if (state === "READY") ready++
    for (const code of codes) if (known.codes.has(code)) planned.add(code)
  }
  return yield* otherThanPlanned(journal, known, { planned, ready })
})
