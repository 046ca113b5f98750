/**
 * A handwritten converter for the fields of `few-fields/mapping.yaml` and the records of the samples, without mapping, provenance or
 * problems. It gives the same bytes, so that its time can be compared.
 */
export const handwrittenConverter = (resources: ReadonlyArray<any>): ReadonlyArray<string> => {
  const byReference = new Map<string, any>()
  for (const one of resources) byReference.set(`${one.resourceType}/${one.id}`, one)
  const visits = new Map<any, { encounters: Array<any>; observations: Array<any>; conditions: Array<any> }>()
  const rootOf = (encounter: any): any => {
    let root = encounter
    while (root?.partOf !== undefined) root = byReference.get(root.partOf.reference)
    return root
  }
  const isVisit = ({ status }: any): boolean =>
    status !== "planned" && status !== "cancelled" && status !== "entered-in-error"
  for (const one of resources) {
    if (one.resourceType !== "Encounter" || !isVisit(one)) continue
    const root = rootOf(one)
    if (!isVisit(root)) continue
    const visit = visits.get(root)
    if (visit === undefined) visits.set(root, { encounters: [one], observations: [], conditions: [] })
    else visit.encounters.push(one)
  }
  for (const one of resources) {
    if (one.resourceType !== "Observation" && one.resourceType !== "Condition") continue
    const encounter = byReference.get(one.encounter?.reference)
    const visit = encounter === undefined ? undefined : visits.get(rootOf(encounter))
    if (one.resourceType === "Observation") visit?.observations.push(one)
    else visit?.conditions.push(one)
  }
  const who = (reference: any): string | null => {
    if (reference === undefined) return null
    let person = byReference.get(reference.reference)
    if (person?.resourceType === "PractitionerRole") {
      person = byReference.get(person.practitioner?.reference) ?? byReference.get(person.organization?.reference)
    }
    if (person === undefined) return reference.display ?? null
    if (typeof person.name === "string") return person.name
    const name = person.name?.find(({ use }: any) => use === "official") ?? person.name?.[0]
    if (name === undefined) return reference.display ?? null
    return name.text ?? [...(name.prefix ?? []), ...(name.given ?? []), name.family].filter(Boolean).join(" ")
  }
  const made: Array<string> = []
  for (const [root, { conditions, encounters, observations }] of visits) {
    const patient = byReference.get(root.subject.reference)
    const patientCode = inSystem(patient, `${base}/NamingSystem/patient-code`)
    const visitCode = inSystem(root, `${base}/NamingSystem/visit-code`)
    const members = encounters.filter((one) => one !== root)
    const rows = (members.length === 0 ? [root] : members).toSorted((one, other) =>
      Date.parse(one.period.start) - Date.parse(other.period.start)
    )
    const main = rows[0]
    const codeOf = (encounter: any): string | null =>
      inSystem(rows.includes(encounter) ? encounter : main, `${base}/NamingSystem/encounter-code`)
    const rowsOf = (kind: string) =>
      rows.filter((one) => (kinds[one.class?.code] ?? "outpatient") === kind).map((one) => ({
        visit_code: visitCode,
        code: codeOf(one),
        name: null,
        service_type: null,
        encountered_by: null,
        title: null,
        symptoms: undefined,
        started_at: timestamp(one.period.start ?? root.period.start),
        ended_at: timestamp(one.period.end),
        created_at: timestamp(one.period.start),
        updated_at: timestamp(one.period.end)
      })).toSorted(by(({ code, started_at }) => `${started_at} ${code}`))
    const signs = new Map<string, any>()
    for (const one of observations) {
      if (!counted.has(one.status) || one.category?.some(({ coding }: any) => coding?.some(isLaboratory))) continue
      const parts = (one.component ?? []).filter((part: any) => part.dataAbsentReason === undefined)
      const found = [one.dataAbsentReason === undefined ? one : {}, ...parts].flatMap(
        ({ code, valueQuantity }: any) => {
          const name = code?.coding?.map((coding: any) => names[coding.code]).find(Boolean)
          const value = name === undefined || valueQuantity === undefined ? undefined : inUnit(name, valueQuantity)
          return value === undefined ? [] : [{ name, value }]
        }
      )
      const isSign = [one, ...(one.component ?? [])].some(({ code }) =>
        code?.coding?.some((coding: any) => names[coding.code])
      )
      if (!isSign) continue
      const time = one.effectiveDateTime ?? one.effectivePeriod?.start ?? one.issued
      const code = codeOf(byReference.get(one.encounter.reference))
      const key = `${code} ${time} ${one.performer?.[0]?.reference}`
      const known = signs.get(key)
      if (known !== undefined) known.observations.push(...found)
      else {
        signs.set(key, {
          encounter_code: code,
          recorded_at: timestamp(time),
          recorded_by: who(one.performer?.[0]),
          title: null,
          observations: found
        })
      }
    }
    for (const sign of signs.values()) {
      sign.observations.sort((one: any, other: any) => rankOf(one.name) - rankOf(other.name))
    }
    const diagnosis = conditions.filter((one) =>
      !one.verificationStatus?.coding?.some(({ code }: any) => code === "entered-in-error" || code === "refuted") &&
      (one.category === undefined || one.category.some(({ coding }: any) => coding?.some(isEncounterDiagnosis)) ||
        encounters.some(({ diagnosis }) =>
          diagnosis?.some(({ condition }: any) => condition.reference === `Condition/${one.id}`)
        ))
    ).map((one) => {
      const icd = one.code?.coding?.find(({ system }: any) => system?.startsWith("http://hl7.org/fhir/sid/icd-10"))
      return {
        patient_code: patientCode,
        visit_code: visitCode,
        encounter_code: codeOf(byReference.get(one.encounter.reference)),
        diagnosis_type_name: null,
        diagnosis_code: icd?.code ?? null,
        diagnosis_name: icd?.display ?? one.code?.text ?? one.code?.coding?.[0]?.display ?? null,
        diagnosis_description: null,
        diagnosed_at: timestamp(one.recordedDate ?? one.onsetDateTime ?? one.onsetPeriod?.start ?? root.period.start),
        diagnosed_by: who(one.asserter ?? one.recorder ?? main.participant?.[0]?.individual),
        title: null
      }
    })
    const name = patient.name?.find(({ use }: any) => use === "official") ?? patient.name?.[0]
    made.push(JSON.stringify({
      health_facility_code: "HF-1",
      patient_code: patientCode,
      code: visitCode,
      admission_type: null,
      discharge_type: null,
      visit_outcome: null,
      visit_type: kinds[root.class?.code] === "inpatient" ? "IPD" : "OPD",
      admitted_at: timestamp(root.period.start),
      discharged_at: timestamp(root.period.end),
      followup_at: null,
      created_at: timestamp(root.period.start),
      updated_at: timestamp(root.period.end),
      patient: {
        code: patientCode,
        surname: name?.family ?? null,
        name: name?.given?.join(" ") ?? null,
        sex: patient.gender === "female" ? "F" : patient.gender === "male" ? "M" : null,
        birthdate: patient.birthDate ?? null,
        phone: null,
        nationality: "",
        disabilities: "",
        occupation: null,
        marital_status: married[patient.maritalStatus?.coding?.[0]?.code ?? patient.maritalStatus?.text] ?? null,
        photos: "",
        address: null,
        identifications: [],
        death_at: null,
        spid: null,
        created_at: timestamp(root.period.start),
        updated_at: timestamp(root.period.end)
      },
      triages: [],
      vital_signs: [...signs.values()].toSorted(
        by(({ encounter_code, recorded_at, recorded_by }) => `${recorded_at} ${encounter_code} ${recorded_by}`)
      ),
      medical_histories: [],
      physical_examinations: [],
      outpatients: rowsOf("outpatient"),
      inpatients: rowsOf("inpatient"),
      emergencies: rowsOf("emergency"),
      surgeries: [],
      progress_notes: [],
      soaps: [],
      laboratories: [],
      imageries: [],
      diagnosis: diagnosis.toSorted(by(({ diagnosed_at, diagnosis_code }) => `${diagnosed_at} ${diagnosis_code}`)),
      consultations: [],
      prescriptions: [],
      referrals: null,
      invoices: []
    }))
  }
  return made
}

const base = "https://fhir2visit.example/fhir"

const kinds: Readonly<Record<string, string>> = {
  IMP: "inpatient",
  ACUTE: "inpatient",
  EMER: "emergency",
  AMB: "outpatient"
}
const married: Readonly<Record<string, string>> = {
  S: "Single",
  M: "Married",
  W: "Widowed",
  D: "Divorced",
  Single: "Single",
  Married: "Married",
  Widowed: "Widowed",
  Divorced: "Divorced"
}
const counted: ReadonlySet<string> = new Set(["final", "amended", "corrected", "preliminary"])
const names: Readonly<Record<string, string>> = {
  "8480-6": "Systolic Blood Pressure",
  "8462-4": "Diastolic Blood Pressure",
  "8867-4": "Heart Rate",
  "9279-1": "Respiratory Rate",
  "8310-5": "Temperature",
  "8331-1": "Temperature",
  "59408-5": "Blood Oxygen",
  "2708-6": "Blood Oxygen",
  "2339-0": "Random Blood Glucose",
  "2345-7": "Random Blood Glucose",
  "41653-7": "Random Blood Glucose",
  "15074-8": "Random Blood Glucose"
}
const rank: Readonly<Record<string, number>> = Object.fromEntries(
  [...new Set(Object.values(names))].map((name, at) => [name, at])
)

const rankOf = (name: string): number => rank[name] ?? Number.MAX_SAFE_INTEGER

const isLaboratory = ({ code }: any): boolean => code === "laboratory" || code === "LAB"
const isEncounterDiagnosis = ({ code }: any): boolean => code === "encounter-diagnosis"

const inSystem = (resource: any, expected: string): string | null =>
  resource.identifier?.find(({ system }: any) => system === expected)?.value ?? null

const by = (key: (row: any) => string) => (one: any, other: any): number => {
  const [a, b] = [key(one), key(other)]
  return a < b ? -1 : a > b ? 1 : 0
}

/** The clock of Phnom Penh is seven hours before that of Greenwich, all year. */
const timestamp = (text: string | undefined): string | null =>
  text === undefined ? null : `${new Date(Date.parse(text) + 7 * 3_600_000).toISOString().slice(0, -1)}+07:00`

const inUnit = (name: string, { code, value }: any): number | undefined => {
  // A number without a unit is not guessed at.
  if (typeof value !== "number" || code === undefined) return undefined
  if (name === "Temperature" && code === "[degF]") return Math.round(((value - 32) / 1.8) * 100) / 100
  if (name === "Random Blood Glucose" && code === "mmol/L") return Math.round(value * 18.0156 * 100) / 100
  return value
}
