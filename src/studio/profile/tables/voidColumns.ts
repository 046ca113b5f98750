import { number } from "../../../diagnostic/count.ts"
import { countItems } from "../Findings.ts"
import type { ColumnProfile } from "./facts/TableProfile.ts"
import type { Declared, Role } from "./TableRole.ts"
import {
  columnWordsOf,
  isNoWord,
  isYesWord,
  namesActive,
  namesVoid,
  noWords,
  ownWordsOf,
  yesWords
} from "./words/columnWords.ts"
import { isYesOrNo, stateColumns } from "./words/statusWords.ts"
import { asText, inCondition, pathOf } from "./writePath.ts"

/** A column that marks the rows that are cancelled or deleted. */
interface VoidColumn {
  readonly column: string
  /** The name of its condition. */
  readonly key: string
  /** The condition that a row is not cancelled. */
  readonly condition: string
  /** What only people can say about it. */
  readonly question?: string
  /** The value that a row needs, if an empty cell is not enough. */
  readonly kept?: string
}

/**
 * Finds the columns that, by their names, mark rows as cancelled, deleted, or still active. A time of a cancellation means that the
 * row is cancelled. Other values than yes and no are asked about, and their rows are not sent. `row`: the path to the row.
 */
export const voidColumns = (role: Role, row = ""): ReadonlyArray<VoidColumn> => {
  const states = new Set(
    stateColumns(role.table, role.name === "visit" ? "visit" : "entry").map(({ column }) => column)
  )
  const columns = role.columns.filter(({ column }) =>
    !states.has(column) && (namesVoid(column.name) || column.filled > 0 && namesActive(column.name))
  )
  const isSure = columns.some((one) => isUnderstood(one, role))
  return columns.map((one, at) => {
    const { column, name } = one
    const isAsked = column.kind !== "empty" && !isUnderstood(one, role) &&
      !(isSure && column.kind === "text" && column.share < 1)
    return {
      column: name,
      key: at === 0 ? "voided" : `voided_${name}`,
      ...conditionOf(one, `${row}${pathOf(name)}`),
      ...(isAsked
        ? {
          question: `which rows of \`${role.name}\` are cancelled or deleted, by \`${name}\`?  ${
            countsOf(column, role.table.rows)
          }. Only rows where it is ${
            needsYes(column) ? "yes" : namesActive(column.name) ? "yes or empty" : "no or empty"
          } are sent`
        }
        : {})
    }
  })
}

/** Whether each value is a time, or the name or the reason next to it. A column that is empty so far is one by its name. */
const hasTimes = ({ kind, name }: ColumnProfile): boolean =>
  kind === "date" || kind === "timestamp" ||
  kind === "empty" && /\b(?:at|on|by|dates?|time|reasons?|motifs?|motivos?)\b/u.test(columnWordsOf(name))

/** Whether the values show which rows are cancelled. If all were, or if no means cancelled, people must confirm it. */
const isUnderstood = ({ column }: Declared, { table }: Role): boolean =>
  !namesActive(column.name) && !isNegated(column) &&
  (hasTimes(column)
    ? column.filled < table.rows
    : isYesOrNo(column) && (column.filled < table.rows || column.codes.some(([code]) => isNoWord(code))))

const isNegated = ({ name }: ColumnProfile): boolean =>
  /^(?:is |has )?(?:not|no(?! ?show)|non|never|nao)\b/u.test(ownWordsOf(name))

/** Whether an empty cell of a column of active rows is a no, because no cell is. */
const needsYes = (column: ColumnProfile): boolean =>
  namesActive(column.name) && column.share < 1 && isYesOrNo(column) && !column.codes.some(([code]) => isNoWord(code))

const conditionOf = (one: Declared, path: string): Pick<VoidColumn, "condition" | "kept"> => {
  const { column, yaml } = one
  if (hasTimes(column) || isNegated(column)) return { condition: `${path}.empty()` }
  if (/\bdecimal\b(?!:)/u.test(yaml)) return { condition: `${path}.empty() or ${path} = 0` }
  const kept = namesActive(column.name) ? "yes" : "no"
  const words = `${asText(one, path)}.lower()`
  // A text is a reason or a name. Another word in a column of yes and no is undecided: it rejects its visit.
  const isWord = column.kind === "text" && !column.codes.some(([code]) => isYesWord(code) || isNoWord(code))
    ? inCondition(words, kept === "yes" ? yesWords : noWords)
    : `${words}.translated('yes_or_no') = '${kept}'`
  const [[first] = []] = column.codes
  return needsYes(column) && first !== undefined
    ? { condition: isWord, kept: first }
    : { condition: `${path}.empty() or ${isWord}` }
}

/** Lists how many rows have each value that may be shown, another, or none. */
export const countsOf = ({ codes, filled }: ColumnProfile, rows: number): string => {
  const others = filled - codes.reduce((sum, [, count]) => sum + count, 0)
  return [
    ...countItems(codes),
    ...(others > 0 ? [`${codes.length === 0 ? "(filled)" : "(others)"} ${number(others)}`] : []),
    ...(rows > filled ? [`(empty) ${number(rows - filled)}`] : [])
  ].join(", ")
}
