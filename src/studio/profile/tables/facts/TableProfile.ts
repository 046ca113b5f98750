import type { KindOfLine } from "../../../../visit/rules/kindOfLine.ts"
import type { Frequencies } from "../../Profile.ts"
import type { DateShape } from "../columns/DateShapes.ts"

/**
 * An expression over `$`, the number as written, and the reason for it, or what only people can confirm about it. `null`: nothing is sent
 * before they do.
 */
export type TableConversion =
  | { readonly path: string; readonly why: string }
  | { readonly path: string | null; readonly question: string }

/** The kind of nearly all cells of a column. */
export type ColumnKind = "empty" | "text" | "code" | "integer" | "decimal" | "boolean" | "date" | "timestamp" | "clock"

/** The statistics of a table's column. No values are included, except codes that identify no person. */
export interface ColumnProfile {
  readonly name: string
  readonly kind: ColumnKind
  readonly filled: number
  /** Fraction of the rows, 0 to 1. */
  readonly share: number
  /** Number of distinct values; an estimate if there are very many. */
  readonly different: number
  readonly estimated: boolean
  /** No value occurs in two rows, among the values held. */
  readonly unique: boolean
  readonly dates: ReadonlyArray<DateShape>
  /** Its dates span decades, as births do, so it has no beginning or end of a visit. */
  readonly decades?: true
  /** Each of its times is 00:00. */
  readonly midnight?: true
  /** The cells with the time 00:00, if they are too many to be by chance, and others have another time. */
  readonly midnights?: number
  /** The number of cells that can be dates, if it is called after dates and its cells are not read as dates. */
  readonly unreadDates?: number
  /** The number of its times from 01:00 to 06:59, if none shows that its clock has 24 hours: each can be in the afternoon. */
  readonly early?: number
  /** The decimal sign, if there are decimals, and whether the other sign separates groups of three digits. */
  readonly decimal?: "." | ","
  readonly grouped?: true
  /** A sign followed by three digits in every number: thousands or thousandths, which the cells do not decide. */
  readonly either?: "." | ","
  /** Blanks separate groups of three digits. */
  readonly spaced?: true
  /** The signs of currencies next to its numbers, the most frequent first; the last can be `""`, for numbers without one. */
  readonly currencies?: Frequencies
  /** Some numbers have a decimal point and others a decimal comma. */
  readonly bothSigns?: true
  /** The least of its numbers, if it is that of a list. */
  readonly first?: 0 | 1
  /** Some of its numbers are negative. */
  readonly negative?: true
  /** The number of cells that are numbers. */
  readonly numbers: number
  readonly leadingZeros: number
  /** The number of cells that are written with decimals, although they number rows: `1001.0`. */
  readonly floated?: number
  /** Every value looks like the number of a record: it has a digit, and no blank. */
  readonly numbered?: true
  /** Words that mean no value. */
  readonly nulls: Frequencies
  /** The number of cells without letters that have digits of other scripts than Latin. */
  readonly otherDigits?: number
  readonly padded: number
  readonly guarded: number
  /** The most frequent codes that may be shown, and the number of distinct codes that may not. */
  readonly codes: Frequencies
  readonly withheld: number
  readonly scripts: Frequencies
  /** Its values are names in a table of people. */
  readonly ofPeople?: true
  /** The vital sign it holds. */
  readonly vital?: string
  /** It holds a person's height or weight. */
  readonly size?: "height" | "weight"
  /** The unit of the height or weight, if neither the header nor the cells state it. */
  readonly assumedUnit?: "cm" | "m" | "kg"
  /** The conversion of its numbers, `$`, to the unit that is sent. */
  readonly conversion?: TableConversion
  /** Cells with the form of an ICD-10 code, if most cells have it. */
  readonly diagnoses?: number
  /** Some of these cells list several codes, with these signs between them. */
  readonly listSigns?: ReadonlyArray<string>
  /** The number of digits, if every cell is a number with as many. */
  readonly digits?: number
  /** Two pressures in one cell: `120/80`. */
  readonly pressures?: true
  /** Some of them are in centimetres of mercury: `12/8`. */
  readonly shortPressures?: true
  /** The formats of its clocks: `HH:mm`. */
  readonly clockFormats?: ReadonlyArray<string>
  /** Values that are names or codes of vital signs, each with its sign. */
  readonly signs?: ReadonlyArray<readonly [value: string, sign: string]>
  /** Values that are names or codes of a person's height and weight. */
  readonly sizes?: ReadonlyArray<readonly [value: string, size: "height" | "weight"]>
  /** Values that name a kind of row in a list of charges, such as a payment or a total. */
  readonly kinds?: ReadonlyArray<readonly [value: string, kind: KindOfLine]>
  /** The names that a short table of names has for its values, such as `Female` for 1. */
  readonly names?: ReadonlyMap<string, string>
  /** All rows of a bill have the same amount in it. `total`: it is the sum of their other amounts. */
  readonly ofBill?: "total" | "equal"
  /** A column of the mapping reads it, where a table of the mapping is this file. */
  readonly read?: boolean
}

/** A column whose values name rows of another table. */
export interface ForeignKey {
  readonly column: string
  /** The second column of the key, if the key has two columns. */
  readonly beside?: ReadonlyArray<string>
  readonly table: string
  readonly key: string
  /** The fraction of rows with a reference whose target row is missing; estimated from a sample, 0 to 1. */
  readonly orphans: number
  /** The column's name suggests it too. */
  readonly byName: boolean
}

/** A table in a file, or in several with the same columns. */
export interface TableProfile {
  /** The file, or the first of several. */
  readonly file: string
  /** If there are several: their number, and the names or patterns by which the mapping reads them. */
  readonly several?: { readonly count: number; readonly names: ReadonlyArray<string> }
  /** The table's name: that in the mapping, or one derived from the file name. */
  readonly name: string
  /** The mapping reads the file. */
  readonly declared: boolean
  readonly rows: number
  readonly unreadable: number
  readonly encoding: string
  readonly guessed: boolean
  readonly delimiter: string
  /** The row with the column names, if title rows precede it. */
  readonly headerRow?: number
  /** Columns that are unique in every row, the most likely key first. */
  readonly keys: ReadonlyArray<string>
  /** No column is unique in every row. The first of `keys` is, except in about this many rows: empty, or with the value of another. */
  readonly keyFaults?: number
  /** The first of `keys` numbers the visits, and some have several rows: about how many rows repeat it, and the columns that differ in them. */
  readonly visitRows?: {
    readonly repeats: number
    readonly varying: ReadonlyArray<string>
    /** The sets of columns that are filled together in rows, if there are few. */
    readonly patterns?: ReadonlyArray<ReadonlyArray<string>>
  }
  /** The columns that only the first of several rows has. The profile has them in each row. */
  readonly head?: ReadonlyArray<string>
  /** The rows are parts of the rows of another table, in the same file. */
  readonly isPart?: true
  /** Each row of the part can be on several rows of the file. */
  readonly isRepeated?: true
  /** If no single column is a key: two columns that are unique together. */
  readonly pair?: readonly [string, string]
  readonly links: ReadonlyArray<ForeignKey>
  /** The columns in which some rows name another row of the table, such as that of a package. */
  readonly ownReferences?: ReadonlyArray<string>
  readonly columns: ReadonlyArray<ColumnProfile>
}
