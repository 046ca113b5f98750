import { Clock, Duration, Effect } from "effect"

/** A clock that runs many times as fast as ours, and whose time of day may be set. */
export class FastClock implements Clock.Clock {
  /** Added to the time of day; what lasts and what has passed do not know it. */
  offset = 0
  readonly #speed: number
  readonly #start = process.hrtime.bigint()
  readonly #day: number

  constructor(speed: number, day: number) {
    this.#speed = speed
    this.#day = day
  }

  monotonicTimeNanosUnsafe(): bigint {
    return (process.hrtime.bigint() - this.#start) * BigInt(this.#speed)
  }
  /** Milliseconds since it was made. */
  get passed(): number {
    return Number(this.monotonicTimeNanosUnsafe() / 1_000_000n)
  }
  currentTimeMillisUnsafe(): number {
    return this.#day + this.offset + this.passed
  }
  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.currentTimeMillisUnsafe()) * 1_000_000n
  }
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const millis = Duration.toMillis(duration)
    if (!Number.isFinite(millis)) return Effect.never
    return Effect.callback<void>((resume) => {
      const timer = setTimeout(() => resume(Effect.void), millis / this.#speed)
      return Effect.sync(() => clearTimeout(timer))
    })
  }
}
