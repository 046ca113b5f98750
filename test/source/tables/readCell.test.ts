import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { CellError } from "../../../src/source/tables/cells/CellError.ts"
import { parseDateFormat } from "../../../src/source/tables/cells/dateFormat.ts"
import { cellReader } from "../../../src/source/tables/cells/readCell.ts"
import { suggestFormat } from "../../../src/source/tables/cells/suggestSetting.ts"
import type { ColumnLayout } from "../../../src/source/tables/TableLayout.ts"
import { rowId } from "../../../src/source/tables/TableLayout.ts"
import { present } from "../../present.ts"

const column = (stated: Partial<ColumnLayout>): ColumnLayout => ({
  name: "c",
  span: { file: "m.yaml", line: 1, column: 1, endColumn: 2 },
  type: "text",
  from: ["c"],
  formats: [],
  decimal: ".",
  group: undefined,
  yes: new Set(["y"]),
  no: new Set(["n"]),
  nulls: new Set(),
  trim: true,
  guarded: false,
  optional: false,
  ...stated
})

/** What a cell gives: a value as text, `undefined`, or `!` and the reason. */
const read = (cell: string, stated: Partial<ColumnLayout>): string | undefined => {
  const value = cellReader(column(stated))(cell)
  return value === undefined ? undefined : value instanceof CellError ? `! ${value.reason}` : String(value)
}

const format = (text: string, calendar: "gregorian" | "buddhist" = "gregorian") => {
  const found = parseDateFormat(text, calendar)
  if ("fault" in found) throw new Error(found.fault)
  return found
}

describe("cellReader", () => {
  it("reads digits of other scripts in a text without letters, if the column has this setting", () => {
    assert.strictEqual(read("១២០/៨០", { plainDigits: true }), "120/80")
    assert.strictEqual(read("ផ្ទះ ១២", { plainDigits: true }), "ផ្ទះ ១២")
    assert.strictEqual(read("១២០/៨០", {}), "១២០/៨០")
  })

  it("trims a text unless the column keeps its spaces", () => {
    assert.strictEqual(read("  a b ", {}), "a b")
    assert.strictEqual(read(" a ", { trim: false }), " a ")
    assert.strictEqual(read("\u00A0x\u3000", {}), "x")
    assert.isUndefined(read("   ", {}))
  })

  it("returns no value for an empty cell or a word that means none", () => {
    assert.isUndefined(read("", {}))
    assert.isUndefined(read(" NULL ", { nulls: new Set(["NULL"]) }))
    assert.strictEqual(read("null", { nulls: new Set(["NULL"]) }), "null")
    assert.isUndefined(read("0000-00-00", { type: "date", nulls: new Set(["0000-00-00"]) }))
  })

  it("reads a number next to a sign of its currency, before or after it", () => {
    const brazil = { type: "decimal", decimal: ",", group: ".", currency: ["R$"] } as const
    for (
      const [cell, number] of [
        ["R$ 1.250,00", "1250.00"],
        ["R$1.250,00", "1250.00"],
        ["1.250,00 R$", "1250.00"],
        ["R$\u00A05", "5"],
        ["r$ 5", "5"],
        ["-R$ 5,50", "-5.50"],
        ["R$ -5,50", "-5.50"],
        ["- R$5,50", "-5.50"]
      ] as const
    ) assert.strictEqual(read(cell, brazil), number, cell)
    for (
      const [cell, currency, number] of [
        ["Rs.500", ["Rs", "Rs."], "500"],
        ["៛40,000", ["៛", "KHR"], "40000"],
        ["KHR 40000", ["៛", "KHR"], "40000"],
        ["12.50USD", ["USD"], "12.50"],
        ["S/. 12.50", ["S/."], "12.50"],
        ["40", ["៛", ""], "40"]
      ] as const
    ) assert.strictEqual(read(cell, { type: "decimal", group: ",", currency }), number, cell)
    assert.strictEqual(read("Rp 50", { type: "integer", currency: ["Rp"] }), "50")
  })

  it("reads no number with another sign of a currency, or with none", () => {
    const dollars = { type: "decimal", currency: ["$", "USD"] } as const
    const reason = "! it is not a number with the sign of its currency: `$` or `USD`"
    for (const cell of ["12.00", "US$ 12.00", "12.00 US$", "៛12", "AUD 12", "$", "USD", "$ -", "R$5", "(5.00)"]) {
      assert.strictEqual(read(cell, dollars), reason, cell)
    }
    // The point belongs to the sign.
    assert.match(read("Rs.500", { type: "decimal", currency: ["Rs"] }) ?? "", /^!/u)
    const notANumber = "! it is not a number as the column writes it: decimal sign `.`"
    for (const cell of ["-$-5", "$5 USD", "$1,250.00", "$5 x 2"]) {
      assert.strictEqual(read(cell, dollars), notANumber, cell)
    }
  })

  it("reads a number with a sign of its currency as it reads the number by itself", () => {
    const signs = fc.constantFrom("$", "R$", "Rs.", "៛", "KHR", "S/.", "kr")
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        signs,
        fc.boolean(),
        (number, sign, isBefore) => {
          const text = String(number)
          const alone = read(text, { type: "decimal" })
          const cell = isBefore
            ? `${text.startsWith("-") ? "-" : ""}${sign} ${text.replace(/^-/u, "")}`
            : `${text} ${sign}`
          assert.strictEqual(read(cell, { type: "decimal", currency: [sign] }), alone)
        }
      )
    )
  })

  it("reads a formula as data, and removes an apostrophe only if the file is declared to have them", () => {
    assert.strictEqual(read("=1+1", {}), "=1+1")
    assert.strictEqual(read("'=1+1", {}), "'=1+1")
    assert.strictEqual(read("'=1+1", { guarded: true }), "=1+1")
    assert.strictEqual(read("'tis", { guarded: true }), "'tis")
  })

  it("keeps the digits of a number", () => {
    for (const digits of ["7.20", "0", "-0.50", "12345678901234567890.123456789", "100"]) {
      assert.strictEqual(read(digits, { type: "decimal" }), digits)
    }
    assert.strictEqual(read("+7.50", { type: "decimal" }), "7.50")
    assert.strictEqual(read("007.5", { type: "decimal" }), "7.5")
    assert.strictEqual(read(".5", { type: "decimal" }), "0.5")
  })

  it("reads no number from a code with leading zeros or a sign", () => {
    for (const type of ["integer", "decimal"] as const) {
      for (const code of ["007", "+7", "-07", "-0", "០៧"]) {
        assert.match(read(code, { type, from: ["Patient No"] }) ?? "", /^! it has leading zeros or a sign/u)
      }
      for (const code of ["7", "0", "-7", "700"]) assert.strictEqual(read(code, { type, from: ["Patient No"] }), code)
      assert.strictEqual(read("007", { type, from: ["Quantity"] }), "7")
    }
  })

  it("reads a number with a dash in place of decimals, if nothing else in it is a decimal sign", () => {
    const comma = { type: "decimal", decimal: ",", group: "." } as const
    for (const cell of ["50.000,-", "50.000,--", "50.000,–", "50.000/-", "50.000/="]) {
      assert.strictEqual(read(cell, comma), "50000", cell)
    }
    assert.strictEqual(read("Rp 50.000,-", { ...comma, currency: ["Rp"] }), "50000")
    assert.strictEqual(read("-Rp 5,-", { ...comma, currency: ["Rp"] }), "-5")
    assert.strictEqual(read("Rs.1,25,000/-", { type: "decimal", group: ",", currency: ["Rs."] }), "125000")
    assert.strictEqual(read("5.-", { type: "decimal" }), "5")
    for (const cell of ["1.250.-", "1.250/-", "5,-", "5-", "5.00-", "-", "/-", ".-", "5.---"]) {
      assert.match(read(cell, { type: "decimal" }) ?? "", /^!/u, cell)
    }
    for (const cell of ["1,250,-", "1,250/-", "5.-", "50.000.-"]) assert.match(read(cell, comma) ?? "", /^!/u, cell)
  })

  it("reads a decimal comma and groups of digits only if they are declared", () => {
    assert.strictEqual(read("1.234,50", { type: "decimal", decimal: ",", group: "." }), "1234.50")
    assert.strictEqual(read("1,234.50", { type: "decimal", group: "," }), "1234.50")
    assert.strictEqual(read("1 234 567", { type: "decimal", group: " " }), "1234567")
    assert.strictEqual(read("1'234.5", { type: "decimal", group: "'" }), "1234.5")
    assert.match(present(read("1,234.50", { type: "decimal" })), /^! it is not a number/u)
    assert.match(present(read("12,34,5", { type: "decimal", group: "," })), /^! it is not a number/u)
    assert.match(present(read("12.5 mg", { type: "decimal" })), /^! it is not a number/u)
    assert.match(present(read("-", { type: "decimal" })), /^! it is not a number/u)
  })

  it("matches each space of a format with white space", () => {
    const { read } = format("DD  MM YYYY")
    for (const cell of ["02  03 2026", "02 \t 03  2026"]) {
      assert.deepStrictEqual(read(cell), { iso: "2026-03-02" }, cell)
    }
    for (const cell of ["02 03 2026", "02  03" + " ".repeat(100_000)]) assert.property(read(cell), "reason")
  })

  it("reads day numbers of spreadsheets, with the time of day, in the format `excel`", () => {
    const excel = format("excel")
    const iso = (cell: string) => {
      const found = excel.read(cell)
      return "iso" in found ? found.iso : `! ${found.reason}`
    }
    assert.strictEqual(iso("46083"), "2026-03-02")
    assert.strictEqual(iso("46083.354166666664"), "2026-03-02T08:30:00")
    assert.strictEqual(iso("46083,35417"), "2026-03-02T08:30:00")
    assert.strictEqual(iso("46083.35421"), "2026-03-02T08:30:04")
    assert.strictEqual(iso("46083.354"), "2026-03-02T08:30:00")
    assert.strictEqual(iso("46083.99999999"), "2026-03-03T00:00:00")
    assert.strictEqual(iso("61"), "1900-03-01")
    assert.match(iso("60"), /^! the calendar/u)
    assert.match(iso("02/03/2026"), /^! it is not a count/u)
    fc.assert(
      fc.property(fc.integer({ min: 61, max: 80_000 }), fc.integer({ min: 0, max: 86_399 }), (day, second) => {
        const at = new Date(Date.UTC(1899, 11, 30) + day * 86_400_000 + second * 1000)
        assert.strictEqual(iso(String(day)), new Date(Date.UTC(1899, 11, 30 + day)).toISOString().slice(0, 10))
        assert.strictEqual(iso((day + second / 86_400).toFixed(8)), at.toISOString().slice(0, 19))
      }),
      { numRuns: 200 }
    )
  })

  it("reads day numbers with a time of day of another column", () => {
    const iso = (text: string, cell: string) => {
      const found = format(text).read(cell)
      return "iso" in found ? found.iso : `! ${found.reason}`
    }
    assert.strictEqual(iso("excel HH:mm", "46083 08:30"), "2026-03-02T08:30:00")
    assert.strictEqual(iso("excel hh:mm A", "46083.0 02:30 PM"), "2026-03-02T14:30:00")
    assert.strictEqual(iso("excel", "46083 0.354"), "2026-03-02T08:30:00")
    for (const cell of ["46083", "46083.5 08:30", "46083 25:00", "60 08:30", "2026-03-02 08:30"]) {
      assert.match(iso("excel HH:mm", cell), /^! /u, cell)
    }
    assert.strictEqual(format("excel HH:mm").moved("46083 08:30", 14), "46097 08:30")
    assert.property(parseDateFormat("excel DD", undefined), "fault")
  })

  it("reads Unix time in seconds or milliseconds, of the years 1900 to 2099", () => {
    const iso = (text: string, cell: string) => {
      const found = format(text).read(cell)
      return "iso" in found ? found.iso : `! ${found.reason}`
    }
    assert.strictEqual(iso("unix", "1772416800"), "2026-03-02T02:00:00Z")
    assert.strictEqual(iso("unix ms", "1772416800250"), "2026-03-02T02:00:00.250Z")
    assert.strictEqual(iso("unix", "-86400"), "1969-12-31T00:00:00Z")
    for (
      const [text, cell] of [["unix", "1772416800000"], ["unix ms", "17724168000000"], ["unix", "1772416800.5"], [
        "unix",
        "2026-03-02"
      ], ["unix", ""]]
    ) {
      assert.match(iso(text ?? "", cell ?? ""), /^! it is not written as unix/u, cell)
    }
    assert.strictEqual(format("unix ms").moved("1772416800250", 7), "1773021600250")
    assert.deepStrictEqual(suggestFormat(["1772416800", "1772416860"]), ["unix"])
    assert.deepStrictEqual(suggestFormat(["1772416800250"]), ["unix ms"])
    assert.strictEqual(
      present(read("1772416800", { type: "timestamp", formats: [{ text: "unix", calendar: undefined }] })),
      "2026-03-02T02:00:00Z"
    )
  })

  it("reads a boolean by the words of its column", () => {
    assert.strictEqual(read("Y", { type: "boolean" }), "true")
    assert.strictEqual(read("n", { type: "boolean" }), "false")
    assert.match(present(read("maybe", { type: "boolean" })), /^! it is neither/u)
  })

  it("reads whole numbers only", () => {
    assert.strictEqual(read("0012", { type: "integer" }), "12")
    assert.match(present(read("1.5", { type: "integer" })), /^! it is not a whole number/u)
  })

  it("reads ISO 8601 by default", () => {
    assert.strictEqual(read("2026-03-02 08:15", { type: "timestamp" }), "2026-03-02T08:15")
    assert.strictEqual(read("2026-03-02T08:15:00.5+07:00", { type: "timestamp" }), "2026-03-02T08:15:00.5+07:00")
    assert.strictEqual(read("2026-03-02T08:15:00Z", { type: "date" }), "2026-03-02")
    for (const time of [" 8:15", " 00:00:00.000", " 08:15:00 PM", "T08:15:00.5+0700"]) {
      assert.strictEqual(read(`2026-03-02${time}`, { type: "date" }), "2026-03-02", time)
    }
    for (const more of [" to 2026-03-05", " (estimated)", " 2", "T"]) {
      assert.match(present(read(`2026-03-02${more}`, { type: "date" })), /^! it is not a date/u, more)
    }
    assert.match(present(read("02/03/2026", { type: "date" })), /^! it is not a date/u)
    assert.strictEqual(read("2026-02-30", { type: "date" }), "! the calendar has no such day")
  })

  it("reads the known part of a date with an unknown day, and no other zeros", () => {
    for (
      const [cell, text, value] of [
        ["1990-00-00", undefined, "1990"],
        ["1990-04-00", undefined, "1990-04"],
        ["00/00/1990", "DD/MM/YYYY", "1990"],
        ["19900400", "YYYYMMDD", "1990-04"],
        ["199000000000", "YYYYMMDDHHmm", "1990"]
      ] as const
    ) {
      for (const type of ["date", "timestamp"] as const) {
        const formats = text === undefined ? [] : [{ text, calendar: undefined }]
        assert.strictEqual(read(cell, { type, formats }), value, `${cell} ${type}`)
      }
    }
    const noDay = "! the calendar has no such day"
    assert.strictEqual(read("0000-00-00", { type: "date" }), noDay)
    assert.strictEqual(read("0000-00-00 00:00:00", { type: "timestamp" }), noDay)
    assert.strictEqual(read("1990-00-04", { type: "date" }), noDay)
    assert.strictEqual(read("1990-13-00", { type: "date" }), noDay)
    assert.strictEqual(read("1990-00-00 08:15", { type: "timestamp" }), noDay)
    const formats = [{ text: "YYYYMMDDHHmm", calendar: undefined }]
    assert.strictEqual(read("199000000815", { type: "timestamp", formats }), noDay)
  })

  it("uses the first format that fits, and reports all if none does", () => {
    const formats = (["DD/MM/YYYY HH:mm", "DD/MM/YYYY"] as const).map((
      text
    ) => ({ text, calendar: "gregorian" } as const))
    assert.strictEqual(read("02/03/2026 08:15", { type: "timestamp", formats }), "2026-03-02T08:15:00")
    assert.strictEqual(read("02/03/2026", { type: "timestamp", formats }), "2026-03-02")
    assert.strictEqual(
      read("2026", { type: "timestamp", formats }),
      "! it is not written as DD/MM/YYYY HH:mm or DD/MM/YYYY"
    )
    assert.strictEqual(read("31/02/2026", { type: "timestamp", formats }), "! the calendar has no such day")
  })

  it("rejects years that can only be of the calendar that a column does not state", () => {
    const wrong = {
      gregorian: "! its year is Buddhist, and the column has  calendar: gregorian",
      buddhist: "! its year is not Buddhist, and the column has  calendar: buddhist"
    }
    const formatsIn = (calendar: "gregorian" | "buddhist" | undefined) => [{ text: "DD/MM/YYYY", calendar }]
    for (const type of ["date", "timestamp"] as const) {
      assert.strictEqual(read("2569-03-02", { type }), "2569-03-02")
      assert.strictEqual(read("2569-03-02", { type, calendar: "gregorian" }), wrong.gregorian)
      assert.strictEqual(read("2026-03-02", { type, calendar: "gregorian" }), "2026-03-02")
      assert.strictEqual(read("02/03/2569", { type, formats: formatsIn(undefined) }), "2569-03-02")
      assert.strictEqual(read("02/03/2569", { type, formats: formatsIn("gregorian") }), wrong.gregorian)
      assert.strictEqual(read("02/03/2569", { type, formats: formatsIn("buddhist") }), "2026-03-02")
      assert.strictEqual(read("02/03/2026", { type, formats: formatsIn("buddhist") }), wrong.buddhist)
    }
  })
})

describe("parseDateFormat", () => {
  const cases: ReadonlyArray<readonly [format: string, cell: string, iso: string, calendar?: "buddhist"]> = [
    ["DD/MM/YYYY HH:mm", "02/03/2569 08:15", "2026-03-02T08:15:00", "buddhist"],
    ["YYYY-MM-DD", "2567-02-29", "2024-02-29", "buddhist"],
    ["D/M/YY", "2/3/69", "2026-03-02", "buddhist"],
    ["D/M/YY", "2/3/26", "2026-03-02"],
    ["D/M/YY", "2/3/69", "1969-03-02"],
    ["D MMM YYYY", "2 Mar 2026", "2026-03-02"],
    ["MMMM D, YYYY", "September 9, 2026", "2026-09-09"],
    ["MM/DD/YYYY hh:mm A", "03/02/2026 12:05 AM", "2026-03-02T00:05:00"],
    ["MM/DD/YYYY h:mm A", "03/02/2026 1:05 p.m.", "2026-03-02T13:05:00"],
    ["YYYYMMDDHHmmss", "20260302081530", "2026-03-02T08:15:30"],
    ["YYYY-MM-DDTHH:mm:ss.SSSZ", "2026-03-02T08:15:30.25+0700", "2026-03-02T08:15:30.25+07:00"],
    ["YYYY-MM-DDTHH:mm:ss.SSSZ", "2026-03-02T08:15:30.25+07:00", "2026-03-02T08:15:30.25+07:00"],
    ["YYYY-MM-DDTHH:mm:ss.SSSZ", "2026-03-02T01:15:30.25Z", "2026-03-02T01:15:30.25Z"],
    ["DD.MM.YYYY[ klo ]HH.mm", "02.03.2026 klo 08.15", "2026-03-02T08:15:00"],
    ["MM/YYYY", "03/2026", "2026-03"],
    ["YYYY", "2026", "2026"]
  ]
  for (const [text, cell, iso, calendar] of cases) {
    it(`${text} reads ${cell}${calendar === undefined ? "" : ` (${calendar})`}`, () => {
      assert.deepStrictEqual(format(text, calendar).read(cell), { iso })
    })
  }

  it("moves a date by days in its own format", () => {
    for (
      const [text, cell, days, moved, calendar] of [
        ["DD/MM/YYYY HH:mm", "28/02/2567 08:15", 7, "06/03/2567 08:15", "buddhist"],
        ["D MMM YY", "2 Mar 26", -2, "28 Feb 26", "gregorian"],
        ["D MMMM YYYY", "28 FEBRUARY 2026", 28, "28 MARCH 2026", "gregorian"],
        ["YYYYMMDD", "20261231", 1, "20270101", "gregorian"],
        ["excel", "46083.5", 14, "46097.5", "gregorian"]
      ] as const
    ) {
      assert.strictEqual(format(text, calendar).moved(cell, days), moved, text)
    }
    assert.isUndefined(format("YYYY", "gregorian").moved("2026", 7))
    assert.isUndefined(format("DD/MM/YYYY", "gregorian").moved("2026", 7))
  })

  it("reports what is wrong with a format", () => {
    for (
      const [text, fault] of [
        ["DD/MM", /no year/u],
        ["YYYY HH:mm", /needs a day/u],
        ["YYYY-MM-DD mm", /no hour/u],
        ["DD/DD/YYYY", /the day twice/u],
        ["dd/mm/yyyy", /`d` is not one of the tokens/u]
      ] as const
    ) {
      const found = parseDateFormat(text, "gregorian")
      assert.match("fault" in found ? found.fault : "", fault, text)
    }
  })

  it("law: reads what is written in the format, in both calendars", () => {
    const two = (n: number): string => String(n).padStart(2, "0")
    fc.assert(
      fc.property(
        fc.integer({ min: -20_000, max: 40_000 }),
        fc.nat(1439),
        fc.constantFrom("gregorian" as const, "buddhist" as const),
        (day, minute, calendar) => {
          const iso = new Date(day * 86_400_000).toISOString().slice(0, 10)
          const [year = 0, month = 0, dayOfMonth = 0] = iso.split("-").map(Number)
          const time = `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
          const cell = `${two(dayOfMonth)}/${two(month)}/${year + (calendar === "buddhist" ? 543 : 0)} ${time}`
          assert.deepStrictEqual(format("DD/MM/YYYY HH:mm", calendar).read(cell), { iso: `${iso}T${time}:00` })
        }
      )
    )
  })
})

describe("rowId", () => {
  it("law: returns different ids for different keys", () => {
    const part = fc.string({ unit: fc.constantFrom("|", "\\", "a", "") })
    fc.assert(fc.property(fc.tuple(part, part), fc.tuple(part, part), (one, other) => {
      assert.strictEqual(rowId(one) === rowId(other), one[0] === other[0] && one[1] === other[1])
    }))
  })
})
