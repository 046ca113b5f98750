/**
 * Hashes a name to a whole number of 53 bits, never 0. Two names may have the same hash, so a lookup may find additional records, but it
 * misses none. Names of different kinds use a different `seed`.
 */
export const hashName = (name: string, seed = 0): number => {
  const { one, other } = beginHash(name, seed)
  return mixed(one, other)
}

/** The state of a hash after the first characters of a name. */
export interface HashStart {
  readonly one: number
  readonly other: number
}

/** Begins the hash of names that begin with the same characters. */
export const beginHash = (name: string, seed = 0): HashStart => {
  let [one, other] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed]
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at)
    one = Math.imul(one ^ code, 0x9e3779b1)
    other = Math.imul(other ^ code, 0x5f356495)
  }
  return { one, other }
}

/** Returns the hash of a name by the bytes that follow its first characters. They must be ASCII. */
export const hashBytes = (start: HashStart, bytes: Uint8Array, from: number, to: number): number => {
  let { one, other } = start
  for (let at = from; at < to; at++) {
    const code = bytes[at] ?? 0
    one = Math.imul(one ^ code, 0x9e3779b1)
    other = Math.imul(other ^ code, 0x5f356495)
  }
  return mixed(one, other)
}

/** Makes a hash of two lanes of 32 bits, each mixed into the other, as in cyrb53. */
const mixed = (lane: number, otherLane: number): number => {
  let [one, other] = [lane, otherLane]
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35)
  other = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35)
  return (other & 0x1fffff) * 2 ** 32 + (one >>> 0) || 1
}

/** A hash, positive or negative, as two numbers of 32 bits. */
export const lowOf = (hash: number): number => hash >>> 0
export const highOf = (hash: number): number => Math.floor(hash / 2 ** 32) >>> 0
export const hashFrom = (low: number, high: number): number => (high | 0) * 2 ** 32 + low
