import { isBlankText } from "../values/blankText.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import { entriesOf, isComponent, partOf, type Rule, type UnvalidatedVisit } from "./Rule.ts"

/** The required content of a row: at least one of `fields`. */
interface Content {
  readonly list: string
  readonly fields: Fields
  /** Rows within each row. */
  readonly within: ReadonlyArray<Content>
}

type Fields = readonly [string, ...ReadonlyArray<string>]

const row = (list: string, fields: Fields, within: ReadonlyArray<Content> = []): Content => ({ list, fields, within })

/** Rows without these have no content (§2.6). */
const rows: ReadonlyArray<Content> = [
  row("triages", ["chief_complaint", "height", "weight"]),
  row("vital_signs", ["observations"], [row("observations", ["name"]), row("observations", ["value"])]),
  // A history with an empty list of values can mean that the patient has none.
  row("medical_histories", ["name"]),
  row("physical_examinations", ["name"]),
  row("physical_examinations", ["value"]),
  row("soaps", ["subjective", "objective", "assessment", "plan", "evaluation"]),
  row("laboratories", ["results"], [row("results", ["name"]), row("results", ["value"])]),
  // An examination without text can be requested or done but not yet described. A result without any content is not a result.
  row("imageries", ["request_code"], [row("results", ["name", "images", "result", "conclusion"])]),
  row("diagnosis", ["diagnosis_code", "diagnosis_name"]),
  row("prescriptions", ["medications"], [row("medications", ["medicine_name"])]),
  row("invoices", ["total", "services", "medications"], [
    row("services", ["service_name"]),
    row("medications", ["medicine_name"])
  ])
]

/**
 * Checks that a visit has its type and its patient, and that each row has its content. Examples are the value of a vital sign, the name of
 * a medicine and the results of a laboratory. Missing content makes the claim meaningless, so it is an error; a facility can lower it.
 */
export const contentIsGiven: Rule = (visit, _settings, report) => {
  const patient = partOf(visit, "patient")
  const reportMissing = (path: VisitProblem["path"], title: string): void =>
    report({ code: "missing-content", severity: "error", path, title })
  if (isBlank(visit.visit_type)) reportMissing(["visit_type"], "the visit has no `visit_type`")
  if (isBlank(patient.surname) && isBlank(patient.name)) reportMissing(["patient", "name"], "the patient has no name")
  if (isBlank(patient.sex)) reportMissing(["patient", "sex"], "the patient has no `sex`")
  if (isBlank(patient.birthdate)) reportMissing(["patient", "birthdate"], "the patient has no `birthdate`")
  for (const content of rows) checkRows(visit, content, [], reportMissing)
}

/** `path` is that of `around`; it grows and shrinks with the walk. */
const checkRows = (
  around: UnvalidatedVisit,
  { fields, list, within }: Content,
  path: Array<string | number>,
  reportMissing: (path: VisitProblem["path"], title: string) => void
): void => {
  const entries = entriesOf(around, list)
  if (entries.length === 0) return
  const depth = path.length
  path[depth] = list
  for (let index = 0; index < entries.length; index++) {
    // The index is below the length.
    const entry = entries[index]!
    path[depth + 1] = index
    // A missing field is a problem of form.
    if (isEmpty(entry, fields) && fields.some((name) => name in entry)) {
      reportMissing(
        [...path, fields[0]],
        `a row of \`${list}\` has no ${fields.map((name) => `\`${name}\``).join(" or ")}`
      )
    }
    for (const inner of within) checkRows(entry, inner, path, reportMissing)
  }
  path.length = depth
}

/** Returns whether none of the fields has a value. */
const isEmpty = (entry: UnvalidatedVisit, fields: Fields): boolean => {
  for (const name of fields) if (!isBlank(entry[name])) return false
  return true
}

const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "string" && isBlankText(value)) ||
  (Array.isArray(value) && value.every(isBlankEntry))

/** Returns whether an entry of a list has no content: a blank text, or a finding of an examination with one. */
const isBlankEntry = (entry: unknown): boolean => {
  if (!isComponent(entry) || Array.isArray(entry)) return isBlank(entry)
  const [only, ...others] = Object.values(entry)
  return others.length === 0 && typeof only === "string" && isBlankText(only)
}
