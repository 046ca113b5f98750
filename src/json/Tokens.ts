/** One token of a text that may not be JSON. Positions are offsets into the text. */
type TokenKind = "{" | "}" | "[" | "]" | "," | ":" | "string" | "number" | "word" | "comment" | "end"

/**
 * Reads any text as JSON tokens: one pass, no recursion, no copy of the text. A damaged input of any size therefore costs as much as
 * reading it once. `findFault`, which says why it is no library, and the analysis of lost records both read these tokens.
 */
export class Tokens {
  readonly text: string
  kind: TokenKind = "end"
  start = 0
  /** Offset after the last character. */
  end = 0
  /** True if the string or comment is not closed, or the string ends at a line break. */
  isOpen = false

  constructor(text: string) {
    this.text = text
  }

  next(): TokenKind {
    const { text } = this
    let at = this.end
    while (at < text.length && isSpace(text.charCodeAt(at))) at++
    this.start = at
    this.isOpen = false
    if (at >= text.length) {
      this.end = text.length
      return this.kind = "end"
    }
    const first = text.charAt(at)
    switch (first) {
      case "{":
      case "}":
      case "[":
      case "]":
      case ",":
      case ":":
        this.end = at + 1
        return this.kind = first
      case "\"":
        this.#string()
        return this.kind = "string"
      case "/":
      case "#":
        if (first === "#" || text[at + 1] === "/" || text[at + 1] === "*") {
          this.#comment(text[at + 1] === "*" && first === "/")
          return this.kind = "comment"
        }
    }
    if (isDigit(first) || (first === "-" && isDigit(text.charAt(at + 1)))) {
      this.#number()
      return this.kind = "number"
    }
    for (at++; at < text.length && !signs.has(text.charCodeAt(at)); at++);
    this.end = at
    return this.kind = "word"
  }

  /** Continues at another, later offset. */
  resume(at: number): void {
    this.end = at
  }

  /** Returns the decoded string or number; `undefined` if it is neither, not closed, or longer than 4,096 characters. */
  value(): string | undefined {
    const { end, kind, start, text } = this
    if ((kind !== "string" && kind !== "number") || this.isOpen || end - start > 4096 + 2) return undefined
    try {
      return String(JSON.parse(text.slice(start, end)))
    } catch {
      return undefined
    }
  }

  #string(): void {
    const { text } = this
    let at = this.start + 1
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) {
        this.end = at + 1
        return
      }
      if (code === backslash) at++
      else if (code === lineFeed || code === carriageReturn) break
    }
    this.isOpen = true
    this.end = Math.min(at, text.length)
  }

  #comment(isBlock: boolean): void {
    const close = this.text.indexOf(isBlock ? "*/" : "\n", this.start + 1)
    this.isOpen = isBlock && close === -1
    this.end = close === -1 ? this.text.length : isBlock ? close + 2 : close
  }

  /** Reads the longest prefix that is a JSON number: for `007` it is `0`. */
  #number(): void {
    const { text } = this
    let at = this.start + (text[this.start] === "-" ? 1 : 0)
    const digits = (): void => {
      while (at < text.length && isDigit(text.charAt(at))) at++
    }
    if (text[at] === "0") at++
    else digits()
    if (text[at] === "." && isDigit(text.charAt(at + 1))) {
      at++
      digits()
    }
    const exponent = text[at] === "e" || text[at] === "E"
    const sign = text[at + 1] === "+" || text[at + 1] === "-" ? 1 : 0
    if (exponent && isDigit(text.charAt(at + 1 + sign))) {
      at += 1 + sign
      digits()
    }
    this.end = at
  }
}

const quote = 0x22
const backslash = 0x5c
const lineFeed = 0x0a
const carriageReturn = 0x0d

const isSpace = (code: number): boolean =>
  code === 0x20 || code === lineFeed || code === carriageReturn || code === 0x09

const isDigit = (character: string): boolean => character >= "0" && character <= "9"

const signs = new Set(Buffer.from("{}[],:\"/ \n\r\t"))
