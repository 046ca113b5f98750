import { isObject } from "./isObject.ts"

type Json = { readonly [key: string]: unknown }

/** Which of several names, or identifiers, is meant where nothing else is said; those that say nothing of their use stand third. */
const places: Readonly<Record<string, number>> = {
  official: 0,
  usual: 1,
  secondary: 3,
  temp: 3,
  nickname: 4,
  anonymous: 5,
  maiden: 6
}

const unsaid = 2

/**
 * Whether a moment lies before another. Where one of the two says only a day, a month or a year, so much of the other counts: what ends on
 * a day ends when the day is over.
 */
const isBefore = (one: string, other: string): boolean => {
  const written = Math.min(one.length, other.length)
  return written <= 10
    ? one.slice(0, written) < other.slice(0, written)
    : Date.parse(one) < Date.parse(other)
}

/** How far a value is from being the one that is meant, the most important first; `undefined` where it is not in use. */
const distance = (value: unknown, at: string | undefined): ReadonlyArray<number> | undefined => {
  if (!isObject(value)) return [0, 0, 0]
  const { period, rank, use } = value as Json
  if (use === "old") return undefined
  const { end, start } = isObject(period) ? period : {} as Json
  if (at !== undefined && typeof end === "string" && isBefore(end, at)) return undefined
  const isElsewhen = at === undefined ? end !== undefined : typeof start === "string" && isBefore(at, start)
  return [
    isElsewhen ? 1 : 0,
    typeof rank === "number" ? rank : Number.MAX_SAFE_INTEGER,
    (typeof use === "string" ? places[use] : undefined) ?? unsaid
  ]
}

const compare = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  const at = one.findIndex((number, index) => number !== other[index])
  return at < 0 ? 0 : one[at]! - other[at]!
}

/**
 * Of names, addresses, telephone numbers, identifiers or whatever else has a period those that are in use and that nothing is preferred to.
 * What is `old`, or ended before the moment that is asked for, is not in use; what begins later comes last. Where no moment is asked for,
 * what has an end comes last. Then the lowest `rank` is preferred, then the `use`: official, usual, none, others.
 */
export const current = <A>(
  elements: ReadonlyArray<A>,
  at: string | undefined,
  valueOf: (element: A) => unknown
): ReadonlyArray<A> => {
  let nearest: ReadonlyArray<number> | undefined
  let found: Array<A> = []
  for (const element of elements) {
    const own = distance(valueOf(element), at)
    if (own === undefined) continue
    const order = nearest === undefined ? -1 : compare(own, nearest)
    if (order > 0) continue
    if (order < 0) {
      nearest = own
      found = []
    }
    found.push(element)
  }
  return found
}
