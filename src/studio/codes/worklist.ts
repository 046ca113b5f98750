import type { ListRow } from "../../facility/lists/listIndex.ts"
import { TextIndex } from "../../facility/lists/TextIndex.ts"
import type { TableRow } from "../../mapping/tables/csvTable.ts"
import type { CountedCode } from "../../run/convertRecords.ts"
import { guarded } from "../../source/tables/formulaGuard.ts"
import { writeCsv } from "../../source/tables/writeCsv.ts"
import type { ReferenceListType } from "../../visit/Field.ts"
import { suggestions, suggestionsFor } from "./suggestions.ts"

const header = [
  "visits_blocked",
  "visits",
  "count",
  "system",
  "code",
  "display",
  ...Array.from({ length: suggestions }, (_, index) => [`suggestion_${index + 1}`, `score_${index + 1}`]).flat(),
  "value"
]

/**
 * The worklist of one concept map as CSV: a line for each code without a row, the one that blocks most visits first, with what the
 * standard data has that is near, and an empty `value`. It is itself a code table: filled in, it is named under `tables:`.
 *
 * `known` is what an earlier worklist of this name holds. What was filled in there stays: beside its code, or behind the
 * others when the code is not without a row any more; and codes with the same words are suggested the same value.
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
  const open = codes.toSorted(byBlockedVisits).map((code) => {
    const key = keyOf(code.system ?? "", code.code)
    const value = filled.get(key)?.value.text ?? ""
    filled.delete(key)
    return [
      String(code.blocked),
      String(code.visits),
      String(code.count),
      code.system ?? "",
      code.code,
      code.display ?? "",
      ...suggested(code, learnt, list),
      value
    ]
  })
  const blanks = Array.from({ length: 2 * suggestions }, () => "")
  const kept = [...filled.values()].map(({ code, display, system, value }) => [
    "0",
    "0",
    "0",
    system,
    code.text,
    display,
    ...blanks,
    value.text
  ])
  return writeCsv([
    header,
    ...[...open, ...kept].map((row) => row.map((cell, at) => (isText(at) ? guarded(cell) : cell)))
  ])
}

/** Counts and scores are numbers; everything else is to come back as it is written. */
const isText = (column: number): boolean => !/^(?:visits_blocked|visits|count|score_\d)$/u.test(header[column] ?? "")

const keyOf = (system: string, code: string): string => JSON.stringify([system, code])

const byBlockedVisits = (one: CountedCode, other: CountedCode): number =>
  other.blocked - one.blocked || other.visits - one.visits || other.count - one.count ||
  (one.code < other.code ? -1 : one.code > other.code ? 1 : 0)

/** The nearest values of the list, each with its score. */
const suggested = (
  code: CountedCode,
  index: TextIndex<ListRow> | undefined,
  list: ReferenceListType | undefined
): ReadonlyArray<string> => {
  const nearest = suggestionsFor(code, index, list)
  return Array.from({ length: suggestions }, (_, at) => nearest[at]).flatMap((found) =>
    found === undefined ? ["", ""] : [found.value, found.score.toFixed(2)]
  )
}

/** What was filled in before is found by the words it was filled in for. */
const learn = (index: TextIndex<ListRow>, known: ReadonlyArray<TableRow>): void => {
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
