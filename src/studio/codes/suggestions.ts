import type { ListRow } from "../../facility/lists/listIndex.ts"
import type { TextIndex } from "../../facility/lists/TextIndex.ts"
import type { ReferenceListType } from "../../visit/Field.ts"
import { writtenOut } from "./abbreviations.ts"

/** Maximum number of values suggested per code. */
export const maxSuggestions = 3

/** The form of an ICD-10 code. */
const icd10 = /^[A-Z]\d[\dAB](?:\.?[\dA-Z]{1,4})?$/iu

/** Whether a code is of ICD-9, by its system, or otherwise by its form. ICD-9 and ICD-10 classify differently, so words are not compared. */
const isIcd9 = (system: string | null, code: string): boolean =>
  system === null ? /^(?:\d{3}|V\d\d|E\d{3})\.\d{1,2}$/iu.test(code) : /icd-?9/iu.test(system)

/** The score of a near match that is not certain. */
const unsure = 0.89

/**
 * Returns the nearest values of a list, by the code's display or by the code itself. A code of ICD is matched only by its code, and
 * a single letter or a number is never matched. A score of at least 0.9 counts as certain. If two values are equally certain, neither does.
 */
export const suggestionsFor = (
  { code, display, system = null }: {
    readonly code: string
    readonly display: string | null
    readonly system?: string | null
  },
  index: TextIndex<ListRow> | undefined,
  list: ReferenceListType | undefined
): ReadonlyArray<{ readonly value: string; readonly score: number }> => {
  if (index === undefined) return []
  const ofIcd9 = list === "diagnoses" && isIcd9(system, code)
  // In ICD-9 the same letter and digits have a different meaning.
  if (ofIcd9 && icd10.test(code)) return []
  if (ofIcd9 || (list === "diagnoses" && icd10.test(code))) {
    const found = index.find(({ code: own }) => plainCode(own) === plainCode(code))
    return found === undefined ? [] : [{ value: found.value, score: 1 }]
  }
  const best = new Map<string, number>()
  const own = code.length > 3 ? index.find((row) => row.code === code) : undefined
  if (own !== undefined) best.set(own.value, 1)
  for (const text of [...(display === null ? [] : [display]), ...(/\p{L}{2}/u.test(code) ? [code] : [])]) {
    for (const { item, score } of index.search(text, maxSuggestions + 1)) {
      if (score > (best.get(item.value) ?? 0)) best.set(item.value, score)
    }
    // Short abbreviations are ambiguous.
    const written = writtenOut(text)
    for (const { item, score } of written === undefined ? [] : index.search(written, maxSuggestions + 1)) {
      if (score > (best.get(item.value) ?? 0)) best.set(item.value, Math.min(score, unsure))
    }
  }
  const isTied = [...best.values()].filter((score) => score > unsure).length > 1
  return [...best].map(([value, score]) => ({ value, score: isTied ? Math.min(score, unsure) : score }))
    .toSorted((a, b) => b.score - a.score).slice(0, maxSuggestions)
}

const plainCode = (code: string): string => code.replace(".", "").toUpperCase()
