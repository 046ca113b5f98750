import { Effect } from "effect"
import type { Common } from "../flags.ts"

/** The work of a command, loaded on demand: `--help` and `--version` do not wait for it. */
export const later = <E, R>(flags: Common, load: () => Promise<Effect.Effect<void, E, R>>) =>
  Effect.flatMap(
    Effect.promise(() => Promise.all([import("../perform.ts"), load()])),
    ([{ perform }, work]) => perform(flags, work)
  )
