import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, rows, table, two } from "./drafted.ts"

const plain = (text: string): string => text.replaceAll(/\s+/gu, " ")

describe("Columns of the visits that are called after tests of a laboratory", () => {
  it.effect("are asked about, because no line reads them", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted(
        days(8, { header: ",Hb (g/dL),WBC,Malaria RDT,HIV status", more: (at) => `,1${at}.1,6.${at},NEG,known` })
      )
      assert.match(
        plain(questions),
        /are `visit.hb_g_d_l`, `visit.wbc`, `visit.malaria_rdt` results of a laboratory\? No line reads them/u
      )
    }))
})

describe("Files without names of columns", () => {
  it.effect("are asked about, with what to do", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        "visits.csv": rows(8, (at) => `V-${at},P-${at},2026-03-${two(at + 1)} 08:15,OPD`),
        "patients.csv": rows(8, (at) => `P-${at},Example,F,1990-04-12`)
      })
      assert.match(plain(questions), /what are the columns of patients.csv, visits.csv\? The first line is a row/u)
    }))
})

describe("A table of results with numbers that look like codes of ICD-10", () => {
  it.effect("is asked about, besides these numbers", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(6),
        "bacteriology.csv": table(
          "visit_no,no_demande,exam,result",
          12,
          (at) => `V-${Math.ceil(at / 2)},B00${two(Math.ceil(at / 2))},Haemoglobin,1${at % 9}.5`
        )
      })
      assert.include(questions, "are the codes of `bacteriology.no_demande` diagnoses?")
      assert.match(
        questions,
        /how should the rows of `bacteriology` \(12 rows\) be sent\? They look like laboratory results/u
      )
    }))
})
