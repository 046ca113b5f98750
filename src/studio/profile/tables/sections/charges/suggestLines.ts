import { assumedPath } from "../../../draft/assumptions.ts"
import { type DraftSection, quotedText } from "../../../draft/Draft.ts"
import { hasUnevenAmounts } from "../../declareTable.ts"
import type { TableDraft } from "../../TableDraft.ts"
import type { TableFinder } from "../../TableFinder.ts"
import type { Declared, Role } from "../../TableRole.ts"
import { columnWordsOf, paidWords } from "../../words/columnWords.ts"
import { firstOf, pathOf, pathTo, yamlOf, yamlTo } from "../../writePath.ts"
import { askIfAllAreMedicines, medicineNumber, medicineTest, medicineWords } from "../suggestPrescriptions.ts"
import { askAboutReturns, askWhichAmount } from "./askAboutCharges.ts"
import {
  amountColumn,
  codeOfCharge,
  discountColumn,
  fullPrice,
  hasNumbers,
  isNet,
  lineDiscount,
  nameOfCharge,
  priceOf,
  quantityOfCharge
} from "./findCharges.ts"
import type { RowKinds } from "./kindsOfRows.ts"
import { discountOf } from "./suggestDiscount.ts"

/** Writes an amount of money. A cell that cannot be read rejects its visit, because a correction may be missing from the sum. */
const moneyYaml = (path: string, columns: ReadonlyArray<Declared | undefined>): string =>
  columns.some((one) => one !== undefined && hasUnevenAmounts(one.column))
    ? mustHave(path)
    : yamlOf(path)

const mustHave = (path: string): string => `{path: ${yamlOf(path)}, required: error}`

/** Writes the payment of a line. An amount that is not its price times its quantity is sent with a warning. */
const paymentOf = (finder: TableFinder, amount: string): string => {
  const full = fullPrice(finder)
  const discount = lineDiscount(finder)?.path
  if (amountColumn(finder) === undefined || full === undefined) return mustHave(amount)
  const rest = `${amount} - ${full}${discount === undefined ? "" : ` + iif(${discount}.exists(), ${discount}, 0)`}`
  // Prices with more decimals than amounts are rounded. Without a price, nothing is known.
  const expected = quotedText(`iif((${rest}).abs() >= 0.01, {}, ${amount})`)
  const other = `{path: ${quotedText(amount)}, warn: "not the price${
    quantityOfCharge(finder) === undefined ? "" : " times the quantity"
  }"}`
  return `{path: [${expected}, ${other}], required: error}`
}

interface InvoiceLines {
  readonly finder: TableFinder
  /** The table of invoices, if there is one. */
  readonly invoice: Role | undefined
  /** The path to the rows of one invoice, what they are, and the path to their amount. */
  readonly rows: string
  readonly kinds: RowKinds
  readonly amount: string
  /** The path from a row to the code of its invoice, as YAML. */
  readonly invoiceCode: string
}

/** Drafts the services and the medicines of invoices. */
export const suggestLines = (
  { amount, finder, invoice, invoiceCode, kinds, rows }: InvoiceLines,
  draft: TableDraft
): void => {
  const decision = medicineTest(finder)
  if (decision !== undefined) draft.decide(decision)
  askIfAllAreMedicines(finder, draft)
  const medicine = decision?.condition
  const price = priceOf(finder)
  const question = askWhichAmount(finder, draft) ?? askAboutReturns(finder, draft)
  const paid = finder.own([paidWords], ({ column }) => column.kind === "boolean")
  const discount = discountOf(finder, invoice, draft)
  const services = draft.section("visit", "invoices", "services")
  const medications = draft.section("visit", "invoices", "medications")
  const quantity = pathTo(quantityOfCharge(finder))
  const putMoney = ({ doubt, put }: DraftSection, hasQuantity: boolean): void => {
    put("invoice_code", invoiceCode)
    if (price === undefined) {
      const less = discountColumn(finder)
      const net = amountColumn(finder)
      // The price is before the discount.
      const full = less === undefined || net === undefined || !isNet(net)
        ? amount
        : `${amount} + iif(${pathOf(less.name)}.exists(), ${pathOf(less.name)}, 0)`
      put("price", yamlOf(full), "no column has the price of one unit")
    } else if (hasQuantity || quantity === undefined) put("price", moneyYaml(pathOf(price.name), [price]))
    else {
      const path = pathOf(price.name)
      const ofAll = assumedPath(
        draft,
        `iif(${quantity} != 1, ${path} * ${quantity}, {})`,
        "service-price-is-of-all-pieces"
      )
      const paths = `[${ofAll}, ${yamlOf(path)}]`
      put("price", hasUnevenAmounts(price.column) ? `{path: ${paths}, required: error}` : paths)
    }
    // A line without an amount rejects its visit: the sum would be too low.
    const payment = paymentOf(finder, amount)
    if (question === undefined) doubt("payment", payment, "the charge is sent as the payment")
    else put("payment", payment, `QUESTION ${question}`)
    put("discount", discount.yaml, discount.why)
    put("paid", yamlTo(paid))
    put("discount_type", "null")
  }
  services.put(
    "forEach",
    quotedText(medicine === undefined ? rows : `${rows}.where((${medicine}).not())`),
    medicine === undefined ? "no column distinguishes medicines from services: all are sent as services" : undefined
  )
  const code = codeOfCharge(finder)
  if (code === codeOfCharge(finder, false)) services.put("service_code", yamlOf(code))
  else services.doubt("service_code", yamlOf(code), "its column can have names instead of codes")
  services.put("service_name", nameOrCode(finder))
  services.put(
    "service_category",
    yamlOf(
      finder.field(
        [/\b(?:category|group|type|class)\b/u],
        (one) =>
          one !== kinds.column &&
          !/\b(?:pay\w*|discount|disc|insurance|invoice|bill|visit|patient)\b/u.test(columnWordsOf(one.column.name))
      )
    )
  )
  putMoney(services, false)
  if (medicine === undefined) {
    medications.put("enabled", "false")
    return
  }
  medications.put("forEach", quotedText(`${rows}.where(${medicine})`))
  medications.put("medicine_code", firstOf(pathTo(medicineNumber(finder)), codeOfCharge(finder)))
  medications.put("medicine_name", nameOrCode(finder, pathTo(medicineWords(finder))))
  medications.put("unit", yamlOf(finder.field([/^(?:units?|uom)$/u], (one) => !hasNumbers(one))))
  medications.put("quantity", yamlTo(quantityOfCharge(finder)))
  putMoney(medications, true)
}

/** The name of what was charged. Of one without a name the code is sent, with a warning. */
const nameOrCode = (finder: TableFinder, own?: string): string => {
  const name = own ?? nameOfCharge(finder)
  const code = codeOfCharge(finder)
  if (code === undefined || name === code) return yamlOf(name)
  const instead = `{path: ${quotedText(code)}, warn: ${quotedText("the code in place of the name")}}`
  return `[${name === undefined ? "" : `${yamlOf(name)}, `}${instead}]`
}
