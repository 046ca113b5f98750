import type { CodeableConcept, Coding } from "fhir/r4.d.ts"
import { listedSigns } from "../../visit/components/VitalSign.ts"
import { knownValues } from "../../visit/values/knownValues.ts"

/** URLs under which the base mapping `fhir-r4` reads fields that FHIR has no element for; they are the mapping's constants. */
export const base = "https://fhir2visit.example/fhir"
export const extensionUrl = (name: string): string => `${base}/StructureDefinition/${name}`
export const system = (name: string): string => `${base}/CodeSystem/${name}`
export const naming = (name: string): string => `${base}/NamingSystem/${name}`

export const loinc = "http://loinc.org"
export const snomed = "http://snomed.info/sct"
export const ucum = "http://unitsofmeasure.org"
export const icd10 = "http://hl7.org/fhir/sid/icd-10"
export const terminology = "http://terminology.hl7.org/CodeSystem"
export const core = "http://hl7.org/fhir/StructureDefinition"

export const coded = (code: Coding, text?: string): CodeableConcept => ({
  coding: [code],
  ...(text === undefined ? {} : { text })
})

/** The values of the Visit that HL7's own code systems have a code for, each in the way the base mapping reads it back. */
export const visitClasses: ReadonlyMap<string, Coding> = new Map([
  ["OPD", { system: `${terminology}/v3-ActCode`, code: "AMB", display: "ambulatory" }],
  ["IPD", { system: `${terminology}/v3-ActCode`, code: "IMP", display: "inpatient encounter" }]
])

export const encounterClasses = {
  outpatients: { system: `${terminology}/v3-ActCode`, code: "AMB", display: "ambulatory" },
  inpatients: { system: `${terminology}/v3-ActCode`, code: "IMP", display: "inpatient encounter" },
  emergencies: { system: `${terminology}/v3-ActCode`, code: "EMER", display: "emergency" }
} as const

const own = (list: string, values: ReadonlyArray<string>): ReadonlyArray<readonly [string, Coding]> =>
  values.map((value) => [value, { system: system(list), code: value, display: value }])

export const admissionTypes: ReadonlyMap<string, Coding> = new Map(
  own("admission-types", ["Walk-in", "Appointment", "Refer"])
)

const disposition = `${terminology}/discharge-disposition`
export const dischargeTypes: ReadonlyMap<string, Coding> = new Map([
  ["Authorized", { system: disposition, code: "home", display: "Home" }],
  ["Unauthorized", { system: disposition, code: "aadvice", display: "Left against advice" }],
  ["Deceased", { system: disposition, code: "exp", display: "Expired" }],
  ["Refer Out", { system: disposition, code: "other-hcf", display: "Other healthcare facility" }],
  ...own("discharge-types", ["Absconded"])
])

export const visitOutcomes: ReadonlyMap<string, Coding> = new Map(
  own("visit-outcomes", knownValues.visit_outcomes)
)

const marital = `${terminology}/v3-MaritalStatus`
export const maritalStatuses: ReadonlyMap<string, Coding> = new Map([
  ["Single", { system: marital, code: "S", display: "Never Married" }],
  ["Married", { system: marital, code: "M", display: "Married" }],
  ["Widowed", { system: marital, code: "W", display: "Widowed" }],
  ["Divorced", { system: marital, code: "D", display: "Divorced" }]
])

export const diagnosisTypes: ReadonlyMap<string, Coding> = new Map(
  own("diagnosis-types", ["Differential", "In", "Out"])
)

/** The vital signs that the specification names: LOINC code, and the unit they are sent in. */
export const canonicalSigns: ReadonlyMap<
  string,
  { readonly code: Coding; readonly unit: string; readonly ucum: string }
> = new Map(
  listedSigns.map(({ loinc: [code, display], name, ucum, unit }) =>
    [name, { code: { system: loinc, code, display }, unit, ucum }] as const
  )
)

/** Examinations the specification names, by LOINC. */
export const examinations: ReadonlyMap<string, Coding> = new Map([
  ["General Appearance", { system: loinc, code: "10210-3", display: "Physical findings of General status Narrative" }],
  ["Skin", { system: loinc, code: "10206-1", display: "Physical findings of Skin Narrative" }],
  ["Digestive System", { system: loinc, code: "10191-5", display: "Physical findings of Abdomen Narrative" }]
])

const examinationParts: ReadonlyMap<string, Coding> = new Map([
  ["inspection", { system: snomed, code: "32750006", display: "Inspection" }],
  ["palpation", { system: snomed, code: "113011001", display: "Palpation" }],
  ["percussion", { system: snomed, code: "75180006", display: "Percussion" }],
  ["auscultation", { system: snomed, code: "37931006", display: "Auscultation" }]
])

/** The code of a part of an examination; a part that the specification does not name is sent as a text. */
export const partOfExamination = (name: string): CodeableConcept => {
  const code = examinationParts.get(name)
  return code === undefined ? { text: name } : coded(code)
}

export const observationCategory = (code: string): CodeableConcept =>
  coded({ system: `${terminology}/observation-category`, code })

export const dataAbsent: CodeableConcept = coded({
  system: `${terminology}/data-absent-reason`,
  code: "unknown",
  display: "Unknown"
})

/** What FHIR's type `code` can hold: no white space at the ends, one space between words. */
export const isFhirCode = (text: string): boolean => /^\S+(?: \S+)*$/u.test(text)
