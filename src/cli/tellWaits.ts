import { Clock, DateTime, Effect } from "effect"
import { plural } from "../diagnostic/count.ts"
import type { Facility } from "../facility/Facility.ts"
import { TellWait } from "../operator/limits.ts"
import { formatTimestamp } from "../visit/Timestamp.ts"
import { Screen } from "./Screen.ts"

/** Does something with the service, and says whenever it waits for a limit (§8) until when that is. */
export const tellWaits =
  ({ timezone }: Pick<Facility, "timezone">) =>
  <A, E, R>(asking: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Screen> =>
    Effect.flatMap(
      Screen,
      (screen) => Effect.provideService(asking, TellWait, (seconds) => tellWait(screen, timezone, seconds))
    )

/** A wait that somebody would notice, and when it is over. */
const tellWait = (screen: Screen["Service"], timezone: Facility["timezone"], seconds: number) =>
  Effect.gen(function*() {
    if (seconds < noticed) return
    const until = (yield* Clock.currentTimeMillis) + seconds * 1000
    const time = formatTimestamp(until, timezone).slice(11, 16)
    const long = seconds < 120 ? plural(seconds, "second") : plural(Math.ceil(seconds / 60), "minute")
    yield* screen.note(`the service's limit is reached: going on at ${time}, in ${long}`, {
      until: DateTime.formatIso(DateTime.makeUnsafe(until)),
      seconds
    })
  })

/** Seconds. */
const noticed = 10
