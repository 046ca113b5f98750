import { contentOf, idOf } from "../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/** A full URL that is unique everywhere. `urn:uuid:patient-1` is unique only in its Bundle. */
const uniqueUrl = /^(?:https?:|urn:oid:)|^urn:uuid:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu

/** Returns whether a full URL means the same record in each Bundle. */
export const isUniqueUrl = (fullUrl: string): boolean => uniqueUrl.test(fullUrl)

/**
 * Returns FHIR's name of a record: `Type/id`, or its `fullUrl` if it has no id. The id of a contained resource is unique in its container. A
 * record without a name, such as a row of a table without a key, is distinguished by its content.
 */
export const resourceKey = (record: SourceRecord): string => {
  const { bundle, container, fullUrl, resource } = record
  const id = idOf(resource)
  if (container !== undefined) return `${resourceKey(container)}#${id ?? ""}`
  if (id !== undefined) return `${resource.resourceType}/${id}`
  if (fullUrl !== undefined) {
    return bundle === undefined || isUniqueUrl(fullUrl) ? fullUrl : `${bundle.identifier ?? bundle.key} ${fullUrl}`
  }
  return `${resource.resourceType}/~${contentOf(resource)}`
}

/** Returns whether the name of a record stays the same if the record or its Bundle is corrected. */
export const hasLastingName = ({ bundle, fullUrl, resource }: SourceRecord): boolean =>
  idOf(resource) !== undefined ||
  (fullUrl !== undefined && (bundle === undefined || isUniqueUrl(fullUrl) || bundle.identifier !== undefined))
