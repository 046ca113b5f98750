import { number } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { getOrMake } from "../../maps.ts"
import type { BoundColumn } from "./bindTable.ts"
import { plainDigits } from "./cells/plainDigits.ts"
import { exchangedFormat } from "./cells/suggestSetting.ts"

/** What comes first in the dates of a column. */
type Order = "day" | "month"

/** The dates of a column with the beginnings of visits, as long as none of them shows its order. */
interface Beginnings {
  readonly order: Order
  readonly first: Diagnostic
  /** In ISO 8601, as the column reads them; only those with a day that is not also the month. */
  readonly days: Set<string>
}

const dayMillis = 86_400_000

/**
 * Finds columns whose dates may have day and month exchanged: a later file can have another order than the mapping declares. A day above 12
 * proves the order of a file. Without one, the beginnings of visits are compared with how they are if they are exchanged. Other dates are
 * not judged, because appointments and bills can be months apart. `insideVisit` compares them with their visit.
 */
export class DayOrder {
  /** The latest day on which a visit can have begun; clocks and zones differ. */
  readonly #lastDay: string | undefined
  readonly #proven = new Set<Order>()
  readonly #orders = new Map<BoundColumn, Order | "several" | "none">()
  readonly #beginnings = new Map<BoundColumn, Beginnings>()

  constructor(now: number | undefined) {
    this.#lastDay = now === undefined ? undefined : new Date(now + dayMillis).toISOString().slice(0, 10)
  }

  /** Returns whether a date of a column can show something: the file has not proven its order, and its formats have one. */
  isOpen(bound: BoundColumn): boolean {
    const order = getOrMake(this.#orders, bound, ({ column }) => orderOf(column.formats.map(({ text }) => text)))
    return order === "several" ? this.#proven.size < 2 : order !== "none" && !this.#proven.has(order)
  }

  /** Adds a date of an open column as it is written, and as it is read. */
  add(bound: BoundColumn, written: string, iso: string, isBeginning: boolean, diagnosticOf: () => Diagnostic): void {
    if (iso.length < 10) return
    const [, first, second] = /^(\d{1,2})[/. -](\d{1,2})[/. -]\d/u.exec(plainDigits(written).trim()) ?? []
    if (first === undefined || Number(first) === Number(second)) return
    const order: Order = Number(first) === Number(iso.slice(8, 10)) ? "day" : "month"
    if (this.#proven.has(order)) return
    if (iso.slice(8, 10) > "12") {
      this.#proven.add(order)
    } else if (isBeginning) {
      getOrMake(this.#beginnings, bound, (): Beginnings => ({ order, first: diagnosticOf(), days: new Set() }))
        .days.add(iso.slice(0, 10))
    }
  }

  /** Returns what to report at the end of the file. */
  take(): ReadonlyArray<Diagnostic> {
    return [...this.#beginnings].flatMap(([{ column }, { days, first, order }]) => {
      const found = this.#proven.has(order) ? undefined : this.#evidence([...days])
      if (found === undefined) return []
      const formats = column.formats.map(({ text }) => JSON.stringify(exchangedFormat(text))).join(", ")
      return [{
        ...first,
        code: "wrong-format" as const,
        title: `day and month of \`${column.name}\` may be exchanged: ${found}`,
        facts: [...(first.facts ?? []), ["dates", `${number(days.size)}, and none has a day above 12`] as const],
        help: [
          `if they are exchanged, set its format:  format: ${column.formats.length === 1 ? formats : `[${formats}]`}`,
          "if they are right, read the column as  type: text  and convert it in its line",
          "no visit is sent until this is corrected: the days may be wrong"
        ]
      }]
    })
  }

  /** Returns what shows that dates are exchanged; `undefined` if nothing does. */
  #evidence(days: ReadonlyArray<string>): string | undefined {
    const others = days.map(exchangedDay)
    if (this.#isAhead(others)) return undefined
    const ahead = days.filter((day) => this.#isAhead([day])).length
    if (ahead * 2 >= days.length && ahead > 0) {
      return `${ahead === days.length ? "all" : "most"} lie in the future as they are read`
    }
    const monthOf = (day: string): string => day.slice(0, 7)
    return days.length > 2 && new Set(others.map(monthOf)).size === 1
      ? "they are one day in each of several months as they are read, and days of one month otherwise"
      : undefined
  }

  /** Whether some visit can only begin later. */
  #isAhead(days: ReadonlyArray<string>): boolean {
    const last = this.#lastDay
    return last !== undefined && days.some((day) => day > last)
  }
}

/** The order of the formats of a column. A format that begins with the year or names the month has none: its days cannot be exchanged. */
const orderOf = (formats: ReadonlyArray<string>): Order | "several" | "none" => {
  const [order = "none", ...others] = new Set(
    formats.flatMap((format): ReadonlyArray<Order> =>
      exchangedFormat(format) === format ? [] : [format.startsWith("D") ? "day" : "month"]
    )
  )
  return others.length > 0 ? "several" : order
}

const exchangedDay = (day: string): string => `${day.slice(0, 5)}${day.slice(8, 10)}-${day.slice(5, 7)}`
