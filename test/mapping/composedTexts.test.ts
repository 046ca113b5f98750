import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { present } from "../present.ts"
import { addressed, converted, temporaryFolder, written } from "../run/converted.ts"
import type { Json } from "../run/smallRecords.ts"

const iso = "http://hl7.org/fhir/StructureDefinition/iso21090-"
const adxp = (name: string, valueString: string): Json => ({ url: `${iso}ADXP-${name}`, valueString })
const amount = (value: number, unit: string): Json => ({ value, unit })
const text = (words: string): Json => ({ text: words })
const note = [text("unsure")]
const year = amount(50, "a")
const day = "2026-03-02"
const at = `${day}T08:20:00+07:00`

/** One visit with every text that the mapping composes of parts. */
const visitWith = (n: string): ReadonlyArray<Json> => {
  const ofPatient = { subject: { reference: `Patient/p${n}` } }
  const ofVisit = { ...ofPatient, encounter: { reference: `Encounter/e${n}` } }
  const observation = (id: string, category: string, more: Json): Json => ({
    resourceType: "Observation",
    id: `${id}${n}`,
    status: "final",
    ...ofVisit,
    category: [{ coding: [{ code: category }] }],
    code: text("Cells"),
    effectiveDateTime: at,
    ...more
  })
  const twoUnits = { low: amount(500, "ug"), high: amount(5, "mg") }
  const oneUnit = { low: amount(1, "mg"), high: amount(5, "mg") }
  return [
    {
      resourceType: "Patient",
      id: `p${n}`,
      gender: "female",
      birthDate: "1990-04-12",
      identifier: [{ system: "https://fhir2visit.example/fhir/NamingSystem/patient-code", value: `P-${n}` }],
      name: [{
        family: "Example",
        given: ["Ann"],
        _family: {
          extension: [{
            url: "http://hl7.org/fhir/StructureDefinition/humanname-mothers-family",
            valueString: "Sample"
          }]
        }
      }],
      address: [{
        line: ["Line"],
        _line: [{
          extension: [adxp("houseNumber", "12"), adxp("buildingNumberSuffix", "B"), adxp("streetName", "Road")]
        }]
      }]
    },
    {
      resourceType: "Encounter",
      id: `e${n}`,
      status: "finished",
      class: { code: "AMB" },
      ...ofPatient,
      period: { start: `${day}T08:00:00+07:00`, end: `${day}T09:00:00+07:00` }
    },
    observation("l1-", "laboratory", { valueRange: twoUnits, referenceRange: [{ ...twoUnits, text: "adults" }] }),
    observation("l2-", "laboratory", { valueRange: oneUnit, referenceRange: [{ ...oneUnit, text: "adults" }] }),
    observation("l3-", "laboratory", { valueRatio: { numerator: amount(5, "mg"), denominator: amount(24, "h") } }),
    observation("l4-", "laboratory", { valueQuantity: { ...amount(5, "mg"), comparator: "<" } }),
    observation("l5-", "laboratory", { valuePeriod: { start: day, end: day } }),
    observation("x1-", "exam", {
      valueRange: twoUnits,
      note,
      bodySite: text("Arm"),
      interpretation: [text("Low")],
      component: [{ code: text("Left"), valueRange: oneUnit }, { code: text("Right"), valueQuantity: amount(5, "mm") }]
    }),
    observation("s1-", "social-history", {
      valueQuantity: amount(5, "/d"),
      component: [{ code: text("Kind"), valueRange: oneUnit }]
    }),
    {
      resourceType: "Condition",
      id: `c1-${n}`,
      ...ofVisit,
      category: [{ coding: [{ code: "problem-list-item" }] }],
      code: text("Asthma"),
      verificationStatus: { coding: [{ code: "provisional" }] },
      bodySite: [text("Lung")],
      severity: text("mild"),
      stage: [{ summary: text("II") }],
      onsetAge: year,
      abatementString: "in spring",
      note
    },
    {
      resourceType: "AllergyIntolerance",
      id: `a1-${n}`,
      patient: { reference: `Patient/p${n}` },
      code: text("Nuts"),
      criticality: "high",
      verificationStatus: { coding: [{ code: "unconfirmed" }] },
      recordedDate: "2026-01-01",
      reaction: [{
        substance: text("Walnut"),
        manifestation: [text("Rash")],
        description: "after an hour",
        severity: "mild",
        exposureRoute: text("oral"),
        note: [text("once")]
      }],
      note
    },
    {
      resourceType: "FamilyMemberHistory",
      id: `f1-${n}`,
      status: "completed",
      date: "2026-01-01",
      patient: { reference: `Patient/p${n}` },
      relationship: text("Mother"),
      deceasedAge: amount(60, "a"),
      condition: [{ code: text("Diabetes"), onsetAge: year, note }, { code: text("Gout"), onsetRange: oneUnit }],
      note
    },
    {
      resourceType: "Immunization",
      id: `i1-${n}`,
      status: "completed",
      patient: { reference: `Patient/p${n}` },
      vaccineCode: text("Measles"),
      occurrenceString: "in 1995",
      isSubpotent: true
    },
    {
      resourceType: "MedicationStatement",
      id: `s2-${n}`,
      status: "active",
      ...ofPatient,
      medicationCodeableConcept: text("Aspirin"),
      dosage: [{ text: "daily" }],
      reasonCode: [text("Pain")],
      note
    },
    {
      resourceType: "Procedure",
      id: `o1-${n}`,
      status: "completed",
      ...ofVisit,
      category: { coding: [{ system: "http://snomed.info/sct", code: "387713003" }] },
      code: text("Suture"),
      performedDateTime: at,
      bodySite: [text("Arm")],
      outcome: text("good"),
      followUp: [text("stitches out")],
      complication: [text("bleeding")],
      note
    },
    {
      resourceType: "Medication",
      id: `m1-${n}`,
      code: text("Amoxicillin"),
      form: text("Tablet"),
      ingredient: [{ strength: { numerator: amount(500, "mg"), denominator: amount(5, "mL") } }]
    },
    {
      resourceType: "MedicationRequest",
      id: `m2-${n}`,
      status: "stopped",
      intent: "order",
      ...ofVisit,
      authoredOn: at,
      medicationReference: { reference: `Medication/m1-${n}` },
      reasonCode: [text("Cough")],
      dosageInstruction: [{
        text: "after meals",
        site: text("mouth"),
        asNeededCodeableConcept: text("pain"),
        patientInstruction: "with water",
        timing: { repeat: { frequency: 1, period: 4, periodUnit: "h", boundsRange: oneUnit } },
        maxDosePerPeriod: { numerator: amount(4, "tablet"), denominator: amount(1, "d") },
        doseAndRate: [{ doseRange: twoUnits, rateRatio: { numerator: amount(10, "mL"), denominator: amount(1, "h") } }]
      }],
      dispenseRequest: { quantity: amount(20, "tablet"), numberOfRepeatsAllowed: 1 },
      note
    },
    {
      resourceType: "MedicationAdministration",
      id: `m3-${n}`,
      status: "completed",
      ...ofPatient,
      context: { reference: `Encounter/e${n}` },
      effectiveDateTime: at,
      medicationReference: { reference: `Medication/m1-${n}` },
      dosage: { text: "slowly", dose: amount(500, "mg"), rateQuantity: amount(10, "mL/h"), site: text("arm") },
      reasonCode: [text("Cough")],
      note
    },
    {
      resourceType: "ServiceRequest",
      id: `r1-${n}`,
      status: "active",
      intent: "order",
      ...ofVisit,
      category: [{ coding: [{ code: "3457005" }] }],
      code: text("Referral"),
      supportingInfo: [{ reference: `MedicationRequest/m2-${n}` }]
    },
    {
      resourceType: "CarePlan",
      id: `k1-${n}`,
      status: "active",
      intent: "plan",
      ...ofVisit,
      description: "Rest",
      activity: [{ detail: { status: "scheduled", doNotPerform: true, description: "Run", code: text("Running") } }],
      note
    },
    {
      resourceType: "ClinicalImpression",
      id: `n1-${n}`,
      status: "completed",
      ...ofVisit,
      date: at,
      description: "Seen",
      summary: "Stable",
      finding: [{ itemCodeableConcept: text("Fever"), basis: "warm skin" }],
      note
    }
  ]
}

/** Types of records that refer to each other. */
const areTogether = new Set(["Medication", "MedicationRequest", "MedicationAdministration", "ServiceRequest"])

/** Elements without which a record is a different one, or belongs to no visit. */
const kept = new Set([
  "resourceType",
  "id",
  "subject",
  "patient",
  "encounter",
  "context",
  "reference",
  "url",
  "period",
  "class"
])

/** The paths of the elements of a record. */
const pathsOf = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, child]) =>
      kept.has(name) ? [] : [[...path, name], ...pathsOf(child, [...path, name])]
    )

/** A copy of a value without the elements at some paths. */
const without = (value: unknown, paths: ReadonlyArray<ReadonlyArray<string>>): unknown => {
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).flatMap(([name, child]) => {
    const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest)
    return below.some((path) => path.length === 0) ? [] : [[name, without(child, below)] as const]
  })
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries)
}

/** Texts that begin or end with a blank or a separator, or have an empty part. */
const isBroken = (words: string): boolean =>
  /^[\s;,:|&/)-]|[\s;,:|&/(]$|\s-$|[;,:(]\s*[;,:)]|\s{2}|\s[;,)]|\(\s|undefined|null/u.test(words)

const textsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(textsIn)
    : []

describe("A text that is composed of parts", () => {
  it.effect("has no trace of a part that is missing", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const variants: Array<{ readonly type: string; readonly removed: ReadonlyArray<ReadonlyArray<string>> }> = []
      const lines: Array<string> = []
      const add = (at: number, removed: ReadonlyArray<ReadonlyArray<string>>): void => {
        const n = String(variants.length)
        const records = visitWith(n)
        variants.push({ type: String(present(records[at]).id).replace(/-?\d+$/u, ""), removed })
        const isMedicine = areTogether.has(String(records[at]?.resourceType))
        for (const [index, record] of records.entries()) {
          const isNeeded = index === at || index < 2 || (isMedicine && areTogether.has(String(record.resourceType)))
          if (isNeeded) lines.push(JSON.stringify(index === at ? without(record, removed) : record))
        }
      }
      for (const [at, record] of visitWith("").entries()) {
        const paths = pathsOf(record)
        for (const [first, path] of paths.entries()) {
          add(at, [path])
          const siblings = paths.slice(first + 1).filter((other) => other.length === path.length)
          for (const other of siblings) add(at, [other, path])
        }
      }
      const [mapping, file] = written(folder, { "m.yaml": addressed, "a.ndjson": lines.join("\n") })
      const { visits } = yield* converted([present(file)], { mapping })
      assert.isAbove(visits.length, 900)
      const broken = visits.flatMap(({ json, source }) => {
        const { removed, type } = present(variants[Number(source.replace("Encounter/e", ""))])
        return textsIn(JSON.parse(json)).filter(isBroken).map((words) =>
          `${type} ${removed.map((path) => path.join(".")).join(" ")}: ${words}`
        )
      })
      assert.deepStrictEqual(broken, [])
    }))
})
