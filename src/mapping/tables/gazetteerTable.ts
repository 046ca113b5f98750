import { Result } from "effect"
import type { Span } from "../../diagnostic/Span.ts"
import { unguarded } from "../../source/tables/cells/formulaGuard.ts"
import { type AdministrativeUnit, type Gazetteer, unitsAround } from "../../visit/values/Gazetteer.ts"
import { checkNumbers } from "../language/checkNumbers.ts"
import { parseYaml } from "../language/parseYaml.ts"
import { columnName, type CsvCell, delimiterOf, readCsvCells } from "./csvCells.ts"
import { TableReader, type TableRows } from "./TableRows.ts"

const columns = ["code", "name", "parent"] as const

/** A unit as written: without a parent, the parent is found by the code. */
interface Written {
  readonly code: string
  readonly span: Span
  readonly name: string
  readonly parent: string
  readonly parentSpan: Span
}

/**
 * Reads a gazetteer: CSV with the columns `code` and `name`, and `parent` if codes do not begin with the code of their parent unit.
 * YAML has a name for each code, or `{name: …, parent: …}`. Codes are texts: leading zeros stay. Further columns are ignored.
 */
export const readGazetteerTable = (file: string, text: string) => {
  const reader = new TableReader(file)
  const written = /\.ya?ml$/iu.test(file) ? yamlPlaces(file, text, reader) : csvPlaces(file, text, reader)
  const first = new Map<string, Written>()
  for (const place of written) {
    const known = first.get(place.code)
    if (known === undefined) first.set(place.code, place)
    else if (known.name !== place.name || known.parent !== place.parent) {
      reader.report("invalid-value", place.span, `duplicate code \`${place.code}\``, {
        label: "another unit here",
        help: ["keep one of the two rows"],
        labels: [{ span: known.span, text: "the first" }]
      })
    }
  }
  const places = new Map<string, AdministrativeUnit>()
  for (const { code, name, parent, parentSpan } of first.values()) {
    if (parent !== "" && (parent === code || !first.has(parent))) {
      reader.report("invalid-value", parentSpan, `\`parent\` of \`${code}\` is the code of no other unit of the table`)
    }
    places.set(code, { name, parent: parent === "" ? beginningOf(code, first) : parent })
  }
  return { places, reader }
}

/** Returns the longest code of the table that is a prefix of a code. */
const beginningOf = (code: string, codes: ReadonlyMap<string, unknown>): string | null => {
  for (let length = code.length - 1; length > 0; length--) {
    if (codes.has(code.slice(0, length))) return code.slice(0, length)
  }
  return null
}

const csvPlaces = (file: string, text: string, reader: TableReader): ReadonlyArray<Written> => {
  const cells = readCsvCells(file, text, delimiterOf(text, (name) => columns.some((column) => column === name)))
  if (Result.isFailure(cells)) {
    const { reason, span } = cells.failure
    reader.report("invalid-value", span, "the table is not CSV that can be read", { label: reason })
    return []
  }
  const [header, ...rows] = cells.success
  const names = (header ?? []).map(({ text }) => columnName(text))
  const missing = columns.find((column) => column !== "parent" && !names.includes(column))
  if (missing !== undefined) {
    reader.report(
      "missing-key",
      header?.[0]?.span ?? { file, line: 1, column: 1, endColumn: 2 },
      `the table has no column \`${missing}\``,
      { help: ["its first line names the columns:  code,name   or  code,name,parent"] }
    )
    return []
  }
  return rows.flatMap((row): ReadonlyArray<Written> => {
    const cell = (column: (typeof columns)[number]): CsvCell | undefined => row[names.indexOf(column)]
    const textOf = (column: (typeof columns)[number]): string => unguarded(cell(column)?.text ?? "").trim()
    const { span } = cell("code") ?? row[0] ?? {}
    if (span === undefined) return []
    if (textOf("code") !== "") {
      const [name, parent] = [textOf("name"), textOf("parent")]
      return [{ code: textOf("code"), span, name, parent, parentSpan: cell("parent")?.span ?? span }]
    }
    if (row.some(({ text }) => text.trim() !== "")) reader.report("invalid-value", span, "this row has no code")
    return []
  })
}

const yamlPlaces = (file: string, text: string, reader: TableReader): ReadonlyArray<Written> => {
  const { problems, syntax } = parseYaml(file, text)
  reader.problems.push(...problems)
  if (syntax === undefined) return []
  checkNumbers(reader, syntax)
  const map = reader.map(syntax, "a gazetteer in YAML")
  if (map === undefined) return []
  return [...map.entries].flatMap(([code, entry]): ReadonlyArray<Written> => {
    const { key: span, value } = entry
    if (value.kind !== "map") {
      const name = reader.text(entry, `the name of \`${code}\``)
      return name === undefined ? [] : [{ code, span, name, parent: "", parentSpan: span }]
    }
    const place = reader.map(value, `\`${code}\``, ["name", "parent"])?.entries
    const parent = place?.get("parent")
    return [{
      code,
      span,
      name: reader.text(place?.get("name"), "`name`") ?? "",
      parent: reader.text(parent, "`parent`") ?? "",
      parentSpan: parent?.value.span ?? span
    }]
  })
}

/** Returns whether the first line of a CSV text is a gazetteer's, so that another table of codes and names is not treated as one. */
export const isGazetteer = (text: string): boolean => {
  const header = new Set(text.replace(/[\r\n][^]*$/u, "").split(/[,;\t]/u).map(columnName))
  return columns.every((column) => header.has(column)) &&
    !["value", "target", "source"].some((name) => header.has(name))
}

/**
 * Returns a gazetteer as a code table: the names from the highest unit down, joined by ` / `, map to the code. A name shared by
 * two units maps to neither.
 */
export const gazetteerRows = ({ places, reader }: {
  readonly places: Gazetteer
  readonly reader: TableReader
}, file: string): TableRows => {
  const span: Span = { file, line: 1, column: 1, endColumn: 2 }
  const codes = new Map<string, string | null>()
  for (const code of places.keys()) {
    const fromTheTop = [code, ...unitsAround(places, code)].toReversed()
    const names = fromTheTop.map((one) => places.get(one)?.name ?? "").join(" / ")
    codes.set(names, codes.has(names) ? null : code)
  }
  for (const [names, code] of codes) {
    if (code !== null) reader.row("", { text: names, span }, { text: code, span })
  }
  return reader.done()
}
