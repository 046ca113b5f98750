import { compareTexts } from "./compareTexts.ts"

interface Entries<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** Returns the entry of a map, made on first use. */
export const getOrMake = <K, V>(map: Entries<K, V>, key: K, make: (key: K) => V): V => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make(key)
  map.set(key, made)
  return made
}

/** Like `getOrMake`, for what recurs but would grow without end: a map that has reached `max` entries is emptied first. */
export const getOrRemember = <K, V>(map: Map<K, V>, key: K, make: (key: K) => V, max = 1000): V => {
  const known = map.get(key)
  if (known !== undefined) return known
  if (map.size >= max) map.clear()
  const made = make(key)
  map.set(key, made)
  return made
}

/** Returns the entry of a key that must be in a map. Throws if it is not, where `get` would give `undefined`. */
export const getExisting = <K, V>(map: Pick<ReadonlyMap<K, V>, "get">, key: K): V => {
  const known = map.get(key)
  if (known === undefined) throw new RangeError("a map has no entry for a key that must have one")
  return known
}

/** Adds to the count of a name. Returns the new count. */
export const increment = <K>(counts: Entries<K, number>, name: K, by = 1): number => {
  const count = (counts.get(name) ?? 0) + by
  counts.set(name, count)
  return count
}

/** Sorts counts, the most frequent first, and equal counts by name. */
export const mostFrequentFirst = <K extends string>(
  counts: Iterable<readonly [name: K, count: number]>
): Array<readonly [name: K, count: number]> =>
  [...counts].toSorted(([a, one], [b, other]) => other - one || compareTexts(a, b))

/** Sorts counts by name. */
export const byName = (counts: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...counts].toSorted(([one], [other]) => compareTexts(one, other)))
