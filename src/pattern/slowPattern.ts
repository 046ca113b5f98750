import { getOrMake } from "../maps.ts"
import { isAnchor, isBackreference, pieceAt, quantifierOf } from "./pieces.ts"

/**
 * Finds the repetition that makes a regular expression take exponential time on a text that almost matches. Its rounds can cut
 * the same text in several ways, as `(a+)+` cuts `aaa`. The automaton's states are the tokens of the expression. The expression is
 * slow if two different ways lead from a token back to itself over one text (exponential ambiguity, Weber and Seidl 1991).
 */

/** Part of a pattern, from one offset to another. */
interface RegexNode {
  readonly from: number
  readonly to: number
}

/** Returns the innermost slow repetition; `undefined` if there is none, or the pattern is too long to check. */
export const slowPart = (pattern: string): RegexNode | undefined => read(pattern)?.slow

/**
 * What is certain of a pattern. `deterministic`: after each token, the next character decides which token follows. `unambiguous`: no
 * repetition is slow.
 */
export type Certainty = "deterministic" | "unambiguous" | "none"

/**
 * Returns what is certain of a pattern. The check of common characters is complete for ASCII and these classes, if case counts. A lookaround
 * or the text of a group can be slow otherwise.
 */
export const certaintyOf = (pattern: string, flags: string): Certainty => {
  const isComplete = !flags.includes("i") && /^[\x20-\x7E]*$/u.test(pattern) &&
    !/\\[^dDwWsSbB\W]|\(\?[^:]/u.test(pattern)
  const found = isComplete ? read(pattern) : undefined
  if (found === undefined || found.slow !== undefined) return "none"
  return found.isDeterministic ? "deterministic" : "unambiguous"
}

const read = (pattern: string): Pick<PatternReader, "slow" | "isDeterministic"> | undefined => {
  try {
    const reader = new PatternReader(pattern)
    reader.read()
    return reader
  } catch (cause) {
    if (cause instanceof TooLong) return undefined
    throw cause
  }
}

class TooLong extends Error {}

/** Maximum of tokens to check, with counted repetitions written out. */
const maxPatternLength = 160

/** A part as an automaton without empty steps: its first and last tokens, and which token follows which, in how many ways. */
interface Automaton {
  readonly empty: boolean
  readonly first: ReadonlyArray<number>
  readonly last: ReadonlyArray<number>
}

const nothing: Automaton = { empty: true, first: [], last: [] }

class PatternReader {
  slow: RegexNode | undefined
  isDeterministic = false
  readonly #pattern: string
  #at = 0
  /** What each token matches. */
  readonly #signs: Array<string> = []
  readonly #follow: Array<Map<number, number>> = []
  #patience = 2_000_000

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  read(): void {
    const { first } = this.#alternatives()
    const meets = overlaps(this.#signs)
    this.isDeterministic = areApart(first, meets) &&
      this.#follow.every((next) => [...next.values()].every((ways) => ways === 1) && areApart([...next.keys()], meets))
  }

  #alternatives(): Automaton {
    let whole = this.#sequence()
    while (this.#peek() === "|") {
      this.#take()
      const other = this.#sequence()
      whole = {
        empty: whole.empty || other.empty,
        first: [...whole.first, ...other.first],
        last: [...whole.last, ...other.last]
      }
    }
    return whole
  }

  #peek(): string | undefined {
    return pieceAt(this.#pattern, this.#at)
  }

  #take(): string {
    const taken = this.#peek() ?? ""
    this.#at += Math.max(1, taken.length)
    return taken
  }

  #sequence(): Automaton {
    let whole = nothing
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek()) {
      whole = this.#join(whole, this.#repeated())
    }
    return whole
  }

  #repeated(): Automaton {
    const from = this.#at
    const one = this.#one()
    const quantifier = quantifierOf(this.#peek())
    if (quantifier === undefined) return one
    this.#take()
    const { least, most } = quantifier
    if (most === Infinity && least <= 1) return this.#loop(least === 0 ? { ...one, empty: true } : one, from)
    const to = this.#at
    // Each round has its own tokens.
    const round = (): Automaton => {
      this.#at = from
      return this.#one()
    }
    const rounds = [one]
    while (rounds.length < (most === Infinity ? least : most)) rounds.push(round())
    const last = most === Infinity ? this.#loop({ ...round(), empty: true }, from, to) : nothing
    this.#at = to
    // A round that is not required follows only the round before: `a{1,3}` is `a(a(a)?)?`.
    return rounds.reduceRight((rest, one, index) => {
      const whole = this.#join(one, rest)
      return index < least ? whole : { ...whole, empty: true }
    }, last)
  }

  #one(): Automaton {
    const token = this.#take()
    if (token.startsWith("(")) {
      const inner = this.#alternatives()
      this.#take()
      // A lookaround consumes nothing.
      return /^\(\?<?[=!]/u.test(token) ? nothing : inner
    }
    if (isAnchor(token)) return nothing
    if (this.#signs.length >= maxPatternLength) throw new TooLong()
    // The text that a group matched can be anything.
    const sign = this.#signs.push(isBackreference(token) ? "[^]" : token) - 1
    this.#follow.push(new Map())
    return { empty: false, first: [sign], last: [sign] }
  }

  #join(one: Automaton, other: Automaton): Automaton {
    this.#connect(one.last, other.first)
    return {
      empty: one.empty && other.empty,
      first: one.empty ? [...one.first, ...other.first] : one.first,
      last: other.empty ? [...other.last, ...one.last] : other.last
    }
  }

  #connect(lasts: ReadonlyArray<number>, firsts: ReadonlyArray<number>): void {
    for (const last of lasts) {
      const follow = this.#follow[last]
      for (const first of firsts) follow?.set(first, Math.min(2, (follow.get(first) ?? 0) + 1))
    }
  }

  #loop(one: Automaton, from: number, to = this.#at): Automaton {
    this.#connect(one.last, one.first)
    if (this.slow === undefined && this.#isAmbiguous(one.first)) this.slow = { from, to }
    return one
  }

  /** Returns whether, from one of the tokens, two ways over the same text lead back to one token. */
  #isAmbiguous(signs: ReadonlyArray<number>): boolean {
    const after = (sign: number): ReadonlyArray<number> => [...this.#follow[sign]?.keys() ?? []]
    const inLoop = reachable(signs, after)
    const meets = overlaps(this.#signs)
    // Two ways from one token to the next are two ways round if the next leads back.
    for (const sign of inLoop) {
      for (const [next, ways] of this.#follow[sign] ?? []) {
        if (ways > 1 && reachable([next], after).has(sign)) return true
      }
    }
    // Pairs of tokens that two ways can reach over one text: is a pair of different tokens on a way from a token to itself?
    const size = this.#signs.length
    for (const sign of inLoop) {
      const here = sign * size + sign
      const before = new Map<number, Array<number>>()
      const pairs = reachable([here], (pair) => {
        const found: Array<number> = []
        for (const one of after(Math.floor(pair / size))) {
          for (const other of after(pair % size)) {
            if (--this.#patience < 0) throw new TooLong()
            if (!meets(one, other)) continue
            const next = one * size + other
            found.push(next)
            getOrMake(before, next, () => []).push(pair)
          }
        }
        return found
      })
      const back = reachable([here], (pair) => before.get(pair) ?? [])
      for (const pair of pairs) if (Math.floor(pair / size) !== pair % size && back.has(pair)) return true
    }
    return false
  }
}

/** Returns whether no two of the tokens match a common character. */
const areApart = (tokens: ReadonlyArray<number>, meets: (one: number, other: number) => boolean): boolean =>
  tokens.every((one, index) => tokens.slice(index + 1).every((other) => !meets(one, other)))

const reachable = (from: ReadonlyArray<number>, step: (at: number) => ReadonlyArray<number>): ReadonlySet<number> => {
  const found = new Set(from)
  for (const at of found) for (const next of step(at)) found.add(next)
  return found
}

/** Characters of many scripts and kinds, so that classes with a common character share at least one of these. */
const samples = (): ReadonlyArray<string> => [
  ...Array.from({ length: 0x180 }, (_, code) => String.fromCodePoint(code)),
  ..."ΑαЖжאअกກកខ中あ한‐–—’“”…€№\u2028\u200b\ufeff😀"
]

/** Returns whether two tokens of a pattern match a common character. */
const overlaps = (signs: ReadonlyArray<string>): (one: number, other: number) => boolean => {
  const written = [...samples(), ...signs.flatMap((sign) => [...sign])]
  const matched = new Map<string, ReadonlySet<string>>()
  const setOf = (index: number): ReadonlySet<string> => {
    const sign = signs[index] ?? ""
    return getOrMake(matched, sign, () => {
      const pattern = new RegExp(`^(?:${sign})$`, "su")
      return new Set(written.filter((one) => pattern.test(one)))
    })
  }
  return (one, other) => signs[one] === signs[other] || !setOf(one).isDisjointFrom(setOf(other))
}
