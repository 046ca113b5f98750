import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two, upTo } from "./drafted.ts"

interface Sent {
  readonly code: string
  readonly diagnosis: ReadonlyArray<{ readonly diagnosis_code: string }>
  readonly invoices: ReadonlyArray<{
    readonly total: number
    readonly services: ReadonlyArray<{ readonly service_code: string; readonly price: number }>
  }>
}

const numberOf = ({ code }: Sent): number => Number(code.replaceAll(/\D/gu, ""))

/** What `init` asks about some files, and the visits that are sent by its draft. */
const begun = (files: Readonly<Record<string, ReadonlyArray<string>>>) =>
  drafted(Object.fromEntries(Object.entries(files).map(([name, lines]) => [name, `${lines.join("\n")}\n`]))).pipe(
    Effect.map(({ visits, ...others }) => ({
      ...others,
      sent: visits.map((visit): Sent => visit).toSorted((one, other) => numberOf(one) - numberOf(other))
    }))
  )

const visits = upTo(12)
const icd = ["A09", "J06.9", "I10", "E11.9"]
const person = (at: number): string => `HN-${at % 5},Example${at % 5},Ann,F,199${at % 5}-04-12`
const stay = (at: number): string => `2026-03-${two(at)} 08:15,2026-03-${two(at)} 09:15,OPD`
const head = "hn,surname,first_name,sex,birth_date,visit_date,discharge_date,type"
const patients = ["patient_no,surname,birth_date,sex", ...visits.map((at) => `P-${at},Example,1990-04-12,F`)]

describe("One file with several rows for a visit", () => {
  it.effect("is sent as visits with several diagnoses, also with none", () =>
    Effect.gen(function*() {
      const codes = (at: number): ReadonlyArray<string> => at % 4 === 0 ? [""] : icd.slice(0, at % 4)
      const { questions, sent } = yield* begun({
        "everything.csv": [
          `visit_no,${head},icd10`,
          ...visits.flatMap((at) => codes(at).map((code) => `V-${at},${person(at)},${stay(at)},${code}`))
        ]
      })
      assert.deepStrictEqual(
        sent.map(({ code, diagnosis }) => [code, diagnosis.map((one) => one.diagnosis_code)]),
        visits.map((at) => [`V-${at}`, codes(at).filter((code) => code !== "")])
      )
      assert.match(
        questions,
        /QUESTION are these one visit\? 9 rows of everything\.csv repeat the `visit_no` of another, with the same patient/u
      )
    }))

  it.effect("is sent as visits with the items of an invoice, not as a visit for each line", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun({
        "export.csv": [
          `line_id,visit_no,${head},icd10,item_code,item_name,qty,price,amount`,
          ...visits.flatMap((at) =>
            [1, 2, 3].slice(0, 1 + at % 3).map((line) =>
              `L-${at}${line},V-${at},${person(at)},${stay(at)},${icd[at % 4]},S${line},Service,1,${line}0,${line}0`
            )
          )
        ]
      })
      assert.deepStrictEqual(
        sent.map(({ code, diagnosis, invoices }) => [
          code,
          diagnosis.map((one) => one.diagnosis_code),
          invoices.map(({ services, total }) => [total, services.map((one) => `${one.service_code} ${one.price}`)])
        ]),
        visits.map((at) => [
          `V-${at}`,
          [icd[at % 4]],
          [[[10, 30, 60][at % 3], ["S1 10", "S2 20", "S3 30"].slice(0, 1 + at % 3)]]
        ])
      )
    }))

  it.effect("has no items in its draft if each may be repeated for each diagnosis", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* begun({
        "export.csv": [
          `visit_no,${head},icd10,item_code,item_name,qty,price,amount`,
          ...visits.flatMap((at) =>
            [1, 2].flatMap((line) =>
              icd.slice(0, 2).map((code) =>
                `V-${at},${person(at)},${stay(at)},${code},S${line},Service,1,${line}0,${line}0`
              )
            )
          )
        ]
      })
      assert.strictEqual(sent.length, 12)
      assert.isTrue(sent.every(({ invoices }) => invoices.length === 0))
      assert.match(
        questions,
        /QUESTION is each of `item_code`, .*`amount` repeated for each diagnosis\? 36 rows of export\.csv/u
      )
      assert.isTrue(sent.every(({ diagnosis }) => diagnosis.map((one) => one.diagnosis_code).join(" ") === "A09 J06.9"))
    }))
})

describe("One file with rows for the diagnoses of a visit, and others for its items", () => {
  it.effect("sends both", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* begun({
        "export.csv": [
          `visit_no,${head},icd10,item_code,item_name,qty,price,amount`,
          ...visits.flatMap((at) => [
            ...icd.slice(0, 2).map((code) => `V-${at},${person(at)},${stay(at)},${code},,,,,`),
            ...[1, 2, 3].slice(0, 1 + at % 3).map((line) =>
              `V-${at},${person(at)},${stay(at)},,S${line},Service,1,${line}0,${line}0`
            )
          ])
        ]
      })
      assert.deepStrictEqual(
        sent.map(({ diagnosis, invoices }) => [diagnosis.length, invoices[0]?.services.length, invoices[0]?.total]),
        visits.map((at) => [2, 1 + at % 3, [10, 30, 60][at % 3]])
      )
      assert.notInclude(questions, "repeated for each diagnosis")
    }))
})

describe("Codes of services that look like those of ICD-10", () => {
  it.effect("are not sent as diagnoses", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun({
        "egresos.csv": [
          `No. Atención;${head.replaceAll(",", ";")};CIE-10;Tipo diagnóstico;Código servicio;Importe`,
          ...visits.flatMap((at) =>
            [1, 2].flatMap((line) =>
              icd.slice(0, 2).map((code, rank) =>
                `${two(at)};${person(at)},${stay(at)}`.replaceAll(",", ";") +
                `;${code};${["Principal", "Secundario"][rank]};S0${line};10,00`
              )
            )
          )
        ]
      })
      assert.deepStrictEqual(
        sent.map(({ diagnosis }) => diagnosis.map((one) => one.diagnosis_code).join(" ")),
        visits.map(() => "A09 J06.9")
      )
    }))
})

describe("One file with several rows for a visit, some of which contradict each other", () => {
  const everything = (people: (at: number) => string) => ({
    "everything.csv": [
      `visit_no,hn,surname,phone,birth_date,sex,visit_date,discharge_date,type,icd10`,
      ...Array.from(
        { length: 48 },
        (_, at) => `V-${1 + Math.floor(at / 2)},${people(at)},${stay(1 + Math.floor(at / 2))},${icd[at % 2]}`
      )
    ]
  })

  it.effect("rejects only the visit that has two patients", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun(
        everything((at) => `HN-${at === 3 ? 9 : Math.floor(at / 2)},Example,55,1990-04-12,F`)
      )
      assert.strictEqual(sent.length, 23)
      assert.notInclude(sent.map(({ code }) => code), "V-2")
      assert.isTrue(sent.every(({ diagnosis }) => diagnosis.length === 2))
    }))

  it.effect("asks which of two phone numbers is right", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* begun(
        everything((at) => `HN-${Math.floor(at / 2)},Example,5${at % 2},1990-04-12,F`)
      )
      assert.deepStrictEqual(sent, [])
      assert.match(
        questions,
        /QUESTION which rows are right\? 24 rows of everything\.csv repeat .* with other values in `phone`/u
      )
    }))
})

describe("A table of visits that repeats their numbers", () => {
  it.effect("rejects visits whose rows have different ends, and names the rows", () =>
    Effect.gen(function*() {
      const { problems, questions, sent } = yield* begun({
        "patients.csv": patients,
        "visits.csv": [
          "visit_no,patient_no,admitted,discharged,type",
          ...visits.flatMap((at) => [
            `V-${at},P-${at},${stay(at)}`,
            ...(at % 3 === 0 ? [`V-${at},P-${at},2026-03-${two(at)} 08:15,2026-03-${two(at)} 10:15,OPD`] : [])
          ])
        ]
      })
      assert.deepStrictEqual(
        sent.map(({ code }) => code),
        visits.filter((at) => at % 3 !== 0).map((at) => `V-${at}`)
      )
      assert.match(
        questions,
        /QUESTION which rows are right\? 4 rows of visits\.csv repeat the `visit_no` of another, with other values in `discharged`/u
      )
      assert.include(problems, "duplicate-record")
    }))

  it.effect("numbers them by patient and time if the numbers begin again each day", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* begun({
        "patients.csv": patients,
        "visits.csv": [
          "visit_no,patient_no,admitted,discharged,type",
          ...visits.map((at) => `${at % 4},P-${at},${stay(at)}`)
        ]
      })
      assert.deepStrictEqual(sent.map(({ code }) => code), visits.map((at) => `P-${at} 2026-03-${two(at)} 08:15`))
      assert.match(questions, /QUESTION 8 rows repeat the `visit_no` of another with another patient or beginning/u)
    }))

  it.effect("keeps the links of other tables to it", () =>
    Effect.gen(function*() {
      const { mapping, sent } = yield* begun({
        "patients.csv": patients,
        "visits.csv": [
          "visit_no,patient_no,admitted,discharged,type,icd10,rank",
          ...visits.flatMap((at) => [2, 1].map((rank) => `V-${at},P-${at},${stay(at)},${icd[rank]},${rank}`))
        ],
        "vitals.csv": ["visit_no,sbp,dbp", ...visits.map((at) => `V-${at},120,80`)]
      })
      assert.strictEqual(sent.length, 12)
      assert.match(mapping, /vitals:\n(?:.*\n)*? {6}visit: \{table: visit, on: visit_no\}/u)
      assert.include(mapping, "iif(rank = 1, 'Primary', 'Secondary')")
    }))
})

describe("A table of patients that repeats many of their numbers", () => {
  it.effect("rejects the visits of these patients, and shows the number of rows", () =>
    Effect.gen(function*() {
      const { mapping, sent } = yield* begun({
        "patients.csv": [...patients, ...visits.filter((at) => at % 3 === 0).map((at) => `P-${at},Other,1990-04-12,F`)],
        "visits.csv": [
          "visit_no,patient_no,admitted,discharged,type",
          ...visits.map((at) => `V-${at},P-${at},${stay(at)}`)
        ]
      })
      assert.deepStrictEqual(
        sent.map(({ code }) => code),
        visits.filter((at) => at % 3 !== 0).map((at) => `V-${at}`)
      )
      assert.match(mapping, /4 rows of `patients\.csv` have no value in the key `patient_no`, or that of another row/u)
    }))
})

describe("A number of the visit that begins again each year", () => {
  const year = (at: number): number => at <= 4 ? 2025 : 2026
  const number = (at: number): number => (at - 1) % 4 + 1
  for (const rows of [1, 2]) {
    it.effect(`is the code of the visit together with the year, also for ${rows} of its diagnoses`, () =>
      Effect.gen(function*() {
        const { questions, visits } = yield* drafted({
          "patients.csv": days(8)["patients.csv"],
          "visits.csv": table(
            "visit_no,year,patient_no,admitted,discharged,type",
            8,
            (at) => `${number(at)},${year(at)},P-${at},${year(at)}-03-0${at} 08:15,${year(at)}-03-0${at} 09:15,OPD`
          ),
          "diagnoses.csv": table(
            "visit_no,year,icd10,seq",
            8,
            (at) =>
              ["A09", "I10"].slice(0, rows).map((code, rank) =>
                `${number(at)},${year(at)},${at === 5 ? "B54" : code},${rank + 1}`
              ).join("\n")
          )
        })
        assert.notInclude(questions, "refer to no visit")
        assert.deepStrictEqual(
          visits.map(({ code, diagnosis, patient_code }) => [code, patient_code, diagnosis[0].diagnosis_code]),
          [1, 2, 3, 4, 5, 6, 7, 8].map((at) => [`${number(at)} ${year(at)}`, `P-${at}`, at === 5 ? "B54" : "A09"])
        )
      }))
  }
})

describe("Diagnoses of a visit on several rows that are not certain", () => {
  it.effect("reject their visit if all rows of the visit have it", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted({
        "visits.csv": table(
          "patient_no,surname,birth_date,sex,visit_no,admitted,discharged,type,icd10,diagnosis,diagnosis_certainty",
          8,
          (at) =>
            ["A90,Dengue", "I10,Hypertension"].map((diagnosis) =>
              `P-${at},Example,1990-04-12,F,V-${at},2026-03-${two(at)} 08:15,2026-03-${
                two(at)
              } 09:15,OPD,${diagnosis},${at === 3 ? "Presumed" : "Confirmed"}`
            ).join("\n")
        )
      })
      assert.deepStrictEqual(visits.map(({ code }) => code), [1, 2, 4, 5, 6, 7, 8].map((at) => `V-${at}`))
      assert.match(questions, /by `diagnosis_certainty`/u)
    }))
})

describe("The numbers of the rows of a list", () => {
  for (const header of ["S.N.", "No", "Serial No."]) {
    it.effect(`are not sent as the numbers of visits: ${header}`, () =>
      Effect.gen(function*() {
        const { questions, visits: [visit] } = yield* drafted({
          "register.csv": table(
            `${header},Visit Date,OPD No.,Patient Name,Sex,DOB,Visit Type`,
            24,
            (at) => `${at},2026-03-${two(at)} 08:15,OP-${at},Ann Example,F,1990-04-12,OPD`
          )
        })
        assert.notStrictEqual(visit?.code, "1")
        assert.match(
          questions.replaceAll(/\s+/gu, " "),
          /no column numbers the visits|which column of .* numbers the visits/u
        )
      }))
  }
})
