import { contentOf, idOf } from "../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/** A full URL that is unique everywhere. `urn:uuid:patient-1` is unique only in its Bundle. */
const uniqueUrl = /^(?:https?:|urn:oid:)|^urn:uuid:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu

/** Returns whether a full URL means the same record in each Bundle. */
export const isUniqueUrl = (fullUrl: string): boolean => uniqueUrl.test(fullUrl)

/** Returns FHIR's name of a record: `Type/id`, or its `fullUrl` if it has no id. The id of a contained resource is unique in its container. */
export const resourceKey = (record: SourceRecord): string => {
  const id = idOf(record.resource)
  if (record.container !== undefined) return `${resourceKey(record.container)}#${id ?? ""}`
  if (id !== undefined) return `${record.resource.resourceType}/${id}`
  const { bundle, fullUrl } = record
  if (fullUrl !== undefined) {
    return bundle === undefined || isUniqueUrl(fullUrl) ? fullUrl : `${bundle.identifier ?? bundle.key} ${fullUrl}`
  }
  // Rows without a key are distinguished by their content.
  return record.row === undefined
    ? record.origin.reference
    : `${record.resource.resourceType}/~${contentOf(record.resource)}`
}
