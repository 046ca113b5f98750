import type { Element } from "../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { BranchPlan, FieldPlan } from "../MappingPlan.ts"
import type { Lookup, PendingProblem, RowProvenance, SectionRow } from "./VisitContext.ts"

/** What came of a field, and what was said of it while it was made. */
export interface MadeField {
  /** The row that it was made for. */
  readonly row: SectionRow
  readonly value: unknown
  /** Of the rows within. */
  readonly stories: ReadonlyArray<RowProvenance>
  readonly pending: ReadonlyArray<PendingProblem>
  readonly lookups: ReadonlyArray<Lookup>
  readonly unmapped: ReadonlyArray<UnmappedCode>
}

/** Whether a row stands on the patient, or on a record of the patient: every visit of the patient has it. */
export const isOfPatient = ({ groupBy, rows }: BranchPlan): boolean =>
  groupBy.length === 0 &&
  (rows.from === "forEach" ? rows.path.text === "%patient" : rows.from === "resource" && rows.scope === "patient")

/**
 * Fields that are the same for every visit of a patient, who the patient is above all: made for the first of the visits, they stand in
 * all. That a field needs nothing of the visit is seen while it is made. Visits of a patient stand together in a run, so that the fields of
 * those patients are known whose visits are being made.
 */
export class PatientFields {
  readonly #needVisits = new Set<FieldPlan>()
  #patients = new Map<SourceRecord, FieldsOfPatient>()

  /** Visits of some patients are made; others are forgotten. */
  begin(patients: ReadonlySet<SourceRecord>): void {
    this.#patients = new Map(
      Array.from(patients, (patient) => [patient, this.#patients.get(patient) ?? new FieldsOfPatient(this.#needVisits)])
    )
  }

  of(patient: SourceRecord): FieldsOfPatient | undefined {
    return this.#patients.get(patient)
  }
}

/** What is known of the fields of one patient. */
export class FieldsOfPatient {
  readonly #needVisits: Set<FieldPlan>
  readonly #made = new Map<FieldPlan, Map<Element, MadeField>>()

  /** `needVisits`: the fields that turned out to need the visit, of whichever patient. */
  constructor(needVisits: Set<FieldPlan>) {
    this.#needVisits = needVisits
  }

  /** It needs the visit, whatever it stands on. */
  needsVisit(field: FieldPlan): boolean {
    return this.#needVisits.has(field)
  }

  known(field: FieldPlan, element: Element): MadeField | undefined {
    return this.#made.get(field)?.get(element)
  }

  /** Keeps what was made of an element, unless it turned out that the visit was asked for. */
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
