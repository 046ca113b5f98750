import { assumedPath } from "../../substitutes.ts"
import { columnWordsOf } from "../columnWords.ts"
import type { Suggesting } from "../Suggesting.ts"
import { generateCodes, namesVisit, reaches, throughOf, use } from "../Suggesting.ts"
import { firstOf, ownEncounter, pathOf, TableFinder, yamlOf } from "../TableFinder.ts"
import type { Declared, Role } from "../TableRole.ts"
import { isMedicines, medicineCode, medicineName } from "./suggestPrescriptions.ts"

const quoted = (text: string): string => JSON.stringify(text)

const isCalled = ({ table }: Role): boolean =>
  /\b(?:bill\w*|invoices?|claims?|receipts?|charges?|opitemrece|accounts?|transactions?)\b/u.test(
    columnWordsOf(table.name)
  )

const isNumber = ({ yaml }: Declared): boolean => /\b(?:integer|decimal)\b/u.test(yaml)

const priceOf = (finder: TableFinder): Declared | undefined =>
  finder.own([/\bunit ?(?:price|amount|cost)\b/u, /\b(?:price|rate)\b/u], isNumber)

const amountColumn = (finder: TableFinder): Declared | undefined =>
  finder.own([
    /^(?:amount|line total|sum ?price|total(?: price| amount)?|net(?: amount)?|charge(?: amount)?)$/u,
    /\bamount\b/u
  ], isNumber)

/** A path to what a line comes to: a column, else its price as often as it was taken. */
const amountOf = (finder: TableFinder): string | undefined => {
  const [column, price, quantity] = [amountColumn(finder), priceOf(finder), quantityOf(finder)]
  return column !== undefined
    ? pathOf(column.name)
    : price === undefined
    ? undefined
    : quantity === undefined
    ? pathOf(price.name)
    : `(${pathOf(price.name)} * ${pathOf(quantity.name)})`
}

/** A path to the sum of the lines. */
const sumOf = (rows: string, amount: string): string =>
  `${rows === "$this" ? "" : `${rows}.`}${amount.startsWith("(") ? `select${amount}` : amount}.sum()`

/** The lines of an invoice: what was charged, one row each. */
const isLines = (role: Role, out: Suggesting): boolean => {
  if (role.name === "visit" || role.name === "patient" || !reaches(role, out)) return false
  const finder = new TableFinder(role, out.roles)
  return amountOf(finder) !== undefined && codeOf(finder) !== undefined &&
    (isCalled(role) || throughCalled(role, out) || priceOf(finder) !== undefined && quantityOf(finder) !== undefined)
}

const throughCalled = (role: Role, { roles }: Suggesting): boolean => {
  const through = throughOf(role, roles)
  return roles.some((one) => one.name === through?.[2] && isCalled(one))
}

const codeOf = (finder: TableFinder): string | undefined =>
  finder.path([
    /\b(?:item|service|product|procedure|charge|i)\b ?(?:code|id|no)\b|^(?:i ?code|procedure ?code|code|item|service|(?:cpt|hcpcs)(?: code)?)$/u
  ]) ??
    medicineCode(finder)

const nameOf = (finder: TableFinder): string | undefined =>
  finder.path([/\b(?:item|service|product|charge|cpt|hcpcs)\b.*\b(?:name|description)\b/u]) ?? medicineName(finder) ??
    finder.path([/^(?:notes?|details?)$/u])

const quantityOf = (finder: TableFinder): Declared | undefined =>
  finder.own([/^(?:qty|quantity|units|count)$/u], isNumber)

/** Lines below a row of an invoice, else those of each visit together. */
export const suggestInvoices = (out: Suggesting): void => {
  const { notes, roles, writer } = out
  const lines = roles.filter((role) => !out.used.has(role) && isLines(role, out))
    .toSorted((one, other) => Number(throughCalled(other, out)) - Number(throughCalled(one, out)))[0]
  if (lines === undefined) return
  const finder = new TableFinder(lines, roles)
  const kind = kindsOf(lines)
  if (kind === "unknown") {
    out.used.add(lines)
    notes.push(
      `rows of \`${lines.name}\` are charges and payments, ambiguous: ignored`
    )
    return
  }
  const through = throughOf(lines, roles)
  const head = throughCalled(lines, out) ? roles.find(({ name }) => name === through?.[2]) : undefined
  const [invoice, link] = head === undefined || through === undefined || !namesVisit(head) && !reaches(head, out)
    ? [undefined, undefined]
    : [head, through[0]]
  const at = ["visit", "invoices"]
  const put = (field: string, yaml: string, why?: string) => writer.put([...at, field], yaml, why)
  use(lines, out)
  const rows = invoice === undefined ? "$this" : `reverseResolve('${lines.name}.${link}')`
  const charged = kind === undefined ? rows : `${rows}.where(${kind})`
  const amount = amountOf(finder)!
  if (invoice === undefined) {
    const visit = lines.links.find(([name]) => name === "visit")?.[1].column
    const naming = lines.columns.find(({ column }) => column.name === visit)
    const time = finder.time()
    put("resource", lines.name, "no table holds invoices: what was charged for one visit is one")
    put("groupBy", `[${quoted(naming === undefined ? "'all'" : pathOf(naming.name))}]`)
    put("code", quoted("%visit.code"))
    for (const field of ["invoice_date", "created_at", "updated_at"]) {
      put(
        field,
        `{path: ${firstOf(time === undefined ? undefined : pathOf(time.name), "%visit.admitted_at")}, take: first}`
      )
    }
    put("cashier", "null")
    put("payment_type", "null")
    put("total", quoted(sumOf(charged, amount)))
  } else {
    use(invoice, out)
    const above = new TableFinder(invoice, roles)
    const key = invoice.columns.find(({ column }) => column.name === invoice.table.keys[0])
    const time = above.time(/\b(?:invoice\w*|bill\w*|service\w*|issued|date)\b/u) ?? above.time()
    const total = above.own(
      [/^(?:grand )?total(?: amount)?$|\b(?:invoice|bill) (?:amount|total)\b/u, /^amount$/u],
      isNumber
    )
    put("resource", invoice.name, `the lines are rows of \`${lines.name}\``)
    put("code", key === undefined ? quoted("keyOf('record')") : yamlOf(pathOf(key.name)))
    for (const field of ["invoice_date", "created_at", "updated_at"]) {
      put(field, firstOf(time === undefined ? undefined : pathOf(time.name), "%visit.admitted_at"))
    }
    put("cashier", yamlOf(above.path([/\bcashier\b/u])))
    put("payment_type", yamlOf(above.path([/^(?:payers?|payment (?:type|method|mode)|pay type|insurance|scheme)$/u])))
    put("total", total === undefined ? quoted(sumOf(charged, amount)) : yamlOf(pathOf(total.name)))
  }
  put("encounter_code", ownEncounter)
  if (!out.roles.some((role) => out.used.has(role) && isMedicines(role)) && medicineTest(finder) !== undefined) {
    notes.push(`medicines appear only as charges in \`${lines.name}\`: no prescription is sent`)
  }
  if (invoice !== undefined && invoice.table.keys.length === 0) generateCodes(out)
  suggestLines(finder, charged, invoice === undefined ? "%visit.code" : keyOn(lines, invoice), out)
}

/** The column of a line that names its invoice. */
const keyOn = (lines: Role, invoice: Role): string => {
  const link = lines.links.find(([, , target]) => target === invoice.name)?.[1].column
  return pathOf(lines.columns.find(({ column }) => column.name === link)?.name ?? "code")
}

/** Which rows are charges, where some are payments: a condition; `undefined` when all are. */
const kindsOf = ({ columns }: Role): string | undefined => {
  for (const { column, name } of columns) {
    if (!hasPayments({ column })) continue
    const codes = column.codes.map(([code]) => code)
    const charge = codes.find((code) => /^charges?$/iu.test(code))
    return charge === undefined ? "unknown" : `${pathOf(name)} = '${charge}'`
  }
  return undefined
}

/** A column that distinguishes charges from payments. */
const hasPayments = ({ column }: Pick<Declared, "column">): boolean =>
  column.codes.some(([code]) => /^(?:payments?|transfers?|refunds?|adjustments?)$/iu.test(code))

const suggestLines = (finder: TableFinder, rows: string, invoice: string, { writer }: Suggesting): void => {
  const medicine = medicineTest(finder)
  const [price, amount, quantity] = [priceOf(finder), amountOf(finder)!, quantityOf(finder)]
  const paid = finder.own([/^(?:is )?paid$/u], ({ column }) => column.kind === "boolean")
  const discount = finder.own([/\bdiscount\b/u], isNumber)
  const put = (list: string, field: string, yaml: string, why?: string) =>
    writer.put(["visit", "invoices", list, field], yaml, why)
  const shared = (list: string): void => {
    put(list, "invoice_code", yamlOf(invoice))
    put(
      list,
      "price",
      yamlOf(price === undefined ? amount : pathOf(price.name)),
      price === undefined ? "no column has the price of one" : undefined
    )
    writer.doubt(["visit", "invoices", list, "payment"], yamlOf(amount), "what is charged is sent as what is paid")
    put(
      list,
      "discount",
      discount === undefined
        ? `[${assumedPath(writer, "0", "discount-is-none")}]`
        : yamlOf(pathOf(discount.name))
    )
    put(list, "paid", paid === undefined ? "null" : yamlOf(pathOf(paid.name)))
    put(list, "discount_type", "null")
  }
  put(
    "services",
    "forEach",
    quoted(medicine === undefined ? rows : `${rows}.where((${medicine}).not())`),
    medicine === undefined ? "no column distinguishes medicines from services: all are sent as services" : undefined
  )
  put("services", "service_code", yamlOf(codeOf(finder)))
  put("services", "service_name", firstOf(nameOf(finder), codeOf(finder)))
  put(
    "services",
    "service_category",
    yamlOf(finder.path([/\b(?:category|group|type|class)\b/u], (one) => !hasPayments(one)))
  )
  shared("services")
  if (medicine === undefined) {
    put("medications", "enabled", "false")
    return
  }
  put("medications", "forEach", quoted(`${rows}.where(${medicine})`))
  put("medications", "medicine_code", yamlOf(codeOf(finder)))
  put("medications", "medicine_name", firstOf(nameOf(finder), codeOf(finder)))
  put("medications", "unit", yamlOf(finder.path([/^(?:units?|uom)$/u], (one) => !isNumber(one))))
  put("medications", "quantity", quantity === undefined ? "null" : yamlOf(pathOf(quantity.name)))
  shared("medications")
}

/** The sign of a medicine: a word in a column, or a reference to a table of medicines. */
const medicineTest = (finder: TableFinder): string | undefined => {
  for (const { column, name } of finder.role.columns) {
    const codes = column.codes.map(([code]) => code).filter((code) => /^(?:drugs?|medic\w*|pharmac\w*)$/iu.test(code))
    if (codes.length > 0) {
      return `${pathOf(name)} in (${codes.map((code) => `'${code.replaceAll("'", "\\'")}'`).join(" | ")})`
    }
  }
  const drugs = finder.names.find(({ table }) => /drug|medic|pharm/u.test(columnWordsOf(table.name)))
  const link = finder.role.links.find(([, , target]) => target === drugs?.name)?.[0]
  return link === undefined ? undefined : `${link}.resolve().exists()`
}
