import { Effect } from "effect"
import { loadMapping } from "../../../src/mapping/load/loadMapping.ts"
import { makeProfile } from "../../../src/studio/profile/makeProfile.ts"
import { Profiler } from "../../../src/studio/profile/Profiler.ts"
import { present } from "../../present.ts"
import { readText } from "../../source/readText.ts"

type Json = Readonly<Record<string, unknown>>

/** Values of people: none of them may be seen in a profile. */
export const canaries = [
  "Canaryname",
  "CANARY-PATIENT",
  "CANARY-VISIT",
  "Canary street",
  "canary says",
  "canary@x",
  "77777777"
]

/** Patients, each with a visit, a temperature under a local code, a diagnosis and a few things that people write where codes belong. */
export const hospital = (people = 4): ReadonlyArray<Json> =>
  Array.from({ length: people }, (_, at) => at + 1).flatMap((at): ReadonlyArray<Json> => [
    {
      resourceType: "Patient",
      id: `p${at}`,
      gender: at % 2 === 0 ? "female" : "male",
      birthDate: "1990-04-12",
      identifier: [
        {
          system: "http://our-hospital.example/card",
          value: `CANARY-PATIENT-CARD-${at}`,
          type: { coding: [{ code: "SS" }] }
        },
        {
          system: "http://our-hospital.example/patient",
          value: `CANARY-PATIENT-${at}`,
          type: { coding: [{ code: "MR" }] }
        },
        { system: `http://our-hospital.example/person/77777777${at}`, value: "x" }
      ],
      name: [{ family: `Canaryname${at}`, given: ["អាន"] }],
      telecom: [{ system: "phone", value: `canary@x${at}` }],
      address: [{ text: `Canary street ${at}` }],
      maritalStatus: {
        coding: [{ system: "http://our-hospital.example/status", code: `Canaryname${at}`, display: "Canaryname" }]
      }
    },
    {
      resourceType: "Encounter",
      id: `e${at}`,
      status: "finished",
      class: { system: "http://our-hospital.example/class", code: "W", display: "Ward admission" },
      identifier: [{ system: "http://our-hospital.example/visit", value: `CANARY-VISIT-${at}` }],
      subject: { reference: `Patient/p${at}` },
      participant: [{ individual: { reference: "Practitioner/gone" } }],
      period: { start: `2026-03-0${at}T08:00:00+07:00`, end: `2026-03-0${at}T09:00:00+07:00` }
    },
    {
      resourceType: "Observation",
      id: `t${at}`,
      status: "final",
      code: { coding: [{ system: "http://our-hospital.example/measure", code: "TMP", display: "Body temperature" }] },
      subject: { reference: `Patient/p${at}` },
      encounter: { reference: `Encounter/e${at}` },
      effectiveDateTime: `2026-03-0${at}T08:05:00`,
      valueQuantity: { value: 37.5, unit: "deg. C" },
      note: [{ text: `canary says ${at}` }]
    },
    {
      resourceType: "Condition",
      id: `c${at}`,
      code: {
        coding: [{ system: "http://snomed.info/sct", code: "38362002", display: "Dengue" }],
        text: `canary says ${at}`
      },
      subject: { reference: `Patient/p${at}` },
      encounter: { reference: `Encounter/e${at}` },
      recordedDate: `2026-03-0${at}`,
      [`Canaryname${at}`]: true,
      extension: [{ url: `http://our-hospital.example/person/77777777${at}`, valueString: "x" }]
    },
    {
      resourceType: "Procedure",
      id: `r${at}`,
      status: "completed",
      code: { text: "canary says" },
      subject: { reference: `Patient/p${at}` },
      performedDateTime: "2026"
    }
  ])

export const ndjson = (records: ReadonlyArray<Json>): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("")

/** The profile of records, against the base mapping. */
export const profileOf = (records: ReadonlyArray<Json>, everything = false) =>
  Effect.gen(function*() {
    const { checked } = yield* loadMapping("mappings/fhir-r4/mapping.yaml", "mappings")
    const profiler = new Profiler()
    const { items } = yield* readText(ndjson(records))
    for (const item of items) profiler.add(item)
    return makeProfile(profiler, present(checked).plan, {
      everything,
      files: 1,
      year: 2026,
      icd10: new Map([["38362002", "A90"]])
    })
  })

/** The same hospital with diagnoses in ICD-10, which need no code table. */
export const codedInIcd10 = (records: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  records.map((record) =>
    record.resourceType === "Condition"
      ? {
        ...record,
        code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code: "A90", display: "Dengue" }] }
      }
      : record
  )
