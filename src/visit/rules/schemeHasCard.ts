import { entriesOf, isOneOf, partOf, type Rule } from "./Rule.ts"

/** Checks that the patient has a card if a scheme pays. The payment types of a scheme are a setting; without it nothing is checked. */
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
      title: "`payment_type` is that of a scheme, and the patient's `identifications` have no card"
    })
  })
}
