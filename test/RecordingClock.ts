import { Duration, Effect } from "effect"
import { FastClock } from "./submission/FastClock.ts"

/** A clock that shortens waits and records their requested lengths. Deadlines, which are longer, are real. */
export class RecordingClock extends FastClock {
  /** Milliseconds of each wait, in the order in which they began. */
  readonly waits: Array<number> = []

  constructor() {
    super(1, Date.now())
  }

  override sleep(duration: Duration.Duration): Effect.Effect<void> {
    const millis = Duration.toMillis(duration)
    if (millis >= 10_000) return super.sleep(duration)
    return Effect.callback<void>((resume) => {
      this.waits.push(millis)
      setImmediate(() => resume(Effect.void))
    })
  }
}
