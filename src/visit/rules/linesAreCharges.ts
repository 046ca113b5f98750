import { compare, isDecimal } from "../../json/Decimal.ts"
import { type KindOfLine, kindOfLine } from "./kindOfLine.ts"
import { entriesOf, type Rule, textAt, type UnvalidatedVisit } from "./Rule.ts"

/** What a line is instead of a charge. A correction that is negative takes back an earlier line, so it is one of the sum. */
const otherThanCharge = (line: UnvalidatedVisit, name: string): KindOfLine | undefined => {
  const kind = kindOfLine(name)
  return kind === "charge" ||
      kind === "correction" && isDecimal(line.payment) && compare(line.payment, 0) < 0
    ? undefined
    : kind
}

const lineTexts = [
  ["services", "service_name", "name"],
  ["services", "service_category", "category"],
  ["medications", "medicine_name", "name"]
] as const

/** Checks that no line of an invoice has the name or category of a total, a payment, or a correction that adds to the invoice. */
export const linesAreCharges: Rule = (visit, _, report) => {
  entriesOf(visit, "invoices").forEach((invoice, index) => {
    for (const [list, field, what] of lineTexts) {
      entriesOf(invoice, list).forEach((line, at) => {
        const name = textAt(line, field)
        const kind = name === undefined ? undefined : otherThanCharge(line, name)
        if (kind === undefined) return
        report({
          code: "odd-value",
          severity: "error",
          path: ["invoices", index, list, at, field],
          title: `a line of an invoice is no charge: by its ${what} it is a ${kind}`,
          help: kind === "correction"
            ? "send it with a negative amount, or leave out the line that it takes back"
            : "leave the line out:  add a condition under  where:  of the section"
        })
      })
    }
  })
}
