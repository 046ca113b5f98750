import { at } from "../at.ts"

/**
 * Returns the candidate for "did you mean" that is nearest to a name, or `undefined` if none is near. Near means: the number of edits is at
 * most a third of the name's length, or `most`. An edit adds, drops or replaces a letter, or swaps two neighbours; case is ignored.
 */
export const suggest = (
  name: string,
  candidates: Iterable<string>,
  most = Math.floor(Math.max(name.length, 3) / 3)
): string | undefined => {
  const typed = name.toLowerCase()
  let best: string | undefined
  let limit = most
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - typed.length) > limit) continue
    const found = distance(typed, candidate.toLowerCase(), limit)
    if (found > limit || (found === limit && best !== undefined)) continue
    best = candidate
    limit = found
  }
  return best
}

/** Returns the label next to a misspelt name, if a similar name exists. */
export function didYouMean(near: string): string
export function didYouMean(near: string | undefined): string | undefined
export function didYouMean(near: string | undefined): string | undefined {
  return near === undefined ? undefined : `did you mean \`${near}\`?`
}

/** More names in one message are not read. */
const maxNames = 60

/** Returns the help for an unknown name: the known names, or where they are if there are many; nothing if a similar one exists. */
export const defineOrTake = (near: string | undefined, where: string, known: Iterable<string>): ReadonlyArray<string> =>
  near === undefined ? [`define it under  ${where}:  or take one ${amongNames(known)}`] : []

/** Returns names as the end of a sentence, or where they are if there are many. */
const amongNames = (known: Iterable<string>): string => {
  const names = [...known]
  return names.length > maxNames
    ? `of the ${names.length} that  fhir2visit mapping show  prints`
    : `of: ${names.join(", ")}`
}

/** Returns the Damerau-Levenshtein distance where each letter moves at most once; anything above `limit` is `limit + 1`. */
const distance = (a: string, b: string, limit: number): number => {
  if (a === b) return 0
  let before: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let smallest = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) cost = Math.min(cost, at(before, j - 2) + 1)
      row.push(cost)
      if (cost < smallest) smallest = cost
    }
    if (smallest > limit) return limit + 1
    before = last
    last = row
  }
  // The last row has a number for each letter of `b`, and one for none.
  return at(last, b.length)
}
