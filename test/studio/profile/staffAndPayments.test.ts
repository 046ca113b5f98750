import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, upTo } from "./drafted.ts"

/** A row for each visit, in lines. */
const each = (line: (visit: number) => string): string => upTo(8).map((visit) => `${line(visit)}\n`).join("")

/** What `init` drafts for visits with more columns, in addition to other files, and the first visit that is sent by the draft. */
const begun = (
  { files, ...columns }: {
    readonly files: Readonly<Record<string, string>>
    readonly header?: string
    readonly more?: (visit: number) => string
  }
) =>
  drafted({ ...days(8, columns), ...files }).pipe(
    Effect.map(({ visits: [visit], ...others }) => ({ ...others, visit }))
  )

describe("A column that refers to a table of staff", () => {
  it.effect("sends no number where the table is not in the export, and lists the column", () =>
    Effect.gen(function*() {
      const { mapping, visit } = yield* begun({ header: ",doctor", more: (at) => `,${1 + at % 3}`, files: {} })
      assert.strictEqual(visit.outpatients[0].encountered_by, null)
      assert.match(mapping, /^# - visit: doctor 8$/mu)
    }))

  it.effect("sends no short code as a name either, if its column is called after one", () =>
    Effect.gen(function*() {
      for (const name of ["doctor_id", "medico_id", "doctor code", "Physician No"]) {
        const { visit } = yield* begun({ header: `,${name}`, more: (at) => `,M${1 + at % 3}`, files: {} })
        assert.strictEqual(visit.outpatients[0].encountered_by, null, name)
      }
    }))

  it.effect("sends the name, not the number", () =>
    Effect.gen(function*() {
      const { visit } = yield* begun({
        header: ",doctor",
        more: (at) => `,${1 + at % 3}`,
        files: {
          "doctors.csv": "id,name\n1,Dr A\n2,Dr B\n3,Dr C\n",
          "diagnoses.csv": `visit_no,icd10,rank\n${each((at) => `V-${at},A09,1`)}`
        }
      })
      assert.strictEqual(visit.outpatients[0].encountered_by, "Dr B")
    }))

  it.effect("sends the doctor of the visit for diagnoses in a table of their own, as an assumption", () =>
    Effect.gen(function*() {
      const diagnoses = (by: string, name: string) =>
        begun({
          header: ",doctor",
          more: () => ",Dr A",
          files: { "diagnoses.csv": `visit_no,icd10,rank,${by}\n${each((at) => `V-${at},A09,1,${name}`)}` }
        })
      const { mapping, problems, visit } = yield* diagnoses("entered_by", "Clerk")
      assert.strictEqual(visit.diagnosis[0].diagnosed_by, "Dr A")
      assert.include(mapping, "assume: attendant-made-diagnosis")
      assert.match(problems, /8 visits +attendant-made-diagnosis/u)
      const own = yield* diagnoses("diagnosed_by", "Dr B")
      assert.strictEqual(own.visit.diagnosis[0].diagnosed_by, "Dr B")
      assert.notInclude(own.mapping, "attendant-made-diagnosis")
    }))

  it.effect("sends the given name and the surname if they are apart", () =>
    Effect.gen(function*() {
      const { visit } = yield* begun({
        files: {
          "doctors.csv": "doctor_id,surname,first_name\n1,One,Ann\n2,Two,Bob\n",
          "diagnoses.csv": `visit_no,icd10,doctor_id\n${each((at) => `V-${at},A09,${1 + at % 2}`)}`
        }
      })
      assert.strictEqual(visit.diagnosis[0].diagnosed_by, "Bob Two")
    }))

  it.effect("sends both names for rows that are grouped", () =>
    Effect.gen(function*() {
      const { problems, visit } = yield* begun({
        files: {
          "medecins.csv": "id,nom,prenom\n1,One,Ann\n2,Two,Bob\n3,Three,Cy\n",
          "prescriptions.csv": `no_prescription,visit_no,drug,medecin\n${
            each((at) => ["A", "B"].map((drug) => `O-${at},V-${at},Drug ${drug},${1 + at % 3}`).join("\n"))
          }`
        }
      })
      assert.strictEqual(visit.prescriptions[0].prescribed_by, "Bob Two")
      assert.notInclude(problems, "path-failed")
    }))

  describe("in small numbers, under the names of what they did", () => {
    const users =
      "id,login,full_name,designation\n1,aa,Ann One,Physician\n2,bb,Bob Two,\n3,cc,Cy Three,Nurse\n4,dd,Di Four,Cashier\n"
    const files = {
      "users.csv": users,
      "vitals.csv": `visit_no,measured_at,temperature,pulse,recorded_by\n${
        each((at) => `V-${at},2026-03-0${at} 08:05:00,37.2,80,3`)
      }`,
      "prescriptions.csv": `visit_no,prescribed_at,drug_name,days,prescribed_by,entered_by\n${
        each((at) => ["A", "B"].map((drug) => `V-${at},2026-03-0${at} 08:20:00,Drug ${drug},3,1,4`).join("\n"))
      }`,
      "lab_results.csv": `request_no,visit_no,test_name,result,collected_at,ordered_by,taken_by,verified_by\n${
        each((at) =>
          ["Glucose", "Urea"].map((test) => `R-${at},V-${at},${test},5.1,2026-03-0${at} 08:10:00,1,3,2`).join("\n")
        )
      }`,
      "bills.csv": `bill_no,visit_no,billed_at,total,cashier,paid_by\n${
        each((at) => `B-${at},V-${at},2026-03-0${at} 09:00:00,10,4,${1 + at % 2}`)
      }`,
      "bill_lines.csv": `bill_no,line,item_code,item_name,qty,price,amount\n${
        each((at) => `B-${at},1,S1,Service,1,10,10`)
      }`
    }

    it.effect("sends their names and titles, and asks about the links", () =>
      Effect.gen(function*() {
        const { mapping, visit } = yield* begun({ header: ",doctor_id", more: () => ",1", files })
        const doctor = { name: "Ann One", title: "Physician" }
        const of = (by: string, { [by]: name, title }: Readonly<Record<string, unknown>>) => ({ name, title })
        assert.deepStrictEqual(of("encountered_by", visit.outpatients[0]), doctor)
        assert.deepStrictEqual(of("recorded_by", visit.vital_signs[0]), { name: "Cy Three", title: "Nurse" })
        assert.deepStrictEqual(of("prescribed_by", visit.prescriptions[0]), doctor)
        const [laboratory] = visit.laboratories
        assert.deepStrictEqual(of("requested_by", laboratory), doctor)
        assert.strictEqual(laboratory.collected_by, "Cy Three")
        assert.deepStrictEqual(
          laboratory.results.map((one: Record<string, unknown>) => one.verified_by),
          ["Bob Two", "Bob Two"]
        )
        assert.strictEqual(visit.invoices[0].cashier, "Di Four")
        assert.match(mapping, /# by its values only: verify it\n +users: \{table: users, on: doctor_id\}/u)
        assert.notInclude(mapping, "on: paid_by")
      }))

    it.effect("sends no title of another person", () =>
      Effect.gen(function*() {
        const { visit } = yield* begun({
          header: ",doctor_id",
          more: () => ",1",
          files: {
            ...files,
            "prescriptions.csv": `visit_no,prescribed_at,drug_name,days,prescribed_by\n${
              each((at) => ["2", "1"].map((by) => `V-${at},2026-03-0${at} 08:20:00,Drug ${by},3,${by}`).join("\n"))
            }`
          }
        })
        assert.strictEqual(visit.prescriptions[0].prescribed_by, "Bob Two")
        assert.strictEqual(visit.prescriptions[0].title, null)
      }))

    it.effect("sends nobody if two tables of staff have their numbers", () =>
      Effect.gen(function*() {
        const { visit } = yield* begun({
          header: ",seen_by",
          more: () => ",1",
          files: { "users.csv": users, "employees.csv": "id,full_name\n1,Eve Other\n2,Flo Other\n" }
        })
        assert.strictEqual(visit.outpatients[0].encountered_by, null)
      }))

    it.effect("sends no one who took a specimen as the one who requested the test", () =>
      Effect.gen(function*() {
        const { visit } = yield* begun({
          files: { ...files, "lab_results.csv": files["lab_results.csv"].replace("ordered_by", "priority") }
        })
        assert.strictEqual(visit.laboratories[0].requested_by, null)
        assert.strictEqual(visit.laboratories[0].collected_by, "Cy Three")
      }))
  })
})

describe("Charges without a table of invoices", () => {
  const charges = (pay: (visit: number, line: number) => string): string =>
    `visit_no,bill_no,item_code,item_name,qty,price,amount,payment_type,cashier\n${
      each((at) =>
        [1, 2].map((line) => `V-${at},B-${at},S${line},Service,1,${line}0,${line}0,${pay(at, line)},Example`).join("\n")
      )
    }`

  it.effect("have the way of payment and the cashier of their lines", () =>
    Effect.gen(function*() {
      const { questions, visit } = yield* begun({
        files: { "charges.csv": charges((at) => (at % 2 === 0 ? "cash" : "card")) }
      })
      assert.strictEqual(visit.invoices[0].payment_type, "card")
      assert.strictEqual(visit.invoices[0].cashier, "Example")
      assert.isNull(visit.invoices[0].services[0].service_category)
      assert.match(questions, /QUESTION what do codes of `charges\.payment_type` mean\?/u)
      const named = charges(() => "cash").replace("payment_type", "PayKind")
      assert.strictEqual((yield* begun({ files: { "charges.csv": named } })).visit.invoices[0].payment_type, "cash")
    }))

  it.effect("report lines that are paid in another way", () =>
    Effect.gen(function*() {
      const { problems } = yield* begun({
        files: { "charges.csv": charges((_, line) => (line === 1 ? "cash" : "card")) }
      })
      assert.match(problems, /too-many-values\]: `payment_type` takes one value, this path found 2/u)
    }))
})

describe("Lines that repeat the total of their bill", () => {
  /** A bill for each visit, with two lines. */
  const lines = (header: string, row: (visit: number, total: number, line: number, amount: number) => string): string =>
    `${header}\n${each((at) => [1, 2].map((line) => row(at, 30 + 2 * at, line, line * 10 + at)).join("\n"))}`

  it.effect("have the amounts of the lines, and the total once", () =>
    Effect.gen(function*() {
      const { questions, visit } = yield* begun({
        files: {
          "bill_lines.csv": lines(
            "bill_no,visit_no,billed_at,total,item_code,item_name,qty,price,amount",
            (at, total, line, amount) =>
              `B-${at},V-${at},2026-03-0${at} 09:00:00,${total},S${line},Service ${line},1,${amount},${amount}`
          )
        }
      })
      const [{ services, total }] = visit.invoices
      assert.strictEqual(total, 32)
      assert.deepStrictEqual(services.map((one: Record<string, unknown>) => one.payment), [11, 21])
      assert.notInclude(questions, "is what was charged")
    }))

  it.effect("have the price times the quantity if no other column has amounts", () =>
    Effect.gen(function*() {
      const { visit } = yield* begun({
        files: {
          "bill_lines.csv": lines(
            "bill_no,visit_no,billed_at,total,item_code,item_name,qty,price",
            (at, total, line, amount) =>
              `B-${at},V-${at},2026-03-0${at} 09:00:00,${total},S${line},Service ${line},1,${amount}`
          )
        }
      })
      const [{ services, total }] = visit.invoices
      assert.strictEqual(total, 32)
      assert.deepStrictEqual(services.map((one: Record<string, unknown>) => one.payment), [11, 21])
    }))

  it.effect("have the price times the quantity, and not another rate or what was ordered", () =>
    Effect.gen(function*() {
      const { visit } = yield* begun({
        files: {
          "bill_lines.csv": lines(
            "bill_no,visit_no,billed_at,total,item_code,item_name,ordered_qty,discount_rate,qty,price",
            (at, total, line, amount) =>
              `B-${at},V-${at},2026-03-0${at} 09:00:00,${2 * total},S${line},Service ${line},3,0,2,${amount}`
          )
        }
      })
      const [{ services, total }] = visit.invoices
      assert.strictEqual(total, 64)
      assert.deepStrictEqual(services.map((one: Record<string, unknown>) => one.payment), [22, 42])
    }))

  it.effect("are several bills of one visit, by the number of a billing transaction", () =>
    Effect.gen(function*() {
      const { visit } = yield* begun({
        files: {
          "billing_items.csv": lines(
            "BillingTransactionId,visit_no,item_code,item_name,qty,price,amount",
            (at, _, line, amount) => `T-${at}-${line},V-${at},S${line},Service ${line},1,${amount},${amount}`
          )
        }
      })
      assert.deepStrictEqual(
        visit.invoices.map((one: Record<string, unknown>) => [one.code, one.total]),
        [["T-1-1", 11], ["T-1-2", 21]]
      )
    }))

  it.effect("are asked about if nothing else can be the amount of a line", () =>
    Effect.gen(function*() {
      const { questions } = yield* begun({
        files: {
          "bill_lines.csv": lines(
            "bill_no,visit_no,billed_at,total,item_code,item_name",
            (at, total, line) => `B-${at},V-${at},2026-03-0${at} 09:00:00,${total},S${line},Service ${line}`
          )
        }
      })
      assert.match(
        questions.replaceAll(/\s+/gu, " "),
        /is `total` in `bill_lines` the amount of each line, or of the whole bill\?/u
      )
    }))
})

describe("Charges with French or Spanish names of columns", () => {
  const lines = each((at) =>
    [1, 2].map((line) => `V-${at},A${line},Item ${line},2,${line}0,${line * 20},other`).join("\n")
  )
  const expected = [["A1", "Item 1", 20, 20], ["A2", "Item 2", 40, 40]]

  for (
    const [language, header] of [
      ["French", "code_acte,libelle_acte,quantite,prix_unitaire,montant,mode_paiement"],
      ["Spanish", "codigo_servicio,descripcion_servicio,cantidad,precio,importe,forma_de_pago"]
    ] as const
  ) {
    it.effect(`are sent: ${language}`, () =>
      Effect.gen(function*() {
        const { visit } = yield* begun({ files: { "factures.csv": `visit_no,${header}\n${lines}` } })
        const [{ payment_type, services, total }] = visit.invoices
        assert.strictEqual(total, 60)
        assert.strictEqual(payment_type, "other")
        assert.deepStrictEqual(
          services.map((one: Record<string, unknown>) => [one.service_code, one.service_name, one.price, one.payment]),
          expected
        )
      }))
  }
})

describe("A discount of a whole invoice", () => {
  it.effect("is asked about, and no line has a discount of 0", () =>
    Effect.gen(function*() {
      const { mapping, questions, visit } = yield* begun({
        files: {
          "invoices.csv": `invoice_no,visit_no,invoice_date,total,discount\n${
            each((at) => `I-${at},V-${at},2026-03-0${at},29,1`)
          }`,
          "invoice_lines.csv": `invoice_no,line,item_code,item_name,qty,price,amount\n${
            each((at) => [1, 2].map((line) => `I-${at},${line},S${line},Service,1,${line}0,${line}0`).join("\n"))
          }`
        }
      })
      assert.strictEqual(visit.invoices[0].total, 29)
      assert.isNull(visit.invoices[0].services[0].discount)
      assert.match(questions, /QUESTION how much of the discount of an invoice, `discount` in `invoices_table`/u)
      assert.notInclude(mapping, "discount-is-none")
    }))
})

describe("Numbers of the rows of tables of names", () => {
  it.effect("are read as the codes and the names that these tables have", () =>
    Effect.gen(function*() {
      const { visits: [visit] } = yield* drafted({
        ...days(8),
        "icd10_codes.csv":
          "id,code,name\n1,A09,Infectious gastroenteritis\n2,J06.9,Acute respiratory infection\n3,I10,Hypertension\n",
        "diagnoses.csv": table("id,visit_no,icd10_id,is_primary", 8, (at) => `${at},V-${at},${1 + at % 3},Y`),
        "drugs.csv": "id,drug_code,name,unit\n1,PARA500,Paracetamol,tablet\n2,AMOX500,Amoxicillin,capsule\n",
        "prescriptions.csv": table(
          "id,visit_no,prescribed_at,drug_id,days",
          16,
          (at) => `${at},V-${1 + at % 8},2026-03-0${1 + at % 8} 08:20:00,${1 + at % 2},3`
        )
      })
      const [{ diagnosis_code, diagnosis_name }] = visit.diagnosis
      assert.deepStrictEqual({ diagnosis_code, diagnosis_name }, {
        diagnosis_code: "J06.9",
        diagnosis_name: "Acute respiratory infection"
      })
      const [{ medications: [{ code, medicine_name, unit }] }] = visit.prescriptions
      assert.deepStrictEqual({ code, medicine_name, unit }, {
        code: "PARA500",
        medicine_name: "Paracetamol",
        unit: "tablet"
      })
    }))
})

describe("Numbers of sexes and of types of visits", () => {
  it.effect("mean what their tables of names say, and not what other lists do", () =>
    Effect.gen(function*() {
      const { mapping, questions, visits } = yield* drafted({
        "genders.csv": "id,name\n1,Female\n2,Male\n",
        "visit_types.csv": "id,name\n1,Inpatient\n2,Outpatient\n3,Emergency\n",
        "patients.csv": table(
          "patient_no,surname,birth_date,gender_id",
          9,
          (at) => `P-${at},Example,1990-04-1${at % 9},${1 + at % 2}`
        ),
        "visits.csv": table(
          "visit_no,patient_no,visit_type_id,admitted_at,discharged_at",
          9,
          (at) => `V-${at},P-${at},${1 + at % 3},2026-03-0${at} 08:15:00,2026-03-0${at} 09:30:00`
        )
      })
      const sent = new Map(visits.map((visit) => [visit.code, visit]))
      const of = (code: string) => {
        const { emergencies, inpatients, outpatients, patient: { sex }, visit_type } = sent.get(code)
        return [sex, visit_type, outpatients.length, inpatients.length, emergencies.length]
      }
      assert.deepStrictEqual(of("V-1"), ["M", "OPD", 1, 0, 0])
      assert.deepStrictEqual(of("V-2"), ["F", "OPD", 0, 0, 1])
      assert.deepStrictEqual(of("V-3"), ["M", "IPD", 0, 1, 0])
      assert.include(mapping, "# `Female`\n      \"1\": F")
      assert.include(mapping, "# `Emergency`: verify it\n      \"3\": \"yes\"")
      assert.notInclude(questions, "`visit_types`")
    }))

  it.effect("and so do those of marital statuses, ends of visits and nationalities", () =>
    Effect.gen(function*() {
      const { mapping, questions, visits } = yield* drafted({
        "marital_statuses.csv": "id,name\n1,Single\n2,Married\n3,Widow\n4,Meadow\n",
        "nationalities.csv": "id,name\n1,Khmer\n2,Thai\n",
        "discharge_types.csv": "id,name\n1,Discharged home\n2,Left against medical advice\n",
        "outcomes.csv": "id,name\n1,Recovered\n2,Improved\n",
        "patients.csv": table(
          "patient_no,surname,birth_date,sex,marital_status_id,nationality_id",
          9,
          (at) => `P-${at},Example,1990-04-1${at % 9},F,${1 + at % 4},${1 + at % 2}`
        ),
        "visits.csv": table(
          "visit_no,patient_no,visit_type,admitted_at,discharged_at,discharge_type_id,outcome_id",
          9,
          (at) =>
            `V-${at},P-${at},OPD,2026-03-0${at} 08:15:00,2026-03-0${at} 09:30:00,${1 + at % 2},${1 + Number(at > 4)}`
        )
      })
      const sent = new Map(visits.map((visit) => [visit.code, visit]))
      const of = (code: string) => {
        const { discharge_type, patient, visit_outcome } = sent.get(code)
        return [patient.marital_status, patient.nationality, discharge_type, visit_outcome]
      }
      assert.deepStrictEqual(of("V-1"), ["Married", "Thai", "Unauthorized", "Recovered"])
      assert.deepStrictEqual(of("V-6"), ["Widowed", "Khmer", "Authorized", "Improved"])
      assert.deepStrictEqual(of("V-7"), [null, "Thai", "Unauthorized", "Improved"])
      assert.include(mapping, "# `Widow`: verify it\n      \"3\": Widowed")
      assert.include(questions, "tables/marital_status.csv:  4 (Meadow)")
      assert.include(questions, "tables/nationality.csv:  Khmer, Thai")
    }))
})

describe("A code of a department", () => {
  const visits = (more: string) => days(9, { header: ",dept_code", more: (at) => `,${more}${1 + at % 3}` })

  it.effect("is sent as the name that a table has for it", () =>
    Effect.gen(function*() {
      const { visits: sent } = yield* drafted({
        ...visits("0"),
        "departments.csv": table("code,name", 3, (at) => `0${at},Example Department ${at}`)
      })
      assert.deepStrictEqual(
        new Set(sent.map(({ outpatients }) => outpatients[0].service_type)),
        new Set(upTo(3).map((at) => `Example Department ${at}`))
      )
    }))

  for (const more of ["0", "D"]) {
    it.effect(`is an assumption and a question if no table has its name: ${more}1`, () =>
      Effect.gen(function*() {
        const { problems, questions, visits: sent } = yield* drafted(visits(more))
        assert.include(
          questions.replaceAll(/\s+/gu, " "),
          `what do codes of \`visit.dept_code\` mean? Fill in tables/service_type.csv: ${more}1 3`
        )
        assert.match(problems, /9 visits +code-is-sent-as-it-is/u)
        assert.strictEqual(sent.length, 9)
      }))
  }
})
