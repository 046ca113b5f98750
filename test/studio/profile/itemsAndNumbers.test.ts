import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

describe("Charges whose items are all in a table that is called after medicines", () => {
  const charges = (code: (at: number) => string) => ({
    ...days(20),
    "opitemrece.csv": table(
      "vn_line,visit_no,icode,qty,unitprice,sum_price,vstdate",
      20,
      (at) => `L-${at},V-${at},${code(at)},2,5,10,2026-03-${two(at)}`
    ),
    "s_drugitems.csv":
      "icode,name,strength\n1000012,Paracetamol,500 mg\n1000044,Amoxicillin,500 mg\n3000001,Dressing,\n"
  })
  const question = "are all rows of `s_drugitems` medicines? Each row of `opitemrece` refers to one"

  it.effect("are asked about, because that table can have services, too", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted(charges((at) => ["1000012", "1000044", "3000001"][at % 3] ?? ""))
      assert.include(questions, question)
    }))

  it.effect("are not asked about if other charges are in no such table", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted(charges((at) => ["1000012", "1000044", "9000001", "3000001"][at % 4] ?? ""))
      assert.notInclude(questions, question)
    }))
})

describe("The number of a prescription", () => {
  it.effect("is sent also if each has one medicine, and a later one has several", () =>
    Effect.gen(function*() {
      const prescriptions = (last: string) => ({
        "prescriptions.csv": table(
          "rx_no,visit_no,drug_code,drug_name,ordered_at",
          20,
          (at) => `RX-${at},V-${at},M-1,Paracetamol,2026-03-${two(at)} 09:00`
        ) + last
      })
      const { later, visits } = yield* drafted(
        { ...days(20), ...prescriptions("") },
        prescriptions("RX-1,V-1,M-2,Amoxicillin,2026-03-01 09:00\n")
      )
      assert.strictEqual(visits[0].prescriptions[0].code, "RX-1")
      const [{ code, medications }] = later.visits[0].prescriptions
      assert.deepStrictEqual([code, medications.length], ["RX-1", 2])
    }))
})

describe("Names of charges in other languages", () => {
  it.effect("are names, prices of one piece, and kinds of items", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(20),
        "factures.csv": table(
          "N° Facture;visit_no;Date;Code acte;Libellé;Nature;Qté;PU;Montant",
          20,
          (at) =>
            `F-${at};V-${at};${two(at)}/03/2026;A${at % 3};Nom;${at % 2 === 0 ? "Acte" : "Médicament"};2;250,50;501,00`
        )
      })
      const [medicine, service] = visits.map(({ invoices: [invoice] }) => invoice)
      assert.deepInclude(medicine.medications[0], { medicine_name: "Nom", quantity: 2, price: 250.5, payment: 501 })
      assert.deepInclude(service.services[0], { service_name: "Nom", payment: 501 })
    }))
})

describe("A time of the end that most rows do not have", () => {
  it.effect("is asked about: the end of the day is sent", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted({
        ...days(20),
        "visits.csv": table(
          "visit_no,patient_no,admit_date,admit_time,disch_date,disch_time,type",
          20,
          (at) => `V-${at},P-${at},2026-03-${two(at)},08:00,2026-03-${two(at)},${at % 5 === 0 ? "10:30" : ""},OPD`
        )
      })
      assert.include(questions, "16 visits end on a day without a time of day: is the end of that day right?")
      assert.strictEqual(visits[0].discharged_at, "2026-03-01T23:59:59.999+07:00")
    }))
})
