import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { measureOf } from "../../../src/studio/profile/tables/columns/measureOf.ts"
import { days, drafted, initialized, table, two } from "./drafted.ts"

/** What `init` makes of one file. */
const begun = (name: string, content: string | Uint8Array) => initialized({ [name]: content }, { format: "line" })

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => at)
const codes = ["A09", "J06.9", "I10", "E11.9", "B54"]

/** A report of a clinic: titles, semicolons, decimal commas, Buddhist years, Fahrenheit, a state, and a row of totals. */
const report = [
  "Clinique Modèle;;;;",
  "Rapport du 01/01/2568 au 31/12/2568",
  "",
  "No;Visit No;HN;Surname;First name;Sex;Date of birth;Visit date;Time;Discharge date;Type;Status;Diag1;Diag2;Temp (°F);BP;Pulse;SpO2 %;Weight (kg);Age;Doctor",
  ...range(60).map((at) =>
    [
      at + 1,
      `V${7000 + at}`,
      `HN${at % 25}`,
      `Témoin${at % 25}`,
      `Zoé${at % 25}`,
      "MF"[(at % 25) % 2],
      `${two(1 + (at % 25))}/04/25${30 + (at % 25)}`,
      `${two(1 + (at % 28))}/03/2568`,
      `${two(8 + (at % 6))}:30`,
      `${two(1 + (at % 28))}/03/2568`,
      at % 6 === 0 ? "IPD" : "OPD",
      ["Terminé", "Annulé", "Terminé"][at % 3],
      codes[at % 5],
      at % 2 === 0 ? codes[(at + 2) % 5] : "",
      `${98 + (at % 5)},${at % 10}`,
      `${110 + (at % 20)}/${70 + (at % 9)}`,
      60 + (at % 30),
      95 + (at % 5),
      `${50 + (at % 30)},5`,
      30,
      `Dr Test${at % 3}`
    ].join(";")
  ),
  "Total;60;;;;;;;;;;;;;;;;;;;"
].join("\r\n")

describe("A wide table", () => {
  it.effect("with titles above its header, in another encoding and calendar, is split into patients and visits", () =>
    Effect.gen(function*() {
      const { text, told: reported, visits, words } = yield* begun("rapport.csv", Buffer.from(report, "latin1"))
      assert.include(text, "header: 3")
      assert.include(text, "encoding: windows-1252")
      assert.include(text, "visit_status:\n    table:\n      # 40 rows\n      \"Terminé\": \"yes\"")
      assert.include(words, "40 visits in the sample      40 ready with this mapping")
      assert.include(reported, "a row of totals was ignored")
      assert.strictEqual(visits.length, 40)
      const visit = visits.find(({ code }) => code === "V7006")
      assert.deepInclude(visit, {
        patient_code: "HN6",
        visit_type: "IPD",
        admitted_at: "2025-03-07T08:30:00.000+07:00",
        discharged_at: "2025-03-07T23:59:59.999+07:00"
      })
      assert.deepInclude(visit.patient, {
        code: "HN6",
        surname: "Témoin6",
        name: "Zoé6",
        sex: "M",
        birthdate: "1993-04-07"
      })
      assert.deepStrictEqual(
        visit.diagnosis.map((one: Record<string, unknown>) => [one.diagnosis_type_name, one.diagnosis_code]),
        [["Primary", "J06.9"], ["Secondary", "E11.9"]]
      )
      assert.sameDeepMembers(visit.vital_signs[0].observations, [
        { name: "Temperature", value: 37.6 },
        { name: "Systolic Blood Pressure", value: 116 },
        { name: "Diastolic Blood Pressure", value: 76 },
        { name: "Heart Rate", value: 66 },
        { name: "Blood Oxygen", value: 96 }
      ])
      assert.strictEqual(visit.triages[0].weight, 56.5)
      // The doctor of the visit is sent as who diagnosed and measured by an assumption.
      assert.strictEqual(visit.diagnosis[0].diagnosed_by, "Dr Test0")
      for (const name of ["attendant-made-diagnosis", "attendant-measured", "patient-created-at-first-visit"]) {
        assert.include(words, `do you accept \`${name}\``)
      }
      for (const [code, own] of Map.groupBy(visits, ({ patient_code }) => patient_code)) {
        assert.strictEqual(new Set(own.map(({ patient }) => JSON.stringify(patient))).size, 1, code)
      }
    }))

  for (
    const [language, header, sexes] of [
      ["Thai", "ลำดับ,VN,HN,ชื่อ,สกุล,เพศ,วันเกิด,วันที่รับบริการ,เวลา,แผนก,PDX,ความดัน,ชีพจร,อุณหภูมิ,น้ำหนัก", ["ชาย", "หญิง"]],
      ["Khmer", "ល.រ,VN,HN,នាមខ្លួន,គោត្តនាម,ភេទ,ថ្ងៃកំណើត,ថ្ងៃមកពិនិត្យ,ម៉ោង,ផ្នែក,PDX,សម្ពាធឈាម,ជីពចរ,សីតុណ្ហភាព,ទម្ងន់", ["ប្រុស", "ស្រី"]]
    ] as const
  ) {
    it.effect(`with ${language} words is read like one with English words; times of day have a point`, () =>
      Effect.gen(function*() {
        const rows = range(60).map((at) =>
          [
            at + 1,
            `69${two(at)}`,
            `63000${two(at % 25)}`,
            `ทดสอบ${at % 25}`,
            `ตัวอย่าง${at % 25}`,
            sexes[(at % 25) % 2],
            `${1 + (at % 25)}/4/25${30 + (at % 25)}`,
            `${1 + (at % 28)}/3/2568`,
            `${two(8 + (at % 6))}.30`,
            "OPD",
            codes[at % 5],
            `${110 + (at % 20)}/${70 + (at % 9)}`,
            60 + (at % 30),
            36 + (at % 9) / 10,
            50 + (at % 30)
          ].join(",")
        )
        const { visits } = yield* begun("opd.csv", `\uFEFF${[header, ...rows].join("\n")}\n`)
        const visit = visits.find(({ code }) => code === "6906")
        assert.strictEqual(visits.length, 60)
        assert.deepInclude(visit, { patient_code: "6300006", admitted_at: "2025-03-07T08:30:00.000+07:00" })
        assert.deepInclude(visit.patient, { surname: "ตัวอย่าง6", name: "ทดสอบ6", sex: "M", birthdate: "1993-04-07" })
        assert.strictEqual(visit.triages[0].weight, 56)
        assert.sameDeepMembers(visit.vital_signs[0].observations, [
          { name: "Temperature", value: 36.6 },
          { name: "Systolic Blood Pressure", value: 116 },
          { name: "Diastolic Blood Pressure", value: 76 },
          { name: "Heart Rate", value: 66 }
        ])
      }))
  }

  it.effect("with row numbers, a register number, and diagnoses in words and in the facility's codes is read", () =>
    Effect.gen(function*() {
      const rows = range(40).map((at) =>
        [
          at + 1,
          `R${at % 15}`,
          `Sample Person${at % 15}`,
          "F",
          `${two(1 + (at % 15))}/04/60`,
          `${two(1 + (at % 28))}/03/2026`,
          at % 2 === 0 ? "9:15" : "10:15",
          ["Fever", "Cough"][at % 2],
          ["1023", "2044"][at % 2],
          ""
        ].join(",")
      )
      const { text, visits, words } = yield* begun(
        "opd.csv",
        `Sl No,Reg No,Patient Name,Sex,Date of birth,Visit Date,Time In,Diagnosis,Diag code 1,Diag code 2\n${
          rows.join("\n")
        }\n`
      )
      assert.include(words, "QUESTION is this the patient code that the service knows?  `Reg No`")
      assert.match(words, /QUESTION no column numbers the visits/u)
      assert.match(words, /what are codes of `\w+\.Diag code 1` in ICD-10\?.* {2}1023 20, 2044 20/u)
      assert.match(text, /diag_code_2: .*\{path: diag_code_2, conceptMap: diagnosis_code\}/u)
      assert.include(text, "format: \"DD/MM/YYYY H:mm\"")
      assert.match(text, /# years have two digits: 00 to 68 are read as 2000 to 2068: verify it\n +birthdate:/u)
      assert.match(text, /# - visit: diagnosis 40,/u)
      assert.deepStrictEqual(visits, [])
    }))

  it.effect("with spreadsheet day numbers and no visit numbers is read", () =>
    Effect.gen(function*() {
      const rows = range(30).map((at) =>
        [
          at + 1,
          `P${at % 12}`,
          `Ejemplo${at % 12}`,
          `Ana${at % 12}`,
          "F",
          30_000 + (at % 12),
          45_700 + at + 0.25,
          codes[at % 5],
          "Fiebre",
          "Dra. Ejemplo",
          "Curado"
        ].join(",")
      )
      const { text, visits, words } = yield* begun(
        "consultas.csv",
        `No,MRN,Apellidos,Nombres,Sexo,Fecha de nacimiento,Fecha de ingreso,CIE10,Motivo de consulta,Médico,Tipo de egreso\n${
          rows.join("\n")
        }\n`
      )
      assert.include(text, "format: \"excel\"")
      assert.match(words, /QUESTION no column numbers the visits/u)
      assert.strictEqual(visits.length, 30)
      assert.strictEqual(visits[0].visit_outcome, "Recovered")
      assert.deepInclude(visits[0].outpatients[0], { symptoms: ["Fiebre"], encountered_by: "Dra. Ejemplo" })
      assert.deepInclude(visits.find(({ patient_code }) => patient_code === "P3"), {
        admitted_at: "2025-02-15T06:00:00.000+07:00"
      })
      assert.isTrue(visits.every(({ diagnosis }) => diagnosis.length === 1))
    }))
})

describe("A guess from the form of codes", () => {
  it.effect("never sends a patient number as a diagnosis, and reads abbreviated visit types", () =>
    Effect.gen(function*() {
      const rows = range(60).map((at) =>
        [
          `E${90_000 + at}`,
          `M7${two(at % 20)}`,
          `Exemplo${at % 20}`,
          `Ana${at % 20}`,
          "F",
          `1980-01-${two(1 + (at % 20))}`,
          `2024-02-${two(1 + (at % 28))} 08:${two(at)}`,
          `2024-02-${two(1 + (at % 28))} 09:${two(at)}`,
          ["IP", "OP", "ED"][at % 3],
          codes[at % 5],
          "110",
          "70"
        ].join("|")
      )
      const { visits, words } = yield* begun(
        "episodes.csv",
        `EpisodeID|MRN|Apelido|Nome|Sexo|DOB|Start|End|EpisodeType|ICD10|PA sist|PA diast\n${rows.join("\n")}\n`
      )
      assert.include(words, "60 ready with this mapping")
      assert.match(words, /QUESTION are the lines with "verify it" right\?\s+conceptMap\.visit_emergency 1/u)
      const visit = visits.find(({ code }) => code === "E90002")
      assert.strictEqual(visit.patient.surname, "Exemplo2")
      assert.deepStrictEqual(visit.diagnosis.map((one: Record<string, unknown>) => one.diagnosis_code), ["I10"])
      assert.strictEqual(visit.emergencies.length, 1)
      assert.strictEqual(visits.filter(({ visit_type }) => visit_type === "IPD").length, 20)
      assert.deepStrictEqual(
        visit.vital_signs[0].observations.map((one: Record<string, unknown>) => one.value).toSorted(),
        [110, 70]
      )
    }))
})

describe("Measures by the names and numbers of their columns", () => {
  it.effect("are asked about on the screen and in the mapping, and not assumed where the header has their unit", () =>
    Effect.gen(function*() {
      const rows = range(20).map((at) =>
        [
          `E${at}`,
          `P${at}`,
          "Exemplo",
          "Ana",
          "F",
          `1980-01-${two(1 + at)}`,
          `2024-02-${two(1 + at)} 08:00`,
          `2024-02-${two(1 + at)} 09:00`,
          `5.${at % 12}`,
          60 + at,
          at % 2 === 0 ? 37.1 : 99.1,
          70 + at
        ].join()
      )
      const { text, words } = yield* begun(
        "visits.csv",
        `VisitID,MRN,Surname,Name,Sex,DOB,Start,End,Height (ft),Weight (kg),Temp,Pulse\n${rows.join("\n")}\n`
      )
      for (
        const question of [
          "`height_ft`: is 5.5 five and a half feet, or 5 ft 5 in? None is sent. If it is the first, write  height: \"(height_ft * 30.48).round(1)\"",
          "`temp`: are the numbers above 60 Fahrenheit, and the others Celsius? They are read so"
        ]
      ) {
        assert.include(words, `QUESTION ${question}`)
        assert.include(text, `# QUESTION ${question}`)
      }
      assert.notInclude(text, "assumed to be in")
      assert.include(text, "    height: null\n")
    }))

  it("are recognized with their unit in the header, in several languages, and converted", () => {
    const of = (name: string, least: number, max: number) => {
      const { conversion, size, vital } = measureOf(name, { least, most: max })
      return [vital ?? size, conversion?.path]
    }
    assert.deepStrictEqual(of("Temp (°F)", 97, 104), ["Temperature", "(($ - 32) * 5 / 9).round(1)"])
    assert.deepStrictEqual(of("temperature", 96.8, 103), ["Temperature", "(($ - 32) * 5 / 9).round(1)"])
    assert.deepStrictEqual(of("Température °C", 36, 41), ["Temperature", undefined])
    assert.match(of("Temp", 36, 104)[1] ?? "", /^iif\(\$ > 60/u)
    assert.match(of("Temp (F)", 9.8, 104)[1] ?? "", /^iif\(\$ > 60/u)
    assert.match(of("Temperature", 36, 1001)[1] ?? "", /^iif\(\$ > 60/u)
    assert.deepStrictEqual(of("Height (ft)", 1, 6), ["height", null])
    assert.deepStrictEqual(of("Systolic (kPa)", 10, 120), [undefined, undefined])
    assert.deepStrictEqual(of("SpO2 (%)", 88, 100), ["Blood Oxygen", undefined])
    assert.deepStrictEqual(of("Sat O2", 88, 100), ["Blood Oxygen", undefined])
    assert.deepStrictEqual(of("Poids (kg)", 3, 120), ["weight", undefined])
    assert.deepStrictEqual(of("Weight (lbs)", 20, 300), ["weight", "($ * 0.45359237).round(1)"])
    assert.deepStrictEqual(of("Birth weight", 2000, 4000), [undefined, undefined])
    assert.deepStrictEqual(of("Talla (m)", 0.9, 1.9), ["height", "($ * 100).round(1)"])
    assert.deepStrictEqual(of("Heart rate (bpm)", 50, 140), ["Heart Rate", undefined])
    assert.deepStrictEqual(of("RBS (mmol/L)", 3, 20), [undefined, undefined])
    assert.deepStrictEqual(of("Temp", 1, 9), [undefined, undefined])
  })

  it("ask where the numbers do not fit the unit in the header, or fit several units", () => {
    const asked = (name: string, least: number, max: number) => {
      const { conversion } = measureOf(name, { least, most: max })
      return conversion !== undefined && "question" in conversion ? conversion.path : undefined
    }
    assert.isNull(asked("Height (ft)", 4.11, 6.2))
    assert.strictEqual(asked("Height (cm)", 1.4, 1.9), "($ * 100).round(1)")
    assert.strictEqual(asked("Height (m)", 60, 190), "$")
    assert.strictEqual(asked("Height", 1.62, 175), "iif($ < 3, ($ * 100).round(1), $)")
    assert.isNull(asked("Height", 55, 77))
    assert.isNull(asked("Weight", 3200, 3209))
    for (const name of ["Height", "Height (cm)"]) assert.isUndefined(asked(name, 48, 190))
    assert.isUndefined(asked("Height (in)", 55, 77))
    assert.isUndefined(asked("Height (m)", 1.2, 1.9))
  })

  it("are in an assumed unit only if the header states none", () => {
    const assumed = (name: string, most = 180) => measureOf(name, { least: 1, most }).assumedUnit
    for (const name of ["Height (cm)", "Weight (lb)", "Poids (kg)"]) assert.isUndefined(assumed(name))
    assert.deepStrictEqual([assumed("Height"), assumed("Height", 1.9), assumed("Poids")], ["cm", "m", "kg"])
  })
})

describe("A column that is named after a vital sign", () => {
  it.effect("is asked about if its cells are no numbers in a unit that is read", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(12),
        "vitals.csv": table(
          "visit_no,BP,Pulse,SpO2,RBS (mmol/L),BMI",
          12,
          (at) => `V-${at},120/80,72,0.9${at % 9},5.${at % 9},21.${at % 9}`
        )
      })
      const asked = questions.replaceAll(/\s+/gu, " ")
      for (const column of ["SpO2", "RBS (mmol/L)"]) assert.include(asked, `in which unit is \`vitals.${column}\`?`)
      assert.notInclude(asked, "vitals.BMI")
    }))
})

describe("Columns of measures that are empty in the sample", () => {
  const measured = (header: string, cells: string) => ({
    "vitals.csv": table(
      `visit_no,taken_at,pulse,${header}`,
      6,
      (at) => `V-${at},2026-03-${two(at)} 08:20,7${at},${cells}`
    )
  })
  const sent = (header: string, empty: string, filled: string) =>
    drafted({ ...days(6), ...measured(header, empty) }, measured(header, filled)).pipe(
      Effect.map(({ later, questions }) => ({ questions: questions.replaceAll(/\s+/gu, " "), visits: later.visits }))
    )

  it.effect("are sent of a later extract, in the unit of their name", () =>
    Effect.gen(function*() {
      const { visits: [visit] } = yield* sent(
        "temp,temp2,SpO2,RR,BP,Weight (kg),Height (m)",
        "36.5,,,,,,",
        "36.5,,97,18,120/80,61.5,1.65"
      )
      assert.deepStrictEqual(
        visit.vital_signs[0].observations.map((one: any) => [one.name, one.value]),
        [
          ["Heart Rate", 71],
          ["Temperature", 36.5],
          ["Blood Oxygen", 97],
          ["Respiratory Rate", 18],
          ["Systolic Blood Pressure", 120],
          ["Diastolic Blood Pressure", 80]
        ]
      )
      assert.deepInclude(visit.triages[0], { weight: 61.5, height: 165 })
    }))

  it.effect("are read as Fahrenheit above 60, because no person has such a temperature in Celsius", () =>
    Effect.gen(function*() {
      for (
        const [header, filled, value] of [["temp", "98.6", 37], ["temp (F)", "98.6", 37], [
          "temp",
          "36.5",
          36.5
        ]] as const
      ) {
        const { visits: [visit] } = yield* sent(header, "", filled)
        assert.deepInclude(visit.vital_signs[0].observations[1], { name: "Temperature", value })
      }
    }))

  it.effect("are asked about if their unit is not known", () =>
    Effect.gen(function*() {
      const { questions, visits: [visit] } = yield* sent("weight,rbs", ",", "61,99")
      assert.include(questions, "in which unit will `vitals.weight` be?")
      assert.include(questions, "in which unit will `vitals.rbs` be?")
      assert.strictEqual(visit.vital_signs[0].observations.length, 1)
    }))
})
