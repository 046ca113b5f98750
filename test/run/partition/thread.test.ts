import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import type { WorkerSetting } from "../../../src/run/workers/Thread.ts"
import { startThread } from "../../../src/run/workers/Thread.ts"
import { neutral } from "../converted.ts"

/** A mapping that no thread can read, so that the thread ends at once. */
// It is not a mapping on purpose.
const unreadable = { bytes: new Uint8Array(0) } as unknown as WorkerSetting["mapping"]

describe("A thread that ends before anything waits for it", () => {
  it.live("ends its tasks with its error, and not the process", () =>
    Effect.gen(function*() {
      const { facility, now, system, zone } = neutral
      const thread = yield* startThread(
        { mapping: unreadable, fhirVersion: undefined, facility, system, zone, validation: { now } },
        128,
        { onReady: () => Effect.void, onEnd: Effect.void }
      )
      // Other work keeps this thread busy while that one ends.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)
      // No thread reads the task.
      const none = new Uint32Array(0)
      const locations = { sources: none, offsets: new Float64Array(0), lengths: none, marks: none }
      const task = { number: 0, locations, roles: new Uint8Array(0) }
      const exit = yield* Effect.exit(thread.do({ _tag: "Codes", task }))
      assert.isTrue(Exit.isFailure(exit) && !Cause.hasInterrupts(exit.cause))
      assert.throws(() => thread.isAlive())
    }).pipe(Effect.scoped))
})
