import { foldedName } from "../../../../source/tables/rows/findDialect.ts"
import type { ForeignKey } from "../facts/TableProfile.ts"
import { isVisitColumnName, namesPatient, ownWordsOf } from "./columnWords.ts"

/**
 * Whether the name of a column has all words of another and more, or all its letters in their order. Examples: `mother_hn` and `hn`,
 * `PATIENTINSURANCEID` and `PATIENTID`. Such a column is about something else, in whatever order the columns are.
 */
const addsToName = (name: string, other: string): boolean => {
  const words = new Set(ownWordsOf(name).split(" "))
  const fewer = new Set(ownWordsOf(other).split(" "))
  const added = [...words.difference(fewer)].join(" ")
  // `visit_type` and `patient_name` are as much about the visit and the patient as `type` and `name` are.
  if (isVisitColumnName(added) || namesPatient(added)) return false
  if (words.size > fewer.size && fewer.isSubsetOf(words)) return true
  const [long, short] = [foldedName(name), foldedName(other)]
  let at = -1
  return long.length > short.length && short.length >= 6 &&
    [...short].every((letter) => (at = long.indexOf(letter, at + 1)) >= 0)
}

/** Returns the first of some columns whose name adds nothing to that of any other. */
export const plainest = <A>(columns: ReadonlyArray<A>, nameOf: (column: A) => string): A | undefined =>
  columns.find((one) => !columns.some((other) => addsToName(nameOf(one), nameOf(other)))) ?? columns[0]

/** Orders the links to one table. Columns named after it come first. A column whose name adds something to that of another comes last. */
export const plainestFirst = (links: ReadonlyArray<ForeignKey>): ReadonlyArray<ForeignKey> => {
  const ofTable = Map.groupBy(links, (link) => link.table)
  for (const [name, several] of ofTable) {
    const addsWord = ({ column }: ForeignKey): number =>
      Number(several.some((other) => addsToName(column, other.column)))
    ofTable.set(
      name,
      several.toSorted((one, other) => addsWord(one) - addsWord(other) || Number(other.byName) - Number(one.byName))
    )
  }
  return links.flatMap((link) => ofTable.get(link.table)?.shift() ?? [])
}
