import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder, written } from "../../run/converted.ts"
import { days, drafted, table, two, type } from "./drafted.ts"

const plain = (text: string): string => text.replaceAll(/\s+/gu, " ")

const charges = (header: string, row: (at: number) => string) => ({
  ...days(8),
  "charges.csv": table(`visit_no,item_code,item_name,${header}`, 8, (at) => `V-${at},X${at % 3},Item,${row(at)}`)
})

describe("The beginning of a visit", () => {
  const visits = (header: string, more: (at: number) => string) => ({
    "patients.csv": days(8)["patients.csv"],
    "visits.csv": table(
      `visit_no,patient_no,admitted,discharged,type${header}`,
      8,
      (at) => `V-${at},P-${at},${two(at + 8)}/03/2026,${two(at + 8)}/03/2026 18:15,OPD${more(at)}`
    )
  })

  it.effect("is asked about if it is only a day", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted(visits("", () => ""))
      assert.include(
        plain(questions),
        "at which time of day do visits begin? 8 cells have only a day, and 00:00 is sent"
      )
    }))

  it.effect("is read with half-days as Spanish writes them", () =>
    Effect.gen(function*() {
      const { questions, visits: [first] } = yield* drafted(visits(",Hora", (at) => `,${at}:15 p. m.`))
      assert.notInclude(questions, "time of day do visits begin")
      assert.strictEqual(first.admitted_at, "2026-03-09T13:15:00.000+07:00")
    }))
})

describe("A column of services with stays among them", () => {
  it.effect("decides the type of the visit", () =>
    Effect.gen(function*() {
      const services = ["Consulta externa", "Urgencias", "Hospitalización"]
      const { visits } = yield* drafted({
        "patients.csv": days(9)["patients.csv"],
        "visits.csv": table(
          "visit_no,patient_no,admitted,discharged,Servicio",
          9,
          (at) => `V-${at},P-${at},2026-03-${two(at)} 08:15,2026-03-${two(at)} 09:15,${services[at % 3]}`
        )
      })
      assert.deepStrictEqual(visits.slice(0, 3).map((one) => [one.visit_type, one.emergencies.length]), [
        ["OPD", 1],
        ["IPD", 0],
        ["OPD", 0]
      ])
    }))
})

describe("Types of visits", () => {
  const types = (words: ReadonlyArray<string>) =>
    drafted({
      "patients.csv": days(6)["patients.csv"],
      "visits.csv": table(
        "visit_no,patient_no,admitted,discharged,visit_type",
        6,
        (at) => `V-${at},P-${at},2026-03-0${at} 08:15,2026-03-0${at} 09:15,${words[at % words.length]}`
      )
    })

  it.effect("are read in Thai and Khmer", () =>
    Effect.gen(function*() {
      for (const words of [["ผู้ป่วยใน", "ผู้ป่วยนอก"], ["សម្រាកពេទ្យ", "អ្នកជំងឺក្រៅ"]]) {
        const { visits } = yield* types(words)
        assert.deepStrictEqual(visits.slice(0, 2).map((one) => one.visit_type), ["OPD", "IPD"])
      }
    }))

  it.effect("are not sent as outpatients if their words have no known meaning, also next to stays", () =>
    Effect.gen(function*() {
      const { problems, visits } = yield* types(["Krankenlager", "Sprechstunde"])
      assert.deepStrictEqual(visits, [])
      assert.match(problems, /`visit_type`/u)
      const mixed = yield* types(["Ward", "ICU"])
      assert.deepStrictEqual(mixed.visits.map((one) => one.visit_type), ["IPD", "IPD", "IPD"])
    }))

  it.effect("are not those of departments without a word for any of them", () =>
    Effect.gen(function*() {
      const { problems, visits } = yield* drafted({
        "patients.csv": days(6)["patients.csv"],
        "visits.csv": table(
          "visit_no,patient_no,admitted,discharged,department",
          6,
          (at) => `V-${at},P-${at},2026-03-0${at} 08:15,2026-03-0${at} 09:15,${at % 2 === 0 ? "Surgery" : "Dental"}`
        )
      })
      assert.lengthOf(visits, 6)
      assert.match(problems, /6 visits +[\w-]*type/u)
    }))
})

describe("A table of patients with a birth date called `Dt Nasc`", () => {
  it.effect("is no table of visits that begin on that day", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        "visits.csv": days(9)["visits.csv"],
        "patients.csv": table("patient_no,surname,Dt Nasc,sex", 9, (at) => `P-${at},Example,${two(at + 8)}/04/1990,F`)
      })
      assert.strictEqual(visits[0].patient.birthdate, "1990-04-09")
    }))
})

describe("A rare value of a column that is called `stat`", () => {
  it.effect("rejects its visit, because it can mean cancelled", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted({
        ...days(9),
        "lab_results.csv": table(
          "visit_no,taken,test,result,stat",
          9,
          (at) => `V-${at},2026-03-${two(at)} 08:30,Haemoglobin,1${at},${at === 2 ? "CANCELLED" : "FINAL"}`
        )
      })
      assert.match(plain(questions), /which rows of `lab_results` should be sent, by `stat`\?/u)
      assert.notInclude(visits.map(({ code }) => code), "V-2")
    }))
})

describe("Amounts of charges", () => {
  it.effect("are not read if some have a point and others a comma before three digits", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted(
        charges("qty,unit_price,amount", (at) => `1,1000,"${at < 5 ? "1.500" : "1,500"}"`)
      )
      assert.match(plain(questions), /which sign separates decimals in `amount` in charges.csv\?/u)
      assert.notInclude(JSON.stringify(visits), "1.5")
    }))

  it.effect("are sent with a warning if they are not the price times the quantity", () =>
    Effect.gen(function*() {
      const { problems, visits } = yield* drafted(
        charges("qty,unit_price,discount,net_amount", (at) => `3,10.50,1.50,${at === 2 ? 36 : 30}.00`)
      )
      assert.strictEqual(problems.split("warning[substitute-value]: not the price times the quantity").length, 2)
      assert.deepStrictEqual(visits.slice(0, 3).map((one) => one.invoices[0].services[0].payment), [30, 36, 30])
    }))

  it.effect("are asked about next to numbers of an unknown kind", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted(charges("qty,unit_price,amount,zzz", () => "2,5,10,1.50"))
      assert.match(plain(questions), /what are the numbers of `zzz` \(zzz\) in `charges`\? No line reads them/u)
    }))

  it.effect("in rows of prescriptions are asked about", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(8),
        "prescriptions.csv": table("visit_no,drug_name,drug_cost", 8, (at) => `V-${at},Paracetamol,${at}`)
      })
      assert.match(plain(questions), /what was charged, by `drug_cost` in `prescriptions_table`\?/u)
    }))
})

describe("Doses by time of day", () => {
  it.effect("are read under French names, also fractions, and asked about if a cell is no number", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted({
        ...days(8),
        "prescriptions.csv": table("visit_no,drug_name,matin,soir", 8, (at) => `V-${at},Paracetamol,1,${at % 2}/2`)
      })
      const [{ evening, morning }] = visits[0].prescriptions[0].medications
      assert.deepStrictEqual([morning, evening], [1, 0.5])
      assert.match(plain(questions), /how much is a dose in `prescriptions_table.soir`\?/u)
    }))
})

describe("Codes of one letter and numbers of one length", () => {
  it.effect("are not asked about as diagnoses", () =>
    Effect.gen(function*() {
      for (const [codes, isAsked] of [[["T01", "T02", "T03"], false], [["T01", "K00", "B509"], true]] as const) {
        const { questions } = yield* drafted(
          days(9, { header: ",classe_code", more: (at) => `,${codes[at % codes.length]}` })
        )
        assert.strictEqual(questions.includes("They have the form of ICD-10"), isAsked)
      }
    }))
})

describe("A number of visits that begins again each year", () => {
  it.effect("is asked about, and the number of the patient is not sent in its place", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const input = join(folder, "in")
      mkdirSync(input)
      const yearOf = (at: number): number => at < 12 ? 2025 : 2026
      written(input, {
        "pacientes.csv": table("Prontuário,Nome,Sexo,Dt Nasc", 24, (at) => `P-${at},Example,F,${two(at)}/04/1990`),
        "atendimentos.csv": table(
          "Nr Atendimento,Ano,Prontuário,Dt Atendimento",
          24,
          (at) => `${at % 12},${yearOf(at)},P-${at},${two(at)}/03/${yearOf(at)}`
        )
      })
      const { stderr } = yield* type("init", join(folder, "hospital"), "--from", input)
      assert.match(plain(stderr), /is atendimentos.csv the table of visits\?/u)
    }))
})

describe("A register of outpatients", () => {
  it.effect("has the patients of its OP numbers, and the visits of its visit numbers", () =>
    Effect.gen(function*() {
      const { mapping, questions, visits } = yield* drafted({
        "opd_register.csv": table(
          "OPNo,PatName,DOB,Sex,VisitNo,VisitDate,ICD10",
          8,
          (at) => `OP-${1 + at % 4},Ann Example${at % 4},1990-04-0${1 + at % 4},F,V-${at},2026-03-0${at} 08:15,A90`
        )
      })
      assert.include(mapping, "code: {from: \"VisitNo\"}")
      assert.include(questions, "is this the patient code that the service knows?  `OPNo`")
      assert.strictEqual(visits.length, 8)
      const first = visits.find(({ code }) => code === "V-1")
      assert.strictEqual(first.patient_code, "OP-2")
      assert.strictEqual(first.patient.name, "Ann Example1")
    }))
})

describe("Admissions with a row for each ward", () => {
  it.effect("are one visit of their AdmNo, with the discharge of their DischStatus", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted({
        "admissions.csv": table(
          "AdmNo,HospNo,Surname,OtherNames,Gender,DateOfBirth,AdmDate,AdmTime,Ward,DischDate,DischTime,DischStatus,PrimaryICD",
          8,
          (at) =>
            ["ICU", "Medical"].map((ward) =>
              `A-${at},H-${at},Example,Ann,F,13/04/1970,1${at}/03/2026,08:15,${ward},2${at}/03/2026,14:00,${
                at % 2 === 0 ? "Home" : "DAMA"
              },A90`
            ).join("\n")
        )
      })
      assert.include(questions, "are these one visit? 8 rows of admissions.csv repeat the `AdmNo` of another")
      assert.strictEqual(visits.length, 8)
      const first = visits.find(({ code }) => code === "A-1")
      assert.deepInclude(first, { patient_code: "H-1", discharge_type: "Unauthorized", visit_type: "IPD" })
      assert.strictEqual(first.patient.name, "Ann")
    }))
})

describe("An extract without a table of visits or of patients", () => {
  const patients = "PatientID,Surname,FirstName,Sex,DOB\nP1,Example,Ann,2,1990-04-12\nP2,Sample,Bob,1,1985-01-20\n"

  it.effect("has a draft whose case passes, and a question", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        "patients.csv": patients,
        "lab.csv": "PatientID,Test,Result,Date\nP1,Hb,12.5,2026-03-02 09:00\nP2,Hb,13.5,2026-03-03 09:00\n"
      })
      assert.include(questions, "which table has a row for each visit?")
      const { problems, questions: others } = yield* drafted({
        "visits.csv": table("VisitNo,VisitDate,ICD10", 8, (at) => `V-${at},2026-03-0${at} 08:15,A90`)
      })
      assert.include(others, "which table has a row for each patient?")
      assert.match(problems, /8 × {2}no-patient/u)
    }))
})

describe("A table of a laboratory with a column for each test", () => {
  it.effect("is asked about, because no line reads it", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(8),
        "lab.csv": table("visit_no,SampleDate,Hb,WBC,HIV", 8, (at) => `V-${at},2026-03-0${at} 08:30,12.${at},8.1,NEG`)
      })
      assert.match(
        plain(questions),
        /how should the rows of `lab` \(8 rows\) be sent\? They look like laboratory results/u
      )
    }))
})

describe("A column of outcomes under a name of another language", () => {
  it.effect("has its words in the concept map, because they name no one", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted(
        days(8, { header: ",Desfecho", more: (at) => `,${at % 2 === 0 ? "Óbito" : "Melhorado"}` })
      )
      assert.strictEqual(visits.find(({ code }) => code === "V-2").visit_outcome, "Deceased")
    }))
})
