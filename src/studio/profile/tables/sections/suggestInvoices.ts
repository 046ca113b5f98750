import { printable } from "../../../../diagnostic/render/printable.ts"
import { type KindOfLine, kindOfLine } from "../../../../visit/rules/kindOfLine.ts"
import { assumedPath } from "../../draft/assumptions.ts"
import { type DraftSection, quotedText } from "../../draft/Draft.ts"
import { countItems } from "../../Findings.ts"
import { hasUnevenAmounts } from "../declareTable.ts"
import { decisionOf, emptyCell, type TableDraft } from "../TableDraft.ts"
import type { TableFinder } from "../TableFinder.ts"
import { type Declared, keyColumnOf, linkTo, type Role } from "../TableRole.ts"
import { columnWordsOf, namesVoid, paidWords } from "../words/columnWords.ts"
import { stateColumns } from "../words/statusWords.ts"
import {
  beginning,
  firstOf,
  inCondition,
  ownEncounter,
  pathOf,
  pathTo,
  recordedAt,
  valueOfRows,
  yamlOf,
  yamlTo
} from "../writePath.ts"
import {
  askAboutAmounts,
  askAboutFees,
  askAboutNumbers,
  askAboutOthers,
  askAboutReturns,
  askAboutShares,
  askAboutTaxes,
  askWhichAmount
} from "./askAboutCharges.ts"
import {
  amountColumn,
  type Charges,
  codeOfCharge,
  discountColumn,
  fullPrice,
  hasNumbers,
  isCharge,
  isNet,
  lineDiscount,
  linesIn,
  nameOfCharge,
  priceOf,
  quantityOfCharge
} from "./findCharges.ts"
import { discountOf } from "./suggestDiscount.ts"
import { askIfAllAreMedicines, medicineNumber, medicineTest, medicineWords } from "./suggestPrescriptions.ts"

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

/** Returns the path to the sum of the lines. */
const sumOf = (rows: string, amount: string): string =>
  `${rows === "$this" ? "" : `${rows}.`}${/^[\w`]+$/u.test(amount) ? amount : `select(${amount})`}.sum()`

/** Writes the total of an invoice. If another table has charges of the visit, too, it is an assumption. */
const totalYaml = (total: string, { others }: Charges, draft: TableDraft): string => {
  const conditions = others.flatMap((one) => chargesOfVisit(one, draft) ?? []).map((rows) => `%visit.${rows}.exists()`)
  return conditions.length === 0
    ? yamlOf(total)
    : `[${assumedPath(draft, `iif(${conditions.join(" or ")}, ${total}, {})`, "other-charges-are-not-sent")}, ${
      quotedText(total)
    }]`
}

/** Returns the path from a visit to its rows in a table of charges. */
const chargesOfVisit = (
  { role, through }: Pick<Charges["others"][number], "role" | "through">,
  draft: TableDraft
): string | undefined => {
  const link = linkTo(role, "visit")
  const head = draft.role(through?.target)
  const above = head === undefined ? undefined : linkTo(head, "visit")
  return link !== undefined
    ? `reverseResolve('${role.name}.${link.name}')`
    : head !== undefined && above !== undefined
    ? `reverseResolve('${head.name}.${above.name}').reverseResolve('${role.name}.${through?.name}')`
    : undefined
}

/** A visit whose charges are all in another table has no invoice that could state the assumption: its code does. */
const assumeWithoutInvoice = ({ first, others }: Charges, draft: TableDraft): void => {
  const own = first === undefined ? undefined : chargesOfVisit(first, draft)
  const found = others.flatMap((one) => chargesOfVisit(one, draft) ?? []).map((rows) => `${rows}.exists()`)
  if (own === undefined || found.length === 0) return
  const condition = `iif(${own}.empty() and (${found.join(" or ")}), code, {})`
  draft.put(
    ["visit", "code"],
    `[${assumedPath(draft, condition, "other-charges-are-not-sent")}, code]`,
    "for visits without an invoice"
  )
}

/** Words of a column with the totals of invoices: after discounts, or of unstated meaning. */
const totalWords = [
  /^(?:net (?:total|amount|payable)|total (?:net|payable|neto|a pagar)|(?:total|amount) after discounts?)$/u,
  /^(?:grand )?total(?: amount)?$|^amount total$|\b(?:invoice|bill) (?:amount|total)\b/u,
  /^amount$/u,
  /^(?:gross (?:total|amount)|total (?:gross|bruto|brut)|(?:sub|sous) ?total)$/u
]

/** Finds the total in a table of invoices. */
const totalOf = (invoices: TableFinder): Declared | undefined => invoices.own(totalWords, isCharge)

/** Finds the total in a table of invoices, and asks if several columns can be it. */
const askAboutTotal = (invoices: TableFinder, draft: TableDraft): Declared | undefined => {
  const total = totalOf(invoices)
  const others = invoices.role.columns.filter((one) =>
    one !== total && one.column.filled > 0 && isCharge(one) &&
    totalWords.some((words) => words.test(columnWordsOf(one.column.name)))
  )
  if (total !== undefined && others.length > 0) {
    draft.askWithoutLine(
      `which column of \`${invoices.role.name}\` is the total of an invoice: ${
        [total, ...others].map(({ name }) => `\`${name}\``).join(", ")
      }? The first is sent`,
      "Write its name as  total:  under  invoices:"
    )
  }
  return total
}

/** Drafts invoices: below a row for each invoice, or otherwise the charges of each visit together. */
export const suggestInvoices = (draft: TableDraft): void => {
  const found = linesIn(draft)
  askAboutOthers(found, draft)
  const lines = found.first
  if (lines === undefined) {
    askAboutFees(found, draft)
    return askAboutShares(draft)
  }
  const { finder, head, role, through } = lines
  draft.use(role)
  const { amount } = lines
  const kinds = kindsOfRows(finder, amount, draft)
  askAboutAmounts(finder, draft)
  const { doubt, put } = draft.section("visit", "invoices")
  const invoice = head !== undefined && draft.reachesVisits(head) ? head : undefined
  const rows = invoice === undefined ? "$this" : `reverseResolve('${role.name}.${through?.name}')`
  // The lines of an invoice that a section drops are no part of its sum.
  const sent = invoice === undefined
    ? rows
    : kinds.conditions.reduce((path, [, condition]) => `${path}.where(${condition})`, draft.rowsThatCount(role, rows))
  const number = invoice === undefined ? billNumber(finder) : undefined
  // Without a table of invoices: the number of the bill, and the visit's code for lines without one.
  const codes = number === undefined || number.column.share === 1
    ? [pathTo(number) ?? "%visit.code"]
    : [pathOf(number.name), "%visit.code"]
  if (invoice === undefined) {
    const visit = linkTo(role, "visit")?.foreignKey.column
    const reference = role.columns.find(({ column }) => column.name === visit)
    put(
      "resource",
      role.name,
      number === undefined
        ? "no table holds invoices: the charges of one visit are one invoice"
        : "no table holds invoices: charges with one number are one invoice"
    )
    // The lines of a visit can name it in different columns.
    const named = number ?? (reference?.column.share === 1 ? reference : undefined)
    const group = `[${quotedText(pathTo(named) ?? "'all'")}]`
    const guess = number === undefined ? undefined : guessOfNumber(number)
    if (guess === undefined) put("groupBy", group)
    else doubt("groupBy", group, guess)
    put(
      "code",
      number === undefined ? quotedText("%visit.code") : `{path: ${firstOf(...codes)}, take: first}`
    )
    // Another extract can have several lines of a bill that has one here.
    if (number !== undefined && keyColumnOf(role) === number && !draft.isNamed(role)) {
      draft.remove(["table", role.name, "key"])
    }
    const time = pathTo(finder.time()) ?? pathTo(finder.time(created))
    put("invoice_date", valueOfRows(time, beginning))
    for (const [field, words] of recorded) {
      put(field, `{path: ${recordTimes(pathTo(finder.time(words)), time)}, take: first}`)
    }
    const type = pathTo(finder.own(paymentTypes, canBePayment))
    put("cashier", valueOfRows(cashierOf(finder)))
    // If the lines of one invoice differ, the first is sent with a warning.
    put("payment_type", type === undefined ? "null" : quotedText(`${type}.distinct()`))
    put("total", totalYaml(sumOf(sent, amount), found, draft))
  } else {
    draft.use(invoice)
    const above = draft.finder(invoice)
    // A credit note takes back another invoice.
    putConditions(kindsOfRows(above, pathTo(totalOf(above)), draft), [["visit", "invoices"]], draft)
    const key = keyColumnOf(invoice)
    const time = pathTo(
      above.time(/^(?!.*\b(?:due|paid|payment|creat\w*|updat\w*)\b).*\b(?:invoice\w*|bill\w*|issued)\b/u) ??
        above.time() ?? above.time(created)
    )
    const total = askAboutTotal(above, draft)
    put("resource", invoice.name, `the lines are rows of \`${role.name}\``)
    put("code", key === undefined ? quotedText("keyOf('record')") : yamlTo(key))
    put("invoice_date", firstOf(time, beginning))
    for (const [field, words] of recorded) put(field, recordTimes(pathTo(above.time(words)), time))
    put("cashier", yamlOf(cashierOf(above)))
    put(
      "payment_type",
      yamlOf(above.path(paymentTypes, canBePayment))
    )
    put(
      "total",
      total === undefined
        ? totalYaml(sumOf(sent, amount), found, draft)
        : hasUnevenAmounts(total.column)
        ? `{path: ${totalYaml(pathOf(total.name), found, draft)}, required: error}`
        : totalYaml(pathOf(total.name), found, draft)
    )
  }
  if (role.table.isPart === true && invoice === undefined) {
    // A row whose amount cannot be read is not dropped, but rejects its visit.
    const isUneven = role.columns.some(({ column }) => hasUnevenAmounts(column))
    put(["where", "charged"], quotedText(`${isUneven ? codeOfCharge(finder) ?? amount : amount}.exists()`))
  }
  put("encounter_code", ownEncounter)
  draft.dropByState(invoice ?? role, ["visit", "invoices"])
  if (draft.at(["visit", "prescriptions", "resource"]) === undefined && medicineTest(finder) !== undefined) {
    draft.notes.push(`medicines appear only as charges in \`${role.name}\`: no prescription is sent`)
  }
  if (invoice !== undefined && invoice.table.keys.length === 0) draft.generateCodes()
  const invoiceCode = invoice === undefined ? firstOf(...codes) : yamlOf(referenceTo(invoice, role))
  suggestLines({ finder, invoice, rows, kinds, amount, invoiceCode }, draft)
  const lists = medicineTest(finder) === undefined ? ["services"] : ["services", "medications"]
  const sections = invoice === undefined ? [["visit", "invoices"]] : lists.map((list) => ["visit", "invoices", list])
  putConditions(kinds, sections, draft)
  if (invoice !== undefined) draft.dropByState(role, ...sections)
  assumeWithoutInvoice(found, draft)
  askAboutFees(found, draft)
  askAboutNumbers(role, draft)
  askAboutTaxes(role, draft)
  if (invoice !== undefined) askAboutTaxes(invoice, draft)
}

/** Drops the rows of some sections that are no charges, with a warning. */
const putConditions = (
  { conditions }: RowKinds,
  sections: ReadonlyArray<ReadonlyArray<string>>,
  draft: TableDraft
): void => {
  for (const section of sections) {
    for (const [column, condition] of conditions) {
      const warning = quotedText(`dropped: no charge by ${column}`)
      draft.put([...section, "where", `charged_${column}`], `{path: ${quotedText(condition)}, warn: ${warning}}`)
    }
  }
}

const created = /\b(?:creat\w*|inserted)\b/u

/** The times of a record, by the names of their columns. */
const recorded = [["created_at", created], ["updated_at", /\b(?:updat\w*|modif\w*|changed|write)\b/u]] as const

/** Writes the time at which a record was created or changed: its own, otherwise that of the invoice under an assumption of the base mapping. */
const recordTimes = (own: string | undefined, time: string | undefined): string =>
  own !== undefined && own === time ? firstOf(own, beginning) : `[${
    [
      ...(own === undefined ? [] : [yamlOf(own)]),
      ...(time === undefined ? [] : [recordedAt(time)]),
      quotedText(beginning)
    ].join(", ")
  }]`

const paymentTypes = [
  /^(?:pay(?:ment)? ?(?:type|method|mode)|mode of payment|payment mode|(?:forma|tipo|medio) de pago)$/u,
  /^(?:payers?|insurance|scheme)$/u
]

/** Whether a column can have the types of payments. Numbers under the name of an insurance are amounts. */
const canBePayment = ({ column: { filled, name, numbers } }: Declared): boolean =>
  numbers < filled || /\bpa(?:y(?:ment)?|go)\b/u.test(columnWordsOf(name))

const cashierOf = (finder: TableFinder): string | undefined =>
  finder.person(/\b(?:cashier|caissiere?|cajer[oa]|received by)\b/u)

/** Finds the column that numbers the bills of the lines. */
const billNumber = (finder: TableFinder): Declared | undefined =>
  finder.own([numbered(bill), numbered("receipt|rcpt")], isText) ??
    finder.own([/^(?:bill|invoice|receipt)$/u], (one) => isText(one) && one.column.numbers === 0) ??
    finder.own([/\bitem (?:bill|invoice) (?:no|nr|num|number)$/u], isText)

const bill = "bill(?:ing)?|invoice|inv"

const numbered = (words: string): RegExp => {
  const number = "id|no|nr|num|numero|number|code"
  return new RegExp(`^(?:${number}) (?:${words})$|^(?:${words}) ?(?:${number}|ref|reference)$`, "u")
}

const isText = ({ column: { kind } }: Declared): boolean => kind === "text" || kind === "code" || kind === "integer"

/** Why a column may not be the number of the bills. */
const guessOfNumber = ({ column }: Declared): string | undefined =>
  column.unique
    ? "each line has a number of its own"
    : column.share < 1
    ? "lines without a number are one invoice of their visit"
    : numbered(bill).test(columnWordsOf(column.name))
    ? undefined
    : "by the name of its column"

/** Returns the path of a line to the code of its invoice. */
const referenceTo = (invoice: Role, lines: Role): string => {
  const link = lines.links.find(({ target }) => target === invoice.name)?.foreignKey.column
  return pathOf(lines.columns.find(({ column }) => column.name === link)?.name ?? "code")
}

/** What the rows of a table of charges are, where some of them are no charges. */
interface RowKinds {
  /** The column of the kinds of rows, if there is one. */
  readonly column?: Declared
  /** The conditions that rows are no payments and no totals, by the columns that show it. */
  readonly conditions: ReadonlyArray<readonly [column: string, condition: string]>
}

/**
 * Finds rows of payments and totals among charges: by the names of what was charged, and by a column of the kinds of rows. A row of an
 * unknown kind, such as a reversal, is not dropped but rejects its visit, because it can take back another row.
 */
const kindsOfRows = (finder: TableFinder, amount: string | undefined, draft: TableDraft): RowKinds => {
  const { role } = finder
  const named = new Set([codeOfCharge(finder), nameOfCharge(finder)])
  const names = role.columns.filter(({ name }) => named.has(pathOf(name)))
  const conditions = names.flatMap(({ column: { kinds = [] }, name }) => {
    const others = kinds.filter(([, kind]) => kind === "payment" || kind === "total").map(([value]) => value)
    return others.length === 0
      ? []
      : [[name, `${pathOf(name)}.empty() or (${inCondition(pathOf(name), others)}).not()`] as const]
  })
  const column = role.columns.find((one) => !names.includes(one) && hasKinds(one, role))
  if (column === undefined) return { conditions }
  const { codes: counted, kinds = [] } = column.column
  const codes = [...new Set([...counted, ...kinds].map(([code]) => code))]
  const isLedger = codes.some((code) => /^(?:debit(?:s|os?)?|dr)$/iu.test(code))
  const kindOf = (code: string): KindOfLine | undefined =>
    isLedger && /^(?:credit(?:s|os?)?|cr)$/iu.test(code) || /^transfers?[ _]?(?:in|out)?$/iu.test(code)
      ? "payment"
      : isLedger && /^dr$/iu.test(code) || code === "+"
      ? "charge"
      : kindOfLine(code)
  const isStated = codes.some((code) => kindOf(code) === "charge")
  const areWords = codes.some((code) => kindOf(code) !== undefined)
  const { condition, map, rows } = decisionOf(
    { role, column, codes, path: pathOf(column.name), of: "charge" },
    (code) => {
      const kind = kindOf(code)
      return kind === "charge" || kind === undefined && code !== emptyCell && areWords && !isStated
        ? [true]
        : kind === "payment" || kind === "total"
        ? [false]
        : undefined
    }
  )
  draft.decide({ map, rows })
  const listed = (isSent: boolean): string =>
    rows.flatMap(({ code, isYes }) => isYes === isSent ? [`\`${printable(code)}\``] : []).join(", ")
  const hasPayments = rows.some(({ isYes }) => !isYes)
  // Next to payments, a negative amount can be a payment that is given back.
  const mayBeNegative = amount !== undefined && !hasPayments && codes.some((code) => kindOf(code) === "correction")
  draft.askWithoutLine(
    `which rows of \`${role.name}\` are charges, by \`${column.name}\`?  ${
      [...countItems(counted), ...codes.filter((code) => counted.every(([other]) => other !== code)).map(printable)]
        .join(", ")
    }. ${rows.some(({ isYes }) => isYes) ? `Those with ${listed(true)} are sent` : "None is sent"}${
      hasPayments ? `, those with ${listed(false)} are left out` : ""
    }. Any other row rejects its visit${mayBeNegative ? ", unless its amount is negative" : ""}`,
    `The concept map \`${map}\` has the answer: yes for a charge`
  )
  return {
    column,
    conditions: [...conditions, [column.name, mayBeNegative ? `iif(${amount} < 0, true, ${condition})` : condition]]
  }
}

/** Whether a column distinguishes charges from other rows. The ways of payment and the states of rows are other columns. */
const hasKinds = ({ column }: Declared, { table }: Role): boolean => {
  const { codes, different, kinds = [], name } = column
  const words = columnWordsOf(name)
  const isKnown = kinds.length > 0 && (different > 1 || kinds.every(([, kind]) => kind === "charge"))
  // Letters of debits, credits, charges and payments: P can also mean a pharmacy, so that people must decide.
  const areLetters = codes.length > 0 && codes.every(([code]) => /^(?:[cdpr]|dr|cr|db)$/iu.test(code)) &&
    /\b(?:types?|kinds?|tipo|ind|indicator|flag|signs?|signo|signe|sinal|sens|sentido|side|nature|naturaleza|natureza|movement|entry|(?:dr|d) ?(?:cr|c)|(?:cr|c) ?(?:dr|d)|debit credit|credit debit|debe haber)\b/u
      .test(words)
  const areSigns = codes.length > 0 && codes.every(([code]) => /^[+-]$/u.test(code))
  return (isKnown || areSigns || different > 1 && areLetters) &&
    !stateColumns(table, "entry").some((state) => state.column === column) &&
    !namesVoid(name) && !paymentTypes.some((ways) => ways.test(words)) &&
    (/\bstatus\b/u.test(words) || !/\b(?:pay\w*|cards?|tender|methods?|modes?)\b/u.test(words))
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

const suggestLines = ({ amount, finder, invoice, invoiceCode, kinds, rows }: InvoiceLines, draft: TableDraft): void => {
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
