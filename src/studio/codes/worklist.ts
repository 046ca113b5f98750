import { compareTexts } from "../../compareTexts.ts"
import type { ListRow } from "../../facility/lists/listIndex.ts"
import { TextIndex } from "../../facility/lists/TextIndex.ts"
import type { TableRow } from "../../mapping/tables/csvTable.ts"
import type { CountedCode } from "../../run/Conversion.ts"
import { guarded } from "../../source/tables/cells/formulaGuard.ts"
import { writeCsv } from "../../source/tables/rows/writeCsv.ts"
import type { ReferenceListType } from "../../visit/Field.ts"
import { maxSuggestions, suggestionsFor } from "./suggestions.ts"

/** A column that is written if a row has it. */
const acceptedBy = "accepted_by"

const header = [
  "visits_blocked",
  "visits",
  "count",
  "system",
  "code",
  "display",
  ...Array.from({ length: maxSuggestions }, (_, index) => [`suggestion_${index + 1}`, `score_${index + 1}`]).flat(),
  "value"
]

/**
 * Returns the worklist of one concept map as CSV. It has a row for each unmapped code, the one that blocks most visits first, with the
 * nearest reference data and an empty `value`. The completed file is itself a code table, to be listed under `tables:`.
 *
 * `known` is the content of an earlier worklist with this name. Its values are kept: in the row of their code, or after the
 * others if the code is now mapped. Codes with the same words get the same suggestion.
 */
export const worklistCsv = (
  codes: ReadonlyArray<CountedCode>,
  index: TextIndex<ListRow> | undefined,
  known: ReadonlyArray<TableRow> = [],
  list?: ReferenceListType
): string => {
  const done = known.filter(({ value }) => value.text !== "")
  const filled = new Map(done.map((row) => [keyOf(row.system, row.code.text), row]))
  const learnt = index ?? (done.length === 0 ? undefined : new TextIndex<ListRow>())
  if (learnt !== undefined) learn(learnt, done)
  const isSigned = done.some((row) => row.acceptedBy !== "")
  const signed = (row: TableRow | undefined) => (isSigned ? [row?.acceptedBy ?? ""] : [])
  const open = codes.toSorted(byBlockedVisits).map((code) => {
    const key = keyOf(code.system ?? "", code.code)
    const row = filled.get(key)
    filled.delete(key)
    return [
      String(code.blocked),
      String(code.visits),
      String(code.count),
      code.system ?? "",
      code.code,
      code.display ?? "",
      ...suggested(code, learnt, list),
      row?.value.text ?? "",
      ...signed(row)
    ]
  })
  const blanks = Array.from({ length: 2 * maxSuggestions }, () => "")
  const kept = [...filled.values()].map((row) => [
    "0",
    "0",
    "0",
    row.system,
    row.code.text,
    row.display,
    ...blanks,
    row.value.text,
    ...signed(row)
  ])
  return writeCsv([
    [...header, ...isSigned ? [acceptedBy] : []],
    ...[...open, ...kept].map((row) => row.map((cell, at) => (isText(at) ? guarded(cell) : cell)))
  ])
}

/** Counts and scores are numbers; all other cells must be read back exactly as written. */
const isText = (column: number): boolean => !/^(?:visits_blocked|visits|count|score_\d)$/u.test(header[column] ?? "")

const keyOf = (system: string, code: string): string => JSON.stringify([system, code])

const byBlockedVisits = (one: CountedCode, other: CountedCode): number =>
  other.blocked - one.blocked || other.visits - one.visits || other.count - one.count ||
  compareTexts(one.code, other.code)

/** Returns the nearest values of the list, each with its score. */
const suggested = (
  code: CountedCode,
  index: TextIndex<ListRow> | undefined,
  list: ReferenceListType | undefined
): ReadonlyArray<string> => {
  const nearest = suggestionsFor(code, index, list)
  return Array.from({ length: maxSuggestions }, (_, at) => nearest[at]).flatMap((found) =>
    found === undefined ? ["", ""] : [found.value, found.score.toFixed(2)]
  )
}

/** Adds the values that were filled in earlier to the index, by the words of their codes. */
export const learn = (index: TextIndex<ListRow>, known: ReadonlyArray<TableRow>): void => {
  for (const [at, { code, display, value }] of known.entries()) {
    const row = index.find((one) => one.value === value.text) ??
      { code: value.text, names: [], description: "", value: value.text }
    index.add(
      row,
      (display === "" ? [code.text] : [display]).filter((text) => /\p{L}{2}/u.test(text)).map((text) => ({ text })),
      at
    )
  }
}
