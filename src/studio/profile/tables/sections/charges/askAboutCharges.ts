import { plural } from "../../../../../diagnostic/count.ts"
import { printable } from "../../../../../diagnostic/render/printable.ts"
import type { TableDraft } from "../../TableDraft.ts"
import type { TableFinder } from "../../TableFinder.ts"
import { isOther, type Role } from "../../TableRole.ts"
import {
  columnWordsOf,
  isAmount,
  isDiscount,
  isMoney,
  isPercentage,
  namesShare,
  priceWords
} from "../../words/columnWords.ts"
import { isOfMoney } from "../../words/looksLike.ts"
import { pathOf } from "../../writePath.ts"
import {
  amountColumn,
  amountWords,
  type Charges,
  codeOfCharge,
  fullPrice,
  hasNumbers,
  isBilling,
  isCharge,
  priceOf,
  returnIn
} from "./findCharges.ts"

/** Asks about charges in tables that another section reads: a claim without them can be too low. */
export const askAboutOthers = ({ first, others }: Charges, draft: TableDraft): void => {
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

/** Asks which of several columns of amounts was charged, or which is the price where no column has amounts. */
export const askWhichAmount = (finder: TableFinder, draft: TableDraft): string | undefined => {
  const amount = amountColumn(finder)
  const used = amount ?? priceOf(finder)
  const expected = amount === undefined ? priceWords : amountWords
  const others = finder.role.columns.filter((one) =>
    one !== used && one.column.filled > 0 && isCharge(one) && one.column.ofBill !== "total" &&
    expected.some((words) => words.test(columnWordsOf(one.column.name)))
  )
  if (amount?.column.ofBill === "equal" && fullPrice(finder) === undefined) {
    const whole =
      `is \`${amount.name}\` in \`${finder.role.name}\` the amount of each line, or of the whole bill? All lines of a bill have the same, and it is sent for each`
    draft.questions.push(whole)
    return whole
  }
  if (used === undefined || others.length === 0) return undefined
  const question = `which column of \`${finder.role.name}\` is ${
    amount === undefined ? "the price of one unit" : "what was charged"
  }: ${[used, ...others].map(({ name }) => `\`${name}\``).join(", ")}? The first is used`
  draft.questions.push(question)
  return question
}

/** Asks about taxes that no line reads: they can be part of the amounts, or were charged in addition. */
export const askAboutTaxes = (role: Role, draft: TableDraft): void => {
  const taxes = role.columns.filter((one) =>
    one.column.filled > 0 && hasNumbers(one) && taxWords.test(columnWordsOf(one.column.name)) &&
    !isPercentage(one.column.name) && !draft.reads(role, pathOf(one.name))
  )
  if (taxes.length === 0) return
  draft.askWithoutLine(
    `are taxes part of the amounts of \`${role.name}\`? ${
      taxes.map(({ name }) => `\`${name}\``).join(", ")
    } is not added to them`,
    "If they were charged in addition, add them in  payment:  and  total:  under  invoices:"
  )
}

const taxWords = /\b(?:tax(?:es)?|vat|[csi]?gst|hst|tva|iva|igv|itbis|ppn|icms|iss|impuestos?|impostos?)\b/u

/** Asks about amounts whose column is called after the hundredth of a currency. */
export const askAboutHundredths = (draft: TableDraft): void => {
  const columns = draft.roles.flatMap((role) =>
    role.columns.filter((one) =>
      hasNumbers(one) && hundredthWords.test(columnWordsOf(one.column.name)) && draft.reads(role, pathOf(one.name))
    ).map(({ name }) => ({ name, text: `\`${role.name}.${name}\`` }))
  )
  const [first] = columns
  if (first === undefined) return
  draft.askWithoutLine(
    `are amounts in hundredths of the currency, by ${
      columns.map(({ text }) => text).join(", ")
    }? They are sent unchanged, a hundred times too high if they are`,
    `If they are, divide them:  ${pathOf(first.name)} / 100`
  )
}

const hundredthWords = /\b(?:cents?|centavos?|centimos?|centimes?|satang|paisa|paise|pence)\b/u

/** Asks what was charged for lines of which something was given back. */
export const askAboutReturns = (finder: TableFinder, draft: TableDraft): string | undefined => {
  const returned = returnIn(finder)
  if (returned === undefined) return undefined
  const question = `what was charged where ${returned.words}? These lines reject their visits`
  draft.questions.push(question)
  return question
}

/** Asks about amounts that are not numbers where the price is sent instead. */
export const askAboutAmounts = (finder: TableFinder, draft: TableDraft): void => {
  const words = amountWords.map(({ source }) => new RegExp(`^(?!charge$).*(?:${source})`, "u"))
  const unread = amountColumn(finder) === undefined
    ? finder.own(words, (one) => !hasNumbers(one) && !isDiscount(one.column.name))
    : undefined
  if (unread === undefined) return
  draft.askWithoutLine(
    `what was charged, \`${unread.name}\` in \`${finder.role.name}\`, which has no numbers, or the price times the quantity? The latter is sent`,
    "Export the amounts as plain numbers"
  )
}

/** Asks about amounts that no line reads in tables that sections read, such as fees in the rows of visits. */
export const askAboutFees = ({ first, others }: Charges, draft: TableDraft): void => {
  const usedRoles = new Set([first, ...others].map((one) => one?.role))
  for (const role of draft.roles.filter((one) => !isOther(one) || draft.used.has(one))) {
    const fees = role.columns.filter(({ column, name }) =>
      column.numbers > 0 && isOfMoney(column) && !namesShare(column.name) && !draft.reads(role, pathOf(name))
    )
    if (usedRoles.has(role) || fees.length === 0) continue
    draft.askWithoutLine(
      `what was charged, by ${
        fees.map(({ name }) => `\`${name}\``).join(", ")
      } in \`${role.name}\`? No invoice has these amounts: the claim can be too low`,
      "If they were charged, export a row for each charge, with the number of its visit"
    )
  }
}

/** Asks about the numbers of lines under names without a known meaning: a discount may be among them. */
export const askAboutNumbers = (role: Role, draft: TableDraft): void => {
  const { columns, links, name: table, table: { keys } } = role
  const keyed = new Set([...keys, ...links.flatMap(({ foreignKey: { beside = [], column } }) => [column, ...beside])])
  const unknown = columns.filter((one) =>
    one.column.kind === "decimal" && !keyed.has(one.column.name) && !isMoney(one.column.name) &&
    !isAmount(one.column.name) && !namesShare(one.column.name) && !draft.reads(role, pathOf(one.name))
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
export const askAboutShares = (draft: TableDraft): void => {
  for (const role of draft.roles) {
    const finder = draft.finder(role)
    const shares = role.columns.filter((one) => hasNumbers(one) && namesShare(one.column.name))
    if (
      draft.used.has(role) || !isOther(role) || !isBilling(role) || shares.length === 0 ||
      codeOfCharge(finder) === undefined
    ) continue
    draft.askWithoutLine(
      `what was charged for the rows of \`${role.name}\`? By their names, ${
        shares.map(({ name }) => `\`${name}\``).join(", ")
      } ${shares.length === 1 ? "is a part" : "are parts"} of it or a payment. No invoice is sent`,
      "Add a column `amount` to the export"
    )
  }
}
