import type { TableRow } from "../mapping/tables/csvTable.ts"
import type { CountedCode } from "../pipeline/convertRecords.ts"
import { guarded } from "../source/tables/formulaGuard.ts"
import { writeCsv } from "../source/tables/writeCsv.ts"
import type { ListRow } from "./listIndex.ts"
import type { TextIndex } from "./TextIndex.ts"

const suggestions = 3

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
 * others when the code is not without a row any more.
 */
export const worklistCsv = (
  codes: ReadonlyArray<CountedCode>,
  index: TextIndex<ListRow> | undefined,
  known: ReadonlyArray<TableRow> = []
): string => {
  const filled = new Map(
    known.filter(({ value }) => value.text !== "").map((row) => [keyOf(row.system, row.code.text), row])
  )
  const open = codes.toSorted(mostBlocking).map((code) => {
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
      ...suggested(code, index),
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

const mostBlocking = (one: CountedCode, other: CountedCode): number =>
  other.blocked - one.blocked || other.visits - one.visits || other.count - one.count ||
  (one.code < other.code ? -1 : one.code > other.code ? 1 : 0)

/** The nearest values of the list, by the display of the code or by the code itself; each with its score. */
const suggested = ({ code, display }: CountedCode, index: TextIndex<ListRow> | undefined): ReadonlyArray<string> => {
  const best = new Map<string, number>()
  for (const text of display === null ? [code] : [display, code]) {
    for (const { item, score } of index?.search(text, suggestions) ?? []) {
      if (score > (best.get(item.value) ?? 0)) best.set(item.value, score)
    }
  }
  const nearest = [...best].toSorted(([, a], [, b]) => b - a).slice(0, suggestions)
  return Array.from({ length: suggestions }, (_, at) => nearest[at]).flatMap((found) =>
    found === undefined ? ["", ""] : [found[0], found[1].toFixed(2)]
  )
}
