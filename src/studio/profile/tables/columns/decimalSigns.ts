import type { ColumnProfile, TableProfile } from "../facts/TableProfile.ts"
import { isMoney } from "../words/columnWords.ts"
import type { ColumnFacts } from "./ColumnFacts.ts"

type Signs = Pick<ColumnProfile, "decimal" | "grouped" | "either" | "bothSigns" | "spaced">

/** Returns how the numbers of a column are written, judged by its own cells. */
export const signsIn = (column: ColumnFacts): Signs & Pick<ColumnProfile, "currencies"> => ({
  ...signsOfNumbers(column),
  ...currenciesIn(column)
})

const currenciesIn = ({ currencies, decimals, integers }: ColumnFacts): Pick<ColumnProfile, "currencies"> => {
  if (currencies.size === 0) return {}
  const signed = Array.from(currencies.values(), ({ count, sign }) => [sign, count] as const)
    .toSorted(([, one], [, other]) => other - one)
  const plain = decimals + integers - signed.reduce((sum, [, count]) => sum + count, 0)
  return { currencies: plain === 0 ? signed : [...signed, ["", plain]] }
}

const signsOfNumbers = ({ decimals, signs: { ",": comma, ".": point }, spaced }: ColumnFacts): Signs => {
  // Amounts with a currency and without decimals have neither sign.
  if (decimals === 0 || (spaced === 0 && [comma, point].every((one) => one.decimals + one.groups + one.either === 0))) {
    return {}
  }
  // Next to blanks between thousands, the other sign is that of decimals.
  if (spaced > 0) {
    const isComma = comma.decimals + comma.either > point.decimals + point.either
    return { decimal: isComma ? "," : ".", spaced: true }
  }
  const points = point.decimals + comma.groups
  const commas = comma.decimals + point.groups
  if (points + commas === 0) {
    return {
      either: point.either >= comma.either ? "." : ",",
      ...(point.either > 0 && comma.either > 0 ? { bothSigns: true } : {})
    }
  }
  const decimal = points >= commas ? "." : ","
  const other = decimal === "." ? comma : point
  return {
    decimal,
    ...(other.groups + other.either > 0 ? { grouped: true } : {}),
    ...(points > 0 && commas > 0 ? { bothSigns: true } : {})
  }
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

const literal = { ".": "[.]", ",": "," } as const

/** Matches a number with a sign that can be decimal or separate thousands. */
const ambiguous = (sign: "." | ","): string => `'^[+-]?[1-9][0-9]{0,2}${literal[sign]}[0-9]{3}$'`

/** Matches a number whose thousands are separated by one sign, and its decimals by the other. */
const inGroups = (group: "." | ","): string =>
  `'^[+-]?[1-9][0-9]{0,2}(${literal[group]}[0-9]{3})+(${literal[group === "." ? "," : "."]}[0-9]+)?$'`

/** Matches a number with leading zeros, which can be an identifier. */
const leadingZero = "'^[+-]?0[0-9]'"

const unless = (...patterns: ReadonlyArray<string>): string =>
  `where(${patterns.map((pattern) => `matches(${pattern}).not()`).join(" and ")})`

/**
 * Writes the path, on a cell that is read as text, to its number with a decimal point. A number with leading zeros has none. Nor has a
 * number whose sign is undecided: it could be wrong by a factor of a thousand.
 */
export const numberInText = ({ bothSigns, decimal, either, grouped }: ColumnProfile): string => {
  if (decimal === undefined || either !== undefined) {
    return unless(leadingZero, ambiguous(bothSigns === true ? "." : either ?? "."))
  }
  if (decimal === ".") {
    return grouped === true && bothSigns !== true ? `${unless(leadingZero)}.${withoutGroups(",")}` : unless(leadingZero)
  }
  return grouped !== true || bothSigns === true
    ? `${unless(leadingZero, ambiguous("."))}.replace(',', '.')`
    : `${unless(leadingZero)}.${withoutGroups(".")}.replace(',', '.')`
}

const withoutGroups = (group: "." | ","): string =>
  `select(iif(matches(${inGroups(group)}), replace('${group}', ''), $this))`

/** Asks what a sign means where the cells of a column do not decide it; `resultNumber` is the function that reads the numbers. */
export const askAboutSign = (
  { bothSigns, decimal, either, grouped }: ColumnProfile,
  column: string
): string | undefined => {
  const sign = either ?? (bothSigns === true && grouped === true ? (decimal === "." ? "," : ".") : undefined)
  if (sign === undefined) return undefined
  const answer = either === undefined
    ? "Other numbers of the column have a decimal point, others a decimal comma: correct them in the source"
    : `In  function: resultNumber  write  "replace('${sign}', '')"  for thousands,  ${
      sign === "." ? "\"$this\"" : "\"replace(',', '.')\""
    }  for decimals`
  return `does the ${
    sign === "," ? "comma" : "point"
  } in results such as 5${sign}100 separate thousands or decimals? Those of \`${column}\` are sent as text. ${answer}`
}
