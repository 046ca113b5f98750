import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { recordsOfGroup, type VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import { getOrMake } from "../../maps.ts"
import { contentOf, isNameless } from "../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/**
 * Reports problems of a visit's CSV rows, and of records that have no name. A cell that does not fit its column is read as empty. Equal rows
 * of a table without a key are sent several times, and so are equal FHIR records without `id` and `fullUrl`.
 */
export const rowProblems = (group: VisitGroup): ReadonlyArray<Diagnostic> => {
  if (!isOfTables(group) && !hasNameless(group)) return []
  const unfit = new Map<string, Array<SourceRecord>>()
  const equal = new Map<string, Array<SourceRecord>>()
  const first = new Map<string, SourceRecord>()
  for (const record of recordsOfGroup(group)) {
    const { resource, row } = record
    for (const element of row?.unfit ?? []) {
      getOrMake(unfit, `${resource.resourceType}.${element}`, () => []).push(record)
    }
    // Records with a name were compared when they were read, and so were rows with a key.
    if (!isNameless(record)) continue
    const known = getOrMake(first, contentOf(resource), () => record)
    if (known !== record) getOrMake(equal, resource.resourceType, () => []).push(record)
  }
  return [
    ...problemsOf(unfit, (column, { resource, row }) => ({
      code: "invalid-cell",
      severity: "warning",
      title: `a cell of \`${column}\` does not fit its column: it is read as empty`,
      facts: [["column", row?.nameOf(column.slice(resource.resourceType.length + 1)) ?? column]],
      help: ["correct it in the source, and convert again: a visit that was sent without it cannot be completed later"]
    })),
    ...problemsOf(equal, (type, { row }) => ({
      code: "duplicate-record",
      severity: "warning",
      title: row === undefined
        ? `a ${type} of the visit has no id and the same content as a second one: both are used`
        : `a row of \`${type}\` has the same values as another row of the visit, and both are sent`,
      help: [
        row === undefined
          ? "if they are one, remove one from the export; if they are two, export them with their ids"
          : "if they are one, remove one from the export; if they are two, declare the column in which they differ; rows with a key:  key: COLUMN"
      ]
    }))
  ]
}

/** Whether records of a visit are rows of tables: one of each type is looked at. */
const isOfTables = ({ patient, records, root }: VisitGroup): boolean =>
  root.row !== undefined || patient?.row !== undefined || records.values().some(([first]) => first?.row !== undefined)

/** Whether a visit has records without a name. */
const hasNameless = ({ encounters, records, root }: VisitGroup): boolean =>
  isNameless(root) || encounters.some(isNameless) || records.values().some((list) => list.some(isNameless))

/** Returns one problem for each name, at its first record. */
const problemsOf = (
  found: ReadonlyMap<string, ReadonlyArray<SourceRecord>>,
  problem: (name: string, record: SourceRecord) => Diagnostic
): ReadonlyArray<Diagnostic> =>
  [...found].flatMap(([name, [first, ...others]]) =>
    first === undefined ? [] : {
      ...problem(name, first),
      source: first.origin.reference,
      origin: first.origin,
      times: others.length + 1
    }
  )
