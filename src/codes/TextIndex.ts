import MiniSearch, { type SearchResult } from "minisearch"

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
const leastScore = 0.3

interface Entry<A> {
  readonly item: A
  readonly order: number
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly weight: number
}

/** As many texts, those the library finds nearest, are scored. */
const compared = 400

/** A word that begins alike, or has a letter wrong, counts for less than the same word. */
const nearWord = 0.8

/**
 * Finds things by texts that are near a text: the same words in another order, words that begin alike, words with a letter or two
 * wrong. Capitals, punctuation and accents of Latin letters do not count; scripts without blanks are taken apart into words.
 */
export class TextIndex<A> {
  readonly #entries: Array<Entry<A>> = []
  readonly #index = new MiniSearch<{ readonly id: number; readonly text: string }>({
    fields: ["text"],
    tokenize: wordsOf,
    processTerm: (term) => term,
    searchOptions: {
      prefix: (term) => term.length >= 3,
      fuzzy: (term) => (term.length > 3 ? 0.25 : false)
    }
  })

  add(item: A, texts: Iterable<IndexedText>, order: number): void {
    for (const { text, weight = 1 } of texts) {
      const plain = plainText(text)
      if (plain === "") continue
      const id = this.#entries.push({ item, order, text: plain, words: new Set(wordsOf(plain)), weight }) - 1
      this.#index.add({ id, text: plain })
    }
  }

  /** The nearest things, the best first and then in the order they were added. */
  search(text: string, limit: number): ReadonlyArray<Scored<A>> {
    const plain = plainText(text)
    if (plain === "") return []
    const words = new Set(wordsOf(plain))
    const best = new Map<A, { readonly score: number; readonly order: number }>()
    for (const found of this.#index.search(plain).slice(0, compared)) {
      const entry = this.#entries[found.id as number]!
      const score = entry.weight * (entry.text === plain ? 1 : scoreOf(words, entry.words, found))
      if (score < leastScore || score <= (best.get(entry.item)?.score ?? 0)) continue
      best.set(entry.item, { score, order: entry.order })
    }
    return [...best]
      .toSorted(([, a], [, b]) => b.score - a.score || a.order - b.order)
      .slice(0, limit)
      .map(([item, { score }]) => ({ item, score }))
  }
}

/** How much of what was asked for is there, and, for less, how much of what is there was asked for. Never 1: the texts differ. */
const scoreOf = (
  asked: ReadonlySet<string>,
  there: ReadonlySet<string>,
  { queryTerms, terms }: SearchResult
): number => {
  const met = new Set(queryTerms)
  let found = 0
  for (const word of asked) found += there.has(word) ? 1 : met.has(word) ? nearWord : 0
  return Math.min(0.99, 0.7 * found / asked.size + 0.3 * new Set(terms).size / there.size)
}

/** The words of a plain text; those of scripts without blanks as dictionaries take them apart. */
const wordsOf = (plain: string): Array<string> => {
  if (isAscii.test(plain)) return plain.split(" ")
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" })
  const words = [...segmenter.segment(plain)].flatMap((
    { isWordLike, segment }
  ) => (isWordLike === true ? [segment] : []))
  return words.length === 0 ? plain.split(" ") : words
}

/** Made when first needed: it costs milliseconds. */
let segmenter: Intl.Segmenter | undefined

/** Words in small letters with single blanks between; accents of Latin letters are taken off, marks of other scripts stay. */
export const plainText = (text: string): string =>
  (isAscii.test(text) ? text : withoutAccents(text)).toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim()

const isAscii = /^[ -~]*$/u

const withoutAccents = (text: string): string =>
  text.normalize("NFKD").replaceAll(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, "").normalize("NFC")
