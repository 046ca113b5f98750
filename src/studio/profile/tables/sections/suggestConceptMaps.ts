import { number, plural } from "../../../../diagnostic/count.ts"
import { printable } from "../../../../diagnostic/render/printable.ts"
import { knownValues } from "../../../../visit/values/knownValues.ts"
import { assumedProvided } from "../../draft/assumptions.ts"
import { quotedText } from "../../draft/Draft.ts"
import { countItems, type PossibleCounts } from "../../Findings.ts"
import { cameAs, guessOutcome, leftAs, maritalStatusOf } from "../columns/guessColumn.ts"
import type { ColumnProfile } from "../facts/TableProfile.ts"
import type { TableDraft } from "../TableDraft.ts"
import { columnOf, type Role } from "../TableRole.ts"

/** A field with a list of the service, and the function that guesses the meaning of a code. */
interface CodedField {
  readonly name: string
  readonly list: keyof typeof knownValues
  readonly at: ReadonlyArray<string>
  readonly meaningOf: (code: string) => string | undefined
}

export const mappedVisitFields: ReadonlyArray<CodedField> = [
  {
    name: "discharge_type",
    list: "discharge_types",
    at: ["visit"],
    meaningOf: leftAs
  },
  {
    name: "visit_outcome",
    list: "visit_outcomes",
    at: ["visit"],
    meaningOf: guessOutcome
  },
  {
    name: "admission_type",
    list: "admission_types",
    at: ["visit"],
    meaningOf: cameAs
  }
]

export const patientFields: ReadonlyArray<CodedField> = [
  {
    name: "marital_status",
    list: "marital_statuses",
    at: ["visit", "patient"],
    meaningOf: maritalStatusOf
  }
]

/** Drafts concept maps for the coded columns of visits and patients. An unmapped code is sent as null, with a warning. */
export const suggestConceptMaps = (
  role: Role | undefined,
  fields: ReadonlyArray<CodedField>,
  draft: TableDraft
): void => {
  for (const { at, list, meaningOf, name } of fields) {
    const column = columnOf(role, name)?.column
    if (column === undefined) continue
    const map = draft.section("conceptMap", name)
    const codes = codesOf(column)
    const open: Array<PossibleCounts[number]> = []
    for (const { code, shown, why, word } of codes) {
      const meaning = meaningOf(word)
      if (meaning === undefined) open.push(shown)
      else if (word === meaning) map.put(["table", code], meaning, why)
      else map.doubt(["table", code], meaning, why)
    }
    const withheld = column.names === undefined ? column.withheld : 0
    if (open.length === codes.length || withheld > 0) {
      // Values of the service become rows if the source's own values are not shown.
      for (const value of knownValues[list]) map.put(["table", value], value)
    }
    map.put("list", list)
    const unknown = openCodes(open, withheld)
    if (column.filled === 0) map.put("unmapped", "reject", "it is empty so far: another word rejects its visit")
    else map.put("unmapped", "warn", unknown === undefined ? undefined : `QUESTION what do these mean?  ${unknown}`)
    draft.put([...at, name], `{path: ${name}, conceptMap: ${name}}`)
    if (unknown !== undefined) draft.questions.push(whatCodesMean(name, name, unknown))
  }
}

/** The codes of a column, with the word that each stands for, and a remark: its name in the table that the column refers to, or its rows. */
const codesOf = (
  { codes, names }: ColumnProfile
): ReadonlyArray<
  {
    readonly code: string
    readonly word: string
    readonly why: string
    readonly shown: PossibleCounts[number]
  }
> =>
  names === undefined
    ? codes.map(([code, count]) => ({ code, word: code, why: plural(count, "row"), shown: [code, count] }))
    : [...names].map(([code, name]) => ({
      code,
      word: name,
      why: `\`${printable(name)}\``,
      shown: [`${code} (${name})`, undefined]
    }))

/** The type of a discharge and the outcome are often in one column. Its words for the one also fill the other. */
export const suggestBothEnds = (visit: Role, draft: TableDraft): void => {
  for (
    const [here, other, meaningOf] of [
      ["discharge_type", "visit_outcome", guessOutcome],
      ["visit_outcome", "discharge_type", leftAs]
    ] as const
  ) {
    const column = columnOf(visit, here)?.column
    const field = mappedVisitFields.find(({ name }) => name === other)
    if (column === undefined || field === undefined || columnOf(visit, other) !== undefined) continue
    const words = codesOf(column).flatMap(({ code, why, word }) => {
      const meaning = meaningOf(word)
      return meaning === undefined ? [] : [[code, why, meaning] as const]
    })
    if (words.length === 0) continue
    const map = draft.section("conceptMap", other)
    for (const [code, why, meaning] of words) map.doubt(["table", code], meaning, why)
    map.put("list", field.list)
    map.put("unmapped", "skip", `other codes of \`${here}\` are not among these`)
    draft.put(["visit", other], `{path: ${here}, conceptMap: ${other}}`)
  }
}

export const whatCodesMean = (column: string, map: string, codes: string): string =>
  `what do codes of \`${column}\` mean? Fill in tables/${map}.csv:  ${codes}`

/** Drafts a concept map for nationalities: words or codes of many lists. An unmapped one is sent unchanged. */
export const suggestNationality = (patient: Role | undefined, draft: TableDraft): void => {
  const column = columnOf(patient, "nationality")?.column
  if (patient === undefined || column === undefined || column.filled === 0) return
  const name = draft.finder(patient).nameBehind("nationality")
  const shown = name === undefined
    ? openCodes(column.codes, column.withheld) ?? plural(column.different, "value")
    : [...new Set(column.names?.values())].slice(0, 8).map(printable).join(", ")
  draft.put(["conceptMap", "nationality", "list"], "nationalities")
  draft.ask(
    ["conceptMap", "nationality", "unmapped"],
    assumedProvided(draft),
    whatCodesMean("nationality", "nationality", shown)
  )
  draft.put(["visit", "patient", "nationality"], `{path: ${name ?? "nationality"}, conceptMap: nationality}`)
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

/** Drafts concept maps for coded columns of sections. An unmapped code is sent unchanged with a warning, and `codes unmapped` lists it. */
export const suggestSectionMaps = (draft: TableDraft): void => {
  for (const { at, list, map } of sectionFields) {
    const field = ["visit", ...at]
    const path = draft.at(field)
    const role = draft.role(draft.at([...field.slice(0, 2), "resource"]))
    const column = role?.columns.find(({ name }) =>
      path === name || path === quotedText(`${name}.distinct()`) || path?.startsWith(`[${name},`)
    )?.column
    if (column === undefined) continue
    // Words explain themselves; a number or a few letters do not.
    if (list === undefined && !column.codes.some(([code]) => /^[\p{L}\d]{1,3}$/u.test(code))) continue
    const shown = openCodes(column.codes, column.withheld) ?? plural(column.different, "value")
    if (list !== undefined) draft.put(["conceptMap", map, "list"], list)
    draft.ask(
      ["conceptMap", map, "unmapped"],
      assumedProvided(draft),
      whatCodesMean(`${role?.name}.${column.name}`, map, shown)
    )
    draft.remove(field)
    draft.put(field, `{path: ${path}, conceptMap: ${map}}`)
  }
}

/** Formats the most frequent codes that may be shown, with their counts; `undefined` if there are none. */
export const openCodes = (open: PossibleCounts, withheld: number): string | undefined =>
  open.length + withheld === 0
    ? undefined
    : [
      ...countItems(open.slice(0, 8)),
      ...(open.length > 8 ? [`${number(open.length - 8)} more`] : []),
      ...(withheld > 0 ? [plural(withheld, "other value")] : [])
    ].join(", ")
