import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../src/at.ts"
import { converted, temporaryFolder, written } from "../run/converted.ts"
import { encounter, patient } from "./visitOf.ts"

const identifier = [{ system: "http://hospital.example/order", value: "1" }]
const records = [
  { ...patient, identifier: [{ system: "http://hospital.example/patient", value: "P-1" }] },
  encounter,
  { resourceType: "Organization", id: "h", name: "District Example" },
  {
    resourceType: "ServiceRequest",
    id: "s",
    identifier,
    status: "active",
    intent: "order",
    category: [{ coding: [{ system: "http://snomed.info/sct", code: "3457005" }] }],
    subject: { reference: "Patient/p1" },
    encounter: { reference: "Encounter/e1" },
    performer: [{ reference: "Organization/h" }]
  }
]

describe("The help for a missing code", () => {
  it.effect("names the identifiers of the record that has the code, and not of the one that refers to it", () =>
    Effect.gen(function*() {
      const inputs = written(yield* temporaryFolder, {
        "a.ndjson": records.map((one) => JSON.stringify(one)).join("\n")
      })
      const { problems } = at((yield* converted(inputs)).visits, 0)
      const help = (field: string) => problems.find((problem) => problem.field === field)?.help?.join("\n") ?? ""
      assert.include(help("patient_code"), "constant: {patient_code_system: \"http://hospital.example/patient\"}")
      assert.notInclude(help("referrals.referred_to.health_facility.code"), "http://hospital.example/order")
      assert.include(help("referrals.referred_to.health_facility.code"), "PATH")
    }))
})
