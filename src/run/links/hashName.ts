/**
 * Hashes a name to a whole number of 53 bits, never 0. Two names may have the same hash, so a lookup may find additional records, but it
 * misses none. Names of different kinds use a different `seed`.
 */
export const hashName = (name: string, seed = 0): number => {
  // Two lanes of 32 bits, each mixed into the other at the end, as in cyrb53.
  let [one, other] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed]
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at)
    one = Math.imul(one ^ code, 0x9e3779b1)
    other = Math.imul(other ^ code, 0x5f356495)
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35)
  other = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35)
  return (other & 0x1fffff) * 2 ** 32 + (one >>> 0) || 1
}

/** A hash, positive or negative, as two numbers of 32 bits. */
export const lowOf = (hash: number): number => hash >>> 0
export const highOf = (hash: number): number => Math.floor(hash / 2 ** 32) >>> 0
export const hashFrom = (low: number, high: number): number => (high | 0) * 2 ** 32 + low
