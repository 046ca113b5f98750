import { number } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { getOrMake, increment } from "../../maps.ts"
import type { BoundColumn } from "./bindTable.ts"
import { areExchanged, type SuggestedSetting, suggestFormat, suggestSetting } from "./suggestSetting.ts"
import type { ColumnLayout } from "./TableLayout.ts"

/** Cells with one error that are reported individually; further ones are summarised in one message. */
export const maxReportedCells = 100

/** Unreadable cells of a column, by reason. They are reported at the end of the file, which shows how the column is written. */
interface ColumnFaults {
  readonly column: ColumnLayout
  readonly reasons: Map<string, { count: number; readonly reported: Array<Diagnostic> }>
}

/** A problem of a column. `misread`: other rows of the file may mean something else than was read. */
interface Misfit {
  readonly diagnostic: Diagnostic
  readonly misread: boolean
}

/** The cells of a file that do not fit their columns, kept until the end of the file shows how the columns are written. */
export class ColumnMisfits {
  readonly #misfits = new Map<BoundColumn, ColumnFaults>()
  /** Number of cells with a value, for each column that is not a text. */
  readonly #filled = new Map<BoundColumn, number>()

  /** Counts a cell with a value, in a column that is not a text. */
  filled(bound: BoundColumn): void {
    increment(this.#filled, bound)
  }

  /** Adds a cell that cannot be read. */
  add(bound: BoundColumn, reason: string, diagnostic: Diagnostic): void {
    const { reasons } = getOrMake(this.#misfits, bound, () => ({ column: bound.column, reasons: new Map() }))
    const known = getOrMake(reasons, reason, () => ({ count: 0, reported: [] }))
    known.count++
    if (known.reported.length < maxReportedCells) known.reported.push(diagnostic)
  }

  /** Returns what to report at the end of the file. */
  take(): ReadonlyArray<Misfit> {
    const reported = [...this.#misfits].flatMap(([bound, faults]) => this.#report(faults, this.#filled.get(bound) ?? 0))
    this.#misfits.clear()
    return reported
  }

  /**
   * If most cells of a column are written differently than the mapping declares, the mapping is wrong. No visit is then sent with what
   * is left of the column. Swapped days and months, or unknown words for yes, need only a few cells, because the other cells are read.
   * One cell proves nothing about its column.
   */
  #report({ column, reasons }: ColumnFaults, filled: number): ReadonlyArray<Misfit> {
    const faults = [...reasons]
    const count = faults.reduce((sum, [, fault]) => sum + fault.count, 0)
    const cells = faults.flatMap(([, { reported }]) => reported.map(({ value = "" }) => value))
    const { help, isTenthEnough, setting, share } = isDate(column)
      ? misfitOfDates(column, cells)
      : misfitOf(column, cells)
    const isColumn = isDate(column) ? setting !== undefined : true
    const first = faults[0]?.[1].reported[0]
    if (first !== undefined && isColumn && count > 1 && count * share * (isTenthEnough ? 10 : 2) >= filled) {
      const diagnostic: Diagnostic = {
        ...first,
        code: "wrong-format",
        title: `\`${column.name}\` does not match its format`,
        facts: [...(first.facts ?? []), ["cells", `${number(count)} of ${number(filled)} cannot be read`]],
        help: [
          setting === undefined ? help : `set its format:  ${setting}`,
          isTenthEnough && isDate(column) && count < filled
            ? "the others may have been read as a wrong day: no visit is sent until this is corrected"
            : "no visit is sent until this is corrected: visits that are sent without these cells cannot be completed later"
        ],
        times: count
      }
      return [{ diagnostic, misread: true }]
    }
    return faults.flatMap(([reason, { count, reported }]) => {
      const advice = setting !== undefined
        ? [`such cells are written as  ${setting}${isDate(column) ? "   (several in a list)" : ""}`]
        : isDate(column) && reason.startsWith("it is not")
        ? [help]
        : reported[0]?.help ?? []
      const rest = reported.slice(-1).flatMap((last) =>
        count > maxReportedCells ? [{ ...last, times: count - maxReportedCells }] : []
      )
      return [...reported, ...rest].map((diagnostic) => ({
        diagnostic: { ...diagnostic, help: advice },
        misread: false
      }))
    })
  }
}

/** What the unreadable cells of a column show about its format. */
interface ColumnMisfit extends SuggestedSetting {
  /** A tenth of the cells proves that the setting is wrong, instead of half. */
  readonly isTenthEnough: boolean
  /** Advice if no common setting reads the cells. */
  readonly help: string
}

const misfitOfDates = (column: ColumnLayout, cells: ReadonlyArray<string>): ColumnMisfit => {
  const formats = suggestFormat(cells)
  return {
    setting: formats.length === 0
      ? undefined
      : formats.map((format) => `format: ${JSON.stringify(format)}`).join("  or  "),
    share: 1,
    isTenthEnough: column.formats.some(({ text }) => formats.some((format) => areExchanged(text, format))),
    help: "set its format:  format: \"DD/MM/YYYY HH:mm\"   (several in a list)"
  }
}

const misfitOf = (column: ColumnLayout, cells: ReadonlyArray<string>): ColumnMisfit => {
  const { setting, share } = suggestSetting(column, cells)
  const isBoolean = column.type === "boolean"
  return {
    setting,
    share,
    isTenthEnough: isBoolean && setting !== undefined,
    help: isBoolean
      ? "set its words:  true: [WORD], false: [WORD]; or read it unchanged:  type: text"
      : "set the number format:  decimal: \",\", group: \".\"; or read it unchanged:  type: text"
  }
}

const isDate = ({ type }: ColumnLayout): boolean => type === "date" || type === "timestamp"
