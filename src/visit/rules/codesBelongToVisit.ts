import type { Field } from "../Field.ts"
import type { ValuePath } from "../VisitProblem.ts"
import {
  encounterLists,
  entriesOf,
  LeafCheck,
  type LeafRule,
  partOf,
  type ReportProblem,
  type Rule,
  textAt
} from "./Rule.ts"

const foreign = (report: ReportProblem, path: ValuePath, title: string, help?: string): void =>
  report({ code: "foreign-code", severity: "error", path, title, ...(help === undefined ? {} : { help }) })

/** The visit is of the facility that it is sent for, and its patient has its `patient_code`. */
export const codesBelongToVisit: Rule = (visit, settings, report) => {
  const facility = textAt(visit, "health_facility_code")
  if (settings.facilityCode !== undefined && facility !== undefined && facility !== settings.facilityCode) {
    foreign(
      report,
      ["health_facility_code"],
      "`health_facility_code` is not the facility this is sent for",
      "a request has one facility code in its header; send the visits of another facility with its own settings"
    )
  }
  const patient = textAt(visit, "patient_code")
  const own = textAt(partOf(visit, "patient"), "code")
  if (patient !== undefined && own !== undefined && own !== patient) {
    foreign(report, ["patient", "code"], "the patient's `code` is not the visit's `patient_code`")
  }
}

class OwnLinks extends LeafCheck {
  readonly #patient = textAt(this.visit, "patient_code")
  readonly #code = textAt(this.visit, "code")
  readonly #encounters = new Set(
    encounterLists.flatMap((list) => entriesOf(this.visit, list).map((entry) => textAt(entry, "code")))
  )

  see(value: unknown, { name }: Field, path: () => ValuePath): void {
    if (typeof value !== "string" || value === "") return
    if (name === "patient_code") {
      if (value !== this.#patient && this.#patient !== undefined) {
        foreign(this.report, path(), "`patient_code` is not the visit's `patient_code`")
      }
    } else if (name === "visit_code") {
      if (value !== this.#code && this.#code !== undefined) {
        foreign(this.report, path(), "`visit_code` is not the code of this visit")
      }
    } else if (!this.#encounters.has(value)) {
      foreign(
        this.report,
        path(),
        "`encounter_code` is not the code of an encounter of this visit",
        `an encounter is an entry of ${encounterLists.join(", ")}`
      )
    }
  }
}

/**
 * §2.4 to §2.6: every `patient_code` and `visit_code` inside a visit is the visit's own. Every `encounter_code` is the code of an encounter
 * of the visit. §7 calls other values "data integrity violations".
 */
export const linksBelongToVisit: LeafRule = {
  isAbout: ({ name }) => name === "patient_code" || name === "visit_code" || name === "encounter_code",
  sees: "values",
  Check: OwnLinks
}

/** Every `invoice_code` is the code of its invoice. */
export const linesBelongToInvoice: Rule = (visit, _settings, report) => {
  entriesOf(visit, "invoices").forEach((invoice, index) => {
    const invoiceCode = textAt(invoice, "code")
    if (invoiceCode === undefined) return
    for (const list of ["services", "medications"]) {
      entriesOf(invoice, list).forEach((line, at) => {
        const own = textAt(line, "invoice_code")
        if (own !== undefined && own !== invoiceCode) {
          foreign(
            report,
            ["invoices", index, list, at, "invoice_code"],
            "`invoice_code` is not the code of the invoice"
          )
        }
      })
    }
  })
}
