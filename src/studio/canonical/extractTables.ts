import type { ColumnType } from "../../source/tables/TableLayout.ts"
import type { Field } from "../../visit/Field.ts"
import { fieldAt, visitFields } from "../../visit/fields.ts"

/** A column of the canonical extract and the field it holds. */
export interface ExtractColumn {
  readonly name: string
  readonly type: ColumnType
  /** From the component its table is made of: `["address", "province", "code"]`; none for a column that numbers or links. */
  readonly path: ReadonlyArray<string>
  readonly field?: Field
  readonly meaning: string
}

/** A table of the canonical extract: the rows of one list of the Visit, or of one of its objects. */
export interface ExtractTable {
  readonly name: string
  /** The field of the Visit, from its top: `laboratories.results`; `""` for the visit itself. */
  readonly field: string
  /** `row`: numbers rows with others below them; `list`: numbers rows with none. */
  readonly key: ReadonlyArray<string>
  readonly order?: string
  readonly columns: ReadonlyArray<ExtractColumn>
  readonly links: ReadonlyArray<{ readonly name: string; readonly table: string; readonly on: ReadonlyArray<string> }>
  /** The content of each row: a component, or one text of an array. */
  readonly holds: "component" | "text" | "finding"
  /** The tables of its lists, by the field that holds them. */
  readonly lists: ReadonlyArray<{ readonly path: ReadonlyArray<string>; readonly table: ExtractTable }>
}

/** Codes that a row inherits from its parent rows. */
const inherited: ReadonlySet<string> = new Set(["patient_code", "visit_code", "invoice_code"])

const isList = (field: Field): boolean =>
  field.kind === "list" || field.kind === "strings" || field.kind === "examination"

const typeOf = (field: Field): ColumnType =>
  field.kind === "timestamp" || field.kind === "date" || field.kind === "decimal" || field.kind === "boolean"
    ? field.kind
    : "text"

/** The columns of a component, parts of objects by their path, and the lists in it. */
const flatten = (
  fields: ReadonlyArray<Field>,
  above: ReadonlyArray<string> = []
): {
  readonly columns: ReadonlyArray<ExtractColumn>
  readonly lists: ReadonlyArray<readonly [ReadonlyArray<string>, Field]>
} => {
  const columns: Array<ExtractColumn> = []
  const lists: Array<readonly [ReadonlyArray<string>, Field]> = []
  for (const field of fields) {
    const path = [...above, field.name]
    if (above.length === 0 && inherited.has(field.name)) continue
    if (isList(field)) lists.push([path, field])
    if (field.kind === "object" && field.fields !== undefined) {
      const inner = flatten(field.fields, path)
      columns.push(...inner.columns)
      lists.push(...inner.lists)
    } else if (field.kind !== "list" && field.kind !== "strings") {
      const column = { name: path.join("_"), type: typeOf(field), path, field, meaning: field.description }
      columns.push(
        field.kind === "examination" ? { ...column, meaning: "What was found, where `value_type` is `text`." } : column
      )
      if (field.kind === "text-or-decimal") {
        columns.push({
          ...column,
          name: `${column.name}_number`,
          type: "decimal",
          meaning: "The result, if it is a number."
        })
      }
    }
  }
  return { columns, lists }
}

const own = (name: string, meaning: string): ExtractColumn => ({ name, type: "text", path: [], meaning })

const visitCode = own("visit_code", "Code of the visit it belongs to.")
const rowNumber = own("row", "Number of the row among those of its list.")

interface Above {
  readonly columns: ReadonlyArray<ExtractColumn>
  readonly links: ExtractTable["links"]
}

const listTable = (name: string, path: string, field: Field, above: Above): ExtractTable => {
  const flat = field.fields === undefined ? undefined : flatten(field.fields)
  const keyed = (flat?.lists.length ?? 0) > 0
  const numbers = [...above.columns, rowNumber]
  const key = keyed ? numbers.map((column) => column.name) : []
  const inner: Above = {
    columns: [...above.columns, own(`${name}_row`, `Number of the row of \`${name}\` it belongs to.`)],
    links: [
      ...above.links.filter((link) => link.name === "visit"),
      { name, table: name, on: [...above.columns.map((column) => column.name), `${name}_row`] }
    ]
  }
  const columns = flat?.columns ?? (field.kind === "examination"
    ? [
      own("part", "How it was found: inspection, palpation, percussion or auscultation."),
      own("text", "What was found.")
    ]
    : [own("text", "One text of the list.")])
  return {
    name,
    field: path,
    key,
    ...(keyed ? {} : { order: "row" }),
    columns: [...numbers, ...columns],
    links: above.links,
    holds: flat !== undefined ? "component" : field.kind === "examination" ? "finding" : "text",
    lists: (flat?.lists ?? []).map(([at, list]) => ({
      path: at,
      table: listTable(`${name}_${at.join("_")}`, `${path}.${at.join(".")}`, list, inner)
    }))
  }
}

const ofVisit: Above = {
  columns: [visitCode],
  links: [{ name: "visit", table: "visit", on: ["visit_code"] }]
}

const topFields = visitFields.filter(({ name }) => name !== "patient" && name !== "referrals")

const versioned = "The record number, if the extract has several records of one patient; otherwise empty."

const visitTable: ExtractTable = {
  name: "visit",
  field: "",
  key: ["code"],
  columns: [
    ...visitFields.filter((field) => !isList(field) && field.kind !== "object").map((field): ExtractColumn => ({
      name: field.name,
      type: typeOf(field),
      path: [field.name],
      field,
      meaning: field.description
    })),
    own("patient_version", versioned)
  ],
  links: [{ name: "patient", table: "patient", on: ["patient_code", "patient_version"] }],
  holds: "component",
  lists: topFields.filter(isList).map((field) => ({
    path: [field.name],
    table: listTable(field.name, field.name, field, ofVisit)
  }))
}

const patientParts = flatten(fieldAt("patient")?.fields ?? [])

const patientTable: ExtractTable = {
  name: "patient",
  field: "patient",
  key: ["code", "version"],
  columns: [...patientParts.columns, own("version", versioned)],
  links: [],
  holds: "component",
  lists: patientParts.lists.map(([path, field]) => ({
    path,
    table: listTable(path.join("_"), `patient.${path.join(".")}`, field, {
      columns: [own("patient_code", "Code of the patient."), own("patient_version", versioned)],
      links: [{ name: "patient", table: "patient", on: ["patient_code", "patient_version"] }]
    })
  }))
}

const referralTable: ExtractTable = {
  name: "referrals",
  field: "referrals",
  key: ["visit_code"],
  columns: [visitCode, ...flatten(fieldAt("referrals")?.fields ?? []).columns],
  links: ofVisit.links,
  holds: "component",
  lists: []
}

export const extract = { visit: visitTable, patient: patientTable, referral: referralTable } as const

const withLists = (table: ExtractTable): ReadonlyArray<ExtractTable> => [
  table,
  ...table.lists.flatMap((list) => withLists(list.table))
]

/** Every table of the canonical extract, parents before children. */
export const extractTables: ReadonlyArray<ExtractTable> = [
  ...withLists(visitTable).slice(0, 1),
  ...withLists(patientTable),
  ...withLists(visitTable).slice(1),
  referralTable
]
