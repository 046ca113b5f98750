import { stepsOf } from "./costOf.ts"
import { withinMillis } from "./withinMillis.ts"

/** The time of a match, in milliseconds: at first, and of a pattern that was too slow before. */
interface MatchTime {
  readonly first: number
  readonly later: number
}

const defaultTime: MatchTime = { first: 1000, later: 10 }

/** The number of steps that every processor takes within the time of a match. */
const quickSteps = 10_000_000

/** How many patterns were too slow. Each shortens the first time of the others, because data can build any number of patterns. */
let slowPatterns = 0

/**
 * A regular expression that a user wrote, or that a mapping builds from data. A match that could take long, by the bound of its steps, has
 * limited time. All others are made directly, because the limit costs a hundred times as much as a usual match. A result is `undefined` if
 * the time was too short.
 */
export class UserPattern {
  readonly #pattern: RegExp
  readonly #time: MatchTime
  /** Texts up to this length are surely matched quickly. */
  #quickLength = -1
  /** Texts from this length on have limited time. */
  #limitedLength = Infinity
  #steps: ((length: number) => number) | undefined
  #isSlow = false

  /** Throws if this is not a regular expression. The message does not quote it, because it can contain values of a record. */
  constructor(source: string, flags: string, time = defaultTime) {
    this.#time = time
    try {
      this.#pattern = new RegExp(source, flags)
    } catch {
      throw new Error("this is not a regular expression")
    }
  }

  test(text: string): boolean | undefined {
    return this.#isQuick(text) ? this.#pattern.test(text) : this.#limited(() => this.#pattern.test(text))
  }

  exec(text: string): RegExpExecArray | null | undefined {
    return this.#isQuick(text) ? this.#pattern.exec(text) : this.#limited(() => this.#pattern.exec(text))
  }

  /** Returns the text with each match replaced, if the flag `g` is set. */
  replaceIn(text: string, by: string): string | undefined {
    return this.#isQuick(text)
      ? text.replace(this.#pattern, by)
      : this.#limited(() => text.replace(this.#pattern, by))
  }

  #isQuick({ length }: string): boolean {
    return length <= this.#quickLength || (length < this.#limitedLength && this.#isSurelyQuick(length))
  }

  #isSurelyQuick(length: number): boolean {
    this.#steps ??= stepsOf(this.#pattern.source, this.#pattern.flags, quickSteps)
    const isQuick = this.#steps(length) <= quickSteps
    if (isQuick) this.#quickLength = length
    else this.#limitedLength = length
    return isQuick
  }

  #limited<A>(match: () => A): A | undefined {
    const { first, later } = this.#time
    const found = withinMillis(this.#isSlow ? later : Math.max(later, first / (1 + slowPatterns)), match)
    if (found !== undefined) return found.value
    if (!this.#isSlow) slowPatterns++
    this.#isSlow = true
    return undefined
  }
}
