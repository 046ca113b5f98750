import { Effect, FileSystem } from "effect"

/** The text of a file, or the reason why it cannot be read, as the end of a sentence. */
type TextFile =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Unreadable"; readonly why: string; readonly isMissing: boolean; readonly isUtf8: boolean }

/** Maximum bytes of a settings file. Real ones have some kilobytes. */
export const maxSettingsBytes = 1024 * 1024

/**
 * Reads a file of settings, a mapping or a table. It must be a regular file, whose size is checked before it is read. A folder, a pipe
 * or a device is never opened: a pipe would wait for its writer, and a device may not end. The text is UTF-8, or UTF-16 by its
 * byte-order mark.
 */
export const readTextFile = Effect.fnUntraced(function*(file: string, maxBytes: number = maxSettingsBytes) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = (why: string, more: { readonly isMissing?: true; readonly isUtf8?: false } = {}): TextFile => ({
    _tag: "Unreadable",
    why,
    isMissing: more.isMissing ?? false,
    isUtf8: more.isUtf8 ?? true
  })
  const read = Effect.gen(function*() {
    const { size, type } = yield* fs.stat(file)
    if (type !== "File") return unreadable(`it is ${kinds[type] ?? "not a file"}`)
    if (size > BigInt(maxBytes)) return unreadable(`it is larger than ${Math.round(maxBytes / 1024 / 1024)} MB`)
    const text = decode(yield* fs.readFile(file))
    return text === undefined
      ? unreadable("it is not UTF-8", { isUtf8: false })
      : { _tag: "Text", text } satisfies TextFile
  })
  return yield* Effect.catch(read, (error) =>
    Effect.succeed(
      error.reason._tag === "NotFound"
        ? unreadable("there is no such file", { isMissing: true })
        : unreadable("it cannot be opened")
    ))
})

const kinds: Readonly<Record<string, string>> = {
  Directory: "a folder",
  FIFO: "a pipe",
  Socket: "a socket",
  CharacterDevice: "a device",
  BlockDevice: "a device"
}

/**
 * Decodes UTF-8, or by its byte-order mark UTF-16 (spreadsheets save "Unicode text" so), and removes the mark. `undefined` for anything
 * else.
 */
const decode = (bytes: Uint8Array): string | undefined => {
  const encoding = bytes[0] === 0xFF && bytes[1] === 0xFE
    ? "utf-16le"
    : bytes[0] === 0xFE && bytes[1] === 0xFF
    ? "utf-16be"
    : "utf-8"
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
