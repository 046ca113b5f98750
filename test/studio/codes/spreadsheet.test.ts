import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { readCsvCells } from "../../../src/mapping/tables/csvCells.ts"
import { readCsvTable, readTableRows } from "../../../src/mapping/tables/csvTable.ts"
import { readTable } from "../../../src/mapping/tables/readTable.ts"
import { worklistCsv } from "../../../src/studio/codes/worklist.ts"
import { present } from "../../present.ts"
import { temporaryFolder, written } from "../../run/converted.ts"

/** Codes that a spreadsheet takes for something else, and codes of its separators and quotes. */
const codes = [
  "007",
  "8480-6",
  "1E5",
  "123456789012345678",
  "1.10",
  "1,5",
  ".5",
  "10%",
  "MAR1",
  "2-Sep",
  "true",
  "12:30",
  "=cmd|x",
  "+33",
  "-1",
  "@a",
  "'007",
  "'plain",
  "a;b",
  "a,b",
  "a\tb",
  "say \"hi\"",
  " blank ",
  "ស្រុក",
  "E11.9",
  "38341003"
]

const worklist = worklistCsv(
  codes.map((code) => ({
    table: "t",
    system: "http://x.example",
    code,
    display: code,
    count: 10,
    visits: 2,
    blocked: 1
  })),
  undefined
)

/** What spreadsheets do with a cell that is not marked as text: numbers lose zeros and digits, dates become days. */
const retyped = (cell: string): string => {
  if (cell === "" || cell.startsWith("'")) return cell
  if (/^[=+\-@]/u.test(cell)) return "#NAME?"
  if (/^(?:true|false)$/iu.test(cell)) return cell.toUpperCase()
  if (/^\d+\s*%$/u.test(cell)) return String(Number.parseFloat(cell) / 100)
  const number = Number(cell.replace(",", "."))
  if (Number.isFinite(number) && cell.trim() !== "") {
    return number >= 1e11
      ? number.toExponential(2).toUpperCase()
      : String(number)
  }
  if (!Number.isNaN(Date.parse(cell)) && /^[\d A-Za-z:/.-]+$/u.test(cell) && !/^[A-Z]\d\d\./u.test(cell)) {
    return "Jun-80"
  }
  return cell
}

/** Opens a CSV file in a spreadsheet, fills in the last column, and saves it in another way. */
const savedAgain = (text: string, separator: ";" | "\t" | ",", everythingQuoted: boolean, bom: boolean): string => {
  const read = readCsvCells("t.csv", text.replace("\uFEFF", ""), ",")
  assert.isTrue(Result.isSuccess(read))
  const rows = Result.isSuccess(read) ? read.success.map((row) => row.map(({ text }) => text)) : []
  const cell = (text: string): string =>
    everythingQuoted || /["\r\n;,\t]|^\s|\s$/u.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text
  return (bom ? "\uFEFF" : "") +
    rows.map((row, at) =>
      [...row.slice(0, -1), at === 0 ? present(row.at(-1)) : "Mapped"].map((one) => cell(retyped(one))).join(separator)
    ).join("\r\n") + "\r\n"
}

describe("A worklist that is saved by a spreadsheet and read as a code table", () => {
  for (const separator of [",", ";", "\t"] as const) {
    for (const quoted of [true, false]) {
      it(`is read with separator ${JSON.stringify(separator)} and ${quoted ? "every cell" : "few cells"} quoted`, () => {
        const text = savedAgain(worklist, separator, quoted, separator !== ",").replace("\uFEFF", "")
        const { reader, rows } = readTableRows("t.csv", text)
        assert.deepStrictEqual(reader.problems, [])
        assert.deepStrictEqual(rows.map(({ code }) => code.text).toSorted(), codes.toSorted())
        assert.isTrue(rows.every(({ value }) => value.text === "Mapped"))
        const table = readCsvTable("t.csv", text)
        assert.strictEqual(table.rows.entries.size, codes.length)
      })
    }
  }

  it.effect("is read as \"Unicode text\", which is UTF-16 with tabs", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const text = savedAgain(worklist, "\t", true, true)
      const [file] = written(folder, { "t.csv": Buffer.from(text, "utf16le") })
      const { problems, rows } = yield* readTable(file, { file: "facility.yaml", line: 1, column: 1, endColumn: 2 })
      assert.deepStrictEqual(problems, [])
      assert.strictEqual(rows.entries.size, codes.length)
    }).pipe(Effect.provide(NodeServices.layer)))

  it("rejects a code that a spreadsheet has changed, with its line and column", () => {
    for (const damaged of ["1.23457E+11", "#N/A", "#REF!", "3-Apr", "Mar-01"]) {
      const { problems, rows } = readCsvTable("t.csv", `code,value\nA,Alpha\n${damaged},Beta\n`)
      assert.deepStrictEqual(
        problems.map(({ code, mapping, severity }) => [code, severity, mapping?.line, mapping?.column]),
        [["invalid-value", "error", 3, 1]],
        damaged
      )
      assert.strictEqual(rows.entries.size, 1)
    }
  })

  it("reports the line and column of a wrong quote", () => {
    const faults = [
      ["code,value\nA,\"Alpha\nB,Beta\n", 2, 3],
      ["code,value\n\"A\nB\",x\nC,a \"quoted\" word\n", 4, 3],
      ["code,value\nA,\"x\" y\n", 2, 3]
    ] as const
    for (const [text, line, column] of faults) {
      const read = readCsvCells("t.csv", text, ",")
      assert.isTrue(Result.isFailure(read), text)
      if (Result.isFailure(read)) assert.deepInclude(read.failure.span, { line, column }, text)
    }
  })

  it("keeps counts and scores as numbers", () => {
    const [, first] = worklist.split("\r\n")
    assert.match(present(first), /^1,2,10,/u)
  })
})
