import { entriesOf, isOneOf, partOf, type Rule } from "./Rule.ts"

/** Where a scheme pays, the patient has a card. Which payment types are a scheme's is a setting; without it nothing is said. */
export const schemeHasCard: Rule = (visit, settings, report) => {
  if (settings.schemePaymentTypes.length === 0) return
  const { identifications } = partOf(visit, "patient")
  if (!Array.isArray(identifications) || identifications.length > 0) return
  entriesOf(visit, "invoices").forEach((invoice, index) => {
    if (!isOneOf(invoice, "payment_type", settings.schemePaymentTypes)) return
    report({
      code: "contradiction",
      severity: "warning",
      path: ["invoices", index, "payment_type"],
      title: "`payment_type` is that of a scheme, and the patient's `identifications` hold no card"
    })
  })
}
