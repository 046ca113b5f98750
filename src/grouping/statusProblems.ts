import { types } from "node:util"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { hasUnknownStatus } from "../fhirpath/statusOf.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import type { VisitGroup } from "./VisitGroup.ts"

/** What is wrong with a record whose status FHIR R4 does not know: nothing says whether it counts. */
export const statusProblem = ({ origin, resource, row }: SourceRecord): Diagnostic | undefined =>
  row !== undefined || !hasUnknownStatus(resource)
    ? undefined
    : {
      code: "unknown-status",
      severity: "error",
      title: `FHIR R4 has no such status of ${resource.resourceType}: nothing says whether the record counts`,
      source: origin.reference,
      origin,
      value: JSON.stringify(resource.status),
      help: ["write the status as the standard does, in lower case and without blanks, for example  \"finished\""]
    }

/** Records of a visit whose status is unknown: the visit may lack them, or hold what was cancelled. */
export const statusProblems = (
  { records }: Pick<VisitGroup, "records">,
  read: ReadonlySet<string> | undefined
): ReadonlyArray<Diagnostic> =>
  [...records].flatMap(([type, list]) =>
    read?.has(type) === false ? [] : list.flatMap((record) => statusProblem(record) ?? [])
  )

/** As `statusProblem`, without a note of the reading on a watched record: for records that no line may read. */
export const unwatchedStatusProblem = (record: SourceRecord): Diagnostic | undefined => {
  const { resource, resource: { resourceType } } = record
  if (!types.isProxy(resource)) return statusProblem(record)
  const status: unknown = Object.getOwnPropertyDescriptor(resource, "status")?.value
  return hasUnknownStatus({ resourceType, status }) ? statusProblem(record) : undefined
}
