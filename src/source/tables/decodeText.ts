import { isUtf8 } from "node:buffer"
import { TextDecoder } from "node:util"

/** A chunk of text in UTF-8, and whether some of its bytes are invalid in the declared encoding. */
export interface DecodedChunk {
  readonly bytes: Buffer
  /** A `U+FFFD` in the text may replace bytes that could not be decoded. */
  readonly doubtful: boolean
  /** The likely encoding of bytes that are not UTF-8. */
  readonly likely?: string
}

/** Encodings by their common names. */
const otherNames: Readonly<Record<string, string>> = {
  "cp874": "windows-874",
  "ms874": "windows-874",
  "cp1250": "windows-1250",
  "cp1251": "windows-1251",
  "cp1252": "windows-1252",
  "cp1254": "windows-1254",
  "cp1256": "windows-1256",
  "cp1258": "windows-1258",
  "ansi": "windows-1252",
  "utf-16": "utf-16le",
  "utf16": "utf-16le"
}

/** Returns the WHATWG name of an encoding; `undefined` for an unknown one. */
export const encodingNamed = (name: string): string | undefined => {
  const word = name.trim().toLowerCase().replaceAll("_", "-")
  try {
    return new TextDecoder(otherNames[word] ?? word).encoding
  } catch {
    return undefined
  }
}

/** Some encodings, for suggestions. */
export const defaultEncodings: ReadonlyArray<string> =
  "utf-8 utf-16le utf-16be windows-874 windows-1250 windows-1251 windows-1252 windows-1254 windows-1256 windows-1258 iso-8859-2 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-9 iso-8859-11 iso-8859-15 shift-jis gb18030 big5 euc-kr"
    .split(" ")

/**
 * Guesses the encoding of a text from some of its bytes. Adjacent letters beyond ASCII mean a text in a non-Latin script: Thai, or
 * Cyrillic if some bytes are not Thai characters. All other texts are Western.
 */
export const encodingOf = (bytes: Buffer): string => {
  // The last character may be incomplete.
  for (let end = bytes.length; end > bytes.length - 4; end--) if (isUtf8(bytes.subarray(0, end))) return "utf-8"
  let high = 0
  let adjacent = 0
  let notThai = 0
  let before = 0
  for (const byte of bytes) {
    if (byte >= 0xa1) {
      high++
      if ((byte > 0xda && byte < 0xdf) || byte > 0xfb) notThai++
      if (before >= 0xa1) adjacent++
    }
    before = byte
  }
  return adjacent * 2 <= high ? "windows-1252" : notThai > 0 ? "windows-1251" : "windows-874"
}

/** Decodes bytes to UTF-8, chunk by chunk. No chunk ends inside a character. */
export async function* decodeText(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<DecodedChunk> {
  if (encoding === "utf-8") return yield* utf8Chunks(chunks)
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  for await (const chunk of chunks) yield chunkOf(decoder.decode(chunk, { stream: true }))
  const rest = decoder.decode()
  if (rest !== "") yield chunkOf(rest)
}

const chunkOf = (text: string): DecodedChunk => ({
  bytes: Buffer.from(text, "utf8"),
  doubtful: text.includes("\uFFFD")
})

async function* utf8Chunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<DecodedChunk> {
  let held: Buffer | undefined
  for await (const chunk of chunks) {
    const bytes = held === undefined ? chunk : Buffer.concat([held, chunk])
    const end = bytes.length - unfinished(bytes)
    held = end === bytes.length ? undefined : bytes.subarray(end)
    const whole = held === undefined ? bytes : bytes.subarray(0, end)
    if (whole.length === 0) continue
    yield isUtf8(whole)
      ? { bytes: whole, doubtful: false }
      : { bytes: whole, doubtful: true, likely: encodingOf(whole) }
  }
  if (held !== undefined) yield { bytes: held, doubtful: true }
}

/** Returns the number of bytes at the end that begin an incomplete character. */
const unfinished = (bytes: Buffer): number => {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes.at(-back)
    if (byte === undefined || byte < 0x80) return 0
    if (byte < 0xc0) continue
    const size = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return size > back ? back : 0
  }
  return 0
}
