import { at } from "../../at.ts"
import { type Decimal, toDecimal } from "../../json/Decimal.ts"
import { mutable, type MutableObject, rowsIn } from "./MutableObject.ts"

export const people = ["Dr Sample", "Nurse Example", "Dr Test Person", "Midwife Placeholder"]
const complaints = ["Fever", "Cough", "Headache", "Abdominal pain", "គ្រុនក្តៅ", "ក្អក"]

/** The texts of fields, by component and field. */
const texts: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  patient: {
    occupation: ["Farmer", "Teacher", "Student", "Driver"],
    disabilities: ["", "", "", "Low vision"]
  },
  triages: { chief_complaint: complaints },
  outpatients: { name: ["Consultation", "Follow-up visit"], service_type: ["General medicine", "Paediatrics"] },
  inpatients: { name: ["Ward stay"], service_type: ["Medical ward", "Surgical ward"] },
  emergencies: { name: ["Emergency visit"], service_type: ["Emergency"] },
  surgeries: {
    theater_name: ["Theatre 1", "Theatre 2"],
    service_type: ["Minor surgery", "General surgery"],
    reason: ["Abscess", "Laceration"],
    anesthesia_type: ["Local", "Spinal"],
    procedure_notes: ["No difficulties"],
    blood_loss: ["10 mL", "50 mL"]
  },
  soaps: {
    subjective: complaints,
    objective: ["Temperature raised", "Chest clear"],
    assessment: ["Viral infection is likely"],
    plan: ["Rest and fluids"],
    evaluation: ["Improving"]
  },
  medications: {
    strength: ["500 mg", "250 mg"],
    form: ["Tablet"],
    method: ["Oral"],
    unit: ["Tablet"],
    note: ["After meals", "With water"]
  },
  services: { service_name: ["Consultation", "Nursing care"], service_category: ["Outpatient service"] },
  referred_to: {
    transportation: ["Ambulance", "Own vehicle"],
    reason: ["Specialist care is needed"],
    caretaker_phone: ["000 000 000"],
    referred_by_phone: ["000 000 000"],
    medications: ["None"]
  },
  health_facility: { label: ["Hospital"], type: ["Hospital"] }
}

/** The texts of a list's fields. */
const lists: Readonly<Record<string, ReadonlyArray<string>>> = {
  symptoms: complaints,
  complications: ["Bleeding"],
  specimens: ["Tissue"],
  assistant_names: people,
  consultations: ["Drink enough", "Come back if the fever lasts"],
  value: ["Asthma", "Hypertension"],
  images: ["images/sample-1.jpg", "images/sample-2.jpg"]
}

/** Laboratory tests: name, category, unit, and the normal range. */
const tests = [
  ["Hemoglobin", "Hematology", "g/dL", 11, 16],
  ["Leukocytes", "Hematology", "10*9/L", 4, 10],
  ["Glucose", "Biochemistry", "mg/dL", 70, 110],
  ["Creatinine", "Biochemistry", "umol/L", 45, 110]
] as const
const rapidTests = [["Malaria rapid test", "Parasitology"], ["Dengue NS1", "Serology"]] as const

const pictures = [
  ["Chest X-ray", "X-ray", "Clear lung fields", "Normal"],
  ["Abdominal ultrasound", "Ultrasound", "Organs of usual size", "Normal"]
] as const

/** Fills the parts of a made-up visit with plausible values, such as results with their units. `turn` chooses among the values. */
export const makePlausible = (visit: MutableObject, turn: number): void => {
  let next = turn
  const one = <A>(all: ReadonlyArray<A>): A => at(all, next++ % all.length)
  const fill = (at: unknown, name: string): void => {
    if (Array.isArray(at)) return at.forEach((item) => fill(item, name))
    const object = mutable(at)
    if (object === undefined) return
    const own = texts[name] ?? {}
    for (const [key, value] of Object.entries(object)) {
      if (own[key] !== undefined) object[key] = one(own[key])
      else if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
        const known = lists[key]
        // Each text at most once: an equal one would be a copy.
        if (known !== undefined) {
          object[key] = value.slice(0, known.length).map((_, index) => known[(next + index) % known.length])
        }
      } else if (key !== "address" && key !== "identifications" && key !== "observations") fill(value, key)
    }
  }
  fill(visit, "visit")
  for (const result of resultsOf(visit, "laboratories")) {
    const test = one(tests)
    const [rapid, field] = one(rapidTests)
    const isNumber = result.value_type === "float"
    const [name, category, unit, low, high] = test
    Object.assign(
      result,
      isNumber
        ? {
          name,
          category,
          value_unit: unit,
          value: decimal(low + (next % (high - low))),
          reference_range: `${low} - ${high}`,
          interpretation: "Normal"
        }
        : {
          name: rapid,
          category: field,
          value_type: "string",
          value_unit: null,
          value: one(["Negative", "Positive"]),
          reference_range: "Negative",
          interpretation: "As reported"
        }
    )
  }
  for (const result of resultsOf(visit, "imageries")) {
    const [name, category, found, conclusion] = one(pictures)
    Object.assign(result, { name, category, result: found, conclusion })
  }
  for (const examination of rowsIn(visit, "physical_examinations")) {
    if (examination.value === null) Object.assign(examination, { value_type: "text", value: "Nothing unusual" })
    examination.value_unit = null
  }
  for (const prescription of rowsIn(visit, "prescriptions")) {
    for (const dose of rowsIn(prescription, "medications")) {
      Object.assign(dose, { morning: decimal(1), afternoon: null, evening: decimal(1), night: null, interval: null })
      dose.days = decimal(3 + next++ % 5)
    }
  }
  for (const invoice of rowsIn(visit, "invoices")) {
    for (const line of rowsIn(invoice, "medications")) line.quantity = decimal(5 + next++ % 16)
  }
}

const decimal = (whole: number): Decimal => toDecimal(String(whole))

const resultsOf = (visit: MutableObject, list: string): ReadonlyArray<MutableObject> =>
  rowsIn(visit, list).flatMap((entry) => rowsIn(entry, "results"))
