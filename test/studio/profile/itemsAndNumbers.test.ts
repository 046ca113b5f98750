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

describe("Charges of medicines in a table of no such name", () => {
  it.effect("are medicines by the column that is called after them, and not services", () =>
    Effect.gen(function*() {
      const { visits: [visit] } = yield* drafted({
        ...days(6),
        "bill_lines.csv": table(
          "visit_no,service_code,service_name,drug_code,drug_name,qty,price,amount",
          6,
          (at) => `V-${at},S1,X-ray,,,1,5,5\nV-${at},,,D1,Example,10,2,20`
        )
      })
      const [{ medications, services, total }] = visit.invoices
      assert.strictEqual(total, 25)
      assert.deepStrictEqual(services.map((one: Record<string, unknown>) => one["service_name"]), ["X-ray"])
      assert.deepStrictEqual(
        medications.map((one: Record<string, unknown>) => [one["medicine_name"], one["quantity"]]),
        [
          ["Example", 10]
        ]
      )
    }))
})

describe("The department of a visit", () => {
  it.effect("is not the type of the visit, and a code of letters and digits is an assumption", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted(
        days(6, { header: ",dept_code", more: (at) => `,${at % 2 ? "IGD" : "U01"}` })
      )
      assert.strictEqual(visits[0].outpatients[0].service_type, "IGD")
      assert.match(mapping, /service_type: \{path: dept_code, conceptMap: service_type\}/u)
      assert.isNull((yield* drafted(days(6))).visits[0].outpatients[0].service_type)
    }))
})

describe("The visits of a table called `reg_periksa`", () => {
  it.effect("have the number that other tables have, and not that of the queue", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "pasien.csv": table("no_rkm_medis,nm_pasien,jk,tgl_lahir", 20, (at) =>
          `00${at},CONTOH,${"LP"[at % 2]},1990-04-12`),
        "reg_periksa.csv": table("no_reg,no_rawat,tgl_registrasi,jam_reg,no_rkm_medis,status_lanjut", 20, (at) =>
          `${String(at).padStart(3, "0")},2026/03/${two(at)}/0001,2026-03-${two(at)},08:15:00,00${at},Ralan`),
        "diagnosa_pasien.csv": table("no_rawat,kd_penyakit,prioritas", 20, (at) =>
          `2026/03/${two(at)}/0001,J06.9,1`)
      })
      assert.deepStrictEqual(visits.slice(0, 1).map(({ code, diagnosis }) => [code, diagnosis.length]), [
        ["2026/03/01/0001", 1]
      ])
    }))
})

describe("Codes with a point", () => {
  it.effect("are sent as they are, with their zeros", () =>
    Effect.gen(function*() {
      const { visits: [visit] } = yield* drafted({
        ...days(6),
        "charges.csv": table(
          "visit_no,service_code,service_name,qty,price,amount",
          6,
          (at) => `V-${at},02.18${at}0,Example,1,5,5`
        )
      })
      assert.strictEqual(visit.invoices[0].services[0].service_code, "02.1810")
    }))
})
