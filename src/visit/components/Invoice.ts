import { code, component, decimal, flag, many, text, textOrNull, timestamp } from "../FieldSchema.ts"
import type { EncounterCode, PatientCode, VisitCode } from "../values/Code.ts"

const InvoiceService = component("InvoiceService", "§2.6 InvoiceService", "A service on an invoice.", {
  invoice_code: code("Code of the invoice it belongs to."),
  service_code: code("Code of the service."),
  service_name: text("Name of the service."),
  service_category: text("Group the service belongs to."),
  price: decimal("Price; the specification names no currency."),
  payment: decimal("Amount that is paid."),
  discount: decimal("Discount; `discount_type` gives its kind."),
  paid: flag("Whether it is paid."),
  discount_type: textOrNull("Kind of discount.")
})

const InvoiceMedication = component("InvoiceMedication", "§2.6 InvoiceMedication", "A medicine on an invoice.", {
  invoice_code: code("Code of the invoice it belongs to."),
  medicine_code: code("Code of the medicine.", { list: "medications" }),
  medicine_name: text("Name of the medicine."),
  unit: text("Unit of the quantity."),
  quantity: decimal("How many units."),
  price: decimal("Price; the specification names no currency and does not state whether it is for one unit."),
  payment: decimal("Amount that is paid."),
  discount: decimal("Discount; `discount_type` gives its kind."),
  paid: flag("Whether it is paid."),
  discount_type: textOrNull("Kind of discount.")
})

export const Invoice = component("Invoice", "§2.6 Invoice", "An invoice and its lines.", {
  patient_code: code<PatientCode>("Code of the patient: the visit's own."),
  visit_code: code<VisitCode>("Code of the visit it belongs to."),
  encounter_code: code<EncounterCode>("Code of the encounter it is for."),
  code: code("Code of the invoice."),
  cashier: text("Who issued it."),
  payment_type: text("Who pays, or how.", { list: "payment_types" }),
  invoice_date: timestamp("When it was issued."),
  created_at: timestamp("When its record was created."),
  updated_at: timestamp("When its record was last changed."),
  total: decimal("Total of the invoice; the specification names no currency."),
  services: many(InvoiceService, "The services, one entry for each line."),
  medications: many(InvoiceMedication, "The medicines, one entry for each line.")
})
