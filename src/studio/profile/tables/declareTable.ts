import { plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { foldedName } from "../../../source/tables/rows/findDialect.ts"
import { assumeHead } from "../draft/assumptions.ts"
import { quotedText } from "../draft/Draft.ts"
import { askAboutCurrency, currencyYaml } from "./columns/currencySigns.ts"
import { type DateShape, readable } from "./columns/DateShapes.ts"
import { guessDecimalSign } from "./columns/decimalSigns.ts"
import { baseName, fileNamesOf } from "./facts/alikeFiles.ts"
import type { ColumnProfile, TableProfile } from "./facts/TableProfile.ts"
import type { TableDraft } from "./TableDraft.ts"
import { canonicalTables, type DateOrder, type Declared, keyColumnOf, type Role } from "./TableRole.ts"
import {
  born,
  columnWordsOf,
  ends,
  isAmount,
  isKeyName,
  isMeasure,
  isMoney,
  isResult,
  namesCharge,
  namesDiagnosis,
  namesLess,
  namesThing,
  namesTimeOfDay,
  otherTimes,
  paidWords
} from "./words/columnWords.ts"

export const hasShortYear = ({ format }: DateShape): boolean => /(?<!Y)YY(?!Y)/u.test(format)

/** A column with its name in the mapping, and its place in its table. */
interface NamedColumn {
  readonly name: string
  readonly column: ColumnProfile
  readonly at: number
  readonly table: TableProfile
  readonly order: DateOrder
}

/** Drafts the declaration of a column. */
export const declareColumn = ({ at, column, name, order, table }: NamedColumn): Declared => {
  const from = sourceNameOf({ name, column, at, table })
  const { kind } = column
  // Numbers that are not amounts are codes, whose leading zeros count.
  const type = kind === "date" || kind === "timestamp"
    ? kind
    : kind === "boolean" && paidWords.test(columnWordsOf(column.name))
    ? "boolean"
    : mixesSigns(column) || isDose(column)
    ? "text"
    : isEmptyMeasure(column) || column.filled === 0 && namesLess(column.name) ||
        kind === "decimal" && !isResult(column.name) && !isCode(column.name) ||
        kind !== "integer" && hasUnevenAmounts(column)
    ? "decimal"
    : kind === "integer" && isAmount(column.name) && !isResult(column.name) && !isNumberOfRows(column, table)
    ? "integer"
    : "text"
  const words = [
    ...(type === "text" ? [] : [`type: ${type}`]),
    ...(from === undefined ? [] : [`from: ${from}`]),
    ...(kind === "date" || kind === "timestamp" ? formatYaml(formatsOf(column.dates, order), column.dates) : []),
    ...(type === "boolean" ? truthsOf(column) : []),
    ...(type === "text"
      ? []
      : (column.filled > 0 ? column : table.columns.find(({ decimal }) => decimal !== undefined))?.decimal === ","
      ? ["decimal: \",\"", ...(column.grouped === true ? ["group: \".\""] : [])]
      : []),
    ...(type !== "text" && column.spaced === true ? ["group: \" \""] : []),
    ...(type !== "text" && column.decimal === "." && column.grouped === true ? ["group: \",\""] : []),
    ...(type === "decimal" ? currencyYaml(column) : []),
    ...(type === "text" && hasOtherNumbers(column) ? ["plainDigits: true"] : []),
    ...(column.nulls.length === 0 ? [] : [`null: [${column.nulls.map(([word]) => quotedText(word)).join(", ")}]`])
  ]
  const isNumber = type === "decimal" || type === "integer"
  const doubtful = column.dates.find((form) => form.ambiguous && !form.mixed && !isDayFirst(form))
  const sure = new Set(
    column.dates.flatMap(({ ambiguous, format, mixed }) =>
      !ambiguous && !mixed && /^[DM]+[/.-][DM]+[/.-]/u.test(format) ? [format.charAt(0)] : []
    )
  )
  const short = column.dates.find(hasShortYear)
  const doubts = [
    ...(isNumber && column.either !== undefined ? [guessDecimalSign(column)] : []),
    ...(doubtful === undefined
      ? []
      : [
        `no day is above 12: read as ${order.daysFirst ? "day, month" : "month, day"}, as others are`
      ]),
    ...(sure.size > 1 ? ["dates of one format have the day first, those of another the month"] : []),
    ...(column.dates.some(({ eras }) => eras === "one") ? ["one date has a year of the other calendar"] : []),
    ...(column.dates.some(({ stray }) => stray === true)
      ? ["one date has day and month in the other order: it is not read"]
      : []),
    ...(short === undefined
      ? []
      : [
        order.shortBuddhist
          ? "years have two digits, and those of visits can only be Buddhist: 67 is read as 2024"
          : "years have two digits: 00 to 68 are read as 2000 to 2068"
      ])
  ]
  return {
    name,
    column,
    ...questionOf(column, table),
    yaml: words.length === 0 ? "text" : words.length === 1 && type !== "text" ? type : `{${words.join(", ")}}`,
    ...(doubts.length === 0 ? {} : { doubt: doubts.join("; ") })
  }
}

/** Whether numbers with a point are codes by the name of their column: `02.1896` of a service, `401.9` of a diagnosis. */
const isCode = (name: string): boolean => (isKeyName(name) || namesDiagnosis(name)) && !isAmount(name)

/** Whether a column that has no value so far is one of numbers of a vital sign or a size. */
const isEmptyMeasure = ({ filled, size, vital }: ColumnProfile): boolean =>
  filled === 0 && (size !== undefined || vital !== undefined)

/** Whether a column has doses of one time of day: a later extract can have words and fractions. */
const isDose = ({ name }: ColumnProfile): boolean => namesTimeOfDay(name) && !isMoney(name) && !isMeasure(name)

/** Whether a column of texts has numbers to read, such as results, pressures and doses, and some have digits of other scripts. */
const hasOtherNumbers = (column: ColumnProfile): boolean =>
  column.otherDigits !== undefined && !isKeyName(column.name) &&
  (column.pressures === true || isResult(column.name) || isAmount(column.name) || isMeasure(column.name) ||
    isDose(column) || /\bdurations?\b/u.test(columnWordsOf(column.name)))

/** Whether the columns of a table have only numbers, because its first line is a row. */
export const isWithoutHeader = ({ columns }: TableProfile): boolean =>
  columns.every(({ name }, index) => name === String(index + 1))

/** Whether a column is the key of its table, or refers to that of another. */
const isNumberOfRows = ({ name }: ColumnProfile, { keys, links }: TableProfile): boolean =>
  keys[0] === name || links.some(({ beside, column }) => beside === undefined && column === name)

/** Whether most cells of a column of amounts are numbers, but not all. */
export const hasUnevenAmounts = ({ filled, name, numbers }: ColumnProfile): boolean =>
  numbers < filled && numbers * 2 >= filled && namesCharge(name)

/** Whether some amounts of money have a decimal point, and others a decimal comma: `1.500` and `1,500`. */
const mixesSigns = ({ bothSigns, name }: ColumnProfile): boolean => bothSigns === true && namesCharge(name)

/** No country writes the month first with points, or with Buddhist years. */
const isDayFirst = ({ calendar, format }: DateShape): boolean => calendar === "buddhist" || /^D+\./u.test(format)

/**
 * Tables whose dates are read like those of the whole export. Years with two digits can be Buddhist. If nothing shows whether the day or
 * the month is first, dates are not read.
 */
export const withOrder = (tables: ReadonlyArray<TableProfile>, order: DateOrder): ReadonlyArray<TableProfile> =>
  tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) => ({
      ...column,
      dates: column.dates.map((form) => withOpenOrder(order.shortBuddhist ? withBuddhistYear(form) : form, order))
    }))
  }))

const withOpenOrder = (form: DateShape, order: DateOrder): DateShape =>
  form.ambiguous && !order.sure && !isDayFirst(form) ? { ...form, mixed: true } : form

const withBuddhistYear = (form: DateShape): DateShape =>
  hasShortYear(form)
    // `YY` is a year from 1969 to 2068 without its calendar, and from 1957 to 2056 in the Buddhist one.
    ? {
      ...form,
      calendar: "buddhist",
      ...(form.newestYear === undefined ? {} : { newestYear: 1957 + form.newestYear % 100 })
    }
    : form

/** Asks how the amounts or dates of a column are written, where the cells do not show it. */
const questionOf = (profiled: ColumnProfile, table: TableProfile): Pick<Declared, "question"> => {
  const { dates, kind, name } = profiled
  const column = `\`${printable(name)}\` in ${printable(baseName(table.file))}`
  const question = askAboutCurrency(profiled, column)
  if (question !== undefined) return { question }
  if (hasUnevenAmounts(profiled)) {
    return {
      question: `how should ${
        plural(
          profiled.filled - profiled.numbers,
          "cell that is not a plain number",
          "cells that are not plain numbers"
        )
      } be read in ${column}? A correction may be written as (5.00), 5.00- or 5.00 CR. None of them is read: write them as -5.00 in the export`
    }
  }
  if (profiled.floated !== undefined) {
    return {
      question: `are the numbers in ${column} right? ${
        plural(profiled.floated, "of them is", "of them are")
      } written as 1001.0, which is sent, and which is not the 1001 of another table. Export them as text`
    }
  }
  if (mixesSigns(profiled)) {
    return {
      question:
        `which sign separates decimals in ${column}? Some amounts have a point, others a comma: none of them is read. Write all with a point in the export`
    }
  }
  if (kind !== "date" && kind !== "timestamp") return {}
  const mixed = dates.find(({ mixed }) => mixed)
  if (mixed !== undefined) {
    const other = swapped(mixed.format)
    return {
      question: `do the dates of ${column} begin with the day or the month? ${
        mixed.ambiguous
          ? "No number is above 12, and no other column shows it: none of them is read. Add"
          : `Some of ${
            plural(mixed.count, "date")
          } have a day above 12 first, some second: none of them is read. Correct the export, or add`
      } the format (${quotedText(mixed.format)} or ${quotedText(other)})`
    }
  }
  return new Set(dates.map(({ calendar }) => calendar)).size > 1 || dates.some(({ eras }) => eras === "some")
    ? {
      question: `in which calendar are the dates of ${column}? Some years are Buddhist, some are not: ${
        dates.every(({ format }) => format === "ISO 8601")
          ? "those with a Buddhist year are rejected"
          : readable(dates).length === 0
          ? "none is read"
          : "those of one calendar are read"
      }. Correct the export`
    }
    : {}
}

/** How a column writes yes and no, in the words that it has. */
const truthsOf = ({ codes }: ColumnProfile): ReadonlyArray<string> => {
  const words = codes.map(([word]) => word)
  const list = (name: string, some: ReadonlyArray<string>): ReadonlyArray<string> =>
    some.length === 0 ? [] : [`${name}: [${some.map(quotedText).join(", ")}]`]
  return [
    ...list("true", words.filter((word) => /^(?:y|yes|t|true)$/iu.test(word))),
    ...list("false", words.filter((word) => /^(?:n|no|f|false)$/iu.test(word)))
  ]
}

/** Returns the name in the header if it differs, or the column's number if two columns have one name. */
const sourceNameOf = ({ at, column, name, table }: Omit<NamedColumn, "order">): string | undefined => {
  const alike = table.columns.filter((one) => foldedName(one.name) === foldedName(column.name))
  if (column.name === String(at + 1)) return column.name
  if (alike.length > 1 || column.name === "" || /[\n\r]/u.test(column.name)) return String(at + 1)
  return foldedName(column.name) === foldedName(name) ? undefined : quotedText(column.name)
}

/** The formats of a column; none if all its dates are ISO 8601. */
const formatsOf = (dates: ReadonlyArray<DateShape>, order: DateOrder): ReadonlyArray<string> => {
  const all = readable(dates)
  return all.every(({ format }) => format === "ISO 8601")
    ? []
    : [
      ...new Set(
        all.flatMap((form) =>
          form.format === "ISO 8601"
            ? form.written ?? []
            : [form.ambiguous && !order.daysFirst && !isDayFirst(form) ? swapped(form.format) : form.format]
        )
      )
    ]
}

const formatYaml = (formats: ReadonlyArray<string>, dates: ReadonlyArray<DateShape>): ReadonlyArray<string> => [
  ...(formats.length === 0 ? [] : [`format: ${oneOrList(formats.map(quotedText))}`]),
  ...(readable(dates).some(({ calendar }) => calendar === "buddhist")
    ? ["calendar: buddhist"]
    // Stated, it rejects the Buddhist years.
    : dates.some(({ eras }) => eras !== undefined)
    ? ["calendar: gregorian"]
    : [])
]

const oneOrList = (yamls: ReadonlyArray<string>): string => yamls.length === 1 ? yamls.join() : `[${yamls.join(", ")}]`

const swapped = (format: string): string =>
  format.replace(/^(D+)([/.-])(M+)/u, (_, day: string, sign: string, month: string) => `${month}${sign}${day}`)

/** Joins a day and a time of day in two columns to one time. */
export const withTimes = (columns: ReadonlyArray<Declared>, order: DateOrder): ReadonlyArray<Declared> => {
  const clocks = columns.filter(({ column }) => column.kind === "clock")
  const isDay = ({ column }: Declared): boolean => column.kind === "date" || column.midnight === true
  const days = columns.filter((one) =>
    isDay(one) && one.column.decades !== true && !born.test(columnWordsOf(one.column.name))
  )
  if (clocks.length === 0) return columns
  const isVisit = columns.some(({ name }) => name === "admitted_at")
  // A beginning that has its time needs no other column.
  const day = isVisit ? days.find(({ name }) => name === "admitted_at") : days[0]
  /** The day with the same words as a time: `OutDate` for `OutTime`. */
  const ownDay = (clock: Declared): Declared | undefined => {
    const words = besidesTime(clock)
    return words === "" ? undefined : days.find((one) => besidesTime(one) === words)
  }
  const others = clocks.filter((clock) => ownDay(clock) === undefined)
  const beginning = clocks.find((clock) => day !== undefined && ownDay(clock) === day) ??
    others.find(({ column }) => /\b(?:in|ing|start|begin|arriv\w*|admi\w*)\b/u.test(columnWordsOf(column.name)))
  const first = beginning ?? others.find((clock) => !isOfEnd(clock))
  const at = (name: string, clock: Declared, date: Declared, doubt?: string): Declared => {
    const times = timesOf(clock.column)
    const own = formatsOf(date.column.dates, order)
    // Its own times are all 00:00.
    const stated = date.column.midnight === true
      ? (own.length > 0 ? own : date.column.dates.flatMap(({ written = [] }) => written)).map((day) =>
        day.replace(
          /[Hh]+[:.]mm.*$/u,
          (time) => `[${time.replace(/h+/u, "12").replace("A", "AM").replaceAll(/[Hms]+/gu, "00")}]`
        )
      )
      : own
    // ISO 8601 has no other times. Only the day of the beginning is no end: such a cell does not fit the format.
    const isIso = times.every((time) => /^HH:mm(?::ss)?$/u.test(time)) && !(name === "discharged_at" && date === day)
    const days = stated.length > 0 || isIso ? stated : ["YYYY-MM-DD"]
    const form = formatYaml(
      days.flatMap((day) => /HH?[:.]|hh?[:.]/u.test(day) ? [day] : times.map((time) => `${day} ${time}`)),
      date.column.dates
    )
    return {
      name,
      column: {
        ...date.column,
        kind: "timestamp",
        ...(clock.column.early === undefined ? {} : { early: clock.column.early })
      },
      clock: clock.column.name,
      ...(date.question === undefined ? {} : { question: date.question }),
      yaml: `{type: timestamp, from: [${quotedText(date.column.name)}, ${quotedText(clock.column.name)}]${
        form.length === 0 ? "" : `, ${form.join(", ")}`
      }}`,
      ...(date.doubt === undefined && doubt === undefined
        ? {}
        : { doubt: [date.doubt ?? [], doubt ?? []].flat().join("; ") })
    }
  }
  const last = others.find((one) => one !== first && isOfEnd(one))
  const end = columns.find(({ name }) => name === "discharged_at")
  const made = new Map<Declared, Declared>()
  for (const clock of clocks) {
    const own = ownDay(clock)
    if (own !== undefined && own !== day && !made.has(own)) made.set(own, at(own.name, clock, own))
  }
  if (day !== undefined && first !== undefined) {
    const isGuess = beginning === undefined && besidesTime(first) !== "" && besidesTime(day) !== ""
    const doubt = isGuess ? "its time of day is in a column of another name" : undefined
    made.set(day, at(isVisit ? "admitted_at" : day.name, first, day, doubt))
  }
  if (last !== undefined && end !== undefined && isDay(end) && !made.has(end)) {
    made.set(end, at("discharged_at", last, end))
  }
  // Another day may be that of the end. Then the draft has a question about the column.
  const mayBeEnd = ({ column }: Declared): boolean => !otherTimes.test(columnWordsOf(column.name))
  if (
    last !== undefined && day !== undefined && isVisit && end === undefined &&
    !days.some((one) => one !== day && mayBeEnd(one))
  ) {
    made.set(last, at("discharged_at", last, day, "no column has the day of the end: that of the beginning is used"))
  }
  const joined = new Set([...made.values()].map(({ clock }) => clock))
  return columns.flatMap((one) => {
    const other = made.get(one)
    return other !== undefined ? [other] : joined.has(one.column.name) ? [] : [one]
  })
}

/** The formats of a column of times, also without seconds. `H` reads an hour of one or two digits. */
const timesOf = ({ clockFormats = ["HH:mm"] }: ColumnProfile): ReadonlyArray<string> => {
  const hasShort = clockFormats.some((format) => /^[Hh](?![Hh])/u.test(format))
  const all = clockFormats.map((format) => hasShort ? format.replace(/^([Hh])\1(?=[[:.])/u, "$1") : format)
  return [...new Set(all.flatMap((format) => [format, format.replace(/[:.]?ss/u, "")]))]
}

/** Whether a column, by its name, has the time at which something ended. */
const isOfEnd = ({ column: { name } }: Declared): boolean => {
  const words = columnWordsOf(name)
  return ends.test(words) || /\b(?:out|egr|sal)\b/u.test(words)
}

/** The words of a column's name without those for days and times: `out` of `OutDate` and of `Out_Time`. */
const besidesTime = ({ column: { name } }: Declared): string =>
  columnWordsOf(name).split(" ").filter((word) => !timeWords.has(word)).join(" ")

const timeWords: ReadonlySet<string> = new Set(
  "date day dt time hour at on of the fecha data datum tanggal ngay jour heure hora uhrzeit jam gio de du da del la le el d"
    .split(" ")
)

/** Whether a column, by its name, holds codes of diagnoses, tests, medicines or services. In a small sample, each may occur once. */
const isCodeOfThing = (name: string): boolean =>
  (namesDiagnosis(name) || namesThing(name)) && !/\b(?:id|no|nr|num|number|key)$/u.test(columnWordsOf(name))

/** The fraction of rows without their visit from which they are asked about. At the ends of an export, a few are usual. */
const minAsked = 0.05

/** Drafts the declaration of a table. */
export const declare = (role: Role, draft: TableDraft): void => {
  const { columns, links, name, table } = role
  const { doubt: doubtful, put } = draft.section("table", name)
  const file = baseName(table.file)
  put(
    "file",
    oneOrList(fileNamesOf(table).map(quotedText)),
    table.several === undefined
      ? plural(table.rows, "row")
      : `${plural(table.rows, "row")} in ${plural(table.several.count, "file")} with the same columns`
  )
  if (table.encoding !== "utf-8") {
    put("encoding", table.encoding, table.guessed ? "guessed from its bytes: check the names" : undefined)
  }
  if (isWithoutHeader(table)) {
    put("header", "false", "its first line is a row like the others")
  }
  if (table.headerRow !== undefined) {
    put("header", String(table.headerRow), "lines of titles precede the row that names the columns")
  }
  if (columns.some(({ column }) => column.guarded > 0)) put("formulaGuard", "true")
  const keyColumn = keyColumnOf(role)
  const key = keyColumn?.column.kind === "empty" ? undefined : keyColumn
  const isCanonical = canonicalTables.has(name)
  // Otherwise the canonical table with the file's name would look for its columns in this file.
  const shadowed = file.replace(/\.(?:csv|csv\.gz)$/iu, "").toLowerCase()
  if (name !== shadowed && canonicalTables.has(shadowed) && draft.role(shadowed) === undefined) {
    draft.put(
      ["table", shadowed, "file"],
      quotedText(`canonical/${shadowed}.csv`),
      `the table of the canonical extract: not this file, which is \`${name}\``
    )
    draft.put(["table", shadowed, "fileOptional"], "true")
  }
  // A column that refers to another table may occur twice in the next export, and so may a code. A canonical table has a key already.
  const references = new Set(links.map(({ foreignKey }) => foreignKey.column))
  if (
    key !== undefined && !isCanonical && !references.has(key.column.name) &&
    !(links.length > 0 && isCodeOfThing(key.name))
  ) {
    put("key", key.name, key.name === "id" ? undefined : "unique")
  }
  const [one, other] = (table.pair ?? []).map((key) => columns.find(({ column }) => column.name === key)?.name)
  if (key === undefined && !isCanonical && one !== undefined && other !== undefined) {
    doubtful("key", `[${one}, ${other}]`, "unique together")
  }
  for (const { doubt, name: column, question, yaml } of columns) {
    if (question !== undefined) draft.ask(["table", name, "column", column], yaml, question)
    else if (doubt === undefined) put(["column", column], yaml)
    else doubtful(["column", column], yaml, doubt)
  }
  const head = columns.flatMap(({ column, name }) => table.head?.includes(column.name) === true ? [name] : [])
  if (head.length > 0) assumeHead(draft, name, head)
  for (const { foreignKey: { beside = [], byName, column, orphans }, name: link, target } of links) {
    const on = [column, ...beside].flatMap((name) => columns.find((one) => one.column.name === name)?.name ?? [])
    if (on.length < 1 + beside.length || (name === "visit" && link === "patient")) continue
    const isJoined = target === "visit" && beside.length > 0
    if (isJoined) put(["column", "number_of_visit"], joinedYaml([column, ...beside]), "as the code of the visit")
    const yaml = `{table: ${target}, on: ${isJoined ? "number_of_visit" : oneOrList(on)}}`
    const missing = orphans > 0 ? `${percentageOf(orphans)} of its rows refer to a row that does not exist` : undefined
    if (target === "visit" && missing !== undefined && orphans >= minAsked) {
      draft.ask(
        ["table", name, "link", link],
        yaml,
        `are the numbers of visits in \`${name}\` right? ${missing}: these rows are not sent. Leading zeros that one of the tables has lost, or visits that the export lacks, can be the reason`
      )
    } else if (byName) put(["link", link], yaml, missing)
    else doubtful(["link", link], yaml, `by its values only${missing === undefined ? "" : `; ${missing}`}`)
  }
}

/** The declaration of a column that joins several of the file. */
export const joinedYaml = (columns: ReadonlyArray<string>): string => `{from: [${columns.map(quotedText).join(", ")}]}`

/** Formats a fraction of rows as a percentage. */
export const percentageOf = (part: number): string => part < 0.01 ? "under 1%" : `${Math.round(part * 100)}%`
