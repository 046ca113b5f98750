import type { TableDraft } from "../../TableDraft.ts"
import type { TableFinder } from "../../TableFinder.ts"
import { type Declared, isOther, type Role } from "../../TableRole.ts"
import {
  columnWordsOf,
  isDiscount,
  isPercentage,
  namesShare,
  priceWords,
  quantityWords,
  returnWords
} from "../../words/columnWords.ts"
import { pathOf, pathTo } from "../../writePath.ts"
import { isMedicines, medicineCode, medicineName, medicineTest } from "../suggestPrescriptions.ts"

/** Whether a table is one of charges by its name. */
export const isBilling = ({ table }: Role): boolean =>
  /\b(?:bill\w*|invoices?|claims?|receipts?|charges?|opitemrece|accounts?|transactions?)\b/u.test(
    columnWordsOf(table.name)
  )

/** Whether the mapping reads a column as numbers. */
export const hasNumbers = ({ yaml }: Declared): boolean => /\b(?:integer|decimal)\b/u.test(yaml)

/** Whether a column can have amounts of money. */
export const isCharge = (one: Declared): boolean =>
  hasNumbers(one) && !isDiscount(one.column.name) && !namesShare(one.column.name)

/** Finds the column with the price of one unit. */
export const priceOf = (finder: TableFinder): Declared | undefined => finder.own(priceWords, isCharge)

/** Words of a column with the amount of a charge, the likeliest first. */
export const amountWords = [
  /^(?:line (?:total|amount)|(?:line |price )?sub ?total)$/u,
  /^(?:amount|sum ?price|total(?: price| amount)?|net(?: amount)?|charge(?: amount)?)$/u,
  /^(?!.*\bunit\b).*\bamount\b/u
]

/** Finds the column with the amount of a charge. It is not the total of the bill. */
export const amountColumn = (finder: TableFinder): Declared | undefined =>
  finder.own(amountWords, (one) => isCharge(one) && one.column.ofBill !== "total")

/**
 * Returns the path to the amount of a line: a column, or otherwise price times quantity without the discount. A line of which something was
 * given back has none, because it is unknown whether its amount is lower.
 */
export const amountOf = (finder: TableFinder): string | undefined => {
  const amount = amountBeforeReturns(finder)
  const returned = returnIn(finder)
  return amount === undefined || returned === undefined ? amount : `iif(${returned.condition}, {}, ${amount})`
}

/** Returns the condition that something of a line was given back, and the condition in words. */
export const returnIn = (finder: TableFinder): { readonly condition: string; readonly words: string } | undefined => {
  const returned = returnedOf(finder)
  if (returned !== undefined) {
    return {
      condition: `${pathOf(returned.name)} > 0`,
      words: `\`${returned.name}\` in \`${finder.role.name}\` is above 0`
    }
  }
  const quantity = quantityOfCharge(finder)
  const amount = amountColumn(finder)
  return quantity?.column.negative === true && amount !== undefined
    ? {
      condition: `${pathOf(quantity.name)} < 0 and ${pathOf(amount.name)} > 0`,
      words: `\`${quantity.name}\` in \`${finder.role.name}\` is negative, and \`${amount.name}\` is not`
    }
    : undefined
}

const amountBeforeReturns = (finder: TableFinder): string | undefined => {
  const amount = amountColumn(finder)
  const discount = lineDiscount(finder)?.path
  const full = fullPrice(finder)
  if (discount === undefined || full === undefined) return pathTo(amount) ?? full
  const less = `iif(${discount}.exists(), ${discount}, 0)`
  if (amount === undefined) return `${full} - ${less}`
  const path = pathOf(amount.name)
  return isNet(amount) ? path : `iif(${path} = ${full}, ${path} - ${less}, ${path})`
}

/** Finds the column that counts what was given back, or has its amount. It can be empty so far. */
const returnedOf = (finder: TableFinder): Declared | undefined =>
  finder.own(returnWords, hasNumbers) ?? finder.emptyOwn(returnWords, hasNumbers)

/** Whether a column has amounts after discounts, by its name. */
export const isNet = ({ column: { name } }: Declared): boolean =>
  /\b(?:net|payable|neto|liquido|after discounts?)\b/u.test(columnWordsOf(name))

/** Returns the path to the price of a line before a discount: price times quantity. */
export const fullPrice = (finder: TableFinder): string | undefined => {
  const price = pathTo(priceOf(finder))
  const quantity = pathTo(quantityOfCharge(finder))
  return price === undefined || quantity === undefined ? price : `${price} * ${quantity}`
}

/** Finds the column of discounts as amounts. It can be empty so far. */
export const discountColumn = (finder: TableFinder): Declared | undefined => {
  const isAmount = (one: Declared): boolean =>
    hasNumbers(one) && isDiscount(one.column.name) && !isPercentage(one.column.name)
  return finder.own([/./u], isAmount) ?? finder.emptyOwn([/./u], isAmount)
}

/** Finds the column with the quantity of a charge. */
export const quantityOfCharge = (finder: TableFinder): Declared | undefined => finder.own(quantityWords, hasNumbers)

/**
 * Returns the path to the discount of a line, and the function that it calls. If the amount shows that a discount is a percentage of the price,
 * the path has the amount of the discount.
 */
export const lineDiscount = (
  finder: TableFinder
): { readonly path: string; readonly function?: string } | undefined => {
  const discount = pathTo(discountColumn(finder))
  const amount = pathTo(amountColumn(finder))
  const full = fullPrice(finder)
  if (discount === undefined || amount === undefined || full === undefined) {
    return discount === undefined ? undefined : { path: discount }
  }
  const isPercentage = `(${amount} - ${full} * (100 - ${discount}) / 100).abs() < 0.01`
  const isNoAmount = `(${amount} - ${full} + ${discount}).abs() >= 0.01`
  return {
    path: "lineDiscount()",
    function: `iif(${isPercentage} and ${isNoAmount}, ${full} - ${amount}, ${discount})`
  }
}

/** Returns the path to the code of what was charged. `mayBeName`: also of a column that can have names. */
export const codeOfCharge = (finder: TableFinder, mayBeName = true): string | undefined =>
  finder.path([
    /\b(?:item|service|product|proc(?:edure)?|charge|i)\b ?code\b|^(?:i ?code|procedure ?code|code|(?:cpt|hcpcs)(?: code)?)$|^code (?:(?:de |du |del )?(?:acte|prestation|article|service|servicio|item|concepto|product))$/u
  ]) ??
    finder.code([/\b(?:item|service|product|procedure|charge|i)\b ?(?:id|no)\b/u]) ??
    (mayBeName ? finder.code([/^(?:item|service)$/u]) : undefined) ??
    medicineCode(finder)

/** Returns the path to the name of what was charged. */
export const nameOfCharge = (finder: TableFinder): string | undefined =>
  finder.path([
    /\b(?:item|service|product|proc(?:edure)?|charge|cpt|hcpcs)\b.*\b(?:name|description)\b|^(?:libelle|description) (?:(?:de |du |del )?(?:l )?(?:acte|prestation|article|servicio|item|concepto|product))$/u
  ]) ??
    medicineName(finder) ??
    finder.path([/^(?:notes?|details?|libelle|designation|descripcion|descricao)$/u])

/** Whether the rows of a table are charges of their own, also if other charges have the same numbers. */
const hasPrices = (finder: TableFinder): boolean =>
  priceOf(finder) !== undefined || quantityOfCharge(finder) !== undefined

/** Matches tables whose rows without codes are more likely payments than charges. */
const arePayments = /\b(?:payments?|receipts?|refunds?|deposits?)\b/u

/** The tables with charges: the one whose rows are sent as lines of invoices, and the others. */
export type Charges = ReturnType<typeof linesIn>

/**
 * Finds the tables of the lines of invoices: what was charged, one row each. The first is sent. A table whose rows refer to an invoice comes
 * before others, and one that another section reads after them. A table that has only names of what was charged is never the first.
 */
export const linesIn = (draft: TableDraft) => {
  const found = draft.roles.flatMap((role) => {
    const finder = draft.finder(role)
    const isMixed = !isMedicines(role) && medicineTest(finder) !== undefined
    if (!isOther(role) || !draft.reachesVisits(role)) return []
    const amount = amountOf(finder)
    const isPriced = priceOf(finder) !== undefined && quantityOfCharge(finder) !== undefined
    const through = draft.linkThrough(role)
    const target = draft.role(through?.target)
    const head = target !== undefined && isBilling(target) && !hasPrices(draft.finder(target)) ? target : undefined
    const isCoded = codeOfCharge(finder) !== undefined
    const isNamed = nameOfCharge(finder) !== undefined && !arePayments.test(columnWordsOf(role.table.name))
    return amount === undefined || !(isCoded || isNamed) ||
        !(isBilling(role) || head !== undefined || isPriced)
      ? []
      : [{ role, finder, amount, through, head, isFree: isCoded && (!draft.used.has(role) || isMixed) }]
  })
  const free = found.filter(({ isFree }) => isFree)
  const first = free.find(({ head }) => head !== undefined) ?? free[0]
  return { first, others: found.filter((one) => one !== first) }
}
