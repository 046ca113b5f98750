import { compare, type Decimal, isDecimal, multiply, subtract, sum } from "../values/Decimal.ts"
import { entriesOf, type MedicinePrice, type Rule, type UnvalidatedVisit } from "./Rule.ts"

/** What a line comes to, in one of the ways to read it; `undefined` when a number it needs is missing. */
type Reading = (line: UnvalidatedVisit) => Decimal | undefined

const numberAt = (line: UnvalidatedVisit, name: string): Decimal | undefined => {
  const value = line[name]
  return isDecimal(value) ? value : undefined
}

const payment: Reading = (line) => numberAt(line, "payment")
const price: Reading = (line) => numberAt(line, "price")
const amount: Reading = (line) => {
  const each = price(line)
  if (each === undefined || !("medicine_code" in line)) return each
  const quantity = numberAt(line, "quantity")
  return quantity === undefined ? undefined : multiply(each, quantity)
}
const less = (reading: Reading): Reading => (line) => {
  const full = reading(line)
  const discount = line.discount === null ? 0 : numberAt(line, "discount")
  return full === undefined || discount === undefined ? undefined : subtract(full, discount)
}

/** The specification does not say what a total is the sum of; of payments, or of prices with or without the discounts. */
const readings: ReadonlyArray<Reading> = [payment, amount, less(amount)]
/** The same where the price of a medicine is that of the line. */
const ofLines: ReadonlyArray<Reading> = [price, less(price)]
/** By what the price of a medicine is the price of: those that are right, and those that tell of the other way to read it. */
const ways: Readonly<
  Record<MedicinePrice, { readonly right: ReadonlyArray<Reading>; readonly other: ReadonlyArray<Reading> }>
> = {
  unit: { right: readings, other: ofLines },
  line: { right: [payment, ...ofLines], other: [amount, less(amount)] },
  either: { right: [...readings, ...ofLines], other: [] }
}

const total = (lines: ReadonlyArray<UnvalidatedVisit>, reading: Reading): Decimal | undefined => {
  const amounts: Array<Decimal> = []
  for (const line of lines) {
    const amount = reading(line)
    if (amount === undefined) return undefined
    amounts.push(amount)
  }
  return sum(amounts)
}

/**
 * The total of an invoice is the sum of its lines, but for a hundredth or what the settings allow: of their payments, or of their prices (of
 * a medicine times its quantity) with or without the discounts. A total that comes out only when the price of a medicine is taken for that of
 * the whole line is worth a look too, and so is one that could not be compared.
 */
export const invoiceAddsUp: Rule = (visit, { invoiceTolerance, medicinePrice }, report) => {
  const { other, right } = ways[medicinePrice]
  const notJudged = (index: number, why: string): void =>
    report({
      code: "sum-differs",
      severity: "warning",
      path: ["invoices", index, "total"],
      title: `\`total\` could not be compared with the sum of the lines: ${why}`
    })
  entriesOf(visit, "invoices").forEach((invoice, index) => {
    const stated = numberAt(invoice, "total")
    const lines = [...entriesOf(invoice, "services"), ...entriesOf(invoice, "medications")]
    if (stated === undefined || lines.length === 0) {
      if (stated !== undefined || lines.length > 0) {
        notJudged(index, stated === undefined ? "the invoice has no total" : "the invoice has no lines")
      }
      return
    }
    let isReadable = false
    const isSumOf = (reading: Reading): boolean => {
      const amount = total(lines, reading)
      if (amount === undefined) return false
      isReadable = true
      return compare(amount, stated) === 0 || isNear(amount, stated, invoiceTolerance)
    }
    if (right.some(isSumOf)) return
    const isOther = other.some(isSumOf)
    if (!isReadable) {
      notJudged(index, "a line lacks its payment and its price")
      return
    }
    report({
      code: "sum-differs",
      severity: "warning",
      path: ["invoices", index, "total"],
      title: isOther
        ? medicinePrice === "line"
          ? "`total` comes out only with the price of a medicine times its quantity"
          : "`total` comes out only without the quantities of the medicines"
        : "`total` is not the sum of the invoice's lines, neither of their payments nor of their prices",
      ...(isOther
        ? { help: "say what a medicine's price is the price of:  validation: {medicinePrice: unit}, line or either" }
        : {})
    })
  })
}

const isNear = (amount: Decimal, stated: Decimal, tolerance: number): boolean => {
  const difference = subtract(amount, stated)
  return compare(difference, tolerance) <= 0 && compare(difference, -tolerance) >= 0
}
