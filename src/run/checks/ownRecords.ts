import { plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { JsonObject } from "../../json/JsonObject.ts"
import type { VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import type { FollowedLinks } from "../../mapping/MappingPlan.ts"
import { getOrMake } from "../../maps.ts"
import { parseReference } from "../../source/records/Reference.ts"
import { resourceTypes } from "../../source/records/resourceTypes.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { RunRecords } from "../convertPartition.ts"
import { ownElements } from "../links/followedElements.ts"

/**
 * Finds what a visit lacks without other evidence: its records refer to parts that are not in the input. Only parts that the mapping may
 * read count. `plain` returns a record without a tracker on it.
 */
export const missingOwnRecords = (
  { encounters, patient, records, root }: VisitGroup,
  resolve: RunRecords["resolve"],
  { elements, types }: FollowedLinks,
  plain: (record: SourceRecord) => SourceRecord
): ReadonlyArray<Diagnostic> => {
  let found: Map<string, MissingRecords> | undefined
  const seen = new Set([plain(root)])
  for (const encounter of encounters) seen.add(plain(encounter))
  for (const list of records.values()) for (const record of list) seen.add(plain(record))
  const rootType = root.resource.resourceType
  const patientType = patient?.resource.resourceType
  // The set grows during the iteration.
  for (const record of seen) {
    // Rows of a CSV table have separate links.
    if (record.row !== undefined) continue
    const type = record.resource.resourceType
    const references: Array<OwnReference> = []
    gatherReferences(record.resource, references)
    for (const { element, reference } of references) {
      const target = resolve(reference, record, "quietly")
      if (target !== undefined) {
        const { resourceType } = target.resource
        if (resourceType !== rootType && resourceType !== patientType && resourceType !== "Patient") seen.add(target)
        continue
      }
      const parsed = parseReference(reference)
      if (parsed._tag === "Display" || parsed._tag === "Nothing") continue
      // Bulk exports of patients contain no medications: the reference has the name.
      if (element === "medicationReference" && "display" in reference) continue
      const expected = "type" in parsed ? parsed.type : undefined
      if (element === "subject" || element === "patient") {
        // A visit without a patient has its own problem report.
        if (
          patient === undefined || (expected !== undefined && expected !== "Patient" && resourceTypes.has(expected))
        ) continue
      } else if (elements?.has(element) === false && (expected === undefined || types?.has(expected) === false)) {
        continue
      }
      const key = `${type}.${element} ${expected ?? ""}`
      getOrMake(found ??= new Map(), key, () => ({ record, path: `${type}.${element}`, names: new Set() }))
        .names.add(JSON.stringify(reference))
    }
  }
  return found === undefined ? [] : Array.from(found.values(), ({ names, path, record }) => ({
    code: "incomplete-visit",
    severity: "error",
    title: `\`${path}\` refers to records that are not in the input`,
    source: record.origin.reference,
    origin: record.origin,
    facts: [["missing", plural(names.size, "record")]],
    help: [
      "add the records to the input, and convert again: a visit that was sent without them cannot be completed later"
    ]
  }))
}

/** The missing records that the records of one type refer to by one element. */
interface MissingRecords {
  readonly record: SourceRecord
  readonly path: string
  readonly names: Set<string>
}

interface OwnReference {
  readonly element: string
  readonly reference: object
}

/** Collects the References of an object under the names of `ownElements`; contained resources are part of it. */
const gatherReferences = (value: object, found: Array<OwnReference>): void => {
  for (const element in value) {
    // The loop gives the keys of this object.
    const member = (value as JsonObject)[element]
    if (typeof member !== "object" || member === null) continue
    const isOwn = ownElements.has(element)
    if (Array.isArray(member)) {
      const items: ReadonlyArray<unknown> = member
      for (const one of items) {
        if (typeof one !== "object" || one === null) continue
        if (isOwn && isReference(one)) found.push({ element, reference: one })
        else gatherReferences(one, found)
      }
    } else if (isOwn && isReference(member)) found.push({ element, reference: member })
    else gatherReferences(member, found)
  }
}

const isReference = (value: object): boolean =>
  ("reference" in value && typeof value.reference === "string") || ("identifier" in value && !("resourceType" in value))
