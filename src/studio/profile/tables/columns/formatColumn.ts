import { number, plural } from "../../../../diagnostic/count.ts"
import { printable } from "../../../../diagnostic/render/printable.ts"
import { percentageOf } from "../declareTable.ts"
import type { ColumnProfile, ForeignKey, TableProfile } from "../facts/TableProfile.ts"
import { guessDecimalSign } from "./decimalSigns.ts"

/** Describes a column in words, except for how full it is. */
export const formatColumn = (
  column: ColumnProfile,
  { keyFaults, keys, rows, visitRows }: TableProfile
): ReadonlyArray<string> => {
  const {
    currencies = [],
    dates,
    decimal,
    different,
    estimated,
    filled,
    grouped,
    guarded,
    kind,
    leadingZeros,
    nulls,
    numbers,
    padded
  } = column
  const several = `${estimated ? "about " : ""}${number(different)} different`
  return [
    ...(keys.includes(column.name)
      ? [keyFaults === undefined && visitRows === undefined ? `${several}, unique` : several]
      : kind === "text" || kind === "code" || kind === "integer"
      ? [several]
      : []),
    ...dates.slice(0, 3).map(({ ambiguous, calendar, count, format, mixed, offset }) =>
      [
        `${format}${dates.length > 1 ? ` ${number(count)}` : ""}`,
        ...(calendar === "buddhist" ? ["Buddhist years"] : []),
        ...(offset === "Z" ? ["Z"] : offset === "offset" ? ["with offset"] : []),
        ...(mixed ? ["day first and month first"] : ambiguous ? ["day or month first: ambiguous"] : [])
      ].join(", ")
    ),
    ...(column.either === undefined
      ? [...(decimal === "," ? ["decimal comma"] : []), ...(grouped === true ? ["groups of three digits"] : [])]
      : [guessDecimalSign(column)]),
    ...currencies.map(([sign, count]) =>
      sign === "" ? plural(count, "number without a sign", "numbers without a sign") : `currency ${sign}`
    ),
    ...(kind === "text" && numbers > 0 && numbers < filled ? [plural(numbers, "is a number", "are numbers")] : []),
    ...(leadingZeros > 0 ? ["leading zeros"] : []),
    ...(column.vital === undefined ? [] : [`vital sign: ${column.vital}`]),
    ...(column.diagnoses === undefined
      ? []
      : [`${column.diagnoses < filled ? `${plural(column.diagnoses, "has", "have")} the ` : ""}form of ICD-10`]),
    ...(column.listSigns === undefined ? [] : ["several codes in a cell"]),
    ...(nulls.length === 0
      ? []
      : [`no value: ${nulls.map(([word, count]) => `${printable(word)} ${number(count)}`).join(", ")}`]),
    ...(padded > 0 ? [`${number(padded)} with blanks at an end`] : []),
    ...(guarded > 0 ? [`${number(guarded)} after an apostrophe`] : []),
    ...(column.scripts.some(([script]) => script !== "Latin")
      ? [column.scripts.map(([script, count]) => `${script} ${number(count)}`).join(", ")]
      : []),
    ...(column.read === false && filled > 0 ? ["no line reads it"] : []),
    ...(rows > 0 && filled === 0 ? ["always empty"] : [])
  ]
}

/** Describes the rows that a column refers to. */
export const formatLink = ({ beside = [], byName, column, key, orphans, table }: ForeignKey): string =>
  `${[column, ...beside].map(printable).join(" + ")} names ${key} of ${table}${
    orphans === 0
      ? ""
      : `; ${percentageOf(orphans)} of rows refer to a row that does not exist`
  }${byName ? "" : "; by its values only"}`
