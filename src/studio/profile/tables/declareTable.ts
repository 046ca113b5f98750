import { plural } from "../../../diagnostic/count.ts"
import type { OverlayWriter } from "../draft/OverlayWriter.ts"
import { quotedText } from "../draft/OverlayWriter.ts"
import { born, columnWordsOf, ends, isAmount, isResult } from "./columnWords.ts"
import type { DateShape } from "./DateShapes.ts"
import { guessDecimalSign } from "./decimalSigns.ts"
import type { ColumnProfile, TableProfile } from "./TableProfile.ts"
import type { Declared, Order, Role } from "./TableRole.ts"
import { canonicalColumn } from "./TableRole.ts"

export const hasShortYear = ({ format }: DateShape): boolean => /(?<!Y)YY(?!Y)/u.test(format)

/** One column as it is declared. */
export const declared = (
  name: string,
  column: ColumnProfile,
  at: number,
  table: TableProfile,
  order: Order
): Declared => {
  const from = fromOf(name, column, at, table)
  const { kind } = column
  // Numbers that are no amounts are names of things; their zeros count.
  const type = kind === "date" || kind === "timestamp"
    ? kind
    : kind === "decimal" && !isResult(column.name)
    ? "decimal"
    : kind === "integer" && isAmount(column.name) && !isResult(column.name)
    ? "integer"
    : "text"
  const words = [
    ...(type === "text" ? [] : [`type: ${type}`]),
    ...(from === undefined ? [] : [`from: ${from}`]),
    ...(kind === "date" || kind === "timestamp" ? formatOf(column.dates, order) : []),
    ...(type === "text"
      ? []
      : column.decimal === ","
      ? ["decimal: \",\"", ...(column.grouped === true ? ["group: \".\""] : [])]
      : []),
    ...(type !== "text" && column.decimal === "." && column.grouped === true ? ["group: \",\""] : []),
    ...(column.nulls.length === 0 ? [] : [`null: [${column.nulls.map(([word]) => quotedText(word)).join(", ")}]`])
  ]
  const isNumber = type === "decimal" || type === "integer"
  const doubtful = column.dates.find(({ ambiguous, mixed }) => ambiguous || mixed)
  // A birth in 1960 is written as one in 2060.
  const short = column.dates.find(hasShortYear)
  const doubts = [
    ...(isNumber && column.either !== undefined ? [guessDecimalSign(column)] : []),
    ...(doubtful === undefined
      ? []
      : [
        doubtful.mixed
          ? "days first and months first are both in it"
          : `no day is above 12: read as ${order.daysFirst ? "day, month" : "month, day"}${
            order.sure ? ", as others are" : ""
          }`
      ]),
    ...(short === undefined
      ? []
      : ["years have two digits: 00 to 68 are read as 2000 to 2068"])
  ]
  return {
    name,
    column,
    yaml: words.length === 0 ? "text" : words.length === 1 && type !== "text" ? type : `{${words.join(", ")}}`,
    ...(doubts.length === 0 ? {} : { doubt: doubts.join("; ") })
  }
}

/** Where the header calls it otherwise: that name; where two columns have one name: its number. */
const fromOf = (name: string, column: ColumnProfile, at: number, table: TableProfile): string | undefined => {
  const fold = (text: string): string => text.trim().toLowerCase().replaceAll(/[\s_-]+/gu, "_")
  const alike = table.columns.filter((one) => fold(one.name) === fold(column.name))
  if (column.name === String(at + 1)) return column.name
  if (alike.length > 1 || column.name === "" || /[\n\r]/u.test(column.name)) return String(at + 1)
  return fold(column.name) === fold(name) ? undefined : quotedText(column.name)
}

const formatOf = (dates: ReadonlyArray<DateShape>, order: Order): ReadonlyArray<string> => {
  const forms = dates.filter(({ format }) => format !== "ISO 8601")
  if (forms.length === 0) return dates.some(({ calendar }) => calendar === "buddhist") ? ["calendar: buddhist"] : []
  const written = forms.map(({ ambiguous, format }) => (ambiguous && !order.daysFirst ? swapped(format) : format))
  const iso = forms.length < dates.length ? ["YYYY-MM-DD", "YYYY-MM-DD HH:mm:ss"] : []
  const all = [...new Set([...written, ...iso])].map(quotedText)
  return [
    `format: ${all.length === 1 ? all[0]! : `[${all.join(", ")}]`}`,
    ...(dates.some(({ calendar }) => calendar === "buddhist") ? ["calendar: buddhist"] : [])
  ]
}

const swapped = (format: string): string =>
  format.replace(/^(D+)([/.-])(M+)/u, (_, day: string, sign: string, month: string) => `${month}${sign}${day}`)

/** A day and a time of day in two columns are one time. */
export const withTimes = (
  columns: ReadonlyArray<Declared>,
  order: Order
): ReadonlyArray<Declared> => {
  const clocks = columns.filter(({ column }) => column.kind === "clock")
  if (clocks.length === 0) return columns
  const day = columns.find(({ column, name }) => column.kind === "date" && name === "admitted_at") ??
    columns.find(({ column }) =>
      column.kind === "date" && column.decades !== true && !born.test(columnWordsOf(column.name))
    )
  if (day === undefined) return columns
  const at = (name: string, clock: Declared, date: Declared = day): Declared => {
    const hours = clock.column.shortHours === true ? "H" : "HH"
    const times = (clock.column.clockSigns ?? [":"]).flatMap((sign) => {
      const minutes = `${hours}${/h/iu.test(sign) ? `[${sign}]` : sign}mm`
      return clock.column.seconds === true ? [`${minutes}:ss`, minutes] : [minutes]
    })
    const form = formatOf(date.column.dates, order).map((word) =>
      word.replace(/^format: "([^"]*)"$/u, (_, one: string) => {
        const formats = times.map((time) => quotedText(`${one} ${time}`))
        return `format: ${formats.length === 1 ? formats[0]! : `[${formats.join(", ")}]`}`
      })
    )
    return {
      name,
      column: { ...date.column, kind: "timestamp" },
      clock: clock.column.name,
      yaml: `{type: timestamp, from: [${quotedText(date.column.name)}, ${quotedText(clock.column.name)}]${
        form.length === 0 ? "" : `, ${form.join(", ")}`
      }}`,
      ...(date.doubt === undefined ? {} : { doubt: date.doubt })
    }
  }
  const first =
    clocks.find(({ column }) => /\b(?:in|ing|start|begin|arriv\w*|admi\w*)\b/u.test(columnWordsOf(column.name))) ??
      clocks[0]!
  const last = clocks.find((one) =>
    one !== first &&
    (ends.test(columnWordsOf(one.column.name)) || /\b(?:out|egr|sal)\b/u.test(columnWordsOf(one.column.name)))
  )
  const isVisit = columns.some(({ name }) => name === "admitted_at")
  const made = new Map<Declared, Declared>([[day, at(isVisit ? "admitted_at" : day.name, first)]])
  const end = columns.find(({ name }) => name === "discharged_at")
  if (last !== undefined && isVisit && end === undefined) made.set(last, at("discharged_at", last))
  if (last !== undefined && end?.column.kind === "date") made.set(end, at("discharged_at", last, end))
  return columns.map((one) => made.get(one) ?? one)
}

/** The declaration of one table. */
export const declare = (
  { columns, links, name, table }: Role,
  writer: OverlayWriter
): void => {
  const at = ["table", name]
  const file = table.file.slice(table.file.lastIndexOf("/") + 1)
  writer.put([...at, "file"], quotedText(file), plural(table.rows, "row"))
  if (table.encoding !== "utf-8") {
    writer.put(
      [...at, "encoding"],
      table.encoding,
      table.guessed ? "guessed by its bytes: look at the names" : undefined
    )
  }
  if (table.columns.every(({ name }, index) => name === String(index + 1))) {
    writer.put([...at, "header"], "false", "its first line is a row like the others")
  }
  if (table.headerRow !== undefined) {
    writer.put([...at, "header"], String(table.headerRow), "lines of titles precede the row that names the columns")
  }
  if (columns.some(({ column }) => column.guarded > 0)) writer.put([...at, "formulaGuard"], "true")
  const key = columns.find(({ column }) => column.name === table.keys[0] && column.kind !== "empty")
  const named = canonicalColumn.has(name)
  // Its own table of that name would look for its columns in this file.
  const shadowed = file.replace(/\.(?:csv|csv\.gz)$/iu, "").toLowerCase()
  if (name !== shadowed && canonicalColumn.has(shadowed)) {
    writer.put(
      ["table", shadowed, "file"],
      quotedText(`canonical/${shadowed}.csv`),
      `the table of the canonical extract: not this file, which is \`${name}\``
    )
    writer.put(["table", shadowed, "fileOptional"], "true")
  }
  // A row that names another by its key may have company tomorrow; a canonical table has a key already.
  const naming = new Set(links.map(([, link]) => link.column))
  if (key !== undefined && !named && !naming.has(key.column.name)) {
    writer.put([...at, "key"], key.name, key.name === "id" ? undefined : "no two rows have the same")
  }
  const [one, other] = (table.pair ?? []).map((key) => columns.find(({ column }) => column.name === key)?.name)
  if (key === undefined && !named && one !== undefined && other !== undefined) {
    writer.doubt([...at, "key"], `[${one}, ${other}]`, "no two rows have the same of both")
  }
  for (const { doubt, name: column, yaml } of columns) {
    if (doubt === undefined) writer.put([...at, "column", column], yaml)
    else writer.doubt([...at, "column", column], yaml, doubt)
  }
  for (const [link, { beside = [], byName, column, orphans }, target] of links) {
    const on = [column, ...beside].flatMap((name) => columns.find((one) => one.column.name === name)?.name ?? [])
    if (on.length < 1 + beside.length || (name === "visit" && link === "patient")) continue
    const yaml = `{table: ${target}, on: ${on.length === 1 ? on[0]! : `[${on.join(", ")}]`}}`
    const missing = orphans > 0 ? `${percentageOf(orphans)} of its rows name one that does not exist` : undefined
    if (byName) writer.put([...at, "link", link], yaml, missing)
    else writer.doubt([...at, "link", link], yaml, `by its values only${missing === undefined ? "" : `; ${missing}`}`)
  }
}

/** A part of rows, for people. */
export const percentageOf = (part: number): string => part < 0.01 ? "under 1%" : `${Math.round(part * 100)}%`
