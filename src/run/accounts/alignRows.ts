import { at } from "../../at.ts"
import { isJsonObject } from "../../json/JsonObject.ts"

/** Matching rows of two lists. A row without a match was added or removed. */
type RowPair = readonly [before: unknown, after: unknown]

/** Above this number of pairs, rows are compared by index. */
const maxPairs = 250_000

/**
 * Aligns the rows of two lists in their order, with as many equal rows as possible. An inserted row counts as one added row; the rows after
 * it are unchanged. Rows left over on both sides of a gap count as changed.
 */
export const alignRows = (before: ReadonlyArray<unknown>, after: ReadonlyArray<unknown>): ReadonlyArray<RowPair> => {
  const [earlier, later] = [before.map((row) => JSON.stringify(row)), after.map((row) => JSON.stringify(row))]
  let start = 0
  while (start < Math.min(before.length, after.length) && earlier[start] === later[start]) start++
  let end = 0
  while (
    end < Math.min(before.length, after.length) - start && earlier.at(-1 - end) === later.at(-1 - end)
  ) end++
  const same = (from: number, to: number): ReadonlyArray<RowPair> => before.slice(from, to).map((row) => [row, row])
  const middle = pairs(before.slice(start, before.length - end), after.slice(start, after.length - end))
  return [...same(0, start), ...middle, ...same(before.length - end, before.length)]
}

const pairs = (before: ReadonlyArray<unknown>, after: ReadonlyArray<unknown>): ReadonlyArray<RowPair> => {
  if (before.length * after.length > maxPairs) return sideBySide(before, after)
  const earlier = before.map(leavesOf)
  const later = after.map(leavesOf)
  // `best[i][j]`: the maximum likeness of the rows from i and j onwards.
  const best = Array.from({ length: before.length + 1 }, () => new Float64Array(after.length + 1))
  // Every index below is within these tables, which have a row and a column more than there are rows to align.
  const alike = earlier.map((one) => later.map((other) => likeness(one, other)))
  for (let i = before.length - 1; i >= 0; i--) {
    const [row, below, likenesses] = [at(best, i), at(best, i + 1), at(alike, i)]
    for (let j = after.length - 1; j >= 0; j--) {
      row[j] = Math.max(at(below, j), at(row, j + 1), at(below, j + 1) + at(likenesses, j))
    }
  }
  const found: Array<RowPair> = []
  let gap: [Array<unknown>, Array<unknown>] = [[], []]
  const closeGap = (): void => {
    found.push(...sideBySide(...gap))
    gap = [[], []]
  }
  let [i, j] = [0, 0]
  while (i < before.length && j < after.length) {
    const [row, below] = [at(best, i), at(best, i + 1)]
    const like = at(at(alike, i), j)
    if (like > 0 && row[j] === at(below, j + 1) + like) {
      closeGap()
      found.push([before[i++], after[j++]])
    } else if (row[j] === below[j]) gap[0].push(before[i++])
    else gap[1].push(after[j++])
  }
  gap[0].push(...before.slice(i))
  gap[1].push(...after.slice(j))
  closeGap()
  return found
}

const sideBySide = (before: ReadonlyArray<unknown>, after: ReadonlyArray<unknown>): ReadonlyArray<RowPair> =>
  Array.from({ length: Math.max(before.length, after.length) }, (_, index) => [before[index], after[index]])

/** Every value of a row with its path. Blanks are ignored, because they do not identify a row. */
const leavesOf = (row: unknown): ReadonlySet<string> => {
  const found = new Set<string>()
  const look = (value: unknown, path: string): void => {
    if (Array.isArray(value)) value.forEach((item) => look(item, `${path}[]`))
    else if (isJsonObject(value)) {
      for (const [key, inner] of Object.entries(value)) look(inner, `${path}.${key}`)
    } else if (value !== null && value !== "") found.add(`${path}=${JSON.stringify(value)}`)
  }
  look(row, "")
  return found
}

/** The share of values that two rows have in common. Below a third, the rows count as different. */
const likeness = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  const all = one.union(other).size
  const share = all === 0 ? 1 : one.intersection(other).size / all
  return share < 1 / 3 ? 0 : share
}
