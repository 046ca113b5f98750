import { Effect, Iterable } from "effect"
import type { VisitCode } from "../../visit/values/Code.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalQueries } from "../journal/JournalReader.ts"
import type { JournalVisit } from "../journal/JournalVisit.ts"
import { mayBeHeld } from "../status/sendingOutcomes.ts"
import type { Plan } from "./plan.ts"

/** What a run has not in its plan: the visits that it cannot send. */
export interface OtherVisits {
  /** Visits of other inputs that are frozen and not sent; they are sent when they are in the input again. */
  readonly leftElsewhere: number
  /** Visits that the input has only in a version that is rejected, and that the service holds, or may hold, in an earlier version. */
  readonly earlierVersions: ReadonlyArray<JournalVisit>
}

/** Returns the rejected visits that the service holds or may hold. `planned` are the codes that are also in the plan. */
export const earlierVersionsOf = Effect.fnUntraced(function*(
  journal: Pick<JournalQueries, "find">,
  rejected: Iterable<VisitCode>,
  planned: Pick<ReadonlySet<VisitCode>, "has">
): Effect.fn.Return<ReadonlyArray<JournalVisit>, JournalError> {
  const found: Array<JournalVisit> = []
  for (const codes of Iterable.chunksOf(Iterable.filter(rejected, (code) => !planned.has(code)), 500)) {
    for (const visit of (yield* journal.find(codes)).values()) {
      if (mayBeHeld(visit)) found.push(visit)
    }
  }
  return found
})

/** Returns the other visits of a dry run: its plan, and the codes of the visits that are rejected. */
export const otherVisitsOf = Effect.fnUntraced(function*(
  journal: Pick<JournalQueries, "find" | "counts">,
  plan: Plan,
  rejected: ReadonlySet<VisitCode>
): Effect.fn.Return<OtherVisits, JournalError> {
  const planned = new Set<VisitCode>()
  let here = 0
  for (const group of Iterable.chunksOf(plan.visits, 500)) {
    const codes = new Set(group.map(({ code }) => code))
    for (const { state } of (yield* journal.find([...codes])).values()) if (state === "READY") here++
    for (const code of codes) if (rejected.has(code)) planned.add(code)
  }
  return {
    leftElsewhere: (yield* journal.counts).READY - here,
    earlierVersions: yield* earlierVersionsOf(journal, rejected, planned)
  }
})
