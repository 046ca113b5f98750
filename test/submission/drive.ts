import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** Runs a program to its end and lets time pass, second by second, whenever it waits. */
export const drive = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(program)
    while (fiber.pollUnsafe() === undefined) {
      yield* turn
      yield* TestClock.adjust("1 second")
    }
    return yield* Fiber.join(fiber)
  })

/** One turn of the event loop, in which every fiber that can continue does so. */
export const turn: Effect.Effect<void> = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
