import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { loadMapping } from "../../../src/mapping/load/loadMapping.ts"
import { runs, timeout } from "../../runs.ts"
import { bothWays } from "../converted.ts"
import { opened } from "./inPartitions.ts"

afterAll(() => opened.closeAll())

/** Tables of staff and wards, which belong to no patient, and which visits and laboratory results refer to. */
const mapping = `mapping: tables
extends: csv
table:
  visit:
    column: {code: text, patient_code: text, admitted_at: timestamp, discharged_at: timestamp, doctor: text}
    link: {by: {table: staff, on: doctor}}
  patient:
    column: {code: text, surname: text, contact: text}
    link: {nurse: {table: staff, on: contact}}
  staff:
    file: staff.csv
    key: id
    column: {id: text, name: text, ward: text}
    link: {place: {table: ward, on: ward}}
  ward:
    file: ward.csv
    key: id
    column: {id: text, name: text, head: text}
    link: {chief: {table: staff, on: head}}
  lab:
    file: lab.csv
    column: {visit_code: text, patient_code: text, taken: timestamp, test: text, by: text}
    link:
      visit: {table: visit, on: visit_code}
      patient: {table: patient, on: patient_code}
      technician: {table: staff, on: by}
grouping:
  PATIENT
  window:
    lab: {patient: patient, time: taken, before: 1 hour}
key:
  record: {path: "{}", mint: R}
visit:
  patient:
    name: nurse.resolve().name
    address: {location: nurse.resolve().place.resolve().name}
  outpatients:
    forEach: "%visit"
    code: keyOf('encounter')
    name: by.resolve().place.resolve().name
    encountered_by: by.resolve().name
    title: by.resolve().place.resolve().chief.resolve().name
    service_type: {value: OPD}
    started_at: admitted_at
    ended_at: discharged_at
    created_at: admitted_at
    updated_at: discharged_at
  laboratories:
    resource: lab
    encounter_code: "%visit.keyOf('encounter')"
    request_code: test
    requested_at: taken
    requested_by: technician.resolve().name
    collected_at: taken
    collected_by: null
    title: null
    results:
      forEach: "$this"
      name: test
      category: null
      value: test
      value_type: {value: string}
      value_unit: null
      reference_range: null
      interpretation: null
      verified_at: taken
      verified_by: technician.resolve().place.resolve().chief.resolve().name
      recorded_at: taken
      recorded_by: technician.resolve().name
`

const table = (header: string, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [header, ...rows.map((row) => row.join(","))].join("\n")

const staff = fc.constantFrom("s1", "s2", "s3", "nobody", "")
const ward = fc.constantFrom("w1", "w2", "nowhere", "")
const patient = fc.constantFrom("p1", "p2", "p3", "unknown")
const visit = fc.constantFrom("v1", "v2", "v3", "v4", "")
const name = fc.constantFrom("Ann Example", "Bea Example", "")
const time = fc.integer({ min: 1, max: 4 }).map((day) => `2026-03-0${day} 08:30`)

/** The same key may occur twice, and a link may lead nowhere. */
const hospital = fc.record({
  "patient.csv": fc.array(fc.tuple(patient, name, staff), { minLength: 2, maxLength: 4 })
    .map((rows) => table("code,surname,contact", rows)),
  "visit.csv": fc.uniqueArray(fc.tuple(visit, patient, time, staff), {
    minLength: 2,
    maxLength: 6,
    selector: ([code]) => code
  })
    .map((rows) =>
      table(
        "code,patient_code,admitted_at,discharged_at,doctor",
        rows.map(([code, of, at, by]) => [code, of, at.replace("08:30", "08:00"), at.replace("08:30", "09:00"), by])
      )
    ),
  "staff.csv": fc.array(fc.tuple(fc.constantFrom("s1", "s2", "s3"), name, ward), { maxLength: 4 })
    .map((rows) => table("id,name,ward", rows)),
  "ward.csv": fc.array(fc.tuple(fc.constantFrom("w1", "w2"), name, staff), { maxLength: 3 })
    .map((rows) => table("id,name,head", rows)),
  "lab.csv": fc.array(fc.tuple(visit, patient, time, fc.constant("Platelets"), staff), { maxLength: 6 })
    .map((rows) => table("visit_code,patient_code,taken,test,by", rows))
})

const loaded = (path: string) =>
  loadMapping("tables.yaml", "mappings", { given: new Map([["tables.yaml", mapping.replace("PATIENT", path)]]) }).pipe(
    Effect.provide(NodeServices.layer)
  )

describe("Rows of a table of no patient", () => {
  it.effect("are all but those of the tables that the path to the patient leads to", () =>
    Effect.gen(function*() {
      for (
        const [path, tables] of [
          ["patient: patient", ["patient"]],
          ["patient: patient.resolve()", ["patient"]],
          ["patient: patient | by", ["patient", "staff"]],
          ["patient: iif(doctor = 's1', patient.resolve(), by.resolve())", ["patient", "staff"]],
          // The model does not define what all elements of a row refer to.
          ["patient: children().where($this = patient)", undefined]
        ] as const
      ) {
        const { checked, problems } = yield* loaded(path)
        assert.deepStrictEqual(problems.filter(({ severity }) => severity === "error"), [])
        const found = checked?.plan.grouping.patientTables
        assert.deepStrictEqual(found && [...found], tables && [...tables], path)
      }
    }))

  for (
    const [what, path] of [["a link", "patient: patient"], [
      "any expression",
      "patient: children().where($this = patient)"
    ]] as const
  ) {
    it(
      `are shared by partitions, which give the result of the whole run if the path to the patient is ${what}`,
      async () => {
        const made: Array<number> = []
        await fc.assert(
          fc.asyncProperty(hospital, (files) =>
            bothWays(files, {}, mapping.replace("PATIENT", path)).pipe(
              Effect.map(({ visits }) => {
                made.push(visits.length)
              }),
              Effect.scoped,
              Effect.runPromise
            )),
          { numRuns: runs(40) }
        )
        assert.isAbove(Math.max(...made), 2)
      },
      timeout
    )
  }
})
