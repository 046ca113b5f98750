import { Effect, Stream } from "effect"
import { Journal } from "./Journal.ts"
import type { JournalError } from "./JournalError.ts"
import type { JournalQueries } from "./JournalReader.ts"
import { JournalReader } from "./JournalReader.ts"
import { type Decision, isWithheld, type Plan, PlanDraft, type PlanOptions } from "./plan.ts"
import { factsOf, type Submission, type VisitFacts } from "./Submission.ts"

/** Visits are read, decided about and frozen in groups of this size: one commit for each. */
const groupSize = 200

/**
 * Decides about every visit of an input and freezes the bytes of those that are to be sent, before anything is sent. The
 * payloads go to the journal as they come; only the plan stays in memory.
 */
export const intake = <E, R>(
  visits: Stream.Stream<Submission, E, R>,
  options: PlanOptions & { readonly mapping?: string }
): Effect.Effect<Plan, E | JournalError, R | Journal> =>
  Effect.gen(function*() {
    const journal = yield* Journal
    return yield* decideAll(visits, journal, options, (group) =>
      Effect.gen(function*() {
        yield* journal.receive(
          group.flatMap(({ changed, decision, facts, isWithheld, payload }) =>
            (decision._tag === "Send" || isWithheld) && changed
              ? [{ ...facts, payload, mapping: options.mapping ?? null }]
              : []
          )
        )
        yield* journal.record(
          group.flatMap(({ facts, isWithheld }) =>
            isWithheld ? [{ code: facts.code, event: { _tag: "Withheld" } }] : []
          )
        )
        const known = group.filter(({ isKnown }) => isKnown)
        const differs = (decided: Decided) => decided.changed && decided.decision._tag !== "Send"
        yield* journal.noteChanged(known.filter(differs).map(({ facts }) => facts.code), true)
        yield* journal.noteChanged(known.filter((decided) => !differs(decided)).map(({ facts }) => facts.code), false)
      }))
  })

/** The plan of an input against what a journal knows; nothing is written and nothing is asked. This is `--dry-run`. */
export const planAgainst = <E, R>(
  visits: Stream.Stream<Submission, E, R>,
  options: PlanOptions
): Effect.Effect<Plan, E | JournalError, R | JournalReader> =>
  Effect.gen(function*() {
    const reader = yield* JournalReader
    return yield* decideAll(visits, reader, options, () => Effect.void)
  })

/** A visit with its decision, while its payload is still at hand. */
interface Decided {
  readonly facts: VisitFacts
  readonly payload: string
  readonly decision: Decision
  readonly isKnown: boolean
  /** The journal does not hold these bytes. */
  readonly changed: boolean
  /** It is READY, and stands in conflict with one that was sent. */
  readonly isWithheld: boolean
}

const decideAll = <E, R>(
  visits: Stream.Stream<Submission, E, R>,
  journal: Pick<JournalQueries, "find" | "sentOf">,
  options: PlanOptions,
  each: (group: ReadonlyArray<Decided>) => Effect.Effect<void, JournalError>
): Effect.Effect<Plan, E | JournalError, R> =>
  Effect.gen(function*() {
    const draft = new PlanDraft(options)
    yield* visits.pipe(
      Stream.grouped(groupSize),
      Stream.runForEach((group) =>
        Effect.gen(function*() {
          const all = group.map((submission) => ({ submission, facts: factsOf(submission) }))
          const known = yield* journal.find(all.map(({ facts }) => facts.code))
          const sentOf = yield* journal.sentOf(all.map(({ facts }) => facts.patientCode))
          yield* each(all.map(({ facts, submission }): Decided => {
            const row = known.get(facts.code)
            const decision = draft.add(facts, row, sentOf.get(facts.patientCode))
            return {
              facts,
              payload: submission.payload,
              decision,
              isKnown: row !== undefined,
              // refused bytes that are sent again as they are were erased meanwhile
              changed: row === undefined || row.fingerprint !== facts.fingerprint ||
                decision.why === "asked-for-again" || (decision._tag === "Send" && isWithheld(row)),
              isWithheld: decision.why === "admission-time-known" &&
                (row === undefined || (row.state === "READY" && !row.open && !row.held))
            }
          }))
        })
      )
    )
    return draft.plan()
  })
