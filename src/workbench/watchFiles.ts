import { Effect, FileSystem, Option } from "effect"
import { dirname } from "node:path"

/** How often files are looked at, and how long they must have rested before they are taken to be written. */
const pause = "120 millis"

/**
 * Waits until a file, or a folder that one of the files is in, is another than when `before` was taken, and writing has come to
 * rest. Files are looked at again and again: it needs nothing of the system, and misses no editor, network drive or container.
 */
export const filesChange = Effect.fnUntraced(function*(files: ReadonlySet<string>, before: string) {
  let last = before
  while (true) {
    yield* Effect.sleep(pause)
    const now = yield* stampOf(files)
    if (now !== before && now === last) return
    last = now
  }
})

/** The sizes and times of files and of the folders they are in. */
export const stampOf = Effect.fnUntraced(function*(files: ReadonlySet<string>) {
  const names = [...files, ...new Set([...files].map((file) => dirname(file)))]
  const fs = yield* FileSystem.FileSystem
  const stamps = yield* Effect.forEach(names, (name) => Effect.option(fs.stat(name)))
  return stamps.map((info) =>
    Option.isNone(info)
      ? "-"
      : `${info.value.size} ${
        Option.match(info.value.mtime, { onNone: () => "", onSome: (time) => String(time.getTime()) })
      }`
  ).join("\n")
})
