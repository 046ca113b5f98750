import { types } from "node:util"
import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import { enteredInError, isEnteredInError } from "../../grouping/enteredInError.ts"
import { modifierProblem, type ModifierRules, unknownModifier } from "../../grouping/modifiers.ts"
import { areTwoPatients, otherPatient, otherSubject, patientOfRecord } from "../../grouping/otherSubject.ts"
import { unwatchedStatusProblem } from "../../grouping/statusProblems.ts"
import type { VisitGroup } from "../../grouping/VisitGroup.ts"
import type { MappingPlan } from "../../MappingPlan.ts"
import type { RecordLookup } from "./runScope.ts"

/** Why a record must not be used. */
interface Objection {
  readonly problem: Diagnostic
  /** The record was entered in error, or is of another patient. Such a record is reported only by a visit that it concerns. */
  readonly ofConcerned: boolean
}

/**
 * Records that a visit reaches by a reference and must not use. A modifier changes their meaning, they were entered in error, or they are
 * not about the visit's patient. Also records with a status that FHIR R4 does not define, which keep the visit from being sent.
 */
export class DoubtfulRecords {
  readonly #rules: ModifierRules
  readonly #clean: Map<SourceRecord, SourceRecord | null>
  readonly #group: VisitGroup
  readonly #resolve: RecordLookup["resolve"]
  readonly #known = new Map<SourceRecord, Objection | undefined>()
  readonly #doubts = new Map<SourceRecord, Diagnostic>()
  /** The refused records that the visit reached. */
  readonly #reached = new Set<SourceRecord>()
  #count = 0

  /** `clean`: the records of the run that only a visit of another patient must not use, with their patients. */
  constructor(
    { followed: { elements }, grouping: { understood } }: MappingPlan,
    clean: Map<SourceRecord, SourceRecord | null>,
    group: VisitGroup,
    resolve: RecordLookup["resolve"]
  ) {
    this.#rules = { elements, understood }
    this.#clean = clean
    this.#group = group
    this.#resolve = resolve
  }

  /** Returns true if a record must not be used. `backwards`: it refers to a record of the visit, and may belong to another visit. */
  has(record: SourceRecord, backwards?: "backwards"): boolean {
    const patient = this.#clean.get(record)
    if (patient === null || (patient !== undefined && patient === this.#group.patient)) return false
    let objection = this.#known.get(record)
    if (objection === undefined && !this.#known.has(record)) {
      this.#known.set(record, objection = this.#judge(record))
    }
    if (objection === undefined) {
      if (this.#doubts.has(record)) this.#count++
      return false
    }
    this.#count++
    if (!objection.ofConcerned || this.#concerns(record, backwards)) this.#reached.add(record)
    return true
  }

  /** The problems to report for each, without those that the group already reports. */
  problems({ problems, records, root }: VisitGroup): ReadonlyArray<Diagnostic> {
    if (this.#count === 0) return []
    const isReported = (one: Diagnostic): boolean =>
      problems.some(({ code, origin }) => code === one.code && origin === one.origin)
    const doubts = [...this.#doubts].flatMap(([record, doubt]) =>
      record === root || records.get(record.resource.resourceType)?.includes(record) === true || isReported(doubt)
        ? []
        : doubt
    )
    const left = [...this.#reached].flatMap((record) => {
      const problem = this.#known.get(record)?.problem
      return problem === undefined || isReported(problem) ? [] : problem
    })
    return [...doubts, ...left]
  }

  /** Returns why the visit must not use a record, and notes what is known of it. */
  #judge(record: SourceRecord): Objection | undefined {
    const objection = objectionTo(record, this.#rules, this.#resolve)
    if (objection !== undefined) return objection
    const patient = patientOfRecord(
      unwatchedSubject(record),
      (reference) => this.#resolve(reference, record, "quietly")
    )
    const doubt = unwatchedStatusProblem(record)
    if (doubt === undefined) this.#clean.set(record, patient ?? null)
    const { patient: own, root } = this.#group
    if (patient !== undefined && own !== undefined && areTwoPatients(patient, own)) {
      const title = "a record that is linked to a record of the visit refers to a different patient"
      return { problem: otherPatient(title, record, root), ofConcerned: true }
    }
    if (doubt !== undefined) this.#doubts.set(record, doubt)
    return undefined
  }

  /** An encounter in error is counted as no visit. A record of another visit that refers to this one is that visit's to report. */
  #concerns(record: SourceRecord, backwards: "backwards" | undefined): boolean {
    const { resource: { resourceType } } = record
    if (resourceType === this.#group.root.resource.resourceType) return false
    return backwards === undefined || this.#group.encounterOf(record) === undefined ||
      this.#group.records.get(resourceType)?.includes(record) === true
  }
}

/** Returns why no visit may use a record; `undefined` if one may. */
export const objectionTo = (
  record: SourceRecord,
  rules: ModifierRules,
  resolve: RecordLookup["resolve"]
): Objection | undefined => {
  const modifier = unknownModifier(record, rules)
  if (modifier !== undefined) return { problem: modifierProblem(record, modifier, "warning"), ofConcerned: false }
  if (isEnteredInError(record)) return { problem: enteredInError(record), ofConcerned: true }
  const other = otherSubject(unwatchedSubject(record), (reference) => resolve(reference, record, "quietly"))
  return other === undefined ? undefined : { problem: other, ofConcerned: false }
}

/** The record with only its subject, so that a tracker does not record the read. */
const unwatchedSubject = (record: SourceRecord): SourceRecord => {
  const { resource } = record
  if (!types.isProxy(resource)) return record
  const held = (name: string): unknown => Object.getOwnPropertyDescriptor(resource, name)?.value
  const { resourceType } = resource
  const [subject, patient, beneficiary] = [held("subject"), held("patient"), held("beneficiary")]
  return { ...record, resource: { resourceType, subject, patient, beneficiary, for: held("for") } }
}
