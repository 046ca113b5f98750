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
  readonly tokens: ReadonlySet<string>
  readonly trigrams: ReadonlySet<string>
}

/**
 * Finds things by texts that are near a text: the same words in another order, or the same letters with a few others. Capitals,
 * punctuation and accents of Latin letters do not count. A search looks only at texts that share three letters in a row with it.
 */
export class TextIndex<A> {
  readonly #entries: Array<Entry<A>> = []
  readonly #byTrigram = new Map<string, Array<number>>()

  add(item: A, texts: Iterable<IndexedText>, order: number): void {
    for (const { text, weight = 1 } of texts) {
      const plain = plainText(text)
      if (plain === "") continue
      const entry = { item, order, text: plain, weight, tokens: new Set(plain.split(" ")), trigrams: trigramsOf(plain) }
      const index = this.#entries.push(entry) - 1
      for (const trigram of entry.trigrams) {
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
    const trigrams = trigramsOf(plain)
    const shared = new Map<number, number>()
    for (const trigram of trigrams) {
      for (const index of this.#byTrigram.get(trigram) ?? []) shared.set(index, (shared.get(index) ?? 0) + 1)
    }
    const best = new Map<A, { readonly score: number; readonly order: number }>()
    for (const [index, both] of shared) {
      const entry = this.#entries[index]!
      const letters = 2 * both / (trigrams.size + entry.trigrams.size)
      const score = entry.weight * scoreOf(plain, tokens, entry, letters)
      if (score < leastScore || score <= (best.get(entry.item)?.score ?? 0)) continue
      best.set(entry.item, { score, order: entry.order })
    }
    return [...best]
      .toSorted(([, a], [, b]) => b.score - a.score || a.order - b.order)
      .slice(0, limit)
      .map(([item, { score }]) => ({ item, score }))
  }
}

/** Half the letters, half the words; a text that stands whole in the other is near, the nearer the more of it it is. */
const scoreOf = (
  plain: string,
  tokens: ReadonlySet<string>,
  entry: Pick<Entry<unknown>, "text" | "tokens">,
  letters: number
): number => {
  if (plain === entry.text) return 1
  let both = 0
  for (const token of tokens) if (entry.tokens.has(token)) both++
  const mixed = (letters + 2 * both / (tokens.size + entry.tokens.size)) / 2
  return plain.length >= 3 && entry.text.includes(plain)
    ? Math.max(mixed, (entry.text.startsWith(plain) ? 0.7 : 0.6) + 0.25 * plain.length / entry.text.length)
    : mixed
}

/** Words in small letters with single blanks between; accents of Latin letters are taken off, marks of other scripts stay. */
export const plainText = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()

const trigramsOf = (plain: string): ReadonlySet<string> => {
  const padded = `  ${plain} `
  const found = new Set<string>()
  for (let at = 0; at + 3 <= padded.length; at++) found.add(padded.slice(at, at + 3))
  return found
}
