import { foldedName } from "../../../source/tables/findDialect.ts"
import { ownWordsOf } from "./columnWords.ts"

/**
 * Whether the name of a column has all words of another and more, or all its letters in their order: `mother_hn` and `hn`,
 * `PATIENTINSURANCEID` and `PATIENTID`. It is about something else then, in whatever order the columns are.
 */
export const addsToName = (name: string, other: string): boolean => {
  const words = new Set(ownWordsOf(name).split(" "))
  const fewer = new Set(ownWordsOf(other).split(" "))
  if (words.size > fewer.size && fewer.isSubsetOf(words)) return true
  const [long, short] = [foldedName(name), foldedName(other)]
  let at = -1
  return long.length > short.length && short.length >= 6 &&
    [...short].every((letter) => (at = long.indexOf(letter, at + 1)) >= 0)
}

/** Returns the first of some columns whose name adds nothing to that of another one of them. */
export const plainest = <A>(columns: ReadonlyArray<A>, nameOf: (column: A) => string): A | undefined =>
  columns.find((one) => !columns.some((other) => addsToName(nameOf(one), nameOf(other)))) ?? columns[0]
