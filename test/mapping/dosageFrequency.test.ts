import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { only } from "../present.ts"
import type { Json } from "../run/smallRecords.ts"
import { encounter, patient, visitOf } from "./visitOf.ts"

const request = (repeat: Json): Json => ({
  resourceType: "MedicationRequest",
  id: "m",
  status: "active",
  intent: "order",
  subject: { reference: "Patient/p1" },
  encounter: { reference: "Encounter/e1" },
  authoredOn: "2026-03-02T08:30:00+07:00",
  medicationCodeableConcept: { coding: [{ system: "urn:medicines", code: "M-1" }], text: "Paracetamol" },
  dosageInstruction: [{
    timing: { repeat: { period: 1, periodUnit: "d", ...repeat } },
    doseAndRate: [{ doseQuantity: { value: 1, unit: "tablet" } }]
  }]
})

/** The amounts of a day that a timing gives. */
const amounts = (repeat: Json) =>
  Effect.map(visitOf([patient, encounter, request(repeat)]), ({ visit }) => {
    const prescriptions: ReadonlyArray<{ readonly medications: ReadonlyArray<Json> }> = visit.prescriptions
    const { afternoon, evening, morning, night } = only(only(prescriptions).medications)
    return [morning, afternoon, evening, night]
  })

const when = ["MORN", "EVE"]

describe("The amounts of a dosage with times of the day", () => {
  it.effect("are sent if its frequency is each time once, or all of them together", () =>
    Effect.gen(function*() {
      for (const frequency of [{}, { frequency: 1 }, { frequency: 2 }, { frequency: 2, frequencyMax: 2 }]) {
        assert.deepStrictEqual(yield* amounts({ when, ...frequency }), [1, null, 1, null], JSON.stringify(frequency))
      }
    }))

  it.effect("are not sent if it is taken at another number of times, or a number between two", () =>
    Effect.gen(function*() {
      for (
        const frequency of [{ frequency: 3 }, { frequency: 1, frequencyMax: 2 }, { frequency: 2, frequencyMax: 3 }]
      ) {
        assert.deepStrictEqual(
          yield* amounts({ when, ...frequency }),
          [null, null, null, null],
          JSON.stringify(frequency)
        )
      }
    }))
})
