import type { ChargeItem, Extension, InvoiceLineItem, Money, Reference } from "fhir/r4.d.ts"
import type { Decimal } from "../../../json/Decimal.ts"
import { compare } from "../../../json/Decimal.ts"
import type { Visit } from "../../../visit/Visit.ts"
import {
  conceptExtension,
  dateTime,
  decimalElement,
  extension,
  keptAt,
  missing,
  noElement,
  nonEmptyList,
  optionalMember,
  row,
  stated,
  words
} from "../Elements.ts"
import { coded, isFhirCode, system } from "../Names.ts"
import { type BundleWriter, recordCode } from "./BundleWriter.ts"

type Invoice = Visit["invoices"][number]
type Line = {
  readonly component: "services" | "medications"
  readonly code: string
  readonly codeField: "service_code" | "medicine_code"
  readonly name: string | null
  readonly nameField: "service_name" | "medicine_name"
  readonly money: Pick<Invoice["services"][number], "price" | "payment" | "discount" | "paid" | "discount_type">
  readonly item: Pick<ChargeItem, "extension" | "quantity">
  readonly extensions: ReadonlyArray<Extension>
}

/** Invoices (§2.6): an Invoice each, with a line and a ChargeItem for each service and each medicine. */
export const writeInvoices = (to: BundleWriter, visit: Visit): void => {
  visit.invoices.forEach((invoice, index) => {
    const extensions: Array<Extension> = [row("invoices", index), ...keptAt(invoice)]
    const encounter = to.within("invoices", invoice.encounter_code, extensions)
    extensions.push(
      extension("encounter", { valueReference: encounter }),
      ...missing("invoices", { payment_type: invoice.payment_type }),
      ...conceptExtension("payment-type", invoice.payment_type)
    )
    const lines = [...invoice.services.map(serviceLine), ...invoice.medications.map(medicineLine)]
    to.add({
      resourceType: "Invoice",
      id: to.id("invoice", index + 1),
      extension: extensions,
      identifier: [recordCode(invoice.code)],
      status: "issued",
      subject: to.patient,
      date: dateTime(invoice.invoice_date),
      ...optionalMember("participant", to.person(invoice.cashier, null), (actor) => [{
        role: coded({ system: system("invoice-roles"), code: "cashier", display: "Cashier" }),
        actor
      }]),
      ...nonEmptyList(
        "lineItem",
        lines.map((line, at) => writeLine(to, line, { id: to.id("invoice", index + 1, at + 1), context: encounter }))
      ),
      ...optionalMember("totalNet", invoice.total, money)
    })
  })
}

/** An amount without a currency: the specification has none. */
const money = (value: Decimal): Money => ({ value: decimalElement(value) })

const serviceLine = (service: Invoice["services"][number]): Line => ({
  component: "services",
  code: service.service_code,
  codeField: "service_code",
  name: service.service_name,
  nameField: "service_name",
  money: service,
  item: nonEmptyList("extension", conceptExtension("service-category", service.service_category)),
  extensions: []
})

const medicineLine = (medicine: Invoice["medications"][number]): Line => {
  const { quantity, unit } = medicine
  return {
    component: "medications",
    code: medicine.medicine_code,
    codeField: "medicine_code",
    name: medicine.medicine_name,
    nameField: "medicine_name",
    money: medicine,
    item: quantity === null && unit === null
      ? {}
      : { quantity: { ...optionalMember("value", quantity, decimalElement), ...optionalMember("unit", unit) } },
    extensions: missing("medications", { quantity })
  }
}

const writeLine = (
  to: BundleWriter,
  line: Line,
  { context, id }: { readonly id: string; readonly context: Reference }
): InvoiceLineItem => {
  const { code, component, name } = line
  const { discount, discount_type, paid, payment, price } = line.money
  const fits = isFhirCode(code)
  // In FHIR a discount can be above or below zero. The mapping reads either as a reduction, so a negative one is stated.
  const reduced = discount !== null && compare(discount, 0) >= 0
  const concept = coded(
    { system: system(component === "services" ? "services" : "medications"), ...(fits ? { code } : {}) },
    name ?? undefined
  )
  const extensions = [
    ...line.extensions,
    ...missing(component, { [line.nameField]: name, payment, paid }),
    ...(fits ? [] : [stated(`${component}.${line.codeField}`, code)]),
    ...(payment === null ? [] : [extension("payment", { valueMoney: money(payment) })]),
    ...(paid === null ? [] : [extension("paid", { valueBoolean: paid })]),
    ...(reduced ? [] : [
      discount === null
        ? noElement(`${component}.discount`)
        : extension(`stated-${component}.discount`, { valueDecimal: decimalElement(discount) }),
      ...(discount_type === null ? [] : [stated(`${component}.discount_type`, discount_type)])
    ])
  ]
  return {
    ...nonEmptyList("extension", extensions),
    chargeItemReference: to.add({
      resourceType: "ChargeItem",
      id,
      ...line.item,
      status: "billed",
      code: concept,
      subject: to.patient,
      context
    }),
    ...nonEmptyList("priceComponent", [
      ...(price === null ? [] : [{ type: "base" as const, amount: money(price) }]),
      ...(reduced
        ? [{ type: "discount" as const, ...optionalMember("code", discount_type, words), amount: money(discount) }]
        : [])
    ])
  }
}
