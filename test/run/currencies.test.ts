import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { present } from "../present.ts"
import { csvFiles } from "../roundtrip/csvFiles.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"
import { addressed, bothWays, converted, mappingFile, temporaryFolder, written } from "./converted.ts"

const records = (currencies: ReadonlyArray<string | undefined>): string =>
  [
    {
      resourceType: "Patient",
      id: "p1",
      gender: "female",
      birthDate: "1990-04-12",
      name: [{ family: "Sample", given: ["Ratana"] }],
      identifier: ["patient-code", "spid"].map((name) => ({
        system: `https://fhir2visit.example/fhir/NamingSystem/${name}`,
        value: "P-1"
      }))
    },
    ...currencies.flatMap((currency, index) => [
      {
        resourceType: "Encounter",
        id: `e${index + 1}`,
        status: "finished",
        class: { code: "AMB" },
        subject: { reference: "Patient/p1" },
        period: { start: `2026-03-0${index + 1}T08:00:00+07:00`, end: `2026-03-0${index + 1}T09:00:00+07:00` }
      },
      {
        resourceType: "Invoice",
        id: `i${index + 1}`,
        status: "issued",
        subject: { reference: "Patient/p1" },
        date: `2026-03-0${index + 1}T09:00:00+07:00`,
        extension: [{
          url: "https://fhir2visit.example/fhir/StructureDefinition/encounter",
          valueReference: { reference: `Encounter/e${index + 1}` }
        }],
        totalNet: { value: 5, ...(currency === undefined ? {} : { currency }) }
      }
    ])
  ].map((record) => `${JSON.stringify(record)}\n`).join("")

/** The ready visits of invoices in some currencies, which do not depend on partitions. */
const ready = (currencies: ReadonlyArray<string | undefined>, allowed?: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const inputs = written(folder, { "a.ndjson": records(currencies) })
    const settings = {
      mapping: mappingFile(addressed),
      validation: allowed === undefined ? {} : { currencies: allowed }
    }
    const whole = yield* converted(inputs, settings)
    const cut = yield* converted(inputs, {
      ...settings,
      memoryLimits: { maxInMemoryBytes: 0, partitionBytes: 1, workers: 0, helps: false }
    })
    assert.deepStrictEqual(cut.visits, whole.visits)
    return whole.visits.map(({ problems }) => !problems.some(({ code }) => code === "other-currency"))
  })

describe("§2.6 Invoice: there is no field for a currency", () => {
  it.effect("rejects a visit with another currency than that of the run", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* ready(["KHR", "KHR", "USD", "KHR"]), [true, true, false, true])
      assert.deepStrictEqual(yield* ready([undefined, "USD", undefined, "KHR"]), [true, true, true, false])
      assert.deepStrictEqual(yield* ready([undefined, undefined]), [true, true])
    }))

  it.effect("accepts the currencies of the settings", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* ready(["USD", "KHR"], ["KHR"]), [false, true])
      assert.deepStrictEqual(yield* ready(["USD", "KHR", undefined], ["KHR", "USD"]), [true, true, true])
    }))

  it.effect("does not count the currency of a visit that another visit blocks", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping, ...inputs] = written(folder, {
        "mapping.yaml": addressed,
        "a.ndjson": records([undefined, "KHR", "USD"]).replace("2026-03-02T08:00", "2026-03-01T08:00")
      })
      const { visits } = yield* converted(inputs, { mapping })
      const problems = new Set(["same-admission-time", "other-currency"])
      assert.sameDeepMembers(
        visits.map((visit) => visit.problems.map(({ code }) => code).filter((code) => problems.has(code))),
        [[], ["same-admission-time"], []]
      )
    }))

  it.effect("requires one currency for the charges of one invoice", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const charge = (id: string, currency: string) => ({
        resourceType: "ChargeItem",
        id,
        status: "billed",
        subject: { reference: "Patient/p1" },
        context: { reference: "Encounter/e1" },
        code: { coding: [{ code: "S1", display: "Sample" }] },
        occurrenceDateTime: "2026-03-01T08:30:00+07:00",
        priceOverride: { value: 5, currency }
      })
      const [mapping, ...inputs] = written(folder, {
        "mapping.yaml": `${addressed}  invoices: {unionAll: {charge: {enabled: true}}}\n`,
        "a.ndjson": records([undefined]).replace("issued", "cancelled") +
          [charge("c1", "KHR"), charge("c2", "USD")].map((one) => JSON.stringify(one)).join("\n")
      })
      const { visits } = yield* converted(inputs, { mapping })
      assert.isTrue(visits[0]?.problems.some(({ code }) => code === "other-currency"))
    }))
})

/** Whether the visit of an extract is ready. The columns of its totals and payments declare signs, and its bills can state a currency. */
const isReady = (total: string, payment: string, { allowed, stated }: {
  readonly allowed?: ReadonlyArray<string>
  readonly stated?: string
} = {}) =>
  Effect.gen(function*() {
    const extract = csvFiles([exampleVisit])
    const bills = present(extract.get("invoices.csv")).trimEnd().split("\n")
    const files = stated === undefined
      ? Object.fromEntries(extract)
      : {
        ...Object.fromEntries(extract),
        "invoices.csv": bills.map((line, at) => `${line},${at === 0 ? "currency" : stated}\n`).join("")
      }
    const currency = (sign: string) => `{type: decimal, currency: ["${sign}", ""]}`
    const { visits } = yield* bothWays(
      files,
      allowed === undefined ? {} : { currencies: allowed },
      `mapping: example
extends: csv
table:
  invoices: {column: {currency: {optional: true}, total: ${currency(total)}}}
  invoices_services: {column: {payment: ${currency(payment)}}}
`
    )
    return visits.map(({ problems, ready }) => ready && !problems.some(({ code }) => code === "other-currency"))
  })

describe("The sign of a currency that a column of a table declares", () => {
  it.effect("is the currency of its rows", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* isReady("$", "$"), [true])
      assert.deepStrictEqual(yield* isReady("$", "KHR"), [false])
      assert.deepStrictEqual(yield* isReady("$", "KHR", { allowed: ["$", "KHR"] }), [true])
      assert.deepStrictEqual(yield* isReady("$", "$", { allowed: ["KHR"] }), [false])
      assert.deepStrictEqual(yield* isReady("", "", { allowed: ["KHR"] }), [true])
    }))

  it.effect("counts less than a column that is called currency", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* isReady("$", "USD", { stated: "USD" }), [true])
      assert.deepStrictEqual(yield* isReady("USD", "USD", { stated: "KHR" }), [false])
    }))
})
