import { decimalText, isDecimal } from "../../json/Decimal.ts"
import { isJsonObject, type JsonObject } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import { guarded } from "../../source/tables/cells/formulaGuard.ts"
import { byteOrderMark, csvRow } from "../../source/tables/rows/writeCsv.ts"
import type { Visit } from "../../visit/Visit.ts"
import type { ExtractColumn, ExtractTable } from "./extractTables.ts"
import { extract } from "./extractTables.ts"
import { normalize } from "./normalize.ts"

/** Rows of the canonical extract, as text, by table. */
type ExtractRows = Map<string, string>

/** The first line of a table's file. */
export const extractHeader = (table: ExtractTable): string =>
  `${byteOrderMark}${csvRow(table.columns.map(({ name }) => name))}`

/**
 * Writes visits as rows of the canonical extract (docs/csv.md), which the mapping `csv` turns into the same visits again. Every field of
 * §2.4 to §2.6 is in it.
 */
export class CsvWriter {
  readonly #visits = new Set<string>()
  /** The records of each patient, each with its version. */
  readonly #patients = new Map<string, Map<string, string>>()

  /** Returns the rows of a visit; `undefined` if a visit with its code was written before. */
  rows(from: Visit): ReadonlyMap<string, string> | undefined {
    if (this.#visits.has(from.code)) return undefined
    this.#visits.add(from.code)
    const visit = normalize(from)
    const rows: ExtractRows = new Map()
    const { patient, referrals } = visit
    const { isNew, version } = this.#patient(patient)
    addRow(rows, extract.visit, visit, new Map([["patient_version", version]]))
    this.#lists(rows, extract.visit, visit, [String(visit.code)])
    if (isNew) {
      addRow(rows, extract.patient, patient, new Map([["version", version]]))
      this.#lists(rows, extract.patient, patient, [String(patient.code), version])
    }
    if (isJsonObject(referrals)) {
      addRow(rows, extract.referral, referrals, new Map([["visit_code", String(visit.code)]]))
    }
    return rows
  }

  #patient(patient: JsonObject): { readonly version: string; readonly isNew: boolean } {
    const code = String(patient.code)
    const records = getOrMake(this.#patients, code, () => new Map())
    const content = JSON.stringify(patient)
    const known = records.get(content)
    if (known !== undefined) return { version: known, isNew: false }
    const version = records.size === 0 ? "" : String(records.size + 1)
    records.set(content, version)
    return { version, isNew: true }
  }

  #lists(rows: ExtractRows, above: ExtractTable, component: JsonObject, key: ReadonlyArray<string>): void {
    for (const { path, table } of above.lists) {
      const list = valueAt(component, path)
      if (!Array.isArray(list)) continue
      list.forEach((entry: unknown, index) => {
        const position = [...key, String(index + 1)]
        const numbers = new Map(position.flatMap((number, at) => {
          const column = table.columns[at]
          return column === undefined ? [] : [[column.name, number]]
        }))
        addRow(rows, table, entryOf(table, entry), numbers)
        if (table.holds === "component" && isJsonObject(entry)) this.#lists(rows, table, entry, position)
      })
    }
  }
}

const addRow = (
  rows: ExtractRows,
  table: ExtractTable,
  entry: JsonObject,
  own: ReadonlyMap<string, string>
): void => {
  const cells = table.columns.map((column) => own.get(column.name) ?? cellOf(column, entry))
  rows.set(table.name, (rows.get(table.name) ?? "") + csvRow(cells))
}

/** Returns the content of a row, by the columns of a table that represents no component. */
const entryOf = (table: ExtractTable, entry: unknown): JsonObject => {
  if (!isJsonObject(entry)) return { text: entry }
  if (table.holds === "component") return entry
  const [[part, text] = []] = Object.entries(entry)
  return { part, text }
}

const valueAt = (component: JsonObject, path: ReadonlyArray<string>): unknown => {
  let value: unknown = component
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined
  return value
}

const cellOf = ({ field, name, path, type }: ExtractColumn, entry: JsonObject): string => {
  const value = valueAt(entry, field === undefined ? [name] : path)
  if (value === null || value === undefined || Array.isArray(value)) return ""
  if (field?.kind === "text-or-decimal") {
    const isText = typeof value === "string"
    return isText === (type === "decimal") ? "" : isText ? guarded(value) : isDecimal(value) ? decimalText(value) : ""
  }
  if (type === "decimal" && isDecimal(value)) return decimalText(value)
  if (field?.kind === "object") return guarded(JSON.stringify(value))
  return type === "text" ? guarded(String(value)) : String(value)
}
