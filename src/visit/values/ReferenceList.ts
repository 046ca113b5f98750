import type { ReferenceListType } from "../Field.ts"

/** One list of the standard data (§4.3), indexed for lookup. */
export interface ReferenceList {
  /** The values of a payload: names and values in every language of the list. */
  readonly values: ReadonlySet<string>
  /** The codes of the rows. Codes may repeat; they are never a key. */
  readonly codes: ReadonlySet<string>
  /** The code of each value that has exactly one. */
  readonly codeOf: ReadonlyMap<string, string>
  /** Values and codes by their spelling without case, spacing and punctuation. */
  readonly spellings: ReadonlyMap<string, string>
  /** Identifies the rows and the date. What was checked against a list without it cannot be cached. */
  readonly digest?: string
}

/** The loaded lists; values are checked only against these. */
export type ReferenceLists = ReadonlyMap<ReferenceListType, ReferenceList>

/** Members of a row that are neither a value nor a code. */
const isAside = /^(?:id|uuid|description|.*_at|.*_date)$/

/** Returns the lookup key of a value whose exact spelling is not in the list: `a010` finds `A01.0`. */
export const spellingKey = (text: string): string => text.normalize("NFC").toLowerCase().replaceAll(/[\s\p{P}]+/gu, "")

/** Returns a value or code in the list's spelling, ignoring case; `undefined` if the list has none. */
export const asListed = (list: ReferenceList, text: string): string | undefined => {
  if (list.values.has(text) || list.codes.has(text)) return text
  const spelt = list.spellings.get(spellingKey(text))
  return spelt !== undefined && caseless(spelt) === caseless(text) ? spelt : undefined
}

/** Returns the code of a value, or a code, in the list's spelling; `undefined` if there is none or more than one. */
export const codeListed = (list: ReferenceList, text: string): string | undefined => {
  const listed = asListed(list, text)
  if (listed === undefined) return undefined
  return list.codes.has(listed) ? listed : list.codeOf.get(listed)
}

/** Returns a code in the list's form, with or without its dot: `j189` becomes `J18.9`. `undefined` if the list has none. */
export const asListedCode = (list: ReferenceList, code: string): string | undefined => {
  if (list.codes.has(code)) return code
  const spelt = list.spellings.get(spellingKey(code))
  return spelt !== undefined && list.codes.has(spelt) && dotless(spelt) === dotless(code) ? spelt : undefined
}

const dotless = (code: string): string => caseless(code).replaceAll(".", "")

const caseless = (text: string): string => text.normalize("NFC").toLowerCase().trim()

/**
 * Makes a list from the rows of the service (§2.8). Only the rows of diagnoses are documented (`code`, `name`, `description`). In other
 * rows `code` is the code and every other text is a value, except descriptions, ids and dates.
 */
export const makeReferenceList = (
  rows: Iterable<Readonly<Record<string, unknown>>>,
  about: Pick<ReferenceList, "digest"> = {}
): ReferenceList => {
  const values = new Set<string>()
  const codes = new Set<string>()
  const texts: Array<string> = []
  const add = (set: Set<string>, text: unknown): void => {
    if (typeof text !== "string" || text === "") return
    set.add(text)
    texts.push(text)
  }
  const codeOf = new Map<string, string>()
  const shared = new Set<string>()
  for (const row of rows) {
    add(codes, row.code)
    for (const [name, value] of Object.entries(row)) {
      if (name === "code" || isAside.test(name)) continue
      add(values, value)
      if (typeof value !== "string" || typeof row.code !== "string" || row.code === "") continue
      if ((codeOf.get(value) ?? row.code) !== row.code) shared.add(value)
      codeOf.set(value, row.code)
    }
  }
  for (const value of shared) codeOf.delete(value)
  let spellings: ReadonlyMap<string, string> | undefined
  return {
    values,
    codes,
    codeOf,
    // Made when a text is in the list in no exact spelling: it takes longer than all the rest.
    get spellings() {
      return (spellings ??= spellingsOf(texts))
    },
    ...about
  }
}

/** Returns the first of the texts with each spelling. */
const spellingsOf = (texts: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const spellings = new Map<string, string>()
  for (const text of texts) {
    const key = spellingKey(text)
    if (key !== "" && !spellings.has(key)) spellings.set(key, text)
  }
  return spellings
}
