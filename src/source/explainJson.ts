/** Where a text stops being JSON, and why, in words. It names no content: only brackets, quotes and other signs of the language. */
export interface JsonFault {
  readonly line: number
  /** In characters, from 1. */
  readonly column: number
  readonly reason: string
  readonly help?: string
  /** The text ends before it is complete. */
  readonly isCut?: boolean
}

/**
 * Finds the first fault of a text that `JSON.parse` refused; several values behind each other are allowed. `undefined` when there is
 * none. It only explains: what is JSON and what is not is decided by `JSON.parse` alone.
 */
export const explainJson = (text: string): JsonFault | undefined => {
  try {
    new Reader(text).document()
    return undefined
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    const before = text.slice(0, fault.at)
    const lineStart = before.lastIndexOf("\n") + 1
    return {
      line: lineOf(before, before.length),
      column: fault.at - lineStart + 1,
      reason: fault.reason,
      ...(fault.help === undefined ? {} : { help: fault.help }),
      ...(fault.help === cutOff ? { isCut: true } : {})
    }
  }
}

const lineOf = (text: string, offset: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}

class Fault {
  readonly at: number
  readonly reason: string
  readonly help: string | undefined

  constructor(at: number, reason: string, help?: string) {
    this.at = at
    this.reason = reason
    this.help = help
  }
}

const cutOff = "the file seems to be cut off: export or copy it again"
const comments = "JSON has no comments: remove them"
const trailingComma = "remove the comma before the closing bracket"
const doubleQuotes = "JSON writes names and texts in double quotes"

class Reader {
  readonly #text: string
  #at = 0
  /** Positions of the brackets that are open, the outermost first. */
  readonly #open: Array<number> = []

  constructor(text: string) {
    this.#text = text
  }

  document(): void {
    this.#space()
    while (this.#at < this.#text.length) {
      this.#value()
      while (this.#open.length > 0) this.#inside()
      this.#space()
    }
  }

  /** One step inside the innermost bracket: a comma, a member, an element, or its end. */
  #inside(): void {
    const opened = this.#open.at(-1)!
    const object = this.#text[opened] === "{"
    const close = object ? "}" : "]"
    this.#space()
    const first = this.#lastSign() === opened
    if (this.#peek() === close) {
      this.#at++
      this.#open.pop()
      return
    }
    if (!first) {
      if (this.#peek() !== ",") this.#missing(object, close, opened)
      const comma = this.#at++
      this.#space()
      if (this.#peek() === close) {
        throw new Fault(comma, `a comma stands before the closing \`${close}\``, trailingComma)
      }
      if (this.#peek() === ",") throw new Fault(this.#at, "two commas stand behind each other", "remove one of them")
    }
    if (object) this.#name()
    this.#value()
  }

  /** Position of the last character before here that is not space. */
  #lastSign(): number {
    let at = this.#at - 1
    while (at >= 0 && isSpace(this.#text[at]!)) at--
    return at
  }

  #missing(object: boolean, close: string, opened: number): never {
    const found = this.#peek()
    const line = lineOf(this.#text, opened)
    if (found === undefined) {
      throw new Fault(this.#at, `the text ends before the \`${this.#text[opened]}\` of line ${line} is closed`, cutOff)
    }
    if (found === "}" || found === "]") {
      throw new Fault(
        this.#at,
        `\`${found}\` closes the \`${this.#text[opened]}\` of line ${line}`,
        `expected \`${close}\``
      )
    }
    if (found === ":") {
      throw new Fault(this.#at, "`:` is not expected here", object ? undefined : "only an object `{…}` has names")
    }
    throw new Fault(this.#at, `a comma or \`${close}\` is missing`, "write a comma between two values")
  }

  #name(): void {
    const found = this.#peek()
    if (found === undefined) this.#ends()
    if (found !== "\"") {
      this.#comment()
      throw new Fault(
        this.#at,
        found === "'" ? "a name stands in single quotes" : "a name in double quotes is expected",
        doubleQuotes
      )
    }
    this.#string()
    this.#space()
    if (this.#peek() === undefined) this.#ends()
    if (this.#peek() !== ":") throw new Fault(this.#at, "a `:` is missing between a name and its value")
    this.#at++
  }

  #value(): void {
    this.#space()
    const found = this.#peek()
    if (found === undefined) this.#ends()
    if (found === "{" || found === "[") {
      this.#open.push(this.#at++)
    } else if (found === "\"") this.#string()
    else if (found === "-" || isDigit(found)) this.#number()
    else this.#literal()
  }

  #ends(): never {
    const opened = this.#open.at(-1)
    throw new Fault(
      this.#at,
      opened === undefined
        ? "the text ends where a value is expected"
        : `the text ends before the \`${this.#text[opened]}\` of line ${lineOf(this.#text, opened)} is closed`,
      cutOff
    )
  }

  #literal(): void {
    this.#comment()
    const word = /[A-Za-z_$][\w$]*|/y
    word.lastIndex = this.#at
    const name = word.exec(this.#text)?.[0] ?? ""
    if (name === "true" || name === "false" || name === "null") {
      this.#at += name.length
      return
    }
    if (["NaN", "Infinity", "undefined", "None", "True", "False", "TRUE", "FALSE", "NULL"].includes(name)) {
      throw new Fault(
        this.#at,
        `\`${name}\` is not a value of JSON`,
        "JSON knows true, false and null, in small letters"
      )
    }
    const found = this.#peek()!
    if (found === "'") throw new Fault(this.#at, "a text stands in single quotes", doubleQuotes)
    if (found === "}" || found === "]") throw new Fault(this.#at, `\`${found}\` stands where a value is expected`)
    if (found === "," || found === ":") throw new Fault(this.#at, `a value is missing before \`${found}\``)
    if (found === "+" || found === ".") throw new Fault(this.#at, `a number cannot begin with \`${found}\``)
    throw new Fault(
      this.#at,
      "a value is expected: a text in double quotes, a number, `{`, `[`, true, false or null",
      name === "" ? undefined : doubleQuotes
    )
  }

  #comment(): void {
    const two = this.#text.slice(this.#at, this.#at + 2)
    if (two === "//" || two === "/*" || two[0] === "#") throw new Fault(this.#at, "a comment stands here", comments)
  }

  #string(): void {
    const opened = this.#at++
    for (;; this.#at++) {
      const found = this.#peek()
      if (found === undefined) throw new Fault(opened, "a text is opened with `\"` and never closed", cutOff)
      if (found === "\"") break
      if (found === "\\") this.#escape()
      else if (found < " ") this.#control(found)
    }
    this.#at++
  }

  #escape(): void {
    const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
    escape.lastIndex = this.#at
    if (!escape.test(this.#text)) {
      throw new Fault(this.#at, "a `\\` stands before a character that needs none", "write a backslash as `\\\\`")
    }
    this.#at = escape.lastIndex - 1
  }

  #control(found: string): never {
    const [what, escape] = found === "\n" || found === "\r"
      ? ["a line break", "`\\n`"]
      : found === "\t"
      ? ["a tab", "`\\t`"]
      : ["a control character", "`\\u…`"]
    throw new Fault(
      this.#at,
      `${what} stands inside a text`,
      `write it as ${escape}, or close the text before it with \`"\``
    )
  }

  #number(): void {
    const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y
    number.lastIndex = this.#at
    const found = number.exec(this.#text)
    if (found === null) throw new Fault(this.#at, "`-` stands without a number")
    const end = number.lastIndex
    const next = this.#text[end]
    if (next === ".") {
      throw new Fault(
        end,
        "a number has a point and no digit after it",
        "write the digits after the point, or leave the point out"
      )
    }
    if (next !== undefined && isDigit(next)) {
      throw new Fault(this.#at, "a number begins with a zero", "leave leading zeros out, or write the number as a text")
    }
    if (next !== undefined && /[\w+-]/.test(next)) {
      throw new Fault(end, "a number is followed by something else", "write what is not only a number as a text")
    }
    this.#at = end
  }

  #space(): void {
    while (this.#at < this.#text.length && isSpace(this.#text[this.#at]!)) this.#at++
    if (this.#text[this.#at] === "/") this.#comment()
  }

  #peek(): string | undefined {
    return this.#text[this.#at]
  }
}

const isSpace = (character: string): boolean =>
  character === " " || character === "\n" || character === "\r" || character === "\t"
const isDigit = (character: string): boolean => character >= "0" && character <= "9"
