import { isUnit } from "../../../../mapping/codes/convertQuantity.ts"
import type { ColumnProfile } from "../facts/TableProfile.ts"
import type { TableFinder } from "../TableFinder.ts"
import type { Declared } from "../TableRole.ts"
import { columnWordsOf, withoutUnit } from "./columnWords.ts"

/** Spellings of the units of vital signs, height and weight: in lower case, without blanks and signs of degrees. */
const spellings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "mm[Hg]": "mmhg mm[hg]",
    "kPa": "kpa",
    "/min":
      "/min /mn bpm rpm cpm 1/min min-1 x/min x/mn permin perminute /minute beats/min beats/minute beatsperminute breaths/min breaths/minute breathsperminute",
    "Cel": "c cel celsius centigrade",
    "[degF]": "f [degf] fahrenheit",
    "%": "% percent pct",
    "mg/dL": "mg/dl mg%",
    "mmol/L": "mmol/l",
    "kg": "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes",
    "g": "g gr gm gms gram grams gramme grammes",
    "[lb_av]": "lb lbs pound pounds [lb_av]",
    "[oz_av]": "oz ounce ounces [oz_av]",
    "cm": "cm cms centimeter centimeters centimetre centimetres",
    "m": "m meter meters metre metres",
    "mm": "mm millimeter millimeters millimetre millimetres",
    "[in_i]": "in inch inches [in_i]",
    "[ft_i]": "ft foot feet [ft_i]"
  }).flatMap(([unit, all]) => all.split(" ").map((spelling) => [spelling, unit] as const))
)

/** Returns the UCUM unit that a spelling means. */
export const unitSpelt = (written: string): string | undefined =>
  spellings.get(
    written.normalize("NFKC").toLowerCase().replaceAll(/[\s°º˚.]+/gu, "").replace(/^deg(?:rees?)?(?=[cf])/u, "")
      .replace(
        "℃",
        "c"
      )
  )

/** Returns the UCUM unit in the name of a measure: of `Weight (lb)`. */
export const unitInName = (name: string): string | undefined => {
  const { unit } = withoutUnit(name)
  return /\bmin/u.test(unit) ? "/min" : unitSpelt(unit.replace(/ (?=(?:d ?)?l$)/u, "/"))
}

/**
 * Returns the column of the units of a table's values. A column of wards can have such a name too. Units can be `F`, as a word for no. The
 * column can be empty so far.
 */
export const unitColumnOf = (finder: TableFinder): Declared | undefined =>
  finder.own(
    unitWords,
    ({ column }) =>
      ["code", "text", "boolean"].includes(column.kind) && !isOfWards(column) &&
      !finder.role.links.some(({ foreignKey }) => foreignKey.column === column.name)
  ) ?? finder.emptyOwn(unitWords)

const unitWords = [
  /^(?:(?:value|result|measure\w*|obs\w*|reading) ?)?(?:units?|uom|unit of measure\w*|unidad(?:es)?|unidades?|unites?|einheit|satuan|don vi)$/u
]

const isOfWards = ({ codes }: ColumnProfile): boolean =>
  codes.some(([code]) =>
    /\b(?:wards?|[nps]?icu|ccu|opd|ipd|er|ed|emergency|clinic|surg\w*|medical|medicine|matern\w*|pa?ediatric\w*)\b/u
      .test(
        columnWordsOf(code)
      )
  )

/** Sorts the spellings in a column of units: those that are not UCUM, each with its unit, and those whose unit is unknown. */
export const spellingsIn = (
  { codes }: ColumnProfile
): {
  readonly known: ReadonlyArray<readonly [spelling: string, unit: string]>
  readonly unknown: ReadonlyArray<string>
} => {
  const written = codes.map(([code]) => [code, unitSpelt(code)] as const)
  return {
    known: written.flatMap(([code, unit]) => (unit === undefined || unit === code ? [] : [[code, unit] as const])),
    unknown: written.flatMap(([code, unit]) => (unit === undefined && !isUnit(code) ? [code] : []))
  }
}
