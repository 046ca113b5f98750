import { number } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { getOrMake, increment } from "../../maps.ts"
import type { BoundColumn } from "./bindTable.ts"
import { isExchanged, type SuggestedSetting, suggestFormat, suggestSetting } from "./cells/suggestSetting.ts"
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

/** Cells of a column such as `1,500` with a decimal comma: with a decimal point, the comma would separate thousands. */
interface AmbiguousCells {
  count: number
  first?: Diagnostic
  /** Another cell shows that the decimal sign is the declared one. */
  isSure: boolean
}

/** The cells of a file that do not fit their columns, kept until the end of the file shows how the columns are written. */
export class ColumnMisfits {
  readonly #misfits = new Map<BoundColumn, ColumnFaults>()
  /** Number of cells with a value, for each column that is not a text. */
  readonly #filled = new Map<BoundColumn, number>()
  /** For each column of numbers with groups of three digits, its cells that another decimal sign would read as thousands. */
  readonly #ambiguous = new Map<BoundColumn, AmbiguousCells>()

  /** Counts a cell with a value, in a column that is not a text. */
  filled(bound: BoundColumn): void {
    increment(this.#filled, bound)
  }

  /** Adds a number of a column that separates thousands. */
  number(bound: BoundColumn, text: string, diagnosticOf: () => Diagnostic): void {
    const known = getOrMake(this.#ambiguous, bound, (): AmbiguousCells => ({ count: 0, isSure: false }))
    if (known.isSure) return
    const meaning = meaningOfSign(text.trim(), bound.column)
    if (meaning === "sure") known.isSure = true
    else if (meaning === "ambiguous") {
      known.count++
      known.first ??= diagnosticOf()
    }
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
    const misread = new Set(reported.flatMap(({ diagnostic, misread }) => misread ? [diagnostic.mapping] : []))
    const signs = [...this.#ambiguous].flatMap(([bound, cells]) =>
      misread.has(bound.column.span) ? [] : this.#reportSigns(bound, cells)
    )
    this.#misfits.clear()
    this.#ambiguous.clear()
    return [...reported, ...signs]
  }

  /**
   * Reports a column in which three digits follow every decimal sign. Money rarely has three decimals. So the decimal sign may differ from
   * that of earlier files, and each number may be wrong by a factor of a thousand.
   */
  #reportSigns(bound: BoundColumn, { count, first, isSure }: AmbiguousCells): ReadonlyArray<Misfit> {
    if (isSure || first === undefined) return []
    const { decimal, name } = bound.column
    const other = decimal === "," ? "." : ","
    const diagnostic: Diagnostic = {
      ...first,
      code: "wrong-format",
      title: `the decimal sign of \`${name}\` may have changed: three digits follow each \`${decimal}\``,
      facts: [
        ...(first.facts ?? []),
        ["cells", `${number(count)} of ${number(this.#filled.get(bound) ?? count)} can be thousands`]
      ],
      help: [
        `if they are thousands, set its format:  decimal: ${JSON.stringify(other)}, group: ${JSON.stringify(decimal)}`,
        "if they are decimals, read it as  type: text  and convert it in its line",
        "no visit is sent until this is corrected: the numbers may be wrong by a factor of a thousand"
      ],
      times: count
    }
    return [{ diagnostic, misread: true }]
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
    const { enough, help, setting, share } = isDate(column)
      ? misfitOfDates(column, cells)
      : misfitOf(column, cells)
    const isColumn = isDate(column) ? setting !== undefined : true
    const first = faults[0]?.[1].reported[0]
    if (first !== undefined && isColumn && count > 1 && count * share * enough >= filled) {
      const diagnostic: Diagnostic = {
        ...first,
        code: "wrong-format",
        title: `\`${column.name}\` does not match its format`,
        facts: [...(first.facts ?? []), ["cells", `${number(count)} of ${number(filled)} cannot be read`]],
        help: [
          setting === undefined
            ? help
            : enough > 2 && isDate(column) && count * 2 < filled
            ? `write all dates in one order in the export: these are written as  ${setting}`
            : `set its format:  ${setting}`,
          enough > 2 && isDate(column) && count < filled
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
  /** How many cells there are for each one that proves the setting wrong: two, unless the other cells are read as a wrong value. */
  readonly enough: number
  /** Advice if no common setting reads the cells. */
  readonly help: string
}

const misfitOfDates = (column: ColumnLayout, cells: ReadonlyArray<string>): ColumnMisfit => {
  const texts = column.formats.map(({ text }) => text)
  // Other cells, such as words, do not show that the dates among them are right.
  const exchanged = cells.filter((cell) => texts.some((text) => isExchanged(cell, text)))
  const isOfOrder = exchanged.length > 1
  const formats = suggestFormat(isOfOrder ? exchanged : cells)
  return {
    setting: formats.length === 0
      ? undefined
      : formats.map((format) => `format: ${JSON.stringify(format)}`).join("  or  "),
    share: isOfOrder ? exchanged.length / cells.length : 1,
    enough: isOfOrder ? 100 : 2,
    help: "set its format:  format: \"DD/MM/YYYY HH:mm\"   (several in a list)"
  }
}

const misfitOf = (column: ColumnLayout, cells: ReadonlyArray<string>): ColumnMisfit => {
  const { setting, share } = suggestSetting(column, cells)
  const isBoolean = column.type === "boolean"
  return {
    setting,
    share,
    enough: isBoolean && setting !== undefined ? 10 : 2,
    help: isBoolean
      ? "set its words:  true: [WORD], false: [WORD]; or read it unchanged:  type: text"
      : "set the number format:  decimal: \",\", group: \".\"; or read it unchanged:  type: text"
  }
}

const isDate = ({ type }: ColumnLayout): boolean => type === "date" || type === "timestamp"

/** Returns what the signs of a number show about the decimal sign of its column; `undefined` if nothing. */
const meaningOfSign = (text: string, { decimal, group = "" }: ColumnLayout): "sure" | "ambiguous" | undefined => {
  const at = text.indexOf(decimal)
  if (at === -1) return text.split(group).length > 2 ? "sure" : undefined
  return /^[+-]?[1-9]\d{0,2}$/u.test(text.slice(0, at)) && /^\d{3}$/u.test(text.slice(at + 1)) ? "ambiguous" : "sure"
}
