import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, upTo } from "./drafted.ts"

interface Sent {
  readonly diagnosis: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** The fields of the diagnoses of a visit. */
const fieldsOf = ({ diagnosis }: Sent, ...fields: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<unknown>> =>
  diagnosis.map((one) => fields.map((field) => one[field]))

describe("Codes that look like ICD-10", () => {
  it.effect("are no diagnoses if they are of tests, medicines or places", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(8, { header: ",location_code", more: (at) => `,W0${at}` }),
        "lab_results.csv": table("visit_no,code,test_name,result", 8, (at) => `V-${at},L0${at},Hb,12.${at}`),
        "dispensing.csv": table("visit_no,drug_name,atc_code", 8, (at) => `V-${at},Amoxicillin,J01CA04`),
        "bed_moves.csv": table("visit_no,bed_code,location_code", 8, (at) => `V-${at},B1${at},W0${at}`)
      })
      assert.lengthOf(visits, 8)
      assert.isTrue(visits.every(({ diagnosis }) => diagnosis.length === 0))
    }))

  it.effect("do not replace a table of diagnoses with another code system", () =>
    Effect.gen(function*() {
      const { mapping, questions } = yield* drafted({
        ...days(8),
        "diagnoses.csv": table("visit_no,code,term", 8, (at) => `V-${at},${["38341003", "44054006"][at % 2]},Term`),
        "referrals.csv": table("visit_no,icd10", 8, (at) => `V-${at},A0${at}`)
      })
      assert.include(mapping, "resource: diagnoses")
      assert.include(questions, "what are codes of `diagnoses.code` in ICD-10?")
    }))

  it.effect("are asked about if no name shows what they are, and taken next to the name of a diagnosis", () =>
    Effect.gen(function*() {
      const rows = (header: string) => ({
        ...days(8),
        "events.csv": table(`visit_no,${header}`, 8, (at) => `V-${at},A0${at},Text`)
      })
      const unknown = yield* drafted(rows("code,text"))
      assert.isTrue(unknown.visits.every(({ diagnosis }) => diagnosis.length === 0))
      assert.include(unknown.questions.replaceAll(/\s+/gu, " "), "are the codes of `events.code` diagnoses?")
      const known = yield* drafted(rows("code,diagnosis"))
      assert.deepStrictEqual(fieldsOf(known.visits[0], "diagnosis_code", "diagnosis_name"), [["A01", "Text"]])
    }))
})

describe("The principal diagnosis in a column of the visit", () => {
  const sent = (header: string, row: (at: number) => string) =>
    drafted({
      ...days(8, { header: ",principal_diagnosis_code", more: () => ",A09" }),
      "secondary_diagnoses.csv": `visit_no,${header}\nV-1,${row(1)}\nV-1,${row(2)}\nV-2,${row(1)}\n`
    })

  it.effect("is sent in addition to the rows of another table, and once if these repeat it", () =>
    Effect.gen(function*() {
      const { visits: [visit] } = yield* sent("diagnosis_code", (at) => ["A09", "I10", "E11.9"][at] ?? "")
      const both = [["A09", "Primary"], ["I10", "Secondary"], ["E11.9", "Secondary"]]
      assert.deepStrictEqual(fieldsOf(visit, "diagnosis_code", "diagnosis_type_name"), both)
      const repeated = yield* sent("diagnosis_code", (at) => ["", "A09", "I10"][at] ?? "")
      assert.deepStrictEqual(fieldsOf(repeated.visits[0], "diagnosis_code", "diagnosis_type_name"), both.slice(0, 2))
    }))

  it.effect("is asked about if nothing says that it is the principal one", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(8, { header: ",icd10", more: () => ",A09" }),
        "diagnoses.csv": "visit_no,diagnosis_code\nV-1,I10\nV-1,E11.9\nV-2,I10\n"
      })
      assert.include(questions.replaceAll(/\s+/gu, " "), "are the codes of `visit.icd10` also among the diagnoses")
    }))
})

describe("A row of a diagnosis", () => {
  it.effect("is the primary one by a yes in a column", () =>
    Effect.gen(function*() {
      for (
        const [header, no, yes] of [["is_primary", "N", "Y"], ["Primary YN", "no", "yes"], ["principal", "0", "1"]]
      ) {
        const { visits: [visit] } = yield* drafted({
          ...days(8),
          "diagnoses.csv": `visit_no,icd10,${header}\nV-1,A09,${no}\nV-1,I10,${yes}\nV-2,A09,${no}\nV-2,I10,${yes}\n`
        })
        const types = [["A09", "Secondary"], ["I10", "Primary"]]
        assert.deepStrictEqual(fieldsOf(visit, "diagnosis_code", "diagnosis_type_name"), types, header)
      }
    }))

  it.effect("is not sent if it has a time of deletion, which is no time of a diagnosis", () =>
    Effect.gen(function*() {
      const { problems, visits: [visit] } = yield* drafted({
        ...days(8),
        "diagnoses.csv":
          "visit_no,icd10,deleted_at\nV-1,A09,2026-03-09 10:00\nV-1,I10,\nV-2,A09,2026-03-09 10:00\nV-2,I10,\n"
      })
      assert.deepStrictEqual(fieldsOf(visit, "diagnosis_code", "diagnosed_at"), [["I10", visit.admitted_at]])
      assert.include(problems, "dropped: deleted_at")
    }))
})

describe("A column of diagnoses with digits in the rows of visits", () => {
  const visitsWith = (codes: string, code: (at: number) => string) =>
    drafted(
      days(9, { header: `,Diagnosis,${codes}`, more: (at) => `,${["T2DM", "CKD3", "HB2"][at % 3]},${code(at)}` })
    )

  it.effect("has the name of its code in ICD-10", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* visitsWith("ICD10", (at) => ["E11.9", "N18.3", "B16.9"][at % 3] ?? "")
      assert.notInclude(questions, "in ICD-10?")
      const first = visits.find(({ code }) => code === "V-1")
      assert.deepStrictEqual(fieldsOf(first, "diagnosis_type_name", "diagnosis_code", "diagnosis_name"), [
        ["Primary", "N18.3", "CKD3"]
      ])
    }))

  it.effect("is another diagnosis than a secondary one", () =>
    Effect.gen(function*() {
      const { questions } = yield* visitsWith("SecondaryICD", (at) => ["E11.9", "N18.3", "B16.9"][at % 3] ?? "")
      assert.include(questions, "what are codes of `visit.Diagnosis` in ICD-10?")
    }))
})

describe("Numbered columns of codes and of words", () => {
  it.effect("send the words with the code of the same number, and never as a code", () =>
    Effect.gen(function*() {
      const header = ",CIE10_1,Diagnóstico1,CIE10_2,Diagnóstico2,CIE10_3,Diagnóstico3"
      const visits = (third: string) =>
        days(8, { header, more: (at) => `,I10,Hypertension,${at > 4 ? "A09,Diarrhoea" : ","},${third}` })
      const { later } = yield* drafted(visits(","), visits(",Dengue"))
      assert.deepStrictEqual(
        later.visits.map(({ diagnosis }) =>
          diagnosis.map((one: any) => `${one.diagnosis_code} ${one.diagnosis_name}`).join()
        ),
        upTo(8).map((at) => at > 4 ? "I10 Hypertension,A09 Diarrhoea" : "I10 Hypertension")
      )
    }))
})

describe("The type of a diagnosis", () => {
  const diagnosed = (header: string, first: string, second: string, later = second) => {
    const rows = (last: string) => ({
      "diagnoses.csv": table(
        `visit_no,icd10,${header}`,
        8,
        (at) => `V-${at},I10,${at === 1 ? last : second}\nV-${at},A09,${first}`
      )
    })
    return drafted({ ...days(8), ...rows(second) }, rows(later))
  }
  const primaryOf = (visits: ReadonlyArray<any>) =>
    new Set(
      visits.map(({ diagnosis }) =>
        diagnosis.flatMap((one: any) => one.diagnosis_type_name === "Primary" ? [one.diagnosis_code] : []).join()
      )
    )

  for (
    const [header, first, second] of [
      ["Diagnoseart", "HD", "ND"],
      ["type", "DP", "DAS"],
      [
        "diag_type",
        "P",
        "S"
      ],
      ["Rang", "Principal", "Associé"],
      ["clase", "PRINCIPAL", "SECUNDARIO"]
    ] as const
  ) {
    it.effect(`marks the primary one: ${first} and ${second}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* diagnosed(header, first, second)
        assert.deepStrictEqual([...primaryOf(visits)], ["A09"])
      }))
  }

  it.effect("marks the primary one also if a column counts the rows", () =>
    Effect.gen(function*() {
      const { visits } = yield* diagnosed("seq,type", "2,P", "1,S")
      assert.deepStrictEqual([...primaryOf(visits)], ["A09"])
    }))

  it.effect("is an assumption if no column has it", () =>
    Effect.gen(function*() {
      const { problems, visits } = yield* diagnosed("name", "Diarrhoea", "Hypertension")
      assert.deepStrictEqual([...primaryOf(visits)], ["I10"])
      assert.include(problems, "first-diagnosis-is-primary")
    }))

  it.effect("rejects its visit if `init` did not see the word", () =>
    Effect.gen(function*() {
      const { later: { problems, visits } } = yield* diagnosed("diag_type", "Main", "Other", "Principal")
      assert.strictEqual(visits.length, 7)
      assert.include(problems, "the concept map `diagnoses_primary` does not contain a code of the source")
    }))

  it.effect("is asked about if no word is known", () =>
    Effect.gen(function*() {
      const { questions } = yield* diagnosed("typ", "H", "N")
      assert.include(questions.replaceAll(/\s+/gu, " "), "which word of `diagnoses.typ` marks the primary diagnosis?")
    }))
})

describe("Diagnoses in words, with or without a code in them", () => {
  it.effect("are asked about under any name of their column", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted(
        days(8, { header: ",Provisional Diagnosis (ICD)", more: (at) => `,Hypertension number ${at} (I10)` })
      )
      assert.include(
        questions.replaceAll(/\s+/gu, " "),
        "what are the words of `provisional_diagnosis_icd` in ICD-10? 8 rows"
      )
      assert.deepStrictEqual(visits.flatMap(({ diagnosis }) => diagnosis), [])
    }))
})

describe("A diagnosis that is not certain, by a column of its row", () => {
  for (
    const [column, certain, other] of [
      ["tipo", "Definitivo", "Presuntivo"],
      ["certainty", "CONFIRMED", "PROVISIONAL"],
      ["SICHERHEIT", "G", "V"],
      // Words for certainty are known whatever the name of their column.
      ["Prov/Final", "Final", "Provisional"],
      ["presuntivo_definitivo", "DEF", "PRE"]
    ] as const
  ) {
    it.effect(`rejects its visit until its word is decided: ${column}`, () =>
      Effect.gen(function*() {
        const files = {
          ...days(12),
          "diagnoses.csv": table(
            `visit_no,seq,icd10,${column}`,
            12,
            (at) => `V-${at},1,A09,${certain}${at % 4 === 0 ? `\nV-${at},2,A15,${other}` : ""}`
          )
        }
        const name = column.toLowerCase().replace("/", "_")
        const { later, questions, visits } = yield* drafted(files, files, {
          [`diagnoses_${name}.csv`]: `code,display,value\n${certain},,yes\n${other},,no\n`
        })
        assert.include(questions, `which rows of \`diagnoses\` should be sent, by \`${name}\`?`)
        assert.strictEqual(visits.length, 9)
        assert.deepStrictEqual(
          later.visits.map(({ diagnosis }) => diagnosis.map((one: any) => one.diagnosis_code).join()),
          upTo(12).map(() => "A09")
        )
      }))
  }

  it.effect("is not treated as primary, where P is next to another letter", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(12),
        "diagnoses.csv": table("visit_no,icd10,tipo", 12, (at) => `V-${at},A09,${at % 3 === 0 ? "P" : "D"}`)
      })
      assert.include(questions, "which word of `diagnoses.tipo` marks the primary diagnosis?")
    }))
})
