import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const { "patients.csv": patients } = days(20)

describe("The type of a visit", () => {
  it.effect("is that of a column of types, and not of a clinic `INT` for internal medicine", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted({
        "patients.csv": patients,
        "reg_periksa.csv": table(
          "no_rawat,patient_no,kd_poli,tgl_registrasi,jam_reg,status_lanjut",
          20,
          (at) => `R-${at},P-${at},INT,2026-03-${two(at)},08:15:00,${at % 4 === 0 ? "Ranap" : "Ralan"}`
        )
      })
      assert.include(mapping, "visit_type: {from: \"status_lanjut\"}")
      assert.deepStrictEqual(
        visits.map(({ visit_type }) => visit_type),
        visits.map((_, at) => (at + 1) % 4 === 0 ? "IPD" : "OPD")
      )
    }))

  it.effect("is no emergency in a table of stays whose admissions were urgent", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "patients.csv": patients,
        "admissions.csv": table(
          "hadm_id,patient_no,admittime,dischtime,admission_type,admission_location",
          20,
          (at) => `H-${at},P-${at},2026-03-${two(at)} 08:15,2026-03-${two(at + 3)} 09:15,URGENT,EMERGENCY ROOM`
        )
      })
      assert.lengthOf(visits, 20)
      for (const { emergencies, inpatients, visit_type } of visits) {
        assert.deepStrictEqual([visit_type, emergencies.length, inpatients.length], ["IPD", 0, 1])
      }
    }))
})

describe("Visits without a column of types", () => {
  const begun = (hours: (at: number) => number) => ({
    "patients.csv": patients,
    "visits.csv": table(
      "visit_no,patient_no,begin_at,end_at",
      20,
      (at) => `V-${at},P-${at},2026-03-${two(at)} 08:15,2026-03-${two(at + Math.floor(hours(at) / 24))} 09:15`
    )
  })

  it.effect("are outpatients, unless they took more than a day: those are not sent", () =>
    Effect.gen(function*() {
      const { problems, visits } = yield* drafted(begun((at) => at % 5 === 0 ? 72 : 1))
      assert.deepStrictEqual([...new Set(visits.map(({ visit_type }) => visit_type))], ["OPD"])
      assert.lengthOf(visits, 16)
      assert.include(problems, "4 ×  missing-content")
    }))
})

describe("The number of a visit", () => {
  it.effect("is the number that bills have, also if it is short and only its name shows it", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "patients.csv": patients,
        "form_encounter.csv": table(
          "id,date,pid,encounter,class_code",
          20,
          (at) => `${at},2026-03-${two(at)} 08:15:00,P-${at},${100 + at},AMB`
        ),
        "billing.csv": ["A09", "99213"].map((code, row) =>
          table(
            row === 0 ? "id,date,code_type,code,pid,encounter,fee" : "",
            20,
            (at) =>
              `${row * 100 + at},2026-03-${two(at)} 08:30:00,${row === 0 ? "ICD10" : "CPT4"},${code},P-${at},${
                100 + at
              },${row * 75}.00`
          ).trim()
        ).join("\n")
      })
      assert.deepStrictEqual(visits.map(({ code }) => code), visits.map((_, at) => String(101 + at)))
    }))
})
