import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { at } from "../../src/at.ts"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import { readInput } from "../../src/source/read/readInput.ts"
import { defaultReadLimits } from "../../src/source/read/ReadLimits.ts"
import type { ReadLimits } from "../../src/source/read/ReadLimits.ts"
import { present } from "../present.ts"
import { faults, places, readText, sortedByKind } from "./readText.ts"
import { tempFolders } from "./tempFolder.ts"

const tempFolder = tempFolders()

const patient = (id: string) => ({ resourceType: "Patient", id })
/** Reads bytes as a file. */
const readFile = (bytes: Uint8Array, limits: ReadLimits) => {
  const path = join(tempFolder(), "in.gz")
  writeFileSync(path, bytes)
  return readInput({ _tag: "File", name: "in.gz", path, named: true }, { limits }).pipe(
    Stream.runCollect,
    Effect.map(sortedByKind)
  )
}
const json = (value: unknown) => JSON.stringify(value)
const pretty = (value: unknown) => JSON.stringify(value, null, 2)
const bundle = (type: string, ...resources: ReadonlyArray<{ readonly id: string; readonly resourceType: string }>) => ({
  resourceType: "Bundle",
  type,
  entry: resources.map((resource) => ({ fullUrl: `urn:uuid:${resource.id}`, resource }))
})

describe("readInput detects the format by content and reads", () => {
  it.effect("one resource, on one line or over several", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(places(yield* readText(json(patient("p1")))), ["Patient/p1 :1"])
      assert.deepStrictEqual(places(yield* readText(`\n\n${pretty(patient("p1"))}\n`)), ["Patient/p1 :3"])
    }))

  it.effect("a Bundle of any type: each record has its entry's line and fullUrl, and the shared Bundle", () =>
    Effect.gen(function*() {
      for (
        const type of ["transaction", "batch", "collection", "searchset", "document", "message", "history", "odd", ""]
      ) {
        const read = yield* readText(pretty(bundle(type, patient("a"), patient("b"))))
        assert.deepStrictEqual(places(read), ["Patient/a :5", "Patient/b :12"], type)
        assert.deepStrictEqual(read.records.map(({ fullUrl }) => fullUrl), ["urn:uuid:a", "urn:uuid:b"])
        assert.strictEqual(read.records[0]?.bundle, at(read.records, 1).bundle)
        assert.strictEqual(read.records[0]?.bundle?.type, type)
        assert.deepStrictEqual(read.problems, [])
      }
      const untyped = yield* readText(json({ resourceType: "Bundle", entry: [{ resource: patient("a") }] }))
      assert.strictEqual(untyped.records[0]?.bundle?.type, "")
    }))

  it.effect("an array of resources and Bundles", () =>
    Effect.gen(function*() {
      const read = yield* readText(`[\n${json(patient("a"))},\n${json(bundle("batch", patient("b")))}\n]`)
      assert.deepStrictEqual(places(read), ["Patient/a :2", "Patient/b :3"])
    }))

  it.effect("an object that contains resources, and a Bundle without `resourceType`", () =>
    Effect.gen(function*() {
      const wrapped = yield* readText(
        json({ patient: patient("a"), results: [patient("b"), bundle("batch", patient("c"))], n: 1 })
      )
      assert.deepStrictEqual(places(wrapped), ["Patient/a :1", "Patient/b :1", "Patient/c :1"])
      const unnamed = yield* readText(json({ type: "searchset", entry: [{ resource: patient("a") }] }))
      assert.deepStrictEqual(places(unnamed), ["Patient/a :1"])
      assert.deepStrictEqual(faults(unnamed), ["warning not-a-resource :1"])
    }))

  it.effect("an object or Parameters with resources, and reports each one that it cannot read", () =>
    Effect.gen(function*() {
      const wrapped = yield* readText(json({ results: [patient("a"), { id: "b" }, patient("c")], n: [1] }))
      assert.deepStrictEqual(places(wrapped), ["Patient/a :1", "Patient/c :1"])
      assert.deepStrictEqual(faults(wrapped), ["error not-a-resource :1"])
      const parameter = [{ name: "a", resource: bundle("searchset", patient("a")) }, {
        name: "b",
        part: [{ name: "c", resource: patient("c") }]
      }]
      assert.deepStrictEqual(places(yield* readText(json({ resourceType: "Parameters", parameter }))), [
        "Patient/a :1",
        "Patient/c :1"
      ])
      assert.deepStrictEqual(places(yield* readText(json({ resourceType: "Parameters", id: "p" }))), [
        "Parameters/p :1"
      ])
    }))

  it.effect("a resource with an element `entry`, which is no Bundle", () =>
    Effect.gen(function*() {
      const list = { resourceType: "List", id: "l", entry: [{ item: { reference: "Patient/a" } }] }
      const read = yield* readText(pretty(list))
      assert.deepStrictEqual(read.records.map(({ resource }) => resource), [list])
    }))

  it.effect("NDJSON with blank lines, CRLF, a byte-order mark, and no line feed at the end", () =>
    Effect.gen(function*() {
      const lines = [json(patient("a")), "", json(bundle("batch", patient("b"), patient("c"))), json(patient("d"))]
      const read = yield* readText(`\uFEFF${lines.join("\r\n")}`)
      assert.deepStrictEqual(places(read), ["Patient/a :1", "Patient/b :3", "Patient/c :3", "Patient/d :4"])
      assert.deepStrictEqual(read.problems, [])
    }))

  it.effect("several consecutive documents, pretty-printed or not", () =>
    Effect.gen(function*() {
      const read = yield* readText(
        `${pretty(patient("a"))}\n${pretty(bundle("batch", patient("b")))}${json(patient("c"))}`
      )
      assert.deepStrictEqual(places(read), ["Patient/a :1", "Patient/b :9", "Patient/c :17"])
    }))

  it.effect("a nested Bundle, whose records belong to the inner one", () =>
    Effect.gen(function*() {
      const inner = { ...bundle("searchset", patient("b")), id: "inner" }
      const read = yield* readText(json(bundle("batch", patient("a"), inner)))
      assert.deepStrictEqual(read.records.map(({ bundle, origin }) => [origin.reference, bundle?.type]), [
        ["Patient/a", "batch"],
        ["Patient/b", "searchset"]
      ])
    }))

  it.effect("gzip of one member or several, and UTF-16 with its mark", () =>
    Effect.gen(function*() {
      const [one, two] = [`${json(patient("a"))}\n`, `${json(patient("b"))}\n`]
      const members = Buffer.concat([gzipSync(one), gzipSync(two)])
      assert.deepStrictEqual(places(yield* readText(members)), ["Patient/a :1", "Patient/b :2"])
      const record = { resourceType: "Patient", name: [{ text: "ភូមិ ១" }] }
      const little = Buffer.from(`\uFEFF${pretty(record)}`, "utf16le")
      for (const bytes of [little, Buffer.from(little).swap16()]) {
        const read = yield* readText(bytes)
        assert.deepStrictEqual(read.records[0]?.resource.name, record.name)
      }
    }))

  it.effect("the same, wherever chunks end", () =>
    Effect.gen(function*() {
      const texts = [
        `${json(patient("ក"))}\n{"broken\n${json(bundle("batch", patient("b"), patient("c")))}\r\n${
          json(patient("d"))
        }`,
        pretty(bundle("document", patient("ក"), patient("b"))),
        gzipSync(`${json(patient("a"))}\n${json(patient("b"))}\n`)
      ]
      for (const text of texts) {
        const whole = yield* readText(text)
        assert.isAbove(whole.records.length, 1)
        for (const size of [1, 2, 3, 7, 50]) {
          assert.deepStrictEqual((yield* readText(text, {}, size)).items, whole.items)
        }
      }
    }))

  it.effect("a Bundle, whose key does not depend on its file, its line, or the order of its entries", () =>
    Effect.gen(function*() {
      const keyOf = (value: unknown) =>
        readText(pretty(value)).pipe(Effect.map(({ records }) => present(records[0]?.bundle).key))
      const key = yield* keyOf(bundle("document", patient("a"), patient("b")))
      assert.strictEqual(yield* keyOf(bundle("document", patient("b"), patient("a"))), key)
      assert.notStrictEqual(yield* keyOf(bundle("document", patient("a"), patient("c"))), key)
      assert.notStrictEqual(yield* keyOf({ ...bundle("document", patient("a"), patient("b")), id: "x" }), key)
    }))
})

describe("readInput reports with a hint", () => {
  const titleOf = (content: string | Uint8Array) =>
    readText(content).pipe(Effect.map((read) => at(read.problems, 0).title))

  it.effect("other formats", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [string | Uint8Array, RegExp]> = [
        ["<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"1\"/></Patient>", /FHIR in XML/],
        ["<?xml version=\"1.0\"?><a/>", /looks like XML/],
        ["<!DOCTYPE html><html></html>", /an HTML page/],
        ["Id,BIRTHDATE,FIRST\n1,1990-01-01,Ann\n2,1991-01-01,Ben\n", /CSV needs tables in the mapping/],
        ["\"id\";\"note\"\n\"1\";\"two\nlines\"\n", /CSV needs tables/],
        ["a\tb\tc\td\n1\t2\n1\t2\t3\t4\t5\n", /CSV needs tables/],
        ["Case No,Name,1st ICD,2nd ICD,Type,Sex,Born\n1,A,A09,,OPD,F,1990\n", /CSV needs tables/],
        ["1001,Example,Ann,F,1990-04-12\n1002,Example,Ben,M,\n", /CSV needs tables/],
        ["Id,Name,Sex,Born,,,\n1,A,F,1990,,,\n2,B,M,1991,,,\n", /CSV needs tables/],
        [
          `Id,Name,Sex,"Was the patient referred, and if so, to which facility and for what reason was that?"\n1,A,F,No\n`,
          /CSV needs tables/
        ],
        ["PK\u0003\u0004 [Content_Types].xml xl/workbook.xml", /an Excel workbook/],
        ["PK\u0003\u0004 data.json", /a ZIP archive/],
        ["%PDF-1.7", /a PDF document/],
        ["MSH|^~\\&|LAB|", /HL7 v2 messages/],
        [Buffer.from("{\"a\":1}", "utf16le"), /UTF-16 without its byte-order mark/],
        [gzipSync(gzipSync("{}")), /compressed twice/],
        ["Dear colleague,\nplease find the data attached.\n", /neither JSON nor CSV/],
        ["Dear colleague, as agreed,\nplease find the data, attached,\n", /neither JSON nor CSV/],
        ["12.5,13.1,9.8,44,1\n12.5,13.1,9.8,44,2\n", /neither JSON nor CSV/],
        [
          "# Counts\n\n- of the export\n\n| type | records | note |\n|---|---:|---|\n| Patient | 2 | a |\n| Encounter | 3 | b |\n",
          /neither JSON nor CSV/
        ]
      ]
      for (const [content, expected] of cases) {
        assert.match(yield* titleOf(content), expected)
        assert.deepStrictEqual(faults(yield* readText(content)), ["error unreadable-input :1"])
      }
    }))

  it.effect("an empty file, and one of spaces", () =>
    Effect.gen(function*() {
      for (const content of ["", " \r\n\n", gzipSync("")]) assert.match(yield* titleOf(content), /the file is empty/)
    }))

  it.effect("a document that is not UTF-8 at the line of the first wrong byte, and replaces no character", () =>
    Effect.gen(function*() {
      const latin1 = Buffer.from(pretty({ ...patient("a"), name: [{ family: "Mönch" }] }), "latin1")
      const read = yield* readText(latin1)
      assert.deepStrictEqual(faults(read), ["error unreadable-input :6"])
      assert.strictEqual(read.problems[0]?.label, "line 6, byte 19")
      assert.deepStrictEqual(read.records, [])
    }))

  it.effect("a line of NDJSON that is not UTF-8, not JSON, or cut off, and reads the others", () =>
    Effect.gen(function*() {
      const lines = [
        json(patient("a")),
        "{\"resourceType\":\"Patient\",\"id\":\"x",
        "not json",
        "{'id':1}",
        json(patient("b"))
      ]
      const read = yield* readText(Buffer.concat([
        Buffer.from(`${lines.join("\n")}\n`),
        Buffer.from(`${json({ ...patient("c"), name: [{ family: "Mönch" }] })}\n`, "latin1"),
        Buffer.from("{\"resourceType\":\"Obs")
      ]))
      assert.deepStrictEqual(places(read), ["Patient/a :1", "Patient/b :5"])
      assert.deepStrictEqual(faults(read), [2, 3, 4, 6, 7].map((line) => `error unreadable-record :${line}`))
      assert.deepStrictEqual(read.problems.map(({ title }) => title), [
        "a line is not JSON",
        "a line is not JSON",
        "a line is not JSON",
        "a line is not UTF-8",
        "the last line is cut off"
      ])
      assert.match(present(read.problems[2]?.label), /column 2: the name is in single quotes/)
    }))

  it.effect("a last line that is cut off in a record, but not Ctrl-Z and NULs at the end", () =>
    Effect.gen(function*() {
      const lines = `${json(patient("a"))}\n${json(patient("b"))}\n`
      const end = (text: string) =>
        Effect.map(readText(`${lines}${text}`), ({ items, records }) => [
          records.length,
          ...items.flatMap((item) => item._tag === "Problem" ? [`${item.diagnostic.title} ${item.cut}`] : [])
        ])
      for (const text of ["\u001A", "\0\0", `${json(patient("c"))}\u001A`]) {
        assert.deepStrictEqual(yield* end(text), [text.startsWith("{") ? 3 : 2])
      }
      assert.deepStrictEqual(yield* end("-- 27 rows"), [2, "a line is not JSON false"])
      assert.deepStrictEqual(yield* end("{\"resourceType\":"), [2, "the last line is cut off true"])
    }))

  it.effect("a damaged first line of NDJSON as a line", () =>
    Effect.gen(function*() {
      for (const first of ["{\"resourceType\":\"Patient\",\"id\":\"x", "garbage"]) {
        const read = yield* readText(`${first}\n${json(patient("a"))}\n${json(patient("b"))}\n`)
        assert.deepStrictEqual(places(read), ["Patient/a :2", "Patient/b :3"])
        assert.deepStrictEqual(faults(read), ["error unreadable-record :1"])
      }
    }))

  it.effect("JSON that is not a resource", () =>
    Effect.gen(function*() {
      const read = yield* readText(`${json(patient("a"))}\n[]\nnull\n"text"\n12\n{"id":"x"}\n${json(patient("b"))}\n`)
      assert.deepStrictEqual(places(read), ["Patient/a :1", "Patient/b :7"])
      assert.deepStrictEqual(faults(read), [2, 3, 4, 5, 6].map((line) => `error not-a-resource :${line}`))
    }))

  it.effect("an invalid document as a whole, with line, column and reason", () =>
    Effect.gen(function*() {
      const text = pretty(bundle("document", patient("a"), patient("b"))).replace("\"id\": \"b\"\n", "\"id\": \"b\",\n")
      const read = yield* readText(text)
      assert.deepStrictEqual(read.records, [])
      assert.deepStrictEqual(faults(read), ["error unreadable-input :16"])
      assert.strictEqual(read.problems[0]?.title, "the file is not JSON: unexpected comma before the closing `}`")
      assert.strictEqual(read.problems[0]?.label, "line 16, column 18")
    }))

  it.effect("entries without a resource, once with their number, and reads the others", () =>
    Effect.gen(function*() {
      const entry = [
        null,
        { resource: patient("a") },
        1,
        { resource: null },
        { resource: [] },
        { fullUrl: "urn:uuid:x" },
        { resource: { id: "no type" } },
        { response: { status: "201" } }
      ]
      const read = yield* readText(pretty({ resourceType: "Bundle", type: "batch", entry }))
      assert.deepStrictEqual(places(read), ["Patient/a :1"])
      assert.deepStrictEqual(read.problems.map(({ code, facts }) => [code, facts]), [
        ["not-a-resource", undefined],
        ["unreadable-record", [["entries", "5"]]]
      ])
    }))

  it.effect("an unknown type with the likely name, and reads the record", () =>
    Effect.gen(function*() {
      const read = yield* readText([1, 2].map((id) => json({ resourceType: "Obsrvation", id: String(id) })).join("\n"))
      assert.deepStrictEqual(places(read), ["Obsrvation/1 :1", "Obsrvation/2 :2"])
      assert.deepStrictEqual(faults(read), ["warning not-a-resource :1"])
      assert.match(present(read.problems[0]?.label), /`Observation`/)
    }))

  it.effect("a deletion for an entry that deletes", () =>
    Effect.gen(function*() {
      const read = yield* readText(json({
        resourceType: "Bundle",
        type: "history",
        entry: [
          { request: { method: "DELETE", url: "Patient/1" }, response: { lastModified: "2026-01-02T00:00:00Z" } },
          { request: { method: "DELETE", url: "Patient?identifier=a|b" } },
          { resource: patient("2"), request: { method: "PUT", url: "Patient/2" } }
        ]
      }))
      // Which record a deletion by a search means is unknown: it is reported.
      assert.deepStrictEqual(read.items.map((item) => item._tag), ["Deletion", "Problem", "Record"])
      const [first] = read.items
      assert(first?._tag === "Deletion")
      assert.strictEqual(first.deletion.reference, "Patient/1")
      assert.strictEqual(first.deletion.at, "2026-01-02T00:00:00Z")
    }))

  it.effect("no content of a record", () =>
    Effect.gen(function*() {
      const secret = "Sokha-Invented"
      const texts = [
        `{"resourceType":"Patient","name":[{"text":"${secret}" "x"}]}`,
        `{"resourceType":"Patient"}\n{"name":"${secret}`,
        `{"resourceType":"${secret}"}`,
        `{"${secret}":1}`,
        `${secret},${secret}`,
        Buffer.from(`{"name":"${secret}ö"}`, "latin1")
      ]
      for (const text of texts) {
        const { problems } = yield* readText(text)
        assert.isNotEmpty(problems)
        assert.notInclude(json(problems.map(({ facts, help, label, title }) => [title, label, facts, help])), secret)
      }
    }))
})

describe("readInput reports, instead of hanging or crashing,", () => {
  const limits = { ...defaultReadLimits, recordBytes: 1000, documentBytes: 5000, maxInMemoryBytes: 2000, depth: 20 }
  const long = { ...patient("long"), text: "x".repeat(2000) }

  it.effect("a line longer than the limit, and reads the others", () =>
    Effect.gen(function*() {
      const text = `${json(patient("a"))}\n${json(long)}\n${json(patient("b"))}\n${json(long)}`
      for (const chunk of [10, 100, 100_000]) {
        const read = yield* readText(text, { limits }, chunk)
        assert.deepStrictEqual(places(read), ["Patient/a :1", "Patient/b :3"])
        assert.deepStrictEqual(faults(read), ["error too-large :2", "error too-large :4"])
      }
    }))

  it.effect("an entry larger or deeper than the limit, and reads the others", () =>
    Effect.gen(function*() {
      const deep = { ...patient("deep"), extension: JSON.parse("[".repeat(30) + "]".repeat(30)) }
      const read = yield* readText(json(bundle("batch", patient("a"), long, deep, patient("b"))), { limits })
      assert.deepStrictEqual(read.records.map(({ origin }) => origin.reference), ["Patient/a", "Patient/b"])
      assert.deepStrictEqual(read.problems.map(({ code }) => code), ["too-large", "too-deep"])
    }))

  it.effect("a document larger than the limit", () =>
    Effect.gen(function*() {
      const patients = Array.from({ length: 100 }, (_, n) => patient(`p${n}`))
      const read = yield* readText(pretty(bundle("batch", ...patients)), { limits })
      assert.deepStrictEqual(faults(read), ["error too-large :1"])
      assert.deepStrictEqual(read.records, [])
    }))

  it.effect("millions of brackets", () =>
    Effect.gen(function*() {
      const read = yield* readText(`{"resourceType":"Patient","a":${"[".repeat(3_000_000)}${"]".repeat(3_000_000)}}`)
      assert.deepStrictEqual(faults(read), ["error too-deep :1"])
      assert.deepStrictEqual(faults(yield* readText("[".repeat(3_000_000))), ["error unreadable-input :1"])
    }))

  it.effect("a compressed file that inflates without end", () =>
    Effect.gen(function*() {
      const bomb = gzipSync(Buffer.alloc(3_000_000, 0x20))
      assert.deepStrictEqual(faults(yield* readFile(bomb, { ...limits, inflatedRatio: 100 })), ["error too-large :1"])
      const large = gzipSync(`${json(patient("a"))}\n`.repeat(500))
      const capped = yield* readFile(large, { ...limits, inflatedBytes: 3000 })
      assert.deepStrictEqual(faults(capped), ["error too-large :1"])
    }))

  it.effect("a record with half of a surrogate pair", () =>
    Effect.gen(function*() {
      const read = yield* readText(
        "{\"resourceType\":\"Patient\",\"id\":\"a\",\"name\":[{\"text\":\"\\ud83d\"}]}\n" +
          "{\"resourceType\":\"Patient\",\"id\":\"b\",\"name\":[{\"text\":\"\\ud83d\\ude00 \\ud55c\"}]}\n"
      )
      assert.deepStrictEqual(places(read), ["Patient/b :2"])
      assert.deepStrictEqual(faults(read), ["error unreadable-record :1"])
    }))

  it.effect("nothing for the key `__proto__`, which is an ordinary key", () =>
    Effect.gen(function*() {
      const text = "{\"resourceType\":\"Patient\",\"id\":\"a\",\"__proto__\":{\"value\":7.20,\"admin\":true}," +
        "\"constructor\":{\"value\":1.0}}"
      const read = yield* readText(`${text}\n${text.replace("\"a\"", "\"b\"")}`)
      const { resource } = at(read.records, 0)
      assert.strictEqual(Object.getPrototypeOf(resource), Object.prototype)
      assert.isTrue(Object.hasOwn(resource, "__proto__"))
      const valueOf = (element: string) => String(jsonObjectOf(resource[element]).value)
      assert.deepStrictEqual([valueOf("__proto__"), valueOf("constructor")], ["7.20", "1.0"])
      assert.notProperty({}, "admin")
    }))

  it.effect("a Bundle or an entry with a repeated name", () =>
    Effect.gen(function*() {
      const entries = (id: string) => `"entry":[{"resource":{"resourceType":"Patient",${id}}}]`
      for (
        const [held, name] of [
          [`${entries(`"id":"a"`)},${entries(`"id":"c"`)}`, "entry"],
          [entries(`"id":"b","id":"c"`), "id"]
        ] as const
      ) {
        const read = yield* readText(`{"resourceType":"Bundle","type":"collection",${held}}`)
        assert.deepStrictEqual(places(read), [])
        assert.deepStrictEqual(read.problems.map(({ facts }) => facts), [[["name", name]]])
      }
    }))
})

describe("readInput verifies a compressed file before its first record and", () => {
  const count = 20_000
  const text = Array.from({ length: count }, (_, n) => json(patient(`p${n}`))).join("\n")
  const whole = gzipSync(text)
  const damaged = Buffer.from(whole)
  damaged[damaged.length - 6] = damaged.readUInt8(damaged.length - 6) ^ 0xff
  it.effect("rejects one that is cut off or damaged, small or large", () =>
    Effect.gen(function*() {
      for (const maxInMemoryBytes of [100, 10_000_000]) {
        assert.strictEqual(
          (yield* readFile(whole, { ...defaultReadLimits, maxInMemoryBytes })).records.length,
          count
        )
        const cut = yield* readFile(whole.subarray(0, -20), {
          ...defaultReadLimits,
          maxInMemoryBytes
        })
        assert.match(at(cut.problems, 0).title, /cut off/)
        const wrong = yield* readFile(damaged, { ...defaultReadLimits, maxInMemoryBytes })
        assert.match(at(wrong.problems, 0).title, /damaged/)
        assert.deepStrictEqual([...cut.records, ...wrong.records], [])
      }
    }))

  it.effect("accepts zeros after the last member as padding, and rejects anything after them", () =>
    Effect.gen(function*() {
      for (const maxInMemoryBytes of [100, 10_000_000]) {
        const limits = { ...defaultReadLimits, maxInMemoryBytes }
        const padded = yield* readFile(Buffer.concat([whole, Buffer.alloc(512)]), limits)
        assert.strictEqual(padded.records.length, count)
        for (const rest of [Buffer.concat([Buffer.alloc(512), gzipSync(json(patient("more")))]), Buffer.from("more")]) {
          const read = yield* readFile(Buffer.concat([whole, rest]), limits)
          assert.match(at(read.problems, 0).title, /damaged/)
          assert.deepStrictEqual(read.records, [])
        }
      }
    }))

  it.effect("stops the run at a late error on standard input, which cannot be read twice", () =>
    Effect.gen(function*() {
      const limits = { ...defaultReadLimits, maxInMemoryBytes: 100 }
      assert.strictEqual((yield* readText(whole, { limits })).records.length, count)
      const error = yield* Effect.flip(readText(damaged, { limits }))
      assert.strictEqual(error.reason._tag, "Damaged")
    }))
})

describe("readInput", () => {
  it.effect("fails for a missing file or a folder", () =>
    Effect.gen(function*() {
      const folder = tempFolder()
      for (const path of [join(folder, "none.json"), folder]) {
        const error = yield* Effect.flip(
          Stream.runDrain(readInput({ _tag: "File", name: "in.json", path, named: true }))
        )
        assert.strictEqual(error._tag, "SourceError")
        assert.match(error.message, /in\.json/)
        assert.notInclude(error.message, folder)
      }
    }))

  it.effect("fails for a file that changes while it is read", () =>
    Effect.gen(function*() {
      const path = join(tempFolder(), "in.ndjson")
      writeFileSync(path, `${json(patient("a"))}\n`.repeat(100_000))
      let changed = false
      const error = yield* readInput({ _tag: "File", name: "in.ndjson", path, named: true }).pipe(
        Stream.tap(() =>
          Effect.sync(() => {
            if (!changed) writeFileSync(path, "{}\n", { flag: "a" })
            changed = true
          })
        ),
        Stream.runDrain,
        Effect.flip
      )
      assert.strictEqual(error.reason._tag, "Changed")
    }))

  it.effect("closes the input if reading stops early", () =>
    Effect.gen(function*() {
      let closed = false
      const standardInput = async function*(): AsyncGenerator<Buffer> {
        try {
          for (let n = 0; n < 1000; n++) yield Buffer.from(`${json(patient(`p${n}`))}\n`.repeat(1000))
        } finally {
          closed = true
        }
      }
      const read = yield* readInput({ _tag: "StandardInput", name: "-", named: true }, { standardInput }).pipe(
        Stream.take(3),
        Stream.runCollect
      )
      assert.strictEqual(read.length, 3)
      assert.isTrue(closed)
    }))
})
