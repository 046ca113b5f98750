import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { drafted, table, two } from "./drafted.ts"

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
