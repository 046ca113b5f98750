import type { Element } from "../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { BranchPlan, FieldPlan } from "../MappingPlan.ts"
import type { Lookup, PendingProblem, RowProvenance, SectionRow } from "./VisitContext.ts"

/** The result of a field, and the problems reported while it was made. */
export interface MadeField {
  /** The row that it was made for. */
  readonly row: SectionRow
  readonly value: unknown
  /** The provenance of the nested rows. */
  readonly stories: ReadonlyArray<RowProvenance>
  readonly pending: ReadonlyArray<PendingProblem>
  readonly lookups: ReadonlyArray<Lookup>
  readonly unmapped: ReadonlyArray<UnmappedCode>
}

/** Returns true if the focus of a row is the patient, or a record of the patient. Every visit of the patient has such a row. */
export const isOfPatient = ({ groupBy, rows }: BranchPlan): boolean =>
  groupBy.length === 0 &&
  (rows.from === "forEach" ? rows.path.text === "%patient" : rows.from === "resource" && rows.scope === "patient")

/**
 * Fields with the same value for every visit of a patient, mainly the patient's identity. They are made for the first visit and reused in
 * the others. Making a field shows whether it requires the visit. Visits of a patient are consecutive in a run, so only the fields of
 * patients in the current batch are kept.
 */
export class PatientFields {
  readonly #needVisits = new Set<FieldPlan>()
  #patients = new Map<SourceRecord, FieldsOfPatient>()

  /** Starts a batch of patients and discards the fields of all others. */
  begin(patients: ReadonlySet<SourceRecord>): void {
    this.#patients = new Map(
      Array.from(patients, (patient) => [patient, this.#patients.get(patient) ?? new FieldsOfPatient(this.#needVisits)])
    )
  }

  of(patient: SourceRecord): FieldsOfPatient | undefined {
    return this.#patients.get(patient)
  }
}

/** The fields of one patient made so far. */
export class FieldsOfPatient {
  readonly #needVisits: Set<FieldPlan>
  readonly #made = new Map<FieldPlan, Map<Element, MadeField>>()

  /** `needVisits`: the fields that have required the visit, of any patient. */
  constructor(needVisits: Set<FieldPlan>) {
    this.#needVisits = needVisits
  }

  /** The field requires the visit, whatever its focus. */
  needsVisit(field: FieldPlan): boolean {
    return this.#needVisits.has(field)
  }

  known(field: FieldPlan, element: Element): MadeField | undefined {
    return this.#made.get(field)?.get(element)
  }

  /** Stores the value made for an element, unless the visit was read for it. */
  keep(field: FieldPlan, element: Element, made: MadeField, needsVisit: boolean): void {
    if (needsVisit) {
      this.#needVisits.add(field)
      this.#made.delete(field)
      return
    }
    const ofField = this.#made.get(field)
    if (ofField === undefined) this.#made.set(field, new Map([[element, made]]))
    else ofField.set(element, made)
  }
}
