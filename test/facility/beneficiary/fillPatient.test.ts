import { assert, describe, it } from "@effect/vitest"
import { at } from "../../../src/at.ts"
import { type KnownBeneficiary, knownOf } from "../../../src/facility/beneficiary/Beneficiary.ts"
import { cardNumbers, fillPatient, hasGap } from "../../../src/facility/beneficiary/fillPatient.ts"
import { type FillableField, fillableFields } from "../../../src/facility/Facility.ts"
import { fromText } from "../../../src/json/Decimal.ts"
import { type JsonObject, jsonObjectOf, jsonObjectsIn } from "../../../src/json/JsonObject.ts"
import { encodeVisit } from "../../../src/visit/encode.ts"
import { validateVisit } from "../../../src/visit/validateVisit.ts"
import { PatientCode } from "../../../src/visit/values/Code.ts"
import { exampleVisit } from "../../visit/exampleVisit.ts"

const known: KnownBeneficiary = {
  patientCode: exampleVisit.patient_code,
  spid: "SP-7",
  cards: [
    { number: at(exampleVisit.patient.identifications, 0).card_code, type: "Benefit Card" },
    { number: "C-2", type: "Voucher Card" },
    { number: "C-3", type: null }
  ],
  showsCard: true,
  sex: exampleVisit.patient.sex,
  birthdate: exampleVisit.patient.birthdate,
  dead: false,
  deathDate: null
}

/** The example as a mapping makes it that does not know the patient's code: the code is missing everywhere. */
const nameless: JsonObject = JSON.parse(
  encodeVisit(exampleVisit)
    .replaceAll(`"patient_code":"${exampleVisit.patient_code}"`, "\"patient_code\":null")
    .replace(`"patient":{"code":"${exampleVisit.patient.code}"`, "\"patient\":{\"code\":null")
    .replace(/"spid":"[^"]*"/u, "\"spid\":null")
)

const errors = (visit: unknown) =>
  validateVisit(visit, { now: Date.parse("2026-04-01") }).filter(({ severity }) => severity === "error")

describe("fillPatient", () => {
  it("fills the code everywhere, the spid, and missing cards, so that the visit is complete", () => {
    assert.isAbove(errors(nameless).length, 3)
    const visit = fillPatient(nameless, known, fillableFields)
    assert.deepStrictEqual(errors(visit), [])
    assert.notInclude(JSON.stringify(visit), "\"patient_code\":null")
    assert.deepInclude(visit["patient"], { code: exampleVisit.patient_code, spid: "SP-7" })
    assert.deepStrictEqual(cardNumbers(visit), [...cardNumbers(nameless), "C-2"])
  })

  it("fills only the requested fields", () => {
    const fields: ReadonlyArray<FillableField> = ["spid"]
    const visit = fillPatient(nameless, known, fields)
    assert.deepStrictEqual(visit, {
      ...nameless,
      patient: { ...jsonObjectOf(nameless["patient"]), spid: "SP-7" }
    })
    assert.isTrue(hasGap(nameless, fields))
    assert.isFalse(hasGap(visit, fields))
  })

  it("keeps the values of the mapping", () => {
    const visit: JsonObject = JSON.parse(encodeVisit(exampleVisit))
    assert.deepStrictEqual(
      fillPatient(visit, { ...known, patientCode: PatientCode("P-other"), spid: "SP-other" }, ["code", "spid"]),
      visit
    )
  })

  it("is idempotent, and keeps keys and exact numbers", () => {
    const total = fromText("7.20")
    assert.isObject(total)
    const exact = { ...nameless, invoices: [{ patient_code: null, total }] }
    const once = fillPatient(exact, known, fillableFields)
    assert.deepStrictEqual(fillPatient(once, known, fillableFields), once)
    assert.deepStrictEqual(Object.keys(once), Object.keys(exact))
    assert.strictEqual(jsonObjectsIn(once["invoices"])[0]?.["total"], total)
  })

  it("§2.7: reads cards of unknown shapes, and ignores other parts", () => {
    assert.deepStrictEqual(
      knownOf({
        spid: 12,
        patient_code: "P1",
        surname: "never kept",
        benefit_cards: [{ card_number: "A", type: "T" }, { number: "B" }, "C", null, {}, { code: "D", card_type: "U" }],
        identifications: [{ card_code: "A", card_type: "V" }],
        sex: "F",
        birthdate: "1998-11-23",
        dead: true,
        death_date: "2026-03-01"
      }, "A"),
      {
        spid: "12",
        patientCode: PatientCode("P1"),
        cards: [
          { number: "A", type: "V" },
          { number: "B", type: null },
          { number: "C", type: null },
          { number: "D", type: "U" }
        ],
        showsCard: true,
        sex: "F",
        birthdate: "1998-11-23",
        dead: true,
        deathDate: "2026-03-01"
      }
    )
    assert.deepStrictEqual(knownOf({}, "A"), {
      spid: null,
      patientCode: null,
      cards: [],
      showsCard: null,
      sex: null,
      birthdate: null,
      dead: false,
      deathDate: null
    })
  })
})
