import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "../run/smallRecords.ts"
import { encounter, patient, visitOf } from "./visitOf.ts"

const ours = "https://fhir2visit.example/fhir"
const of = { subject: { reference: "Patient/p1" } }

const coding = (code: string, display?: string, kind = "medications") => ({
  system: `${ours}/CodeSystem/${kind}`,
  code,
  ...(display === undefined ? {} : { display })
})

const request = (id: string, more: Partial<Json> = {}): Json => ({
  resourceType: "MedicationRequest",
  id,
  status: "active",
  intent: "order",
  ...of,
  encounter: { reference: "Encounter/e1" },
  authoredOn: "2026-03-02T08:15:00+07:00",
  groupIdentifier: { system: "http://example.org/rx", value: "RX" },
  medicationCodeableConcept: { coding: [coding(id, `Medicine ${id}`)] },
  ...more
})

const administration = (id: string, more: Partial<Json> = {}): Json => ({
  resourceType: "MedicationAdministration",
  id,
  status: "completed",
  ...of,
  context: { reference: "Encounter/e1" },
  request: { reference: "MedicationRequest/r" },
  effectiveDateTime: "2026-03-02T08:30:00+07:00",
  medicationCodeableConcept: { coding: [coding("CEF", "Ceftriaxone")] },
  dosage: { route: { text: "Intravenous" }, dose: { value: 1, unit: "g" } },
  ...more
})

const dispense = (id: string, whenHandedOver: string): Json => ({
  resourceType: "MedicationDispense",
  id,
  status: "completed",
  ...of,
  identifier: [{ system: `${ours}/NamingSystem/record-code/dispense`, value: "D" }],
  context: { reference: "Encounter/e1" },
  whenHandedOver,
  medicationCodeableConcept: { coding: [coding(id, `Medicine ${id}`)] }
})

const sent = (records: ReadonlyArray<Json>, overlay = "") =>
  visitOf([patient, encounter, ...records], overlay).pipe(Effect.map(({ reported, visit }) => ({
    visit,
    rows: visit.prescriptions.map((
      { code, medications, prescribed_at }: {
        readonly code: string
        readonly medications: ReadonlyArray<{ readonly code: string }>
        readonly prescribed_at: string
      }
    ) => [prescribed_at.slice(0, 16), code, ...medications.map((one) => one.code)].join(" ")),
    medicines: visit.prescriptions.flatMap((
      { medications }: {
        readonly medications: ReadonlyArray<{ readonly code: string; readonly medicine_name: string }>
      }
    ) => medications.map(({ code, medicine_name }) => `${code} ${medicine_name}`)).toSorted(),
    decisions: reported.filter((one) => / (?:assumption prescriptions|assumption invoices|duplicate-code)/u.test(one))
  })))

describe("Administrations of one order are one row", () => {
  const rowsOf = (more: Partial<Json>) =>
    sent([administration("a"), administration("b", more)]).pipe(Effect.map(({ rows }) => rows.length))

  it.effect("if they are of the same medicine", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* rowsOf({ effectiveDateTime: "2026-03-02T08:50:00+07:00" }), 1)
    }))

  for (
    const [what, more] of Object.entries({
      medicine: { medicationCodeableConcept: { coding: [coding("MORPH", "Morphine")] } },
      "name under one code": { medicationCodeableConcept: { coding: [coding("CEF", "Ceftriaxone")], text: "Other" } },
      strength: { extension: [{ url: `${ours}/StructureDefinition/strength`, valueString: "250 mg" }] },
      route: { dosage: { route: { text: "Intramuscular" }, dose: { value: 1, unit: "g" } } },
      unit: { dosage: { route: { text: "Intravenous" }, dose: { value: 1, unit: "vial" } } }
    })
  ) {
    it.effect(`and several if they differ in ${what}`, () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* rowsOf(more), 2)
      }))
  }
})

describe("Medicines with one number", () => {
  it.effect("are one prescription of one time; the earliest of several is sent and reported", () =>
    Effect.gen(function*() {
      const one = yield* sent([request("A"), request("B")])
      assert.deepStrictEqual(one.rows, ["2026-03-02T08:15 RX A B"])
      assert.deepStrictEqual(one.decisions, [])
      const two = yield* sent([request("A"), request("B", { authoredOn: "2026-03-02T08:05:00+07:00" })])
      assert.deepStrictEqual(two.rows, ["2026-03-02T08:05 RX A B"])
      assert.deepStrictEqual(two.decisions, ["warning assumption prescriptions[0].code"])
    }))

  it.effect("are one dispense of one time; the earliest of several is sent and reported", () =>
    Effect.gen(function*() {
      const records = [dispense("A", "2026-03-02T08:50:00+07:00"), dispense("B", "2026-03-02T08:40:00+07:00")]
      const { decisions, rows } = yield* sent(records)
      assert.deepStrictEqual(rows, ["2026-03-02T08:40 D A B"])
      assert.include(decisions, "warning assumption prescriptions[0].code")
    }))

  it.effect("can be sent in a row for each time", () =>
    Effect.gen(function*() {
      const overlay = "visit: {prescriptions: {unionAll: {dispense: {groupBy: {after: [whenHandedOver.toString()]}},"
        + " prescription: {groupBy: {after: [authoredOn.toString()]}}}}}\n"
      const { rows } = yield* sent([
        request("A"),
        request("B", { authoredOn: "2026-03-02T08:05:00+07:00" }),
        dispense("A", "2026-03-02T08:50:00+07:00"),
        dispense("B", "2026-03-02T08:40:00+07:00")
      ], overlay)
      assert.deepStrictEqual(rows, [
        "2026-03-02T08:05 RX B",
        "2026-03-02T08:15 RX A",
        "2026-03-02T08:40 D B",
        "2026-03-02T08:50 D A"
      ])
    }))

  it.effect("are different prescriptions if the numbers are of different systems", () =>
    Effect.gen(function*() {
      const other = { groupIdentifier: { system: "http://example.org/other", value: "RX" } }
      const { decisions, rows } = yield* sent([request("A"), request("B", other)])
      assert.deepStrictEqual(rows, ["2026-03-02T08:15 RX A", "2026-03-02T08:15 RX B"])
      assert.deepStrictEqual(decisions, ["warning duplicate-code prescriptions[1].code"])
    }))
})

describe("The code and the name of a medicine", () => {
  const medicineOf = (concept: object) => sent([request("r", { medicationCodeableConcept: concept })])

  it.effect("are those of one coding", () =>
    Effect.gen(function*() {
      const atc = { system: "http://www.whocc.no/atc", code: "N02BE01", display: "paracetamol" }
      const own = coding("PARA", "Paracetamol 500 mg")
      assert.deepStrictEqual((yield* medicineOf({ coding: [atc, own] })).medicines, ["PARA Paracetamol 500 mg"])
      const withText = yield* medicineOf({ coding: [atc, own], text: "Paracetamol tablet" })
      assert.deepStrictEqual(withText.medicines, ["PARA Paracetamol tablet"])
      assert.deepStrictEqual((yield* medicineOf({ coding: [atc, coding("PARA")] })).medicines, ["PARA paracetamol"])
    }))

  it.effect("are an error if there are several codes, and never a code with the name of another", () =>
    Effect.gen(function*() {
      const both = { coding: [coding("MORPH", "Morphine"), coding("PARA", "Paracetamol")], text: "Paracetamol" }
      const { decisions, medicines } = yield* medicineOf(both)
      assert.deepStrictEqual(medicines, ["MORPH Morphine"])
      assert.deepStrictEqual(decisions, ["error assumption prescriptions[0].medications[0].code"])
      const nameless = yield* medicineOf({ coding: [coding("MORPH"), coding("PARA")], text: "Paracetamol" })
      assert.deepStrictEqual(nameless.medicines, ["MORPH MORPH"])
      const local = yield* medicineOf({ coding: [{ code: "1", display: "One" }, { code: "2", display: "Two" }] })
      assert.deepStrictEqual(local.medicines, ["1 One"])
      assert.include(local.decisions, "error assumption prescriptions[0].medications[0].code")
      const repeated = yield* medicineOf({ coding: [coding("PARA", "Paracetamol"), coding("PARA", "Acetaminophen")] })
      assert.deepStrictEqual(repeated.decisions, [])
    }))

  it.effect("of a service are those of one coding, and several codes are reported", () =>
    Effect.gen(function*() {
      const { decisions, visit } = yield* sent([{
        resourceType: "Invoice",
        id: "i",
        status: "balanced",
        ...of,
        date: "2026-03-02T08:58:00+07:00",
        totalNet: { value: 9 },
        extension: [{ url: `${ours}/StructureDefinition/encounter`, valueReference: { reference: "Encounter/e1" } }],
        lineItem: [{
          chargeItemCodeableConcept: {
            coding: [coding("CT", "CT scan", "services"), coding("US", "Ultrasound", "services")],
            text: "Ultrasound"
          },
          priceComponent: [{ type: "base", amount: { value: 9 } }, { type: "discount", amount: { value: 0 } }]
        }]
      }])
      const [{ service_code, service_name }] = visit.invoices[0].services
      assert.deepStrictEqual([service_code, service_name], ["CT", "CT scan"])
      assert.deepStrictEqual(decisions, ["warning assumption invoices[0].services[0].service_code"])
    }))
})

describe("A medicine that is not in the input", () => {
  const missing = { reference: "Medication/none", display: "Warfarin 5 mg" }
  const statement = (medicationReference: object): Json => ({
    resourceType: "MedicationStatement",
    id: "s",
    status: "active",
    ...of,
    effectivePeriod: { start: "2026-01-01" },
    dosage: [{ text: "once a day" }],
    medicationReference
  })

  it.effect("has the name of its reference among the current medicines", () =>
    Effect.gen(function*() {
      const { visit } = yield* sent([statement(missing)])
      assert.deepStrictEqual(visit.medical_histories[0].value, ["Warfarin 5 mg - once a day"])
    }))

  it.effect("is left out of them without a name, and reported", () =>
    Effect.gen(function*() {
      const { assumed, visit } = yield* visitOf([patient, encounter, statement({ reference: "Medication/none" })])
      assert.deepStrictEqual(visit.medical_histories, [])
      assert.include(JSON.stringify(assumed), "medicine-without-name-is-left-out")
    }))

  it.effect("has the name of its reference in a referral", () =>
    Effect.gen(function*() {
      const { medicationCodeableConcept: _, ...prescribed } = request("r", { medicationReference: missing })
      const { visit } = yield* sent([prescribed, {
        resourceType: "ServiceRequest",
        id: "q",
        status: "active",
        intent: "order",
        ...of,
        encounter: { reference: "Encounter/e1" },
        category: [{ coding: [{ code: "3457005" }] }],
        authoredOn: "2026-03-02T08:50:00+07:00",
        supportingInfo: [{ reference: "MedicationRequest/r" }]
      }])
      assert.strictEqual(visit.referrals.referred_to.medications, "Warfarin 5 mg")
    }))
})
