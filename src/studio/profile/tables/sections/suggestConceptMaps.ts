import { number, plural } from "../../../../diagnostic/count.ts"
import { printable } from "../../../../diagnostic/printable.ts"
import { assumedProvided } from "../../substitutes.ts"
import { cameAs, guessOutcome, leftAs, maritalStatusOf } from "../guessColumn.ts"
import type { Suggesting } from "../Suggesting.ts"
import { columnCodesAt, hasColumn, type Role } from "../TableRole.ts"

/** A field with a list of the service, and the function that guesses the meaning of a text. */
interface CodedField {
  readonly name: string
  readonly list: string
  readonly at: ReadonlyArray<string>
  readonly meaningOf: (code: string) => string | undefined
  /** Values that the service is known to use: rows for values that are not shown. */
  readonly own: ReadonlyArray<string>
}

export const mappedVisitFields: ReadonlyArray<CodedField> = [
  {
    name: "discharge_type",
    list: "discharge_types",
    at: ["visit"],
    meaningOf: leftAs,
    own: ["Authorized", "Unauthorized", "Deceased", "Refer Out", "Absconded"]
  },
  {
    name: "visit_outcome",
    list: "visit_outcomes",
    at: ["visit"],
    meaningOf: guessOutcome,
    own: ["Unchanged", "Recovered", "Improved", "Deceased", "Hopeless", "Home treatment"]
  },
  {
    name: "admission_type",
    list: "admission_types",
    at: ["visit"],
    meaningOf: cameAs,
    own: ["Walk-in", "Appointment", "Refer"]
  }
]

export const patientFields: ReadonlyArray<CodedField> = [
  {
    name: "marital_status",
    list: "marital_statuses",
    at: ["visit", "patient"],
    meaningOf: maritalStatusOf,
    own: ["Single", "Married", "Widowed", "Divorced"]
  }
]

/** Concept maps for the coded columns of visits and patients: no code of the source is sent as one of the service. An unknown one is sent as null, with a warning. */
export const suggestConceptMaps = (
  role: Role | undefined,
  fields: ReadonlyArray<CodedField>,
  out: Suggesting
): void => {
  for (const { at, list, meaningOf, name, own } of fields) {
    if (!hasColumn(role, name)) continue
    const codes = columnCodesAt(role, name)
    const { withheld } = role!.columns.find((one) => one.name === name)!.column
    const rows = codes.flatMap(([code, count]) => {
      const intended = meaningOf(code)
      return intended === undefined ? [] : [{ code, count, meant: intended }]
    })
    const open = codes.filter(([code]) => meaningOf(code) === undefined)
    for (const { code, count, meant: intended } of rows) {
      const row = ["conceptMap", name, "table", code]
      if (code === intended) out.writer.put(row, intended, plural(count, "row"))
      else out.writer.doubt(row, intended, plural(count, "row"))
    }
    if (rows.length === 0 || withheld > 0) {
      for (const value of own) out.writer.put(["conceptMap", name, "table", value], value)
    }
    out.writer.put(["conceptMap", name, "list"], list)
    const unknown = openCodes(open, withheld)
    out.writer.put(
      ["conceptMap", name, "unmapped"],
      "warn",
      unknown === undefined ? undefined : `QUESTION what do these mean?  ${unknown}`
    )
    out.writer.put([...at, name], `{path: ${name}, conceptMap: ${name}}`)
    if (unknown !== undefined) {
      out.questions.push(`what do codes of \`${name}\` mean? Fill in tables/${name}.csv:  ${unknown}`)
    }
  }
}

/** Nationalities are words or codes of many lists: an unmapped one is sent unchanged, as the base mapping for FHIR does. */
export const suggestNationality = (patient: Role | undefined, { questions, writer }: Suggesting): void => {
  const column = patient?.columns.find(({ name }) => name === "nationality")?.column
  if (column === undefined) return
  const shown = openCodes(column.codes, column.withheld) ?? plural(column.different, "value")
  const question = `what do codes of \`nationality\` mean? Fill in tables/nationality.csv:  ${shown}`
  writer.put(["conceptMap", "nationality", "list"], "nationalities")
  writer.put(["conceptMap", "nationality", "unmapped"], assumedProvided(writer), `QUESTION ${question}`)
  writer.put(["visit", "patient", "nationality"], "{path: nationality, conceptMap: nationality}")
  questions.push(question)
}

/** Fields of sections that hold codes of the source; those with a list take a value of the service. */
const sectionFields: ReadonlyArray<
  { readonly at: ReadonlyArray<string>; readonly map: string; readonly list?: string }
> = [
  { at: ["prescriptions", "medications", "code"], map: "medicine_code", list: "medications" },
  { at: ["prescriptions", "medications", "form"], map: "medicine_form" },
  { at: ["prescriptions", "medications", "method"], map: "medicine_route" },
  { at: ["prescriptions", "medications", "unit"], map: "medicine_unit" },
  { at: ["prescriptions", "medications", "interval"], map: "medicine_interval" },
  { at: ["laboratories", "results", "category"], map: "laboratory_category" },
  { at: ["laboratories", "results", "interpretation"], map: "laboratory_interpretation" },
  { at: ["invoices", "payment_type"], map: "payment_type", list: "payment_types" }
]

/** Concept maps for coded columns of sections. An unmapped code is sent unchanged with a warning, and `codes unmapped` lists it. */
export const suggestSectionMaps = ({ questions, roles, writer }: Suggesting): void => {
  for (const { at, list, map } of sectionFields) {
    const field = ["visit", ...at]
    const path = writer.at(field)
    const role = roles.find(({ name }) => name === writer.at(["visit", at[0]!, "resource"]))
    const column = role?.columns.find(({ name }) => path === name || path?.startsWith(`[${name},`))?.column
    if (column === undefined) continue
    // Words have a meaning; a number or a few letters do not.
    const open = column.codes.filter(([code]) => /^[\p{L}\d]{1,3}$/u.test(code))
    if (list === undefined && open.length === 0) continue
    const shown = openCodes(column.codes, column.withheld) ?? plural(column.different, "value")
    const question = `what do codes of \`${column.name}\` mean? Fill in tables/${map}.csv:  ${shown}`
    if (list !== undefined) writer.put(["conceptMap", map, "list"], list)
    writer.put(["conceptMap", map, "unmapped"], assumedProvided(writer), `QUESTION ${question}`)
    writer.replace(field, `{path: ${path}, conceptMap: ${map}}`)
    questions.push(question)
  }
}

/** The most frequent codes that may be shown, with their counts. */
export const openCodes = (open: ReadonlyArray<readonly [string, number]>, withheld: number): string | undefined =>
  open.length + withheld === 0
    ? undefined
    : [
      ...open.slice(0, 8).map(([code, count]) => `${printable(code)} ${number(count)}`),
      ...(open.length > 8 ? [`${number(open.length - 8)} more`] : []),
      ...(withheld > 0 ? [plural(withheld, "other value")] : [])
    ].join(", ")
