/** A number in the text that a double writes differently. */
export interface LossyNumber {
  /** Number of numbers before it in the value. */
  readonly ordinal: number
  readonly text: string
}

/** The result of scanning the bytes of one object or array. Positions are byte offsets. */
export interface Scan {
  readonly start: number
  /** Offset after the closing bracket, or of the end of the bytes if `closed` is false. */
  readonly end: number
  readonly closed: boolean
  /** Maximum nesting of `{` and `[`. */
  readonly depth: number
  readonly lines: number
  readonly numbers: number
  readonly lossy: ReadonlyArray<LossyNumber> | undefined
  readonly names: number
  readonly nulls: boolean
  /** True if an escape of half a surrogate pair (`\ud83d`) occurs; its other half can be missing. */
  readonly surrogates: boolean
}

const quote = 0x22
const backslash = 0x5c
const zero = 0x30

// The meaning of each byte outside texts. Most bytes have none.
const kindQuote = 1
const kindOpen = 2
const kindClose = 3
const kindLine = 4
const kindNumber = 5
const kindColon = 6
const kindNull = 7

// The loops below read only offsets within the bytes, which the type of an indexed access does not show (`bytes[at]!`).
const kinds = new Uint8Array(256)
kinds[quote] = kindQuote
for (const open of "{[") kinds[open.charCodeAt(0)] = kindOpen
for (const close of "}]") kinds[close.charCodeAt(0)] = kindClose
kinds[0x0a] = kindLine
kinds[0x3a] = kindColon
// Of `true`, `false` and `null`, only one has an `n`.
kinds[0x6e] = kindNull
for (const digit of "-0123456789") kinds[digit.charCodeAt(0)] = kindNumber

const ofNumber = new Uint8Array(256)
for (const part of "-+.0123456789eE") ofNumber[part.charCodeAt(0)] = 1

/**
 * Scans the object or array that opens at `start`, once, byte by byte (about 0.3 of the parsing time). It does not validate: `JSON.parse`
 * decides whether the text is JSON.
 */
export const scanValue = (bytes: Buffer, start: number, limit: number): Scan => {
  let at = start
  let open = 0
  let depth = 0
  let lines = 0
  let numbers = 0
  let names = 0
  let lossy: Array<LossyNumber> | undefined
  let surrogates = false
  let nulls = false
  let closed = false
  while (at < limit) {
    // The caller's limit is within the bytes.
    const kind = kinds[bytes[at++]!]
    if (kind === 0) continue
    if (kind === kindQuote) {
      while (at < limit) {
        const byte = bytes[at++]
        if (byte === quote) break
        if (byte === backslash) {
          // A text ends with a quote, so a byte follows; at the end of the buffer the comparison fails.
          if (bytes[at] === 0x75 && (bytes[at + 1]! | 0x20) === 0x64) surrogates = true
          at++
        }
      }
    } else if (kind === kindColon) names++
    else if (kind === kindNull) nulls = true
    else if (kind === kindOpen) {
      if (++open > depth) depth = open
    } else if (kind === kindClose) {
      if (--open === 0) {
        closed = true
        break
      }
    } else if (kind === kindLine) {
      lines++
      // Most bytes outside texts are indentation.
      while (bytes[at] === 0x20) at++
    } else {
      const first = at - 1
      // As above: `at` is below the limit.
      while (at < limit && ofNumber[bytes[at]!] === 1) at++
      if (mayLoseDigits(bytes, first, at)) {
        const text = bytes.toString("latin1", first, at)
        if (String(Number(text)) !== text) (lossy ??= []).push({ ordinal: numbers, text })
      }
      numbers++
    }
  }
  return { start, end: at, closed, depth, lines, numbers, names, lossy, nulls, surrogates }
}

/** Returns whether `parseRecord` needs the scan of a text. Otherwise `JSON.parse` gives the same value. */
export const needsScan = ({ lossy, nulls }: Pick<Scan, "lossy" | "nulls">): boolean => lossy !== undefined || nulls

/** Returns false if `String(Number(text))` certainly equals the text. */
export const mayLoseDigits = (bytes: Buffer, start: number, end: number): boolean => {
  // A double keeps any 15 digits.
  if (end - start > 15) return true
  let point = -1
  for (let at = start; at < end; at++) {
    // The caller's end is within the bytes.
    const byte = bytes[at]! | 0x20
    if (byte === 0x65) return true
    if (byte === 0x2e) point = at
  }
  // `-0`, and numbers that `String` writes with an exponent.
  if (point === -1) return end - start === 2 && bytes[start] === 0x2d && bytes[start + 1] === zero
  if (bytes[end - 1] === zero) return true
  for (let at = point + 1; at <= point + 5; at++) if (bytes[at] !== zero) return false
  return true
}

/** One of the consecutive top-level values of a text. */
export interface TopValue {
  readonly start: number
  readonly end: number
  /** 1-based. */
  readonly line: number
  /** The elements of the top array, or of the top object's list under the key; missing if there is none. */
  readonly list?: ElementList
}

export interface ElementList {
  /** Offsets of `[` and `]`. */
  readonly open: number
  readonly close: number
  readonly elements: ReadonlyArray<{ readonly scan: Scan; readonly line: number }>
  /** True if the elements are objects and arrays, separated by commas. */
  readonly isRegular: boolean
}

/**
 * Returns the positions of a text's top-level values, and for each the elements of its array or of the list under `key`. `undefined` if a
 * bracket or quote is missing, or if a top-level value is not an object or array.
 */
export const scanText = (bytes: Buffer, key = "entry"): ReadonlyArray<TopValue> | undefined => {
  const name = Buffer.from(`"${key}"`)
  const cursor = { at: 0, line: 1 }
  const values: Array<TopValue> = []
  for (;;) {
    skipSpace(bytes, cursor)
    if (cursor.at >= bytes.length) return values
    const start = cursor.at
    const line = cursor.line
    const list = bytes[start] === 0x7b
      ? scanMembers(bytes, cursor, name)
      : bytes[start] === 0x5b
      ? scanList(bytes, cursor)
      : undefined
    if (list === undefined) return undefined
    values.push({ start, end: cursor.at, line, ...(list === "none" ? {} : { list }) })
  }
}

interface Cursor {
  at: number
  line: number
}

const skipSpace = (bytes: Buffer, cursor: Cursor): void => {
  for (; cursor.at < bytes.length; cursor.at++) {
    const byte = bytes[cursor.at]
    if (byte === 0x0a) cursor.line++
    else if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return
  }
}

const skipString = (bytes: Buffer, cursor: Cursor): boolean => {
  for (cursor.at++; cursor.at < bytes.length;) {
    const byte = bytes[cursor.at++]
    if (byte === quote) return true
    if (byte === backslash) cursor.at++
  }
  return false
}

/**
 * Scans a top object: members are skipped, except the elements of the list under the key. If the key repeats, the last one counts, as in
 * parsing.
 */
const scanMembers = (bytes: Buffer, cursor: Cursor, name: Buffer): ElementList | "none" | undefined => {
  let list: ElementList | "none" = "none"
  let key = cursor.at
  cursor.at++
  while (cursor.at < bytes.length) {
    skipSpace(bytes, cursor)
    const byte = bytes[cursor.at]
    if (byte === 0x7d) {
      cursor.at++
      return list
    }
    if (byte === quote) {
      key = cursor.at
      if (!skipString(bytes, cursor)) return undefined
    } else if (byte === 0x5b && isKey(bytes, key, name)) {
      const found = scanList(bytes, cursor)
      if (found === undefined) return undefined
      list = found
    } else if (byte === 0x5b || byte === 0x7b) {
      const scan = scanValue(bytes, cursor.at, bytes.length)
      if (!scan.closed) return undefined
      cursor.at = scan.end
      cursor.line += scan.lines
    } else if (byte === 0x5d) return undefined
    else cursor.at++
  }
  return undefined
}

const isKey = (bytes: Buffer, at: number, name: Buffer): boolean => {
  if (name.every((byte, index) => bytes[at + index] === byte)) return true
  // A key can contain escapes.
  const end = bytes.indexOf(quote, at + 1)
  const written = bytes.subarray(at, end + 1)
  return written.length <= name.length * 6 && written.includes(backslash) &&
    unescaped(written.toString("latin1")) === name.toString("latin1")
}

const unescaped = (key: string): string =>
  key.replaceAll(/\\u00([0-7][0-9a-fA-F])/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

/** Scans an array and its elements. */
const scanList = (bytes: Buffer, cursor: Cursor): ElementList | undefined => {
  const open = cursor.at
  const elements: Array<{ readonly scan: Scan; readonly line: number }> = []
  let regular = true
  let comma = true
  cursor.at++
  while (cursor.at < bytes.length) {
    skipSpace(bytes, cursor)
    const byte = bytes[cursor.at]
    if (byte === 0x5d) {
      const close = cursor.at++
      return { open, close, elements, isRegular: regular && (!comma || elements.length === 0) }
    }
    if (byte === 0x2c) {
      if (comma) regular = false
      comma = true
      cursor.at++
      continue
    }
    if (byte === 0x7d) return undefined
    if (!comma) regular = false
    comma = false
    if (byte === 0x7b || byte === 0x5b) {
      const scan = scanValue(bytes, cursor.at, bytes.length)
      if (!scan.closed) return undefined
      elements.push({ scan, line: cursor.line })
      cursor.at = scan.end
      cursor.line += scan.lines
      continue
    }
    regular = false
    const start = cursor.at
    if (byte === quote) { if (!skipString(bytes, cursor)) return undefined }
    else for (cursor.at++; cursor.at < bytes.length && !scalarEnds.has(bytes[cursor.at]);) cursor.at++
    elements.push({ scan: { ...noScan, start, end: cursor.at }, line: cursor.line })
  }
  return undefined
}

/** The scan of a value that is not an object or array; parsing it shows the rest. */
const noScan: Omit<Scan, "start" | "end"> = {
  closed: true,
  depth: 0,
  lines: 0,
  numbers: 0,
  names: 0,
  lossy: undefined,
  nulls: false,
  surrogates: false
}

const scalarEnds: ReadonlySet<number | undefined> = new Set(Buffer.from(" \n\r\t,]}[{\""))
