import type { ColumnFacts } from "./ColumnFacts.ts"
import { isMoney } from "./columnWords.ts"
import type { ColumnProfile, TableProfile } from "./TableProfile.ts"

type Signs = Pick<ColumnProfile, "decimal" | "grouped" | "either">

/** Returns how the numbers of a column are written, judged by its own cells. */
export const signsIn = ({ decimals, signs: { ",": comma, ".": point } }: ColumnFacts): Signs => {
  if (decimals === 0) return {}
  const points = point.decimals + comma.groups
  const commas = comma.decimals + point.groups
  if (points + commas === 0) return { either: point.either >= comma.either ? "." : "," }
  const decimal = points >= commas ? "." : ","
  const other = decimal === "." ? comma : point
  return { decimal, ...(other.groups + other.either > 0 ? { grouped: true } : {}) }
}

/**
 * Decides ambiguous columns, in which `15.000` can be fifteen or fifteen thousand. The other columns of the file decide, and for money
 * the amounts in other files. Otherwise money is read as thousands, because amounts rarely have three decimals.
 */
export const withSigns = (tables: ReadonlyArray<TableProfile>): ReadonlyArray<TableProfile> => {
  const money = signOf(tables.flatMap(({ columns }) => columns.filter(({ name }) => isMoney(name))))
  return tables.map((table) => {
    if (!table.columns.some(({ either }) => either !== undefined)) return table
    const own = signOf(table.columns)
    return {
      ...table,
      columns: table.columns.map((column) => {
        const { either } = column
        if (either === undefined) return column
        const other = either === "." ? "," : "."
        const decimal = own ?? (isMoney(column.name) ? money ?? other : either)
        return { ...column, decimal, ...(decimal === either ? {} : { grouped: true as const }) }
      })
    }
  })
}

/** Returns the decimal sign of the unambiguous columns, or none if they disagree. */
const signOf = (columns: ReadonlyArray<ColumnProfile>): "." | "," | undefined => {
  const reported = new Set(columns.flatMap(({ decimal, either }) => either === undefined && decimal ? [decimal] : []))
  return reported.size === 1 ? [...reported][0] : undefined
}

/** Describes the assumption made for such a column. */
export const guessDecimalSign = ({ either, grouped }: ColumnProfile): string =>
  `three digits follow every ${either === "," ? "comma" : "point"}: read as ${
    grouped === true ? "thousands" : "decimals"
  }`
