import { plural } from "../../diagnostic/count.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { isType } from "../../fhirpath/infer/Model.ts"
import type { Calendar, WrittenFormat } from "../../source/tables/dateFormat.ts"
import { calendars, parseDateFormat } from "../../source/tables/dateFormat.ts"
import { defaultEncodings, encodingNamed } from "../../source/tables/decodeText.ts"
import { delimiterNames } from "../../source/tables/findDialect.ts"
import type { ColumnLayout, Dialect, LinkLayout, TableLayout } from "../../source/tables/TableLayout.ts"
import { columnTypes } from "../../source/tables/TableLayout.ts"
import type { Syntax, SyntaxEntry, SyntaxMap } from "../language/MappingSyntax.ts"
import { isNull, mergeMaps } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import { columnWords, decimalSigns, formatWords, linkWords, sharedTableWords, tableWords } from "../language/words.ts"

/**
 * Reads `table:`, the tables of an extract, for the readers and for paths over their columns. `own` returns whether a file is the
 * facility's own. Tables that such files name, and tables with a file name, are expected among the inputs.
 */
export const checkTables = (
  reader: SyntaxReader,
  root: SyntaxMap,
  own: (file: string) => boolean
): ReadonlyArray<TableLayout> => {
  const entry = root.entries.get("table")
  if (entry === undefined || isNull(entry.value)) return []
  const map = reader.map(entry.value, "`table`")
  if (map === undefined) return []
  const star = map.entries.get("*")?.value
  const shared = star === undefined
    ? undefined
    : reader.map(star, "`\"*\"`, which is said for all tables,", sharedTableWords)
  const names = [...map.entries.keys()].filter((name) => name !== "*")
  const tables: Array<TableLayout> = []
  for (const name of names) {
    const { key, value } = map.entries.get(name)!
    if (isNull(value)) continue
    if (!/^[a-z][a-z0-9_]*$/u.test(name) || isType(name)) {
      reader.report("invalid-value", key, `a table cannot be called \`${name}\``, undefined, [
        isType(name)
          ? "FHIR has a type of that name"
          : "small letters, digits and _ only; capitals begin the types of FHIR"
      ])
      continue
    }
    const stated = reader.map(value, `the table \`${name}\``, tableWords)
    if (stated === undefined) continue
    const table = checkTable(
      reader,
      name,
      key,
      shared === undefined ? stated : { ...mergeMaps(shared, stated), span: stated.span },
      own
    )
    if (table !== undefined) tables.push(table)
  }
  checkLinks(reader, map, tables)
  return tables
}

const checkTable = (
  reader: SyntaxReader,
  name: string,
  span: SyntaxEntry["key"],
  map: SyntaxMap,
  own: (file: string) => boolean
): TableLayout | undefined => {
  const get = (word: (typeof tableWords)[number]): SyntaxEntry | undefined => map.entries.get(word)
  const what = `the table \`${name}\``
  const files = words(reader, get("file")?.value, "`file`")
  const mayBeMissing = reader.boolean(get("fileOptional"), "`fileOptional`") ?? false
  const dialect = checkDialect(reader, map)
  const column = get("column")
  if (column === undefined) {
    return reader.report("missing-key", span, `${what} names no columns`, undefined, [
      "say which columns are read:  column: {visit_no: text, admitted_at: timestamp}"
    ])
  }
  const columns: Array<ColumnLayout> = []
  const links: Array<LinkLayout> = []
  const linkMap = get("link") === undefined || isNull(get("link")!.value)
    ? undefined
    : reader.map(get("link")!.value, `\`link\` of ${what}`)
  const columnEntries: Iterable<readonly [string, SyntaxEntry]> = column.value.kind === "list"
    ? column.value.items.flatMap((item) =>
      item.kind === "scalar" && typeof item.value === "string"
        ? [[item.value, { key: item.span, value: { ...item, value: "text" } }] as const]
        : reader.report("invalid-value", item.span, "a column is a name") ?? []
    )
    : reader.map(column.value, `\`column\` of ${what}`)?.entries ?? []
  const needed = new Set([...scalarsIn(get("key")?.value), ...scalarsIn(linkMap)])
  for (const [columnName, columnEntry] of columnEntries) {
    if (isNull(columnEntry.value)) continue
    if (!isElementName(reader, columnName, columnEntry.key, name)) continue
    const checked = checkColumn(reader, columnName, columnEntry, map, needed)
    if (checked !== undefined) columns.push(checked)
  }
  const known = new Set(columns.map((one) => one.name))
  const columnOf = (word: string, names: ReadonlyArray<readonly [string, SyntaxEntry["key"]]>): ReadonlyArray<string> =>
    names.map(([one, at]) => {
      if (!known.has(one)) {
        const near = suggest(one, known)
        reader.report(
          "unknown-element",
          at,
          `\`${word}\` of ${what} names a column \`${one}\` that is not declared`,
          didYouMean(near),
          [`columns: ${[...known].join(", ")}`]
        )
      }
      return one
    })
  const key = columnOf("key", placedWords(reader, get("key")?.value, "`key`"))
  const [order] = columnOf("order", placedWords(reader, get("order")?.value, "`order`"))
  if (known.has("id") && !(key.length === 1 && key[0] === "id")) {
    reader.report(
      "invalid-value",
      span,
      `a column \`id\` is the key of its table, and that of ${what} is not`,
      undefined,
      [
        "say  key: id  or call the column otherwise:  record_id: {from: id}"
      ]
    )
  }
  for (const [linkName, { key: at, value }] of linkMap?.entries ?? []) {
    if (isNull(value) || !isElementName(reader, linkName, at, name)) continue
    if (known.has(linkName)) {
      reader.report("invalid-value", at, `${what} has a column and a link \`${linkName}\``, undefined, [
        "call one of them otherwise: a column by  from: …"
      ])
      continue
    }
    const link = value.kind === "scalar" ? undefined : reader.map(value, `the link \`${linkName}\``, linkWords)
    const table = value.kind === "scalar"
      ? reader.text({ key: at, value }, `the link \`${linkName}\``)
      : reader.text(link?.entries.get("table"), "`table`") ?? (link === undefined ? undefined : linkName)
    if (table === undefined) continue
    const on = link?.entries.get("on")
    links.push({
      name: linkName,
      table,
      on: on === undefined ? [] : columnOf("on", placedWords(reader, on.value, "`on`")),
      parts: 0
    })
  }
  // A table with an error still counts as declared, so that paths through it are not reported as well.
  return {
    name,
    span,
    files: files.length === 0 ? [`${name}.csv`] : files,
    expected: mayBeMissing
      ? false
      : isNamedBy(own, get("file"), column)
      ? "needed"
      : own(span.file) || files.length > 0,
    dialect,
    key,
    columns,
    links,
    ...(order === undefined ? {} : { order })
  }
}

/** Returns whether these files name the table's file or declare the whole table. For a table of the base, the base names the file. */
const isNamedBy = (
  own: (file: string) => boolean,
  file: SyntaxEntry | undefined,
  { key, value }: SyntaxEntry
): boolean =>
  file === undefined
    ? own(key.file) && (value.kind !== "map" || [...value.entries.values()].every((column) => own(column.key.file)))
    : own(file.key.file)

/** Returns the scalars of a table's key or links: columns to which the table's `optional` does not apply. */
const scalarsIn = (syntax: Syntax | undefined): ReadonlyArray<string> => {
  switch (syntax?.kind) {
    case "scalar":
      return [String(syntax.value)]
    case "list":
      return syntax.items.flatMap(scalarsIn)
    case "map":
      return [...syntax.entries].flatMap(([key, { value }]) => (key === "table" ? [] : scalarsIn(value)))
    default:
      return []
  }
}

/** Names with another meaning on a record. */
const taken: ReadonlySet<string> = new Set(["resourceType", "contained"])

const isElementName = (reader: SyntaxReader, name: string, at: SyntaxEntry["key"], table: string): boolean => {
  if (/^[A-Za-z][A-Za-z0-9_]*$/u.test(name) && !taken.has(name) && name !== table) return true
  reader.report("invalid-value", at, `a column or link of \`${table}\` cannot be called \`${name}\``, undefined, [
    name === table
      ? "in a path the name would mean the row itself"
      : "letters, digits and _ only; what the header calls it stands under  from:  for example  admit_date: {from: \"Admit Date\"}"
  ])
  return false
}

/** Checks that each link's target has a key of as many columns. Without `on`, the columns have the names of that key. */
const checkLinks = (reader: SyntaxReader, map: SyntaxMap, tables: Array<TableLayout>): void => {
  tables.forEach((table, index) => {
    const links = table.links.flatMap((link): ReadonlyArray<LinkLayout> => {
      const at = linkSpan(map, table.name, link.name) ?? table.span
      const target = tables.find((one) => one.name === link.table)
      if (target === undefined) {
        const near = suggest(link.table, tables.map((one) => one.name))
        // A declared table with an error is already reported.
        if (!map.entries.has(link.table)) {
          reader.report(
            "unknown-element",
            at,
            `no table is called \`${link.table}\``,
            didYouMean(near)
          )
        }
        return []
      }
      if (target.key.length === 0) {
        return reader.report("missing-key", at, `the table \`${target.name}\` has no key to link by`, undefined, [
          `add the columns that identify its rows:  key: …  under ${target.name}:`
        ]) ?? []
      }
      const optional = (of: TableLayout, name: string): boolean =>
        of.columns.some((column) => column.name === name && column.optional)
      // If an overlay shortens a key, its links use only as many columns, provided that the surplus ones are optional.
      const surplus = link.on.slice(target.key.length)
      const on = link.on.length === 0
        ? target.key
        : surplus.every((name) => optional(table, name))
        ? link.on.slice(0, target.key.length)
        : link.on
      const rest = target.key.slice(on.length)
      const blank = rest.every((name) => optional(target, name))
      const missing = on.find((name) => !table.columns.some((column) => column.name === name))
      if (missing !== undefined) {
        // An undeclared column under `on` is already reported.
        if (link.on.length === 0) {
          reader.report(
            "invalid-value",
            at,
            `\`${link.name}\` links by \`${missing}\`, which is no column of \`${table.name}\``,
            undefined,
            [`say which columns of \`${table.name}\` hold the key of \`${target.name}\`:  on: …`]
          )
        }
      } else if (on.length > target.key.length || !blank) {
        reader.report(
          "invalid-value",
          at,
          `\`${link.name}\` links by ${
            plural(on.length, "column")
          }, and the key of \`${target.name}\` has ${target.key.length}`,
          undefined,
          [`name as many columns under  on:  as the key has: ${target.key.join(", ")}`]
        )
      }
      return [{ ...link, on, parts: target.key.length }]
    })
    tables[index] = { ...table, links }
  })
}

const linkSpan = (map: SyntaxMap, table: string, link: string): SyntaxEntry["key"] | undefined => {
  const own = map.entries.get(table)?.value
  const links = own?.kind === "map" ? own.entries.get("link")?.value : undefined
  return links?.kind === "map" ? links.entries.get(link)?.key : undefined
}

const checkDialect = (reader: SyntaxReader, map: SyntaxMap): Dialect => {
  const encodingEntry = map.entries.get("encoding")
  const written = reader.text(encodingEntry, "`encoding`")
  const encoding = written === undefined ? undefined : encodingNamed(written)
  if (written !== undefined && encoding === undefined) {
    const near = suggest(written, defaultEncodings)
    reader.report(
      "invalid-value",
      encodingEntry!.value.span,
      `no encoding is called \`${written}\``,
      didYouMean(near),
      [`for example: ${defaultEncodings.slice(0, 8).join(", ")}`]
    )
  }
  const delimiter = sign(reader, map.entries.get("delimiter"), "`delimiter`")
  const quoteEntry = map.entries.get("quote")
  const quote = quoteEntry === undefined
    ? undefined
    : quoteEntry.value.kind === "scalar" && (quoteEntry.value.value === null || quoteEntry.value.value === "none")
    ? null
    : sign(reader, quoteEntry, "`quote`")
  const escape = sign(reader, map.entries.get("escape"), "`escape`")
  return {
    header: header(reader, map.entries.get("header")),
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(quote === undefined ? {} : { quote }),
    ...(escape === undefined ? {} : { escape })
  }
}

const sign = (reader: SyntaxReader, entry: SyntaxEntry | undefined, what: string): string | undefined => {
  const text = reader.text(entry, what)
  if (text === undefined) return undefined
  const found = delimiterNames[text] ?? text
  if (found.length === 1 || (what === "`delimiter`" && found.length <= 4)) return found
  return reader.report("invalid-value", entry!.value.span, `${what} is one sign`, undefined, [
    "for example  \";\"  or by name: comma, semicolon, tab, pipe"
  ])
}

const header = (reader: SyntaxReader, entry: SyntaxEntry | undefined): number => {
  if (entry === undefined) return 1
  const { value } = entry
  if (value.kind === "scalar") {
    if (value.value === true) return 1
    if (value.value === false) return 0
    if (typeof value.value === "number" && Number.isInteger(value.value) && value.value > 0) return value.value
  }
  reader.report("invalid-value", value.span, "`header` is true, false, or the number of the row that names the columns")
  return 1
}

const checkColumn = (
  reader: SyntaxReader,
  name: string,
  { key, value }: SyntaxEntry,
  table: SyntaxMap,
  needed: ReadonlySet<string>
): ColumnLayout | undefined => {
  const long = value.kind === "scalar" ? undefined : reader.map(value, `the column \`${name}\``, columnWords)
  if (value.kind !== "scalar" && long === undefined) return undefined
  const tableFormat = table.entries.get("format")
  const shared = tableFormat === undefined || isNull(tableFormat.value)
    ? undefined
    : reader.map(tableFormat.value, "`format` of a table", formatWords)
  const get = (word: (typeof columnWords)[number]): SyntaxEntry | undefined => long?.entries.get(word)
  const type =
    reader.oneOf(value.kind === "scalar" ? { key, value } : get("type"), `the type of \`${name}\``, columnTypes) ??
      "text"
  const stated = (word: "calendar" | "decimal" | "group" | "true" | "false"): SyntaxEntry | undefined =>
    get(word) ?? shared?.entries.get(word)
  const calendar = reader.oneOf(stated("calendar"), "`calendar`", Object.keys(calendars) as ReadonlyArray<Calendar>) ??
    "gregorian"
  const format = get("format") ?? (type === "timestamp" || type === "date" ? shared?.entries.get(type) : undefined)
  const decimal = reader.oneOf(stated("decimal"), "`decimal`", decimalSigns) ?? "."
  const group = stated("group") === undefined ? undefined : spaced(reader, stated("group")!)
  if (group === decimal) {
    reader.report("invalid-value", stated("group")!.value.span, "`group` and `decimal` are the same sign")
  }
  const trim = reader.boolean(get("trim") ?? table.entries.get("trim"), "`trim`") ?? true
  const from = get("from")
  return {
    name,
    span: key,
    type,
    from: from === undefined ? [name] : places(reader, from),
    formats: format === undefined && calendar === "gregorian" ? [] : formats(reader, format, calendar, type),
    decimal,
    group,
    yes: wordSet(reader, stated("true"), "`true`", ["true", "yes", "y", "t", "1"]),
    no: wordSet(reader, stated("false"), "`false`", ["false", "no", "n", "f", "0"]),
    nulls: new Set(words(reader, (get("null") ?? table.entries.get("null"))?.value, "`null`")),
    trim,
    guarded: reader.boolean(table.entries.get("formulaGuard"), "`formulaGuard`") ?? false,
    optional:
      reader.boolean(get("optional") ?? (needed.has(name) ? undefined : table.entries.get("optional")), "`optional`") ??
        false
  }
}

const iso: ReadonlyArray<string> = [
  "YYYY-MM-DD HH:mm:ss",
  "YYYY-MM-DDTHH:mm:ss",
  "YYYY-MM-DD HH:mm",
  "YYYY-MM-DDTHH:mm",
  "YYYY-MM-DD"
]

const formats = (
  reader: SyntaxReader,
  entry: SyntaxEntry | undefined,
  calendar: Calendar,
  type: ColumnLayout["type"]
): ReadonlyArray<WrittenFormat> => {
  if (type !== "date" && type !== "timestamp") {
    if (entry !== undefined) {
      reader.report("invalid-value", entry.value.span, "only a date or a timestamp has a `format`", undefined, [
        "say  type: date  or  type: timestamp"
      ])
    }
    return []
  }
  const written = entry === undefined ? [] : reader.texts(entry.value, "`format`")
  const texts = entry === undefined ? iso.map((text) => ({ text, at: undefined })) : written.map((scalar) => ({
    text: String(scalar.value),
    at: scalar.span
  }))
  return texts.flatMap(({ at, text }) => {
    const format = parseDateFormat(text, calendar)
    if ("read" in format) return [{ text, calendar }]
    return reader.report("invalid-value", at!, `\`${text}\` is not a format of dates`, format.fault, [
      "for example  DD/MM/YYYY HH:mm   D MMM YYYY   YYYYMMDD   MM/DD/YY hh:mm A"
    ]) ?? []
  })
}

/** Reads a separator that can be a space. */
const spaced = (reader: SyntaxReader, entry: SyntaxEntry): string | undefined => {
  const { value } = entry
  if (isNull(value)) return undefined
  if (value.kind === "scalar" && typeof value.value === "string" && value.value.length === 1) return value.value
  return reader.report("invalid-value", value.span, "`group` is one sign, such as \",\" or \" \"")
}

/** Reads scalars, including numbers, as texts; the empty text is valid. */
const words = (reader: SyntaxReader, syntax: Syntax | undefined, what: string): ReadonlyArray<string> =>
  placedWords(reader, syntax, what).map(([word]) => word)

const placedWords = (
  reader: SyntaxReader,
  syntax: Syntax | undefined,
  what: string
): ReadonlyArray<readonly [word: string, at: SyntaxEntry["key"]]> => {
  if (syntax === undefined || isNull(syntax)) return []
  const items = syntax.kind === "list" ? syntax.items : [syntax]
  return items.flatMap((item) => {
    if (item.kind === "scalar" && item.value !== null) return [[String(item.value), item.span] as const]
    return reader.report("invalid-value", item.span, `${what} is a word or a list of words`) ?? []
  })
}

const wordSet = (
  reader: SyntaxReader,
  entry: SyntaxEntry | undefined,
  what: string,
  otherwise: ReadonlyArray<string>
): ReadonlySet<string> =>
  new Set(entry === undefined ? otherwise : words(reader, entry.value, what).map((word) => word.toLowerCase()))

/** Reads column names from the header, or column numbers. */
const places = (reader: SyntaxReader, entry: SyntaxEntry): ReadonlyArray<string | number> => {
  const items = entry.value.kind === "list" ? entry.value.items : [entry.value]
  return items.flatMap((item): ReadonlyArray<string | number> => {
    if (item.kind === "scalar" && typeof item.value === "string" && item.value !== "") return [item.value]
    if (item.kind === "scalar" && typeof item.value === "number" && Number.isInteger(item.value) && item.value > 0) {
      return [item.value]
    }
    return reader.report(
      "invalid-value",
      item.span,
      "`from` is what the header calls the column, or its number",
      undefined,
      [
        "several in a list are joined by a blank:  from: [Admit Date, Admit Time]"
      ]
    ) ?? []
  })
}
