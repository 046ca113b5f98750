/** An invented outpatient visit with a little of everything, made of one number: same number, same visit. */
export const sampleVisit = (n: number, over: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const code = `V${420_000 + n}`
  const patient_code = "P25000001"
  const encounter_code = `E${300_000 + n}`
  const minute = String(n % 60).padStart(2, "0")
  const hour = String(Math.floor(n / 60) % 24).padStart(2, "0")
  const day = String(1 + (Math.floor(n / 1440) % 28)).padStart(2, "0")
  const at = `2026-03-${day}T${hour}:${minute}:00.000+07:00`
  const links = { patient_code, visit_code: code, encounter_code }
  const by = { recorded_by: "Test Nurse", title: "Nurse" }
  const place = (code: string, name: string) => ({ code, name })
  return {
    health_facility_code: "F1",
    patient_code,
    code,
    admission_type: "Walk-in",
    discharge_type: "Authorized",
    visit_outcome: "Improved",
    visit_type: "OPD",
    admitted_at: at,
    discharged_at: at,
    followup_at: null,
    created_at: at,
    updated_at: at,
    patient: {
      code: patient_code,
      surname: "TEST",
      name: "ភូមិ\u200Bdara",
      sex: "M",
      birthdate: "1985-04-12",
      phone: "010000001",
      nationality: "",
      disabilities: "",
      occupation: "Farmer",
      marital_status: "Married",
      photos: "",
      address: {
        province: place("12", "Phnom Penh"),
        district: place("1201", "Chamkar Mon"),
        commune: place("120101", "Tonle Basak"),
        village: place("12010101", "Phum 1"),
        house_number: "",
        street_number: "",
        location: ""
      },
      identifications: [{ patient_code, card_code: "100-000-001", card_type: "Benefit Card" }],
      death_at: null,
      spid: "SP25000001",
      created_at: at,
      updated_at: null
    },
    triages: [{
      patient_code,
      visit_code: code,
      code: `T${300_000 + n}`,
      chief_complaint: "Fever for two days",
      height: 165,
      weight: 60.5,
      recorded_at: at,
      ...by
    }],
    vital_signs: [{
      encounter_code,
      recorded_at: at,
      ...by,
      observations: [{ name: "Temperature", value: 38.4 }, { name: "Heart Rate", value: 96 }]
    }],
    medical_histories: [{ ...links, name: "Allergies", value: [] }],
    physical_examinations: [
      { ...links, name: "Skin", value_type: "text", value: "No rash", value_unit: null },
      {
        ...links,
        name: "Digestive System",
        value_type: "complex",
        value: [{ inspection: "Flat" }, { palpation: "Soft" }],
        value_unit: null
      }
    ],
    outpatients: [{
      visit_code: code,
      code: encounter_code,
      name: "Consultation",
      service_type: "General medicine",
      encountered_by: "Test Doctor",
      title: "Physician",
      started_at: at,
      ended_at: at,
      created_at: at,
      updated_at: at
    }],
    inpatients: [],
    emergencies: [],
    surgeries: [],
    progress_notes: [],
    soaps: [],
    laboratories: [{
      ...links,
      request_code: `L${n}`,
      requested_at: at,
      collected_at: at,
      requested_by: "Test Doctor",
      collected_by: "Test Technician",
      title: "Physician",
      results: [{
        name: "Dengue NS1",
        category: "Serology",
        value: "Negative",
        value_type: "string",
        value_unit: null,
        reference_range: "Negative",
        interpretation: "Normal",
        verified_at: at,
        recorded_at: at,
        verified_by: "Test Technician",
        recorded_by: "Test Technician"
      }]
    }],
    imageries: [],
    diagnosis: [{
      ...links,
      diagnosis_type_name: "Primary",
      diagnosis_code: "R50.9",
      diagnosis_name: "Fever, unspecified",
      diagnosis_description: "Fever, unspecified",
      diagnosed_at: at,
      diagnosed_by: "Test Doctor",
      title: "Physician"
    }],
    consultations: ["Drink plenty of water"],
    prescriptions: [{
      ...links,
      code: `RX${n}`,
      prescribed_by: "Test Doctor",
      title: "Physician",
      prescribed_at: at,
      medications: [{
        code: "MEDI-000001",
        medicine_name: "Paracetamol 500 mg tablet",
        strength: "500 mg",
        form: "tablet",
        method: "oral",
        unit: "tablet",
        note: "",
        morning: 1,
        afternoon: null,
        evening: 1,
        night: null,
        days: 3,
        interval: null
      }]
    }],
    referrals: null,
    invoices: [{
      ...links,
      code: `INV${n}`,
      cashier: "Test Cashier",
      payment_type: "Full Pay",
      invoice_date: at,
      created_at: at,
      updated_at: at,
      total: 15000,
      services: [{
        invoice_code: `INV${n}`,
        service_code: "S1",
        service_name: "Consultation",
        service_category: "Consultation",
        price: 10000,
        payment: 10000,
        discount: 0,
        paid: true,
        discount_type: null
      }],
      medications: [{
        invoice_code: `INV${n}`,
        medicine_code: "MEDI-000001",
        medicine_name: "Paracetamol 500 mg tablet",
        unit: "tablet",
        quantity: 6,
        price: 5000,
        payment: 5000,
        discount: 0,
        paid: true,
        discount_type: null
      }]
    }],
    ...over
  }
}
