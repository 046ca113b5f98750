import { mayLoseDigits } from "./scanJson.ts"

/** Returns the expression for the member of an object that states its kind. */
export const statesKind = (name: string): RegExp => new RegExp(`^"${name}" *: *"([A-Za-z]+)"`)

/** The forms of a value, as bits. */
export const ValueForm = { scalar: 1, object: 2, list: 4 } as const

/** How a value is written, as bits, and whether it is `single`: no item of a list. */
export const WrittenAs = { text: 1, number: 2, truth: 4, nothing: 8, object: 16, list: 32, single: 64 } as const

/** What is known of an element from its path. */
export interface ElementRules {
  /** Bits of `ValueForm`: a text in which the element has one of these forms must be parsed. */
  readonly refused: number
  /** Bits of `WrittenAs`: a text in which the element is written so is not usual. */
  readonly unusual: number
  /** A bit of its own for elements of which an object usually has at most one; otherwise 0. */
  readonly choice: number
  /** Its texts are passed to the listener. */
  readonly isHeard: boolean
  /** Its objects are of several kinds: each must begin with the member that `statesKind` names, whose text is the kind. */
  readonly kind?: RegExp | undefined
}

/** States what is needed of each element, and receives it. */
export interface ElementListener<Rules extends ElementRules> {
  /** Returns the rules of a member of an element. It is called once for each path. */
  readonly rulesOf: (holder: Rules, name: string) => Rules
  /** Returns the rules of an element with objects of several kinds for one of them; `undefined` if the whole text must be parsed. */
  readonly rulesOfKind: (rules: Rules, kind: string) => Rules | undefined
  /** Receives a text by its bytes between `start` and `end`. Returns false if the whole text must be parsed. */
  readonly onText: (rules: Rules, bytes: Buffer, start: number, end: number, holder: TextHolder) => boolean
}

/** The object that has a text as a member. */
export interface TextHolder {
  /** The offset of its first member. */
  readonly start: number
  /** It is an item of a list. */
  readonly isListed: boolean
}

/** An element by its path. Lists do not count: their items are at the path of the list. */
export class ScannedElement<Rules extends ElementRules> {
  readonly rules: Rules
  /** The name and the quote after it. */
  readonly name: Buffer
  readonly depth: number
  readonly members = new Map<string, ScannedElement<Rules>>()
  /** By kind, if its objects are of several. */
  readonly kinds = new Map<string, ScannedElement<Rules>>()
  /** The object that had it last, as a number. */
  object = 0
  /** The member that an object of this path began with last. */
  first: ScannedElement<Rules> | undefined
  /** The member that followed it last in an object. Most texts of one type have their members in one order. */
  next: ScannedElement<Rules> | undefined

  /** Without a name it is the root of a kind of objects. */
  constructor(rules: Rules, name = "", depth = 0) {
    this.rules = rules
    this.name = Buffer.from(name, "latin1")
    this.depth = depth
  }
}

const quote = 0x22
const backslash = 0x5c
const space = 0x20
const zero = 0x30

/** Bytes within texts that need no attention. */
const plainBytes = new Uint8Array(256).fill(1, space)
plainBytes[quote] = 0
plainBytes[backslash] = 0

const nameBytesOf = new Uint8Array(256)
for (const byte of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-")) {
  nameBytesOf[byte] = 1
}

/** How a value that begins with a byte is written. */
const formsOf = new Uint8Array(256).fill(WrittenAs.number | WrittenAs.single)
formsOf[quote] = WrittenAs.text | WrittenAs.single
formsOf[0x7b] = WrittenAs.object | WrittenAs.single
for (const begin of Buffer.from("tf")) formsOf[begin] = WrittenAs.truth | WrittenAs.single
formsOf[0x6e] = WrittenAs.nothing | WrittenAs.single

/** The bytes that represent one character after a backslash. */
const escapes = new Set<number | undefined>(Buffer.from("\"\\/bfnrt"))

/** The result of a scan that leaves the text to the parser. */
const refusal = -1

/** A longer number has a limit, which the parser checks. */
const maxNumber = 40
/** Names on the way to an element. With lists, an object is nested at most twice as deep. */
const maxDepth = 64
/** Bytes in which the kind of an object is looked for. */
const maxKind = 120
/** Paths that are kept in memory. The texts of a type have a few hundreds. */
const maxElements = 20_000

/**
 * Reads objects of JSON without parsing them, in half the time: what a caller needs of them are some texts. It accepts an object only if
 * `JSON.parse` accepts it too, and only in the form in which nearly all programs write one. The caller parses all others.
 *
 * It refuses repeated names, names that are no plain word, lists in lists, numbers with an exponent, and half characters.
 */
export class ElementScanner<Rules extends ElementRules> {
  /** After a scan: a number is in the object that a double writes differently. */
  isLossy = false
  /** After a scan: a `null` is in the object. */
  hasNull = false
  readonly #listener: ElementListener<Rules>
  #elements = 0
  #objects = 0
  /** The offset of the escape that was read last. */
  #escape = -1
  /** Not 0 if an element is not written as usual. */
  #unusual = 0
  readonly #holder = { start: 0, isListed: false }

  constructor(listener: ElementListener<Rules>) {
    this.#listener = listener
  }

  /** After a scan: every element is written as its rules call usual, and there are no escapes. */
  get isUsual(): boolean {
    return this.#unusual === 0 && this.#escape === -1
  }

  /** Scans the object between two offsets, with what is known of objects of its kind. Returns false if it must be parsed. */
  scan(bytes: Buffer, start: number, end: number, root: ScannedElement<Rules>): boolean {
    this.isLossy = false
    this.hasNull = false
    this.#escape = -1
    this.#unusual = 0
    return bytes[start] === 0x7b && this.#object(bytes, start + 1, end, root, false) === end
  }

  // The methods below return the offset after a value, or `refusal`. No loop ends later than at `end`; only bytes of JSON's syntax are
  // read beyond it, and an object that ends there is refused.

  #object(bytes: Buffer, start: number, end: number, of: ScannedElement<Rules>, isListed: boolean): number {
    const object = ++this.#objects
    let choices = 0
    let before: ScannedElement<Rules> | undefined
    let at = afterSpaces(bytes, start)
    const { kind } = of.rules
    const element = kind === undefined ? of : this.#ofKind(bytes, at, end, of, kind)
    if (element === null) return refusal
    if (bytes[at] === 0x7d) return at + 1
    for (;;) {
      if (bytes[at] !== quote) return refusal
      at++
      let member = before === undefined ? element.first : before.next
      if (member === undefined || !hasBytes(bytes, at, member.name)) {
        member = this.#member(bytes, at, end, element)
        if (member === undefined) return refusal
        if (before === undefined) element.first = member
        else before.next = member
      }
      // A repeated name.
      if (member.object === object) return refusal
      member.object = object
      before = member
      const { choice } = member.rules
      this.#unusual |= choices & choice
      choices |= choice
      at += member.name.length
      if (bytes[at] === space) at = afterSpaces(bytes, at)
      if (bytes[at++] !== 0x3a) return refusal
      if (bytes[at] === space) at = afterSpaces(bytes, at)
      at = bytes[at] === 0x5b
        ? this.#list(bytes, at + 1, end, member, start, isListed)
        : this.#value(bytes, at, end, member, start, isListed, false)
      if (at === refusal) return refusal
      if (bytes[at] === space) at = afterSpaces(bytes, at)
      const sign = bytes[at++]
      if (sign === 0x7d) return at
      if (sign !== 0x2c) return refusal
      if (bytes[at] === space) at = afterSpaces(bytes, at)
    }
  }

  /** Reads the items of a list after its bracket. `start` and `isListed` describe the object that has the list. */
  #list(
    bytes: Buffer,
    first: number,
    end: number,
    element: ScannedElement<Rules>,
    start: number,
    isListed: boolean
  ): number {
    const { refused, unusual } = element.rules
    if ((refused & ValueForm.list) !== 0) return refusal
    this.#unusual |= unusual & WrittenAs.list
    let at = afterSpaces(bytes, first)
    if (bytes[at] === 0x5d) return at + 1
    for (;;) {
      at = this.#value(bytes, at, end, element, start, isListed, true)
      if (at === refusal) return refusal
      if (bytes[at] === space) at = afterSpaces(bytes, at)
      const sign = bytes[at++]
      if (sign === 0x5d) return at
      if (sign !== 0x2c) return refusal
      if (bytes[at] === space) at = afterSpaces(bytes, at)
    }
  }

  #value(
    bytes: Buffer,
    at: number,
    end: number,
    element: ScannedElement<Rules>,
    start: number,
    isListed: boolean,
    isItem: boolean
  ): number {
    const { rules } = element
    const byte = bytes[at]
    // Beyond the bytes it is `undefined`, which adds no bit.
    const form = formsOf[byte!]!
    this.#unusual |= rules.unusual & (isItem ? form & ~WrittenAs.single : form)
    if (byte === 0x7b) {
      return (rules.refused & ValueForm.object) === 0 ? this.#object(bytes, at + 1, end, element, isItem) : refusal
    }
    if ((rules.refused & ValueForm.scalar) !== 0) return refusal
    switch (byte) {
      case quote: {
        const close = this.#text(bytes, at + 1, end)
        if (close === refusal) return refusal
        if (!rules.isHeard) return close + 1
        if (this.#escape > at) return refusal
        this.#holder.start = start
        this.#holder.isListed = isListed
        return this.#listener.onText(rules, bytes, at + 1, close, this.#holder) ? close + 1 : refusal
      }
      case 0x74:
        return hasBytes(bytes, at, trueBytes) ? at + 4 : refusal
      case 0x66:
        return hasBytes(bytes, at, falseBytes) ? at + 5 : refusal
      case 0x6e:
        this.hasNull = true
        return hasBytes(bytes, at, nullBytes) ? at + 4 : refusal
      default:
        return this.#number(bytes, at, end)
    }
  }

  /** Returns the offset of the quote that ends a text. */
  #text(bytes: Buffer, start: number, end: number): number {
    for (let at = start; at < end;) {
      // The offset is below the end.
      if (plainBytes[bytes[at]!] === 1) {
        at++
        continue
      }
      if (bytes[at] === quote) return at
      if (bytes[at] !== backslash) return refusal
      this.#escape = at
      if (escapes.has(bytes[at + 1])) at += 2
      else if (isWholeCharacter(bytes, at + 1)) at += 6
      else return refusal
    }
    return refusal
  }

  #number(bytes: Buffer, start: number, end: number): number {
    let at = start
    if (bytes[at] === 0x2d) at++
    const first = at
    while (at < end && isDigit(bytes[at])) at++
    if (at === first || (bytes[first] === zero && at > first + 1)) return refusal
    if (bytes[at] === 0x2e) {
      const point = at++
      while (at < end && isDigit(bytes[at])) at++
      if (at === point + 1) return refusal
    }
    if (at - start > maxNumber || bytes[at] === 0x65 || bytes[at] === 0x45) return refusal
    if (!this.isLossy && mayLoseDigits(bytes, start, at)) {
      const text = bytes.toString("latin1", start, at)
      this.isLossy = String(Number(text)) !== text
    }
    return at
  }

  /** Returns the element for objects of a kind, which the first member states. */
  #ofKind(
    bytes: Buffer,
    start: number,
    end: number,
    { depth, kinds, rules }: ScannedElement<Rules>,
    pattern: RegExp
  ): ScannedElement<Rules> | null {
    const [, kind] = pattern.exec(bytes.toString("latin1", start, Math.min(end, start + maxKind))) ?? []
    if (kind === undefined) return null
    const known = kinds.get(kind)
    if (known !== undefined) return known
    const ofKind = this.#elements === maxElements ? undefined : this.#listener.rulesOfKind(rules, kind)
    if (ofKind === undefined) return null
    this.#elements++
    const made = new ScannedElement(ofKind, "", depth)
    kinds.set(kind, made)
    return made
  }

  /** Returns the member whose name begins at an offset. */
  #member(
    bytes: Buffer,
    start: number,
    end: number,
    { depth, members, rules }: ScannedElement<Rules>
  ): ScannedElement<Rules> | undefined {
    let at = start
    // The offset is below the end.
    while (at < end && nameBytesOf[bytes[at]!] === 1) at++
    // Parsed objects have names that are numbers first.
    if (bytes[at] !== quote || at === start || isDigit(bytes[start])) return undefined
    const name = bytes.toString("latin1", start, at + 1)
    const known = members.get(name)
    if (known !== undefined) return known
    if (depth === maxDepth || this.#elements === maxElements) return undefined
    this.#elements++
    const member = new ScannedElement(this.#listener.rulesOf(rules, name.slice(0, -1)), name, depth + 1)
    members.set(name, member)
    return member
  }
}

const trueBytes = Buffer.from("true")
const falseBytes = Buffer.from("false")
const nullBytes = Buffer.from("null")

/** Returns whether some bytes are at an offset. */
export const hasBytes = (bytes: Buffer, at: number, expected: Buffer): boolean => {
  for (let index = 0; index < expected.length; index++) if (bytes[at + index] !== expected[index]) return false
  return true
}

const afterSpaces = (bytes: Buffer, start: number): number => {
  let at = start
  while (bytes[at] === space) at++
  return at
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= 0x39

/** Returns true for `u` and four digits that are no half of a surrogate pair. */
const isWholeCharacter = (bytes: Buffer, at: number): boolean =>
  bytes[at] === 0x75 && /^[0-9abcefABCEF][0-9a-fA-F]{3}$/u.test(bytes.toString("latin1", at + 1, at + 5))
