import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { drafted, table, two } from "./drafted.ts"

describe("A table of visits with the birth dates of the patients", () => {
  it.effect("has the visits, although a table of their parts has beginnings and no name of a part", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "adm.csv": table(
          "VisitID,PatientID,LastName,FirstName,BirthDate,Sex,AdmitDateTime,DischargeDateTime,Class",
          7,
          (at) => `V-${at},P-${at % 6},Example,Ann,1990-04-12,F,2026-03-${two(at)} 08:15,2026-03-${two(at)} 09:15,OPD`
        ),
        "rx_main.csv": table(
          "RxID,VisitID,DrugName,StartDateTime,StopDateTime",
          7,
          (at) => `R-${at},V-${at},Amoxicillin,2026-03-${two(at)} 08:30,2026-03-${two(at)} 20:30`
        )
      })
      assert.deepStrictEqual(
        visits.map(({ admitted_at, code, patient_code }) => [code, patient_code, admitted_at]).toSorted(),
        [1, 2, 3, 4, 5, 6, 7].map((at) => [`V-${at}`, `P-${at % 6}`, `2026-03-0${at}T08:15:00.000+07:00`])
      )
    }))
})
