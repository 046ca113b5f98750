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
  /** Visits that the service holds, or may hold, and whose records are no visit any more: the encounter was cancelled. */
  readonly withdrawn: ReadonlyArray<JournalVisit>
}

/** The visits that the input has, and this run cannot send. */
export interface UnsentVisits {
  /** The codes of those that are rejected. */
  readonly rejected: ReadonlySet<VisitCode>
  /** References to the records that are excluded from being a visit, or deleted. */
  readonly excluded: ReadonlySet<string>
}

/** The unsent visits that the journal may know. */
interface KnownUnsent extends Pick<OtherVisits, "withdrawn"> {
  readonly rejected: ReadonlySet<VisitCode>
  /** The codes of all of them. */
  readonly codes: ReadonlySet<VisitCode>
}

export const knownUnsent = Effect.fnUntraced(function*(
  journal: Pick<JournalQueries, "heldFrom">,
  { excluded, rejected }: UnsentVisits
): Effect.fn.Return<KnownUnsent, JournalError> {
  const held = excluded.size === 0 ? [] : yield* journal.heldFrom(excluded)
  const withdrawn = held.filter(({ code }) => !rejected.has(code))
  return { rejected, withdrawn, codes: new Set([...rejected, ...withdrawn.map(({ code }) => code)]) }
})

/** Returns those that the service holds or may hold. `planned` are the codes that are also in the plan. */
export const heldUnsent = Effect.fnUntraced(function*(
  journal: Pick<JournalQueries, "find">,
  { rejected, withdrawn }: KnownUnsent,
  planned: ReadonlySet<VisitCode>
): Effect.fn.Return<Pick<OtherVisits, "earlierVersions" | "withdrawn">, JournalError> {
  const earlierVersions: Array<JournalVisit> = []
  for (const codes of Iterable.chunksOf(Iterable.filter(rejected, (code) => !planned.has(code)), 500)) {
    for (const visit of (yield* journal.find(codes)).values()) {
      if (mayBeHeld(visit)) earlierVersions.push(visit)
    }
  }
  return { earlierVersions, withdrawn: withdrawn.filter(({ code }) => !planned.has(code)) }
})

/** Returns the other visits of a dry run. */
export const otherVisitsOf = Effect.fnUntraced(function*(
  journal: Pick<JournalQueries, "find" | "heldFrom" | "counts">,
  plan: Plan,
  unsent: UnsentVisits
): Effect.fn.Return<OtherVisits, JournalError> {
  const known = yield* knownUnsent(journal, unsent)
  const planned = new Set<VisitCode>()
  let here = 0
  for (const group of Iterable.chunksOf(plan.visits, 500)) {
    const codes = new Set(group.map(({ code }) => code))
    for (const { state } of (yield* journal.find([...codes])).values()) if (state === "READY") here++
    for (const code of codes) if (known.codes.has(code)) planned.add(code)
  }
  return {
    leftElsewhere: (yield* journal.counts).READY - here,
    ...yield* heldUnsent(journal, known, planned)
  }
})
