import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { initialized, table, two, upTo } from "./drafted.ts"

const visitsFile = table(
  "Visit Number,Patient ID,Visit Date,Discharge Date,Visit Type,Doctor,Diagnosis Code",
  9,
  (at) => `VN00${at},P-${at},2026-03-${two(at)} 08:1${at}:00,2026-03-${two(at)} 09:1${at}:00,OPD,Dr A. Test,A09`
)

const patients = table(
  "Patient ID,Surname,Given Name,Sex,Date of Birth",
  9,
  (at) => `P-${at},Example${at},Ann,F,195${at}-03-04`
)

const header =
  "Invoice Number,Patient ID,Visit Number,Invoice Date,Status,Item Code,Item Name,Category,Amount,Date Of Service"

/** The invoice of a visit with two lines, whose `status` and times of service are given. */
const invoice = (at: number, { own = "", service = "", status = "posted" } = {}) =>
  [
    `INV-${at},P-${at},VN00${at},2026-03-${two(at)} 09:00:00,${status},REG,Registration,Service,${at}00,${service}`,
    `${own},,,,,LAB1,Blood count,Service,50,${service}`
  ].join("\n")

const draftedWith = (lines: (at: number) => string) =>
  initialized({ "visits.csv": visitsFile, "patients.csv": patients, "invoice_lines.csv": table(header, 9, lines) })

interface Visit {
  readonly code: string
  readonly invoices: ReadonlyArray<
    { readonly code: string; readonly services: ReadonlyArray<{ readonly price: number }> }
  >
}

const pricesOf = (visits: ReadonlyArray<Visit>) =>
  visits.map(({ code, invoices }) => [code, invoices.flatMap(({ services }) => services.map(({ price }) => price))])

const assumed = "do you accept `empty-cell-is-value-above`?"

describe("Lines of invoices whose head is only in the first of them", () => {
  it.effect("have the head of the row above, by an assumption", () =>
    Effect.gen(function*() {
      const { mapping, told, visits, words } = yield* draftedWith((at) => invoice(at))
      assert.include(words, assumed)
      assert.deepStrictEqual(mapping.table.invoice_lines.fillDown, {
        column: ["invoice_number", "patient_id", "visit_number", "invoice_date", "status"],
        assume: "empty-cell-is-value-above"
      })
      assert.deepStrictEqual(pricesOf(visits), upTo(9).map((at) => [`VN00${at}`, [at * 100, 50]]))
      assert.include(told, "empty-cell-is-value-above")
    }))

  it.effect("have its state", () =>
    Effect.gen(function*() {
      const { visits } = yield* draftedWith((at) => invoice(at, { status: at > 6 ? "cancelled" : "posted" }))
      assert.deepStrictEqual(pricesOf(visits).slice(5), [
        ["VN006", [600, 50]],
        ...[7, 8, 9].map((at) => [`VN00${at}`, []])
      ])
    }))
})

describe("Consultations with their medicines, each with a number of its own", () => {
  it.effect("are one visit for all medicines of a consultation", () =>
    Effect.gen(function*() {
      const { visits } = yield* initialized({
        "Patient.csv": table("ID,First Name,Last Name,Gender,Date of Birth", 9, (at) =>
          `PAT-${at},Ann,Example,Female,195${at}-03-04`),
        "Patient Encounter.csv": table(
          "ID,Patient,Encounter Date,Encounter Time,Diagnosis Code,ID (Drug Prescription),Drug Name (Drug Prescription),Dosage (Drug Prescription),Period (Drug Prescription)",
          9,
          (at) =>
            `ENC-${at},PAT-${at},2026-03-${
              two(at)
            },08:15:00,A09,r${at}a,Paracetamol,1-0-1,5 Day\n,,,,,r${at}b,ORS,1-1-1,3 Day`
        ),
        "Vital Signs.csv": table(
          "ID,Patient,Patient Encounter,Date,Time,Heart Rate / Pulse,Blood Pressure (systolic),Blood Pressure (diastolic)",
          9,
          (at) =>
            `VTS-${at},PAT-${at},ENC-${at},2026-03-${two(at)},08:20:00,7${at},12${at},8${at}`
        )
      })
      assert.deepStrictEqual(
        visits.map(({ code, prescriptions }) => [
          code,
          prescriptions.flatMap(({ medications }: { medications: ReadonlyArray<{ medicine_name: string }> }) =>
            medications.map(({ medicine_name }) =>
              medicine_name
            )
          )
        ]),
        upTo(9).map((at) => [`ENC-${at}`, ["Paracetamol", "ORS"]])
      )
      assert.deepStrictEqual(
        visits[0].vital_signs[0].observations.map(({ name, value }: { name: string; value: number }) => [name, value])
          .toSorted(),
        [["Diastolic Blood Pressure", 81], ["Heart Rate", 71], ["Systolic Blood Pressure", 121]]
      )
    }))
})

describe("One sheet of visits and what was charged, with merged cells", () => {
  const header =
    "Mã hồ sơ,Mã bệnh nhân,Họ và tên,Giới tính,Ngày sinh,Ngày vào,Ngày ra,Mã bệnh,Mã dịch vụ,Tên dịch vụ,Số lượng,Đơn giá,Thành tiền"
  const sheet = (of: (at: number) => string) =>
    table(header, 9, (at) =>
      [
        `HS0${at},BN0${at},THI VAN T${at},Nam,0${at}/02/1955,${20 + at}/03/2026 08:15,${
          20 + at
        }/03/2026 09:15,J06.9,KB01,Exam,1,30000,30000`,
        `${of(at)},,,,,,,XN01,Blood count,1,${at}5000,${at}5000`
      ].join("\n"))

  it.effect("has the visit of the row above", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* initialized({ "bang_ke.csv": sheet(() => ",") })
      assert.deepStrictEqual(
        visits.map(({ code, invoices: [{ total }] }) => [code, total]),
        upTo(9).map((at) => [`HS0${at}`, 35_000 + at * 10_000])
      )
      assert.include(mapping.table.patient.fillDown.column, "code")
    }))

  it.effect("is another patient if a later row has a number of the patient, and none of the visit", () =>
    Effect.gen(function*() {
      const later = sheet((at) => at === 4 ? ",BN99" : ",")
      const { told, visits } = yield* initialized({ "bang_ke.csv": sheet(() => ",") }, {
        later: { "bang_ke.csv": later }
      })
      assert.deepStrictEqual(visits.filter(({ code }) => code === "HS04").map(({ invoices: [{ total }] }) => total), [
        30_000
      ])
      assert.match(told, /bang_ke\.csv:9\b/u)
    }))
})

describe("Columns of lines that name the list of their rows", () => {
  const pages = [
    "Number,Patient ID,Visit Number,Invoice Date,Invoice Lines/Product Code,Invoice Lines/Quantity,Invoice Lines/Unit Price,Invoice Lines/Subtotal",
    "Number,Patient ID,Visit Number,Invoice Date,invoice_line_ids/product_code,invoice_line_ids/quantity,invoice_line_ids/price_unit,invoice_line_ids/price_subtotal",
    "ID,Patient ID,Visit Number,Date,Item Code (Items),Quantity (Items),Rate (Items),Amount (Items)"
  ]

  it.effect("are the quantity, the price and the amount of a line", () =>
    Effect.gen(function*() {
      for (const header of pages) {
        const { visits } = yield* initialized({
          "visits.csv": visitsFile,
          "patients.csv": patients,
          "invoices.csv": table(
            header,
            9,
            (at) => `INV-${at},P-${at},VN00${at},2026-03-${two(at)} 09:00:00,REG,1,500,500\n,,,,PCM,1${at},100,1${at}00`
          )
        })
        assert.deepStrictEqual(
          visits.map(({ code, invoices: [one] }) => [code, one.code, one.total, one.services[1].payment]),
          upTo(9).map((at) => [`VN00${at}`, `INV-${at}`, 1500 + at * 100, 1000 + at * 100]),
          header
        )
      }
    }))
})

describe("Rows without a visit and a patient", () => {
  it.effect("are no lines of the row above if they have a date or a number of a bill", () =>
    Effect.gen(function*() {
      for (const more of [{ service: "2026-03-04" }, { own: "INV-X" }]) {
        const { mapping, words } = yield* draftedWith((at) => invoice(at, more))
        assert.notInclude(words, assumed)
        assert.isUndefined(mapping.table.invoice_lines.fillDown)
      }
    }))
})
