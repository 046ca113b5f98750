import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect } from "effect"
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FacilityCode } from "../../src/visit/values/Code.ts"
import { addsUp, converted, temporaryFolder } from "../run/converted.ts"
import { sharedData } from "../sharedData.ts"

// Eighteen tables of synthetic records in a folder next to the project. Without the folder this is skipped.
const folder = join(sharedData, "csv-synthea-27")

type Row = Readonly<Record<string, string>>
type Loose = Readonly<Record<string, unknown>>

const table = (name: string): ReadonlyArray<Row> => parse(readFileSync(join(folder, `${name}.csv`)), { columns: true })

const listOf = (holder: Loose, name: string): ReadonlyArray<Loose> => {
  const list = holder[name]
  if (!Array.isArray(list)) throw new Error(`${name} is no list`)
  return list
}

/** An amount in cents, from its digits. */
const cents = (amount: unknown): number => Math.round(Number(amount) * 100)

describe.skipIf(!existsSync(folder))("mappings/csv-synthea reads the eighteen tables", () => {
  it.effect(
    "makes each encounter a ready visit or gives one reason, keeps its links, and keeps the sums",
    () =>
      Effect.gen(function*() {
        const conversion = yield* converted([`${folder}/*.csv`], {
          mapping: "mappings/csv-synthea/mapping.yaml",
          facility: FacilityCode("HF-US-01"),
          zone: "America/New_York"
        })
        const encounters = table("encounters")
        const { totals, visits } = conversion
        assert.strictEqual(visits.length, encounters.length)
        assert.isTrue(addsUp(conversion))
        assert.strictEqual(conversion.unreadable, 0)

        // The service accepts one visit of a patient for each admission time, so the second of two simultaneous encounters is rejected.
        const times = encounters.map(({ PATIENT, START }) => `${PATIENT} ${START}`)
        const together = times.length - new Set(times).size
        const rejected = visits.filter(({ ready }) => !ready)
        assert.strictEqual(rejected.length, together)
        for (const { problems } of rejected) {
          const errors = problems.filter(({ severity }) => severity === "error").map(({ code }) => code)
          assert.deepStrictEqual(errors, ["same-admission-time"])
        }

        const all = visits.map(({ json }): Loose => JSON.parse(json))
        const rows = (section: string, list?: string): ReadonlyArray<Loose> =>
          all.flatMap((visit) => listOf(visit, section)).flatMap((
            row
          ) => (list === undefined ? [row] : listOf(row, list)))
        assert.strictEqual(
          all.reduce(
            (sum, visit) =>
              sum + ["outpatients", "inpatients", "emergencies"].reduce((n, list) => n + listOf(visit, list).length, 0),
            0
          ),
          encounters.length
        )
        // Findings, such as a job, are not diagnoses, unless the code table has a row for them.
        const disorders = table("conditions").filter(({ DESCRIPTION = "" }) =>
          !/\((?:finding|situation|person)\)$/u.test(DESCRIPTION)
        )
        assert.isAtLeast(rows("diagnosis").length, disorders.length)
        assert.isBelow(rows("diagnosis").length, table("conditions").length)
        assert.strictEqual(rows("prescriptions", "medications").length, table("medications").length)
        assert.strictEqual(rows("invoices").length, table("claims").length)

        const charges = table("claims_transactions").filter(({ TYPE }) => TYPE === "CHARGE")
        const lines = [...rows("invoices", "services"), ...rows("invoices", "medications")]
        assert.strictEqual(lines.length, charges.length)
        const charged = charges.reduce((sum, { AMOUNT }) => sum + cents(AMOUNT), 0)
        assert.strictEqual(lines.reduce((sum, { payment }) => sum + cents(payment), 0), charged)
        assert.strictEqual(rows("invoices").reduce((sum, { total }) => sum + cents(total), 0), charged)
        assert.isEmpty(visits.flatMap(({ problems }) => problems).filter(({ code }) => code === "sum-differs"))

        // Each procedure is a service on an invoice. Surgery is also sent as surgery.
        const services = new Set(lines.map(({ service_code }) => service_code))
        for (const { CODE } of table("procedures")) assert.isTrue(services.has(CODE), CODE)
        assert.isAbove(rows("surgeries").length, 0)

        const observations = table("observations").filter(({ ENCOUNTER }) => ENCOUNTER !== "")
        const measured = rows("vital_signs", "observations").length + rows("physical_examinations").length +
          rows("triages").reduce(
            (sum, { height, weight }) => sum + Number(height !== null) + Number(weight !== null),
            0
          )
        const results = rows("laboratories", "results")
        const surveys = rows("medical_histories").filter(({ name }) => name === "Survey").flatMap(({ value }) => value)
        assert.strictEqual(measured + results.length + surveys.length, observations.length)
        const laboratory = observations.filter(({ CATEGORY }) => CATEGORY === "laboratory")
        assert.sameMembers(
          results.map(({ value }) => String(value)),
          laboratory.map(({ VALUE }) => String(Number.isNaN(Number(VALUE)) ? VALUE : Number(VALUE)))
        )

        // Population scores refer to no encounter. All other rows are in visits.
        assert.strictEqual(totals.rejectedRecords.length, table("observations").length - observations.length)
        for (const { origin, problems } of totals.rejectedRecords) {
          assert.deepStrictEqual(problems.map(({ code }) => code), ["no-encounter"])
          assert.match(origin.file, /observations\.csv$/u)
        }
        // No value is read from transfers between payers, or from procedures whose codes only decide the category of a charge.
        const unread = [
          "payer_transition",
          "provider",
          "organization",
          "payer",
          "supply",
          "device",
          "claim_line",
          "condition",
          "procedure"
        ]
        assert.sameMembers([...totals.unused.keys()], unread)
      })
  )

  it.effect("sends the price of a service for all of its pieces, by an assumption", () =>
    Effect.gen(function*() {
      const input = yield* temporaryFolder
      cpSync(folder, input, { recursive: true })
      const [header = "", ...lines] = readFileSync(join(folder, "claims_transactions.csv"), "utf8").split("\n")
      const at = (name: string): number => header.trim().split(",").indexOf(name)
      const changed = lines.map((line) => {
        const cells = line.split(",")
        if (cells[at("TYPE")] !== "CHARGE") return line
        return cells.with(at("UNITS"), "2").with(at("AMOUNT"), String(2 * Number(cells[at("UNITAMOUNT")]))).join(",")
      })
      writeFileSync(join(input, "claims_transactions.csv"), [header, ...changed].join("\n"))
      const { visits } = yield* converted([`${input}/*.csv`], {
        mapping: "mappings/csv-synthea/mapping.yaml",
        facility: FacilityCode("HF-US-01"),
        zone: "America/New_York"
      })
      const services = visits.flatMap(({ json }) =>
        listOf(JSON.parse(json), "invoices").flatMap((one) => listOf(one, "services"))
      )
      assert.isNotEmpty(services)
      for (const { payment, price } of services) assert.strictEqual(price, payment)
    }))
})
