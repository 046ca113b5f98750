import { isAnchor, isBackreference, pieceAt, quantifierOf } from "./pieces.ts"
import { type Certainty, certaintyOf } from "./slowPattern.ts"

/**
 * An upper bound of what a backtracking engine does at one position of a text. It tries each way of matching a part, and for each way
 * everything that follows.
 */
interface Cost {
  /** The number of ways in which the part can match. */
  readonly ways: number
  /** The number of tokens that are compared in all ways together. */
  readonly steps: number
}

interface Part {
  /** The number of its tokens, with counted repetitions written out. */
  readonly tokens: number
  /** Returns its cost on a text of a length. */
  readonly cost: (length: number) => Cost
}

/**
 * Returns a function that bounds the steps of a search in a text of a length. Most searches take far fewer. A bound of `enough` or less is not
 * improved: to find what is certain of a pattern takes longer than to read it.
 */
export const stepsOf = (pattern: string, flags: string, enough: number): (length: number) => number => {
  const simple = boundOf(pattern, flags, "none")
  let better: typeof simple | undefined
  return (length) => {
    const steps = simple(length)
    if (steps <= enough) return steps
    better ??= boundOf(pattern, flags, certaintyOf(pattern, flags))
    return better(length)
  }
}

const boundOf = (pattern: string, flags: string, certainty: Certainty): (length: number) => number => {
  const { cost, hasAlternatives, tokens } = new CostReader(pattern, certainty).read()
  // A pattern that begins with `^` is tried at one position only.
  const isAnchored = pattern.startsWith("^") && !hasAlternatives && !flags.includes("m")
  return (length) => {
    const oneWay = certainty === "deterministic" ? (length + 1) * (tokens + 1) : Infinity
    return Math.min(oneWay, cost(length).steps) * (isAnchored ? 1 : length + 1)
  }
}

/** A cost that no time is enough for. */
const endless: Cost = { ways: Infinity, steps: Infinity }

class CostReader {
  readonly #pattern: string
  readonly #certainty: Certainty
  #at = 0

  constructor(pattern: string, certainty: Certainty) {
    this.#pattern = pattern
    this.#certainty = certainty
  }

  read(): Part & { readonly hasAlternatives: boolean } {
    const first = this.#sequence()
    const hasAlternatives = this.#peek() !== undefined
    return { ...this.#alternatives(first), hasAlternatives }
  }

  #alternatives(first = this.#sequence()): Part {
    let whole = first
    while (this.#peek() === "|") {
      this.#take()
      whole = either(whole, this.#sequence())
    }
    return whole
  }

  #peek(): string | undefined {
    return pieceAt(this.#pattern, this.#at)
  }

  #take(): string {
    const taken = this.#peek() ?? ""
    this.#at += taken.length
    return taken
  }

  #sequence(): Part {
    let whole = nothing
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek()) {
      whole = inTurn(whole, this.#repeated())
    }
    return whole
  }

  #repeated(): Part {
    const one = this.#one()
    const quantifier = quantifierOf(this.#peek())
    if (quantifier === undefined) return one
    this.#take()
    const { least, most } = quantifier
    const repetition = repeated(one, least, most)
    // A loop that can cut a text in one way only ends in one of its tokens, at any position.
    return most === Infinity && one.cost(1).ways > 1 && this.#certainty !== "none"
      ? { ...repetition, cost: (length) => evenly((length + 1) * (repetition.tokens + 1) ** 2) }
      : repetition
  }

  #one(): Part {
    const token = this.#take()
    if (token.startsWith("(")) {
      const inner = this.#alternatives()
      this.#take()
      return inner
    }
    if (isAnchor(token)) return nothing
    return isBackreference(token) ? backreference : character
  }
}

const evenly = (count: number): Cost => ({ ways: count, steps: count })

const nothing: Part = { tokens: 0, cost: () => evenly(1) }
const character: Part = { tokens: 1, cost: () => evenly(1) }
/** The text of a group is compared as a whole. */
const backreference: Part = { tokens: 1, cost: (length) => ({ ways: 1, steps: length + 1 }) }

const either = (one: Part, other: Part): Part => ({
  tokens: one.tokens + other.tokens,
  cost: (length) => {
    const [a, b] = [one.cost(length), other.cost(length)]
    return { ways: a.ways + b.ways, steps: a.steps + b.steps }
  }
})

const inTurn = (one: Part, then: Part): Part => ({
  tokens: one.tokens + then.tokens,
  cost: (length) => {
    const [a, b] = [one.cost(length), then.cost(length)]
    return { ways: a.ways * b.ways, steps: a.steps + a.ways * b.steps }
  }
})

const repeated = (one: Part, least: number, most: number): Part => ({
  tokens: one.tokens * (most === Infinity ? least + 1 : most),
  cost: (length) => {
    // Each round that is not required consumes text, except one that fails.
    const rounds = Math.min(most, least + length + 1)
    const each = one.cost(length)
    return each.ways === 1
      ? { ways: rounds - least + 1, steps: 1 + rounds * each.steps }
      : roundsOf(each, least, rounds)
  }
})

/** The cost of rounds that match in several ways each. */
const roundsOf = ({ steps, ways }: Cost, least: number, rounds: number): Cost => {
  let whole: Cost = { ways: least === 0 ? 1 : 0, steps: 1 }
  let paths = 1
  for (let round = 1; round <= rounds; round++) {
    whole = { ways: whole.ways, steps: whole.steps + paths * steps }
    paths *= ways
    if (paths === Infinity) return endless
    if (round >= least) whole = { ...whole, ways: whole.ways + paths }
  }
  return whole
}
