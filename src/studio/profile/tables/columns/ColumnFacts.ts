import { AtLeastThree } from "../../../../diagnostic/AtLeastThree.ts"
import { getOrMake, increment } from "../../../../maps.ts"
import { hashName } from "../../../../run/links/hashName.ts"
import { plainDigits, plainNumber } from "../../../../source/tables/cells/plainDigits.ts"
import { separatorsIn } from "../../../../visit/values/icd10.ts"
import { BoundedMap } from "../../bounded.ts"
import { scriptsOf } from "../../fhir/scripts.ts"
import { mayBeName } from "../../mayBeShown.ts"
import {
  born,
  columnWordsOf,
  isAmount,
  isKeyName,
  isMoney,
  isResult,
  isVisitColumnName,
  namesDate,
  namesDiagnosis,
  namesPatient,
  namesPressures,
  namesTime,
  nullWords,
  yesNo
} from "../words/columnWords.ts"
import { amountIn } from "./currencySigns.ts"
import { DateShapes, isEarly, isLate } from "./DateShapes.ts"
import { ValueSketch } from "./ValueSketch.ts"

/** Distinct values of a column that may be codes. */
const codeLimit = 300
const maxCodeLength = 60

const namedPressures = /^\d{2,3} ?[/xX\u00D7-] ?\d{2,3}(?: ?mm ?hg)?$/iu

/** The day that Access, and programs like it, write before a time of day: 30 December 1899. In a column of times also with two digits. */
const noLongDay = /^(?:(?:30[/.-]12|12[/.-]30)[/.-]1899|1899[/.-]12[/.-]30)[T ]+(?=\d)/u
const noDay = /^(?:(?:30[/.-]12|12[/.-]30)[/.-](?:18)?99|1899[/.-]12[/.-]30)[T ]+(?=\d)/u

/** The facts about one column, in memory that does not grow with it. */
export class ColumnFacts {
  readonly name: string
  filled = 0
  readonly values = new ValueSketch()
  readonly dates = new DateShapes()
  datedCells = 0
  /** Cells of a column that is called after dates that have two digits in a row, and are neither dates nor times. */
  undated = 0
  readonly nulls = new BoundedMap<{ count: number }>(8, () => ({ count: 0 }))
  integers = 0
  decimals = 0
  /** Per sign: how often it is the decimal sign, a group separator, or either (exactly three digits follow it). */
  readonly signs = { ".": { decimals: 0, groups: 0, either: 0 }, ",": { decimals: 0, groups: 0, either: 0 } }
  /** Numbers of patients, visits and other rows that a program has written with decimals: `1001.0`. They are counted as integers. */
  floated = 0
  /** Numbers that begin with a zero, as codes do. */
  zeros = 0
  least = Number.POSITIVE_INFINITY
  most = Number.NEGATIVE_INFINITY
  truths = 0
  /** Codes of the form that ICD-10 has, and lists of them. */
  diagnoses = 0
  /** What separates the codes of lists: `;` in `I10; E11.9`. */
  readonly listSigns = new Set<string>()
  clocks = 0
  /** Clocks without AM and PM from 01:00 to 06:59; and whether one has 24 hours. */
  #earlyClocks = 0
  #isLateClock = false
  /** The formats of clocks: `HH:mm`, `h:mm A`, and in a column that is called after times `HH.mm`, `HH[h]mm`, or `HHmmss`. */
  readonly clockFormats = new Set<string>()
  /** Weights in stones: `11 st 4 lb`. */
  stones = 0
  /** Amounts with a blank between groups of three digits. */
  spaced = 0
  /** The signs of currencies next to amounts, in lower case: each as first written, and the number of amounts. */
  readonly currencies = new Map<string, { readonly sign: string; count: number }>()
  /** Two pressures: `120/80`. In a column that is called after them, also `120x80`, `120-80` and `120/80 mmHg`. */
  pressures = 0
  /** Two pressures in centimetres of mercury, as in French: `12/8`. No living person has such a number of millimetres. */
  shortPressures = 0
  /** Dates with the time 00:00, which many programs add to a day. */
  midnights = 0
  /** Values with leading or trailing blanks; after an apostrophe; of several words. */
  padded = 0
  guarded = 0
  wordy = 0
  longest = 0
  /** Values without letters that have digits of other scripts: `១២០/៨០`. */
  otherDigits = 0
  shortest = Number.POSITIVE_INFINITY
  /** Values that consist of letters only. */
  letters = 0
  /** Values that look like record numbers: with a digit, without blanks, neither a time nor a measure. */
  numbered = 0
  readonly scripts = new Map<string, number>()
  readonly codes = new BoundedMap<{ count: number; readonly met: AtLeastThree }>(
    codeLimit,
    () => ({ count: 0, met: new AtLeastThree() })
  )

  readonly #isOfDates: boolean
  readonly #isOfBirths: boolean
  readonly #isOfTimes: boolean
  /** `Na` is sodium. */
  readonly #isOfTests: boolean
  readonly #isOfAmounts: boolean
  readonly #isOfMoney: boolean
  readonly #isOfResults: boolean
  readonly #isOfPressures: boolean
  readonly #isOfKeys: boolean

  constructor(name: string) {
    this.name = name
    this.#isOfDates = namesDate(name) && !isKeyName(name)
    this.#isOfBirths = born.test(columnWordsOf(name))
    this.#isOfTimes = namesTime(name)
    this.#isOfTests = /\b(?:tests?|analytes?|components?|parameters?|labels?|investigations?)\b/u.test(
      columnWordsOf(name)
    )
    this.#isOfPressures = namesPressures(name)
    this.#isOfKeys = (isKeyName(name) || isVisitColumnName(name) || namesPatient(name)) && !namesDiagnosis(name) &&
      !isResult(name)
    this.#isOfResults = isResult(name)
    this.#isOfMoney = isMoney(name)
    this.#isOfAmounts = (this.#isOfMoney || isAmount(name)) && !this.#isOfResults
  }

  /** Counts a cell that is not empty; `who` is the person that its row is about. */
  add(cell: string, who: number): void {
    const text = cell.trim()
    if (text === "") return
    if (text.length < 20 && nullWords.has(text.toLowerCase()) && !(this.#isOfTests && /^na$/iu.test(text))) {
      const known = this.nulls.at(text)
      if (known !== undefined) known.count++
      return
    }
    this.filled++
    if (text.length !== cell.length) this.padded++
    if (/^'[=+\-@]/u.test(text)) this.guarded++
    if (/^(?:(?=.*\d)[\p{L}\d_-]{3,}|\p{L}\d)$/u.test(text) && !/^\d{1,2}h\d{2}$/iu.test(text)) this.numbered++
    if (text.length > this.longest) this.longest = text.length
    if (text.length < this.shortest) this.shortest = text.length
    this.values.add(hashName(text))
    const plain = plainDigits(text)
    if (plain !== text && plainNumber(text) === plain) this.otherDigits++
    if (/\d[T ](?:00?[:.]00(?:[:.]00(?:[.,]0+)?)?|12[:.]00(?:[:.]00)?\s?[Aa]\.?[Mm]\.?)$/u.test(plain)) this.midnights++
    this.#kind(plain)
    if (text.length <= maxCodeLength) {
      const code = this.codes.at(text)
      if (code !== undefined) {
        code.count++
        code.met.add(who)
      }
    } else this.codes.beyond++
  }

  /** The times from 01:00 to 06:59 without AM and PM: each can be in the afternoon. 0 if an hour is of a clock with 24 hours. */
  get early(): number {
    return this.dates.early + (this.#isLateClock ? 0 : this.#earlyClocks)
  }

  /** There are more distinct values than the limit for codes. */
  get hasManyValues(): boolean {
    return this.codes.beyond > 0
  }

  #kind(text: string): void {
    const before = this.datedCells + this.clocks
    this.#ofKind(text)
    if (this.#isOfDates && this.datedCells + this.clocks === before && /\p{Nd}{2}/u.test(text)) this.undated++
  }

  #ofKind(text: string): void {
    if (this.#ofCurrency(text)) return
    const first = text.charCodeAt(0)
    if (((first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46) && text.length <= 40) {
      const isInDigits = this.#isOfDates && this.dates.addDigits(text) || this.#isOfBirths && this.dates.addYear(text)
      if (!isInDigits && (this.#clock(text) || this.#number(text))) return
      if (isInDigits || this.dates.add(text)) {
        this.datedCells++
        return
      }
      if ((this.#isOfPressures ? namedPressures : /^\d{2,3} ?\/ ?\d{2,3}$/u).test(text)) this.pressures++
      if (/^\d{1,2} ?st(?:ones?)?\.?(?:,? ?\d{1,2}(?:\.\d+)? ?(?:lbs?|pounds?)?\.?)?$/iu.test(text)) this.stones++
      if (/^(?:[5-9]|[12]\d)(?:[.,]\d)? ?[/xX\u00D7] ?(?:[3-9]|1\d)(?:[.,]\d)?$/u.test(text)) this.shortPressures++
    } else if (text.length <= 5 && yesNo.has(text.toLowerCase())) this.truths++
    else if (this.dates.add(text)) {
      this.datedCells++
      return
    }
    if (mayBeName(text)) this.letters++
    const listed = separatorsIn(text)
    if (listed !== undefined) {
      this.diagnoses++
      for (const sign of listed) this.listSigns.add(sign)
    } else if (/\s\S+\s/u.test(text)) this.wordy++
    else if (/^[A-TV-Z]\d[\dAB](?:\.?[\dA-Z]{1,4})?$/u.test(text)) this.diagnoses++
    for (const script of scriptsOf(text)) increment(this.scripts, script)
  }

  /** An amount with the sign of its currency. It is a decimal, also if it has no decimals. */
  #ofCurrency(text: string): boolean {
    const amount = this.#isOfResults ? undefined : amountIn(text, this.#isOfMoney)
    if (amount === undefined) return false
    const { integers } = this
    if (!this.#number(amount.number)) return false
    if (this.integers > integers) {
      this.integers--
      this.decimals++
    }
    getOrMake(this.currencies, amount.sign.toLowerCase(), () => ({ sign: amount.sign, count: 0 })).count++
    return true
  }

  #clock(cell: string): boolean {
    const [day = ""] = (this.#isOfTimes ? noDay : noLongDay).exec(cell) ?? []
    const text = cell.slice(day.length)
    const found = /^(\d{1,2})([:.hH]|(?=\d))([0-5]\d)([:.]?[0-5]\d)?(\.\d{1,9})?(?:(\s*)[AaPp]\.?\s?[Mm]\.?)?$/u.exec(
      text
    )
    if (found === null) return false
    const [, hours = "", sign = "", minutes, seconds, fraction, blank] = found
    // Only whole notations have parts of a second: `08:15:00.0000000`.
    if (fraction !== undefined && (sign !== ":" || seconds?.startsWith(":") !== true)) return false
    // Digits without a separator are a time only with both digits of each number; after a point they are seconds only after another point.
    if (sign === "" ? hours.length < 2 || /[:.]/u.test(seconds ?? "") : seconds?.length === 2) return false
    if (sign === ":" ? seconds?.startsWith(".") === true : Number(hours) > 23 || !this.#isOfTimes) return false
    this.clocks++
    if (blank === undefined) {
      if (isEarly(hours)) this.#earlyClocks++
      this.#isLateClock ||= isLate(hours, minutes)
    }
    const letter = blank === undefined ? "H" : "h"
    const between = /h/iu.test(sign) ? `[${sign}]` : sign
    const end = seconds === undefined
      ? ""
      : `${seconds.slice(0, -2)}ss${fraction === undefined ? "" : ".SSS"}`
    this.clockFormats.add(
      `${day === "" ? "" : `[${day}]`}${hours.length === 1 ? letter : letter.repeat(2)}${between}mm${end}${
        blank === undefined ? "" : `${blank === "" ? "" : " "}A`
      }`
    )
    return true
  }

  #number(text: string): boolean {
    if (/^[+-]?\d{1,15}$/u.test(text)) {
      this.integers++
      if (/^0\d/u.test(text)) this.zeros++
      this.#range(Number(text))
      return true
    }
    if (/^0\d{15,}$/u.test(text)) this.zeros++
    if (this.#isOfKeys && /^\d{1,15}\.0+$/u.test(text)) {
      this.floated++
      this.integers++
      this.#range(Number(text))
      return true
    }
    if (this.#isOfMoney && this.#wholeAmount(text)) return true
    if (this.#isOfAmounts && /^[+-]?[1-9]\d{0,2}(?:[ \u00A0\u202F]\d{3})+(?:[.,]\d+)?$/u.test(text)) {
      this.spaced++
      const sign = /[.,]/u.exec(text)?.[0]
      if (sign === "." || sign === ",") this.signs[sign].decimals++
      return this.#decimal(text.replaceAll(/\s/gu, "").replace(",", "."))
    }
    if (/^[+-]?[1-9]\d{0,2}[.,]\d{3}$/u.test(text)) {
      this.signs[text.includes(".") ? "." : ","].either++
      return this.#decimal(text.replace(/[.,]/u, "."))
    }
    if (/^[+-]?\d*\.\d+(?:[eE][+-]?\d+)?$/u.test(text)) {
      this.signs["."].decimals++
      return this.#decimal(text)
    }
    const found = /^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/u.test(text)
      ? { group: ".", decimal: "," } as const
      : /^[+-]?\d{1,3}(?:,\d{3})+\.\d+$/u.test(text) || /^[+-]?\d{1,2}(?:,\d{2})+,\d{3}\.\d+$/u.test(text)
      ? { group: ",", decimal: "." } as const
      : /^[+-]?\d{1,3}(?:\.\d{3}){2,}$/u.test(text)
      ? { group: ".", decimal: undefined } as const
      : /^[+-]?\d{1,3}(?:,\d{3}){2,}$/u.test(text) || /^[+-]?\d{1,2}(?:,\d{2})+,\d{3}$/u.test(text)
      ? { group: ",", decimal: undefined } as const
      : undefined
    if (found === undefined) return false
    const { decimal, group } = found
    if (decimal !== undefined) this.signs[decimal].decimals++
    if (text.includes(group)) this.signs[group].groups++
    return this.#decimal(text.replaceAll(group, "").replace(",", "."))
  }

  /** An amount with a dash in place of decimals: `50.000,-`, `500/-`. A sign in its number separates thousands. */
  #wholeAmount(text: string): boolean {
    const [, whole, decimal] = /^([+-]?\d[\d.,]*)(?:([.,])[-\u2013\u2014]{1,2}|\/[-=])$/u.exec(text) ?? []
    if (whole === undefined) return false
    const [, group] = /^[+-]?\d{1,3}(?:(?:([.,])\d{2,3})(?:\1\d{2,3})*(?<=\1\d{3}))$/u.exec(whole) ?? []
    if (group === decimal && group !== undefined || group === undefined && /[.,]/u.test(whole)) return false
    if (decimal === "." || decimal === ",") this.signs[decimal].decimals++
    if (group === "." || group === ",") this.signs[group].groups++
    return this.#decimal(whole.replaceAll(/[.,]/gu, ""))
  }

  #decimal(text: string): true {
    this.decimals++
    this.#range(Number(text))
    return true
  }

  #range(value: number): void {
    if (value < this.least) this.least = value
    if (value > this.most) this.most = value
  }
}
