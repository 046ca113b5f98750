import { compareTexts } from "../../compareTexts.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { jsonObjectOf, oneOrMore } from "../../json/JsonObject.ts"
import { firstCode } from "../../mapping/codes/ConceptMap.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/**
 * Reports records that a server shortened (FHIR R4 search: `_summary` and `_elements`, tag SUBSETTED), once for each type: what they lack
 * may be missing in the visit. `plain` returns a record without a tracker on it.
 */
export const shortenedRecords = (
  inVisit: ReadonlySet<SourceRecord>,
  patient: SourceRecord | undefined,
  plain: (record: SourceRecord) => SourceRecord
): ReadonlyArray<Diagnostic> => {
  let found: Array<SourceRecord> | undefined
  const look = (record: SourceRecord): void => {
    if (isShortened(record)) (found ??= []).push(record)
  }
  for (const record of inVisit) look(plain(record))
  if (patient !== undefined && !inVisit.has(patient)) look(plain(patient))
  // The records are found in an order that depends on other visits of the thread.
  return found === undefined ? [] : problemsOf(found.toSorted(byReference))
}

const byReference = (one: SourceRecord, other: SourceRecord): number =>
  compareTexts(one.origin.reference, other.origin.reference)

const problemsOf = (records: ReadonlyArray<SourceRecord>): ReadonlyArray<Diagnostic> =>
  [...Map.groupBy(records, ({ resource }) => resource.resourceType)].flatMap(([type, [first, ...others]]) =>
    first === undefined ? [] : {
      code: "incomplete-visit",
      severity: "warning",
      title: `a record of the visit is tagged as incomplete (SUBSETTED): ${type}`,
      source: first.origin.reference,
      origin: first.origin,
      times: others.length + 1,
      help: [
        "export whole records, without `_summary` and `_elements`; a visit that was sent cannot be completed later"
      ]
    }
  )

const isShortened = ({ resource: { meta }, row }: SourceRecord): boolean => {
  const { tag } = jsonObjectOf(meta)
  return row === undefined && tag !== undefined && tag !== null &&
    oneOrMore(tag).some((one) => firstCode(one, isSubsetted) !== undefined)
}

const isSubsetted = (system: string | null, code: string): true | undefined =>
  code === "SUBSETTED" && (system === null || system.endsWith("v3-ObservationValue")) ? true : undefined
