import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

describe("A column with the name of a table in the plural", () => {
  it.effect("refers to that table, not to the bills with the same number", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted({
        "pacientes.csv": table(
          "id,apellidos,nombres,sexo,fecha_nacimiento",
          8,
          (at) => `${at},Ejemplo,Ana,F,1990-04-${two(at)}`
        ),
        "atenciones.csv": table(
          "id,paciente_id,fecha_ingreso,fecha_egreso",
          8,
          (at) => `${at},${at},2026-03-${two(at)} 08:00,2026-03-${two(at)} 09:00`
        ),
        "diagnosticos.csv": table("id,atencion_id,codigo_cie10", 16, (at) => `${at},${1 + at % 8},A0${at % 8}`),
        "facturas.csv": table("id,atencion_id,total", 8, (at) => `${at},${at},50.00`)
      })
      assert.include(mapping, "visit: {table: visit, on: atencion_id}")
      assert.notInclude(mapping, "table: facturas, on: atencion_id")
      assert.isTrue(visits.every(({ diagnosis }) => diagnosis.length === 2))
    }))
})

const visitsWith = (header: string, row: (at: number) => string) =>
  drafted({
    "visits.csv": table(`visit_no,patient_no,type,${header}`, 8, (at) => `V-${at},P-${at},OPD,${row(at)}`),
    "patients.csv": days(8)["patients.csv"]
  })

describe("The beginning and the end of a visit", () => {
  it.effect("are no dates of an insurance, a bill, a result, or a leave", () =>
    Effect.gen(function*() {
      for (
        const name of [
          "insurance_end_date",
          "Claim Closing Date",
          "Result Release Date",
          "Date Bill Completed",
          "Sick Leave To"
        ]
      ) {
        const { visits: [visit] } = yield* visitsWith(
          `admitted,${name}`,
          (at) => `2026-03-${two(at)} 08:15,2026-12-31`
        )
        assert.include(visit.discharged_at, "2026-03-01T08:15", name)
      }
    }))

  it.effect("are those of the visit date, not of another start", () =>
    Effect.gen(function*() {
      for (const name of ["policy_start_date", "Symptoms Start Date", "Registration Date", "start_date"]) {
        for (const date of ["visit_date", "Consultation Date"]) {
          const { questions, visits } = yield* visitsWith(`${name},${date}`, (at) => `2020-05-01,2026-03-${two(at)}`)
          if (visits.length > 0) assert.include(visits[0].admitted_at, "2026-03-01", name)
          assert.notInclude(questions, `Name it \`discharged_at\`:  \`${date}`)
        }
      }
    }))
})

describe("Day numbers of a spreadsheet and times of day in columns of their own", () => {
  it.effect("are read together", () =>
    Effect.gen(function*() {
      const { mapping, visits: [visit] } = yield* visitsWith(
        "VisitDate,VisitTime,OutDate,OutTime",
        (at) => `${46082 + at},08:15,${46082 + at},09:30`
      )
      assert.include(mapping, "from: [\"VisitDate\", \"VisitTime\"], format: \"excel HH:mm\"")
      assert.include(visit.admitted_at, "2026-03-02T08:15")
      assert.include(visit.discharged_at, "2026-03-02T09:30")
    }))
})
