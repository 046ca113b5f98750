import { plural } from "../diagnostic/count.ts"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { UnmappedCode, VisitDraft } from "../draft/VisitDraft.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import { codesOf, hasRow } from "../mapping/ConceptMap.ts"
import type { MappingPlan } from "../mapping/MappingPlan.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"

/** Types of records that say something clinical of the visit they belong to. */
const clinicalTypes =
  "Observation Procedure MedicationRequest MedicationDispense MedicationAdministration MedicationStatement Condition DiagnosticReport DocumentReference Composition ClinicalImpression Immunization AllergyIntolerance"
    .split(" ")

/** Categories of HL7's list: what kind of Observation it is, and nothing about a person. */
const categories = new Set(
  "vital-signs laboratory imaging procedure exam survey social-history therapy activity".split(" ")
)

/**
 * Clinical records of a visit that none of its sections takes: one warning for each kind, with its count; and their codes where a condition
 * of the mapping looks the code up in a concept map that has no row for it.
 */
export const unusedRecords = (
  draft: VisitDraft,
  group: VisitGroup,
  inVisit: ReadonlySet<SourceRecord>,
  plan: MappingPlan
): { readonly problems: ReadonlyArray<Diagnostic>; readonly unmapped: ReadonlyArray<UnmappedCode> } => {
  const kinds = new Map<string, Array<SourceRecord>>()
  const unmapped: Array<UnmappedCode> = []
  for (const type of clinicalTypes) {
    for (const record of group.records.get(type) ?? []) {
      if (inVisit.has(record) || isRetracted(record) || isPanel(record, group, inVisit)) continue
      // A problem of the record says already why it is not sent.
      if (draft.problems.some(({ origin }) => origin === record.origin)) continue
      const kind = kindOf(record)
      const known = kinds.get(kind)
      if (known === undefined) kinds.set(kind, [record])
      else known.push(record)
      const [code] = codesOf(record.resource.code)
      for (const name of code === undefined ? [] : askedMaps(plan, type)) {
        const map = plan.conceptMaps.get(name)
        if (map !== undefined && !hasRow(map, record.resource.code)) {
          unmapped.push({ table: name, ...code!, blocking: false })
        }
      }
    }
  }
  const problems = [...kinds].map(([kind, records]): Diagnostic => ({
    code: "unused-record",
    severity: "warning",
    title: `${plural(records.length, "record")} of the visit (${kind}) ${
      records.length === 1 ? "is" : "are"
    } in no section of it`,
    source: records[0]!.origin.reference,
    origin: records[0]!.origin,
    ...(typeof draft.visit.code === "string" ? { visit: draft.visit.code } : {}),
    times: records.length
  }))
  return { problems, unmapped }
}

const kindOf = ({ resource }: SourceRecord): string => {
  const listed = Array.isArray(resource.category) ? resource.category : [resource.category]
  const category = listed.flatMap(codesOf).find(({ code }) => categories.has(code))
  return category === undefined ? resource.resourceType : `${resource.resourceType}, ${category.code}`
}

/** The source itself says that it does not hold. */
const isRetracted = ({ resource }: SourceRecord): boolean =>
  resource.status === "entered-in-error" || resource.status === "cancelled" || resource.status === "not-done" ||
  codesOf(resource.verificationStatus).some(({ code }) => code === "entered-in-error" || code === "refuted")

/** A record that only holds others together, of which some are in the visit. */
const isPanel = (
  { origin, resource }: SourceRecord,
  { records }: VisitGroup,
  inVisit: ReadonlySet<SourceRecord>
): boolean => {
  const { hasMember } = resource as { readonly hasMember?: unknown }
  if (!Array.isArray(hasMember) || Object.keys(resource).some((key) => /^(?:value|component)/u.test(key))) return false
  const named = new Set(hasMember.map((one: { readonly reference?: unknown } | null) => one?.reference))
  return (records.get(resource.resourceType) ?? []).some((record) =>
    record.origin !== origin && inVisit.has(record) && named.has(`${resource.resourceType}/${record.resource.id}`)
  )
}

const asked = new WeakMap<MappingPlan, Map<string, ReadonlyArray<string>>>()

/** The concept maps in which conditions on records of a type look codes up: `code.mapped('vital_name')`. */
const askedMaps = (plan: MappingPlan, type: string): ReadonlyArray<string> => {
  const ofPlan = asked.get(plan) ?? new Map<string, ReadonlyArray<string>>()
  asked.set(plan, ofPlan)
  let names = ofPlan.get(type)
  if (names === undefined) {
    const [visit] = plan.visit.branches
    names = [
      ...new Set(
        (visit?.fields ?? []).flatMap((field) =>
          field.kind !== "component" ?
            [] :
            field.branches.flatMap(({ rows, where }) =>
              rows.from === "resource" && rows.types.includes(type)
                ? where.flatMap(({ text }) =>
                  [...text.matchAll(/\bcode\.mapped\('(\w+)'\)(?!\.not)/gu)].map(([, name]) => name!)
                )
                : []
            )
        )
      )
    ]
    ofPlan.set(type, names)
  }
  return names
}
