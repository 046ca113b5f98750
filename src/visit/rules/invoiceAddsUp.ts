import { compare, type Decimal, isDecimal, multiply, subtract, sum } from "../../json/Decimal.ts"
import { entriesOf, type MedicinePrice, type Rule, type UnvalidatedVisit } from "./Rule.ts"

/** Returns the amount of a line under one interpretation; `undefined` if a number it needs is missing. */
type LineAmount = (line: UnvalidatedVisit) => Decimal | undefined

const numberAt = (line: UnvalidatedVisit, name: string): Decimal | undefined => {
  const value = line[name]
  return isDecimal(value) ? value : undefined
}

const payment: LineAmount = (line) => numberAt(line, "payment")
const price: LineAmount = (line) => numberAt(line, "price")
const amount: LineAmount = (line) => {
  const each = price(line)
  if (each === undefined || !("medicine_code" in line)) return each
  const quantity = numberAt(line, "quantity")
  return quantity === undefined ? undefined : multiply(each, quantity)
}
const discounted = (amountOf: LineAmount): LineAmount => (line) => {
  const full = amountOf(line)
  const discount = line.discount === null ? 0 : numberAt(line, "discount")
  return full === undefined || discount === undefined ? undefined : subtract(full, discount)
}

const discountedAmount = discounted(amount)
const discountedPrice = discounted(price)

/** The specification does not define the terms of a total: they are payments, or prices with or without discounts. */
const perUnit: ReadonlyArray<LineAmount> = [payment, amount, discountedAmount]
/** The same, if the price of a medicine is the price of the line. */
const perLine: ReadonlyArray<LineAmount> = [price, discountedPrice]
/** For each meaning of a medicine's price: the valid interpretations, and those that indicate the other meaning. */
const interpretations: Readonly<
  Record<MedicinePrice, { readonly right: ReadonlyArray<LineAmount>; readonly other: ReadonlyArray<LineAmount> }>
> = {
  unit: { right: perUnit, other: perLine },
  line: { right: [payment, ...perLine], other: [amount, discountedAmount] },
  either: { right: [...perUnit, ...perLine], other: [] }
}

const total = (lines: ReadonlyArray<UnvalidatedVisit>, amountOf: LineAmount): Decimal | undefined => {
  const amounts: Array<Decimal> = []
  for (const line of lines) {
    const amount = amountOf(line)
    if (amount === undefined) return undefined
    amounts.push(amount)
  }
  return sum(amounts)
}

/**
 * Returns true if the payment of a medicine is right only under the meaning of its price that the facility did not declare. The
 * specification does not define a payment: it can also be a share of the price, or include surcharges.
 */
const isOfOtherMeaning = (line: UnvalidatedVisit, medicinePrice: MedicinePrice, tolerance: number): boolean => {
  const paid = payment(line)
  const ofUnits = discountedAmount(line)
  const ofLine = discountedPrice(line)
  if (medicinePrice === "either" || paid === undefined || ofUnits === undefined || ofLine === undefined) return false
  const [declared, other] = medicinePrice === "unit" ? [ofUnits, ofLine] : [ofLine, ofUnits]
  return isNear(other, paid, tolerance) && !isNear(declared, paid, tolerance)
}

/**
 * Checks that the total of an invoice is the sum of its lines, to within a hundredth or the configured tolerance. The terms are payments,
 * or prices (of a medicine times its quantity) with or without discounts. A warning is reported if the total is correct only with line
 * prices for medicines, or if it cannot be compared. Another is reported if a medicine is paid as if its price had the other meaning.
 */
export const invoiceAddsUp: Rule = (visit, { invoiceTolerance, medicinePrice }, report) => {
  const { other, right } = interpretations[medicinePrice]
  const notJudged = (index: number, why: string): void =>
    report({
      code: "sum-differs",
      severity: "warning",
      path: ["invoices", index, "total"],
      title: `\`total\` could not be compared with the sum of the lines: ${why}`,
      help: "add a path for what is missing, if the source has it"
    })
  entriesOf(visit, "invoices").forEach((invoice, index) => {
    entriesOf(invoice, "medications").forEach((line, number) => {
      if (!isOfOtherMeaning(line, medicinePrice, invoiceTolerance)) return
      report({
        code: "sum-differs",
        severity: "warning",
        path: ["invoices", index, "medications", number, "payment"],
        title: medicinePrice === "line"
          ? "`payment` is correct only with the price of the medicine times its quantity"
          : "`payment` is correct only without the quantity of the medicine",
        help: declare
      })
    })
    const stated = numberAt(invoice, "total")
    const lines = [...entriesOf(invoice, "services"), ...entriesOf(invoice, "medications")]
    if (stated === undefined || lines.length === 0) {
      if (stated !== undefined || lines.length > 0) {
        notJudged(index, stated === undefined ? "the invoice has no total" : "the invoice has no lines")
      }
      return
    }
    let isReadable = false
    const isSumOf = (amountOf: LineAmount): boolean => {
      const amount = total(lines, amountOf)
      if (amount === undefined) return false
      isReadable = true
      return compare(amount, stated) === 0 || isNear(amount, stated, invoiceTolerance)
    }
    if (right.some(isSumOf)) return
    const isOther = other.some(isSumOf)
    /** Whether a multiple of the sum of the lines is a multiple of the total. */
    const isDoubled = (ofSum: number, ofTotal: number) => (amountOf: LineAmount): boolean => {
      const amount = total(lines, amountOf)
      return amount !== undefined && compare(amount, 0) !== 0 &&
        isNear(multiply(amount, ofSum), multiply(stated, ofTotal), invoiceTolerance)
    }
    if (!isReadable) {
      notJudged(index, "a line lacks its payment and its price")
      return
    }
    const repeats = lines.length - new Set(lines.map((line) => JSON.stringify(line))).size
    report({
      code: "sum-differs",
      severity: "warning",
      path: ["invoices", index, "total"],
      ...(isOther
        ? ofOtherMeaning(medicinePrice)
        : right.some(isDoubled(1, 2))
        ? half
        : right.some(isDoubled(2, 1))
        ? twice
        : differs),
      ...(repeats === 0 || isOther
        ? {}
        : { facts: [["lines", `${repeats} of ${lines.length} repeat another line`]] as const })
    })
  })
}

const ofOtherMeaning = (medicinePrice: MedicinePrice) => ({
  title: medicinePrice === "line"
    ? "`total` is correct only with the price of a medicine times its quantity"
    : "`total` is correct only without the quantities of the medicines",
  help: declare
})

const half = {
  title: "`total` is half the sum of the invoice's lines",
  help: "each line may be there twice: look for copies in the source, and for records that the mapping reads twice"
}

const twice = {
  title: "`total` is twice the sum of the invoice's lines",
  help: "the amounts may be added up twice: look at the path of `total`, and for lines that the mapping excludes"
}

const differs = {
  title: "`total` is not the sum of the invoice's lines, neither of their payments nor of their prices"
}

const declare =
  "declare in facility.yaml whether a medicine's price is for a unit or the line:  validation: {medicinePrice: unit}, line or either"

const isNear = (amount: Decimal, stated: Decimal, tolerance: number): boolean => {
  const difference = subtract(amount, stated)
  return compare(difference, tolerance) <= 0 && compare(difference, -tolerance) >= 0
}
