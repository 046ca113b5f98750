import { Effect, Stream } from "effect"
import { type SourceError, sourceErrorOrDie } from "../../source/SourceError.ts"

/** Runs work that waits for the disk. */
export const asSourceError = <A>(work: () => Promise<A>): Effect.Effect<A, SourceError> =>
  Effect.tryPromise({ try: work, catch: sourceErrorOrDie })

/** Runs work that may fail because the disk is full. */
export const orSourceError = <A>(work: () => A): Effect.Effect<A, SourceError> =>
  Effect.try({ try: work, catch: sourceErrorOrDie })

/** Streams items one by one. Making the next one may fail because the disk is full. */
export const eachOrSourceError = <A>(items: Iterable<A>): Stream.Stream<A, SourceError> =>
  Stream.suspend(() => {
    const iterator = items[Symbol.iterator]()
    return Stream.unfold(undefined, () =>
      orSourceError(() => {
        const { done, value } = iterator.next()
        return done === true ? undefined : [value, undefined] as const
      }))
  })
