import { types } from "node:util"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { statusElements, unknownStatusOf } from "../../fhirpath/infer/statusOf.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { VisitGroup } from "./VisitGroup.ts"

/** Reports a record with a status that FHIR R4 does not define: it is not known whether the record counts. */
export const statusProblem = (
  { origin, resource, row }: SourceRecord,
  unknown = row === undefined ? unknownStatusOf(resource) : undefined
): Diagnostic | undefined =>
  unknown === undefined ? undefined : {
    code: "unknown-status",
    severity: "error",
    title: `FHIR R4 has no such status of ${unknown.element}: it is not known whether ${
      unknown.element === resource.resourceType ? "the record" : "it"
    } counts`,
    source: origin.reference,
    origin,
    value: JSON.stringify(unknown.value),
    help: [
      "write the status as the standard does, in lower case and without blanks, for example  \"finished\"",
      `declare the facility's own status in the mapping:  grouping: {status: {${unknown.element}: {WORD: CODE}}}`,
      "if the export is of another version of FHIR, name it in facility.yaml, for example  fhirVersion: 5.0.0"
    ]
  }

/** Reports a record without the status that FHIR R4 requires: it is not known whether the record counts. */
export const missingStatus = ({ origin, resource, row }: SourceRecord): Diagnostic | undefined =>
  row !== undefined || (resource.status !== undefined && resource.status !== null) ? undefined : {
    code: "unknown-status",
    severity: "error",
    title: `${resource.resourceType} has no status: it is not known whether the record counts`,
    source: origin.reference,
    origin,
    help: ["add the status in the source system, for example  \"finished\""]
  }

/** Reports records of a visit with an unknown status: the visit may lack them, or contain cancelled ones. */
export const statusProblems = (
  { records }: Pick<VisitGroup, "records">,
  read: ReadonlySet<string> | undefined
): ReadonlyArray<Diagnostic> => {
  const found: Array<Diagnostic> = []
  for (const [type, list] of records) {
    if (read?.has(type) === false) continue
    for (const record of list) {
      const problem = statusProblem(record)
      if (problem !== undefined) found.push(problem)
    }
  }
  return found
}

/** Like `statusProblem`, but a tracker does not record the read. Use it for records that no line may read. */
export const unwatchedStatusProblem = (record: SourceRecord): Diagnostic | undefined => {
  const { resource, resource: { resourceType } } = record
  if (!types.isProxy(resource)) return statusProblem(record)
  const held = statusElements(resourceType).map((
    name
  ): readonly [string, unknown] => [name, Object.getOwnPropertyDescriptor(resource, name)?.value])
  return record.row === undefined
    ? statusProblem(record, unknownStatusOf({ ...Object.fromEntries(held), resourceType }))
    : undefined
}
