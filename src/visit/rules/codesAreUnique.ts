import { getOrMake } from "../../maps.ts"
import type { ValuePath } from "../VisitProblem.ts"
import { encounterLists, entriesOf, type ReportProblem, type Rule, textAt, type UnvalidatedVisit } from "./Rule.ts"

/**
 * §4.5 rule 3: encounter codes are unique, inside a visit too. Two codes that differ only in case give a warning. The specification does
 * not require unique codes of notes, requests, prescriptions and invoices. Equal ones give a warning. So does a diagnosis that an encounter
 * has twice with one type, or as Primary and as Secondary. So does a row with the same values as another, except its code, a text that
 * a list has twice, and a result that is in two laboratories. A prescription and its dispense may share a code.
 */
export const codesAreUnique: Rule = (visit, _settings, report) => {
  const seen: Array<{ readonly code: string; readonly list: string; readonly index: number }> = []
  for (const list of encounterLists) {
    entriesOf(visit, list).forEach((entry, index) => {
      const code = textAt(entry, "code")
      if (code === undefined) return
      const same = seen.find((other) => other.code === code)
      const alike = same ?? seen.find((other) => differsInCase(other.code, code))
      if (alike !== undefined) {
        report({
          code: "duplicate-code",
          severity: same === undefined ? "warning" : "error",
          path: [list, index, "code"],
          title: same === undefined
            ? `\`code\` differs only in letter case from that of \`${alike.list}[${alike.index}]\``
            : `\`code\` is also that of \`${alike.list}[${alike.index}]\`; encounter codes are unique`
        })
      }
      seen.push({ code, list, index })
    })
  }
  for (const [list, kindOf, field = "code"] of others) {
    const entries = entriesOf(visit, list)
    // A single entry repeats no other.
    if (entries.length < 2) continue
    const seen = new Map<string, number>()
    entries.forEach((entry, index) => {
      const code = textAt(entry, field)
      if (code === undefined) return
      const key = kindOf(entry) + code
      const earlier = seen.get(key)
      if (earlier === undefined) seen.set(key, index)
      else {
        report({
          code: "duplicate-code",
          severity: "warning",
          path: [list, index, field],
          title: `\`${field}\` is also that of \`${list}[${earlier}]\``
        })
      }
    })
  }
  for (const [list, rows, field] of repeated) {
    entriesOf(visit, list).forEach((entry, index) => {
      reportEqual(entriesOf(entry, rows), { field }, [list, index, rows], report)
    })
  }
  reportEqualResults(visit, report)
  for (const [list, field, own] of alike) reportEqual(entriesOf(visit, list), { field, own }, [list], report)
  reportEqual(entriesOf(visit, "physical_examinations"), { field: "name" }, ["physical_examinations"], report, (row) =>
    // Examinations have no time. During a stay, one is repeated.
    entriesOf(visit, "inpatients").some(({ code }) => code === row.encounter_code))
  reportEqualTexts(visit, "consultations", [], report)
  for (const list of ["outpatients", "inpatients", "emergencies", "surgeries"]) {
    entriesOf(visit, list).forEach((entry, index) => reportEqualTexts(entry, "symptoms", [list, index], report))
  }
}

/** Reports texts of a list that are equal. */
const reportEqualTexts = (part: UnvalidatedVisit, list: string, path: ValuePath, report: ReportProblem): void => {
  const texts = part[list]
  if (!Array.isArray(texts) || texts.length < 2) return
  const seen = new Map<unknown, number>()
  texts.forEach((text: unknown, at) => {
    const earlier = seen.get(text)
    if (earlier === undefined) seen.set(text, at)
    else if (typeof text === "string") {
      report({
        code: "duplicate-code",
        severity: "warning",
        path: [...path, list, at],
        title: `the text is also that of \`${list}[${earlier}]\``
      })
    }
  })
}

/**
 * Reports results of one test, time and value: two reports list the same record, or it was exported twice. Texts are compared only in one
 * category, because `negative` can be found in blood and in urine. What is equal in all values, or has an equal code, is reported as such.
 */
const reportEqualResults = (visit: UnvalidatedVisit, report: ReportProblem): void => {
  const laboratories = entriesOf(visit, "laboratories")
  const seen = new Map<string, { readonly index: number; readonly at: number; readonly row: UnvalidatedVisit }>()
  const reported = new Map<string, boolean>()
  const areReported = (one: number, other: number): boolean =>
    getOrMake(reported, `${one} ${other}`, () => {
      const [first = {}, second = {}] = [laboratories[one], laboratories[other]]
      const code = textAt(first, "request_code")
      return (code !== undefined && code === textAt(second, "request_code")) ||
        areEqual({ ...first, request_code: null }, { ...second, request_code: null })
    })
  laboratories.forEach((laboratory, index) => {
    entriesOf(laboratory, "results").forEach((result, at) => {
      const { category, name, recorded_at: time, value, value_unit: unit } = result
      if (typeof name !== "string" || typeof time !== "string" || value === null) return
      const key = JSON.stringify([name, time, value, unit, typeof value === "string" ? category : ""])
      const earlier = seen.get(key)
      if (earlier === undefined) seen.set(key, { index, at, row: result })
      else if (earlier.index === index ? !areEqual(earlier.row, result) : !areReported(earlier.index, index)) {
        report({
          code: "duplicate-code",
          severity: "warning",
          path: ["laboratories", index, "results", at, "value"],
          title: "another result of the visit has the same test, time and value",
          facts: [["earlier", `laboratories[${earlier.index}].results[${earlier.at}]`]],
          help:
            "if two reports list one record, exclude one of the reports; if it was exported twice, exclude one of the records"
        })
      }
    })
  })
}

const areEqual = (one: UnvalidatedVisit, other: UnvalidatedVisit): boolean =>
  valuesOf(one, undefined) === valuesOf(other, undefined)

/** The values of a row as a text, except its own code and the times of the record. */
const valuesOf = (row: UnvalidatedVisit, own: string | undefined): string =>
  JSON.stringify(
    own === undefined ? row : { ...row, [own]: null },
    (key, value: unknown) => ofRecord.has(key) ? null : value
  )

/** Reports rows whose values, except their own code and the times of the record, are those of an earlier row. Only rows that agree in one field are compared. */
const reportEqual = (
  rows: ReadonlyArray<UnvalidatedVisit>,
  { field, own }: { readonly field: string; readonly own?: string | undefined },
  path: ValuePath,
  report: ReportProblem,
  canRepeat: (row: UnvalidatedVisit) => boolean = () => false
): void => {
  if (rows.length < 2) return
  for (const [name, named] of Map.groupBy(rows.entries(), ([, row]) => textAt(row, field))) {
    if (name === undefined || named.length < 2) continue
    const seen = new Map<string, number>()
    for (const [at, row] of named) {
      const values = valuesOf(row, own)
      const earlier = seen.get(values)
      if (earlier === undefined) seen.set(values, at)
      // A code that occurs twice is reported as such.
      else if (!canRepeat(row) && (own === undefined || row[own] !== rows[earlier]?.[own])) {
        report({
          code: "duplicate-code",
          severity: "warning",
          path: [...path, at, own ?? field],
          title: own === undefined
            ? `\`${field}\` is also that of \`${path.at(-1)}[${earlier}]\`, and so are all other values`
            : `all values except \`${own}\` are those of \`${path.at(-1)}[${earlier}]\``
        })
      }
    }
  }
}

const differsInCase = (one: string, other: string): boolean =>
  one.length === other.length && one.toLowerCase() === other.toLowerCase()

const others: ReadonlyArray<readonly [list: string, kindOf: (entry: UnvalidatedVisit) => string, field?: string]> = [
  ["soaps", () => ""],
  ["prescriptions", (entry) => typeof entry.encounter_code === "string" ? "dispense " : "prescription "],
  ["invoices", () => ""],
  ["laboratories", () => "", "request_code"],
  ["imageries", () => "", "request_code"],
  // A diagnosis is not Primary and Secondary at once.
  [
    "diagnosis",
    ({ diagnosis_type_name: type, encounter_code: encounter }) =>
      `${type === "Secondary" ? "Primary" : type} ${encounter} `,
    "diagnosis_code"
  ]
]

const repeated = [["prescriptions", "medications", "code"], ["laboratories", "results", "name"]] as const

/** Fields that differ between copies of a record: when each was made, and its code in the lines of an invoice. */
const ofRecord = new Set(["invoice_code", "created_at", "updated_at"])

/** Lists whose rows have a code and a time, each with these fields. */
const alike: ReadonlyArray<readonly [list: string, field: string, own: string]> = [
  ["outpatients", "started_at", "code"],
  ["inpatients", "started_at", "code"],
  ["emergencies", "started_at", "code"],
  ["surgeries", "started_at", "code"],
  ["progress_notes", "started_at", "code"],
  ["soaps", "recorded_at", "code"],
  ["laboratories", "requested_at", "request_code"],
  ["imageries", "requested_at", "request_code"],
  ["prescriptions", "prescribed_at", "code"],
  ["invoices", "invoice_date", "code"]
]
