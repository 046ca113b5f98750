import { encounterCodesOf } from "../encounterCodes.ts"
import type { Field } from "../Field.ts"
import { leavesWhere } from "./leaves.ts"
import { encounterLists, entriesOf, partOf, type Rule, textAt } from "./Rule.ts"

const links = leavesWhere((field: Field) =>
  field.name === "patient_code" || field.name === "visit_code" || field.name === "encounter_code"
)

/**
 * §2.4 to §2.6: every `patient_code` and `visit_code` inside a visit is the visit's own. Every `encounter_code` is the code of an encounter
 * of the visit, and every `invoice_code` is the code of its invoice. §7 calls other values "data integrity violations".
 */
export const codesBelongToVisit: Rule = (visit, settings, report) => {
  const foreign = (path: ReadonlyArray<string | number>, title: string, help?: string): void =>
    report({ code: "foreign-code", severity: "error", path, title, ...(help === undefined ? {} : { help }) })
  const facility = textAt(visit, "health_facility_code")
  if (settings.facilityCode !== undefined && facility !== undefined && facility !== settings.facilityCode) {
    foreign(
      ["health_facility_code"],
      "`health_facility_code` is not the facility this is sent for",
      "a request has one facility code in its header; send the visits of another facility with its own settings"
    )
  }
  const patient = textAt(visit, "patient_code")
  const code = textAt(visit, "code")
  const own = textAt(partOf(visit, "patient"), "code")
  if (patient !== undefined && own !== undefined && own !== patient) {
    foreign(["patient", "code"], "the patient's `code` is not the visit's `patient_code`")
  }
  const encounters = new Set<string>(encounterCodesOf(visit).map(({ code }) => code))
  links(visit, (value, field, path) => {
    if (typeof value !== "string" || value === "") return
    if (field.name === "patient_code") {
      if (value !== patient && patient !== undefined) {
        foreign(path(), "`patient_code` is not the visit's `patient_code`")
      }
    } else if (field.name === "visit_code") {
      if (value !== code && code !== undefined) foreign(path(), "`visit_code` is not the code of this visit")
    } else if (!encounters.has(value)) {
      foreign(
        path(),
        "`encounter_code` is not the code of an encounter of this visit",
        `an encounter is an entry of ${encounterLists.join(", ")}`
      )
    }
  })
  entriesOf(visit, "invoices").forEach((invoice, index) => {
    const invoiceCode = textAt(invoice, "code")
    if (invoiceCode === undefined) return
    for (const list of ["services", "medications"]) {
      entriesOf(invoice, list).forEach((line, at) => {
        const own = textAt(line, "invoice_code")
        if (own !== undefined && own !== invoiceCode) {
          foreign(["invoices", index, list, at, "invoice_code"], "`invoice_code` is not the code of the invoice")
        }
      })
    }
  })
}
