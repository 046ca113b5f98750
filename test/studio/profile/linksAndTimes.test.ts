import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two, upTo } from "./drafted.ts"

describe("A column with the name of a table in the plural", () => {
  it.effect("refers to that table, not to the bills with the same number", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted({
        "pacientes.csv": table(
          "id,apellidos,nombres,sexo,fecha_nacimiento",
          8,
          (at) => `${at},Ejemplo,Ana,F,1990-04-${two(at)}`
        ),
        "atenciones.csv": table(
          "id,paciente_id,fecha_ingreso,fecha_egreso",
          8,
          (at) => `${at},${at},2026-03-${two(at)} 08:00,2026-03-${two(at)} 09:00`
        ),
        "diagnosticos.csv": table("id,atencion_id,codigo_cie10", 16, (at) => `${at},${1 + at % 8},A0${at % 8}`),
        "facturas.csv": table("id,atencion_id,total", 8, (at) => `${at},${at},50.00`)
      })
      assert.include(mapping, "visit: {table: visit, on: atencion_id}")
      assert.notInclude(mapping, "table: facturas, on: atencion_id")
      assert.isTrue(visits.every(({ diagnosis }) => diagnosis.length === 2))
    }))
})

describe("The order of the columns", () => {
  const patients = table("patient_no,surname,birth_date,sex", 9, (at) => `P-${at},Example,1990-04-12,F`)
  const orders = (columns: ReadonlyArray<string>) => [columns, columns.toReversed()]

  it.effect("does not decide whose visit it is: a number of the mother is not that of the patient", () =>
    Effect.gen(function*() {
      const all = ["mother_patient_no", "mother_no", "patient_guardian"].flatMap((name) => orders([name, "patient_no"]))
      for (const header of all) {
        const numbers = (at: number) =>
          header.map((name) => name === "patient_no" ? `P-${at}` : `P-${1 + at % 8}`).join(",")
        const { questions, visits } = yield* drafted({
          "visits.csv": table(
            `visit_no,${header.join(",")},admitted,discharged,type`,
            8,
            (at) => `V-${at},${numbers(at)},2026-03-${two(at)} 08:15,2026-03-${two(at)} 09:15,OPD`
          ),
          "patients.csv": patients
        })
        assert.sameMembers(
          visits.map(({ code, patient_code }) => `${code} of ${patient_code}`),
          upTo(8).map((at) => `V-${at} of P-${at}`)
        )
        assert.include(questions, "whose visit is a row of `visit`? `patient_no` is used")
      }
    }))

  it.effect("does not decide what is about the patient: a column with one more word is about something else", () =>
    Effect.gen(function*() {
      for (const header of orders(["newborn_birth_date", "birth_date", "newborn_phone", "phone"])) {
        const { visits } = yield* drafted({
          ...days(8),
          "patients.csv": table(
            `patient_no,surname,sex,${header.join(",")}`,
            8,
            (at) =>
              `P-${at},Example,F,${
                header.map((name) => ({ birth_date: "1990-04-12", phone: "012000001" })[name] ?? "2026-03-01").join(",")
              }`
          )
        })
        for (const { patient } of visits) assert.deepInclude(patient, { birthdate: "1990-04-12", phone: "012000001" })
        assert.strictEqual(visits.length, 8)
      }
    }))

  it.effect("decides between two columns if one of them only names the visit in addition", () =>
    Effect.gen(function*() {
      for (const [column, other] of [["visit_type", "type"], ["type", "visit_type"]] as const) {
        const { mapping } = yield* drafted({
          "patients.csv": patients,
          "visits.csv": table(
            `visit_no,patient_no,admitted,discharged,${column},${other}`,
            8,
            (at) => `V-${at},P-${at},2026-03-${two(at)} 08:15,2026-03-${two(at)} 09:15,K${at % 2},L${at % 2}`
          )
        })
        assert.strictEqual(mapping.includes("visit_type: {from: \"type\"}"), column === "type")
      }
    }))

  it.effect("does not decide which is the patient of a row: that of the insurance is another person", () =>
    Effect.gen(function*() {
      for (const header of orders(["patientinsuranceid", "patientid"])) {
        const { mapping } = yield* drafted({
          ...days(8),
          "patients.csv": patients,
          "allergies.csv": table(
            `${header.join(",")},substance`,
            8,
            (at) => `${header.map((name) => name === "patientid" ? `P-${at}` : `P-${1 + at % 8}`).join(",")},Penicillin`
          )
        })
        assert.match(mapping, /^ +patient: \{table: patient, on: patientid\}$/mu)
      }
    }))

  it.effect("does not decide which column of medicines is the name, and which one the code", () =>
    Effect.gen(function*() {
      for (const header of orders(["item", "drug"])) {
        const { mapping } = yield* drafted({
          ...days(8),
          "pharmacy.csv": table(
            `visit_no,${header.join(",")},strength`,
            16,
            (at) =>
              `V-${1 + at % 8},${
                header.map((name) => name === "item" ? `PARA${at % 3}` : "Paracetamol").join(",")
              },500 mg`
          )
        })
        assert.include(mapping, "medicine_name: drug")
        assert.include(mapping, "code: {path: [item, drug], conceptMap: medicine_code}")
      }
    }))
})

const visitsWith = (header: string, row: (at: number) => string) =>
  drafted({
    "visits.csv": table(`visit_no,patient_no,type,${header}`, 8, (at) => `V-${at},P-${at},OPD,${row(at)}`),
    "patients.csv": days(8)["patients.csv"]
  })

describe("The beginning and the end of a visit", () => {
  it.effect("are no dates of an insurance, a bill, a result, or a leave", () =>
    Effect.gen(function*() {
      for (
        const name of [
          "insurance_end_date",
          "Claim Closing Date",
          "Result Release Date",
          "Date Bill Completed",
          "Sick Leave To"
        ]
      ) {
        const { visits: [visit] } = yield* visitsWith(
          `admitted,${name}`,
          (at) => `2026-03-${two(at)} 08:15,2026-12-31`
        )
        assert.include(visit.discharged_at, "2026-03-01T08:15", name)
      }
    }))

  it.effect("are those of the visit date, not of another start", () =>
    Effect.gen(function*() {
      for (const name of ["policy_start_date", "Symptoms Start Date", "Registration Date", "start_date"]) {
        for (const date of ["visit_date", "Consultation Date"]) {
          const { questions, visits } = yield* visitsWith(`${name},${date}`, (at) => `2020-05-01,2026-03-${two(at)}`)
          if (visits.length > 0) assert.include(visits[0].admitted_at, "2026-03-01", name)
          assert.notInclude(questions, `Name it \`discharged_at\`:  \`${date}`)
        }
      }
    }))
})

describe("Day numbers of a spreadsheet and times of day in columns of their own", () => {
  it.effect("are read together", () =>
    Effect.gen(function*() {
      const { mapping, visits: [visit] } = yield* visitsWith(
        "VisitDate,VisitTime,OutDate,OutTime",
        (at) => `${46082 + at},08:15,${46082 + at},09:30`
      )
      assert.include(mapping, "from: [\"VisitDate\", \"VisitTime\"], format: \"excel HH:mm\"")
      assert.include(visit.admitted_at, "2026-03-02T08:15")
      assert.include(visit.discharged_at, "2026-03-02T09:30")
    }))
})

describe("Times as numbers since 1970", () => {
  for (const [format, perSecond] of [["unix", 1], ["unix ms", 1000]] as const) {
    it.effect(`are read: ${format}`, () =>
      Effect.gen(function*() {
        const second = (at: number, minutes: number): number =>
          (Date.UTC(2026, 2, 1 + at, 1, 15 + minutes) / 1000) * perSecond
        const { mapping, visits: [visit] } = yield* visitsWith(
          "arrival_time,departure_time",
          (at) => `${second(at, 0)},${second(at, 75)}`
        )
        assert.match(mapping, new RegExp(`format: "?${format}"?\\}`, "u"))
        assert.strictEqual(visit.admitted_at, "2026-03-02T08:15:00.000+07:00")
        assert.strictEqual(visit.discharged_at, "2026-03-02T09:30:00.000+07:00")
      }))
  }

  it.effect("are no day of birth, which is asked about", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(8),
        "patients.csv": table(
          "patient_no,surname,birth_date,sex",
          8,
          (at) => `P-${at},Example,${Date.UTC(2010, 3, at) / 1000},F`
        )
      })
      assert.match(questions.replaceAll(/\s+/gu, " "), /how are the dates of these columns written\? `patients?\.\w+`/u)
    }))
})

describe("Numbered columns of visits that no line reads", () => {
  it.effect("are asked about, with the number of them", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted(
        days(8, { header: ",drug1,dose1,drug2,dose2", more: (at) => `,Example ${at},1-0-1,Other ${at},1-1-1` })
      )
      assert.include(
        questions.replaceAll(/\s+/gu, " "),
        "how should the numbered columns of `visit` be sent? `drug` (2 columns), `dose` (2 columns)."
      )
    }))
})

describe("Types of visits that are numbers", () => {
  it.effect("are not sent as visits that were no emergencies before they are filled in", () =>
    Effect.gen(function*() {
      const files = days(8)
      const visits = files["visits.csv"].split("\n").map((line, at) => line.replace(/,OPD$/u, `,${1 + at % 3}`))
      const types = ["code,value\n1,OPD\n2,IPD\n3,OPD\n", "code,value\n1,no\n2,no\n3,yes\n"] as const
      const { later, visits: sent } = yield* drafted({ ...files, "visits.csv": visits.join("\n") }, {}, {})
      assert.deepStrictEqual([sent, later.visits], [[], []])
      const filled = yield* drafted(
        { ...files, "visits.csv": visits.join("\n") },
        { "visits.csv": `${visits.join("\n")}\n` },
        { "visit_type.csv": types[0], "visit_emergency.csv": types[1] }
      )
      assert.deepStrictEqual(
        filled.later.visits.map(({ emergencies, inpatients, outpatients }) =>
          [outpatients, inpatients, emergencies].map(({ length }) => length).join("")
        ),
        upTo(8).map((at) => ["100", "010", "001"][at % 3])
      )
    }))
})

describe("Two tables that are named after visits", () => {
  const files = {
    "PERSON.txt": table("PID|NAME|LNAME|SEX|BIRTH", 8, (at) => `00000${at}|Ann|Example|2|25330412`),
    "OPD.txt": table(
      "PID|SEQ|DATE_SERV|TIME_SERV|SBP|DBP|PR",
      24,
      (at) => `00000${1 + at % 8}|${690000 + at}|256903${two(at)}|081500|120|80|7${at % 10}`
    ),
    "IPD.txt": table(
      "PID|AN|SEQ|DATETIME_ADMIT|DATETIME_DISCH",
      4,
      (at) => `00000${1 + at}|69-${at}|${690000 + at}|256903${two(at)}0900|256903${two(at + 2)}0900`
    ),
    "DIAGNOSIS_IPD.txt": table("PID|AN|DIAGTYPE|DIAGCODE", 4, (at) => `00000${1 + at}|69-${at}|1|J189`),
    "LABFU.txt": table("PID|SEQ|LABTEST|LABRESULT", 24, (at) => `00000${1 + at % 8}|${690000 + at}|GLU|12${at}`),
    "DIAGNOSIS_OPD.txt": table("PID|SEQ|DIAGTYPE|DIAGCODE", 24, (at) => `00000${1 + at % 8}|${690000 + at}|1|A09`)
  }

  it.effect("send the rows that the others belong to, with what refers to them, and ask whether those with a stay are stays", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted(files)
      assert.deepStrictEqual(
        visits.map(({ code, diagnosis }) => `${code} ${diagnosis.map((one: any) => one.diagnosis_code).join()}`)
          .toSorted(),
        upTo(24).map((at) => `${690000 + at} A09`)
      )
      assert.include(
        questions.replaceAll(/\s+/gu, " "),
        "are the visits with a row in `ipd` (4 rows) stays? They are sent as IPD that end at its `datetime_disch`, the others as OPD"
      )
      assert.deepStrictEqual(
        visits.filter(({ visit_type }) => visit_type === "IPD").map((
          { code, discharged_at, inpatients, outpatients }
        ) => [
          code,
          discharged_at,
          inpatients[0].ended_at,
          outpatients.length
        ]).toSorted(),
        upTo(4).map((at) => [
          `${690000 + at}`,
          `2026-03-${two(at + 2)}T09:00:00.000+07:00`,
          `2026-03-${two(at + 2)}T09:00:00.000+07:00`,
          0
        ])
      )
    }))

  it.effect("ask about the second table also if nothing refers from one to the other", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...files,
        "IPD.txt": files["IPD.txt"].replaceAll(/\|6900\d\d\|/gu, "||")
      })
      assert.include(questions.replaceAll(/\s+/gu, " "), "visits, too, or stays of the visits?")
    }))
})

describe("Charges of which some name the visit, and others the stay", () => {
  const files = {
    ...days(12),
    "visits.csv": table(
      "visit_no,patient_no,admitted",
      12,
      (at) => `V-${at},P-${at},2026-03-${two(at)} 08:15`
    ),
    "ipt.csv": table(
      "an,visit_no,ward,discharge_date",
      4,
      (at) => `AN-${at},V-${at},Ward ${at},${at === 4 ? "" : `2026-03-${two(at + 5)} 10:00`}`
    ),
    "items.csv": "icode,name\nI1,Room\nI2,Dressing\nI3,Consultation\n",
    "charges.csv": table(
      "line_no,visit_no,an,icode,qty,unit_price,amount",
      12,
      (at) =>
        at <= 4
          ? `${at},,AN-${at},I1,1,400.00,400.00\n${20 + at},V-${at},,I2,2,10.00,20.00`
          : `${at},V-${at},,${at === 9 ? "I9" : `I${1 + at % 3}`},1,50.00,50.00`
    )
  }

  it.effect("are one invoice of each visit; a patient who stays has no end, and a code in place of a name is reported", () =>
    Effect.gen(function*() {
      const { mapping, problems, visits } = yield* drafted(files)
      assert.include(mapping, "charges: [visit, ipt.resolve().visit]")
      assert.notInclude(problems, "error[no-encounter]")
      const totals = visits.map(({ code, invoices }) => [code, invoices.map(({ total }: any) => total)])
      for (const [code, total] of totals) {
        assert.deepStrictEqual(total, Number(code.slice(2)) <= 4 ? [420] : [50], code)
      }
      assert.notInclude(visits.map(({ code }) => code), "V-4")
      assert.include(problems, "warning[substitute-value]: the code in place of the name")
      assert.strictEqual(visits.find(({ code }) => code === "V-9")?.invoices[0].services[0].service_name, "I9")
      assert.strictEqual(visits.find(({ code }) => code === "V-1")?.discharged_at, "2026-03-06T10:00:00.000+07:00")
    }))
})

describe("Charges with the usage of a medicine", () => {
  it.effect("are prescriptions, too: of those whose item is one of the table of medicines", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(9),
        "drugitems.csv": "icode,name,strength\nD1,Paracetamol,500 mg\nD2,Amoxicillin,250 mg\n",
        "charges.csv": table(
          "line_no,visit_no,icode,drugusage,qty,unitprice,sum_price",
          9,
          (at) => `${at},V-${at},D${1 + at % 2},3 x 1,2,5.00,10.00\n${20 + at},V-${at},S1,,1,50.00,50.00`
        )
      })
      assert.deepStrictEqual(
        visits.map(({ prescriptions }) =>
          prescriptions.flatMap(({ medications }: any) =>
            medications.map(({ medicine_name: name, note }: any) => [name, note])
          )
        ),
        visits.map(({ code }) => [[Number(code.slice(2)) % 2 === 0 ? "Paracetamol" : "Amoxicillin", "3 x 1"]])
      )
    }))
})

describe("Medicines without numbers", () => {
  it.effect("are prescriptions with the same codes in any order of the rows", () =>
    Effect.gen(function*() {
      const medicines = upTo(9).flatMap((at) =>
        ["Paracetamol", "Amoxicillin", "Salbutamol"].map((name) => `V-${at},2026-03-${two(at)} 08:30,${name}`)
      )
      const file = (rows: ReadonlyArray<string>) => `${["visit_no,ordered_at,drug_name", ...rows].join("\n")}\n`
      const { later, visits } = yield* drafted({ ...days(9), "medications.csv": file(medicines) }, {
        "medications.csv": file(medicines.toReversed())
      })
      const codes = (all: typeof visits) =>
        all.map(({ code, prescriptions }) => [code, ...prescriptions.map((one: { code: string }) => one.code)])
          .toSorted()
      assert.deepStrictEqual(codes(later.visits), codes(visits))
      assert.isTrue(codes(visits).every(({ length }) => length === 2))
    }))
})

describe("A folio of visits", () => {
  const rows = (header: string, row: (folio: number, year: number) => string): string =>
    `${header}\n${[2025, 2026].flatMap((year) => upTo(9).map((folio) => row(folio, year))).join("\n")}\n`

  it.effect("that begins again each year is their code together with the year, also from other tables", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted({
        "patients.csv": days(9)["patients.csv"],
        "visits.csv": rows(
          "folio,anio,patient_no,fecha_ingreso,fecha_egreso",
          (folio, year) => `${folio},${year},P-${folio},${year}-03-0${folio} 08:15,${year}-03-0${folio} 09:15`
        ),
        "diagnosticos.csv": rows(
          "folio,anio,orden,cie10",
          (folio, year) => `${folio},${year},1,${year === 2025 ? "I10" : "J00"}`
        ),
        // Without the year it names two visits.
        "cargos.csv": table("folio,concepto_codigo,concepto,importe", 9, (at) => `${at},C1,Consulta,50.00`)
      })
      assert.deepStrictEqual(
        visits.map(({ admitted_at, code, diagnosis, invoices }) => [
          code,
          admitted_at.slice(0, 4),
          diagnosis.map((one: { diagnosis_code: string }) => one.diagnosis_code).join(),
          invoices.length
        ]).toSorted(),
        upTo(9).flatMap((folio) => [[`${folio} 2025`, "2025", "I10", 0], [`${folio} 2026`, "2026", "J00", 0]])
      )
      assert.include(questions, "how should the rows of `cargos` (9 rows) be sent?")
    }))
})

describe("A table of names or of identifiers of patients", () => {
  const clinic = (names: string) => ({
    "person.csv": table("person_id,gender,birthdate", 9, (at) => `${at},F,1990-04-${two(at)}`),
    "person_name.csv": names,
    "patient_identifier.csv": table(
      "patient_identifier_id,patient_id,identifier",
      9,
      (at) => `${50 + at},${at},MRN-${at}`
    ),
    "visit_type.csv": "visit_type_id,name\n1,Outpatient\n2,Inpatient\n",
    "visit.csv": table(
      "visit_id,patient_id,visit_type_id,date_started,date_stopped",
      9,
      (at) => `${100 + at},${at},${1 + at % 2},2026-03-${two(at)} 08:00,2026-03-${two(at)} 09:00`
    )
  })
  const tables = { "visit_type.csv": "code,value\n1,OPD\n2,IPD\n", "visit_emergency.csv": "code,value\n1,no\n2,no\n" }
  const current = "person_name_id,preferred,person_id,given_name,family_name,voided"

  it.effect("does not hide whose visit it is, and no name is sent that is void or not the preferred one", () =>
    Effect.gen(function*() {
      const files = clinic(
        table(
          current,
          9,
          (at) =>
            `${10 + at},0,${at},Former,Void,1\n${30 + at},0,${at},Other,Second,0\n${60 + at},1,${at},Ann,Example,0`
        )
      )
      const { later, mapping, questions } = yield* drafted(files, { "visit.csv": files["visit.csv"] }, tables)
      assert.include(mapping, "patient_code: {from: \"patient_id\"}")
      assert.notInclude(questions, "which name of a patient")
      assert.deepStrictEqual(
        later.visits.map(({ patient: { code, name, surname } }) => `${code} ${name} ${surname}`),
        upTo(9).map((at) => `${at} Ann Example`)
      )
    }))

  it.effect("sends the first of several names with a question, if no column marks the preferred one", () =>
    Effect.gen(function*() {
      const names = "person_name_id,person_id,given_name,family_name"
      const { questions } = yield* drafted(
        clinic(table(names, 9, (at) => `${10 + at},${at},Ann,First\n${30 + at},${at},Ann,Second`))
      )
      assert.include(
        questions,
        "QUESTION which name of a patient with several rows in `person_name` is the current one? The first row is sent"
      )
      const one = yield* drafted(clinic(table(names, 9, (at) => `${10 + at},${at},Ann,First`)))
      assert.notInclude(one.questions, "which name of a patient")
    }))
})

describe("A number of the row before the number of the visit", () => {
  it.effect("is not the code of the visit if other tables have only the second, also as a key", () =>
    Effect.gen(function*() {
      const { "patients.csv": patients } = days(12)
      const { visits } = yield* drafted({
        "patients.csv": patients,
        "ovst.csv": table(
          "hos_guid,vn,patient_no,vstdate,vsttime",
          12,
          (at) => `{A-${at}},6903${two(at)}081500,P-${at},2026-03-${two(at)},08:15`
        ),
        "opdscreen.csv": table("vn,bps,bpd,pulse", 12, (at) => `6903${two(at)}081500,120,80,7${at % 10}`),
        "ovstdiag.csv": table("vn,icd10,diagtype", 12, (at) => `6903${two(at)}081500,A09,1`)
      })
      assert.deepStrictEqual(
        visits.map(({ code, diagnosis, vital_signs }) => [code, diagnosis.length, vital_signs.length]).toSorted(),
        upTo(12).map((at) => [`6903${two(at)}081500`, 1, 1])
      )
    }))
})

describe("Numbers of patients and visits that are written in two ways", () => {
  const numbered = (visitNo: (at: number) => string, patientNo: (at: number) => string) =>
    drafted({
      "patients.csv": table("patient_no,surname,birth_date,sex", 9, (at) => `${2000 + at},Example,1990-04-12,F`),
      "visits.csv": table(
        "visit_no,patient_no,admitted,discharged,type",
        9,
        (at) => `${visitNo(at)},${patientNo(at)},2026-03-0${at} 08:15,2026-03-0${at} 09:15,OPD`
      )
    })

  it.effect("are asked about if a program has written decimals, and are the code of the visit", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* numbered((at) => `${1000 + at}.0`, (at) => String(2000 + at))
      assert.include(questions, "are the numbers in `visit_no` in visits.csv right? 9 of them are written as 1001.0")
      assert.strictEqual(visits[0].code, "1001.0")
    }))

  it.effect("are asked about if no visit has a number of a patient", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* numbered((at) => `V-${at}`, (at) => `00${2000 + at}`)
      assert.include(questions, "why has `patient_no` no number of a patient?")
      assert.deepStrictEqual(visits, [])
    }))
})

describe("A table of events with the columns of people", () => {
  it.effect("has visits with the number of the event, and a question about the two numbers of the patient", () =>
    Effect.gen(function*() {
      const { questions, visits: [visit] } = yield* drafted({
        "events.csv": table(
          "Event,Event date,Tracked entity,Patient ID,First name,Last name,Sex,Date of birth,Diagnosis (ICD-10)",
          9,
          (at) => `ev00${at},2026-03-0${at} 08:15,te00${at},P${at},Ann,Example,F,1990-04-0${at},A09`
        )
      })
      assert.deepStrictEqual([visit.code, visit.patient_code], ["ev001", "te001"])
      assert.include(
        questions.replaceAll(/\s+/gu, " "),
        "is this the patient code that the service knows? `Tracked entity` (in 9 of 9 rows). Others: `Patient ID`"
      )
    }))
})

describe("Patients with two numbers", () => {
  for (
    const [other, isAsked] of [
      ["patient_code", true],
      ["identifier", true],
      ["medical_record_number", true],
      ["code", true],
      ["nid", true],
      ["phone_no", false],
      ["house_number", false]
    ] as const
  ) {
    it.effect(`${isAsked ? "raise" : "do not raise"} the question which of them the service knows: ${other}`, () =>
      Effect.gen(function*() {
        const { questions, visits: [visit] } = yield* drafted({
          "patients.csv": table(
            `patient_id,${other},surname,given_name,birth_date,sex`,
            9,
            (at) => `${10 + at},10${at}55,Example,Ann,1990-04-1${at},F`
          ),
          "visits.csv": table(
            "visit_id,patient_id,visit_type,admitted_at,discharged_at",
            9,
            (at) => `${at},${10 + at},OPD,2026-03-0${at} 08:15,2026-03-0${at} 09:15`
          )
        })
        assert.strictEqual(visit.patient_code, "11")
        assert.strictEqual(questions.includes("is this the patient code that the service knows?"), isAsked)
      }))
  }
})

describe("Tables of names and identifiers of people", () => {
  for (const more of ["", "90,3,OLD3,4\n"]) {
    it.effect(`are not treated as the people whose numbers they have, too: ${more === "" ? "one" : "several"} of each`, () =>
      Effect.gen(function*() {
        const { questions, visits } = yield* drafted({
          "person.csv": table("person_id,gender,birthdate", 9, (at) => `${at},F,1990-04-0${at}`),
          "person_name.csv": table(
            "person_name_id,person_id,given_name,family_name",
            9,
            (at) => `${at + 4},${at},Ann${at},Example`
          ),
          "patient_identifier.csv": `${
            table(
              "patient_identifier_id,patient_id,identifier,identifier_type",
              9,
              (at) => `${at + 3},${at},A200${at},3`
            )
          }${more}`,
          "visit.csv": table(
            "visit_id,patient_id,visit_type,date_started,date_stopped",
            9,
            (at) => `${at},${10 - at},OPD,2026-03-0${at} 08:15,2026-03-0${at} 09:15`
          )
        })
        assert.deepStrictEqual(
          visits.map(({ code, patient, patient_code }) => [code, patient_code, patient.name]).toSorted(),
          upTo(9).map((at) => [String(at), String(10 - at), `Ann${10 - at}`])
        )
        assert.include(questions, "does the service know patients by a number of `patient_identifier`")
      }))
  }
})

describe("Codes of diagnoses, tests and medicines that each occur once in a small sample", () => {
  const rows = (count: number) => ({
    ...days(count),
    "diagnoses.csv": table("visit_no,icd10,icd_name", count, (at) => `V-${at},J0${at % 5},Cold ${at % 5}`),
    "lab_results.csv": table(
      "visit_no,test_code,test_name,value,unit",
      count,
      (at) => `V-${at},T${at % 5},Test ${at % 5},${at}.5,mmol/L`
    ),
    "medicines.csv": table("visit_no,drug_code,drug_name,qty", count, (at) => `V-${at},M${at % 5},Drug ${at % 5},2`)
  })

  it.effect("are no keys: later visits have the same codes", () =>
    Effect.gen(function*() {
      const { later, mapping } = yield* drafted(rows(4), rows(12))
      assert.notMatch(mapping, /key: (?:icd10|test_code|drug_code)/u)
      assert.deepStrictEqual(
        later.visits.map(({ diagnosis, laboratories, prescriptions }) =>
          [diagnosis, laboratories, prescriptions].map(({ length }) => length).join()
        ),
        Array.from({ length: 12 }, () => "1,1,1")
      )
    }))
})
