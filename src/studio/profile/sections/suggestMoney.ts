import { number } from "../../../diagnostic/count.ts"
import type { Draft } from "../draft/Draft.ts"
import { branchesAt, type Findings, nodeAt } from "../Findings.ts"

/** Records with amounts, by the branch of the base mapping that sends them as invoices if a facility enables it. */
const branches = [
  ["claim", "Claim", ["item"]],
  ["charge", "ChargeItem", ["priceOverride"]],
  ["benefit", "ExplanationOfBenefit", ["item"]]
] as const

/** Asks whether other records are the invoices, if there are none: without an answer, no amount is sent. */
export const suggestMoney = (findings: Findings, draft: Draft): void => {
  if ((nodeAt(findings, "Invoice")?.records ?? 0) > 0) return
  const read = new Set(
    branchesAt(findings.plan.visit, "invoices").flatMap(({ rows }) => (rows.from === "resource" ? rows.types : []))
  )
  const found = branches.flatMap(([branch, type, path]) => {
    const records = nodeAt(findings, type, ...path)?.records ?? 0
    return records === 0 || read.has(type) ? [] : [{ branch, text: `${type} ${number(records)}` }]
  })
  if (found.length === 0) return
  draft.askWithoutLine(
    `there are no invoices (Invoice): are these the hospital's bills? They are not sent:  ${
      found.map(({ text }) => text).join(", ")
    }`,
    `To send one of them:  visit: {invoices: {unionAll: {${found[0]?.branch}: {enabled: true}}}}`
  )
}
