import { plural } from "../../../diagnostic/count.ts"
import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import { isType } from "../../../fhirpath/infer/Model.ts"
import { withoutAbsent } from "../../../objects.ts"
import type { Calendar, WrittenFormat } from "../../../source/tables/cells/dateFormat.ts"
import { parseDateFormat } from "../../../source/tables/cells/dateFormat.ts"
import type { ColumnLayout, Dialect, LinkLayout, TableLayout } from "../../../source/tables/TableLayout.ts"
import { columnTypes } from "../../../source/tables/TableLayout.ts"
import { asKey, keysOf, type Placed, readValues, type Values } from "../../language/grammar/Kind.ts"
import {
  columnKeys,
  fillDownKeys,
  formatKeys,
  linkKeys,
  sharedTableKeys,
  tableKeys
} from "../../language/grammar/tableGrammar.ts"
import type { Syntax, SyntaxEntry, SyntaxMap, SyntaxScalar } from "../../language/MappingSyntax.ts"
import { isNull } from "../../language/MappingSyntax.ts"
import { mappingEntriesOf } from "../../language/MappingSyntax.ts"
import { mergeMaps } from "../../language/mergeSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"

/**
 * Reads `table:`, the tables of an extract, for the readers and for paths over their columns. `own` returns whether a file is the
 * facility's own. Tables that such files name, and tables with a file name, are expected among the inputs.
 */
export const checkTables = (
  reader: SyntaxReader,
  root: SyntaxMap,
  { cancelled, own }: { readonly cancelled: ReadonlySet<string>; readonly own: (file: string) => boolean }
): ReadonlyArray<TableLayout> => {
  const entry = root.entries.get("table")
  if (entry === undefined || isNull(entry.value)) return []
  const map = reader.map(entry.value, "`table`")
  if (map === undefined) return []
  const star = map.entries.get("*")?.value
  const shared = star === undefined
    ? undefined
    : reader.map(star, "`\"*\"`, which applies to all tables,", keysOf(sharedTableKeys))
  const tables: Array<TableLayout> = []
  for (const [name, { key, value }] of map.entries) {
    if (name === "*" || isNull(value)) continue
    if (!/^[a-z][a-z0-9_]*$/u.test(name) || isType(name)) {
      reader.report("invalid-value", key, `a table cannot be called \`${name}\``, {
        help: [
          isType(name)
            ? "FHIR has a type of that name"
            : "small letters, digits and _ only; capitals begin the types of FHIR"
        ]
      })
      continue
    }
    const stated = reader.map(value, `the table \`${name}\``, keysOf(tableKeys))
    if (stated === undefined) continue
    const table = checkTable(
      reader,
      name,
      key,
      shared === undefined ? stated : { ...mergeMaps(shared, stated), span: stated.span },
      own
    )
    if (table !== undefined) tables.push(cancelled.size === 0 ? table : { ...table, cancelled })
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
  const what = `the table \`${name}\``
  const table = readValues(reader, tableKeys, map)
  const { column, fileOptional, link: linkEntry } = table
  const files = (table.file ?? []).map(({ value }) => value)
  if (column === undefined) {
    return reader.report("missing-key", span, `${what} names no columns`, {
      help: ["declare the columns that are read:  column: {visit_no: text, admitted_at: timestamp}"]
    })
  }
  const columns: Array<ColumnLayout> = []
  const links: Array<LinkLayout> = []
  const linkMap = linkEntry === undefined || isNull(linkEntry.value)
    ? undefined
    : reader.map(linkEntry.value, `\`link\` of ${what}`)
  const shared = { ...table, format: table.format ?? readValues(reader, formatKeys, undefined) }
  const formats = map.entries.get("format")?.value
  if (formats?.kind === "map") checkSigns(reader, formats, shared.format)
  const columnEntries: Iterable<readonly [string, SyntaxEntry]> = column.value.kind === "list"
    ? column.value.items.flatMap((item) =>
      item.kind === "scalar" && typeof item.value === "string"
        ? [[item.value, { key: item.span, value: { ...item, value: "text" } }] as const]
        : reader.report("invalid-value", item.span, "a column must be a name") ?? []
    )
    : reader.map(column.value, `\`column\` of ${what}`)?.entries ?? []
  const needed = new Set([...scalarsIn(map.entries.get("key")?.value), ...scalarsIn(linkMap)])
  for (const [columnName, columnEntry] of columnEntries) {
    if (isNull(columnEntry.value)) continue
    if (!isElementName(reader, columnName, columnEntry.key, name)) continue
    const checked = checkColumn(reader, columnName, columnEntry, shared, needed.has(columnName))
    if (checked !== undefined) columns.push(checked)
  }
  const known = new Set(columns.map((one) => one.name))
  const columnOf = (key: string, names: ReadonlyArray<Placed<string>> | undefined): ReadonlyArray<string> =>
    (names ?? []).map(({ span: at, value: one }) => {
      if (!known.has(one)) {
        const near = suggest(one, known)
        reader.report(
          "unknown-element",
          at,
          `\`${key}\` of ${what} refers to a column \`${one}\` that is not declared`,
          {
            label: didYouMean(near),
            help: [`columns: ${[...known].join(", ")}`]
          }
        )
      }
      return one
    })
  const key = columnOf("key", table.key)
  const [order] = columnOf("order", table.order)
  const fill = fillDownOf(reader, table.fillDown, what)
  const filled = columnOf("fillDown", fill?.column)
  if (known.has("id") && !(key.length === 1 && key[0] === "id")) {
    reader.report("invalid-value", span, `a column \`id\` is the key of its table, and that of ${what} is not`, {
      help: ["set  key: id  or rename the column:  record_id: {from: id}"]
    })
  }
  for (const [linkName, { key: at, value }] of linkMap?.entries ?? []) {
    if (isNull(value) || !isElementName(reader, linkName, at, name)) continue
    if (known.has(linkName)) {
      reader.report("invalid-value", at, `${what} has a column and a link \`${linkName}\``, {
        help: ["rename one of them; for a column, set  from: …"]
      })
      continue
    }
    const map = value.kind === "scalar"
      ? undefined
      : reader.map(value, `the link \`${linkName}\``, keysOf(linkKeys))
    const link = readValues(reader, linkKeys, map)
    const target = value.kind === "scalar"
      ? reader.text({ key: at, value }, `the link \`${linkName}\``)
      : link.table ?? (map === undefined ? undefined : linkName)
    if (target === undefined) continue
    links.push({ name: linkName, table: target, on: columnOf("on", link.on), parts: 0 })
  }
  // A table with an error still counts as declared, so that paths through it are not reported as well.
  return {
    name,
    span,
    files: files.length === 0 ? [`${name}.csv`] : files,
    expected: fileOptional
      ? false
      : isNamedBy(own, map.entries.get("file"), column)
      ? "needed"
      : own(span.file) || files.length > 0,
    dialect: dialectOf(table),
    key,
    columns,
    links,
    ...(order === undefined ? {} : { order }),
    ...(filled.length === 0 ? {} : { fillDown: { columns: filled, within: columnOf("within", fill?.within) } })
  }
}

/** Reads `fillDown:`, whose short form are its columns. */
const fillDownOf = (
  reader: SyntaxReader,
  entry: SyntaxEntry | undefined,
  what: string
): Values<typeof fillDownKeys> | undefined => {
  if (entry === undefined || isNull(entry.value)) return undefined
  const long = entry.value.kind === "map"
    ? reader.map(entry.value, `\`fillDown\` of ${what}`, keysOf(fillDownKeys))
    : undefined
  if (long !== undefined && !long.entries.has("column")) {
    reader.report("missing-key", entry.key, `\`fillDown\` of ${what} needs its \`column\``, {
      help: ["name all columns that only the first row has:  fillDown: {column: [invoice_no, vn]}"]
    })
  }
  return readValues(reader, fillDownKeys, long ?? asKey("column", entry))
}

/** Returns, for each table whose `fillDown` is an assumption, that assumption and its line. */
export const filledTables = (reader: SyntaxReader, root: SyntaxMap) =>
  new Map([...mappingEntriesOf(root, "table")].flatMap(([name, { value }]) => {
    const fill = value.kind === "map" ? value.entries.get("fillDown")?.value : undefined
    if (fill?.kind !== "map") return []
    const { assume } = reader.remark(fill)
    return assume === undefined
      ? []
      : [[name, { assume, span: fill.entries.get("column")?.value.span ?? fill.span }] as const]
  }))

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
  reader.report("invalid-value", at, `a column or link of \`${table}\` cannot be called \`${name}\``, {
    help: [
      name === table
        ? "in a path the name would mean the row itself"
        : "letters, digits and _ only; write the name in the header under  from:  for example  admit_date: {from: \"Admit Date\"}"
    ]
  })
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
          reader.report("unknown-element", at, `no table is called \`${link.table}\``, { label: didYouMean(near) })
        }
        return []
      }
      if (target.key.length === 0) {
        return reader.report("missing-key", at, `the table \`${target.name}\` has no key to link by`, {
          help: [`add the columns that identify its rows:  key: …  under ${target.name}:`]
        }) ?? []
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
            `\`${link.name}\` links by \`${missing}\`, which is not a column of \`${table.name}\``,
            { help: [`name the columns of \`${table.name}\` that contain the key of \`${target.name}\`:  on: …`] }
          )
        }
      } else if (on.length > target.key.length || !blank) {
        reader.report(
          "invalid-value",
          at,
          `\`${link.name}\` links by ${
            plural(on.length, "column")
          }, and the key of \`${target.name}\` has ${target.key.length}`,
          { help: [`name as many columns under  on:  as the key has: ${target.key.join(", ")}`] }
        )
      }
      return [{ ...link, on, parts: target.key.length }]
    })
    const { fillDown } = table
    // A row of another visit or patient does not belong to the row above.
    const owners = links.filter(({ on, table }) =>
      (table === "visit" || table === "patient") && !on.some((name) => fillDown?.columns.includes(name) === true)
    ).flatMap(({ on }) => on)
    tables[index] = {
      ...table,
      links,
      ...(fillDown === undefined
        ? {}
        : { fillDown: { ...fillDown, within: [...new Set([...fillDown.within, ...owners])] } })
    }
  })
}

const linkSpan = (map: SyntaxMap, table: string, link: string): SyntaxEntry["key"] | undefined => {
  const own = map.entries.get(table)?.value
  const links = own?.kind === "map" ? own.entries.get("link")?.value : undefined
  return links?.kind === "map" ? links.entries.get(link)?.key : undefined
}

const dialectOf = ({ delimiter, encoding, escape, header, quote }: Values<typeof tableKeys>): Dialect => ({
  header,
  ...withoutAbsent({ encoding, delimiter, quote, escape })
})

/** The settings of a table that its columns take over. */
type SharedSettings = Omit<Values<typeof sharedTableKeys>, "format"> & {
  readonly format: Values<typeof formatKeys>
}

const checkColumn = (
  reader: SyntaxReader,
  name: string,
  { key, value }: SyntaxEntry,
  table: SharedSettings,
  /** Whether the table's key or a link needs it: then the table's `optional` does not apply. */
  isNeeded: boolean
): ColumnLayout | undefined => {
  const map = value.kind === "scalar"
    ? undefined
    : reader.map(value, `the column \`${name}\``, keysOf(columnKeys))
  if (value.kind !== "scalar" && map === undefined) return undefined
  const column = readValues(reader, columnKeys, map)
  const type = value.kind === "scalar"
    ? reader.oneOf({ key, value }, `the type of \`${name}\``, columnTypes) ?? "text"
    : column.type
  const { format: shared } = table
  const format = column.format ?? (type === "timestamp" || type === "date" ? shared[type] : undefined)
  const calendar = column.calendar ?? shared.calendar
  const group = (column.group === undefined ? shared.group : column.group) ?? undefined
  checkSigns(reader, map, column, shared)
  for (const [word, types] of ofTypes) {
    const entry = map?.entries.get(word)
    if (entry === undefined || isNull(entry.value) || types.includes(type)) continue
    const which = types.map((one) => `${one === "integer" ? "an" : "a"} ${one}`).join(" or ")
    reader.report("invalid-value", entry.key, `only ${which} has a \`${word}\``, {
      help: [`set  type: ${types[0]}`]
    })
  }
  const [yes, no] = [new Set(column.true ?? shared.true), new Set(column.false ?? shared.false)]
  const stated = map?.entries.get("false") ?? map?.entries.get("true")
  const both = [...yes.intersection(no)]
  if (stated !== undefined && both.length > 0) {
    reader.report("invalid-value", stated.value.span, `\`${both.join("`, `")}\` is a word for true and for false`, {
      help: ["set both lists:  true: [Y], false: [N]"]
    })
  }
  return {
    name,
    span: key,
    type,
    from: column.from ?? [name],
    formats: format === undefined && calendar !== "buddhist" ? [] : formats(reader, format, calendar, type),
    calendar,
    decimal: column.decimal ?? shared.decimal,
    group,
    currency: column.currency,
    plainDigits: column.plainDigits,
    yes,
    no,
    nulls: new Set(column.null ?? table.null),
    trim: column.trim ?? table.trim,
    guarded: table.formulaGuard,
    optional: column.optional ?? (!isNeeded && table.optional)
  }
}

/** Keys of a column that are read only for some types. */
const ofTypes: ReadonlyArray<readonly [key: string, types: ReadonlyArray<ColumnLayout["type"]>]> = [
  ["currency", ["decimal", "integer"]],
  ["decimal", ["decimal", "integer"]],
  ["group", ["decimal", "integer"]],
  ["calendar", ["date", "timestamp"]],
  ["plainDigits", ["text"]],
  ["true", ["boolean"]],
  ["false", ["boolean"]]
]

/** The signs of numbers; `undefined` if the key is absent or wrong. */
type Signs = Pick<Values<typeof columnKeys>, "decimal" | "group">

/** Reports one sign with two meanings, if this map sets one of them. A sign that is wrong is already reported. */
const checkSigns = (reader: SyntaxReader, map: SyntaxMap | undefined, own: Signs, table?: Signs): void => {
  const [group, decimal] = (["group", "decimal"] as const).map((word) => map?.entries.get(word))
  const last = group ?? decimal
  if (last === undefined) return
  if (reader.problems.some(({ mapping }) => mapping === group?.value.span || mapping === decimal?.value.span)) return
  if ((group === undefined ? table?.group : own.group) !== (own.decimal ?? table?.decimal)) return
  reader.report("invalid-value", last.value.span, "`group` and `decimal` are the same sign", {
    help: ["for example  decimal: \",\", group: \".\""]
  })
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
  written: Placed<ReadonlyArray<SyntaxScalar>> | undefined,
  calendar: Calendar | undefined,
  type: ColumnLayout["type"]
): ReadonlyArray<WrittenFormat> => {
  if (type !== "date" && type !== "timestamp") {
    if (written !== undefined) {
      reader.report("invalid-value", written.span, "only a date or a timestamp has a `format`", {
        help: ["set  type: date  or  type: timestamp"]
      })
    }
    return []
  }
  if (written === undefined) return iso.map((text) => ({ text, calendar }))
  return written.value.flatMap(({ span, value }) => {
    const text = String(value)
    const format = parseDateFormat(text, calendar)
    if ("read" in format) return [{ text, calendar }]
    return reader.report("invalid-value", span, `\`${text}\` is not a format of dates`, {
      label: format.fault,
      help: ["for example  DD/MM/YYYY HH:mm   D MMM YYYY   YYYYMMDD   MM/DD/YY hh:mm A"]
    }) ?? []
  })
}
