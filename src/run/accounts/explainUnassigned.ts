import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { hasWord } from "../../fhirpath/FhirPath.ts"
import { patientReaders } from "../../mapping/apply/patientReaders.ts"
import type { CheckedMapping } from "../../mapping/check/check.ts"
import { missingStatus, statusProblem } from "../../mapping/grouping/statusProblems.ts"
import type { UnassignedRecord } from "../../mapping/grouping/VisitGroup.ts"
import { isAbsolute, sameServerHelp } from "../../source/records/Servers.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { similarKey } from "../../source/tables/similarKey.ts"
import type { RunRecords } from "../convertPartition.ts"

/** Reports a CSV row that no line read, and that refers to a row which is not in the input. */
export const orphanRow = (
  record: SourceRecord,
  { plan }: CheckedMapping,
  resolve: RunRecords["resolve"]
): Diagnostic | undefined => {
  const { row, resource } = record
  if (row === undefined) return undefined
  const table = plan.tables.find(({ name }) => name === resource.resourceType)
  // The totals count the references that lines follow. This also looks at rows that lines of another partition read.
  const leadsNowhere = (link: unknown): boolean => resolve(link, record, "quietly") === undefined
  const link = table?.links.find(({ name }) => resource[name] !== undefined && leadsNowhere(resource[name]))
  if (table === undefined || link === undefined) return undefined
  return {
    code: "dangling-reference",
    severity: "error",
    title: `a row of \`${table.name}\` refers to a row of \`${link.table}\` that is not in the input`,
    source: record.origin.reference,
    origin: record.origin,
    facts: [["column", row.nameOf(link.name) ?? link.on.join(", ")]],
    help: similarKey(resource[link.name], (other) => !leadsNowhere(other)) ??
      [`add the row to the file of \`${link.table}\`, or correct the reference to it`]
  }
}

/** Explains why a record is in no visit. It is rejected if the mapping reads its type for visits; otherwise it is not used. */
export const explainUnassigned = (
  unplaced: UnassignedRecord,
  record: SourceRecord,
  { plan }: CheckedMapping
): Diagnostic | undefined => {
  const type = record.resource.resourceType
  if (unplaced.why === "path-failed") return unplaced.problem
  if (unplaced.why === "part-of-none") {
    const { partOf } = plan.grouping
    return {
      code: "dropped-record",
      severity: "warning",
      title: `this ${type} is part of another ${type} that cannot be a visit; neither is sent`,
      source: record.origin.reference,
      origin: record.origin,
      ...(partOf === undefined ? {} : { mapping: partOf.span, path: partOf.text }),
      help: [
        "correct the status of one of the two in the source system",
        "`grouping: where:` selects those that can belong to a visit"
      ]
    }
  }
  if (unplaced.why === "not-a-visit" && type === plan.grouping.rootType) {
    const asksStatus = plan.grouping.where.some(({ text }) => hasWord(text, "status"))
    return statusProblem(record) ?? (asksStatus ? missingStatus(record) : undefined)
  }
  if (unplaced.why === "not-a-visit" || (!plan.visitTypes.has(type) && !isWithoutOwner(record, plan))) return undefined
  const about = { source: record.origin.reference, origin: record.origin }
  // a row has the name of its table
  const one = record.row === undefined ? `this ${type}` : `this row of ${type}`
  const [link] = plan.grouping.links.get(type) ?? plan.grouping.links.get("*") ?? []
  const place = link === undefined ? {} : { mapping: link.span, path: link.text }
  return unplaced.why === "dangling"
    ? {
      code: "dangling-reference",
      severity: "error",
      title: `the encounter of ${one} is not in the input`,
      ...about,
      ...place,
      help: ["add the Encounter to the input", ...(namesEncounterAbsolutely(record) ? sameServerHelp : [])]
    }
    : {
      code: "no-encounter",
      severity: "error",
      title: "window" in unplaced
        ? `${one} refers to no encounter, and ${whyNoVisitThen[unplaced.why]}`
        : `${one} refers to no encounter, so it belongs to no visit`,
      ...about,
      ...("window" in unplaced
        ? {
          mapping: unplaced.window.span,
          help: [
            ...(unplaced.why === "no-visit-then" ? helpOfPatient(type, plan) : []),
            ...helpThen(unplaced.why, record.row !== undefined)
          ]
        }
        : {
          ...place,
          help: [
            ...helpAlone(type, plan),
            ...(link !== undefined && isEmptyLink(record, link.text, plan) ? emptyCell(type, plan) : [])
          ],
          ...(helpOfPatient(type, plan).length > 0
            ? {}
            : windowFix(type, plan))
        })
    }
}

/** Spreadsheets show a value once for several rows: as merged cells, or in the first row of an invoice. */
const emptyCell = (type: string, { tables }: CheckedMapping["plan"]): ReadonlyArray<string> =>
  tables.find(({ name }) => name === type)?.fillDown === undefined
    ? [
      "an empty cell does not mean the value of the row above: the export must have the visit in each row",
      "if only the first of several rows has some columns, name all of these columns under the table:  fillDown: […]"
    ]
    : ["a row with a value in one of the columns of `fillDown` gets nothing of the row above"]

/**
 * Whether a row of a table is without the row it belongs to, such as the line of a bill without its bill. The mapping has a path from its table to
 * the visit.
 */
const isWithoutOwner = (record: SourceRecord, plan: CheckedMapping["plan"]): boolean => {
  const [link] = plan.grouping.links.get(record.resource.resourceType) ?? []
  return record.row !== undefined && link !== undefined && isEmptyLink(record, link.text, plan)
}

/** Whether a row of a table is without the link that a path to the visit begins with. */
const isEmptyLink = (
  { resource }: SourceRecord,
  path: string,
  { tables }: CheckedMapping["plan"]
): boolean =>
  tables.find(({ name }) => name === resource.resourceType)?.links
    .some(({ name }) => hasWord(path, name) && resource[name] === undefined) === true

/** The line that opens a window. For a table, it has the link to the patient and the row's first time. */
const windowFix = (type: string, { tables }: CheckedMapping["plan"]): Pick<Diagnostic, "fix"> => {
  const at = ["grouping", "window", type]
  const table = tables.find(({ name }) => name === type)
  if (table === undefined) return { fix: { kind: "window", at: [...at, "enabled"], value: true } }
  const patient = table.links.find(({ table }) => table === "patient")?.name
  const time = ["timestamp", "date"].flatMap((one) => table.columns.filter(({ type }) => type === one))[0]?.name
  return patient === undefined || time === undefined ? {} : { fix: { kind: "window", at, value: { patient, time } } }
}

const namesEncounterAbsolutely = ({ resource: { context, encounter } }: SourceRecord): boolean =>
  isAbsolute(encounter) || isAbsolute(context)

const helpAlone = (type: string, plan: CheckedMapping["plan"]): ReadonlyArray<string> => {
  const ofPatient = helpOfPatient(type, plan)
  return ofPatient.length === 0
    ? ["if there is another path to a visit, add it under  grouping: link:  or  grouping: window:"]
    : [...ofPatient, "if it belongs to a visit and there is another path, add it under  grouping: link:"]
}

/** A record that belongs to its patient needs no visit, and may be years older than one. Only a condition can exclude it. */
const helpOfPatient = (type: string, plan: CheckedMapping["plan"]): ReadonlyArray<string> =>
  patientReaders(plan, type).flatMap(({ name, where }) =>
    where.length === 0
      ? [`\`${name}\` reads those of the patient`]
      : [
        `\`${name}\` reads those of the patient that fulfil each of its conditions:`,
        ...where.map(({ text }) => `  ${text}`)
      ]
  )

const whyNoVisitThen = {
  "no-patient": "its patient is not in the input",
  "no-time": "it has no time by which to find the visit of its patient",
  "no-visit-then": "its patient had no visit at its time",
  "several-visits": "its time falls into several visits of its patient"
} as const

const helpThen = (why: keyof typeof whyNoVisitThen, isRow: boolean): ReadonlyArray<string> => {
  switch (why) {
    case "no-patient":
      return [
        `add ${
          isRow ? "the patient's row to its table" : "the Patient to the input"
        }, or correct  patient:  of this window`
      ]
    case "no-time":
      return ["give  time:  of this window another path to try"]
    case "no-visit-then":
      return ["if it was written before or after the visit, set the time allowed with  before:  or  after:"]
    case "several-visits":
      return ["to take the visit whose time is nearest:  several: nearest"]
  }
}
