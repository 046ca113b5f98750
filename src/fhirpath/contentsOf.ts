import type { PathFunction } from "./FhirPath.ts"
import type { SyntaxNode } from "./syntax/SyntaxTree.ts"
import { syntaxTree } from "./syntax/SyntaxTree.ts"
import { argumentsOf, isLiteral, literalTextOf, unquoted } from "./syntax/treeParts.ts"

/**
 * What the text of an expression proves about its values. Each holds a value of the record that the expression is evaluated on, or of a
 * record that a function notes as read. The exception is a text in which all characters are from `texts`.
 */
export interface Contents {
  /** The texts of the expression itself that are in its values. */
  readonly texts: string
  /** The result on several elements has at most one value for each of them, in their order. */
  readonly isEach: boolean
}

/** Same for a part of an expression. */
interface Part extends Contents {
  /** All are elements of records, none is computed. */
  readonly areElements: boolean
  /** There is at most one on a single element. */
  readonly isOne: boolean
}

/** What a part is evaluated on: the input of a step, and `$this`. */
interface Place {
  readonly input: Part
  readonly self: Part
}

const focus: Part = { texts: "", areElements: true, isOne: true, isEach: true }

const elements: Part = { texts: "", areElements: true, isOne: false, isEach: false }

/** Functions that return part of their input; their arguments, if any, are only conditions or types. */
const filters: ReadonlySet<string> = new Set(["where", "ofType", "as"])

/** Functions that return part of their input, with numbers as arguments. */
const choosing: ReadonlySet<string> = new Set("first last tail skip take single distinct".split(" "))

/** Functions of one text that return part of it, and nothing for nothing. */
const shortening: ReadonlySet<string> = new Set(["toString", "substring", "trim"])

/** Maximum depth of nested calls of the mapping's functions. */
const maxCalls = 12

/** Returns what the text of an expression proves about its values; `undefined` if it proves nothing. */
export const contentsOf = (node: SyntaxNode, functions: ReadonlyMap<string, PathFunction>): Contents | undefined =>
  new Prover(functions, 0).of(node, { input: focus, self: focus })

class Prover {
  readonly #functions: ReadonlyMap<string, PathFunction>
  readonly #calls: number

  constructor(functions: ReadonlyMap<string, PathFunction>, calls: number) {
    this.#functions = functions
    this.#calls = calls
  }

  of(node: SyntaxNode | undefined, place: Place): Part | undefined {
    if (node === undefined) return undefined
    const { children: [first, second] = [], text = "", type } = node
    const { input, self } = place
    switch (type) {
      case "EntireExpression":
      case "TermExpression":
      case "InvocationTerm":
      case "ParenthesizedTerm":
      case "LiteralTerm":
      case "IndexerExpression":
        return this.of(first, place)
      case "NullLiteral":
        return focus
      case "StringLiteral":
        return { texts: unquoted(text), areElements: false, isOne: true, isEach: false }
      case "ThisInvocation":
        return self
      case "MemberInvocation":
        return input.areElements ? elements : undefined
      case "TypeExpression":
        return text === "as" ? this.#operand(first, self) : undefined
      case "UnionExpression":
        return both(this.#operand(first, self), this.#operand(second, self))
      case "AdditiveExpression": {
        const joined = text === "&" ? both(this.#operand(first, self), this.#operand(second, self)) : undefined
        return joined && { ...joined, areElements: false, isOne: true }
      }
      case "InvocationExpression": {
        const before = this.of(first, place)
        return before && this.of(second, { input: before, self })
      }
      case "FunctionInvocation":
        return this.#call(node, place)
      default:
        return undefined
    }
  }

  /** An operand or argument is evaluated on `$this`. */
  #operand(node: SyntaxNode | undefined, self: Part): Part | undefined {
    return this.of(node, { input: self, self })
  }

  #call(node: SyntaxNode, { input, self }: Place): Part | undefined {
    const name = unquoted(node.text ?? "")
    const args = argumentsOf(node)
    const [first, second, third] = args
    const own = this.#functions.get(name)
    if (own !== undefined) return this.#own(own, args, input)
    if (name === "select") return perElement(input, this.#operand(first, within(input)))
    if (name === "iif") {
      const then = this.#operand(second, input)
      const otherwise = third === undefined ? focus : this.#operand(third, input)
      return either(then, otherwise)
    }
    if (filters.has(name)) return input
    if (name === "combine") return both(input, this.#operand(first, self))
    if (!args.every(isLiteral)) return undefined
    if (choosing.has(name)) return input
    if (name === "extension") return input.areElements ? elements : undefined
    const written = first === undefined ? "" : literalTextOf(first)
    const texts = name === "join" ? written : shortening.has(name) ? "" : undefined
    return texts === undefined
      ? undefined
      : { texts: input.texts + texts, areElements: false, isOne: true, isEach: false }
  }

  #own(own: PathFunction, args: ReadonlyArray<SyntaxNode>, input: Part): Part | undefined {
    if (own.body !== undefined) {
      if (this.#calls === maxCalls || own.body.over === "visit") return undefined
      const found = new Prover(this.#functions, this.#calls + 1).of(syntaxTree(own.body.text), inside(input))
      return own.body.over === "item" ? perElement(input, found) : onAll(input, found)
    }
    // The values of arguments can be sources of a computed value, but not of an element.
    if (own.chooses === true) return input.areElements || args.every(isLiteral) ? input : undefined
    const isMade = own.ofInput === true || (own.reaches !== undefined && input.areElements)
    if (!isMade || input.texts !== "" || !args.every(isLiteral)) return undefined
    const made = { texts: "", areElements: own.reaches === "records", isOne: true, isEach: true }
    return own.forEach === undefined ? { ...made, isOne: false, isEach: false } : onAll(input, made)
  }
}

/** A collection as the input of an expression of its own. */
const within = ({ areElements, texts }: Part): Part => ({ ...focus, areElements, texts })

const inside = (input: Part): Place => ({ input: within(input), self: within(input) })

/** What is found on each element of a collection by itself. */
const perElement = (input: Part, found: Part | undefined): Part | undefined =>
  found && { ...found, isOne: input.isOne && found.isOne, isEach: input.isEach && found.isOne }

/** What is found on a collection as a whole. */
const onAll = (input: Part, found: Part | undefined): Part | undefined =>
  found && { ...found, isOne: input.isOne && found.isOne, isEach: input.isEach && found.isEach }

const either = (one: Part | undefined, other: Part | undefined): Part | undefined =>
  one && other && {
    texts: one.texts + other.texts,
    areElements: one.areElements && other.areElements,
    isOne: one.isOne && other.isOne,
    isEach: one.isEach && other.isEach
  }

/** Two parts together. */
const both = (one: Part | undefined, other: Part | undefined): Part | undefined => {
  const found = either(one, other)
  return found && { ...found, isOne: false, isEach: false }
}
