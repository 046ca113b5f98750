import { fromText } from "../../src/json/Decimal.ts"
import { EncounterCode, FacilityCode, PatientCode, VisitCode } from "../../src/visit/values/Code.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import { present } from "../present.ts"

const at = (time: string, day = "2026-03-01"): string => `${day}T${time}:00.000+07:00`

const own = { patient_code: PatientCode("P26001001"), visit_code: VisitCode("V260301") }
const inEncounter = { ...own, encounter_code: EncounterCode("V260301-IPD") }
const made = { created_at: at("08:00"), updated_at: at("18:00", "2026-03-03") }
const nurse = { recorded_by: "Chan Sreymom", title: "Nurse" }
const doctor = { title: "Medical Doctor" }
const amount = (text: string) => present(fromText(text))

/** An invented inpatient visit with something in every section: right in every respect, so that it gives no problem at all. */
export const exampleVisit: Visit = {
  health_facility_code: FacilityCode("HF0001"),
  patient_code: own.patient_code,
  code: own.visit_code,
  admission_type: "Walk-in",
  discharge_type: "Refer Out",
  visit_outcome: "Improved",
  visit_type: "IPD",
  admitted_at: at("08:00"),
  discharged_at: at("16:30", "2026-03-03"),
  followup_at: at("09:00", "2026-03-17"),
  ...made,
  patient: {
    code: own.patient_code,
    surname: "សុខ",
    name: "Sopheak",
    sex: "F",
    birthdate: "1988-02-29",
    phone: "+855 12 000 000",
    nationality: "",
    disabilities: "",
    occupation: "Farmer",
    marital_status: "Married",
    photos: "",
    address: {
      province: { code: "12", name: "Phnom Penh" },
      district: { code: "1201", name: "Chamkar Mon" },
      commune: { code: "120101", name: "Tonle Basak" },
      village: { code: "12010101", name: "Phum 1 ភូមិ ១" },
      house_number: "12B",
      street_number: "",
      location: ""
    },
    identifications: [{ patient_code: own.patient_code, card_code: "C-000123", card_type: "Member Card" }],
    death_at: null,
    spid: "SP-88112233",
    created_at: at("08:00", "2020-01-15"),
    updated_at: null
  },
  triages: [{
    ...own,
    code: EncounterCode("V260301-TRI"),
    chief_complaint: "គ្រុនក្ដៅ\u200Bបីថ្ងៃ",
    height: 158,
    weight: amount("52.50"),
    recorded_at: at("08:05"),
    ...nurse
  }],
  vital_signs: [{
    encounter_code: EncounterCode("V260301-TRI"),
    recorded_at: at("08:10"),
    ...nurse,
    observations: [
      { name: "Systolic Blood Pressure", value: 118 },
      { name: "Diastolic Blood Pressure", value: 76 },
      { name: "Heart Rate", value: 96 },
      { name: "Respiratory Rate", value: 20 },
      { name: "Temperature", value: amount("39.0") },
      { name: "Blood Oxygen", value: 98 },
      { name: "Random Blood Glucose", value: 104 }
    ]
  }],
  medical_histories: [
    { ...inEncounter, name: "Allergies", value: ["Penicillin"] },
    { ...inEncounter, name: "Family History", value: [] }
  ],
  physical_examinations: [
    { ...inEncounter, name: "General Appearance", value_type: "text", value: "Alert, flushed", value_unit: null },
    {
      ...inEncounter,
      name: "Digestive System",
      value_type: "complex",
      value: [{ inspection: "Flat" }, { palpation: "Soft, tender right upper quadrant" }],
      value_unit: null
    }
  ],
  outpatients: [{
    visit_code: own.visit_code,
    code: EncounterCode("V260301-OPD"),
    name: "Consultation",
    service_type: "General Medicine",
    encountered_by: "Dr Keo Dara",
    ...doctor,
    symptoms: ["Fever", "Headache"],
    started_at: at("08:20"),
    ended_at: at("09:00"),
    ...made
  }],
  inpatients: [{
    visit_code: own.visit_code,
    code: EncounterCode("V260301-IPD"),
    name: "Admission",
    service_type: "Medicine Ward",
    encountered_by: "Dr Keo Dara",
    ...doctor,
    started_at: at("09:00"),
    ended_at: at("16:30", "2026-03-03"),
    ...made
  }],
  emergencies: [],
  surgeries: [{
    visit_code: own.visit_code,
    encounter_code: EncounterCode("V260301-IPD"),
    code: EncounterCode("V260301-SUR"),
    symptoms: [],
    theater_name: "Theatre 1",
    service_type: "Surgery",
    reason: "Abscess",
    anesthesia_type: "Local",
    procedure_notes: "",
    complications: [],
    specimens: ["Pus"],
    blood_loss: "20 mL",
    surgeon_name: "Dr Lim Vanna",
    anesthetist_name: null,
    assistant_names: ["Chan Sreymom"],
    started_at: at("10:00", "2026-03-02"),
    ended_at: at("10:30", "2026-03-02"),
    ...made
  }],
  progress_notes: [{
    visit_code: own.visit_code,
    encounter_code: EncounterCode("V260301-IPD"),
    code: EncounterCode("V260301-PN1"),
    encountered_by: "Dr Keo Dara",
    ...doctor,
    started_at: at("07:30", "2026-03-02"),
    ended_at: at("07:45", "2026-03-02"),
    ...made
  }],
  soaps: [{
    encounter_code: EncounterCode("V260301-PN1"),
    code: EncounterCode("V260301-SO1"),
    subjective: "Feels better",
    objective: "Afebrile",
    assessment: "Dengue, recovering",
    plan: "Continue fluids",
    evaluation: null,
    recorded_at: at("07:45", "2026-03-02"),
    recorded_by: "Dr Keo Dara",
    ...doctor
  }],
  laboratories: [{
    ...inEncounter,
    request_code: "L-778",
    requested_at: at("09:10"),
    collected_at: at("09:20"),
    requested_by: "Dr Keo Dara",
    collected_by: "Chan Sreymom",
    ...doctor,
    results: [
      {
        name: "Platelets",
        category: "Haematology",
        value: 98,
        value_type: "float",
        value_unit: "10*9/L",
        reference_range: "150 - 400",
        interpretation: "Low",
        verified_at: at("10:20"),
        recorded_at: at("10:00"),
        verified_by: "Meas Bopha",
        recorded_by: "Meas Bopha"
      },
      {
        name: "Dengue NS1",
        category: "Serology",
        value: "Positive",
        value_type: "string",
        value_unit: null,
        reference_range: "Negative",
        interpretation: "Abnormal",
        verified_at: at("10:20"),
        recorded_at: at("10:00"),
        verified_by: "Meas Bopha",
        recorded_by: "Meas Bopha"
      }
    ]
  }],
  imageries: [{
    ...inEncounter,
    request_code: "R-112",
    requested_at: at("11:00"),
    collected_at: at("11:20"),
    requested_by: "Dr Keo Dara",
    collected_by: "Chea Rith",
    ...doctor,
    results: [{
      name: "Abdominal ultrasound",
      category: "Ultrasound",
      images: ["images/r-112/1.jpg"],
      result: "Thickened gallbladder wall",
      conclusion: null,
      verified_at: at("12:00"),
      recorded_at: at("11:40"),
      verified_by: "Chea Rith",
      recorded_by: "Chea Rith"
    }]
  }],
  diagnosis: [
    {
      ...inEncounter,
      diagnosis_type_name: "Primary",
      diagnosis_code: "A90",
      diagnosis_name: "Dengue fever",
      diagnosis_description: "Dengue fever [classical dengue]",
      diagnosed_at: at("10:30"),
      diagnosed_by: "Dr Keo Dara",
      ...doctor
    },
    {
      ...own,
      encounter_code: null,
      diagnosis_type_name: "Secondary",
      diagnosis_code: "L02.4",
      diagnosis_name: "Cutaneous abscess of limb",
      diagnosis_description: null,
      diagnosed_at: at("09:00", "2026-03-02"),
      diagnosed_by: "Dr Lim Vanna",
      ...doctor
    }
  ],
  consultations: ["ផឹកទឹក\u200Bឱ្យបានច្រើន", "Come back if bleeding"],
  prescriptions: [{
    ...own,
    code: "RX-9",
    prescribed_by: "Dr Keo Dara",
    ...doctor,
    encounter_code: null,
    prescribed_at: at("16:00", "2026-03-03"),
    medications: [{
      code: "PARA500",
      medicine_name: "Paracetamol",
      strength: "500 mg",
      form: "Tablet",
      method: "Oral",
      unit: "tablet",
      note: null,
      morning: 1,
      afternoon: 1,
      evening: 1,
      night: amount("0.5"),
      days: 3,
      interval: null
    }]
  }],
  referrals: {
    referred_from: null,
    referred_to: {
      code: "REF-5",
      referral_number: "0005/26",
      transportation: "Ambulance",
      reason: "Needs blood products",
      health_facility: { name: "Provincial hospital", code: "HF0100", type: "Hospital" },
      has_called: true,
      caretaker_name: "Sok Vichea",
      caretaker_phone: "+855 12 000 001",
      referred_by: "Dr Keo Dara",
      referred_by_phone: null,
      referred_at: at("16:00", "2026-03-03"),
      received_by: null,
      received_at: null,
      medications: "Paracetamol 500 mg"
    }
  },
  invoices: [{
    ...inEncounter,
    code: "INV-31",
    cashier: "Hun Sokha",
    payment_type: "Full Pay",
    invoice_date: at("16:20", "2026-03-03"),
    ...made,
    total: amount("61500.20"),
    services: [{
      invoice_code: "INV-31",
      service_code: "S-01",
      service_name: "Bed, two nights",
      service_category: "Inpatient",
      price: 60_000,
      payment: 60_000,
      discount: 0,
      paid: true,
      discount_type: null
    }],
    medications: [{
      invoice_code: "INV-31",
      medicine_code: "PARA500",
      medicine_name: "Paracetamol",
      unit: "tablet",
      quantity: 10,
      price: amount("150.02"),
      payment: amount("1500.20"),
      discount: 0,
      paid: true,
      discount_type: null
    }]
  }]
}
