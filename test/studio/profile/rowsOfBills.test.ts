import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, upTo } from "./drafted.ts"

const count = 6

/** What is drafted for charges with these lines for each visit, and the first invoice of each visit that is sent. */
const billed = (header: string, lines: (visit: number) => ReadonlyArray<string>, visits = count) =>
  drafted({
    ...days(visits),
    "charges.csv": `visit_no,bill_no,${header}\n${
      upTo(visits).flatMap((at) => lines(at).map((line) => `V-${at},BILL-${at},${line}\n`)).join("")
    }`
  }).pipe(
    Effect.map(({ visits, ...others }) => ({
      ...others,
      totals: visits.map(({ invoices }) => invoices[0].total),
      lines: visits.map(({ invoices }) => invoices[0].services.length)
    }))
  )

const each = <A>(value: A): Array<A> => upTo(count).map(() => value)

const items = ["C1,Consultation,1,100,100", "C2,X-ray,2,50,100"]

describe("A row among the charges of a bill", () => {
  const header = "item_code,item_name,qty,unit_price,amount"
  const totalsAndPayments = [
    [",TOTAL,,,200", "total"],
    [",Sub-total:,,,200", "subtotal"],
    [",Sous-total,,,200", "French subtotal"],
    ["TOT,Total bill,1,200,200", "total with a code"],
    [",Total a pagar,,,200", "Spanish total"],
    [",Tổng cộng,,,200", "Vietnamese total"],
    [",សរុប,,,200", "Khmer total"],
    ["P,Payment received,1,200,200", "payment"],
    ["P,Abono,1,-200,-200", "Spanish payment"],
    ["D,Deposit,1,50,50", "deposit"],
    ["D,Acompte,1,50,50", "French deposit"]
  ] as const

  it.effect("is no line of the invoice if it is by its name a total or a payment, and is reported", () =>
    Effect.gen(function*() {
      const { lines, problems, totals } = yield* billed(
        header,
        (at) => [...items, totalsAndPayments[at - 1]?.[0] ?? ""],
        totalsAndPayments.length
      )
      const found = totalsAndPayments.map(([, word], at) => [word, totals[at], lines[at]])
      assert.deepStrictEqual(found, totalsAndPayments.map(([, word]) => [word, 200, 2]))
      assert.match(problems, /dropped: no charge by item_name(?:\n .*|\n.*│.*)*seen {4}11 times in 11 visits/u)
    }))

  it.effect("is a line if its name only contains such a word", () =>
    Effect.gen(function*() {
      const { totals } = yield* billed(header, () => [...items, "C3,Total protein,1,7,7", "C4,Sum of tests,1,1,1"])
      assert.deepStrictEqual(totals, each(208))
    }))

  it.effect("is no line of the invoice if the names of charges have no codes", () =>
    Effect.gen(function*() {
      const { totals } = yield* billed("service,amount", () => ["Consultation,100", "X-ray,100", "Total,200"])
      assert.deepStrictEqual(totals, each(200))
    }))
})

describe("A column of the kinds of rows", () => {
  const header = "item_code,item_name,qty,unit_price,amount,type"
  const charged = (kind: string) => items.map((item) => `${item},${kind}`)
  for (
    const [charge, other] of [
      ["CHARGE", "PAYMENT"],
      ["Charge", "Transfer In"],
      ["CARGO", "ABONO"],
      ["DEBIT", "CREDIT"],
      ["Dr", "Cr"],
      ["SERVICE", "DEPOSIT"]
    ] as const
  ) {
    it.effect(`leaves out rows with ${other} beside ${charge}, and asks`, () =>
      Effect.gen(function*() {
        const { problems, questions, totals } = yield* billed(
          header,
          () => [...charged(charge), `P,Counter,1,200,200,${other}`]
        )
        assert.deepStrictEqual(totals, each(200))
        assert.include(problems, "dropped: no charge by type")
        assert.include(questions, `Those with \`${charge}\` are sent, those with \`${other}\` are left out`)
      }))
  }

  it.effect("rejects a visit with a kind that can take back a charge", () =>
    Effect.gen(function*() {
      const kinds = ["REVERSAL", "REFUND", "VOID", "DEVOLUCION", "Avoir", "UNKNOWN KIND"]
      const { problems, totals } = yield* billed(
        header,
        (at) => [...charged("CHARGE"), ...(at % 3 === 0 ? [`C2,X-ray,2,50,100,${kinds[at / 3 - 1]}`] : [])],
        3 * kinds.length
      )
      assert.deepStrictEqual(totals, kinds.flatMap(() => [200, 200]))
      assert.include(problems, "the concept map `charges_charge` does not contain a code of the source")
    }))

  it.effect("is asked about, and rejects every visit, if its letters can mean anything", () =>
    Effect.gen(function*() {
      const { questions, totals } = yield* billed(header, () => [...charged("C"), "P,Counter,1,200,200,P"])
      assert.deepStrictEqual(totals, [])
      assert.match(questions, /QUESTION which rows of `charges` are charges, by `type`\? {2}C 12, P 6\. None is sent/u)
    }))

  it.effect("sends a reversal that is negative, so that the total is right", () =>
    Effect.gen(function*() {
      const { totals } = yield* billed(
        header,
        (at) => [...charged("CHARGE"), ...(at % 3 === 0 ? ["C2,X-ray,-2,50,-100,REVERSAL"] : [])]
      )
      assert.deepStrictEqual(totals, [200, 200, 100, 200, 200, 100])
    }))

  it.effect("is not one of the ways of payment", () =>
    Effect.gen(function*() {
      const { totals } = yield* billed(header.replace("type", "bill_type"), (at) =>
        charged(at % 2 === 0 ? "CASH" : "CREDIT"))
      assert.deepStrictEqual(totals, each(200))
    }))
})

describe("Charges whose numbers of bills are also in another table of charges", () => {
  it.effect("are not lines of that table", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(count),
        "ward_charges.csv": `visit_no,bill_no,item_code,item_name,qty,unit_price,amount\n${
          upTo(count).flatMap((at) => items.map((item) => `V-${at},BILL-${at},${item}\n`)).join("")
        }`,
        "pharmacy_charges.csv": `visit_no,bill_no,drug_code,drug_name,qty,unit_price,amount\n${
          upTo(count).map((at) => `V-${at},BILL-${at},D1,Paracetamol,10,5,50\n`).join("")
        }`
      })
      assert.deepStrictEqual(visits.map(({ invoices }) => invoices[0].total), each(200))
    }))
})

describe("A line of which something was given back", () => {
  for (const [columns, values] of [["rate", "100"], ["rate,amount", "100,200"]] as const) {
    it.effect(`rejects its visit, with a question: ${columns}`, () =>
      Effect.gen(function*() {
        const { problems, questions, totals } = yield* billed(
          `item_code,item_name,qty,return_qty,${columns}`,
          (at) => [`C1,X-ray,2,${at % 3 === 0 ? 1 : 0},${values}`]
        )
        assert.deepStrictEqual(totals, [200, 200, 200, 200])
        assert.include(problems, "`payment` has no value")
        assert.include(questions, "QUESTION what was charged where `return_qty` in `charges` is above 0?")
      }))
  }
})

describe("A discount of a line", () => {
  for (
    const [what, header, line, total] of [
      ["without an amount", "unit_price,discount", "50,10", 90],
      ["next to the price times the quantity", "unit_price,discount,amount", "50,10,100", 90],
      ["next to an amount without it", "unit_price,discount,amount", "50,10,90", 90],
      ["next to a net amount", "unit_price,discount,net_amount", "50,10,90", 90],
      ["next to no discount on some rows", "unit_price,discount", "50,", 100]
    ] as const
  ) {
    it.effect(`is subtracted once ${what}`, () =>
      Effect.gen(function*() {
        const { questions, totals } = yield* billed(`item_code,item_name,qty,${header}`, (at) => [
          `C1,X-ray,2,${at === 1 && line.endsWith(",") ? "50,5" : line}`
        ])
        assert.strictEqual(totals[1], total)
        assert.strictEqual(
          questions.includes("does `amount` in `charges` include `discount`?"),
          /,amount/u.test(header)
        )
      }))
  }
})

describe("An amount of a line", () => {
  it.effect("is sent with a warning if it is not the price times the quantity, where there is a price", () =>
    Effect.gen(function*() {
      const { problems, totals } = yield* billed("item_code,item_name,qty,unit_price,amount", (at) => [
        `C1,X-ray,2,50,${at === 1 ? 90 : 100}`,
        "C2,Suture,3,33.3333,100",
        "C3,Dressing,1,,5"
      ])
      assert.deepStrictEqual(totals, each(205).with(0, 195))
      const warning = problems.split("\n\n").find((one) => one.includes("not the price times the quantity")) ?? ""
      assert.include(warning, "visit   V-1 › invoices[0].services[0].payment")
      assert.notInclude(warning, "seen")
    }))
})

describe("A table of invoices with several totals", () => {
  it.effect("is asked about; the net total is sent, and its difference from the lines is reported", () =>
    Effect.gen(function*() {
      const { problems, questions, visits } = yield* drafted({
        ...days(count),
        "invoices.csv": `invoice_no,visit_no,gross_total,discount,net_total\n${
          upTo(count).map((at) => `I-${at},V-${at},200,20,180\n`).join("")
        }`,
        "invoice_lines.csv": `invoice_no,item_code,item_name,qty,unit_price,amount\n${
          upTo(count).flatMap((at) => items.map((item) => `I-${at},${item}\n`)).join("")
        }`
      })
      assert.strictEqual(visits[0].invoices[0].total, 180)
      assert.include(questions, "is the total of an invoice: `net_total`, `gross_total`?")
      assert.include(problems, "sum-differs")
    }))
})

describe("A table that no line reads", () => {
  for (
    const [name, text, kind] of [
      ["theatre", "visit_no,operation,fee\nV-1,Operation,500\nV-2,Operation,500\n", "charges or payments"],
      ["bills", "bill_no,item_code,qty,amount\n1,C1,1,5\n1,C2,1,5\n", "charges or payments and refer to no visit"],
      [
        "billed",
        "visit_no,item_code,item_name,amount\nV-1,C1,X-ray,5.00 CR\nV-2,C1,X-ray,5.00 CR\n",
        "charges or payments, with `amount` without plain numbers: export the amounts as numbers"
      ],
      [
        "procedures",
        "visit_no,procedure,base_cost\nV-1,Suture,500\nV-2,Suture,500\n",
        "procedures, such as surgeries and services on an invoice"
      ],
      ["lis", "sample,test,result\n1,Hb,12\n2,Hb,13\n", "laboratory results and refer to no visit"],
      ["obs", "seq,temp,pulse\n1,37,80\n2,38,90\n", "vital signs and refer to no visit"]
    ] as const
  ) {
    it.effect(`is named with what it looks like: ${name}`, () =>
      Effect.gen(function*() {
        const { questions } = yield* drafted({ ...days(count), [`${name}.csv`]: text })
        assert.include(questions, `They look like ${kind}. No line reads them`)
        assert.match(questions, new RegExp(`1 table \\(${name}\\) that no line reads`, "u"))
      }))
  }

  for (
    const [name, text, answer] of [
      [
        "lis",
        `request_visit,test,result\n${upTo(8).map((at) => `00V${at},Hb,12\n`).join("")}`,
        "`request_visit` may be meant for the visit, but the values are not its codes"
      ],
      ["bills", "bill_no,item_code,qty,amount\n1,C1,1,5\n1,C2,1,5\n", "Add the number of the visit to the export"],
      [
        "factures",
        `visit_no,designation,quantite,prix_unitaire,montant\n${upTo(8).map((at) => `V-${at},X-ray,1,5,5\n`).join("")}`,
        "No column has codes of what was charged, and each line of an invoice needs one"
      ]
    ] as const
  ) {
    it.effect(`is explained by what its rows need: ${name}`, () =>
      Effect.gen(function*() {
        const { mapping } = yield* drafted({ ...days(8), [`${name}.csv`]: text })
        assert.include(mapping, answer)
      }))
  }

  it.effect("is asked about if only its amounts are not sent, and an assumption of its visits", () =>
    Effect.gen(function*() {
      const { problems, questions } = yield* drafted(
        {
          ...days(count),
          "charges.csv": `visit_no,item_code,item_name,amount\n${
            upTo(count).map((at) => `V-${at},C1,X-ray,5\n`).join("")
          }`,
          "medicines.csv": `visit_no,drug_code,drug_name,qty,price\n${
            upTo(count - 1).map((at) => `V-${at},D1,Example,2,5\n`).join("")
          }`
        },
        {},
        {},
        { format: "line" }
      )
      assert.match(problems, /amounts of charges has rows of the visit.* \(5×/u)
      assert.include(questions, "are the amounts of `medicines` (5 rows) charged in addition to those of `charges`?")
    }))

  it.effect("is an assumption also of visits that have rows in no other table, and so no invoice", () =>
    Effect.gen(function*() {
      const { problems, visits } = yield* drafted({
        ...days(count),
        "charges.csv": "visit_no,item_code,item_name,amount\nV-1,C1,X-ray,5\nV-2,C1,X-ray,5\n",
        "medicines.csv": `visit_no,drug_code,drug_name,qty,price\n${
          upTo(count - 1).map((at) => `V-${at},D1,Example,2,5\n`).join("")
        }`
      })
      assert.deepStrictEqual(visits.map(({ invoices }) => invoices.length), [1, 1, 0, 0, 0, 0])
      assert.match(problems, /5 visits +other-charges-are-not-sent/u)
    }))

  it.effect("is asked about and an assumption if its rows refer to another bill, or the first one has a total", () =>
    Effect.gen(function*() {
      const { problems, questions, visits } = yield* drafted(
        {
          ...days(count),
          "bills.csv": `bill_no,visit_no,bill_date,total\n${
            upTo(count).map((at) => `B-${at},V-${at},2026-03-0${at},5\n`).join("")
          }`,
          "bill_lines.csv": `bill_no,item_code,item_name,amount\n${
            upTo(count).map((at) => `B-${at},C1,X-ray,3\nB-${at},C2,Dressing,2\n`).join("")
          }`,
          "pharmacy_bills.csv": `pbill_no,visit_no,bill_date\n${
            upTo(count - 1).map((at) => `PB-${at},V-${at},2026-03-0${at}\n`).join("")
          }`,
          "pharmacy_lines.csv": `pbill_no,drug,qty,amount\n${
            upTo(count - 1).map((at) => `PB-${at},Example,2,7\nPB-${at},Other,1,2\n`).join("")
          }`
        },
        {},
        {},
        { format: "line" }
      )
      assert.match(problems, /amounts of charges has rows of the visit.* \(5×/u)
      assert.include(
        questions,
        "are the amounts of `pharmacy_lines` (10 rows) charged in addition to those of `bill_lines`?"
      )
      assert.deepStrictEqual(visits[0].invoices.map(({ total }: { readonly total: number }) => total), [5])
    }))

  it.effect("is asked about although another table has a column of the same name", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(count),
        "charges.csv": `visit_no,item_code,item_name,amount\n${
          upTo(count).map((at) => `V-${at},C1,X-ray,5\n`).join("")
        }`,
        "lab_results.csv": `visit_no,test,result,unit,amount\n${
          upTo(count).map((at) => `V-${at},Hb,12.5,g/dL,5\n`).join("")
        }`
      })
      assert.include(questions, "what was charged, by `amount` in `lab_results`?")
    }))
})

describe("A column of signs next to amounts", () => {
  const signed = (header: string, plus: string, minus: string) =>
    drafted({
      ...days(6),
      "charges.csv": table(
        `bill_no,visit_no,item_code,item_name,amount,${header}`,
        6,
        (at) => [plus, ...(at % 2 ? [] : [minus])].map((sign) => `B-${at},V-${at},S1,Service,30.00,${sign}`).join("\n")
      )
    })

  for (
    const [header, plus, minus] of [
      ["sign", "+", "-"],
      ["movement", "+", "-"],
      ["dr_cr", "D", "C"],
      ["naturaleza", "D", "C"],
      ["entry", "Charge", "Refund"]
    ] as const
  ) {
    it.effect(`is asked about, and no visit is sent with amounts that may be taken back: ${header}`, () =>
      Effect.gen(function*() {
        const { questions, visits } = yield* signed(header, plus, minus)
        assert.include(questions, `which rows of \`charges\` are charges, by \`${header}\`?  ${plus}`)
        assert.deepStrictEqual(visits.map(({ code }) => code), plus === "D" ? [] : ["V-1", "V-3", "V-5"])
      }))
  }

  it.effect("leaves out credits of a column that is called after both", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* signed("dr_cr", "DR", "CR")
      assert.include(questions, "Those with `DR` are sent, those with `CR` are left out")
      assert.deepStrictEqual(visits.map(({ invoices: [{ total }] }) => total), [30, 30, 30, 30, 30, 30])
    }))

  it.effect("is asked about if it has only a minus", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* signed("sign", "", "-")
      assert.include(questions, "by `sign`?  - 3. None is sent")
      assert.deepStrictEqual(visits, [])
    }))
})
