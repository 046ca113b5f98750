import type { Origin } from "../../diagnostic/Origin.ts"
import { idOf } from "./compareRecords.ts"
import type { Resource } from "./SourceRecord.ts"

/** Returns the location of a record, with the name that FHIR gives it. */
export const originOfRecord = (file: string, line: number, resource: Resource, fullUrl: string | undefined): Origin => {
  const { resourceType: type } = resource
  const id = idOf(resource)
  if (id !== undefined) return { file, line, reference: `${type}/${id}` }
  return fullUrl === undefined ? { file, line, reference: type } : { file, line, reference: fullUrl, type }
}
