import { assumedPath } from "../../../draft/assumptions.ts"
import { quotedText } from "../../../draft/Draft.ts"
import type { TableDraft } from "../../TableDraft.ts"
import type { TableFinder } from "../../TableFinder.ts"
import type { Role } from "../../TableRole.ts"
import { isDiscount } from "../../words/columnWords.ts"
import { pathOf, yamlOf } from "../../writePath.ts"
import { amountColumn, amountOf, discountColumn, fullPrice, hasNumbers, isNet, lineDiscount } from "./findCharges.ts"

/** Drafts the discount of a line. Of a column that has no amounts, none is sent until people decide. */
export const discountOf = (
  finder: TableFinder,
  invoice: Role | undefined,
  draft: TableDraft
): { readonly yaml: string; readonly why?: string } => {
  const amount = discountColumn(finder)
  if (amount !== undefined) {
    const charge = amountColumn(finder)
    const { function: body, path } = lineDiscount(finder) ?? { path: pathOf(amount.name) }
    if (body !== undefined) {
      draft.put(
        ["function", "lineDiscount"],
        quotedText(body),
        "a percentage, by the amount of its line, is sent as an amount"
      )
    }
    const yaml = amount.column.filled > 0
      ? yamlOf(path)
      : `[${quotedText(path)}, ${assumedPath(draft, "0", "discount-is-none")}]`
    if (charge === undefined || isNet(charge)) return { yaml }
    const question = `does \`${charge.name}\` in \`${finder.role.name}\` include \`${amount.name}\`? The discount is ${
      fullPrice(finder) === undefined
        ? "not subtracted from it"
        : "subtracted where the amount is the price times the quantity"
    }`
    draft.questions.push(question)
    return { yaml, why: `QUESTION ${question}` }
  }
  const other = finder.own([/./u], ({ column }) => isDiscount(column.name))
  const [whole] = [invoice, draft.role("visit")].flatMap((role) =>
    role?.columns.flatMap(({ column, name }) =>
      column.filled > 0 && isDiscount(column.name) ? [`\`${name}\` in \`${role.name}\``] : []
    ) ?? []
  )
  if (other === undefined && whole !== undefined) {
    const question =
      `how much of the discount of an invoice, ${whole}, is that of each line? The Visit has discounts of lines only; none is sent`
    draft.questions.push(question)
    return { yaml: "null", why: `QUESTION ${question}` }
  }
  if (other === undefined) return { yaml: `[${assumedPath(draft, "0", "discount-is-none")}]` }
  const question = `how much is the discount of a line? \`${other.name}\` in \`${finder.role.name}\` ${
    hasNumbers(other)
      ? `is a percentage; none is sent. If it is one of the price, write  discount: ${
        quotedText(`${fullPrice(finder) ?? amountOf(finder)} * ${pathOf(other.name)} / 100`)
      }`
      : "has no amounts; none is sent"
  }`
  draft.questions.push(question)
  return { yaml: "null", why: `QUESTION ${question}` }
}
