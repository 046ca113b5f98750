import { Clock, DateTime, Effect } from "effect"
import { plural } from "../../diagnostic/count.ts"
import { ReportWait, type Wait } from "../../service/limits.ts"
import { minute } from "../process/minute.ts"
import { Screen } from "./Screen.ts"

/** Runs an effect that uses the service, and reports each wait for a limit (§8) with its end, or for a response. */
export const reportWaits = <A, E, R>(asking: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Screen> =>
  Effect.flatMap(Screen, (screen) =>
    Effect.suspend(() => {
      let silenceReported = Number.NEGATIVE_INFINITY
      const report = (wait: Wait) =>
        Effect.gen(function*() {
          const now = yield* Clock.currentTimeMillis
          if (wait._tag === "Limit") return yield* reportLimit(screen, wait, now)
          // one line for a service that is slow for long
          if (now - silenceReported < 60_000) return
          silenceReported = now
          const { ofSeconds, seconds } = wait
          yield* screen.note(
            "waiting",
            `the service has not responded for ${plural(seconds, "second")}; the run waits up to ${
              plural(ofSeconds, "second")
            }`,
            { seconds, ofSeconds },
            ofSeconds > loud
          )
        })
      return Effect.provideService(asking, ReportWait, report)
    }))

/** A noticeable wait, and its end. */
const reportLimit = Effect.fnUntraced(function*(
  screen: Screen["Service"],
  { ours, seconds }: Extract<Wait, { _tag: "Limit" }>,
  now: number
) {
  if (seconds < noticed) return
  const until = DateTime.formatIso(DateTime.makeUnsafe(now + seconds * 1000))
  const long = seconds < 120 ? plural(seconds, "second") : plural(Math.ceil(seconds / 60), "minute")
  const why = ours ? "our own request limit is reached" : "the service's limit is reached"
  yield* screen.note(
    "waiting",
    `${why}: continuing at ${minute(until)}, in ${long}`,
    { until, seconds },
    seconds > loud
  )
})

/** Seconds of a wait for a limit that is reported. */
const noticed = 10
/** Seconds of a wait that is also reported under `--quiet`, because the program would seem to hang. */
const loud = 60
