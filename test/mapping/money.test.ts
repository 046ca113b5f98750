import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "../run/smallRecords.ts"
import { encounter, patient, visitOf } from "./visitOf.ts"

const ours = "https://fhir2visit.example/fhir"

const charge = (id: string, kind: "medications" | "services", quantity: number): Json => ({
  resourceType: "ChargeItem",
  id,
  status: "billed",
  subject: { reference: "Patient/p1" },
  code: { coding: [{ system: `${ours}/CodeSystem/${kind}`, code: id, display: id }] },
  quantity: { value: quantity, unit: "piece" }
})

const invoice = (
  id: string,
  total: number | undefined,
  lines: Readonly<Record<string, number>>,
  more: Partial<Json> = {}
): Json => ({
  resourceType: "Invoice",
  id,
  status: "balanced",
  subject: { reference: "Patient/p1" },
  date: "2026-03-02T08:58:00+07:00",
  extension: [{ url: `${ours}/StructureDefinition/encounter`, valueReference: { reference: "Encounter/e1" } }],
  ...(total === undefined ? {} : { totalNet: { value: total } }),
  lineItem: Object.entries(lines).map(([item, value]) => ({
    chargeItemReference: { reference: `ChargeItem/${item}` },
    priceComponent: [{ type: "base", amount: { value } }]
  })),
  ...more
})

const decisionsOf = (records: ReadonlyArray<Json>, overlay = "") =>
  visitOf([patient, encounter, ...records], overlay).pipe(Effect.map((result) => ({
    ...result,
    errors: result.reported.filter((one) => one.startsWith("error assumption"))
  })))

describe("The base price of an invoice line with a quantity", () => {
  const tablets = charge("tablet", "medications", 56)

  it.effect("is not guessed: without a total that decides, the visit is not sent", () =>
    Effect.gen(function*() {
      const open = ["error assumption invoices[0].medications[0].price"]
      assert.deepStrictEqual((yield* decisionsOf([tablets, invoice("i", undefined, { tablet: 100 })])).errors, open)
      assert.deepStrictEqual((yield* decisionsOf([tablets, invoice("i", 7000, { tablet: 100 })])).errors, open)
      assert.deepStrictEqual((yield* decisionsOf([tablets, invoice("i", 5600, { tablet: 100 })])).errors, [])
      assert.deepStrictEqual((yield* decisionsOf([tablets, invoice("i", 5600, { tablet: 5600 })])).errors, [])
    }))

  for (
    const [reading, price, payment] of [["piece", 100, 5600], ["line", null, 100]] as const
  ) {
    it.effect(`can be declared as that of one ${reading}`, () =>
      Effect.gen(function*() {
        const overlay = `function: {priceReading: "'${reading}'"}\n`
        const { errors, visit } = yield* decisionsOf([tablets, invoice("i", 7000, { tablet: 100 })], overlay)
        assert.deepStrictEqual(errors, [])
        const [sent] = visit.invoices[0].medications
        assert.deepStrictEqual([sent.price, sent.payment], [price, payment])
      }))
  }

  it.effect("can be sent as the price of the line", () =>
    Effect.gen(function*() {
      const overlay = "function: {isPriceOfLine: \"false\"}\n"
      const { visit } = yield* decisionsOf([tablets, invoice("i", 5600, { tablet: 5600 })], overlay)
      assert.strictEqual(visit.invoices[0].medications[0].price, 5600)
    }))

  it.effect("makes no difference for a quantity of one, and none without a quantity", () =>
    Effect.gen(function*() {
      const { quantity: _, ...without } = tablets
      for (const item of [charge("tablet", "medications", 1), without]) {
        const { errors, visit } = yield* decisionsOf([item, invoice("i", 7000, { tablet: 100 })])
        assert.deepStrictEqual(errors, [])
        assert.strictEqual(visit.invoices[0].medications[0].payment, 100)
      }
    }))
})

describe("A ChargeItem of the visit that no invoice line has", () => {
  const inVisit = (one: Json): Json => ({ ...one, context: { reference: "Encounter/e1" } })
  const bed = inVisit(charge("bed", "services", 1))
  const meal = inVisit(charge("meal", "services", 1))

  for (
    const [what, records, isReported] of [
      ["is reported next to others that lines have", [bed, meal, invoice("i", 9, { bed: 9 })], true],
      [
        "is another form of the same charges if no line has one",
        [meal, invoice("i", 9, {}, { lineItem: [{}] })],
        false
      ],
      ["is not reported if its line is sent", [bed, meal, invoice("i", 18, { bed: 9, meal: 9 })], false]
    ] as const
  ) {
    it.effect(what, () =>
      Effect.gen(function*() {
        const { reported } = yield* decisionsOf(records)
        assert.strictEqual(reported.some((one) => one.startsWith("warning unused-record")), isReported)
      }))
  }
})

describe("A ChargeItem on several invoice lines", () => {
  const visitWith = (...records: ReadonlyArray<Json>) => decisionsOf([charge("bed", "services", 1), ...records])
  const twice = /^error assumption invoices\[\d\]\.services\[0\]\.invoice_code$/u

  it.effect("is not sent before a person decides: it would be paid twice", () =>
    Effect.gen(function*() {
      const both = yield* visitWith(invoice("i", 9, { bed: 9 }), invoice("j", 9, { bed: 9 }))
      assert.match(both.errors.join(), twice)
      const line = { chargeItemReference: { reference: "ChargeItem/bed" } }
      const repeated = yield* visitWith(invoice("i", 9, {}, { lineItem: [line, line] }))
      assert.match(repeated.errors.join(), twice)
    }))

  it.effect("is found in another visit of the run, too", () =>
    Effect.gen(function*() {
      const later = {
        ...encounter,
        id: "e2",
        period: { start: "2026-03-09T08:00:00+07:00", end: "2026-03-09T09:00:00+07:00" }
      }
      const again = invoice("j", 9, { bed: 9 }, {
        extension: [{ url: `${ours}/StructureDefinition/encounter`, valueReference: { reference: "Encounter/e2" } }]
      })
      const { assumedByVisit } = yield* visitWith(invoice("i", 9, { bed: 9 }), later, again)
      assert.deepStrictEqual(
        assumedByVisit.map((all) => JSON.stringify(all).includes("charge-is-on-several-lines")),
        [true, true]
      )
    }))

  it.effect("is sent if the other invoice is cancelled", () =>
    Effect.gen(function*() {
      const { errors } = yield* visitWith(
        invoice("i", 9, { bed: 9 }),
        invoice("j", 9, { bed: 9 }, { status: "cancelled" })
      )
      assert.deepStrictEqual(errors, [])
    }))
})

describe("A claim for encounters of two visits", () => {
  it.effect("is not sent with the total of both", () =>
    Effect.gen(function*() {
      const line = (sequence: number, id: string, value: number): Json => ({
        sequence,
        encounter: [{ reference: `Encounter/${id}` }],
        productOrService: { coding: [{ code: `S${sequence}`, display: "Example" }] },
        net: { value }
      })
      const later = {
        ...encounter,
        id: "e2",
        period: { start: "2026-03-05T08:00:00+07:00", end: "2026-03-05T09:00:00+07:00" }
      }
      const claim = {
        resourceType: "Claim",
        id: "c1",
        status: "active",
        use: "claim",
        patient: { reference: "Patient/p1" },
        created: "2026-03-05T09:00:00+07:00",
        insurance: [],
        item: [line(1, "e1", 10), line(2, "e2", 20)],
        total: { value: 30 }
      }
      const enabled = "visit: {invoices: {unionAll: {claim: {enabled: true}}}}\n"
      const { errors } = yield* decisionsOf([later, claim], enabled)
      assert.deepStrictEqual(errors, ["error assumption invoices[0].services"])
    }))
})
