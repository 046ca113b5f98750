import type { Bundle } from "fhir/r4.d.ts"
import { fromText } from "../../src/json/Decimal.ts"
import { jsonObjectsIn } from "../../src/json/JsonObject.ts"
import { EncounterCode, FacilityCode, PatientCode, VisitCode } from "../../src/visit/values/Code.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import { present } from "../present.ts"

const own = { patient_code: PatientCode("P26002002"), visit_code: VisitCode("V260402") }
/** Minutes after eight o'clock. Each time of the visit is different. */
const at = (minutes: number, day = "02"): string =>
  `2026-04-${day}T${String(8 + Math.floor(minutes / 60)).padStart(2, "0")}:${
    String(minutes % 60).padStart(2, "0")
  }:00.000+07:00`
const amount = (text: string) => present(fromText(text))
const two = [1, 2] as const
const three = [1, 2, 3] as const

const encounter = (kind: string, start: number) => ({
  visit_code: own.visit_code,
  code: EncounterCode(`V260402-${kind}`),
  name: `${kind} name`,
  service_type: `${kind} service`,
  encountered_by: `Dr ${kind} Sok`,
  title: `${kind} doctor`,
  symptoms: [`${kind} fever`, `${kind} cough`],
  started_at: at(start),
  ended_at: at(start + 50),
  created_at: at(start + 51),
  updated_at: at(start + 52)
})

const inEmergency = { ...own, encounter_code: EncounterCode("V260402-EMER") }
const inWard = { ...own, encounter_code: EncounterCode("V260402-IMP") }

/**
 * A made-up visit as ordinary records have it, with a different value in every field. Its rows are in the order of the mapping, and
 * each belongs to an encounter of the visit. It needs no stated fields.
 */
export const ordinaryVisit: Visit = {
  health_facility_code: FacilityCode("HF0002"),
  patient_code: own.patient_code,
  code: own.visit_code,
  admission_type: "Refer",
  discharge_type: "Refer Out",
  visit_outcome: "Improved",
  visit_type: "IPD",
  admitted_at: at(1),
  discharged_at: at(2, "09"),
  followup_at: at(3, "20"),
  created_at: at(4),
  updated_at: at(5, "09"),
  patient: {
    code: own.patient_code,
    surname: "Chea",
    name: "Sophal",
    sex: "M",
    birthdate: "1996-02-29",
    phone: "+855 12 000 111",
    nationality: "Cambodian",
    disabilities: "Hearing",
    occupation: "Fisher",
    marital_status: "Widowed",
    photos: "https://photos.example/1",
    address: {
      province: { code: "17", name: "Siem Reap" },
      district: { code: "1710", name: "District ten" },
      commune: { code: "171001", name: "Sla Kram" },
      village: { code: "17100101", name: "ភូមិ ១" },
      house_number: "12",
      street_number: "Street 7",
      location: "Behind the market"
    },
    identifications: [
      { patient_code: own.patient_code, card_code: "C-1", card_type: "Benefit Card" },
      { patient_code: own.patient_code, card_code: "C-2", card_type: "Member Card" }
    ],
    death_at: at(6, "08"),
    spid: "SP-2",
    created_at: at(7, "01"),
    updated_at: at(8, "01")
  },
  triages: two.map((n) => ({
    ...own,
    code: EncounterCode(`V260402-TRI${n}`),
    chief_complaint: `Complaint ${n}`,
    height: amount(`15${n}.50`),
    weight: amount(`5${n}.0`),
    recorded_at: at(9 + n),
    recorded_by: `Nurse ${n}`,
    title: `Nurse title ${n}`
  })),
  vital_signs: three.map((n) => ({
    encounter_code: EncounterCode(n === 1 ? "V260402-EMER" : "V260402-IMP"),
    recorded_at: at(12 + n),
    recorded_by: `Nurse ${n + 2}`,
    title: `Nurse title ${n + 2}`,
    observations: [
      { name: "Systolic Blood Pressure", value: 118 + n },
      { name: "Diastolic Blood Pressure", value: 76 + n },
      { name: "Heart Rate", value: 92 + n },
      { name: "Respiratory Rate", value: 20 + n },
      { name: "Temperature", value: amount(`39.${n}0`) },
      { name: "Blood Oxygen", value: 95 + n },
      { name: "Random Blood Glucose", value: 104 + n }
    ]
  })),
  medical_histories: ([
    ["Allergies", "Penicillin: rash, itch"],
    ["Current Illness History", "Three days of fever"],
    ["Current Medication", "Metformin 500 mg - twice a day"],
    ["Family History", "Mother: diabetes, asthma"],
    ["Immunization History", "BCG (2020-01-31)"],
    ["Past Medical History", "Malaria"]
  ] as const).map(([name, text]) => ({ ...inEmergency, name, value: [text] })),
  physical_examinations: [
    {
      ...inEmergency,
      name: "Digestive System",
      value_type: "complex",
      value: [
        { inspection: "Flat" },
        { palpation: "Soft" },
        { percussion: "Tympanic" },
        { auscultation: "Quiet" }
      ],
      value_unit: null
    },
    { ...inEmergency, name: "Liver", value_type: "text", value: "2.50", value_unit: "cm" },
    { ...inWard, name: "General Appearance", value_type: "text", value: "Alert", value_unit: null },
    { ...inWard, name: "Skin", value_type: "text", value: "Dry", value_unit: null }
  ],
  outpatients: [encounter("AMB", 130)],
  inpatients: [encounter("IMP", 200), encounter("IMP2", 260)],
  emergencies: [encounter("EMER", 60)],
  surgeries: two.map((n) => ({
    visit_code: own.visit_code,
    encounter_code: EncounterCode("V260402-IMP"),
    code: EncounterCode(`V260402-SUR${n}`),
    symptoms: [`Pain ${n}`],
    theater_name: `Theatre ${n}`,
    service_type: `Surgery ${n}`,
    reason: `Abscess ${n}`,
    anesthesia_type: `Local ${n}`,
    procedure_notes: `Drained ${n}`,
    complications: [`Bleeding ${n}`, "Fever"],
    specimens: [`Pus ${n}`, "Skin"],
    blood_loss: `${n}0.5 mL`,
    surgeon_name: `Surgeon ${n}`,
    anesthetist_name: `Anesthetist ${n}`,
    assistant_names: [`Assistant ${n}`, "Assistant 3"],
    started_at: at(n * 60, "03"),
    ended_at: at(n * 60 + 30, "03"),
    created_at: at(n * 60 + 31, "03"),
    updated_at: at(n * 60 + 32, "03")
  })),
  progress_notes: two.map((n) => ({
    visit_code: own.visit_code,
    encounter_code: EncounterCode("V260402-IMP"),
    code: EncounterCode(`V260402-PN${n}`),
    encountered_by: `Dr note ${n}`,
    title: `Note doctor ${n}`,
    started_at: at(n * 60, "04"),
    ended_at: at(n * 60 + 30, "04"),
    created_at: at(n * 60 + 31, "04"),
    updated_at: at(n * 60 + 32, "04")
  })),
  soaps: two.map((n) => ({
    encounter_code: EncounterCode("V260402-IMP"),
    code: `SO${n}`,
    subjective: `Subjective ${n} < 3 & more`,
    objective: `Objective ${n}`,
    assessment: `Assessment ${n}`,
    plan: `Plan ${n}`,
    evaluation: `Evaluation ${n}`,
    recorded_at: at(n, "05"),
    recorded_by: `Dr soap ${n}`,
    title: `Soap doctor ${n}`
  })),
  laboratories: two.map((n) => ({
    ...inWard,
    request_code: `L-${n}`,
    requested_at: at(n * 60, "06"),
    collected_at: at(n * 60 + 1, "06"),
    requested_by: `Dr lab ${n}`,
    collected_by: `Collector ${n}`,
    title: `Lab doctor ${n}`,
    results: two.map((m) => ({
      name: `Test ${n}.${m}`,
      category: `Panel ${n}`,
      value: m === 1 ? amount(`${n}.20`) : `Positive ${n}`,
      value_type: m === 1 ? "float" as const : "string" as const,
      value_unit: `unit ${n}.${m}`,
      reference_range: `range ${n}.${m}`,
      interpretation: `high ${n}.${m}`,
      verified_at: at(n * 60 + 10 + m, "06"),
      recorded_at: at(n * 60 + 20 + m, "06"),
      verified_by: `Verifier ${n}`,
      recorded_by: `Recorder ${n}.${m}`
    }))
  })),
  imageries: two.map((n) => ({
    ...inWard,
    request_code: `R-${n}`,
    requested_at: at(n * 60, "07"),
    collected_at: at(n * 60 + 1, "07"),
    requested_by: `Dr image ${n}`,
    collected_by: `Radiographer ${n}`,
    title: `Image doctor ${n}`,
    results: [{
      name: `Study ${n}`,
      category: `Modality ${n}`,
      images: [`images/${n}/1.jpg`, `images/${n}/0.jpg`],
      result: `Result ${n}`,
      conclusion: `Conclusion ${n}`,
      verified_at: at(n * 60 + 3, "07"),
      recorded_at: at(n * 60 + 2, "07"),
      verified_by: `Radiologist ${n}`,
      recorded_by: `Reader ${n}`
    }]
  })),
  diagnosis: (["Primary", "Secondary", "Differential"] as const).map((diagnosis_type_name, n) => ({
    ...(n === 0 ? inEmergency : inWard),
    diagnosis_type_name,
    diagnosis_code: `A9${n}`,
    diagnosis_name: `Diagnosis ${n}`,
    diagnosis_description: `Description ${n}`,
    diagnosed_at: at(60 + n),
    diagnosed_by: `Dr diagnosis ${n}`,
    title: `Diagnosis doctor ${n}`
  })),
  consultations: ["ផឹកទឹក\u200Bឱ្យបានច្រើន", "Come back if bleeding"],
  prescriptions: three.map((n) => ({
    ...own,
    code: `RX-${n}`,
    // One doctor wrote two of them.
    prescribed_by: `Dr prescription ${n % 2}`,
    title: `Prescription doctor ${n % 2}`,
    encounter_code: n === 2 ? "V260402-IMP" : null,
    prescribed_at: at(n, "08"),
    medications: [{
      code: `MED${n}`,
      medicine_name: `Medicine ${n}`,
      strength: `50${n} mg`,
      form: `Tablet ${n}`,
      method: `Oral ${n}`,
      unit: `tablet ${n}`,
      note: `After meals ${n}`,
      morning: n,
      afternoon: amount(`${n}.5`),
      evening: n + 2,
      night: amount(`${n}.25`),
      days: 10 + n,
      interval: `Every ${n} hours`
    }]
  })),
  referrals: {
    referred_from: { facility: "HF0003", urgent: true, codes: [1, "two", null] },
    referred_to: {
      code: "REF-5",
      referral_number: "0005/26",
      transportation: "Ambulance",
      reason: "Needs blood products",
      health_facility: { name: "Provincial hospital", code: "HF0100", label: "PH", type: "Hospital" },
      has_called: true,
      caretaker_name: "Sok Vichea",
      caretaker_phone: "+855 12 000 001",
      referred_by: "Dr referral",
      referred_by_phone: "+855 12 000 002",
      referred_at: at(20, "08"),
      received_by: "Dr receiving",
      received_at: at(21, "08"),
      medications: "Paracetamol 500 mg"
    }
  },
  invoices: two.map((n) => ({
    ...inWard,
    code: `INV-${n}`,
    cashier: `Cashier ${n}`,
    payment_type: `Full Pay ${n}`,
    invoice_date: at(30 + n, "08"),
    created_at: at(40 + n, "08"),
    updated_at: at(50 + n, "08"),
    total: amount(`6150${n}.20`),
    services: two.map((m) => ({
      invoice_code: `INV-${n}`,
      service_code: `S-${n}${m}`,
      service_name: `Service ${n}.${m}`,
      service_category: `Category ${n}.${m}`,
      price: 60_000 + m,
      payment: amount(`5900${m}.50`),
      discount: amount(`100${m}.10`),
      paid: m === 1,
      discount_type: `Exemption ${n}.${m}`
    })),
    medications: two.map((m) => ({
      invoice_code: `INV-${n}`,
      medicine_code: `M-${n}${m}`,
      medicine_name: `Invoice medicine ${n}.${m}`,
      unit: `box ${m}`,
      quantity: 10 + m,
      price: amount(`15${m}.02`),
      payment: amount(`150${m}.20`),
      discount: amount(`${m}.00`),
      paid: m === 2,
      discount_type: `Rebate ${n}.${m}`
    }))
  }))
}

/** The Bundle as a hospital would have written it: nothing of it states a row, a part or a field outright. */
export const withoutStatements = (bundle: Bundle): Bundle => {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip)
    if (typeof value !== "object" || value === null || "rawJSON" in value) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
        if (key !== "extension") return [[key, strip(inner)]]
        const kept = jsonObjectsIn(inner).filter(({ url }) =>
          !/\/StructureDefinition\/(?:row|part|stated)-/.test(String(url))
        )
        return kept.length === 0 ? [] : [[key, kept.map(strip)]]
      })
    )
  }
  // Only extensions are left out, which every element of FHIR may lack.
  return strip(bundle) as Bundle
}
