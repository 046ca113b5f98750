import MiniSearch, { type SearchResult } from "minisearch"

/** A found item and its score: 1 for the same words, 0 for nothing in common. */
interface Scored<A> {
  readonly item: A
  readonly score: number
}

/** A text by which an item is found. `weight` (default: 1) lowers the score of less specific texts. */
interface IndexedText {
  readonly text: string
  readonly weight?: number
}

/** Results below this score are not shown. */
const minScore = 0.3

interface Entry<A> {
  readonly item: A
  readonly order: number
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly essence: string
  readonly weight: number
}

/** Scores of texts with the same words in another spelling, and of texts that only have words in common. */
const sameWords = 0.95
const notTheSame = 0.89

/** Number of texts that are scored: those the library ranks highest. */
const compared = 400

/** A word with the same beginning counts less than the same word, and one with a wrong letter even less. */
const beginsAlike = 0.8
const hasLetterWrong = 0.5

/**
 * Finds items by similar text: the same words in another order, words with the same beginning, words with one or two wrong letters. Case,
 * punctuation and accents of Latin letters are ignored. Scripts without blanks are split into words.
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
      const plain = searchText(text)
      if (plain === "") continue
      const words = essentialWords(plain)
      const id = this.#entries.push({ item, order, text: plain, words, essence: essenceOf(words), weight }) - 1
      this.#index.add({ id, text: [...words].join(" ") })
    }
  }

  /** The first item that satisfies a condition. */
  find(holds: (item: A) => boolean): A | undefined {
    return this.#entries.find(({ item }) => holds(item))?.item
  }

  /** The best matches, sorted by score and then in the order they were added. */
  search(text: string, limit: number): ReadonlyArray<Scored<A>> {
    const plain = searchText(text)
    if (plain === "") return []
    const words = essentialWords(plain)
    const essence = essenceOf(words)
    const best = new Map<A, { readonly score: number; readonly order: number }>()
    for (const found of this.#index.search([...words].join(" ")).slice(0, compared)) {
      const entry = this.#entries[Number(found.id)]
      if (entry === undefined) continue
      const score = entry.weight *
        (entry.text === plain
          ? 1
          : entry.essence === essence
          ? sameWords
          : Math.min(notTheSame, scoreOf(words, entry.words, found)))
      if (score < minScore || score <= (best.get(entry.item)?.score ?? 0)) continue
      best.set(entry.item, { score, order: entry.order })
    }
    return [...best]
      .toSorted(([, a], [, b]) => b.score - a.score || a.order - b.order)
      .slice(0, limit)
      .map(([item, { score }]) => ({ item, score }))
  }
}

/**
 * Scores how much of the query is in the text, and, with a lower weight, how much of the text is in the query. Different numbers lower the
 * score.
 */
const scoreOf = (
  requested: ReadonlySet<string>,
  there: ReadonlySet<string>,
  { queryTerms, terms }: SearchResult
): number => {
  const seen = new Set(queryTerms)
  let found = 0
  const words = [...there]
  for (const word of requested) {
    found += there.has(word)
      ? 1
      : !seen.has(word)
      ? 0
      : words.some((one) => one.startsWith(word))
      ? beginsAlike
      : hasLetterWrong
  }
  const number = [...requested, ...there].find((word) => /\d/u.test(word) && requested.has(word) !== there.has(word))
  return (number === undefined ? 1 : 0.8) * (0.7 * found / requested.size + 0.3 * new Set(terms).size / there.size)
}

/** Words of terminologies without content ("unspecified"), and words for the kind of a term. */
const asides = new RegExp(
  [
    "(?<=.) (?:disorder|finding|situation|procedure|person|morphologic abnormality)$",
    "\\b(?:not|un)(?:(?<=not) )?specified as .*$",
    "\\bwithout (?:mention of )?complications?\\b",
    "\\b(?:site )?not (?:otherwise |elsewhere )?(?:specified|classified)\\b",
    "\\b(?:other and )?unspecified(?: organism)?\\b",
    "\\b(?:nos|nec|of|the|and|a|an|in)\\b"
  ].join("|"),
  "gu"
)

/** The words that distinguish a text: without asides, in one spelling of British and American English, singular, with numbers split off. */
const essentialWords = (plain: string): ReadonlySet<string> => {
  const bare = plain.replaceAll(asides, " ").trim()
  const words = wordsOf((bare === "" ? plain : bare).replaceAll(/(\d)(?=\p{L})/gu, "$1 ").replaceAll(/ +/gu, " "))
  return new Set(words.map((word) => (/^[a-z]+$/u.test(word) ? spelling(word) : word)))
}

const spelling = (word: string): string =>
  word === "ii"
    ? "2"
    : word.replaceAll(/[ao]e(?=[a-z])/gu, "e").replaceAll("ph", "f").replace(/(?<=[a-z]{3}(?<!s|i|u))s$/u, "")

const essenceOf = (words: ReadonlySet<string>): string => [...words].toSorted().join(" ")

/** The words of a plain text; those of scripts without blanks as segmented by a dictionary. */
const wordsOf = (plain: string): Array<string> => {
  if (isAscii.test(plain)) return plain.split(" ")
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" })
  const words = [...segmenter.segment(plain)].flatMap((
    { isWordLike, segment }
  ) => (isWordLike === true ? [segment] : []))
  return words.length === 0 ? plain.split(" ") : words
}

/** Created on first use, because it takes milliseconds. */
let segmenter: Intl.Segmenter | undefined

/** Returns the words in lower case with single blanks between. Accents of Latin letters are removed; marks of other scripts stay. */
export const searchText = (text: string): string =>
  (isAscii.test(text) ? text : withoutAccents(text)).toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim()

const isAscii = /^[ -~]*$/u

const withoutAccents = (text: string): string =>
  text.normalize("NFKD").replaceAll(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, "").normalize("NFC")
