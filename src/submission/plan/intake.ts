import { Effect, type Scope, Stream } from "effect"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalQueries } from "../journal/JournalReader.ts"
import { JournalReader } from "../journal/JournalReader.ts"
import type { UniquenessConflict } from "../journal/VisitState.ts"
import { mayBeWithheld } from "../nextState.ts"
import { factsOf, type Submission, type VisitFacts } from "../Submission.ts"
import { conflictOf, type Decision, hasConflict, type Plan, type PlanOptions } from "./plan.ts"
import { PlanDraft } from "./PlanDraft.ts"

/** Visits are read, decided and frozen in groups of this size: one commit for each. */
const groupSize = 50

/**
 * Decides about every visit of an input and freezes the bytes of the visits to send, before anything is sent. The plan can be read
 * until the scope ends.
 */
export const intake = <E, R>(
  visits: Stream.Stream<Submission, E, R>,
  options: PlanOptions & { readonly mapping?: string }
): Effect.Effect<Plan, E | JournalError, R | Journal | Scope.Scope> =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const freeze = Effect.fnUntraced(function*(group: ReadonlyArray<Decided>) {
      yield* journal.receive(
        group.flatMap(({ changed, decision, facts, payload, withheld }) =>
          (decision._tag === "Send" || withheld !== null) && changed
            ? [{ ...facts, payload, mapping: options.mapping ?? null }]
            : []
        )
      )
      yield* journal.record(
        group.flatMap(({ facts, withheld }) =>
          withheld === null ? [] : [{ code: facts.code, event: { _tag: "Withheld", because: withheld } }]
        )
      )
      yield* journal.noteEncounters(
        group.flatMap(({ changed, facts, isKnown }) => isKnown && !changed ? [facts] : [])
      )
      const known = group.filter(({ decision, isKnown }) => isKnown && decision.why !== "visit-code-known")
      const differs = (decided: Decided) => decided.changed && decided.decision._tag !== "Send"
      yield* journal.noteChanged(known.filter(differs).map(({ facts }) => facts.code))
      yield* journal.noteUnchanged(known.filter((decided) => !differs(decided)).map(({ facts }) => facts.code))
    })
    return yield* decideAll(visits, journal, options, freeze)
  })

/** Returns the plan of an input against the journal; nothing is written and no request is made. This is `--dry-run`. */
export const planAgainst = <E, R>(
  visits: Stream.Stream<Submission, E, R>,
  options: PlanOptions
): Effect.Effect<Plan, E | JournalError, R | JournalReader | Scope.Scope> =>
  Effect.flatMap(JournalReader, (reader) => decideAll(visits, reader, options, () => Effect.void))

/** A visit with its decision, while its payload is still in memory. */
interface Decided {
  readonly facts: VisitFacts
  readonly payload: string
  readonly decision: Decision
  readonly isKnown: boolean
  /** The journal does not have these bytes. */
  readonly changed: boolean
  /** The value that it shares with a sent visit, if it is to be put in conflict; otherwise `null`. */
  readonly withheld: UniquenessConflict | null
}

const decideAll = <E, R>(
  visits: Stream.Stream<Submission, E, R>,
  journal: Pick<JournalQueries, "find" | "sentOf" | "sentWith">,
  options: PlanOptions,
  each: (group: ReadonlyArray<Decided>) => Effect.Effect<void, JournalError>
): Effect.Effect<Plan, E | JournalError, R | Scope.Scope> =>
  Effect.gen(function*() {
    const draft = yield* Effect.acquireRelease(
      Effect.sync(() => new PlanDraft(options)),
      (draft) => Effect.sync(() => draft.close())
    )
    // One generator function for all groups: V8 keeps the memory of a new one per group until the next full collection.
    const take = Effect.fnUntraced(function*(group: ReadonlyArray<Submission>) {
      const all = group.map((submission) => ({ submission, facts: factsOf(submission) }))
      const known = yield* journal.find(all.map(({ facts }) => facts.code))
      const sent = {
        ofPatient: yield* journal.sentOf(all.map(({ facts }) => facts.patientCode)),
        withEncounter: yield* journal.sentWith(all.flatMap(({ facts }) => facts.encounters.map(({ code }) => code)))
      }
      yield* each(all.map(({ facts, submission }): Decided => {
        const row = known.get(facts.code)
        const decision = draft.add(facts, row, sent)
        const differs = row === undefined || row.fingerprint !== facts.fingerprint
        const reason = conflictOf(decision)
        const withheld = row === undefined || mayBeWithheld(row) ||
            (hasConflict(row) && (differs || row.problem !== reason))
          ? reason
          : null
        return {
          facts,
          payload: submission.payload,
          decision,
          isKnown: row !== undefined,
          // bytes that were refused or held were erased since
          changed: differs || decision.why === "asked-for-again" || decision.why === "may-be-mended" ||
            (hasConflict(row) && (decision._tag === "Send" || withheld !== null)),
          withheld
        }
      }))
    })
    yield* Stream.runForEach(Stream.grouped(visits, groupSize), take)
    return draft.plan
  })
