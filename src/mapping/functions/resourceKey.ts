import { contentOf, idOf } from "../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/** Returns FHIR's name of a record: `Type/id`, or its `fullUrl` if it has no id. The id of a contained resource is unique in its container. */
export const resourceKey = (record: SourceRecord): string => {
  const id = idOf(record.resource)
  if (record.container !== undefined) return `${resourceKey(record.container)}#${id ?? ""}`
  if (id !== undefined) return `${record.resource.resourceType}/${id}`
  // Rows without a key are distinguished by their content.
  return record.fullUrl ??
    (record.row === undefined
      ? record.origin.reference
      : `${record.resource.resourceType}/~${contentOf(record.resource)}`)
}
