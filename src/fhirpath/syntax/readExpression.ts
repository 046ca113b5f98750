import type { SyntaxNode } from "./SyntaxTree.ts"

/**
 * Reads the tree of a well-formed expression with the common syntax of mappings. `undefined` leaves it to the library's parser, which also
 * reports errors. Both return the same tree. This parser takes a hundredth of the time, and a mapping has a thousand expressions.
 */
export const readExpression = (text: string): SyntaxNode | undefined => {
  const tokens = tokensOf(text)
  if (tokens === undefined) return undefined
  try {
    return new Expression(tokens).read()
  } catch (cause) {
    if (cause instanceof NotHere) return undefined
    throw cause
  }
}

/** Thrown for syntax that only the library's parser reads or judges. */
class NotHere extends Error {}

type Kind = "name" | "quoted" | "text" | "number" | "time" | "sign" | "end"

interface Token {
  readonly kind: Kind
  readonly text: string
  readonly offset: number
  readonly start: { readonly line: number; readonly column: number }
}

/** Blanks, names, texts, quoted names, times, numbers, and signs. The first letter shows which, so nothing is captured. */
const token =
  /[ \r\n\t]+|[A-Za-z_]\w*|'(?:\\(?:[`"'\\/fnrt]|u[\da-fA-F]{4})|[^'\\])*'|`[^`\\]*`|@\d{4}(?:-\d\d(?:-\d\d)?)?(?:T(?:\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?)?)?(?![\w:.-])|\d+(?:\.\d+)?(?!L)|\/(?![/*])|<=|>=|!=|!~|\$this\b|\$index\b|\$total\b|[-.[\](){},%+*&|<>=~]/uy

const tokensOf = (text: string): ReadonlyArray<Token> | undefined => {
  const tokens: Array<Token> = []
  let line = 1
  let lineStart = 0
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const offset = token.lastIndex
    if (!token.test(text)) return undefined
    const kind = kindOf(text.charCodeAt(offset))
    const written = text.slice(offset, token.lastIndex)
    if (kind !== undefined) {
      tokens.push({ kind, text: written, offset, start: { line, column: offset - lineStart + 1 } })
    }
    for (let feed = written.indexOf("\n"); feed >= 0; feed = written.indexOf("\n", feed + 1)) {
      line++
      lineStart = offset + feed + 1
    }
  }
  tokens.push({ kind: "end", text: "", offset: text.length, start: { line, column: 0 } })
  return tokens
}

/** Returns the kind of a token that begins with this letter; `undefined` for a blank. */
const kindOf = (letter: number): Kind | undefined =>
  letter <= 0x20
    ? undefined
    : (letter >= 0x61 && letter <= 0x7a) || (letter >= 0x41 && letter <= 0x5a) || letter === 0x5f
    ? "name"
    : letter >= 0x30 && letter <= 0x39
    ? "number"
    : otherKinds.get(letter) ?? "sign"

const otherKinds: ReadonlyMap<number, Kind> = new Map([[0x27, "text"], [0x60, "quoted"], [0x40, "time"]])

/** The binary operators with their precedence, as the grammar lists them. */
const operators: ReadonlyMap<string, readonly [strength: number, type: string]> = new Map(
  [
    [10, "MultiplicativeExpression", "* / div mod"],
    [9, "AdditiveExpression", "+ - &"],
    [8, "TypeExpression", "is as"],
    [7, "UnionExpression", "|"],
    [6, "InequalityExpression", "<= < > >="],
    [5, "EqualityExpression", "= ~ != !~"],
    [4, "MembershipExpression", "in contains"],
    [3, "AndExpression", "and"],
    [2, "OrExpression", "or xor"],
    [1, "ImpliesExpression", "implies"]
  ].flatMap(([strength, type, signs]) =>
    String(signs).split(" ").map((sign) => [sign, [Number(strength), String(type)] as const] as const)
  )
)

const polarity = 11
const indexer = 12
const invocation = 13

/** Reserved words that are not names. */
const reserved: ReadonlySet<string> = new Set(
  "true false and or xor implies div mod year month week day hour minute second millisecond years months weeks days hours minutes seconds milliseconds"
    .split(" ")
)

class Expression {
  readonly #tokens: ReadonlyArray<Token>
  #at = 0
  /** Number of open argument lists. */
  #inside = 0

  constructor(tokens: ReadonlyArray<Token>) {
    this.#tokens = tokens
  }

  read(): SyntaxNode {
    const tree = this.#expression(0)
    if (this.#next().kind !== "end") throw new NotHere()
    return { type: "EntireExpression", children: [{ type: "EntireExpression", children: [tree] }] }
  }

  /** The last token is an `end`, which no rule takes. */
  #next(): Token {
    const next = this.#tokens[this.#at]
    if (next === undefined) throw new NotHere()
    return next
  }

  #take(): Token {
    const taken = this.#next()
    this.#at++
    return taken
  }

  #expect(sign: string): Token {
    const taken = this.#take()
    if (taken.kind !== "sign" || taken.text !== sign) throw new NotHere()
    return taken
  }

  #isSign(sign: string): boolean {
    const next = this.#next()
    return next.kind === "sign" && next.text === sign
  }

  #expression(strength: number): SyntaxNode {
    let left = this.#operand()
    for (;;) {
      const next = this.#next()
      if (next.kind !== "sign" && next.kind !== "name") return left
      if (next.text === "." && invocation >= strength) {
        this.#take()
        left = { type: "InvocationExpression", children: [left, this.#invocation("later")] }
      } else if (next.text === "[" && indexer >= strength) {
        const open = this.#take()
        const index = this.#expression(0)
        const close = this.#expect("]")
        if (open.start.line !== close.start.line) throw new NotHere()
        left = {
          type: "IndexerExpression",
          start: open.start,
          length: close.offset - open.offset + 1,
          children: [left, index]
        }
      } else {
        const operator = operators.get(next.text)
        if (operator === undefined || operator[0] < strength) return left
        const { start, text } = this.#take()
        const right = operator[1] === "TypeExpression" ? this.#typeSpecifier() : this.#expression(operator[0] + 1)
        left = { type: operator[1], text, start, length: text.length, children: [left, right] }
      }
    }
  }

  #operand(): SyntaxNode {
    const next = this.#next()
    if (next.kind === "sign" && (next.text === "-" || next.text === "+")) {
      const { start, text } = this.#take()
      return { type: "PolarityExpression", text, start, length: 1, children: [this.#expression(polarity)] }
    }
    return { type: "TermExpression", children: [this.#term()] }
  }

  #term(): SyntaxNode {
    const next = this.#next()
    if (next.kind === "sign") {
      switch (next.text) {
        case "(": {
          this.#take()
          const inner = this.#expression(0)
          this.#expect(")")
          return { type: "ParenthesizedTerm", children: [inner] }
        }
        case "{":
          this.#take()
          this.#expect("}")
          return literal("{}", next, { type: "NullLiteral" })
        case "%":
          return this.#variable()
      }
    }
    switch (next.kind) {
      case "text":
        this.#take()
        return literal(next.text, next, { type: "StringLiteral", text: next.text })
      case "time":
        this.#take()
        return literal(next.text, next, {
          type: next.text.includes("T") ? "DateTimeLiteral" : "DateLiteral",
          text: next.text
        })
      case "number":
        return this.#number()
      default:
        if (next.text !== "true" && next.text !== "false") {
          return { type: "InvocationTerm", children: [this.#invocation("first")] }
        }
        this.#take()
        return literal(next.text, next, { type: "BooleanLiteral", text: next.text })
    }
  }

  #number(): SyntaxNode {
    const number = this.#take()
    // A quantity: rare enough for the other parser.
    const { kind, text } = this.#next()
    if (kind === "text" || (kind === "name" && !operators.has(text))) throw new NotHere()
    return literal(number.text, number, { type: "NumberLiteral", text: number.text })
  }

  #variable(): SyntaxNode {
    const percent = this.#take()
    const next = this.#next()
    if (next.kind === "text" || next.offset !== percent.offset + 1) throw new NotHere()
    const name = this.#identifier()
    const text = next.kind === "quoted" ? next.text.slice(1, -1) : next.text
    return {
      type: "ExternalConstantTerm",
      ...(next.kind === "quoted" ? { delimitedText: text } : { text }),
      start: percent.start,
      length: text.length,
      children: [{ type: "ExternalConstant", children: [name] }]
    }
  }

  #identifier(): SyntaxNode {
    const { kind, start, text } = this.#take()
    if ((kind !== "name" && kind !== "quoted") || reserved.has(text)) throw new NotHere()
    return { type: "Identifier", text, start, length: text.length }
  }

  #invocation(step: "first" | "later"): SyntaxNode {
    const { kind, start, text } = this.#next()
    if (kind === "sign" && text.startsWith("$")) {
      this.#take()
      const type = text === "$this" ? "ThisInvocation" : text === "$index" ? "IndexInvocation" : "TotalInvocation"
      return { type, start, length: text.length }
    }
    const name = this.#identifier()
    if (!this.#isSign("(")) {
      const member = { type: "MemberInvocation", text, start, length: text.length, children: [name] }
      return step === "first" ? { ...member, atRoot: this.#inside > 0 ? 2 : 1 } : member
    }
    // Its arguments have sort directions.
    if (text === "sort" || text === "`sort`") throw new NotHere()
    const args = this.#arguments()
    const children = args.length === 0 ? [name] : [name, { type: "ParamList", children: args }]
    return {
      type: "FunctionInvocation",
      text,
      start,
      length: text.length,
      children: [{ type: "Functn", text, children }]
    }
  }

  #arguments(): ReadonlyArray<SyntaxNode> {
    this.#expect("(")
    const args: Array<SyntaxNode> = []
    this.#inside++
    while (!this.#isSign(")")) {
      if (args.length > 0) this.#expect(",")
      const from = this.#at
      const argument = this.#expression(0)
      // Functions with a type argument read it as text.
      args.push(
        argument.type === "TermExpression" || argument.type === "InvocationExpression"
          ? { ...argument, text: this.#textFrom(from) }
          : argument
      )
    }
    this.#inside--
    this.#take()
    return args
  }

  #typeSpecifier(): SyntaxNode {
    const from = this.#at
    const names = [this.#identifier()]
    while (this.#isSign(".")) {
      this.#take()
      names.push(this.#identifier())
    }
    // `a as b.c()` is a call of a type; only the other parser can reject it.
    if (this.#isSign("(")) throw new NotHere()
    return {
      type: "TypeSpecifier",
      text: this.#textFrom(from),
      children: [{ type: "QualifiedIdentifier", children: names }]
    }
  }

  #textFrom(from: number): string {
    return this.#tokens.slice(from, this.#at).map(({ text }) => text).join("")
  }
}

const literal = (text: string, { start }: Token, value: SyntaxNode): SyntaxNode => ({
  type: "LiteralTerm",
  text,
  start,
  length: text.length,
  children: [value]
})
