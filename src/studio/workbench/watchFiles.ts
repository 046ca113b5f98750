import { Clock, Effect, FileSystem, Option } from "effect"
import { dirname } from "node:path"

/** How often it is looked, and how long files must have rested before they are taken to be written, in milliseconds. */
const pause = 120
/** Where files are many, looking takes at most one part in as many of the time. */
const share = 10

/**
 * Waits until what `look` sees is another than `before`, and writing has come to rest. It is looked again and again: it needs
 * nothing of the system, and misses no editor, network drive or container.
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

/** The sizes and times of files. */
export const stampOf = Effect.fnUntraced(function*(files: Iterable<string>) {
  const fs = yield* FileSystem.FileSystem
  const stamps = yield* Effect.forEach(files, (name) => Effect.option(fs.stat(name)))
  return stamps.map((info) =>
    Option.isNone(info)
      ? "-"
      : `${info.value.size} ${
        Option.match(info.value.mtime, { onNone: () => "", onSome: (time) => String(time.getTime()) })
      }`
  ).join("\n")
})

/** The files and the folders they are in. */
export const withFolders = (files: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...files, ...[...files].map((file) => dirname(file))])
