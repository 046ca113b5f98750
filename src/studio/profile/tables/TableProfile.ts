import type { Frequencies } from "../Profile.ts"
import type { DateShape } from "./DateShapes.ts"

/** An expression over `$`, the number as it is written, and why it is there. */
export interface TableConversion {
  readonly path: string
  readonly why: string
}

/** What the cells of a column are, all but a few of them. */
export type ColumnKind = "empty" | "text" | "code" | "integer" | "decimal" | "boolean" | "date" | "timestamp" | "clock"

/** A column of a table, in numbers: no value, but for codes that say nothing about one person. */
export interface ColumnProfile {
  readonly name: string
  readonly kind: ColumnKind
  readonly filled: number
  /** Of the rows, 0 to 1. */
  readonly share: number
  /** Different values; of very many an estimate. */
  readonly different: number
  readonly estimated: boolean
  /** No value stands in two rows, as far as was held. */
  readonly unique: boolean
  readonly dates: ReadonlyArray<DateShape>
  /** The sign of decimals, where there are some; whether the other one stands between groups of three digits. */
  readonly decimal?: "." | ","
  readonly grouped?: true
  /** A sign behind which three digits stand in every number: thousands or thousandths, which its cells do not tell. */
  readonly either?: "." | ","
  /** Numbers among values that are not all numbers, and what else is among them. */
  readonly numbers: number
  readonly leadingZeros: number
  /** Words that mean no value. */
  readonly nulls: Frequencies
  readonly padded: number
  readonly guarded: number
  /** The most frequent of its codes that may be shown, and how many different ones are not. */
  readonly codes: Frequencies
  readonly withheld: number
  readonly scripts: Frequencies
  /** The vital sign it holds. */
  readonly vital?: string
  /** It holds a person's height or weight. */
  readonly size?: "height" | "weight"
  /** How its numbers become those of the unit that is sent, of `$`. */
  readonly conversion?: TableConversion
  /** Its codes have the form of ICD-10. */
  readonly diagnoses?: true
  /** Two pressures in one cell: `120/80`. */
  readonly pressures?: true
  /** Clocks have seconds. */
  readonly seconds?: true
  /** Values that are names or codes of vital signs, and of which. */
  readonly signs?: ReadonlyArray<readonly [value: string, sign: string]>
  /** Values that are names or codes of a person's height and weight. */
  readonly sizes?: ReadonlyArray<readonly [value: string, size: "height" | "weight"]>
  /** A column of the mapping reads it, where a table of the mapping is this file. */
  readonly read?: boolean
}

/** A column whose values name rows of another table. */
export interface ForeignKey {
  readonly column: string
  /** With it names the row, where the key has two columns. */
  readonly beside?: ReadonlyArray<string>
  readonly table: string
  readonly key: string
  /** Of the rows that name one, how many name a row that is not there; a share of a sample, 0 to 1. */
  readonly orphans: number
  /** Its name says so too. */
  readonly byName: boolean
}

/** A file of a table. */
export interface TableProfile {
  readonly file: string
  /** What it is called here: the name of the mapping's table, or a word made of the file's name. */
  readonly name: string
  /** The mapping reads the file. */
  readonly declared: boolean
  readonly rows: number
  readonly unreadable: number
  readonly encoding: string
  readonly guessed: boolean
  readonly delimiter: string
  /** The row that names the columns, where titles stand above it. */
  readonly headerRow?: number
  /** Columns that tell every row from the others, the likeliest first. */
  readonly keys: ReadonlyArray<string>
  /** Where no column tells the rows apart: two that do. */
  readonly pair?: readonly [string, string]
  readonly links: ReadonlyArray<ForeignKey>
  readonly columns: ReadonlyArray<ColumnProfile>
}
