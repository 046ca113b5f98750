import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const results = (header: string, cells: (at: number) => string) =>
  drafted({
    ...days(20),
    "lab_results.csv": table(
      `request_no,visit_no,test_name,${header},unit,taken`,
      20,
      (at) => `L-${at},V-${at},CRP,${cells(at)},mg/L,2026-03-${two(at)} 08:30`
    )
  })

describe("A sign of comparison in a column of its own", () => {
  it.effect("is sent with the result, which is then no number", () =>
    Effect.gen(function*() {
      const { visits } = yield* results("operator,result", (at) => at % 5 === 0 ? "<,5" : ",10.5")
      const sent = visits.map(({ laboratories: [{ results: [one] }] }) => [one.value, one.value_type])
      assert.deepStrictEqual(sent.slice(3, 5), [[10.5, "float"], ["<5", "string"]])
    }))

  it.effect("is sent with a result among words", () =>
    Effect.gen(function*() {
      const { visits } = yield* results(
        "sign,result",
        (at) => at % 5 === 0 ? ">=,5" : at % 2 === 0 ? "=,7" : ",not seen"
      )
      const sent = visits.map(({ laboratories: [{ results: [one] }] }) => [one.value, one.value_type])
      assert.deepStrictEqual(sent.slice(2, 5), [["not seen", "string"], [7, "float"], [">=5", "string"]])
    }))
})

describe("Results of one digit", () => {
  it.effect("are asked about, because they can be codes", () =>
    Effect.gen(function*() {
      const { questions } = yield* results("result", (at) => String(at % 2))
      assert.include(questions, "are the results in `lab_results.result` codes, such as 1 for positive?")
    }))
})

describe("A birth date with a time of day", () => {
  const born = (birth: string) =>
    drafted({
      ...days(20),
      "patients.csv": table("patient_no,surname,birth_date,sex", 20, (at) =>
        `P-${at},Example,1990-04-${two(at)}${birth},F`)
    })

  it.effect("is asked about, because of the zone it can be the day before", () =>
    Effect.gen(function*() {
      const { questions } = yield* born("T17:00:00.000Z")
      assert.include(questions, "are the days of `birth_date` right? They have a time of day that is not 00:00")
    }))

  it.effect("is not asked about at 00:00", () =>
    Effect.gen(function*() {
      const { questions } = yield* born(" 00:00:00")
      assert.notInclude(questions, "are the days of `birth_date` right?")
    }))
})

describe("A net amount without a price", () => {
  it.effect("gives the price before the discount", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(20),
        "charges.csv": table(
          "visit_no,item_code,item_name,qty,gross,discount,net,charged_at",
          20,
          (at) => `V-${at},S1,Consultation,2,100,10,90,2026-03-${two(at)} 09:00`
        )
      })
      const [{ services: [line], total }] = visits[0].invoices
      assert.deepStrictEqual([line.price, line.discount, line.payment, total], [100, 10, 90, 90])
    }))
})

describe("A single vital sign", () => {
  it.effect("with a short name is sent from a table of vital signs", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(20),
        "vitals.csv": table("visit_no,taken,temp", 20, (at) => `V-${at},2026-03-${two(at)} 08:20,37.1`)
      })
      assert.strictEqual(visits[0].vital_signs[0].observations[0].value, 37.1)
    }))
})

describe("Columns with one name", () => {
  for (const [header, name] of [["code,name,code,name", "code_no"], ["dx1,dx2", "dx2"]] as const) {
    it.effect(`are asked about, because a line reads one of them: ${header}`, () =>
      Effect.gen(function*() {
        const { questions } = yield* drafted({
          ...days(9),
          "diagnoses.csv": table(`visit_no,${header}`, 9, (at) =>
            `V-${at},${name === "dx2" ? "A09,E86" : "A09,Example,E86,Example"}`)
        })
        assert.include(questions, "how should columns be sent that have the name of another column of their table?")
        assert.include(questions, `\`diagnoses.${name}\``)
      }))
  }
})

describe("Rows whose visit is not in the extract", () => {
  const listed = (visitNo: (at: number) => string) =>
    drafted({
      "patients.csv": days(20)["patients.csv"],
      "visits.csv": table("visit_no,patient_no,admitted,discharged,type", 20, (at) =>
        `${String(99_990 + at).padStart(6, "0")},P-${at},2026-03-${two(at)} 08:15,2026-03-${two(at)} 16:15,OPD`),
      "diagnoses.csv": table("visit_no,icd10,rank", 20, (at) =>
        `${visitNo(99_990 + at)},A09,1`)
    })

  it.effect("are asked about, because numbers can have lost their zeros", () =>
    Effect.gen(function*() {
      const { questions } = yield* listed(String)
      assert.include(questions, "are the numbers of visits in `diagnoses` right? 45% of its rows refer to a row that")
    }))

  it.effect("are not asked about if there are none", () =>
    Effect.gen(function*() {
      const { questions } = yield* listed((number) => String(number).padStart(6, "0"))
      assert.notInclude(questions, "are the numbers of visits")
    }))
})

describe("Weights that no person has in kilograms", () => {
  const triages = (header: string, row: (at: number) => string) =>
    drafted({
      ...days(9),
      "triage.csv": table(`visit_no,taken,${header}`, 9, (at) => `V-${at},2026-03-${two(at)} 08:20,${row(at)}`)
    })
  const sent = (visits: ReadonlyArray<{ readonly triages: ReadonlyArray<Record<string, unknown>> }>) => {
    assert.strictEqual(visits.length, 9)
    return [...new Set(visits.flatMap(({ triages }) => triages.map(({ height, weight }) => `${height} ${weight}`)))]
  }

  it.effect("are asked about, and not sent", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* triages("weight,height", (at) => `${3200 + at},50`)
      assert.include(questions, "are these grams?")
      assert.deepStrictEqual(sent(visits), ["50 null"])
    }))

  it.effect("are asked about and not sent next to inches, and so are heights that can be inches", () =>
    Effect.gen(function*() {
      const beside = yield* triages("ht,wt", (at) => `${60 + at},${150 + at}`)
      assert.include(beside.questions, "`ht`: are these inches?")
      assert.include(beside.questions, "`wt`: are these pounds?")
      assert.deepStrictEqual(sent(beside.visits), [])
      const inches = yield* triages("height (in),weight", (at) => `${60 + at},${150 + at}`)
      assert.include(inches.questions, "`weight`: are these pounds?")
      assert.strictEqual(sent(inches.visits)[0], "154.9 null")
      const pounds = yield* triages("height (in),weight (lb)", (at) => `${60 + at},${150 + at}`)
      assert.notInclude(pounds.questions, "pounds")
      assert.strictEqual(sent(pounds.visits)[0], "154.9 68.5")
    }))
})

describe("A time of admission that only stays have", () => {
  it.effect("is not the beginning, if another column has that of each visit", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(9),
        "visits.csv": table("visit_no,patient_no,type,date_started,date_stopped,date_of_admission", 9, (at) =>
          `V-${at},P-${at},OPD,2026-03-${two(at)} 08:15,2026-03-${two(at)} 16:15,${
            at % 3 ? "" : `2026-03-${two(at)} 09:00`
          }`)
      })
      assert.deepStrictEqual(
        visits.map(({ admitted_at }) =>
          admitted_at.slice(8, 16)
        ),
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map(
          (at) =>
            `${two(at)}T08:15`
        )
      )
    }))
})

describe("A line of which something was given back", () => {
  for (
    const [header, whole, returned, asked] of [
      ["amount,refund_amount", "20.00,0.00", "20.00,10.00", "`refund_amount` in `charges` is above 0"],
      ["qty,amount", "2,20.00", "-1,10.00", "`qty` in `charges` is negative, and `amount` is not"]
    ] as const
  ) {
    it.effect(`rejects its visit, with a question: ${header}`, () =>
      Effect.gen(function*() {
        const { questions, visits } = yield* drafted({
          ...days(9),
          "charges.csv": table(`bill_no,visit_no,item_code,item_name,${header}`, 9, (at) =>
            `B-${at},V-${at},S1,Example,${at % 3 ? whole : returned}`)
        })
        assert.include(questions, `what was charged where ${asked}?`)
        assert.deepStrictEqual(
          visits.map(({ code }) =>
            code
          ),
          [1, 2, 4, 5, 7, 8].map((at) => `V-${at}`)
        )
      }))
  }
})

describe("Doses by time of day", () => {
  const doses = (header: string, cells: (at: number) => string) => ({
    "prescriptions.csv": table(
      `rx_no,visit_no,drug,drug_name,ordered_at,days,${header}`,
      20,
      (at) => `RX-${at},V-${at},M-${at % 3},Paracetamol,2026-03-${two(at)} 09:00,5,${cells(at)}`
    )
  })
  const firstOf = (visit: any) => visit.prescriptions[0].medications[0]

  it.effect("are read of a column that is empty in the sample, and the code next to the name is the code", () =>
    Effect.gen(function*() {
      const header = "morning,noon,evening"
      const { later, visits } = yield* drafted(
        { ...days(20), ...doses(header, () => "1,1,") },
        doses(header, (at) => `1,1,${at === 1 ? 2 : ""}`)
      )
      assert.deepInclude(firstOf(visits[0]), { code: "M-1", medicine_name: "Paracetamol", morning: 1, evening: null })
      assert.deepInclude(firstOf(later.visits[0]), { morning: 1, evening: 2 })
    }))

  it.effect("are sent where they are numbers or fractions, and any other rejects its visit until its number is known", () =>
    Effect.gen(function*() {
      const files = { ...days(20), ...doses("morning,noon", (at) => `1,${["half", "1/2", "\"0,5\"", "1"][at % 4]}`) }
      const { questions, visits } = yield* drafted(files)
      assert.include(questions, "how much is a dose in `prescriptions_table.noon`?")
      assert.deepStrictEqual(
        visits.slice(0, 3).map((visit: any) => [visit.code, firstOf(visit).afternoon]),
        [["V-1", 0.5], ["V-2", 0.5], ["V-3", 1]]
      )
      const { later } = yield* drafted(files, {}, { "dose.csv": "code,value\nhalf,0.5\n" })
      assert.deepInclude(firstOf(later.visits[3]), { morning: 1, afternoon: 0.5 })
    }))

  it.effect("of a later extract that are no numbers reject their visit", () =>
    Effect.gen(function*() {
      const { later, visits } = yield* drafted(
        { ...days(20), ...doses("morning,noon", () => "\"0,5\",1") },
        doses("morning,noon", (at) => `${at === 1 ? "half" : "\"0,5\""},1`)
      )
      assert.deepStrictEqual([visits.length, later.visits[0].code, later.visits.length], [20, "V-2", 19])
      assert.include(later.problems, "the concept map `dose` does not contain a code of the source")
    }))
})

describe("Addresses", () => {
  const patients = (header: string, cells: string) =>
    drafted({
      ...days(20),
      "patients.csv": table(`patient_no,surname,birth_date,sex,${header}`, 20, (at) =>
        `P-${at},Example,1990-04-${two(at)},F,${cells}`)
    })
  const header = "prov,distr,comm,vill"

  it.effect("have codes in columns that are called after the level, and no numbers as names", () =>
    Effect.gen(function*() {
      const { visits } = yield* patients(header, "12,1201,120101,12010101")
      const { commune, district, province, village } = visits[0].patient.address
      assert.deepStrictEqual([province, district, commune, village], [
        { code: "12", name: null },
        { code: "1201", name: null },
        { code: "120101", name: null },
        { code: "12010101", name: null }
      ])
      const { visits: [other] } = yield* patients(header, "2,12,7,9")
      assert.deepStrictEqual(other.patient.address.province, { code: "00", name: null })
      const { visits: [named] } = yield* patients(header, "Example,Sample,Test,Village")
      assert.deepStrictEqual(named.patient.address.village, { code: "00000000", name: "Village" })
    }))
})

describe("The number of a card", () => {
  it.effect("is asked about, with the lines that send it", () =>
    Effect.gen(function*() {
      for (
        const [header, asks] of [["CardNo,CardType", true], ["insurance_no,scheme", true], [
          "national_id_card,card_shown",
          false
        ]] as const
      ) {
        const { mapping, questions } = yield* drafted({
          ...days(20),
          "patients.csv": table(`patient_no,surname,birth_date,sex,${header}`, 20, (at) =>
            `P-${at},Example,1990-04-${two(at)},F,9${at},HEF`)
        })
        assert.strictEqual(questions.includes("the number of a benefit card that the service knows?"), asks, header)
        if (header.startsWith("Card")) {
          assert.include(mapping, "card_no.exists())\", card_code: card_no, card_type: card_type}}}")
        }
      }
    }))
})
