import { Clock, Effect } from "effect"
import { Sandbox, startSandbox } from "../../../src/service/sandbox/Sandbox.ts"
import type { SandboxOptions } from "../../../src/service/sandbox/SandboxOptions.ts"

/** Runs a test against a service of its own. The body is a promise, for the client under test is not ours. */
export const withSandbox = (
  options: Partial<SandboxOptions>,
  body: (sandbox: Sandbox["Service"]) => Promise<void>,
  clock?: Clock.Clock
): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const starting = startSandbox(options)
    const sandbox = yield* (clock === undefined ? starting : Effect.provideService(starting, Clock.Clock, clock))
    yield* Effect.promise(() => body(sandbox))
  })))
