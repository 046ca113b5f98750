import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { gzipSync } from "node:zlib"
import { at } from "../../../src/at.ts"
import { collate } from "../../../src/diagnostic/collate.ts"
import type { Diagnostic } from "../../../src/diagnostic/Diagnostic.ts"
import { loadMapping } from "../../../src/mapping/load/loadMapping.ts"
import { findInputs } from "../../../src/source/read/findInputs.ts"
import { readInputs } from "../../../src/source/read/readInput.ts"
import { RecordCollector } from "../../../src/source/records/RecordIndex.ts"
import type { SourceRecord } from "../../../src/source/records/SourceRecord.ts"
import type { TableLayout } from "../../../src/source/tables/TableLayout.ts"
import { only, present } from "../../present.ts"
import { temporaryFolder, written } from "../../run/converted.ts"
import { runs } from "../../runs.ts"

/** The tables that a text of `table:` declares. */
const tablesOf = (table: string): Effect.Effect<ReadonlyArray<TableLayout>> => {
  const text = `mapping: t\nextends: csv\ntable:\n${table.replace(/^/gmu, "  ")}`
  return loadMapping("t.yaml", "mappings", { given: new Map([["t.yaml", text]]) }).pipe(
    Effect.map(({ checked, problems }) => {
      if (checked === undefined) throw new Error(problems.map(({ title }) => title).join("\n"))
      return checked.plan.tables
    }),
    Effect.provide(NodeServices.layer)
  )
}

interface Found {
  readonly records: ReadonlyArray<SourceRecord>
  readonly problems: ReadonlyArray<Diagnostic>
}

/** Reads files under a declaration, as a run does. */
const read = (
  table: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  options: { readonly now?: number } = {}
): Effect.Effect<Found> =>
  Effect.gen(function*() {
    const tables = yield* tablesOf(table)
    const folder = yield* temporaryFolder
    written(folder, files)
    const { inputs } = yield* findInputs([folder])
    const items = yield* Stream.runCollect(readInputs(inputs, { ...options, tables }))
    return {
      records: items.flatMap((item) => (item._tag === "Record" ? [item.record] : [])),
      problems: items.flatMap((item) => (item._tag === "Problem" ? [item.diagnostic] : []))
    }
  }).pipe(Effect.scoped, Effect.orDie)

const names = "name:\n  file: names.csv\n  key: no\n  column: [no, word]"

const words = (records: ReadonlyArray<SourceRecord>): ReadonlyArray<unknown> =>
  records.map(({ resource }) => resource.word)

/** `line code column: title`. */
const reported = (problems: ReadonlyArray<Diagnostic>): ReadonlyArray<string> =>
  problems.map(({ code, facts, origin, title }) =>
    `${origin?.line} ${code} ${facts?.find(([name]) => name === "column")?.[1] ?? ""}: ${title}`
  )

describe("the text of a file", () => {
  const text = "no,word\n1,žluť\n2,กขค\n"

  it.effect("is UTF-8 with or without a byte order mark, UTF-16 with one, plain or gzip", () =>
    Effect.gen(function*() {
      const forms: Readonly<Record<string, Uint8Array>> = {
        plain: Buffer.from(text),
        marked: Buffer.from(`\uFEFF${text}`),
        little: Buffer.from(`\uFEFF${text}`, "utf16le"),
        big: Buffer.from(`\uFEFF${text}`, "utf16le").swap16(),
        gzip: gzipSync(text)
      }
      for (const [form, bytes] of Object.entries(forms)) {
        const file = form === "gzip" ? "names.csv.gz" : "names.csv"
        const { problems, records } = yield* read(names, { [file]: bytes })
        assert.deepStrictEqual(reported(problems), [], form)
        assert.deepStrictEqual(words(records), ["žluť", "กขค"], form)
      }
    }))

  it.effect("is read in the declared encoding: windows-874, windows-1252, UTF-16 without a mark", () =>
    Effect.gen(function*() {
      const thai = Buffer.from([...Buffer.from("no,word\n1,"), 0xa1, 0xa2, 0xa4, 0x0a])
      const { records } = yield* read(`${names}\n  encoding: cp874`, { "names.csv": thai })
      assert.deepStrictEqual(words(records), ["กขค"])
      const western = Buffer.from("no,word\n1,Jos\u00e9\n", "latin1")
      assert.deepStrictEqual(
        words((yield* read(`${names}\n  encoding: windows-1252`, { "names.csv": western })).records),
        ["José"]
      )
      const wide = Buffer.from("no,word\n1,x\n", "utf16le")
      assert.deepStrictEqual(words((yield* read(`${names}\n  encoding: utf-16le`, { "names.csv": wide })).records), [
        "x"
      ])
    }))

  it("composes letters and tones of windows-1258, wherever a chunk ends", async () => {
    const { decodeText } = await import("../../../src/source/tables/rows/decodeText.ts")
    for (let size = 1; size < 9; size++) {
      let text = ""
      for await (const { bytes } of decodeText(pieces(vietnamese, size), "windows-1258")) text += bytes.toString()
      assert.strictEqual(text, "no,word\n1,B\u1EC7nh vi\u1EC7n\n", String(size))
    }
  })

  it.effect("reports Vietnamese in windows-1258 as such", () =>
    Effect.gen(function*() {
      const { problems } = yield* read(names, { "names.csv": vietnamese })
      assert.include(present(problems[0]?.help).join(), "encoding: windows-1258")
    }))

  it.effect("rejects a row with bytes of another encoding, and reports row, column and the likely encoding", () =>
    Effect.gen(function*() {
      const mixed = Buffer.concat([
        Buffer.from("no,word\n1,é\n2,"),
        Buffer.from([0xe9]),
        Buffer.from("\n3,z\n")
      ])
      const { problems, records } = yield* read(names, { "names.csv": mixed })
      assert.deepStrictEqual(words(records), ["é", "z"])
      assert.deepStrictEqual(reported(problems), [
        "3 unreadable-record word (2): a row cannot be read: the bytes of a cell are not text in the encoding of the file"
      ])
      assert.strictEqual(problems[0]?.severity, "error")
      assert.strictEqual(problems[0]?.source, "name/2")
      assert.include(present(problems[0]?.help).join(), "encoding: windows-1252")
    }))

  it.effect("reports the encoding of wrong bytes, however far down the file they are", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 20_000 }, (_, n) => `${n},plain`).join("\n")
      const thai = Buffer.from([0xca, 0xb9, 0xd2, 0xc3, 0xec])
      const cyrillic = Buffer.from([0xcf, 0xe5, 0xf2, 0xf0, 0xee, 0xe2, 0xfc])
      for (const [bytes, encoding] of [[thai, "windows-874"], [cyrillic, "windows-1251"]] as const) {
        const file = Buffer.concat([Buffer.from(`no,word\n${many}\nlast,`), bytes, Buffer.from("\n")])
        const { problems, records } = yield* read(names, { "names.csv": file })
        assert.strictEqual(records.length, 20_000)
        assert.include(present(problems[0]?.help).join(), `encoding: ${encoding}`)
      }
    }))

  it.effect("reports no bytes in columns that no table reads", () =>
    Effect.gen(function*() {
      const file = Buffer.concat([Buffer.from("no,word,other\n1,a,"), Buffer.from([0xe9]), Buffer.from("\n")])
      const { problems, records } = yield* read(names, { "names.csv": file })
      assert.deepStrictEqual(words(records), ["a"])
      assert.deepStrictEqual(problems, [])
    }))

  it.effect("rejects a row if undecodable bytes are in a cell that identifies it", () =>
    Effect.gen(function*() {
      const mixed = Buffer.concat([Buffer.from("no,word\n1,a\n2"), Buffer.from([0xe9]), Buffer.from(",b\n3,c\n")])
      const { problems, records } = yield* read(names, { "names.csv": mixed })
      assert.deepStrictEqual(words(records), ["a", "c"])
      assert.deepStrictEqual(problems.map(({ code, facts, origin }) => [code, origin?.line, facts]), [
        ["unreadable-record", 3, [["column", "no (1)"]]]
      ])
    }))

  it.effect("is an error if its table declares an encoding of one byte per character, and the file is UTF-8", () =>
    Effect.gen(function*() {
      // One letter is enough, and it may be far below the header.
      for (const count of [0, 20_000]) {
        const { problems } = yield* read(`${names}\n  encoding: windows-1252`, {
          "names.csv": `no,word\n${"1,Meier\n".repeat(count)}2,Müller\n3,Meier\n`
        })
        const { help, severity } = only(problems)
        assert.deepStrictEqual(reported(problems), [
          `${
            count + 2
          } wrong-format word (2): the file is UTF-8, but its table declares \`windows-1252\`: names and other texts are read wrong`
        ])
        assert.strictEqual(severity, "error")
        assert.include(present(help), "set under its table:  encoding: utf-8")
      }
      for (
        const [encoding, word] of [["windows-874", "ชาย"], ["windows-1251", "Иван"], ["windows-1256", "علي"]] as const
      ) {
        const { problems } = yield* read(`${names}\n  encoding: ${encoding}`, { "names.csv": `no,word\n1,${word}\n` })
        assert.match(reported(problems).join(), /the file is UTF-8/u, encoding)
      }
    }))

  it.effect("is not an error for UTF-8 if no column that is read has a letter outside ASCII", () =>
    Effect.gen(function*() {
      const { problems } = yield* read(`${names}\n  encoding: windows-1252`, { "names.csv": "no,word,note\n1,x,é\n" })
      assert.deepStrictEqual(reported(problems), [])
    }))

  it.effect("can be real words of its encoding whose bytes are also UTF-8", () =>
    Effect.gen(function*() {
      const thai = Buffer.from([...Buffer.from("no,word\n1,"), 0xcb, 0xad, 0xd4, 0xa7, 0x0a])
      const { problems, records } = yield* read(`${names}\n  encoding: windows-874`, { "names.csv": thai })
      assert.deepStrictEqual(words(records), ["หญิง"])
      assert.deepStrictEqual(reported(problems), [])
    }))

  it.effect("is named as UTF-8 if a column is missing because its name is read wrong", () =>
    Effect.gen(function*() {
      const { problems } = yield* read(
        `name:\n  file: names.csv\n  key: no\n  column: {no: text, word: {from: größe}}\n  encoding: windows-1252`,
        {
          "names.csv": "no,größe\n1,a\n"
        }
      )
      assert.match(present(only(problems).help).join(), /the file is UTF-8.*encoding: utf-8/u)
    }))

  it.effect("is an error if it is empty, because a table has a header", () =>
    Effect.gen(function*() {
      const { problems, records } = yield* read(names, { "names.csv": "" })
      assert.strictEqual(records.length, 0)
      assert.deepStrictEqual(reported(problems), [
        "1 unreadable-input : a file of a table is empty: it does not even have a header"
      ])
      assert.strictEqual(problems[0]?.severity, "error")
      assert.deepStrictEqual((yield* read(names, { "names.csv": "no,word\n" })).problems, [])
      const optional = yield* read(`${names}\n  fileOptional: true`, { "names.csv": "" })
      assert.strictEqual(optional.problems[0]?.severity, "warning")
    }))

  it.effect("is rejected in UTF-16 without a mark, with a hint to declare it", () =>
    Effect.gen(function*() {
      const { problems } = yield* read(names, { "names.csv": Buffer.from("no,word\n1,a\n", "utf16le") })
      assert.include(present(problems[0]?.help).join(), "encoding: utf-16le")
    }))

  it.effect("loses its NULs", () =>
    Effect.gen(function*() {
      const { problems, records } = yield* read(names, { "names.csv": "no,word\n1,a\0b\n2,c\n" })
      assert.deepStrictEqual(words(records), ["ab", "c"])
      assert.deepStrictEqual(reported(problems), ["2 text-changed word (2): a NUL was removed from a cell"])
    }))
})

describe("the signs of a file", () => {
  for (const [name, sign] of [["comma", ","], ["semicolon", ";"], ["tab", "\t"], ["pipe", "|"]] as const) {
    it.effect(`include a ${name} that is detected in the header`, () =>
      Effect.gen(function*() {
        const { problems, records } = yield* read(names, { "names.csv": `no${sign}word\r\n1${sign}a\r\n` })
        assert.deepStrictEqual(reported(problems), [])
        assert.deepStrictEqual(words(records), ["a"])
      }))
  }

  it.effect("are those that are declared: another quote, none, an escape, old line breaks", () =>
    Effect.gen(function*() {
      const of = (stated: string, text: string) =>
        Effect.map(read(`${names}\n  ${stated}`, { "names.csv": text }), ({ records }) => words(records))
      assert.deepStrictEqual(yield* of("quote: \"'\"", "no,word\n1,'a,b'\n"), ["a,b"])
      assert.deepStrictEqual(yield* of("quote: none", "no,word\n1,\"a\n"), ["\"a"])
      assert.deepStrictEqual(yield* of("escape: \"\\\\\"", "no,word\n1,\"a\\\"b\"\n"), ["a\"b"])
      assert.deepStrictEqual(yield* of("delimiter: \"~\"", "no~word\r1~a\r2~b\r"), ["a", "b"])
    }))

  it.effect("put the header at its declared row, or nowhere", () =>
    Effect.gen(function*() {
      const third = yield* read(`${names}\n  header: 3`, { "names.csv": "Report\nof today\nno,word\n1,a\n" })
      assert.deepStrictEqual(words(third.records), ["a"])
      const none = yield* read(`${names}\n  header: false`, { "names.csv": "1,a\n2,b\n" })
      assert.deepStrictEqual(words(none.records), ["a", "b"])
    }))
})

describe("a header", () => {
  it.effect("names columns in any case, spacing and order, or by number", () =>
    Effect.gen(function*() {
      const table = "name:\n  key: no\n  column: {no: {from: \"Case No.\"}, first_word: text, second: {from: 3}}"
      const { problems, records } = yield* read(table, { "name.csv": "FIRST WORD,Case No.,x,x\na,1,b,c\n" })
      assert.deepStrictEqual(reported(problems), [])
      const { first_word, id, second } = at(records, 0).resource
      assert.deepStrictEqual([id, first_word, second], ["1", "a", "b"])
      assert.strictEqual(records[0]?.row?.nameOf("first_word"), "FIRST WORD (1)")
    }))

  it.effect("without a required column rejects the table with a suggestion; an optional column is reported only if it looks misspelt", () =>
    Effect.gen(function*() {
      const { problems, records } = yield* read(names, { "names.csv": "no,wrod\n1,a\n" })
      assert.deepStrictEqual(records, [])
      assert.deepStrictEqual(problems.map(({ code, label, severity }) => [code, severity, label]), [
        ["unknown-column", "error", "did you mean `wrod`?"]
      ])
      const optional = `${names}\n  optional: true`
      const misspelt = yield* read(optional, { "names.csv": "no,wrod\n1,a\n" })
      assert.deepStrictEqual(misspelt.problems.map(({ severity }) => severity), ["warning"])
      const without = yield* read(optional, { "names.csv": "no,other_things\n1,a\n" })
      assert.deepStrictEqual([without.problems.length, without.records.length], [0, 1])
    }))

  it.effect("is not shown if it is really a row, because its cells are patient data", () =>
    Effect.gen(function*() {
      const table = "name:\n  column: [hn, surname, given, born]"
      const { problems } = yield* read(table, { "name.csv": "T-1,Heron,Ada,1990-04-12\nT-2,Egret,Bram,1991-01-01\n" })
      const { value, ...problem } = only(problems)
      assert.notMatch(JSON.stringify(problem), /T-1|Heron|Ada|1990/u)
      assert.include(present(problem.help).join(), "(4 cells): add the header")
      assert.include(present(problem.help).join(), "header: false")
      assert.strictEqual(value, "T-1, Heron, Ada, 1990-04-12")
      // Columns that are declared by their numbers do not make a header of it.
      const numbered = yield* read("name:\n  column: {born: {type: date, from: 4}}", {
        "name.csv": "T-1,Heron,Ada,1990-04-12\nT-2,Egret,Bram,gone\n"
      })
      assert.notMatch(JSON.stringify(numbered.problems), /T-1|Heron|Ada|1990/u)
      assert.deepStrictEqual(reported(numbered.problems).map((text) => text.split(":")[0]), ["2 invalid-cell 4"])
    }))

  it.effect("with some known columns shows the others, unless they hold digits", () =>
    Effect.gen(function*() {
      const shown = (header: string) =>
        Effect.map(
          read("name:\n  column: [hn, surname, given, born, sex, phone]", { "name.csv": `${header}\n1,2,3,4,5\n` }),
          ({ problems }) => present(problems[0]?.help?.[0])
        )
      assert.include(yield* shown("hn,Family,First,Day,Tel"), "not used: Family, First, Day, Tel")
      assert.include(yield* shown("hn,surname,given,Day 1,Tel"), "not used: Day 1, Tel")
      assert.notInclude(yield* shown("hn,Heron,Ada,1990,010"), "Heron")
      assert.notInclude(yield* shown("Heron,Ada,Ward,Fern,Hill"), "Heron")
    }))

  it.effect("without a column that the mapping declares over an optional one rejects the table, unless it stays optional", () =>
    Effect.gen(function*() {
      const header = "code,Born,DateInn\nP-1,1990-04-12,\n"
      const missing = (column: string) =>
        Effect.map(
          read(`patient:\n${column}`, { "patient.csv": header }),
          ({ problems, records }) => [
            records.length,
            ...problems.map(({ label, severity, title }) => `${severity}: ${title}, ${label}`)
          ]
        )
      // Only in the canonical layout: files omit what they have nothing for.
      assert.deepStrictEqual(yield* missing("  null: [none]"), [1])
      assert.deepStrictEqual(yield* missing("  column: {birthdate: {type: date, from: DOB}}"), [
        0,
        "error: the header has no column `DOB`, a column of the table `patient`"
      ])
      assert.deepStrictEqual(yield* missing("  column: {created_at: {from: DateIn}}"), [
        0,
        "error: the header has no column `DateIn`, did you mean `DateInn`?"
      ])
      assert.deepStrictEqual(yield* missing("  column: {ward: text}"), [
        0,
        "error: the header has no column `ward`, a column of the table `patient`"
      ])
      assert.deepStrictEqual(yield* missing("  column: {version: {optional: true}}"), [1])
      assert.deepStrictEqual(yield* missing("  column: {birthdate: {from: DOB, optional: true}}"), [1])
      assert.deepStrictEqual(yield* missing("  optional: true\n  column: {birthdate: {from: DOB}}"), [1])
    }))

  it.effect("without several columns is one problem, with the rows that were not read", () =>
    Effect.gen(function*() {
      const { problems, records } = yield* read(names, { "names.csv": "nr,wrod,x\n1,a,\n2,b,\"open\n" })
      assert.deepStrictEqual(records, [])
      assert.deepStrictEqual(
        problems.map(({ facts, labels, title }) => [title, facts, labels?.map(({ text }) => text)]),
        [
          ["the header has no columns `no`, `word`", [["rows", "2, not read"]], ["did you mean `wrod`?"]]
        ]
      )
      assert.include(present(problems[0]?.help).at(-1), "the visits of its rows are unknown: no visit is sent")
    }))

  it.effect("with another delimiter than declared is reported with that delimiter", () =>
    Effect.gen(function*() {
      const { problems } = yield* read(`${names}\n  delimiter: comma`, { "names.csv": "no\tword\n1\ta\n" })
      assert.strictEqual(problems.length, 1)
      assert.include(present(problems[0]?.help)[0], "delimiter: tab")
    }))

  it.effect("with a duplicate name is reported, and the first column is read", () =>
    Effect.gen(function*() {
      const { problems, records } = yield* read(names, { "names.csv": "no,word,word\n1,a,b\n" })
      assert.deepStrictEqual(words(records), ["a"])
      assert.match(reported(problems).join(), /has 2 columns `word`/u)
    }))
})

describe("malformed rows", () => {
  it.effect("with too many or few cells, stray quotes or an open quote affect no other row", () =>
    Effect.gen(function*() {
      const { problems, records } = yield* read(names, {
        "names.csv":
          "no,word\n1,a\n2,b,c\n3\n4,5\" tube\n5,\"x\"y\n6,\"open\n7,ok\n\n8,\"two\nlines\"\n9,trailing,,\n10,\"never\n11,end\n"
      })
      assert.deepStrictEqual(records.map(({ origin, resource }) => `${origin.line}:${String(resource.word)}`), [
        "2:a",
        "5:5\" tube",
        "6:\"x\"y",
        "8:ok",
        "10:two\nlines",
        "12:trailing",
        "14:end"
      ])
      assert.deepStrictEqual(problems.map(({ code, origin, severity }) => `${origin?.line} ${severity} ${code}`), [
        "3 error unreadable-record",
        "4 error unreadable-record",
        "5 warning unreadable-record",
        "6 warning unreadable-record",
        "7 error unreadable-record",
        "13 error unreadable-record"
      ])
      assert.include(reported(problems)[2], "word (2)")
    }))

  it.effect("do not include Ctrl-Z and NULs at the end", () =>
    Effect.gen(function*() {
      for (const end of ["\u001A", "\n\u001A", "\n\0\0"]) {
        const { problems, records } = yield* read(names, { "names.csv": `no,word\n1,a\n2,b${end}` })
        assert.deepStrictEqual([words(records), problems], [["a", "b"], []])
      }
    }))

  it.effect("with a stray quote that is closed in another row are reported, and multi-line notes are read", () =>
    Effect.gen(function*() {
      const table = "note:\n  file: notes.csv\n  column: {vn: text, rank: integer, word: text}\n" +
        "  link: {visit: {table: visit, on: vn}}"
      const lost = (csv: string) =>
        Effect.map(
          read(table, { "notes.csv": `vn,rank,word\n${csv}` }),
          (
            { problems, records }
          ) => [words(records), ...problems.map(({ origin, title }) => `${origin?.line} ${title}`)]
        )
      const stated = "a row cannot be read: one of its quoted cells contains lines that look like rows"
      assert.deepStrictEqual(yield* lost("V-1,1,\"a\nV-2,1,b\nV-3,1,c\"\nV-4,1,d\n"), [["d"], `2 ${stated}`])
      assert.deepStrictEqual(yield* lost("V-1,1,a\r\n\"V-2,1,b\r\nV-3,1,c\"\r\nV-4,1,d\r\n"), [
        ["a", "d"],
        `3 ${stated}`
      ])
      const notes = [
        "two\nlines",
        "pain, fever,\ncough, 3 days, dry",
        "dose:\n2 tabs, 1, evening\n",
        "V-1,1\nV-2,1",
        "a\n\nb,,"
      ]
      assert.deepStrictEqual(yield* lost(notes.map((note) => `V-1,1,"${note}"\n`).join("")), [
        notes.map((note) => note.trim())
      ])
    }))

  it.effect("without a key are rejected; a key of several columns needs each", () =>
    Effect.gen(function*() {
      const one = yield* read(names, { "names.csv": "no,word\n,a\n2,b\n" })
      assert.deepStrictEqual(words(one.records), ["b"])
      assert.match(
        reported(one.problems).join(),
        /^2 unreadable-record no \(1\): a row of `name` has no value for its key$/u
      )
      const table = "name:\n  key: [no, part]\n  column: [no, part]"
      const two = yield* read(table, { "name.csv": "no,part\n1,\n1,2\n" })
      assert.deepStrictEqual(two.records.map(({ resource }) => resource.id), ["1|2"])
      assert.strictEqual(two.problems.length, 1)
    }))

  it.effect("with damage by a spreadsheet are rejected, unless the mapping declares what the cell means", () =>
    Effect.gen(function*() {
      const table = "name:\n  key: no\n  column: {no: text, card_no: text, word: text, n: decimal, day: date}"
      const head = "no,card_no,word,n,day\n"
      const damaged = [
        "1,1.23457E+11,a,1,2026-03-02",
        "2,x,#N/A,1,2026-03-02",
        "3,x,a,#REF!,2026-03-02",
        "4,x,a,1,46083.354",
        "3.5E+10,x,a,1,2026-03-02",
        "6,3-Apr,a,1,2026-03-02",
        "7,x,1.23457E+11,1,2026-03-02"
      ]
      const { problems, records } = yield* read(table, { "name.csv": `${head}${damaged.join("\n")}\n` })
      assert.deepStrictEqual(records, [])
      assert.deepStrictEqual(problems.map(({ code, severity, source }) => [code, severity, source]), [
        ["unreadable-record", "error", "name/1"],
        ["unreadable-record", "error", "name/2"],
        ["unreadable-record", "error", "name/3"],
        ["unreadable-record", "error", "name/4"],
        ["unreadable-record", "error", undefined],
        ["unreadable-record", "error", "name/6"],
        ["unreadable-record", "error", "name/7"]
      ])
      const sound = [
        "1,120E5,#1 priority,1.5E+03,2026-03-02",
        "2,3-April,seen 3-Apr,1,2026-03-02",
        "3,x,2.5E+11,1,2026-03-02",
        "4,x,#,1,"
      ]
      const kept = yield* read(table, { "name.csv": `${head}${sound.join("\n")}\n` })
      assert.deepStrictEqual(reported(kept.problems), [])
      assert.strictEqual(kept.records.length, 4)
      const intended = table.replace("word: text", "word: {null: [\"#N/A\"]}").replace(
        "day: date",
        "day: {type: date, format: [excel, YYYY-MM-DD]}"
      )
      const read2 = yield* read(intended, { "name.csv": `${head}2,x,#N/A,1,46083\n` })
      assert.deepStrictEqual(reported(read2.problems), [])
      assert.deepStrictEqual(read2.records.map(({ resource }) => [resource.word, resource.day]), [
        [undefined, "2026-03-02"]
      ])
    }))

  it.effect("are rejected if their key is a number that loses zeros or a sign, which would join two patients", () =>
    Effect.gen(function*() {
      const table = (type: string) =>
        `patient:\n  key: hn\n  column: {hn: ${type}, word: text}\n`
        + `seen:\n  column: {hn: ${type}, word: text}\n  link: {patient: {table: patient, on: hn}}`
      const files = { "patient.csv": "hn,word\n7,a\n007,b\n0,c\n", "seen.csv": "hn,word\n07,d\n+7,e\n7,f\n០៧,g\n" }
      for (const type of ["integer", "decimal"]) {
        const { problems, records } = yield* read(table(type), files)
        assert.deepStrictEqual(words(records), ["a", "c", "f"])
        const rejected = (file: string, line: number) => [file, line, "unreadable-record", "error"]
        assert.deepStrictEqual(
          problems.map(({ code, origin, severity }) => [origin?.file.split("/").at(-1), origin?.line, code, severity]),
          [rejected("patient.csv", 3), rejected("seen.csv", 2), rejected("seen.csv", 3), rejected("seen.csv", 5)]
        )
        assert.include(present(problems[0]).help?.[0], "type: text")
      }
      const { problems, records } = yield* read(table("text"), files)
      assert.deepStrictEqual([words(records).length, problems], [7, []])
    }))

  it.effect("are reported if their identifiers are numbers with decimals, as spreadsheets write them", () =>
    Effect.gen(function*() {
      const table = `${names}\n  link: {of: {table: name, on: word}}`
      const { problems, records } = yield* read(table, { "names.csv": "no,word\n1001.0,9000.00\n1002,9000\n" })
      assert.deepStrictEqual(records.map(({ resource }) => resource.id), ["1001.0", "1002"])
      assert.deepStrictEqual(reported(problems), [
        "2 odd-value no (1): a number of `no` has decimals, such as 1001.0: it is another identifier than 1001",
        "2 odd-value word (2): a number of `word` has decimals, such as 1001.0: it is another identifier than 1001"
      ])
      // Other numbers have decimals.
      assert.deepStrictEqual((yield* read(names, { "names.csv": "no,word\n1,12.0\n" })).problems, [])
    }))

  it.effect("get a hint which row is the header if titles are above it", () =>
    Effect.gen(function*() {
      const { problems, records } = yield* read(names, {
        "names.csv": "Hospital of the North,\nMarch 2026,\n\nno,word\n1,a\n"
      })
      assert.deepStrictEqual(records, [])
      assert.include(present(problems[0]?.help).join("\n"), "header: 3")
      assert.deepStrictEqual(
        words(
          (yield* read(`${names}\n  header: 3`, {
            "names.csv": "Hospital of the North,\nMarch 2026,\n\nno,word\n1,a\n"
          })).records
        ),
        ["a"]
      )
    }))

  it.effect("with the same error are reported a hundred times, then together with the right count", () =>
    Effect.gen(function*() {
      const table = "name:\n  key: no\n  column: {no: text, when: date}"
      const rows = Array.from({ length: 250 }, (_, n) => `${n},yesterday`).join("\n")
      const { problems, records } = yield* read(table, { "name.csv": `no,when\n${rows}\n` })
      assert.strictEqual(records.length, 250)
      assert.strictEqual(problems.length, 101)
      assert.strictEqual(problems.at(-1)?.times, 150)
      assert.deepStrictEqual(collate(problems).map(({ count }) => count), [250])
    }))

  it.effect("with dates in another format than declared are reported once, with their format", () =>
    Effect.gen(function*() {
      const reported = (format: string, ...cells: ReadonlyArray<string>) =>
        Effect.map(
          read(`name:\n  column: {when: {type: date, format: ${format}}, word: text}`, {
            "name.csv": `when,word\n${cells.map((cell) => `${cell},a\n`).join("")}`
          }),
          ({ problems }) => problems.map(({ code, help, times = 1 }) => `${times} ${code}: ${help?.join("; ")}`)
        )
      const sendNothing = "the others may have been read as a wrong day: no visit is sent until this is corrected"
      // Days and months in each other's place: what has a day up to 12 reads as a date.
      assert.deepStrictEqual(
        yield* reported("MM/DD/YYYY", "27/01/2023", "28/01/2023", "", "02/03/2023", "04/05/2023"),
        [
          `2 wrong-format: set its format:  format: "DD/MM/YYYY"; ${sendNothing}`
        ]
      )
      // Two of a hundred show that others have been read as a wrong day, also next to cells that are no dates; one is a typing error.
      const mixed = "write all dates in one order in the export: these are written as  format: \"MM/DD/YYYY\""
      const many = Array.from({ length: 98 }, (_, at) => `${10 + at % 3}/02/2023`)
      const typed = "such cells are written as  format: \"MM/DD/YYYY\"   (several in a list)"
      for (
        const [cells, expected] of [
          [["01/27/2023", "01/28/2023", ...many], [
            `2 wrong-format: ${mixed}; ${sendNothing}`
          ]],
          [["01/27/2023", "01/28/2023", "later", ...many], [
            `3 wrong-format: ${mixed}; ${sendNothing}`
          ]],
          [["01/27/2023", ...many], [`1 invalid-cell: ${typed}`]]
        ] as const
      ) assert.deepStrictEqual(yield* reported("DD/MM/YYYY", ...cells), [...expected])
      // Years of another calendar do not show the order of day and month.
      const buddhist = Array.from({ length: 98 }, (_, at) => `${10 + at % 3}/02/2566`)
      for (
        const problem of yield* reported("DD/MM/YYYY, calendar: buddhist", "05/03/2023", "06/03/2023", ...buddhist)
      ) assert.match(problem, /^1 invalid-cell: /u)
      assert.deepStrictEqual(yield* reported("YYYY-MM-DD", "1/2/2023", "3/4/2023"), [
        "2 wrong-format: set its format:  format: \"D/M/YYYY\"  or  format: \"M/D/YYYY\"; "
        + "no visit is sent until this is corrected: visits that are sent without these cells cannot be completed later"
      ])
      // A few among many are cells, not the column.
      assert.deepStrictEqual(yield* reported("YYYY-MM-DD", "2023-02-01", "2023-02-02", "3 Feb 2023"), [
        "1 invalid-cell: such cells are written as  format: \"D MMM YYYY\"   (several in a list)"
      ])
      assert.deepStrictEqual(yield* reported("DD/MM/YYYY", "31/02/2023"), [
        "1 invalid-cell: correct it in the source, or list it under  null:  if it means no value"
      ])
    }))

  describe("whose dates have no day above 12 may have day and month exchanged", () => {
    const table = (column: string) =>
      `visit:\n  file: v.csv\n  key: code\n  column:\n    code: text\n    admitted_at: {type: timestamp, format: [DD/MM/YYYY, DD/MM/YYYY HH:mm]}\n${column}`
    /** The titles of a file that is read on 13 March 2026. */
    const titles = (rows: ReadonlyArray<string>, column = "", header = "code,patient_code,admitted_at") =>
      read(table(column), { "v.csv": [header, ...rows.map((row, at) => `V-${at},P-1,${row}`), ""].join("\n") }, {
        now: Date.UTC(2026, 2, 13)
      }).pipe(Effect.map(({ problems }) => problems.map(({ code, title }) => `${code} ${title}`)))
    const exchanged = "wrong-format day and month of `admitted_at` may be exchanged: "
    const future = `${exchanged}all lie in the future as they are read`
    const months =
      `${exchanged}they are one day in each of several months as they are read, and days of one month otherwise`

    it.effect("if visits begin in the future, and would not otherwise", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* titles(["03/12/2026 08:15", "03/12/2026 09:30"]), [future])
        assert.deepStrictEqual(yield* titles(["០៣/១២/២០២៦ ០៨:១៥"]), [future])
        // One visit among others can have a wrong month.
        assert.deepStrictEqual(yield* titles(["03/12/2026", "01/02/2026", "04/02/2026"]), [])
        // In either order it is in the future.
        assert.deepStrictEqual(yield* titles(["05/06/2026"]), [])
      }))

    it.effect("if visits begin on one day of several months, and would be on days of one month otherwise", () =>
      Effect.gen(function*() {
        const days = (month: string, ...days: ReadonlyArray<string>) => days.map((day) => `${month}/${day}/2026`)
        assert.deepStrictEqual(yield* titles(days("02", "01", "02", "03", "04")), [months])
        assert.deepStrictEqual(yield* titles(days("02", "01", "02", "04", "13")), [
          "invalid-cell a cell of `admitted_at` was ignored: the calendar has no such day",
          `${exchanged}most lie in the future as they are read`
        ])
        assert.deepStrictEqual(yield* titles(["02/01/2026", "02/03/2026"]), [])
        assert.deepStrictEqual(yield* titles(["02/01/2026", "02/03/2026", "05/03/2026"]), [])
        // On the fifth of each month: otherwise they would be in May, which is in the future.
        assert.deepStrictEqual(yield* titles(["05/01/2026", "05/02/2026", "05/03/2026"]), [])
      }))

    it.effect("unless another date of the file shows its order", () =>
      Effect.gen(function*() {
        const rows = ["02/01/2026,02/01/2026", "02/03/2026,02/05/2026", "02/04/2026,13/05/2026"]
        const other = "    due: {type: date, format: DD/MM/YYYY}"
        assert.deepStrictEqual(yield* titles(rows, other, "code,patient_code,admitted_at,due"), [])
        assert.deepStrictEqual(
          yield* titles(rows.map((row) => row.replace("13/", "10/")), other, "code,patient_code,admitted_at,due"),
          [
            months
          ]
        )
      }))

    it.effect("only where visits begin: appointments can be months apart, and in the future", () =>
      Effect.gen(function*() {
        const rows = ["02/03/2026,02/04/2026", "02/03/2026,02/05/2026", "02/03/2026,02/06/2026"]
        const other = "    due: {type: date, format: DD/MM/YYYY}"
        assert.deepStrictEqual(yield* titles(rows, other, "code,patient_code,admitted_at,due"), [])
      }))
  })

  it.effect("with numbers or booleans in another format are reported once, with the setting that fits most cells", () =>
    Effect.gen(function*() {
      const reported = (column: string, ...cells: ReadonlyArray<string>) =>
        Effect.map(
          read(`name:\n  column: {what: ${column}, word: text}`, {
            "name.csv": `what,word\n${cells.map((cell) => `"${cell}",a\n`).join("")}`
          }),
          ({ problems }) => problems.map(({ code, help, times = 1 }) => `${times} ${code}: ${help?.[0]}`)
        )
      const cases: ReadonlyArray<readonly [column: string, cells: ReadonlyArray<string>, setting: string]> = [
        ["decimal", ["1,5", "2,25", "3"], "decimal: \",\""],
        ["decimal", ["1.500,50", "2,25", "3,1"], "decimal: \",\", group: \".\""],
        ["{type: decimal, decimal: \",\"}", ["1.5", "2.25"], "decimal: \".\""],
        ["{type: decimal, group: \",\"}", ["1,5", "2,25"], "decimal: \",\", group: null"],
        ["decimal", ["15 000", "2 500"], "decimal: \",\", group: \" \""],
        ["integer", ["15,5", "2,5"], "type: decimal, decimal: \",\""],
        // Thousands or thousandths: the mapping must declare which.
        ["decimal", ["15,000", "2,500"], "decimal: \",\"  or  group: \",\""],
        ["{type: decimal, decimal: \",\"}", ["15.000", "2.500"], "decimal: \".\"  or  group: \".\""],
        ["boolean", ["oui", "oui", "non", "non"], "true: [\"oui\"], false: [\"non\"]"],
        // A tenth is enough: the others are read, as no.
        ["boolean", ["O", "O", ...Array<string>(12).fill("N")], "true: [\"o\"]"]
      ]
      for (const [column, cells, setting] of cases) {
        const problem = only(yield* reported(column, ...cells))
        assert.match(problem, /^\d+ wrong-format: /u, column)
        assert.strictEqual(problem.replace(/^.*format: {2}/u, ""), setting)
      }
      // Words in the place of numbers are cells without a value, or a column that is no number.
      assert.deepStrictEqual(yield* reported("decimal", "-", "-", "1.5"), [
        "1 invalid-cell: correct it in the source, or list it under  null:  if it means no value",
        "1 invalid-cell: correct it in the source, or list it under  null:  if it means no value"
      ])
      assert.deepStrictEqual(yield* reported("decimal", "120/80", "110/70", "1.5"), [
        "2 wrong-format: set the number format:  decimal: \",\", group: \".\"; or read it unchanged:  type: text"
      ])
      assert.deepStrictEqual(yield* reported("boolean", "CANARY", "CANARY"), [
        "2 wrong-format: set its words:  true: [WORD], false: [WORD]; or read it unchanged:  type: text"
      ])
      // One cell among many proves nothing about its column.
      assert.deepStrictEqual(yield* reported("decimal", "1.5", "2.5", "3,5"), [
        "1 invalid-cell: such cells are written as  decimal: \",\""
      ])
    }))

  it.effect("with three digits after each decimal sign are reported where a column separates thousands", () =>
    Effect.gen(function*() {
      const reported = (column: string, ...cells: ReadonlyArray<string>) =>
        Effect.map(
          read(`name:\n  column: {what: ${column}, word: text}`, {
            "name.csv": `what,word\n${cells.map((cell) => `"${cell}",a\n`).join("")}`
          }),
          ({ problems }) => problems.map(({ code, help, times = 1 }) => `${times} ${code}: ${help?.[0]}`)
        )
      const comma = "{type: decimal, decimal: \",\", group: \".\"}"
      const point = "{type: decimal, group: \",\"}"
      const toPoint = "if they are thousands, set its format:  decimal: \".\", group: \",\""
      const toComma = "if they are thousands, set its format:  decimal: \",\", group: \".\""
      assert.deepStrictEqual(yield* reported(comma, "1,500", "200", "12,000"), [`2 wrong-format: ${toPoint}`])
      assert.deepStrictEqual(yield* reported(point, "15.000", "800"), [`1 wrong-format: ${toComma}`])
      // Few cells that cannot be read do not show that the others are right.
      assert.deepStrictEqual(yield* reported(comma, "1,500", "200", "300", "400", "12.50"), [
        "1 invalid-cell: such cells are written as  decimal: \".\", group: null",
        `1 wrong-format: ${toPoint}`
      ])
      // Each of these has the decimal sign that the column declares.
      for (const cell of ["1,5", "12,50", "0,500", "1.250,500", "12.500.000", "1500,250"]) {
        assert.deepStrictEqual(yield* reported(comma, "1,500", cell), [], cell)
      }
      assert.deepStrictEqual(yield* reported(comma, "1.500", "200"), [])
      assert.deepStrictEqual(yield* reported("{type: decimal, decimal: \",\"}", "3,250", "2,980"), [])
    }))

  it.effect("in a file that no table names are reported, with a similar file name", () =>
    Effect.gen(function*() {
      const { problems } = yield* read(names, { "nmaes.csv": "no,word\n1,a\n2,b\n" })
      assert.deepStrictEqual(problems.map(({ code, label }) => [code, label]), [
        ["unreadable-input", "did you mean `names.csv`?"]
      ])
    }))
})

describe("several tables in one file", () => {
  const table = `visit_row:
  file: all.csv
  key: vn
  column: [vn, ward]
lab_row:
  file: all.csv
  column: {vn: text, test: text}
  link: {visit_row: {table: visit_row, on: vn}}`

  it.effect("merges equal rows, reports rows that differ, and reads no row from empty cells", () =>
    Effect.gen(function*() {
      const { records } = yield* read(table, {
        "all.csv": "vn,ward,test\nV1,A,hb\nV1,A,wbc\nV2,B,\nV1,C,plt\n"
      })
      const collector = new RecordCollector()
      for (const record of records) collector.add({ _tag: "Record", record })
      const index = collector.index()
      assert.deepStrictEqual(records.filter(({ resource }) => resource.resourceType === "visit_row").length, 3)
      assert.deepStrictEqual(index.all("visit_row").map(({ resource }) => resource.id), ["V1", "V2"])
      assert.deepStrictEqual(index.all("lab_row").map(({ resource }) => resource.test), ["hb", "wbc", "plt"])
      const [problem] = index.problems
      assert.strictEqual(problem?.code, "duplicate-record")
      assert.deepInclude(present(problem?.facts), ["column", "ward (2)"])
    }))

  it.effect("rejects a row with values in no record, because its table has no key there", () =>
    Effect.gen(function*() {
      const shared = `visit_row:
  file: all.csv
  key: vn
  column: [vn, ward, hn]
  link: {person_row: {table: person_row, on: hn}}
person_row:
  file: all.csv
  key: hn
  column: [hn, born]`
      const { problems, records } = yield* read(shared, {
        "all.csv": "vn,ward,hn,born\nV1,A,P1,1980\n,B,P2,1981\n,,P3,1982\nV4,A,,1983\n,,,\n"
      })
      assert.deepStrictEqual(records.map(({ resource }) => `${resource.resourceType} ${resource.id}`), [
        "visit_row V1",
        "person_row P1",
        "person_row P2",
        "person_row P3",
        "visit_row V4"
      ])
      assert.deepStrictEqual(reported(problems), [
        "3 unreadable-record vn (1): a row of `visit_row` has no value for its key",
        "5 unreadable-record hn (3): a row of `person_row` has no value for its key"
      ])
    }))
})

describe("rows without a key", () => {
  const table = "line:\n  file: \"lines*.csv\"\n  order: n\n  column: [n, word]"

  it.effect("are ordered by their order column, then as in the file; equal rows stay distinct within a file, not across files", () =>
    Effect.gen(function*() {
      const { records } = yield* read(table, {
        "lines_a.csv": "n,word\n10,c\n9,a\n9,a\n",
        "lines_b.csv": "n,word\n9,a\n"
      })
      const collector = new RecordCollector()
      for (const record of records.toReversed()) collector.add({ _tag: "Record", record })
      assert.deepStrictEqual(words(collector.index().all("line")), ["a", "a", "c"])
    }))
})

describe("law: chunks can end anywhere", () => {
  it("in texts with quotes, line breaks and errors", async () => {
    const { readRows } = await import("../../../src/source/tables/rows/readRows.ts")
    const { decodeText } = await import("../../../src/source/tables/rows/decodeText.ts")
    const signs = { delimiter: ",", quote: "\"", escape: null, lineBreaks: ["\r\n", "\n"], rowBytes: 1_000_000 }
    const rowsOf = async (bytes: Buffer, size: number): Promise<string> => {
      const found: Array<unknown> = []
      for await (const { rows } of readRows(decodeText(pieces(bytes, size), "utf-8"), signs)) found.push(...rows)
      return JSON.stringify(found)
    }
    const cell = fc.constantFrom("a", "", "é", "\"q\"", "\"a\"\"b\"", "\"x\r\ny\"", "x\"y", "\"z\"w", "\"open", "กข")
    const line = fc.array(cell, { minLength: 1, maxLength: 3 }).map((cells) => cells.join(","))
    const text = fc.tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom("\n", "\r\n")).map(([lines, end]) =>
      lines.join(end)
    )
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (text, size) => {
        const bytes = Buffer.from(text)
        assert.strictEqual(await rowsOf(bytes, size), await rowsOf(bytes, 1 << 20))
      }),
      { numRuns: runs(200) }
    )
  })
})

/** Two Vietnamese words in windows-1258: the tone of a letter is a byte of its own. */
const vietnamese = Buffer.from("no,word\n1,B\u00EA\u00F2nh vi\u00EA\u00F2n\n", "latin1")

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe("A header that is repeated between the rows", () => {
  it.effect("is no row, and is reported", () =>
    Effect.gen(function*() {
      const { problems, records } = yield* read(names, { "names.csv": "no,word\n1,one\nno,word\n2,no\n" })
      assert.deepStrictEqual(words(records), ["one", "no"])
      assert.deepStrictEqual(problems.map(({ origin, severity, title }) => [origin?.line, severity, title]), [
        [3, "warning", "a row that repeats the header was ignored"]
      ])
    }))
})

describe("Columns that no table declares", () => {
  it.effect("are listed with their file", () =>
    Effect.gen(function*() {
      const tables = yield* tablesOf(`${names}\nother:\n  file: names.csv\n  key: no\n  column: [no, more]`)
      const folder = yield* temporaryFolder
      written(folder, { "names.csv": "no,word,more,new,\n1,one,x,y,\n" })
      const { inputs } = yield* findInputs([folder])
      const items = yield* Stream.runCollect(readInputs(inputs, { tables }))
      const files = items.flatMap((item) => (item._tag === "Table" ? [item.table.undeclared] : []))
      assert.deepStrictEqual(files, [["new"]])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})
