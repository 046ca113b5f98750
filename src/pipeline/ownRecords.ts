import { plural } from "../diagnostic/count.ts"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Level } from "../diagnostic/levels.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import type { FollowedLinks } from "../mapping/MappingPlan.ts"
import { parseReference } from "../source/Reference.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import type { RunRecords } from "./convertRecords.ts"

/**
 * Elements by which a record names its own parts, and whose record it is (FHIR R4). Orders, earlier versions and reasons are context: they may
 * belong to another visit.
 */
const ownElements: ReadonlySet<string> = new Set([
  "chargeItemReference", // Invoice.lineItem
  "complicationDetail", // Procedure
  "condition", // Encounter.diagnosis
  "entry", // Composition.section
  "hasMember", // Observation
  "imagingStudy", // DiagnosticReport
  "medicationReference",
  "patient",
  "report", // Procedure
  "result", // DiagnosticReport
  "specimen",
  "subject"
])

/**
 * What a visit lacks without any other evidence: its records name parts that are not in the input. Only parts that the mapping may read count.
 * `plain` gives a record without a watch on what is read of it.
 */
export const missingOwnRecords = (
  { encounters, patient, records, root }: VisitGroup,
  resolve: RunRecords["resolve"],
  { elements, types }: FollowedLinks,
  level: Level = "error",
  plain: (record: SourceRecord) => SourceRecord = (record) => record
): ReadonlyArray<Diagnostic> => {
  if (level === "off") return []
  const found = new Map<string, { readonly record: SourceRecord; readonly path: string; readonly names: Set<string> }>()
  const met = new Set([root, ...encounters, ...[...records.values()].flat()].map(plain))
  const ends: ReadonlySet<string | undefined> = new Set([
    root.resource.resourceType,
    patient?.resource.resourceType,
    "Patient"
  ])
  // The set grows while it is read.
  for (const record of met) {
    // Rows of a table have links of their own.
    if (record.row !== undefined) continue
    const type = record.resource.resourceType
    for (const { element, reference } of ownReferences(record.resource)) {
      const parsed = parseReference(reference)
      const target = resolve(reference, record, true)
      if (target !== undefined) {
        if (!ends.has(target.resource.resourceType)) met.add(target)
        continue
      }
      if (parsed._tag === "Display" || parsed._tag === "Nothing") continue
      // Bulk exports of patients have no medicines: the reference names it.
      if (element === "medicationReference" && "display" in reference) continue
      const wanted = "type" in parsed ? parsed.type : undefined
      if (element === "subject" || element === "patient") {
        // A visit without its patient says so itself.
        if (patient === undefined || (wanted !== undefined && wanted !== "Patient")) continue
      } else if (elements?.has(element) === false && (wanted === undefined || types?.has(wanted) === false)) continue
      const key = `${type}.${element} ${wanted ?? ""}`
      const known = found.get(key) ?? { record, path: `${type}.${element}`, names: new Set() }
      found.set(key, known)
      known.names.add(JSON.stringify(reference))
    }
  }
  return [...found.values()].map(({ names, path, record }) => ({
    code: "incomplete-visit",
    severity: level,
    title: `\`${path}\` names records that are not in the input`,
    source: record.origin.reference,
    origin: record.origin,
    facts: [["missing", plural(names.size, "record")]],
    help: [
      "add the records to the input, and convert again: a visit that was sent without them cannot be completed later"
    ]
  }))
}

/** The References of a resource under the names of `ownElements`; what it contains is part of it. */
function* ownReferences(value: object): Generator<{ readonly element: string; readonly reference: object }> {
  for (const [element, member] of Object.entries(value) as ReadonlyArray<[string, unknown]>) {
    if (typeof member !== "object" || member === null) continue
    for (const one of Array.isArray(member) ? member : [member]) {
      if (typeof one !== "object" || one === null) continue
      if (ownElements.has(element) && isReference(one)) yield { element, reference: one }
      else yield* ownReferences(one)
    }
  }
}

const isReference = (value: object): boolean =>
  ("reference" in value && typeof value.reference === "string") || ("identifier" in value && !("resourceType" in value))
