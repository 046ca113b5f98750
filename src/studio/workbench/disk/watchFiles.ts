import { Clock, Effect, FileSystem, Option } from "effect"
import { dirname } from "node:path"

/** The polling interval, and how long files must be unchanged before they count as written, in milliseconds. */
const pause = 120
/** With many files, polling takes at most one `share`-th of the time. */
const share = 10

/**
 * Waits until the result of `look` differs from `before` and writing has stopped. It polls: that needs no system
 * support and works with every editor, network drive and container.
 */
export const changes = Effect.fnUntraced(function*<R>(look: Effect.Effect<string, never, R>, before: string) {
  let last = before
  let rest = pause
  while (true) {
    yield* Effect.sleep(rest)
    const began = yield* Clock.currentTimeMillis
    const now = yield* look
    rest = Math.max(pause, ((yield* Clock.currentTimeMillis) - began) * share)
    if (now !== before && now === last) return
    last = now
  }
})

/** Returns the sizes and modification times of files. */
export const stampOf = Effect.fnUntraced(function*(files: Iterable<string>) {
  const fs = yield* FileSystem.FileSystem
  const stamps = yield* Effect.forEach(files, (name) => Effect.option(fs.stat(name)), { concurrency: 16 })
  return stamps.map((info) =>
    Option.isNone(info)
      ? "-"
      : `${info.value.size} ${
        Option.match(info.value.mtime, { onNone: () => "", onSome: (time) => String(time.getTime()) })
      }`
  ).join("\n")
})

/** Returns the files and the folders that contain them. */
export const withFolders = (files: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...files, ...[...files].map((file) => dirname(file))])
