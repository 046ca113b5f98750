import { assumedPath } from "../../../draft/assumptions.ts"
import { quotedText } from "../../../draft/Draft.ts"
import { hasUnevenAmounts } from "../../declareTable.ts"
import type { TableDraft } from "../../TableDraft.ts"
import type { TableFinder } from "../../TableFinder.ts"
import { type Declared, keyColumnOf, linkTo, type Role } from "../../TableRole.ts"
import { billNumbers, columnWordsOf, receiptNumbers } from "../../words/columnWords.ts"
import {
  beginning,
  firstOf,
  ownEncounter,
  pathOf,
  pathTo,
  recordedAt,
  valueOfRows,
  yamlOf,
  yamlTo
} from "../../writePath.ts"
import { medicineTest } from "../suggestPrescriptions.ts"
import {
  askAboutAmounts,
  askAboutFees,
  askAboutNumbers,
  askAboutOthers,
  askAboutShares,
  askAboutTaxes
} from "./askAboutCharges.ts"
import { type Charges, codeOfCharge, isCharge, linesIn } from "./findCharges.ts"
import { kindsOfRows, paymentTypes, putConditions } from "./kindsOfRows.ts"
import { suggestLines } from "./suggestLines.ts"

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

/** Finds the total of the bill in its lines, if each of them repeats it. */
const statedTotal = (lines: TableFinder): Declared | undefined =>
  lines.own(totalWords, (one) => isCharge(one) && one.column.ofBill === "total")

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
    const key = number ?? (reference?.column.share === 1 ? reference : undefined)
    const group = `[${quotedText(pathTo(key) ?? "'all'")}]`
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
    const stated = statedTotal(finder)
    put("total", stated === undefined ? totalYaml(sumOf(sent, amount), found, draft) : valueOfRows(pathOf(stated.name)))
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

/** Whether a column can have the types of payments. Numbers under the name of an insurance are amounts. */
const canBePayment = ({ column: { filled, name, numbers } }: Declared): boolean =>
  numbers < filled || /\bpa(?:y(?:ment)?|go)\b/u.test(columnWordsOf(name))

const cashierOf = (finder: TableFinder): string | undefined =>
  finder.person(/\b(?:cashier|caissiere?|cajer[oa]|(?:received|billed|invoiced) by)\b/u)?.name

/** Finds the column that numbers the bills of the lines. */
const billNumber = (finder: TableFinder): Declared | undefined =>
  finder.own([billNumbers, receiptNumbers], isText) ??
    finder.own([/^(?:bill|invoice|receipt)$/u], (one) => isText(one) && one.column.numbers === 0) ??
    finder.own([/\bitem (?:bill|invoice) (?:no|nr|num|number)$/u], isText) ??
    // Above the lines of a bill, its own number has no other word.
    finder.own(
      [/^(?:id|no|nr|number)$/u],
      (one) => isText(one) && finder.role.table.head?.includes(one.column.name) === true
    )

const isText = ({ column: { kind } }: Declared): boolean => kind === "text" || kind === "code" || kind === "integer"

/** Why a column may not be the number of the bills. */
const guessOfNumber = ({ column }: Declared): string | undefined =>
  column.unique
    ? "each line has a number of its own"
    : column.share < 1
    ? "lines without a number are one invoice of their visit"
    : billNumbers.test(columnWordsOf(column.name))
    ? undefined
    : "by the name of its column"

/** Returns the path of a line to the code of its invoice. */
const referenceTo = (invoice: Role, lines: Role): string => {
  const link = lines.links.find(({ target }) => target === invoice.name)?.foreignKey.column
  return pathOf(lines.columns.find(({ column }) => column.name === link)?.name ?? "code")
}
