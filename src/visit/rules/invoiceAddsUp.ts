import { compare, type Decimal, isDecimal, multiply, subtract, sum } from "../Decimal.ts"
import { entriesOf, type Loose, type Rule } from "./Rule.ts"

/** What a line comes to, in one of the ways to read it; `undefined` when a number it needs is missing. */
type Reading = (line: Loose) => Decimal | undefined

const numberAt = (line: Loose, name: string): Decimal | undefined => {
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

/** The specification does not say what a total is the sum of; any of these is taken for right. */
const readings: ReadonlyArray<Reading> = [payment, amount, less(amount), price, less(price)]

const total = (lines: ReadonlyArray<Loose>, reading: Reading): Decimal | undefined => {
  const amounts: Array<Decimal> = []
  for (const line of lines) {
    const amount = reading(line)
    if (amount === undefined) return undefined
    amounts.push(amount)
  }
  return sum(amounts)
}

/**
 * The total of an invoice is the sum of its lines, to the last digit: of their payments, or of their prices (of a medicine times
 * its quantity, or as it stands) with or without the discounts. An invoice without lines has nothing to compare with.
 */
export const invoiceAddsUp: Rule = (visit, _settings, report) => {
  entriesOf(visit, "invoices").forEach((invoice, index) => {
    const stated = numberAt(invoice, "total")
    const lines = [...entriesOf(invoice, "services"), ...entriesOf(invoice, "medications")]
    if (stated === undefined || lines.length === 0) return
    let isReadable = false
    for (const reading of readings) {
      const amount = total(lines, reading)
      if (amount === undefined) continue
      if (compare(amount, stated) === 0) return
      isReadable = true
    }
    if (!isReadable) return
    report({
      code: "sum-differs",
      severity: "warning",
      path: ["invoices", index, "total"],
      title: "`total` is not the sum of the invoice's lines, neither of their payments nor of their prices"
    })
  })
}
