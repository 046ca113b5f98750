import { isResource, type SourceRecord } from "../../src/source/records/SourceRecord.ts"

/** A record with a resource, which is not from a file. */
export const recordWith = (resource: unknown, index = 0): SourceRecord => {
  if (!isResource(resource)) throw new Error("a record needs a type")
  return {
    origin: { file: "made.ndjson", line: index + 1, reference: `${resource.resourceType}/${index + 1}` },
    resource
  }
}
