import { assert, describe, it } from "@effect/vitest"
import { knownOf } from "../../../src/facility/beneficiary/Beneficiary.ts"
import { choosePatient } from "../../../src/facility/beneficiary/choosePatient.ts"

type Said = Readonly<Record<string, unknown>>

/** A boy of seventeen with one card, as a mapping makes him that knows no code of the service. */
const boy = { code: null, spid: null, sex: "M", birthdate: "2008-05-06", identifications: [{ card_code: "C-1" }] }
const visit = (patient: Said = {}): Said => ({
  admitted_at: "2026-03-02T10:00:00.000+07:00",
  patient: { ...boy, ...patient }
})
const record = (stated: Said = {}): Said => ({
  patient_code: "P1",
  spid: "SP1",
  sex: "M",
  birthdate: "2008-05-06",
  ...stated
})

/** The code of the chosen patient, or why none is chosen. */
const chosen = (given: Said, ...records: ReadonlyArray<Said>): string => {
  const choice = choosePatient(given, records.map((stated) => knownOf(stated, "C-1")), "Asia/Phnom_Penh")
  if (choice._tag === "Patient") return choice.known.patientCode ?? ""
  return choice._tag === "Others" ? choice.differs.join(" ") : choice._tag
}

const alone: ReadonlyArray<readonly [what: string, given: Said, said: Said, expected: string]> = [
  ["who is equal in everything", visit(), record(), "P1"],
  ["with another spelling of the name", visit({ surname: "Sok" }), record({ surname: "SOKH" }), "P1"],
  ["with an incomplete record", visit(), { patient_code: "P1" }, "P1"],
  ["of an incomplete visit", visit({ sex: null, birthdate: "" }), record(), "P1"],
  ["of another sex", visit(), record({ sex: "F" }), "sex"],
  ["of the same sex in another spelling", visit(), record({ sex: "male" }), "P1"],
  ["of another age", visit(), record({ birthdate: "1901-01-01" }), "birthdate"],
  ["born on the same day, with a time", visit(), record({ birthdate: "2008-05-06T00:00:00.000Z" }), "P1"],
  ["with another spid", visit({ spid: "SP-other" }), record(), "spid"],
  ["with another code", visit({ code: "P-other" }), record(), "code"],
  ["who shows the card", visit(), record({ benefit_cards: [{ no: "c 1" }] }), "P1"],
  [
    "who shows the card as a document",
    visit(),
    record({ benefit_cards: ["X"], identifications: [{ card: "C-1" }] }),
    "P1"
  ],
  ["who shows other cards", visit(), record({ benefit_cards: [{ card_number: "C-2" }] }), "cards"],
  ["who shows other documents and no cards", visit(), record({ benefit_cards: [], identifications: ["N-2"] }), "P1"],
  ["who died before", visit(), record({ dead: true, death_date: "2026-03-01" }), "death"],
  ["who died on the way, or since", visit(), record({ dead: true, death_date: "2026-03-02T08:00:00+07:00" }), "P1"],
  ["who died on an unknown date", visit(), record({ dead: true }), "P1"],
  [
    "who contradicts everything",
    visit({ spid: "SP-other" }),
    record({ sex: "F", birthdate: "1901-01-01", dead: true, death_date: "1999-01-01", benefit_cards: ["C-9"] }),
    "sex birthdate spid cards death"
  ]
]

describe("§2.7: the patient is the card holder who does not contradict the visit", () => {
  for (const [what, given, stated, expected] of alone) {
    it(`a holder ${what}: ${expected}`, () => assert.strictEqual(chosen(given, stated), expected))
  }

  const mother = record({ patient_code: "P0", sex: "F", birthdate: "1980-01-01", relationship_to_head: "Head" })
  const brother = record({ patient_code: "P2", spid: "SP2", birthdate: "2010-01-01" })

  it("chooses the only possible patient of a household that shares the card", () => {
    assert.strictEqual(chosen(visit(), mother, record(), brother), "P1")
    assert.strictEqual(chosen(visit({ birthdate: "2010-01-01" }), mother, record(), brother), "P2")
  })

  it("chooses none if several members or no member can be the patient", () => {
    assert.strictEqual(chosen(visit({ birthdate: null }), mother, record(), brother), "Several")
    assert.strictEqual(chosen(visit({ birthdate: "1999-01-01" }), mother, record(), brother), "sex birthdate")
  })

  it("counts a repeated person once", () => assert.strictEqual(chosen(visit(), record(), record()), "P1"))
})
