import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import { assumed } from "../../assumptions/assumed.ts"
import type { VisitGroup } from "../../grouping/VisitGroup.ts"
import type { PendingProblem } from "../scope/VisitContext.ts"
import { isBlankValue } from "../scope/VisitContext.ts"
import type { RowOrigins } from "./RowOrigins.ts"

/** Returns the assumptions by which records are in the visit, each with the first record that has a value in it. */
export const assumedByGrouping = (
  { assumed: records }: VisitGroup,
  inVisit: () => ReadonlySet<SourceRecord>
): ReadonlyArray<Diagnostic> => {
  const first = new Map<string, Diagnostic>()
  const used = records.size === 0 ? undefined : inVisit()
  for (const [record, remarks] of records) {
    for (const { assume, span } of used?.has(record) === true ? remarks : []) {
      if (assume === undefined || first.has(assume.name)) continue
      first.set(assume.name, { ...assumed(assume, span), source: record.origin.reference, origin: record.origin })
    }
  }
  return [...first.values()]
}

/** What was reported while a visit was made. */
interface Reported {
  /** The assumptions that the visit depends on, with the first use of each. */
  readonly uses: ReadonlyArray<PendingProblem>
  /** All others. */
  readonly problems: ReadonlyArray<PendingProblem>
}

/**
 * Returns the assumptions that a visit depends on, and its problems. A use of an assumption is a value in the visit that was made under it,
 * or a dropped value or row. If a row around a dropped row is dropped only because it has no others, the use is the reason for that.
 */
export const assumedIn = (
  pending: ReadonlyArray<PendingProblem>,
  rows: Pick<RowOrigins, "keptOf">
): Reported => {
  const problems: Array<PendingProblem> = []
  const first = new Map<string, PendingProblem>()
  const ofSections = new Set<PendingProblem>()
  for (const use of pending) {
    const { diagnostic: { assumption }, name, row } = use
    if (assumption === undefined) {
      problems.push(use)
      continue
    }
    const known = first.get(assumption)
    if (known !== undefined && !ofSections.has(known)) continue
    const made = row === null ? undefined : rows.keptOf(row, name)
    if (made === undefined) continue
    const field = made.branch.fields.find((one) => one.name === name)
    // A condition drops records of a section, even if the section has other rows.
    if (field?.kind === "leaf" && isBlankValue(row?.[name])) continue
    // A value shows the use better than a condition does.
    if (known !== undefined && field?.kind !== "leaf") continue
    if (field?.kind !== "leaf") ofSections.add(use)
    first.set(assumption, use)
  }
  return { uses: [...first.values()], problems }
}
