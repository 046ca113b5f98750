import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { typeAt } from "../../diagnostic/Origin.ts"
import { isPathFault, valuesOfPath } from "../../fhirpath/FhirPath.ts"
import type { Exclusion } from "../../mapping/apply/apply.ts"
import { clinicalTypes } from "../../mapping/clinicalTypes.ts"
import { codesOf, hasRow } from "../../mapping/codes/ConceptMap.ts"
import { withText } from "../../mapping/codes/textBeside.ts"
import type { UnmappedCode, VisitDraft } from "../../mapping/draft/VisitDraft.ts"
import type { EvaluationScope } from "../../mapping/functions/EvaluationScope.ts"
import type { VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import type { MappingPlan, PathPlan } from "../../mapping/MappingPlan.ts"
import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/** Types of records that are forms of an invoice. A visit with invoices of one type needs none of another, unless it has such records. */
const charges = new Set("Invoice Claim ChargeItem ExplanationOfBenefit".split(" "))

/** Categories of HL7's list: the kind of an Observation, without personal data. */
const categories = new Set(
  "vital-signs laboratory imaging procedure exam survey social-history therapy activity".split(" ")
)

/**
 * Reports clinical records and CSV rows of a visit that are in no section of it. There is one warning for each kind of record and
 * excluding condition, with a count. The condition is the one that came closest to including the record. If it looks codes up in a concept
 * map, the unmapped ones are listed.
 */
export const unusedRecords = (
  draft: VisitDraft,
  group: VisitGroup,
  inVisit: ReadonlySet<SourceRecord>,
  plan: MappingPlan,
  exclusionsOf: (records: ReadonlyArray<SourceRecord>) => ReadonlyMap<SourceRecord, ReadonlyArray<Exclusion>>,
  scope: EvaluationScope
): { readonly problems: ReadonlyArray<Diagnostic>; readonly unmapped: ReadonlyArray<UnmappedCode> } => {
  const left = leftRecords(draft, group, inVisit, plan)
  const ofExcluded = ofExcludedEncounters(draft, group, inVisit, plan)
  if (left.length === 0) return { problems: ofExcluded, unmapped: [] }
  const kinds = new Map<string, UnusedKind>()
  const unmapped: Array<UnmappedCode> = []
  const exclusions = exclusionsOf(left)
  for (const record of left) {
    const all = exclusions.get(record) ?? []
    // An assumption drops it: it is counted under the assumption's name, and not reported once the assumption is accepted.
    if (all.some(({ condition }) => condition.assume !== undefined)) continue
    const kind = kindOf(record)
    const { closest, codes } = closestOf(record, all, plan, scope)
    const key = closest === undefined ? ` ${kind}` : `${textOfSpan(closest.condition)} ${closest.section} ${kind}`
    const known = kinds.get(key)
    if (known === undefined) kinds.set(key, { kind, closest, first: record, count: 1 })
    else known.count++
    unmapped.push(...codes)
  }
  const problems = [...kinds.values()].map(({ closest, count, first: { origin }, kind }): Diagnostic => ({
    code: "unused-record",
    severity: "warning",
    title: `a record of the visit is in no section of it: ${kind}`,
    source: origin.reference,
    origin,
    ...(closest === undefined ? helpOf(typeAt(origin), plan) : {
      mapping: closest.condition.span,
      path: closest.condition.text,
      facts: [["section", closest.section]]
    }),
    ...(typeof draft.visit.code === "string" ? { visit: draft.visit.code } : {}),
    times: count
  }))
  return { problems: [...problems, ...ofExcluded], unmapped }
}

/** No condition excluded the record. If no line reads its type either, a section for it is missing or not enabled. */
const helpOf = (type: string, { followed: { types } }: MappingPlan): Pick<Diagnostic, "help"> =>
  types?.has(type) === false
    ? {
      help: [
        `no line of the mapping reads ${type}: enable a branch that does, or write a section or branch with  resource: ${type}`
      ]
    }
    : {}

/** Unused records of one kind, that one condition excludes. */
interface UnusedKind {
  readonly kind: string
  /** The exclusion by the condition that came closest to including them. */
  readonly closest: Exclusion | undefined
  readonly first: SourceRecord
  count: number
}

/** Returns the records that should be in a section, and are in none. */
const leftRecords = (
  draft: VisitDraft,
  group: VisitGroup,
  inVisit: ReadonlySet<SourceRecord>,
  plan: MappingPlan
): ReadonlyArray<SourceRecord> => {
  const left: Array<SourceRecord> = []
  const { invoices } = draft.visit
  const isCharged = Array.isArray(invoices) && invoices.length > 0
  for (const type of typesOf(plan)) {
    const records = group.records.get(type) ?? none
    if (isCharged && charges.has(type) && !records.some((record) => inVisit.has(record))) continue
    for (const record of records) {
      if (inVisit.has(record) || (isRetracted(record) && type !== "Procedure") || isPanel(record, group, inVisit)) {
        continue
      }
      // A problem of the record already explains why it is not sent.
      if (!draft.problems.some(({ origin }) => origin === record.origin)) left.push(record)
    }
  }
  return left
}

const none: ReadonlyArray<never> = []

/**
 * Returns the exclusion by the condition that came closest to including a record, and the unmapped codes that conditions look up. If a
 * condition looks a code up, only a table row may be missing, so it comes closest.
 */
const closestOf = (
  record: SourceRecord,
  exclusions: ReadonlyArray<Exclusion>,
  plan: MappingPlan,
  scope: EvaluationScope
): { readonly closest: Exclusion | undefined; readonly codes: Iterable<UnmappedCode> } => {
  let closest: Exclusion | undefined
  let most = -1
  const codes = new Map<string, UnmappedCode>()
  for (const exclusion of exclusions) {
    const unmapped = unmappedOf(record, exclusion, plan, scope)
    for (const code of unmapped) codes.set(JSON.stringify(code), code)
    const closeness = exclusion.passed + (unmapped.length > 0 ? exclusions.length * 100 : 0)
    if (closeness > most) [closest, most] = [exclusion, closeness]
  }
  return { closest, codes: codes.values() }
}

/**
 * Reports records of an encounter that is below the visit and does not count, because it was cancelled. That they were made contradicts it:
 * the status of the encounter may be wrong.
 */
const ofExcludedEncounters = (
  draft: VisitDraft,
  { ofExcluded = [] }: VisitGroup,
  inVisit: ReadonlySet<SourceRecord>,
  plan: MappingPlan
): ReadonlyArray<Diagnostic> => {
  if (ofExcluded.length === 0) return none
  const types = new Set(typesOf(plan))
  const kinds = new Map<string, Array<SourceRecord>>()
  for (const record of ofExcluded) {
    if (!types.has(record.resource.resourceType) || inVisit.has(record) || isRetracted(record)) continue
    getOrMake(kinds, kindOf(record), () => []).push(record)
  }
  return [...kinds].flatMap(([kind, [first, ...others]]) =>
    first === undefined ? [] : {
      code: "unused-record",
      severity: "warning",
      title: `a record of an encounter that does not count, below the visit, is not used: ${kind}`,
      source: first.origin.reference,
      origin: first.origin,
      ...(typeof draft.visit.code === "string" ? { visit: draft.visit.code } : {}),
      help: ["correct the status of the encounter, or of the record, in the source system"],
      times: others.length + 1
    }
  )
}

const kindOf = ({ resource }: SourceRecord): string => {
  const listed = Array.isArray(resource.category) ? resource.category : [resource.category]
  const category = listed.flatMap(codesOf).find(({ code }) => categories.has(code))
  // Report an operation that did not take place, or may not have: it appears nowhere else.
  const status = resource.resourceType === "Procedure" && resource.status !== "completed" ? resource.status : undefined
  return [resource.resourceType, category?.code, status].filter((word) => typeof word === "string").join(", ")
}

/** The source itself states that it is not valid. */
const isRetracted = ({ resource }: SourceRecord): boolean =>
  ["entered-in-error", "cancelled", "revoked", "not-done", "not-billable", "aborted"].some((status) =>
    status === resource.status
  ) ||
  codesOf(resource.verificationStatus).some(({ code }) => code === "entered-in-error" || code === "refuted")

/** Returns true for a record that only groups others, some of which are in the visit. */
const isPanel = (
  { origin, resource }: SourceRecord,
  { records }: VisitGroup,
  inVisit: ReadonlySet<SourceRecord>
): boolean => {
  const { hasMember } = resource
  if (!Array.isArray(hasMember) || Object.keys(resource).some((key) => /^(?:value|component)/u.test(key))) return false
  const members = new Set(hasMember.map((one: { readonly reference?: unknown } | null) => one?.reference))
  return (records.get(resource.resourceType) ?? []).some((record) =>
    record.origin !== origin && inVisit.has(record) && members.has(record.origin.reference)
  )
}

/** The types of records that should be in a section when they belong to a visit. */
const typesOf = (plan: MappingPlan): ReadonlyArray<string> =>
  getOrMake(typesOfPlans, plan, () => [
    ...clinicalTypes,
    ...plan.tables.flatMap(({ name }) => (plan.visitTypes.has(name) ? [name] : []))
  ])

const typesOfPlans = new WeakMap<MappingPlan, ReadonlyArray<string>>()

/** The place of a condition, as a text. */
const textOfSpan = (condition: PathPlan): string =>
  getOrMake(spansOfConditions, condition, () => JSON.stringify(condition.span))

const spansOfConditions = new WeakMap<PathPlan, string>()

/** The unmapped codes of a concept map that the condition which excludes a record looks up: `code.mapped('vital_name')`. */
const unmappedOf = (
  record: SourceRecord,
  { condition: { lookUps = none } }: Exclusion,
  { conceptMaps, constants, fhirPath }: MappingPlan,
  scope: EvaluationScope
): ReadonlyArray<UnmappedCode> =>
  lookUps.length === 0 ? none : lookUps.flatMap(({ codes, conceptMap: table }) => {
    const map = conceptMaps.get(table)
    if (map === undefined) return []
    const found = valuesOfPath(codes, [fhirPath.elementOf(record)], constants, scope)
    return isPathFault(found) ? [] : found.flatMap((value) => {
      const [code] = codesOf(value)
      return code === undefined || hasRow(map, value) ? [] : [{ table, ...withText(code, record), blocking: false }]
    })
  })
