import { isJsonObject, jsonObjectOf } from "../../json/JsonObject.ts"

/** Preference rank of each `use`, if several names or identifiers are possible. Those without a `use` rank third. */
const rankOfUse: Readonly<Record<string, number>> = {
  official: 0,
  usual: 1,
  secondary: 3,
  temp: 3,
  nickname: 4,
  anonymous: 5,
  maiden: 6
}

const rankWithoutUse = 2

/**
 * Returns whether a time is before another. If one is only a day, a month or a year, both are compared at that precision. A period
 * that ends on a day ends after that day.
 */
const isBefore = (one: string, other: string): boolean => {
  const written = Math.min(one.length, other.length)
  return written <= 10
    ? one.slice(0, written) < other.slice(0, written)
    : Date.parse(one) < Date.parse(other)
}

/** Returns how far a value is from the preferred one, most important criterion first; `undefined` if it is not in use. */
const distance = (value: unknown, at: string | undefined): ReadonlyArray<number> | undefined => {
  if (!isJsonObject(value)) return [0, 0, 0]
  const { period, rank, use } = value
  if (use === "old") return undefined
  const { end, start } = jsonObjectOf(period)
  if (at !== undefined && typeof end === "string" && isBefore(end, at)) return undefined
  const isElsewhen = at === undefined ? end !== undefined : typeof start === "string" && isBefore(at, start)
  return [
    isElsewhen ? 1 : 0,
    typeof rank === "number" ? rank : Number.MAX_SAFE_INTEGER,
    (typeof use === "string" ? rankOfUse[use] : undefined) ?? rankWithoutUse
  ]
}

const compare = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  for (let at = 0; at < one.length; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * Returns the preferred values among those in use: names, addresses, telephone numbers, identifiers, or anything with a period.
 * A value that is `old`, or ended before the given time, is not in use. A value that begins later ranks last; without a given time,
 * a value with an end ranks last. Next the lowest `rank` is preferred, then the `use`: official, usual, none, others.
 */
export const current = <A>(
  elements: ReadonlyArray<A>,
  valueOf: (element: A) => unknown,
  at?: string
): ReadonlyArray<A> => {
  if (elements.length === 0) return elements
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
