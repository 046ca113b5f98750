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
 * Guesses the encoding of a text from some of its bytes. Letters with a tone of its own beside ASCII letters mean Vietnamese. Otherwise,
 * adjacent letters beyond ASCII mean a text in a non-Latin script: Thai, or Cyrillic if some bytes are not Thai characters. All other texts
 * are Western.
 */
export const encodingOf = (bytes: Buffer): string => {
  // The last character may be incomplete.
  for (let end = bytes.length; end > bytes.length - 4; end--) if (isUtf8(bytes.subarray(0, end))) return "utf-8"
  if (isVietnamese(bytes)) return "windows-1258"
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

/** The vowels `â ê ô ă ơ ư` of windows-1258, small and capital, and the tones that can follow them. In Western texts, none of these follows another. */
const vowels = new Set([0xe2, 0xea, 0xf4, 0xe3, 0xf5, 0xfd, 0xc2, 0xca, 0xd4, 0xc3, 0xd5, 0xdd])
const tones = new Set([0xcc, 0xd2, 0xde, 0xec, 0xf2])

/** Whether at least one in ten of the words with letters beyond ASCII has a vowel and a tone next to each other, and an ASCII letter beside them. */
const isVietnamese = (bytes: Buffer): boolean => {
  let sequences = 0
  let toned = 0
  for (let at = 0; at < bytes.length; at++) {
    if (!isHigh(bytes[at])) continue
    const from = at
    let hasTone = false
    for (; isHigh(bytes[at]); at++) hasTone ||= vowels.has(bytes[at - 1] ?? 0) && at > from && tones.has(bytes[at] ?? 0)
    sequences++
    if (hasTone && at - from <= 3 && (isLetter(bytes[from - 1]) || isLetter(bytes[at]))) toned++
  }
  return toned > 0 && toned * 10 >= sequences
}

const isHigh = (byte: number | undefined): boolean => byte !== undefined && byte >= 0xa1
const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined && (byte >= 0x41 && byte <= 0x5a || byte >= 0x61 && byte <= 0x7a)

/**
 * Decodes bytes as a whole. In windows-1258 a tone is a character of its own. It is composed with its letter, as all other texts and tables
 * have it.
 */
export const decoded = (bytes: Buffer, encoding: string): string =>
  composed(new TextDecoder(encoding).decode(bytes), encoding)

const composed = (text: string, encoding: string): string => encoding === "windows-1258" ? text.normalize("NFC") : text

/** Encodings whose characters have several bytes. */
const severalBytes = /^(?:utf-|shift_jis|euc-|iso-2022-|gb|big5|replacement|x-user-defined)/u

/** Whether every byte is a character of an encoding, given by its WHATWG name. */
export const isSingleByte = (encoding: string): boolean => !severalBytes.test(encoding)

/** Encodings of languages that are not written in Latin letters. */
const otherScripts = /^(?:windows-(?:874|1251|1253|1255|1256)|iso-8859-[5678](?:-i)?|koi8-.*|ibm866|x-mac-cyrillic)$/u

/**
 * Returns what shows that UTF-8 was read with one byte per character. A letter of UTF-8 becomes `Ã¼` or `à¸Š`. In Thai, Cyrillic or Arabic,
 * a real word can also be valid UTF-8 (`หญิง`), but it consists of letters only.
 */
export const signOfUtf8In = (encoding: string): RegExp =>
  otherScripts.test(encoding) ? /[^\0-\x7F\p{L}\p{M}]/u : /[^\0-\x7F]/u

/** Watches whether all bytes of a file are valid UTF-8. */
export class Utf8Watch {
  #isUtf8 = true

  /** Whether the bytes that passed are UTF-8. */
  get isUtf8(): boolean {
    return this.#isUtf8
  }

  async *pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let held = Buffer.alloc(0)
    for await (const chunk of chunks) {
      if (this.#isUtf8) {
        const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
        const end = bytes.length - unfinished(bytes)
        this.#isUtf8 = isUtf8(bytes.subarray(0, end))
        held = Buffer.from(bytes.subarray(end))
      }
      yield chunk
    }
    if (held.length > 0) this.#isUtf8 = false
  }
}

/** Decodes bytes to UTF-8, chunk by chunk. No chunk ends inside a character. */
export async function* decodeText(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<DecodedChunk> {
  if (encoding === "utf-8") return yield* utf8Chunks(chunks)
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  // The tone of the last letter can be in the next chunk.
  const isHeld = encoding === "windows-1258"
  let held = ""
  for await (const chunk of chunks) {
    const text = held + decoder.decode(chunk, { stream: true })
    const end = isHeld ? Math.max(0, text.search(/\P{M}\p{M}*$/u)) : text.length
    held = text.slice(end)
    if (end > 0) yield chunkOf(composed(text.slice(0, end), encoding))
  }
  const rest = composed(held + decoder.decode(), encoding)
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
