import { Effect } from "effect"
import { SourceError } from "../../source/SourceError.ts"

/** What went wrong with an input or with the disk; anything else is a defect. */
export const sourceErrorOrDie = (error: unknown): SourceError => {
  if (error instanceof SourceError) return error
  throw error
}

/** Something that waits for the disk. */
export const asSourceError = <A>(work: () => Promise<A>): Effect.Effect<A, SourceError> =>
  Effect.tryPromise({ try: work, catch: sourceErrorOrDie })

/** Something that may fail for want of room on the disk. */
export const orSourceError = <A>(work: () => A): Effect.Effect<A, SourceError> =>
  Effect.try({ try: work, catch: sourceErrorOrDie })
