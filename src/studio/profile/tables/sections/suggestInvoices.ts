import { plural } from "../../../../diagnostic/count.ts"
import { printable } from "../../../../diagnostic/printable.ts"
import { type KindOfLine, kindOfLine } from "../../../../visit/rules/kindOfLine.ts"
import { assumedPath } from "../../draft/assumptions.ts"
import { type DraftSection, quotedText } from "../../draft/Draft.ts"
import { countItems } from "../../Findings.ts"
import {
  columnWordsOf,
  isAmount,
  isDiscount,
  isMoney,
  isPercentage,
  namesShare,
  namesVoid,
  paidWords
} from "../columnWords.ts"
import { hasUnevenAmounts } from "../declareTable.ts"
import { isOfMoney } from "../looksLike.ts"
import { stateColumn } from "../statusWords.ts"
import { decisionOf, emptyCell, type TableDraft } from "../TableDraft.ts"
import type { TableFinder } from "../TableFinder.ts"
import { type Declared, isOther, keyColumnOf, linkTo, type Role } from "../TableRole.ts"
import { beginning, firstOf, inCondition, ownEncounter, pathOf, pathTo, yamlOf, yamlTo } from "../writePath.ts"
import { isMedicines, medicineCode, medicineName, medicineTest } from "./suggestPrescriptions.ts"

const isBilling = ({ table }: Role): boolean =>
  /\b(?:bill\w*|invoices?|claims?|receipts?|charges?|opitemrece|accounts?|transactions?)\b/u.test(
    columnWordsOf(table.name)
  )

const isNumber = ({ yaml }: Declared): boolean => /\b(?:integer|decimal)\b/u.test(yaml)

const isCharge = (one: Declared): boolean =>
  isNumber(one) && !isDiscount(one.column.name) && !namesShare(one.column.name)

const priceWords = [/\bunit ?(?:price|amount|cost)\b/u, /\b(?:price|rate)\b/u]

const priceOf = (finder: TableFinder): Declared | undefined => finder.own(priceWords, isCharge)

const amountWords = [
  /^line (?:total|amount)$/u,
  /^(?:amount|sum ?price|total(?: price| amount)?|net(?: amount)?|charge(?: amount)?)$/u,
  /^(?!.*\bunit\b).*\bamount\b/u
]

const amountColumn = (finder: TableFinder): Declared | undefined => finder.own(amountWords, isCharge)

/**
 * Returns the path to the amount of a line: a column, or otherwise price times quantity without the discount. A line of which something was
 * given back has none, because it is unknown whether its amount is lower.
 */
const amountOf = (finder: TableFinder): string | undefined => {
  const amount = amountBeforeReturns(finder)
  const returned = returnedOf(finder)
  return amount === undefined || returned === undefined ? amount : `iif(${pathOf(returned.name)} > 0, {}, ${amount})`
}

const amountBeforeReturns = (finder: TableFinder): string | undefined => {
  const amount = amountColumn(finder)
  const discount = discountColumn(finder)
  const full = fullPrice(finder)
  if (discount === undefined || full === undefined) return pathTo(amount) ?? full
  const less = `iif(${pathOf(discount.name)}.exists(), ${pathOf(discount.name)}, 0)`
  if (amount === undefined) return `${full} - ${less}`
  const path = pathOf(amount.name)
  return isNet(amount) ? path : `iif(${path} = ${full}, ${path} - ${less}, ${path})`
}

/** Finds the column that counts what was given back. */
const returnedOf = (finder: TableFinder): Declared | undefined =>
  finder.own(
    [/^(?:ret(?:urn(?:ed|s)?)? (?:qty|quantity|units|count)|(?:qty|quantity) ret(?:urn(?:ed|s)?)?)$/u],
    isNumber
  )

const isNet = ({ column: { name } }: Declared): boolean =>
  /\b(?:net|payable|neto|liquido|after discounts?)\b/u.test(columnWordsOf(name))

/** Returns the path to the price of a line before a discount: price times quantity. */
const fullPrice = (finder: TableFinder): string | undefined => {
  const price = pathTo(priceOf(finder))
  const quantity = pathTo(quantityOf(finder))
  return price === undefined || quantity === undefined ? price : `${price} * ${quantity}`
}

/** Writes an amount of money. A cell that cannot be read rejects its visit, because a correction may be missing from the sum. */
const moneyYaml = (path: string, columns: ReadonlyArray<Declared | undefined>): string =>
  columns.some((one) => one !== undefined && hasUnevenAmounts(one.column))
    ? mustHave(path)
    : yamlOf(path)

const mustHave = (path: string): string => `{path: ${yamlOf(path)}, required: error}`

/** Writes the payment of a line. An amount that is not its price times its quantity is sent with a warning. */
const paymentOf = (finder: TableFinder, amount: string): string => {
  const full = fullPrice(finder)
  const discount = pathTo(discountColumn(finder))
  if (amountColumn(finder) === undefined || quantityOf(finder) === undefined || full === undefined) {
    return mustHave(amount)
  }
  const rest = `${amount} - ${full}${discount === undefined ? "" : ` + iif(${discount}.exists(), ${discount}, 0)`}`
  // Prices with more decimals than amounts are rounded. Without a price, nothing is known.
  const expected = quotedText(`iif((${rest}).abs() >= 0.01, {}, ${amount})`)
  const other = `{path: ${quotedText(amount)}, warn: "not the price times the quantity"}`
  return `{path: [${expected}, ${other}], required: error}`
}

/** Returns the path to the sum of the lines. */
const sumOf = (rows: string, amount: string): string =>
  `${rows === "$this" ? "" : `${rows}.`}${/^[\w`]+$/u.test(amount) ? amount : `select(${amount})`}.sum()`

/** Writes the sum of the lines. Beside rows of another table with charges, it is an assumption. */
const totalOfLines = (sum: string, { others }: ReturnType<typeof linesIn>, draft: TableDraft): string => {
  const conditions = others.flatMap(({ role }) => {
    const link = linkTo(role, "visit")
    return link === undefined ? [] : [`%visit.reverseResolve('${role.name}.${link.name}').exists()`]
  })
  return conditions.length === 0
    ? quotedText(sum)
    : `[${assumedPath(draft, `iif(${conditions.join(" or ")}, ${sum}, {})`, "other-charges-are-not-sent")}, ${
      quotedText(sum)
    }]`
}

/** Whether the rows of a table are charges of their own, also if other charges have the same numbers. */
const hasPrices = (finder: TableFinder): boolean => priceOf(finder) !== undefined || quantityOf(finder) !== undefined

/**
 * Finds the tables of the lines of invoices: what was charged, one row each. The first is sent. A table whose rows refer to an invoice comes
 * before others, and one that another section reads after them.
 */
const linesIn = (draft: TableDraft) => {
  const found = draft.roles.flatMap((role) => {
    const finder = draft.finder(role)
    const isMixed = !isMedicines(role) && medicineTest(finder) !== undefined
    if (!isOther(role) || !draft.reachesVisits(role)) return []
    const amount = amountOf(finder)
    const isPriced = priceOf(finder) !== undefined && quantityOf(finder) !== undefined
    const through = draft.linkThrough(role)
    const target = draft.role(through?.target)
    const head = target !== undefined && isBilling(target) && !hasPrices(draft.finder(target)) ? target : undefined
    return amount === undefined || codeOf(finder) === undefined || !(isBilling(role) || head !== undefined || isPriced)
      ? []
      : [{ role, finder, amount, through, head, isTaken: draft.used.has(role) && !isMixed }]
  })
  const free = found.filter(({ isTaken }) => !isTaken)
  const first = free.find(({ head }) => head !== undefined) ?? free[0]
  return { first, others: found.filter((one) => one !== first) }
}

/** Asks about charges in tables that another section reads: a claim without them can be too low. */
const askAboutOthers = ({ first, others }: ReturnType<typeof linesIn>, draft: TableDraft): void => {
  for (const { amount, role } of others) {
    // Those that no section reads are asked about as tables.
    if (!draft.used.has(role)) continue
    draft.askWithoutLine(
      `are the amounts of \`${role.name}\` (${plural(role.table.rows, "row")}) ${
        first === undefined ? "charges" : `charged in addition to those of \`${first.role.name}\``
      }? No invoice has them: the claim can be too low`,
      `If they are, ${
        first === undefined ? "write the lines of  invoices:" : "export both as one table"
      }; their amount is  ${amount}`
    )
  }
}

/** Returns the path to the code of what was charged. `mayBeName`: also of a column that can have names. */
const codeOf = (finder: TableFinder, mayBeName = true): string | undefined =>
  finder.path([
    /\b(?:item|service|product|procedure|charge|i)\b ?code\b|^(?:i ?code|procedure ?code|code|(?:cpt|hcpcs)(?: code)?)$|^code (?:(?:de |du |del )?(?:acte|prestation|article|service|servicio|item|concepto|product))$/u
  ]) ??
    finder.code([/\b(?:item|service|product|procedure|charge|i)\b ?(?:id|no)\b/u]) ??
    (mayBeName ? finder.code([/^(?:item|service)$/u]) : undefined) ??
    medicineCode(finder)

const nameOf = (finder: TableFinder): string | undefined =>
  finder.path([
    /\b(?:item|service|product|charge|cpt|hcpcs)\b.*\b(?:name|description)\b|^(?:libelle|description) (?:(?:de |du |del )?(?:l )?(?:acte|prestation|article|servicio|item|concepto|product))$/u
  ]) ??
    medicineName(finder) ??
    finder.path([/^(?:notes?|details?)$/u])

const quantityOf = (finder: TableFinder): Declared | undefined =>
  finder.own([/^(?:qty|quantity|units|count)$/u], isNumber)

/** Asks which of several columns of amounts was charged, or which is the price where no column has amounts. */
const askWhichAmount = (finder: TableFinder, draft: TableDraft): string | undefined => {
  const amount = amountColumn(finder)
  const used = amount ?? priceOf(finder)
  const expected = amount === undefined ? priceWords : amountWords
  const others = finder.role.columns.filter((one) =>
    one !== used && one.column.filled > 0 && isCharge(one) &&
    expected.some((words) => words.test(columnWordsOf(one.column.name)))
  )
  if (used === undefined || others.length === 0) return undefined
  const question = `which column of \`${finder.role.name}\` is ${
    amount === undefined ? "the price of one unit" : "what was charged"
  }: ${[used, ...others].map(({ name }) => `\`${name}\``).join(", ")}? The first is used`
  draft.questions.push(question)
  return question
}

/** Asks what was charged for lines of which something was given back. */
const askAboutReturns = (finder: TableFinder, draft: TableDraft): string | undefined => {
  const returned = returnedOf(finder)
  if (returned === undefined) return undefined
  const question =
    `what was charged where \`${returned.name}\` in \`${finder.role.name}\` is above 0? These lines reject their visits`
  draft.questions.push(question)
  return question
}

/** Words of a column with the totals of invoices: after discounts, or of unstated meaning. */
const totalWords = [
  /^(?:net (?:total|amount|payable)|total (?:net|payable|neto|a pagar)|(?:total|amount) after discounts?)$/u,
  /^(?:grand )?total(?: amount)?$|\b(?:invoice|bill) (?:amount|total)\b/u,
  /^amount$/u,
  /^(?:gross (?:total|amount)|total (?:gross|bruto|brut)|(?:sub|sous) ?total)$/u
]

/** Finds the total in a table of invoices, and asks if several columns can be it. */
const totalOf = (invoices: TableFinder, draft: TableDraft): Declared | undefined => {
  const total = invoices.own(totalWords, isCharge)
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

/** Asks about amounts that are not numbers where the price is sent instead. */
const askAboutAmounts = (finder: TableFinder, draft: TableDraft): void => {
  const words = amountWords.map(({ source }) => new RegExp(`^(?!charge$).*(?:${source})`, "u"))
  const unread = amountColumn(finder) === undefined
    ? finder.own(words, (one) => !isNumber(one) && !isDiscount(one.column.name))
    : undefined
  if (unread === undefined) return
  draft.askWithoutLine(
    `what was charged, \`${unread.name}\` in \`${finder.role.name}\`, which has no numbers, or the price times the quantity? The latter is sent`,
    "Export the amounts as plain numbers"
  )
}

/** Asks about amounts that no line reads in tables that sections read, such as fees in the rows of visits. */
const askAboutFees = ({ first, others }: ReturnType<typeof linesIn>, draft: TableDraft): void => {
  const asked = new Set([first, ...others].map((one) => one?.role))
  for (const role of draft.roles.filter((one) => !isOther(one) || draft.used.has(one))) {
    const fees = role.columns.filter(({ column, name }) =>
      column.numbers > 0 && isOfMoney(column) && !namesShare(column.name) && !draft.mentions(pathOf(name))
    )
    if (asked.has(role) || fees.length === 0) continue
    draft.askWithoutLine(
      `what was charged, by ${
        fees.map(({ name }) => `\`${name}\``).join(", ")
      } in \`${role.name}\`? No invoice has these amounts: the claim can be too low`,
      "If they were charged, export a row for each charge, with the number of its visit"
    )
  }
}

/** Asks about the numbers of lines under names without a known meaning: a discount may be among them. */
const askAboutNumbers = ({ columns, name: table, table: { keys }, links }: Role, draft: TableDraft): void => {
  const keyed = new Set([...keys, ...links.flatMap(({ foreignKey: { beside = [], column } }) => [column, ...beside])])
  const unknown = columns.filter((one) =>
    one.column.kind === "decimal" && !keyed.has(one.column.name) && !isMoney(one.column.name) &&
    !isAmount(one.column.name) && !namesShare(one.column.name) && !draft.mentions(pathOf(one.name))
  )
  if (unknown.length === 0) return
  draft.askWithoutLine(
    `what are the numbers of ${
      unknown.map(({ column, name }) => `\`${name}\` (${printable(column.name)})`).join(", ")
    } in \`${table}\`? No line reads them: the charges can be wrong`,
    "If they are discounts or charges, write them into the lines of  invoices:"
  )
}

/** Asks about charges of which only shares are known: what the insurer, the patient or the tax office gets. */
const askAboutShares = (draft: TableDraft): void => {
  for (const role of draft.roles) {
    const finder = draft.finder(role)
    const shares = role.columns.filter((one) => isNumber(one) && namesShare(one.column.name))
    if (
      draft.used.has(role) || !isOther(role) || !isBilling(role) || shares.length === 0 || codeOf(finder) === undefined
    ) continue
    draft.askWithoutLine(
      `what was charged for the rows of \`${role.name}\`? By their names, ${
        shares.map(({ name }) => `\`${name}\``).join(", ")
      } ${shares.length === 1 ? "is a part" : "are parts"} of it or a payment. No invoice is sent`,
      "Add a column `amount` to the export"
    )
  }
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
    const group = `[${quotedText(pathTo(number ?? reference) ?? "'all'")}]`
    const guess = number === undefined ? undefined : guessOfNumber(number)
    if (guess === undefined) put("groupBy", group)
    else doubt("groupBy", group, guess)
    put(
      "code",
      number === undefined ? quotedText("%visit.code") : `{path: ${firstOf(...codes)}, take: first}`
    )
    // Another extract can have several lines of a bill that has one here.
    if (number !== undefined && keyColumnOf(role) === number && !isNamed(role, draft)) {
      draft.remove(["table", role.name, "key"])
    }
    for (const field of ["invoice_date", "created_at", "updated_at"]) {
      put(field, `{path: ${firstOf(pathTo(finder.time()), beginning)}, take: first}`)
    }
    const cashier = cashierOf(finder)
    const type = pathTo(finder.own(paymentTypes))
    put("cashier", cashier === undefined ? "null" : `{path: ${yamlOf(cashier)}, take: first}`)
    // If the lines of one invoice differ, the first is sent with a warning.
    put("payment_type", type === undefined ? "null" : quotedText(`${type}.distinct()`))
    put("total", totalOfLines(sumOf(sent, amount), found, draft))
  } else {
    draft.use(invoice)
    const above = draft.finder(invoice)
    const key = keyColumnOf(invoice)
    const time = above.time(/\b(?:invoice\w*|bill\w*|service\w*|issued|date)\b/u) ?? above.time()
    const total = totalOf(above, draft)
    put("resource", invoice.name, `the lines are rows of \`${role.name}\``)
    put("code", key === undefined ? quotedText("keyOf('record')") : yamlTo(key))
    for (const field of ["invoice_date", "created_at", "updated_at"]) put(field, firstOf(pathTo(time), beginning))
    put("cashier", yamlOf(cashierOf(above)))
    put(
      "payment_type",
      yamlOf(above.path(paymentTypes))
    )
    put(
      "total",
      total === undefined ? totalOfLines(sumOf(sent, amount), found, draft) : moneyYaml(pathOf(total.name), [total])
    )
  }
  if (role.table.isPart === true && invoice === undefined) {
    // A row whose amount cannot be read is not dropped, but rejects its visit.
    const isUneven = role.columns.some(({ column }) => hasUnevenAmounts(column))
    put(["where", "charged"], quotedText(`${isUneven ? codeOf(finder) ?? amount : amount}.exists()`))
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
  for (const section of sections) {
    for (const [column, condition] of kinds.conditions) {
      const warning = quotedText(`dropped: no charge by ${column}`)
      draft.put([...section, "where", `charged_${column}`], `{path: ${quotedText(condition)}, warn: ${warning}}`)
    }
  }
  if (invoice !== undefined) draft.dropByState(role, ...sections)
  askAboutFees(found, draft)
  askAboutNumbers(role, draft)
}

const paymentTypes = [
  /^(?:payers?|pay(?:ment)? ?(?:type|method|mode)|mode of payment|payment mode|(?:forma|tipo|medio) de pago|insurance|scheme)$/u
]

const cashierOf = (finder: TableFinder): string | undefined =>
  finder.person(/\b(?:cashier|caissiere?|cajer[oa]|received by)\b/u)

/** Finds the column that numbers the bills of the lines. */
const billNumber = (finder: TableFinder): Declared | undefined =>
  finder.own([numbered(bill), numbered("receipt|rcpt")], isText) ??
    finder.own([/^(?:bill|invoice|receipt)$/u], (one) => isText(one) && one.column.numbers === 0)

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

/** Whether rows of another table refer to those of a table. */
const isNamed = ({ name }: Role, { roles }: TableDraft): boolean =>
  roles.some(({ links }) => links.some(({ target }) => target === name))

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
const kindsOfRows = (finder: TableFinder, amount: string, draft: TableDraft): RowKinds => {
  const { role } = finder
  const named = new Set([codeOf(finder), nameOf(finder)])
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
      : isLedger && /^dr$/iu.test(code)
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
  const mayBeNegative = !hasPayments && codes.some((code) => kindOf(code) === "correction")
  draft.askWithoutLine(
    `which rows of \`${role.name}\` are charges, by \`${column.name}\`?  ${countItems(counted).join(", ")}. ${
      rows.some(({ isYes }) => isYes) ? `Those with ${listed(true)} are sent` : "None is sent"
    }${hasPayments ? `, those with ${listed(false)} are left out` : ""}. Any other row rejects its visit${
      mayBeNegative ? ", unless its amount is negative" : ""
    }`,
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
    /\b(?:types?|kinds?|tipo|ind|indicator|flag|sign|entry|dr ?cr|debit credit)\b/u.test(words)
  return (isKnown || different > 1 && areLetters) &&
    column !== stateColumn(table, "entry") &&
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
  const medicine = decision?.condition
  const price = priceOf(finder)
  const question = askWhichAmount(finder, draft) ?? askAboutReturns(finder, draft)
  const paid = finder.own([paidWords], ({ column }) => column.kind === "boolean")
  const discount = discountOf(finder, invoice, draft)
  const services = draft.section("visit", "invoices", "services")
  const medications = draft.section("visit", "invoices", "medications")
  const putMoney = ({ doubt, put }: DraftSection): void => {
    put("invoice_code", invoiceCode)
    if (price === undefined) put("price", yamlOf(amount), "no column has the price of one unit")
    else put("price", moneyYaml(pathOf(price.name), [price]))
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
  const code = codeOf(finder)
  if (code === codeOf(finder, false)) services.put("service_code", yamlOf(code))
  else services.doubt("service_code", yamlOf(code), "its column can have names instead of codes")
  services.put("service_name", firstOf(nameOf(finder), codeOf(finder)))
  services.put(
    "service_category",
    yamlOf(
      finder.path(
        [/\b(?:category|group|type|class)\b/u],
        (one) =>
          one !== kinds.column &&
          !/\b(?:pay\w*|discount|disc|insurance|invoice|bill|visit|patient)\b/u.test(columnWordsOf(one.column.name))
      )
    )
  )
  putMoney(services)
  if (medicine === undefined) {
    medications.put("enabled", "false")
    return
  }
  medications.put("forEach", quotedText(`${rows}.where(${medicine})`))
  medications.put("medicine_code", yamlOf(codeOf(finder)))
  medications.put("medicine_name", firstOf(nameOf(finder), codeOf(finder)))
  medications.put("unit", yamlOf(finder.path([/^(?:units?|uom)$/u], (one) => !isNumber(one))))
  medications.put("quantity", yamlTo(quantityOf(finder)))
  putMoney(medications)
}

/** Drafts the discount of a line. Of a column that has no amounts, none is sent until people decide. */
const discountOf = (
  finder: TableFinder,
  invoice: Role | undefined,
  draft: TableDraft
): { readonly yaml: string; readonly why?: string } => {
  const amount = discountColumn(finder)
  if (amount !== undefined) {
    const charge = amountColumn(finder)
    if (charge === undefined || isNet(charge)) return { yaml: yamlTo(amount) }
    const question = `does \`${charge.name}\` in \`${finder.role.name}\` include \`${amount.name}\`? The discount is ${
      fullPrice(finder) === undefined
        ? "not subtracted from it"
        : "subtracted where the amount is the price times the quantity"
    }`
    draft.questions.push(question)
    return { yaml: yamlTo(amount), why: `QUESTION ${question}` }
  }
  const other = finder.own([/./u], ({ column }) => isDiscount(column.name))
  const whole = invoice?.columns.find(({ column }) => column.filled > 0 && isDiscount(column.name))
  if (other === undefined && whole !== undefined) {
    const question =
      `how much of the discount of an invoice, \`${whole.name}\` in \`${invoice?.name}\`, is that of each line? The Visit has discounts of lines only; none is sent`
    draft.questions.push(question)
    return { yaml: "null", why: `QUESTION ${question}` }
  }
  if (other === undefined) return { yaml: `[${assumedPath(draft, "0", "discount-is-none")}]` }
  const question = `how much is the discount of a line? \`${other.name}\` in \`${finder.role.name}\` ${
    isNumber(other)
      ? `is a percentage; none is sent. If it is one of the price, write  discount: ${
        quotedText(`${fullPrice(finder) ?? amountOf(finder)} * ${pathOf(other.name)} / 100`)
      }`
      : "has no amounts; none is sent"
  }`
  draft.questions.push(question)
  return { yaml: "null", why: `QUESTION ${question}` }
}

/** Finds the column of discounts as amounts. */
const discountColumn = (finder: TableFinder): Declared | undefined =>
  finder.own([/./u], (one) => isNumber(one) && isDiscount(one.column.name) && !isPercentage(one.column.name))
