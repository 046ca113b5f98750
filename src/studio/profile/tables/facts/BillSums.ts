import { hashName } from "../../../../run/links/hashName.ts"
import {
  columnWordsOf,
  isDiscount,
  isMoney,
  namesBill,
  namesShare,
  priceWords,
  quantityWords
} from "../words/columnWords.ts"

/** Maximum number of bills whose rows are added up. */
const held = 2000

/** So many bills with several rows show what the columns mean. */
const fewest = 5

/** The rows of one bill. */
interface Bill {
  rows: number
  /** For each column of amounts: the first, the sum, and whether all are equal. */
  readonly first: Array<number | undefined>
  readonly sums: Array<number>
  readonly equal: Array<boolean>
}

/**
 * The amounts of the rows of each bill. A column that repeats the sum of another, or of the prices times the quantities, in all rows of a bill is
 * the total of the bill: to send it for each row would claim it several times.
 */
export class BillSums {
  readonly #number: number
  /** The indexes of the columns with amounts. The last amount of a bill is the price times the quantity. */
  readonly #amounts: ReadonlyArray<number>
  /** The index of the column with the price of one unit; -1 if there is none. The same for the quantity. */
  readonly #price: number
  readonly #quantity: number
  readonly #bills = new Map<number, Bill>()

  private constructor(number: number, amounts: ReadonlyArray<number>, price: number, quantity: number) {
    this.#number = number
    this.#amounts = amounts
    this.#price = price
    this.#quantity = quantity
  }

  /** Returns none if no column numbers bills, or none has amounts. */
  static of(header: ReadonlyArray<string>): BillSums | undefined {
    const number = header.findIndex(namesBill)
    const amounts = [...header.keys()].filter((at) => isMoney(header[at] ?? "") && !isDiscount(header[at] ?? ""))
    const price = likeliest(header, priceWords, (name) => !isDiscount(name) && !namesShare(name))
    const quantity = likeliest(header, quantityWords)
    return number < 0 || amounts.length === 0
      ? undefined
      : new BillSums(number, amounts, price, quantity)
  }

  /** Adds a row by its cells. */
  add(cell: (column: number) => unknown): void {
    const number = cell(this.#number)
    if (typeof number !== "string" || number.trim() === "") return
    const hash = hashName(number.trim())
    const known = this.#bills.get(hash)
    if (known === undefined && this.#bills.size >= held) return
    const bill = known ?? { rows: 0, first: [], sums: [], equal: [] }
    if (known === undefined) this.#bills.set(hash, bill)
    const amounts = [
      ...this.#amounts.map((at) => numberIn(cell(at))),
      numberIn(cell(this.#price)) * numberIn(cell(this.#quantity))
    ]
    for (const [at, amount] of amounts.entries()) {
      bill.sums[at] = (bill.sums[at] ?? 0) + amount
      bill.equal[at] = bill.rows === 0 || bill.equal[at] === true && bill.first[at] === amount
      if (bill.rows === 0) bill.first[at] = amount
    }
    bill.rows++
  }

  /** Returns the columns that have one amount in all rows of a bill, by their indexes. */
  repeated(): ReadonlyMap<number, "total" | "equal"> {
    const bills = [...this.#bills.values()].filter(({ rows }) => rows > 1)
    // One bill in twenty can have a typing error.
    const mostly = (holds: (bill: Bill) => boolean): boolean =>
      bills.length >= fewest && bills.filter((bill) => !holds(bill)).length * 20 <= bills.length
    const isSum = (at: number): boolean =>
      [...this.#amounts.keys(), this.#amounts.length].some((other) =>
        other !== at && mostly(({ first, sums }) => Math.abs((first[at] ?? NaN) - (sums[other] ?? NaN)) < 0.01)
      )
    return new Map(
      this.#amounts.flatMap((column, at): ReadonlyArray<[number, "total" | "equal"]> =>
        mostly(({ equal }) => equal[at] === true) ? [[column, isSum(at) ? "total" : "equal"]] : []
      )
    )
  }
}

/** Returns the index of the column that is most likely named by some words, the likeliest first; -1 if there is none. */
const likeliest = (
  header: ReadonlyArray<string>,
  words: ReadonlyArray<RegExp>,
  fits: (name: string) => boolean = () => true
): number =>
  words.map((one) => header.findIndex((name) => one.test(columnWordsOf(name)) && fits(name))).find((at) => at >= 0) ??
    -1

/** Returns the number in a cell, in whatever notation; NaN if it is none or not clear. */
const numberIn = (cell: unknown): number => {
  if (typeof cell !== "string") return NaN
  const text = cell.replaceAll(/[\s\u00A0]/gu, "")
  return /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u.test(text)
    ? Number(text.replaceAll(",", ""))
    : /^-?\d{1,3}(?:\.\d{3})+,\d+$/u.test(text)
    ? Number(text.replaceAll(".", "").replace(",", "."))
    : /^-?\d+,\d{1,2}$/u.test(text)
    ? Number(text.replace(",", "."))
    : /^-?\d+(?:\.\d+)?$/u.test(text)
    ? Number(text)
    : NaN
}
