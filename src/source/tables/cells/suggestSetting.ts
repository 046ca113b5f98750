import type { ColumnLayout } from "../TableLayout.ts"
import { CellError } from "./CellError.ts"
import { parseDateFormat } from "./dateFormat.ts"
import { cellReader } from "./readCell.ts"

/** Decimal signs of exports, with their signs for groups of three digits. */
const signs: ReadonlyArray<NumberSigns> = [
  [",", undefined],
  [".", undefined],
  [",", "."],
  [".", ","],
  [",", " "],
  [".", " "],
  [".", "'"]
]
type NumberSigns = readonly [decimal: "." | ",", group: string | undefined]

/** Words for yes and no in the languages of hospitals and their software, in lower case. */
const yes = new Set(
  "y yes true t 1 o oui vrai v s si sí sim verdadero verdadeiro j ja wahr ya iya benar д да có co đúng x ✓ ใช่ មាន បាទ"
    .split(" ")
)
const no = new Set(
  "n no false f 0 non faux não nao falso nein falsch tidak bukan salah н нет không khong sai ไม่ ไม่ใช่ គ្មាន ទេ".split(" ")
)

/** What the unreadable cells of a column show about its format. */
export interface SuggestedSetting {
  /** The fraction of the cells in another format; the others are words where a number is expected. */
  readonly share: number
  /** The setting for the column in mapping syntax; `undefined` if no common setting reads the cells. */
  readonly setting: string | undefined
}

/** Returns what the cells of a column of numbers or booleans show about its format. */
export const suggestSetting = (column: ColumnLayout, cells: ReadonlyArray<string>): SuggestedSetting =>
  column.type === "boolean" ? ofWords(column, cells) : ofNumbers(column, cells)

const ofNumbers = (column: ColumnLayout, cells: ReadonlyArray<string>): SuggestedSetting => {
  const numbers = cells.filter((cell) => /\d/u.test(cell))
  const reads = (layout: ColumnLayout): boolean => {
    const read = cellReader(layout)
    return numbers.length > 0 && numbers.filter((cell) => !(read(cell) instanceof CellError)).length * 10 >=
        numbers.length * 9
  }
  const fitting = signs.filter(([decimal, group]) => reads({ ...column, type: "decimal", decimal, group }))
  // Three digits after every sign are thousands or thousandths.
  const isEither = numbers.every((cell) => /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/u.test(cell.trim()))
  const group = fitting.find(([, group]) => group !== undefined && numbers.some((cell) => cell.includes(group)))
  const written = fitting.slice(0, 1).concat(isEither && group !== undefined ? [group] : [])
    .map((one) => settingOf(column, one))
  return {
    share: cells.length === 0 ? 0 : numbers.length / cells.length,
    setting: written.length === 0 ? undefined : written.join("  or  ")
  }
}

const settingOf = ({ decimal: now, group: between, type }: ColumnLayout, [decimal, group]: NumberSigns): string =>
  [
    ...(type === "integer" ? ["type: decimal"] : []),
    ...(decimal === now ? [] : [`decimal: ${JSON.stringify(decimal)}`]),
    ...(group !== undefined ? [`group: ${JSON.stringify(group)}`] : between === decimal ? ["group: null"] : [])
  ].join(", ")

/** Names only common words, because a cell of such a column can hold patient data. */
const ofWords = (column: ColumnLayout, cells: ReadonlyArray<string>): SuggestedSetting => {
  const words = [...new Set(cells.map((cell) => cell.trim().toLowerCase()))]
  const known = words.filter((word) => yes.has(word) || no.has(word))
  const list = (all: ReadonlySet<string>, now: ReadonlySet<string>): string => {
    const own = known.filter((word) => all.has(word))
    // Words that the mapping declares are kept; default words are not repeated.
    const before = [...now].filter((word) => !defaultSetting.has(word))
    return [...before, ...own].map((word) => JSON.stringify(word)).join(", ")
  }
  return {
    share: 1,
    setting: known.length === 0 || known.length < words.length
      ? undefined
      : ([["true", list(yes, column.yes)], ["false", list(no, column.no)]] as const)
        .filter(([, words]) => words !== "").map(([word, words]) => `${word}: [${words}]`).join(", ")
  }
}

const defaultSetting: ReadonlySet<string> = new Set("true yes y t 1 false no n f 0".split(" "))

/** Date formats of exports, the most common first; days before months if both are possible. */
const dayFormats = [
  ...["/", "-", "."].flatMap((sign) => [`DD${sign}MM${sign}YYYY`, `MM${sign}DD${sign}YYYY`]),
  "YYYY-MM-DD",
  "YYYY/MM/DD",
  "YYYYMMDD",
  ...["/", "-", "."].flatMap((sign) => [`D${sign}M${sign}YYYY`, `M${sign}D${sign}YYYY`]),
  ...["/", "-", " "].map((sign) => `D${sign}MMM${sign}YYYY`),
  "MMM D, YYYY",
  ...["/", "-", "."].flatMap((sign) => [`D${sign}M${sign}YY`, `M${sign}D${sign}YY`]),
  ...["/", "-", " "].map((sign) => `D${sign}MMM${sign}YY`)
]

const timeFormats = ["", " HH:mm", " HH:mm:ss", " H:mm", " H:mm:ss", " h:mm A", " h:mm:ss A", " HH.mm", " H.mm"]

/**
 * Returns the format that all of these cells have. It returns two formats if days and months cannot be distinguished, and none if no
 * common format fits. The cells do not show their calendar.
 */
export const suggestFormat = (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  const fits = (text: string): boolean => {
    const format = parseDateFormat(text, undefined)
    return "read" in format && cells.every((cell) => "iso" in format.read(cell.trim()))
  }
  if (cells.length === 0) return []
  if (cells.every((cell) => /^\d{5}(?:[.,]\d+)?$/u.test(cell.trim()))) return ["excel"]
  const unix = [["unix", 10], ["unix ms", 13]] as const
  for (const [format, digits] of unix) {
    if (cells.every((cell) => cell.trim().length === digits) && fits(format)) return [format]
  }
  for (const time of timeFormats) {
    for (const day of dayFormats) {
      const format = `${day}${time}`
      if (!fits(format)) continue
      const other = `${exchangedFormat(day)}${time}`
      return other !== format && fits(other) ? [format, other] : [format]
    }
  }
  return []
}

/** Whether the day and the month are exchanged in a cell that a format cannot read. The format reads other such cells as a wrong day. */
export const isExchanged = (cell: string, format: string): boolean => {
  const reads = (text: string): boolean => {
    const parsed = parseDateFormat(text, undefined)
    return "read" in parsed && "iso" in parsed.read(cell.trim())
  }
  // A year of another calendar does not show the order.
  return !reads(format) && reads(exchangedFormat(format))
}

/** The same format with day and month swapped. */
export const exchangedFormat = (day: string): string =>
  day.includes("MMM") || day.startsWith("Y") ? day : day.replace(/^([DM]+)(.)([DM]+)/u, "$3$2$1")
