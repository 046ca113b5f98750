import { compareTexts } from "../../compareTexts.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import { getOrMake } from "../../maps.ts"
import { labelsOf, type RecordLabel } from "../../source/records/recordLabels.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/**
 * Reports records whose labels, or those of their Bundle, limit their use (FHIR R4, security-labels.html), once for each label. What a
 * shortened record lacks may be missing in the visit; test data is no visit; restricted data may not be for the service. The labels of a
 * Bundle count for records that are assigned to the visit. They do not count for a practitioner, because one of several copies is used.
 * `plain` returns a record without a tracker on it.
 */
export const labelledRecords = (
  inVisit: ReadonlySet<SourceRecord>,
  group: Pick<VisitGroup, "patient" | "records">,
  plain: (record: SourceRecord) => SourceRecord
): ReadonlyArray<Diagnostic> => {
  const found: Array<LabelledRecord> = []
  const { patient } = group
  for (const record of inVisit) addLabels(found, plain(record), isAssigned(record, group))
  if (patient !== undefined && !inVisit.has(patient)) addLabels(found, plain(patient), isAssigned(patient, group))
  // The records are found in an order that depends on other visits of the thread.
  return found.length === 0 ? [] : problemsOf(found.toSorted(byReference))
}

/** Returns whether a record of a labelled Bundle is assigned to the visit. */
const isAssigned = (record: SourceRecord, { records }: Pick<VisitGroup, "records">): boolean =>
  record.bundle?.labels !== undefined && records.get(record.resource.resourceType)?.includes(record) === true

const addLabels = (found: Array<LabelledRecord>, record: SourceRecord, countsBundle: boolean): void => {
  const { bundle, resource, row } = record
  if (row !== undefined) return
  for (const label of labelsOf(resource)) found.push({ record, label, of: "record" })
  if (!countsBundle) return
  for (const label of bundle?.labels ?? []) found.push({ record, label, of: "Bundle" })
}

interface LabelledRecord {
  readonly record: SourceRecord
  readonly label: RecordLabel
  /** What has the label. */
  readonly of: "record" | "Bundle"
}

const byReference = ({ record: one }: LabelledRecord, { record: other }: LabelledRecord): number =>
  compareTexts(one.origin.reference, other.origin.reference)

const problemsOf = (labelled: ReadonlyArray<LabelledRecord>): ReadonlyArray<Diagnostic> => {
  const kinds = new Map<string, Array<LabelledRecord>>()
  for (const one of labelled) {
    const { label: { code, kind }, of, record: { resource } } = one
    // A shortened record lacks elements of its type.
    const type = kind === "shortened" ? resource.resourceType : ""
    getOrMake(kinds, `${kind} ${code} ${of} ${type}`, () => []).push(one)
  }
  return [...kinds.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { label: { code, kind }, of, record: { origin, resource } } = first
    const what = of === "record" ? "a record of the visit" : "the Bundle of a record of the visit"
    return {
      ...problemOfLabel[kind],
      title: `${what} is ${meanings[kind]} (${code})${kind === "shortened" ? `: ${resource.resourceType}` : ""}`,
      source: origin.reference,
      origin,
      times: others.length + 1
    }
  })
}

const meanings: Readonly<Record<RecordLabel["kind"], string>> = {
  shortened: "tagged as incomplete",
  test: "labelled as test data",
  restricted: "labelled as restricted",
  undisclosed: "labelled as not to be disclosed"
}

const forTheService =
  "find out whether the service may receive such records; then, in facility.yaml:  validation: {levels: {restricted-record: off}}"

const problemOfLabel: Readonly<
  Record<RecordLabel["kind"], Pick<Diagnostic, "code" | "severity"> & Required<Pick<Diagnostic, "help">>>
> = {
  shortened: {
    code: "incomplete-visit",
    severity: "warning",
    help: ["export whole records, without `_summary` and `_elements`; a visit that was sent cannot be completed later"]
  },
  test: {
    code: "test-data",
    severity: "error",
    help: [
      "leave test records out of the export; for a rehearsal, in facility.yaml:  validation: {levels: {test-data: off}}"
    ]
  },
  restricted: { code: "restricted-record", severity: "warning", help: [forTheService] },
  undisclosed: { code: "restricted-record", severity: "error", help: [forTheService] }
}
