import type { VisitProblem } from "../VisitProblem.ts"
import type { Rule, UnvalidatedVisit } from "./Rule.ts"
import { entriesOf, partOf } from "./Rule.ts"

/** What a row must hold: one of `fields`. */
interface Content {
  readonly list: string
  readonly fields: ReadonlyArray<string>
  /** Rows within each row. */
  readonly within?: ReadonlyArray<Content>
}

const row = (list: string, fields: string, within?: ReadonlyArray<Content>): Content => ({
  list,
  fields: fields.split(" "),
  ...(within === undefined ? {} : { within })
})

/** Without these a row says nothing (§2.6). */
const rows: ReadonlyArray<Content> = [
  row("triages", "chief_complaint height weight"),
  row("vital_signs", "observations", [row("observations", "name"), row("observations", "value")]),
  // A history with an empty list of values can mean that there is none.
  row("medical_histories", "name"),
  row("physical_examinations", "name"),
  row("physical_examinations", "value"),
  row("soaps", "subjective objective assessment plan evaluation"),
  row("laboratories", "results", [row("results", "name"), row("results", "value")]),
  // An examination may have been asked for or made without a word on it yet; a result without any content is none.
  row("imageries", "request_code", [row("results", "name images result conclusion")]),
  row("diagnosis", "diagnosis_code diagnosis_name"),
  row("prescriptions", "medications", [row("medications", "medicine_name")]),
  row("invoices", "total services medications", [
    row("services", "service_name"),
    row("medications", "medicine_name")
  ])
]

/**
 * A visit says what kind of visit it is and whose, and each row has its content: a vital sign its value, a medicine its name, a laboratory
 * its results. What is missing makes the claim hollow, so it is an error; a facility can lower it.
 */
export const contentIsGiven: Rule = (visit, _settings, report) => {
  const patient = partOf(visit, "patient")
  const tell = (path: VisitProblem["path"], title: string): void =>
    report({ code: "missing-content", severity: "error", path, title })
  if (isBlank(visit.visit_type)) tell(["visit_type"], "the visit has no `visit_type`")
  if (isBlank(patient.surname) && isBlank(patient.name)) tell(["patient", "name"], "the patient has no name")
  if (isBlank(patient.sex)) tell(["patient", "sex"], "the patient has no `sex`")
  if (isBlank(patient.birthdate)) tell(["patient", "birthdate"], "the patient has no `birthdate`")
  for (const content of rows) look(visit, content, [], tell)
}

const look = (
  around: UnvalidatedVisit,
  { fields, list, within = [] }: Content,
  path: ReadonlyArray<string | number>,
  tell: (path: VisitProblem["path"], title: string) => void
): void => {
  entriesOf(around, list).forEach((entry, index) => {
    const here = [...path, list, index]
    // A field that is not there at all is a matter of form.
    if (fields.every((name) => isBlank(entry[name])) && fields.some((name) => name in entry)) {
      tell([...here, fields[0]!], `a row of \`${list}\` has no ${fields.map((name) => `\`${name}\``).join(" or ")}`)
    }
    for (const inner of within) look(entry, inner, here, tell)
  })
}

const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "string" && value.trim() === "") ||
  (Array.isArray(value) && value.every(isBlank))
