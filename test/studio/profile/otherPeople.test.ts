import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table } from "./drafted.ts"

describe("The columns of visits", () => {
  it.effect("send no insurer and no referring doctor as the one who saw the patient", () =>
    Effect.gen(function*() {
      const insured = yield* drafted(days(8, { header: ",Insurance Provider", more: () => ",Alpha Insurance" }))
      assert.strictEqual(insured.visits[0].outpatients[0].encountered_by, null)
      const referred = yield* drafted(
        days(8, { header: ",Referring Doctor,Doctor", more: () => ",Dr Outside,Dr Inside" })
      )
      assert.strictEqual(referred.visits[0].outpatients[0].encountered_by, "Dr Inside")
    }))

  it.effect("send nothing of a relative as the patient's own", () =>
    Effect.gen(function*() {
      const { visits: [visit] } = yield* drafted({
        ...days(8),
        "patients.csv": table(
          "patient_no,surname,birth_date,sex,NOK Phone,Mother Occupation",
          8,
          (at) => `P-${at},Example,1990-04-12,F,012345678,Teacher`
        )
      })
      assert.strictEqual(visit.patient.phone, null)
      assert.strictEqual(visit.patient.occupation, null)
    }))

  it.effect("read a weight in the unit next to it, which is no department", () =>
    Effect.gen(function*() {
      const { visits: [visit] } = yield* drafted(days(8, { header: ",weight,weight_unit", more: () => ",142.5,lb" }))
      assert.isNull(visit.outpatients[0].service_type)
      assert.closeTo(visit.triages[0].weight, 64.6, 0.1)
    }))
})

describe("A duration without a unit", () => {
  it.effect("is not sent as days, and asked about", () =>
    Effect.gen(function*() {
      const { questions, visits: [visit] } = yield* drafted({
        ...days(8),
        "prescriptions.csv": table(
          "visit_no,drug_name,dose,duration,period",
          8,
          (at) => `V-${at},Amoxicillin,1,2,Weeks`
        )
      })
      assert.isNull(visit.prescriptions[0].medications[0].days)
      assert.match(questions.replaceAll(/\s+/gu, " "), /are the numbers of `\w+\.duration` days\?/u)
    }))
})
