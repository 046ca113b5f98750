import { Clock, DateTime, Effect } from "effect"
import { plural } from "../diagnostic/count.ts"
import { TellWait } from "../operator/limits.ts"
import { minute } from "./minute.ts"
import { Screen } from "./Screen.ts"

/** Does something with the service, and says whenever it waits for a limit (§8) until when that is. */
export const tellWaits = <A, E, R>(asking: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Screen> =>
  Effect.flatMap(Screen, (screen) => Effect.provideService(asking, TellWait, (seconds) => tellWait(screen, seconds)))

/** A wait that somebody would notice, and when it is over. */
const tellWait = (screen: Screen["Service"], seconds: number) =>
  Effect.gen(function*() {
    if (seconds < noticed) return
    const until = DateTime.formatIso(DateTime.makeUnsafe((yield* Clock.currentTimeMillis) + seconds * 1000))
    const long = seconds < 120 ? plural(seconds, "second") : plural(Math.ceil(seconds / 60), "minute")
    yield* screen.note(`the service's limit is reached: going on at ${minute(until)}, in ${long}`, { until, seconds })
  })

/** Seconds. */
const noticed = 10
