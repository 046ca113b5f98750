/** A thing that was found, and how near it is: 1 is the same words, 0 nothing in common. */
export interface Scored<A> {
  readonly item: A
  readonly score: number
}

/** A text by which a thing is found. `weight` (1 when absent) lowers the score of texts that say less. */
export interface IndexedText {
  readonly text: string
  readonly weight?: number
}

/** Anything less near than this is not worth a look. */
export const leastScore = 0.3

interface Entry<A> {
  readonly item: A
  readonly order: number
  readonly text: string
  readonly weight: number
  /** How many different trigrams the text has. */
  readonly size: number
}

/** As many texts, those with most letters in common, are compared word by word. */
const compared = 400

/**
 * Finds things by texts that are near a text: the same words in another order, or the same letters with a few others. Capitals,
 * punctuation and accents of Latin letters do not count. A search looks only at texts that share three letters in a row with it:
 * some tens of milliseconds among a hundred thousand texts.
 */
export class TextIndex<A> {
  readonly #entries: Array<Entry<A>> = []
  readonly #byTrigram = new Map<string, Array<number>>()

  add(item: A, texts: Iterable<IndexedText>, order: number): void {
    for (const { text, weight = 1 } of texts) {
      const plain = plainText(text)
      if (plain === "") continue
      const trigrams = trigramsOf(plain)
      const index = this.#entries.push({ item, order, text: plain, weight, size: trigrams.size }) - 1
      for (const trigram of trigrams) {
        const known = this.#byTrigram.get(trigram)
        if (known === undefined) this.#byTrigram.set(trigram, [index])
        else known.push(index)
      }
    }
  }

  /** The nearest things, the best first and then in the order they were added. */
  search(text: string, limit: number): ReadonlyArray<Scored<A>> {
    const plain = plainText(text)
    if (plain === "") return []
    const tokens = new Set(plain.split(" "))
    const best = new Map<A, { readonly score: number; readonly order: number }>()
    for (const { entry, letters } of this.#candidates(trigramsOf(plain))) {
      const score = entry.weight * scoreOf(plain, tokens, entry.text, letters)
      if (score < leastScore || score <= (best.get(entry.item)?.score ?? 0)) continue
      best.set(entry.item, { score, order: entry.order })
    }
    return [...best]
      .toSorted(([, a], [, b]) => b.score - a.score || a.order - b.order)
      .slice(0, limit)
      .map(([item, { score }]) => ({ item, score }))
  }

  /** The texts with most letters in common: twice the shared trigrams by all trigrams of both. */
  #candidates(trigrams: ReadonlySet<string>): ReadonlyArray<{ readonly entry: Entry<A>; readonly letters: number }> {
    const shared = new Uint16Array(this.#entries.length)
    for (const trigram of trigrams) for (const index of this.#byTrigram.get(trigram) ?? []) shared[index]!++
    const found: Array<{ readonly entry: Entry<A>; readonly letters: number }> = []
    for (let index = 0; index < shared.length; index++) {
      if (shared[index] === 0) continue
      const entry = this.#entries[index]!
      const letters = 2 * shared[index]! / (trigrams.size + entry.size)
      // What has less than this in common is near only when the text stands whole in it.
      if (letters >= 0.15 || shared[index]! >= trigrams.size - 3) found.push({ entry, letters })
    }
    return found.length <= compared ? found : found.toSorted((a, b) => b.letters - a.letters).slice(0, compared)
  }
}

/** Half the letters, half the words; a text that stands whole in the other is near, the nearer the more of it it is. */
const scoreOf = (plain: string, tokens: ReadonlySet<string>, other: string, letters: number): number => {
  if (plain === other) return 1
  const words = new Set(other.split(" "))
  let both = 0
  for (const token of tokens) if (words.has(token)) both++
  const mixed = (letters + 2 * both / (tokens.size + words.size)) / 2
  return plain.length >= 3 && other.includes(plain)
    ? Math.max(mixed, (other.startsWith(plain) ? 0.7 : 0.6) + 0.25 * plain.length / other.length)
    : mixed
}

/** Words in small letters with single blanks between; accents of Latin letters are taken off, marks of other scripts stay. */
export const plainText = (text: string): string =>
  (isAscii.test(text) ? text : withoutAccents(text)).toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim()

const isAscii = /^[ -~]*$/u

const withoutAccents = (text: string): string =>
  text.normalize("NFKD").replaceAll(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, "").normalize("NFC")

const trigramsOf = (plain: string): ReadonlySet<string> => {
  const padded = `  ${plain} `
  const found = new Set<string>()
  for (let at = 0; at + 3 <= padded.length; at++) found.add(padded.slice(at, at + 3))
  return found
}
