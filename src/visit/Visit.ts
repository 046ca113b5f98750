import { Schema } from "effect"
import { Diagnosis } from "./components/Diagnosis.ts"
import { Encounter } from "./components/Encounter.ts"
import { Imagery } from "./components/Imagery.ts"
import { Invoice } from "./components/Invoice.ts"
import { Laboratory } from "./components/Laboratory.ts"
import { MedicalHistory } from "./components/MedicalHistory.ts"
import { Patient } from "./components/Patient.ts"
import { PhysicalExamination } from "./components/PhysicalExamination.ts"
import { Prescription } from "./components/Prescription.ts"
import { ProgressNote } from "./components/ProgressNote.ts"
import { Referral } from "./components/Referral.ts"
import { Soap } from "./components/Soap.ts"
import { Surgery } from "./components/Surgery.ts"
import { Triage } from "./components/Triage.ts"
import { VitalSign } from "./components/VitalSign.ts"
import { code, component, many, one, oneOrNull, strings, text, timestamp, timestampOrNull } from "./FieldSchema.ts"
import type { FacilityCode, PatientCode, VisitCode } from "./values/Code.ts"

/**
 * The data that the service accepts: one visit of one patient with all its sections (specification §2.4). Timestamps remain text in wire
 * format, numbers keep their digits, and keys are in the specification's order.
 */
export const Visit = component("Visit", "§2.4", "One visit of one patient with all its sections.", {
  health_facility_code: code<FacilityCode>("Code of the health facility the visit was made to."),
  patient_code: code<PatientCode>(
    "Code of the patient; it must already exist at the service and is unique system-wide."
  ),
  code: code<VisitCode>("Code of the visit; unique for each health facility."),
  admission_type: text("How the patient was admitted.", { list: "admission_types" }),
  discharge_type: text("How the patient was discharged.", { list: "discharge_types" }),
  visit_outcome: text("The outcome of the visit.", { list: "visit_outcomes" }),
  visit_type: text("Kind of visit, such as `OPD` or `IPD`.", { list: "visit_types" }),
  admitted_at: timestamp("When the patient was admitted."),
  discharged_at: timestamp("When the patient was discharged."),
  followup_at: timestampOrNull("When the patient is to return."),
  created_at: timestamp("When the visit's record was created."),
  updated_at: timestamp("When the visit's record was last changed."),
  patient: one(Patient, "The person the visit is about."),
  triages: many(Triage, "First assessments of the patient."),
  vital_signs: many(VitalSign, "Vital signs, one entry for each measurement."),
  medical_histories: many(MedicalHistory, "Medical histories, one entry for each kind."),
  physical_examinations: many(PhysicalExamination, "Examinations, one entry for each part examined."),
  outpatients: many(Encounter, "Outpatient encounters of the visit."),
  inpatients: many(Encounter, "Inpatient encounters of the visit."),
  emergencies: many(Encounter, "Emergency encounters of the visit."),
  surgeries: many(Surgery, "Operations."),
  progress_notes: many(ProgressNote, "Later assessments of the patient."),
  soaps: many(Soap, "Notes in the parts subjective, objective, assessment and plan."),
  laboratories: many(Laboratory, "Laboratory requests and their results."),
  imageries: many(Imagery, "Imaging requests and their results."),
  diagnosis: many(Diagnosis, "Diagnoses; the key is singular."),
  consultations: strings("Advice given, one text per item."),
  prescriptions: many(Prescription, "Prescriptions and dispenses."),
  referrals: oneOrNull(Referral, "Referral; null when the patient was not transferred."),
  invoices: many(Invoice, "Invoices.")
})
export interface Visit extends Schema.Schema.Type<typeof Visit> {}

export const SubmissionRequest = component("SubmissionRequest", "§2.3", "The body of a submission request.", {
  visits: many(Visit, "The visits that are submitted.")
})
