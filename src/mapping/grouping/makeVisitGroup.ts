import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { type Element, valueOf, valueText } from "../../fhirpath/FhirPath.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import { isAbsolute, sameServerHelp } from "../../source/records/Servers.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { similarKey } from "../../source/tables/similarKey.ts"
import { parseInstant } from "../../visit/values/Timestamp.ts"
import type { EncounterTree } from "./encounterTree.ts"
import { evaluateOn, type GroupingContext, targetOf, valuesOn } from "./GroupingContext.ts"
import type { GroupingRemark } from "./GroupingPlan.ts"
import { areTwoPatients, namesAnother, otherPatient, subjectOf } from "./otherSubject.ts"
import type { Bundles } from "./readBundles.ts"
import type { VisitGroup } from "./VisitGroup.ts"

/** Makes the group of one visit: its encounters in their order, its patient, and what is wrong with both. */
export const makeVisitGroup = (
  context: GroupingContext,
  root: SourceRecord,
  records: ReadonlyMap<string, ReadonlyArray<SourceRecord>>,
  { assumed, bundles, ofExcluded, placedBy, tree: { cycles, dangling, undecided } }: {
    readonly tree: EncounterTree
    readonly bundles: Bundles
    /** The encounter that assigned a record to its visit, and the assumption that this depends on. */
    readonly placedBy: ReadonlyMap<SourceRecord, SourceRecord>
    readonly assumed: ReadonlyMap<SourceRecord, GroupingRemark>
    /** The records of excluded encounters below a root. */
    readonly ofExcluded: ReadonlyMap<SourceRecord, ReadonlyArray<SourceRecord>>
  }
): VisitGroup => {
  const { plan } = context
  const rows = rowsOf(context, root, records.get(plan.rootType) ?? [root])
  const encounters = rows.toSorted((one, other) => startOf(context, one) - startOf(context, other) || 0)
  // If the top is not a row of the visit, a reference to it means the first row of the same kind.
  const rowOfRoot = rows.includes(root)
    ? root
    : encounters.find((one) => kindOf(context, one) === kindOf(context, root))
  const problems: Array<Diagnostic> = []
  const about = { source: root.origin.reference, origin: root.origin } as const
  if (dangling.has(root)) {
    problems.push({
      code: "dangling-reference",
      severity: "error",
      title: "the encounter is part of another that is not in the input",
      ...(plan.partOf === undefined ? {} : { mapping: plan.partOf.span, path: plan.partOf.text }),
      ...about,
      help: [
        "add the Encounter to the input: a visit sent in part cannot be corrected later",
        "where such names lead nowhere by design:  grouping: {partOf: \"{}\"}"
      ]
    })
  }
  if (cycles.has(root)) {
    problems.push({
      code: "circular-reference",
      severity: "error",
      title: "encounters are part of each other in a circle",
      ...about,
      help: ["correct `Encounter.partOf` in the source system"]
    })
  }
  const { element: patientElement, patient } = findPatient(context, bundles, root)
  if (patient === undefined) {
    // If the path failed, it is unknown whether the encounter refers to a patient.
    if (!context.reports.has(root, plan.patient)) {
      problems.push({ ...missingPatient(context, root, patientElement), ...about })
    }
  } else {
    if (isReplaced(patient)) {
      problems.push({
        code: "no-patient",
        severity: "error",
        title: "the encounter's patient was replaced by another, and must no longer be used",
        path: plan.patient.text,
        mapping: plan.patient.span,
        ...about,
        help: ["correct the encounter in the source system: it must refer to the patient that `link` refers to"]
      })
    }
    problems.push(...foreignRecords(context, root, records, patient))
  }
  // Hardly any run has reports, so the records are not listed for them.
  const { reports } = context
  const reported = reports.isEmpty && assumed.size === 0 && plan.filled === undefined
    ? []
    : new Set([root, ...[...records.values()].flat()])
  const members = Array.from(undecided, ([encounter, top]) => (top === root ? [encounter] : [])).flat()
  problems.push(...reports.problemsOf([...reported, ...members]))
  const rule = patientElement === undefined ? plan.bundles.get(root.bundle?.type ?? "") : undefined
  const remarks = new Map<SourceRecord, ReadonlyArray<GroupingRemark>>()
  if (patient !== undefined && rule !== undefined) remarks.set(patient, [rule])
  for (const record of reported) {
    const placed = assumed.get(record)
    const filled = record.row?.filled === true ? plan.filled?.get(record.resource.resourceType) : undefined
    const made = [
      ...(placed === undefined ? [] : [placed]),
      ...(filled === undefined ? [] : [filled]),
      ...reports.assumedOf(record)
    ]
    if (made.length > 0) remarks.set(record, made)
  }
  return {
    root,
    encounters: encounters.length === 0 ? [root] : encounters,
    patient,
    records,
    ofExcluded: ofExcluded.get(root) ?? [],
    assumed: remarks,
    unmapped: reports.unmappedOf(reported),
    encounterOf: (record) => {
      const encounter = record === root ? root : placedBy.get(record)
      return encounter === root ? rowOfRoot : encounter
    },
    problems
  }
}

/** The encounters that become rows of a visit: the top only if `rootIsEncounter` is set. */
const rowsOf = (
  context: GroupingContext,
  root: SourceRecord,
  all: ReadonlyArray<SourceRecord>
): ReadonlyArray<SourceRecord> => {
  const { rootIsEncounter } = context.plan
  const members = all.filter((encounter) => encounter !== root)
  if (rootIsEncounter === "always") return [root, ...members]
  if (rootIsEncounter === "never" || members.length === 0) return rootIsEncounter === "never" ? members : [root]
  const kind = rootIsEncounter === "when-none-of-its-kind" ? kindOf(context, root) : undefined
  return kind === undefined || members.some((member) => kindOf(context, member) === kind) ? members : [root, ...members]
}

/** The kind of an encounter, as the mapping defines it. */
const kindOf = (context: GroupingContext, encounter: SourceRecord): unknown => {
  const { kind } = context.plan
  return kind === undefined ? undefined : valuesOn(context, kind, encounter)[0]
}

const startOf = (context: GroupingContext, encounter: SourceRecord): number => {
  for (const path of context.plan.start) {
    for (const value of valuesOn(context, path, encounter)) {
      const text = valueText(value)
      const instant = text === undefined ? undefined : parseInstant(text, { zone: context.scope.zone })
      if (instant !== undefined && !("reason" in instant)) return instant.epochMillis
    }
  }
  return Number.POSITIVE_INFINITY
}

/** Returns the patient of a visit: where the path of the mapping leads, otherwise the only one in the Bundle. */
export const findPatient = (
  context: GroupingContext,
  { patientOf }: Bundles,
  root: SourceRecord
): { readonly element?: Element; readonly patient: SourceRecord | undefined } => {
  const [element] = evaluateOn(context, context.plan.patient, root)
  return element === undefined ? { patient: patientOf(root) } : { element, patient: targetOf(context, element, root) }
}

const missingPatient = (
  { plan: { patient: path }, source }: GroupingContext,
  root: SourceRecord,
  element: Element | undefined
): Diagnostic => ({
  code: "no-patient",
  severity: "error",
  title: element === undefined
    ? "the encounter refers to no patient"
    : isAbsolute(valueOf(element))
    ? "the encounter's patient is on another server, or nothing says that it is on this one"
    : "the encounter's patient is not in the input",
  path: path.text,
  mapping: path.span,
  help: root.row === undefined
    ? [
      "add the Patient to the input: a visit cannot be sent without it",
      ...(element !== undefined && isAbsolute(valueOf(element)) ? sameServerHelp : [])
    ]
    : (element === undefined
      ? undefined
      : similarKey(valueOf(element), (other) => source.resolve(other, root, "quietly") !== undefined)) ??
      ["add the patient's row to its table: a visit cannot be sent without it"]
})

/** FHIR R4 `Patient.link.type`: a patient that is `replaced-by` another must no longer be used. */
const isReplaced = ({ resource: { link } }: SourceRecord): boolean =>
  Array.isArray(link) &&
  link.some((one: unknown) => isJsonObject(one) && one.type === "replaced-by")

const foreignRecords = (
  context: GroupingContext,
  root: SourceRecord,
  records: ReadonlyMap<string, ReadonlyArray<SourceRecord>>,
  patient: SourceRecord
): ReadonlyArray<Diagnostic> => {
  const found: Array<Diagnostic> = []
  for (const [type, list] of records) {
    if (context.read?.has(type) === false) continue
    for (const record of list) {
      found.push(...contradictedEncounters(context, record))
      const reference = subjectOf(record.resource)
      if (reference === undefined) continue
      const target = context.source.resolve(reference, record)
      if (target === undefined) continue
      if (areTwoPatients(target, patient)) {
        found.push(otherPatient("a record of the visit refers to a different patient", record, root))
      } else if (namesAnother(reference, target)) {
        found.push(
          otherPatient("the reference to the patient has an identifier that the patient does not have", record, root)
        )
      }
    }
  }
  return found
}

/** Reports a reference to an encounter that has the identifier of another. */
const contradictedEncounters = (
  { source }: GroupingContext,
  record: SourceRecord
): ReadonlyArray<Diagnostic> => {
  const { origin, resource: { context: episode, encounter = episode } } = record
  // Hardly any reference has an identifier besides.
  if (!isJsonObject(encounter) || encounter.identifier === undefined) return []
  const target = source.resolve(encounter, record, "quietly")
  return target === undefined || !namesAnother(encounter, target) ? [] : [{
    code: "contradiction",
    severity: "error",
    title: "the reference to the encounter has an identifier that the encounter does not have",
    source: origin.reference,
    origin,
    facts: [["encounter", target.origin.reference]],
    help: ["correct the reference in the source system: its identifier or its address is of another encounter"]
  }]
}
