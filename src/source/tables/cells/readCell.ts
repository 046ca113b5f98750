import { exactNumber } from "../../../json/exactNumber.ts"
import { getOrMake } from "../../../maps.ts"
import { isCivil } from "../../../visit/values/CalendarDate.ts"
import type { ColumnLayout } from "../TableLayout.ts"
import { CellError } from "./CellError.ts"
import { type Calendar, escaped, isOfOtherCalendar, knownPart, otherCalendar, parseDateFormat } from "./dateFormat.ts"
import { unguarded } from "./formulaGuard.ts"
import { plainDigits, plainNumber } from "./plainDigits.ts"
import { damageIn, damageInCode, damageInDate, holdsCodes } from "./spreadsheetDamage.ts"

/** A value for a record: a text, a number, an exact decimal, true or false; `undefined` for an empty cell. */
export type CellReader = (text: string) => unknown

const notAnInteger = new CellError("it is not a whole number")
const notABoolean = new CellError("it is neither a word for yes nor one for no")
const notADate = new CellError("it is not a date as ISO 8601 writes it: YYYY-MM-DD")
const notATimestamp = new CellError("it is not a date and time as ISO 8601 writes it: YYYY-MM-DDTHH:mm:ss")
const isBuddhist = new CellError(otherCalendar.gregorian)
const noSuchDay = new CellError("the calendar has no such day")

/** What the cells of a column are for, besides their values: to sort rows, or to identify the row or the rows it belongs to. */
export type CellUse = "none" | "order" | "key"

/** Reads the cells of a column. */
export const cellReader = (column: ColumnLayout, use: CellUse = "none"): CellReader => {
  const isOfCodes = holdsCodes([column.name, ...column.from])
  const damage = use !== "none" || isOfCodes ? damageInCode : damageIn
  const read = typedReader(column, damage)
  const typed = use === "key" ? asWritten(column, read, lostZeros) : isOfCodes ? asWritten(column, read, zeros) : read
  const { guarded, nulls, trim } = column
  return (cell) => {
    if (cell === "") return undefined
    let text = trim && hasBlankEnd(cell) ? cell.trim() : cell
    if (text === "" || nulls.has(text)) return undefined
    if (guarded) text = unguarded(text)
    return typed(text)
  }
}

const isSpace = (code: number): boolean => code <= 32 || code === 160 || code === 0x3000 || code === 0xfeff

const hasBlankEnd = (text: string): boolean => isSpace(text.charCodeAt(0)) || isSpace(text.charCodeAt(text.length - 1))

const isAscii = /^[\x20-\x7e]*$/u

/**
 * `damage` finds how a spreadsheet changed a text of the column. Digits of other scripts are those of numbers and dates, too, and those of
 * texts whose column has the setting `plainDigits`.
 */
const typedReader = (column: ColumnLayout, damage: typeof damageIn): CellReader => {
  const read = plainReader(column, damage)
  if (column.type === "text" && column.plainDigits !== true) return read
  const plain = column.type === "text" ? plainNumber : plainDigits
  return (text) => read(isAscii.test(text) ? text : plain(text))
}

const lostZeros = new CellError(
  "a number does not keep them, and two keys would become one",
  ["keep the key as it is written. Under the column:  type: text"],
  "has leading zeros or a sign"
)
const zeros = new CellError(
  "it has leading zeros or a sign, which a number does not keep; under the column:  type: text"
)

/** Returns a reader that rejects numbers of a column of codes if they lose digits or a sign: `007` is not the code `7`. */
const asWritten = ({ type }: ColumnLayout, read: CellReader, fault: CellError): CellReader =>
  type !== "integer" && type !== "decimal" ? read : (text) => {
    const value = read(text)
    return value instanceof CellError || !/^(?:\+|[+-]?0\d|-0$)/u.test(plainDigits(text.trim())) ? value : fault
  }

const plainReader = (column: ColumnLayout, damage: typeof damageIn): CellReader => {
  switch (column.type) {
    case "text":
      return (text) => damage(text) ?? text
    case "integer":
      return damageOr(ofCurrency(column, integer), damageInCode)
    case "decimal":
      return damageOr(ofCurrency(column, decimalReader(column)), damageIn)
    case "boolean":
      return damageOr((text) => {
        const word = text.trim().toLowerCase()
        return column.yes.has(word) ? true : column.no.has(word) ? false : notABoolean
      }, damageIn)
    case "date":
      return damageOr(dateReader(column, isoDate(column.calendar)), damageInDate)
    case "timestamp":
      return damageOr(dateReader(column, isoTimestamp(column.calendar)), damageInDate)
  }
}

const integer: CellReader = (text) => {
  const digits = text.trim()
  return /^[+-]?\d{1,15}$/u.test(digits) ? Number(digits) : notAnInteger
}

const ofCurrency = ({ currency }: ColumnLayout, read: CellReader): CellReader =>
  currency === undefined ? read : withoutCurrency(currency, read)

/** A cell that does not fit its column and that a spreadsheet changed is damaged. */
const damageOr = (read: CellReader, damage: (text: string) => CellError | undefined): CellReader => (text) => {
  const value = read(text)
  return value instanceof CellError ? damage(text.trim()) ?? value : value
}

const plain = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/u

const decimalReader = ({ decimal, group }: ColumnLayout): CellReader => {
  const notANumber = new CellError(
    `it is not a number as the column writes it: decimal sign \`${decimal}\`${
      group === undefined ? "" : `, groups of three digits with \`${group}\``
    }`
  )
  const between = group === undefined ? "" : group === " " ? "[ \\u00A0\\u202F]" : oneOf(group)
  // In India, only the last group has three digits: `1,25,000`.
  const digits = group === undefined
    ? "\\d+"
    : `(?:\\d+|\\d{1,3}(?:${between}\\d{3})+|\\d{1,2}(?:${between}\\d{2})+${between}\\d{3})`
  // A dash in place of decimals, or after a stroke, means that there are none: `50.000,-`, `500/-`.
  const noDecimals = `(?<=\\d)(?:${oneOf(decimal)}[-\\u2013\\u2014]{1,2}|/[-=])`
  const form = new RegExp(
    `^([+-]?)(${digits})?(?:(?:${oneOf(decimal)}(\\d*))?(?:[eE]([+-]?\\d{1,3}))?|${noDecimals})$`,
    "u"
  )
  return (cell) => {
    const text = cell.trim()
    if (decimal === "." && plain.test(text)) return numberOf(text)
    const found = form.exec(text)
    if (found === null || (found[2] === undefined && (found[3] ?? "") === "")) return notANumber
    const whole = (found[2] ?? "0").replace(/\D/gu, "").replace(/^0+(?=\d)/u, "")
    const fraction = found[3] === undefined || found[3] === "" ? "" : `.${found[3]}`
    const plainText = `${found[1] === "-" ? "-" : ""}${whole}${fraction}`
    return numberOf(found[4] === undefined ? plainText : `${plainText}e${found[4]}`)
  }
}

/** A pattern that matches one sign. */
const oneOf = (sign: string): string => `[${/[\]\\^-]/u.test(sign) ? `\\${sign}` : sign}]`

/** Returns a number if a double keeps its digits, otherwise an exact decimal. */
const numberOf = (text: string): unknown => {
  const number = Number(text)
  return String(number) === text ? number : exactNumber(text)
}

const dateReader = ({ formats: written }: ColumnLayout, iso: CellReader): CellReader => {
  if (written.length === 0) return iso
  const formats = written.map(({ calendar, text }) => parseDateFormat(text, calendar)).filter((one) => "read" in one)
  const faults = new Map<string, CellError>()
  return (cell) => {
    const text = cell.trim()
    let reason = ""
    for (const format of formats) {
      const found = format.read(text)
      if ("iso" in found) return found.iso
      // A date that does not exist is a clearer reason than a mismatch with another format.
      if (reason === "" || reason.startsWith("it is not")) reason = found.reason
    }
    if (formats.length > 1 && reason.startsWith("it is not")) {
      reason = `it is not written as ${formats.map((format) => format.text).join(" or ")}`
    }
    return getOrMake(faults, reason, () => new CellError(reason))
  }
}

/** The day as written counts, whatever the time of day after it. Any other text after it could change its meaning. */
const isoDay =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ]\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[AaPp]\.?[Mm]\.?)?(?:\s?[Zz]|\s?[+-]\d\d(?::?\d\d)?)?)?)?)?$/u

/** The known part of a date whose day, or month and day, are zeros; without a time of day. */
const unknownDay = /^(\d{4})-(\d\d)-00(?:[T ]00:00(?::00(?:\.0+)?)?)?$/u

/** Returns the known part of a date whose day is unknown, or the text itself. */
const withoutZeros = (text: string): string => {
  const [, year, month] = unknownDay.exec(text) ?? []
  return year === undefined || Number(year) === 0 ? text : knownPart(Number(year), Number(month))
}

const isoDate = (calendar: Calendar | undefined): CellReader => (cell) => {
  const text = withoutZeros(cell)
  const found = isoDay.exec(text)
  if (found === null) return notADate
  const year = Number(found[1])
  if (!isCivil(year, Number(found[2] ?? 1), Number(found[3] ?? 1))) return noSuchDay
  if (isOfOtherCalendar(year, calendar)) return isBuddhist
  return text.slice(0, 10)
}

const isoTime =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:\s?[Zz]|\s?[+-]\d\d(?::?\d\d)?)?)?)?)?$/u

const isoTimestamp = (calendar: Calendar | undefined): CellReader => (cell) => {
  const text = withoutZeros(cell)
  const found = isoTime.exec(text)
  if (found === null) return notATimestamp
  const year = Number(found[1])
  if (!isCivil(year, Number(found[2] ?? 1), Number(found[3] ?? 1))) return noSuchDay
  if (isOfOtherCalendar(year, calendar)) return isBuddhist
  return text.length > 10 && text.charCodeAt(10) === 32
    ? `${text.slice(0, 10)}T${text.slice(11).replace(" ", "")}`
    : text
}

/**
 * Reads the number of a cell that has one of these signs of a currency before or after it: `R$ 1.250,00`, `-$5`, `$ -5`, `5 USD`. Capitals do
 * not matter. The empty sign is for numbers without one. A number with another sign is other money, so its cell is an error.
 */
const withoutCurrency = (signs: ReadonlyArray<string>, read: CellReader): CellReader => {
  const written = signs.filter((sign) => sign !== "")
  const noSign = new CellError(
    `it is not a number with the sign of its currency: ${written.map((sign) => `\`${sign}\``).join(" or ")}`
  )
  // The longest first: `Rs.` before `Rs`. The number next to a sign begins or ends with a digit, so that the point of `Rs.5` is no decimal sign.
  const any = written.toSorted((one, other) => other.length - one.length).map(escaped).join("|")
  const before = new RegExp(`^([+-]?)\\s*(?:${any})\\s*([+-]?\\d.*)$`, "iu")
  const after = new RegExp(`^(.*\\d)\\s*(?:${any})$`, "iu")
  return (cell) => {
    const text = cell.trim()
    const [, sign = "", number] = before.exec(text) ?? []
    // Two signs, as in `-$-5`, are no number.
    if (number !== undefined) return read(sign + number)
    const amount = after.exec(text)?.[1]
    if (amount !== undefined) return read(amount)
    return signs.includes("") ? read(cell) : noSign
  }
}
