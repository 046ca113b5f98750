import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

type Rows = ReadonlyArray<string>

/** The diagnoses of each visit, as `PRIMARY, other`, from several rows of each. */
const diagnosed = (header: string, rows: (at: number) => Rows, tables = {}) =>
  drafted(
    {
      ...days(6),
      "diagnosis.csv": `row_no,visit_no,${header}\n${
        [1, 2, 3, 4, 5, 6].flatMap((at) => rows(at).map((row, line) => `R-${at}${line},V-${at},${row}\n`)).join("")
      }`
    },
    Object.keys(tables).length === 0 ? {} : days(6),
    tables
  ).pipe(Effect.map(({ later, questions, visits }) => {
    const ranked = (all: typeof visits) =>
      all.map(({ diagnosis }) =>
        diagnosis.map((one: Record<string, string>) => `${one.diagnosis_type_name} ${one.diagnosis_code}`).join(", ")
      )
    return { questions, visits, sent: ranked(visits), later: ranked(later.visits) }
  }))

describe("The rank of a diagnosis", () => {
  it.effect("is that of words such as `Primary diagnosis`, and no number of a concept", () =>
    Effect.gen(function*() {
      const { sent } = yield* diagnosed(
        "code,condition_type_concept_id,condition_status_source_value",
        () => ["I10,32817,Secondary diagnosis", "J06.9,32817,Primary diagnosis"]
      )
      assert.deepStrictEqual([...new Set(sent)], ["Secondary I10, Primary J06.9"])
    }))

  it.effect("is not that of the code itself, in a column of main conditions", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* diagnosed("Main Condition/Code", (at) => [`J0${at}.9`])
      assert.deepStrictEqual(sent.slice(0, 2), ["Primary J01.9", "Primary J02.9"])
      assert.include(questions, "first-diagnosis-is-primary")
    }))

  it.effect("is that of a column `PDX` with `P`, also next to other letters than `S`", () =>
    Effect.gen(function*() {
      const { sent } = yield* diagnosed("dx,enc_type,pdx", (at) => [`I10,AV,${at % 2 ? "S" : "X"}`, "J06.9,AV,P"])
      assert.deepStrictEqual([...new Set(sent)], ["Secondary I10, Primary J06.9"])
    }))

  it.effect("is a number that can have leading zeros, and has none in a later extract", () =>
    Effect.gen(function*() {
      const ranked = (zero: string) => ({
        "diagnosis.csv": table("visit_no,diag_code,dxtype,entered", 12, (at) =>
          `V-${(at + 1) >> 1},${at % 2 ? "J06.9,0" : "I10,0"}${2 - at % 2},2026-03-0${(at + 1) >> 1} 08:40`.replaceAll(
            ",0",
            `,${zero}`
          ))
      })
      const { later, visits } = yield* drafted({ ...days(6), ...ranked("0") }, ranked(""))
      for (const { diagnosis } of [...visits, ...later.visits]) {
        assert.deepStrictEqual(
          diagnosis.map((one: Record<string, string>) =>
            `${one.diagnosis_type_name} ${one.diagnosis_code}`
          ),
          ["Primary J06.9", "Secondary I10"]
        )
      }
      assert.deepStrictEqual([visits.length, later.visits.length], [6, 6])
    }))

  it.effect("begins with the first number of its list", () =>
    Effect.gen(function*() {
      const { sent } = yield* diagnosed("code,seq", () => ["I10,1", "J06.9,0"])
      assert.deepStrictEqual([...new Set(sent)], ["Secondary I10, Primary J06.9"])
    }))
})

describe("Rows that are counted within a visit", () => {
  it.effect("are counted from the start when the patient returns, and all of them are sent", () =>
    Effect.gen(function*() {
      const files = (count: number) => ({
        ...days(6),
        "visits.csv": table(
          "visit_no,patient_no,admitted,discharged,type",
          count,
          (at) => `V-${at},P-${(at - 1) % 6 + 1},2026-03-${two(at)} 08:15,2026-03-${two(at)} 09:15,OPD`
        ),
        "diagnosis.csv": table("patient_no,visit_no,seq_num,icd_code", 2 * count, (at) => {
          const visit = (at + 1) >> 1
          return `P-${(visit - 1) % 6 + 1},V-${visit},${2 - at % 2},${at % 2 ? "J06.9" : visit > 6 ? "E86" : "I10"}`
        })
      })
      const { later, mapping } = yield* drafted(files(6), files(8))
      assert.include(mapping, "key: [visit_no, seq_num]")
      for (const { code, diagnosis } of later.visits) {
        const second = code === "V-7" || code === "V-8" ? "E86" : "I10"
        assert.deepStrictEqual(diagnosis.map((one: Record<string, string>) => one.diagnosis_code), ["J06.9", second])
      }
      assert.strictEqual(later.visits.length, 8)
    }))
})

describe("A row of diagnoses", () => {
  it.effect("has no number as its name, and the day of the diagnosis, not that of the admission", () =>
    Effect.gen(function*() {
      const { visits } = yield* diagnosed(
        "diagnosis_nr,code,admit_date,dx_date",
        (at) => [`${100 + at},I10,2026-02-0${at} 07:00,2026-03-0${at} 08:20`]
      )
      const { diagnosed_at, diagnosis_name } = visits[0].diagnosis[0]
      assert.deepStrictEqual([diagnosis_name, diagnosed_at], [null, "2026-03-01T08:20:00.000+07:00"])
    }))
})

describe("A medicine", () => {
  it.effect("has no type as its code, no concept 0, and no number as its route", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(6),
        "drug_exposure.csv": table(
          "drug_exposure_id,visit_no,drug_exposure_start_datetime,drug_type_concept_id,route_concept_id,drug_source_value,drug_source_concept_id,route_source_value",
          6,
          (at) => `${at},V-${at},2026-03-${two(at)} 08:30,${32838 + at % 2},4132161,Lisinopril 10 MG,0,oral`
        )
      })
      const { code, medicine_name, method } = visits[0].prescriptions[0].medications[0]
      assert.deepStrictEqual([code, medicine_name, method], ["Lisinopril 10 MG", "Lisinopril 10 MG", "oral"])
    }))
})

describe("A sign of comparison in letters", () => {
  const results = (last: string) =>
    drafted(
      {
        ...days(20),
        "lab_result.csv": table(
          "lab_result_id,visit_no,raw_lab_name,result_date,result_qual,result_num,result_modifier,norm_modifier_low",
          20,
          (at) =>
            `L-${at},V-${at},Troponin,2026-03-${two(at)} 08:30,NI,0.0${at},${
              at === 20 ? last : at % 3 ? "EQ" : "LT"
            },GE`
        )
      }
    ).pipe(Effect.map(({ questions, visits }) => ({
      questions,
      sent: new Map(
        visits.map(({ code, laboratories: [{ results: [one] }] }) => [code, [one.name, one.value]] as const)
      )
    })))

  it.effect("is sent as a sign with the number, and a column of words next to it is not", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* results("GE")
      assert.deepStrictEqual(["V-2", "V-3", "V-20"].map((code) => sent.get(code)), [
        ["Troponin", 0.02],
        ["Troponin", "<0.03"],
        ["Troponin", ">=0.020"]
      ])
      assert.notInclude(questions, "which signs")
    }))

  it.effect("rejects its visit if its meaning is unknown, with a question", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* results("TX")
      assert.isFalse(sent.has("V-20"))
      assert.include(questions, "which signs do these words of `lab_result.result_modifier` mean?")
    }))
})

describe("Results without a name of their test", () => {
  it.effect("are asked about", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(6),
        "lab_results.csv": table("request_no,visit_no,result,taken", 6, (at) =>
          `L-${at},V-${at},10.${at},2026-03-${two(at)} 08:30`)
      })
      assert.include(questions, "which column of `lab_results` names the tests?")
    }))
})

describe("The number of a patient", () => {
  it.effect("is not the code of a visit, also next to another number of the patient", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "export.csv": table(
          "Local_Patient_ID,NHS_Number,Surname,Forename,Sex,DOB,Admitted,Discharged,ICD10",
          8,
          (at) =>
            `L${at},99900${at},Example,Ann${at},F,1990-04-12,2026-03-${two(at)} 08:15,2026-03-${two(at)} 09:15,I10`
        )
      })
      assert.deepStrictEqual([visits[0].code, visits[0].patient_code], ["L1 2026-03-01 08:15", "L1"])
      const spells = yield* drafted({
        "export.csv": table(
          "Provider_Spell_ID,NHS_Number,Local_Patient_ID,Surname,Forename,Sex,DOB,Admitted,Discharged",
          8,
          (at) =>
            `S${at},99900${at},L${at},Example,Ann${at},F,1990-04-12,2026-03-${two(at)} 08:15,2026-03-${two(at)} 09:15`
        )
      })
      assert.deepStrictEqual([spells.visits[0].code, spells.visits[0].patient_code], ["S1", "L1"])
    }))
})

describe("An end in two columns", () => {
  it.effect("is read next to a beginning in one", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(6),
        "visits.csv": table("visit_no,patient_no,encounter_date,type,discharge_date,discharge_time", 6, (at) =>
          `V-${at},P-${at},2026-03-${two(at)} 08:15:00,OPD,2026-03-${two(at + 1)},09:40:00`)
      })
      const { admitted_at, discharged_at } = visits[0]
      assert.deepStrictEqual([admitted_at, discharged_at], [
        "2026-03-01T08:15:00.000+07:00",
        "2026-03-02T09:40:00.000+07:00"
      ])
    }))
})

describe("A column `INOUT_CD`", () => {
  it.effect("has the type of a visit", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(6),
        "visit_dimension.csv": table("encounter_num,patient_no,start_date,end_date,inout_cd", 6, (at) =>
          `V-${at},P-${at},2026-03-${two(at)} 08:15:00,2026-03-${two(at)} 09:15:00,${at % 2 ? "O" : "I"}`),
        "visits.csv": "nothing\n"
      })
      assert.deepStrictEqual(
        visits.slice(0, 2).map(({ visit_type }) =>
          visit_type
        ),
        ["OPD", "IPD"]
      )
    }))
})

describe("A discount of a line", () => {
  const billed = (rows: (at: number) => string) =>
    drafted({
      ...days(6),
      "bill_lines.csv": table(
        "line_id,visit_no,billed_at,item_code,item_name,quantity,unit_price,discount,subtotal",
        6,
        (at) => `${at},V-${at},2026-03-${two(at)} 09:00,LAB,Laboratory,${rows(at)}`
      )
    }).pipe(Effect.map(({ problems, visits }) => {
      const { discount, payment, price } = visits[0].invoices[0].services[0]
      return { problems, sent: [price, discount, payment] }
    }))

  it.effect("is sent as an amount, also if the subtotal shows that it is a percentage", () =>
    Effect.gen(function*() {
      const percentage = yield* billed(() => "2,5.00,20.0,8.00")
      assert.deepStrictEqual(percentage.sent, [10, 2, 8])
      assert.notInclude(percentage.problems, "not the price times the quantity")
      assert.deepStrictEqual((yield* billed(() => "2,5.00,2.00,8.00")).sent, [10, 2, 8])
      assert.deepStrictEqual((yield* billed(() => "2,5.00,0,10.00")).sent, [10, 0, 10])
      const neither = yield* billed(() => "2,5.00,3.00,8.00")
      assert.deepStrictEqual(neither.sent, [10, 3, 8])
      assert.include(neither.problems, "not the price times the quantity")
    }))

  it.effect("is none without its column, and an amount that is not the price is reported", () =>
    Effect.gen(function*() {
      const { problems, visits } = yield* drafted({
        ...days(6),
        "bill_items.csv": table(
          "line_id,visit_no,billed_at,item_code,item_name,unit_cost,amount",
          6,
          (at) => `${at},V-${at},2026-03-${two(at)} 09:00,LAB,Laboratory,4.50,9.00`
        )
      })
      assert.strictEqual(visits.length, 6)
      assert.include(problems, "not the price")
    }))
})

describe("Digits of Khmer and Thai", () => {
  it.effect("are read in dates and amounts, and stay in texts", () =>
    Effect.gen(function*() {
      const digits = (text: string, zero: number) =>
        text.replaceAll(/\d/gu, (digit) => String.fromCharCode(zero + Number(digit)))
      for (const zero of [0x17e0, 0xe50]) {
        const { visits } = yield* drafted({
          ...days(6),
          "visits.csv": table("visit_no,patient_no,admitted,discharged,type", 6, (at) =>
            `V-${at},P-${at},${digits(`${two(at + 12)}/03/2026 08:15`, zero)},${
              digits(`${two(at + 12)}/03/2026 09:15`, zero)
            },OPD`),
          "bill_lines.csv": table("line_id,visit_no,item_code,item_name,quantity,unit_price,amount", 6, (at) =>
            `${at},V-${at},LAB,${digits("Test 7", zero)},${digits("2", zero)},${digits("1500.50", zero)},${
              digits("3001.00", zero)
            }`)
        })
        const [{ admitted_at, invoices: [{ services: [line] }] }] = visits
        assert.deepStrictEqual([admitted_at, line.price, line.payment, line.service_name], [
          "2026-03-13T08:15:00.000+07:00",
          3001,
          3001,
          digits("Test 7", zero)
        ])
      }
    }))
})

describe("A column `value_as_number`", () => {
  it.effect("is no number of its rows, and is read as a result", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted({
        ...days(20),
        "lab_measurement.csv": table(
          "visit_no,test_name,value_as_number,measured",
          20,
          (at) => `V-${at},CRP,${100 + at * 3},2026-03-${two(at)} 08:30`
        )
      })
      assert.notInclude(mapping, "key: value_as_number")
      assert.strictEqual(visits[0].laboratories[0].results[0].value, 103)
    }))
})

describe("The columns of a person", () => {
  for (const birth of ["date_birth", "DoB", "D.O.B."]) {
    it.effect(`are known by names in another order of words, and by abbreviations: ${birth}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* drafted({
          ...days(6),
          "care_person.csv": table(
            `patient_no,name_first,name_last,${birth},gender_source_value,civil_status`,
            6,
            (at) => `P-${at},Ann${at},Example,1990-04-12,F,married`
          ),
          "patients.csv": "nothing\n"
        })
        const { birthdate, marital_status, name, sex, surname } = visits[0].patient
        assert.deepStrictEqual([surname, name, birthdate, sex, marital_status], [
          "Example",
          "Ann1",
          "1990-04-12",
          "F",
          "Married"
        ])
      }))
  }
})

describe("Running numbers of patients and of visits", () => {
  it.effect("do not link the rows of a patient to the visit of this number", () =>
    Effect.gen(function*() {
      const six = (value: number) => String(value).padStart(6, "0")
      const services = [1, 2, 3, 4, 5, 6, 7, 8].map((at) => [six(at), six(9 - at > 4 ? 9 - at - 4 : 9 - at), two(at)])
      const rows = (row: (seq: string, pid: string, day: string) => string) =>
        services.map(([seq = "", pid = "", day = ""]) => `${row(seq, pid, day)}\n`).join("")
      const { visits } = yield* drafted({
        "person.csv": table("CID,PID,HN,NAME,LNAME,SEX,BIRTH", 4, (at) =>
          `00000000000${at}0,${six(at)},H${at},Ann${at},Example,2,1990041${at}`),
        "service.csv": `PID,SEQ,DATE_SERV,TIME_SERV,SBP,DBP,PR\n${
          rows((seq, pid, day) => `${pid},${seq},202603${day},081500,120,80,7${day.slice(1)}`)
        }`,
        "diagnosis_opd.csv": `PID,SEQ,DATE_SERV,DIAGTYPE,DIAGCODE\n${
          rows((seq, pid, day) => `${pid},${seq},202603${day},1,J0${Number(day) % 3}`)
        }`,
        "drug_opd.csv": `PID,SEQ,DATE_SERV,DIDSTD,DNAME,AMOUNT\n${
          rows((seq, pid, day) => `${pid},${seq},202603${day},1010,Drug ${day},10`)
        }`,
        "admission.csv": `PID,SEQ,AN,DATETIME_ADMIT,DATETIME_DISCH\n${six(4)},${
          six(1)
        },900001,20260301103000,20260303090000\n`
      })
      assert.deepStrictEqual(
        visits.map(({ code, diagnosis, patient, visit_type }) => [
          code,
          patient.code,
          visit_type,
          diagnosis.map((one: Record<string, string>) =>
            one.diagnosis_code
          ).join()
        ]).toSorted(),
        services.map(([seq = "", pid, day = ""]) => [seq, pid, seq === six(1) ? "IPD" : "OPD", `J0${Number(day) % 3}`])
      )
    }))
})

describe("The rows of diagnoses", () => {
  it.effect("are ranked by `DXTYPE`, and have no onset of the illness as their time", () =>
    Effect.gen(function*() {
      const { sent, visits } = yield* diagnosed(
        "diag,dxtype,onset_date",
        () => ["I10,4,2015-01-01", "J06.9,1,2026-02-20"]
      )
      assert.deepStrictEqual([...new Set(sent)], ["Secondary I10, Primary J06.9"])
      assert.strictEqual(visits[0].diagnosis[0].diagnosed_at, "2026-03-01T08:15:00.000+07:00")
    }))

  it.effect("are asked about by a column of types that no line reads", () =>
    Effect.gen(function*() {
      const { questions } = yield* diagnosed("icd_code,seq,type", (at) => [`I10,1,${at % 3 ? "Acute" : "Rule out"}`])
      assert.include(questions, "which types of diagnoses should be sent, by `diagnosis_table.type`?")
      const ranked = yield* diagnosed("icd_code,dx_type", () => ["I10,Primary", "E11.9,Secondary"])
      assert.notInclude(ranked.questions, "which types of diagnoses")
    }))
})

describe("A discount of a visit", () => {
  it.effect("is asked about, because only lines have discounts", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(6, { header: ",senior_discount", more: (at) => `,${at}0.50` }),
        "bill_items.csv": table("line_id,visit_no,item_code,item_name,qty,unit_price,amount", 6, (at) =>
          `${at},V-${at},LAB,Laboratory,1,100.00,100.00`)
      })
      assert.include(
        questions,
        "how much of the discount of an invoice, `senior_discount` in `visit`, is that of each line?"
      )
    }))
})

describe("A sign for a number, a test of sodium, and a result that was made unreadable", () => {
  it.effect("are read: `Order #`, `Na`, `___`", () =>
    Effect.gen(function*() {
      const rowOf = (at: number, cells: string) => `${900 + at},V-${at + 1},${cells},H,2026-03-${two(at + 1)} 08:30\n`
      const { visits } = yield* drafted({
        ...days(20),
        "labs.csv": `Order #,visit_no,test,result,abn,collected\n${
          Array.from({ length: 20 }, (_, at) => rowOf(at, `NA,14${at % 9}`) + rowOf(at, "K,4.1") + rowOf(at, "PLT,___"))
            .join("")
        }`
      })
      const [{ request_code, results }] = visits[0].laboratories
      const sent = results.map((one: Record<string, string>) => `${one.name} ${one.value} ${one.interpretation}`)
      assert.deepStrictEqual([request_code, sent], ["900", ["NA 140 H", "K 4.1 H"]])
    }))
})

describe("Answers of all forms in one table", () => {
  for (
    const [column, words] of [
      ["encounter_type", "Lab Results"],
      ["form_name", "Laboratory form"],
      ["type", "LAB"]
    ] as const
  ) {
    it.effect(`are results where \`${column}\` is \`${words}\`, and the others are not sent as results`, () =>
      Effect.gen(function*() {
        const { mapping, visits } = yield* drafted({
          ...days(9),
          "answers.csv": `answer_id,visit_no,${column},asked_at,concept,value_numeric,value_coded\n${
            Array.from({ length: 9 }, (_, index) => {
              const row = (line: number, kind: string, answer: string) =>
                `${index + 1}${line},V-${index + 1},${kind},2026-03-0${index + 1} 08:30,${answer}\n`
              return [
                row(1, words, `Haemoglobin,1${index}.5,`),
                row(2, words, "Malaria smear,,Negative"),
                row(3, "Visit Note", "Pain score,3,")
              ].join("")
            }).join("")
          }`
        })
        const sent = visits.map(({ laboratories }) =>
          laboratories.flatMap(({ results }: { results: ReadonlyArray<Record<string, string>> }) =>
            results.map(({ name, value }) => `${name} ${value}`)
          )
        )
        assert.deepStrictEqual(sent[3], ["Haemoglobin 13.5", "Malaria smear Negative"])
        assert.match(mapping, /Visit Note"?: "no"/u)
      }))
  }
})
