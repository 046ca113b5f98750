import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import fc from "fast-check"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { at } from "../../src/at.ts"
import { checkFiles, readVisits } from "../../src/cli/visits/readVisits.ts"
import { scanText } from "../../src/json/scanJson.ts"
import { defaultReadLimits } from "../../src/source/read/ReadLimits.ts"
import { present } from "../present.ts"

const folder = mkdtempSync(join(tmpdir(), "visits-"))
const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const read = (...files: ReadonlyArray<string>) => Stream.runCollect(readVisits(files))
const reported = (items: Iterable<Effect.Success<ReturnType<typeof read>>[number]>) =>
  Array.from(
    items,
    (
      item
    ) => (item._tag === "Text"
      ? `${item.line}: ${item.text}`
      : `${present(item.problem.origin).line}! ${item.problem.title}`)
  )

describe("files of visits", () => {
  it.effect("reads a submission request, an array, and a single visit, with their texts and lines", () =>
    Effect.gen(function*() {
      const request = "{\n  \"visits\": [\n    {\"code\": \"A]\\\"}\", \"n\": 7.20},\n    {\"code\":\"B\"}\n  ]}\n"
      assert.deepStrictEqual(reported(yield* read(write("r.json", request))), [
        "3: {\"code\": \"A]\\\"}\", \"n\": 7.20}",
        "4: {\"code\":\"B\"}"
      ])
      assert.deepStrictEqual(reported(yield* read(write("a.json", "[\n{\"a\":1}\n,{\"b\":[]}]"))), [
        "2: {\"a\":1}",
        "3: {\"b\":[]}"
      ])
      assert.deepStrictEqual(reported(yield* read(write("v.json", "\n {\"code\": \"A\"}\n"))), ["2: {\"code\": \"A\"}"])
      assert.deepStrictEqual(reported(yield* read(write("e.json", "{\"visits\":[]}"))), [])
    }))

  it.effect("reads one visit per line, counts blank lines, and continues after invalid JSON", () =>
    Effect.gen(function*() {
      const text = "{\"a\":1}\n\n{\"b\":\r\n {\"c\":3} \n"
      const lines = ["1: {\"a\":1}", "3: {\"b\":", "4: {\"c\":3}"]
      assert.deepStrictEqual(reported(yield* read(write("v.ndjson", text))), lines)
      assert.deepStrictEqual(reported(yield* read(write("v.ndjson.gz", gzipSync(text)))), lines)
      assert.deepStrictEqual(reported(yield* read(write("noname", text))), lines)
    }))

  it.effect("rejects bytes that are not UTF-8 instead of replacing them", () =>
    Effect.gen(function*() {
      const bad = Buffer.concat([
        Buffer.from("{\"a\":1}\n{\"n\":\""),
        Buffer.from([0xe9]),
        Buffer.from("\"}\n{\"b\":2}")
      ])
      for (const name of ["bad.ndjson", "bad.json"]) {
        assert.deepStrictEqual(reported(yield* read(write(name, bad))), [
          "1: {\"a\":1}",
          "2! a line is not UTF-8",
          "3: {\"b\":2}"
        ])
      }
      const pretty = Buffer.from(JSON.stringify({ n: "\u00e9" }, null, 1), "latin1")
      assert.deepStrictEqual(reported(yield* read(write("bad.json", pretty))), ["2! the file is not UTF-8"])
    }))

  it.effect("reads an empty file as no visits, as `convert` writes it", () =>
    Effect.gen(function*() {
      for (const blank of ["", "\n", " \r\n\n", "\uFEFF"]) {
        for (const name of ["blank.json", "blank.ndjson", "blank"]) {
          assert.deepStrictEqual(reported(yield* read(write(name, blank))), [], name)
        }
      }
      for (const none of ["{\"visits\":[]}", "[]"]) {
        assert.deepStrictEqual(reported(yield* read(write("none.json", none))), [])
      }
      assert.deepStrictEqual(reported(yield* read(write("none.json.gz", gzipSync("")))), [])
    }))

  it.effect("reports a file without visits, with the line", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(reported(yield* read(write("x.json", "<html>"))), [
        "1! the file is not JSON: a value is expected: a text in double quotes, a number, `{`, `[`, true, false or null"
      ])
      assert.deepStrictEqual(reported(yield* read(write("cut.json", "{\"visits\":[\n{\"a\":1},"))), [
        "2! the file is not JSON: the text ends before the `[` of line 1 is closed"
      ])
      assert.match(at(reported(yield* read(write("n.json", "7"))), 0), /neither a visit/)
      for (const visits of ["5", "null", "{\"code\":\"A\"}"]) {
        assert.deepStrictEqual(reported(yield* read(write("no-list.json", `{"visits": ${visits}}`))), [
          "1! `visits` is not an array (§2.3)"
        ])
      }
      assert.match(
        at(reported(yield* read(write("long.ndjson", `{"a":"${"x".repeat(17 * 1024 * 1024)}"}\n{"a":1}\n`))), 0),
        /^1! a visit is larger than the limit of 16 MiB$/
      )
      const large = `{"a":"${"x".repeat(17 * 1024 * 1024)}"}`
      for (const text of [large, `[{"b":1},\n${large}]`, `{"visits":[\n${large}]}`, `{"b":1}\n${large}\n`]) {
        const found = Array.from(yield* read(write("large", text))).filter(({ _tag }) => _tag === "Unreadable")
        assert.deepStrictEqual(found.map((one) => one._tag === "Unreadable" ? one.problem.code : ""), ["too-large"])
      }
    }))

  it.effect("reports a missing file, a folder and a device before anything is read", () =>
    Effect.gen(function*() {
      const files = [[join(folder, "none"), "NotFound"], [folder, "NotAFile"], ["/dev/null", "NotAFile"]] as const
      for (const [file, reason] of files) {
        const result = yield* Effect.result(checkFiles([file]))
        assert.isTrue(Result.isFailure(result) && result.failure.reason._tag === reason, file)
      }
    }))

  it.effect("rejects a compressed file that is cut off, and reads visits in UTF-16", () =>
    Effect.gen(function*() {
      const cut = gzipSync("{\"a\":1}\n".repeat(1000)).subarray(0, 30)
      assert.deepStrictEqual(reported(yield* read(write("cut.ndjson.gz", cut))), ["1! the compressed file is cut off"])
      const text = Buffer.from("\uFEFF{\"a\":1}\n{\"b\":2}\n", "utf16le")
      assert.deepStrictEqual(reported(yield* read(write("wide.ndjson", text))), ["1: {\"a\":1}", "2: {\"b\":2}"])
    }))

  it.effect("streams a file whose first line is damaged", () =>
    Effect.gen(function*() {
      const limits = { ...defaultReadLimits, documentBytes: 1000 }
      const lines = Array.from({ length: 500 }, (_, at) => `{"code":"${at}"}`)
      for (const first of ["{\"code\":\"cut", "{\"a\":[1,", "{\"a\":1}}", "{\"a\":1},", "warning: slow disk", "[{"]) {
        const file = write("stream", `${first}\n${lines.join("\n")}\n`)
        const items = yield* Stream.runCollect(readVisits([file], limits))
        assert.deepStrictEqual(reported(items).slice(1), lines.map((text, at) => `${at + 2}: ${text}`), first)
      }
      const array = `[\n${lines.slice(0, 20).join("\n,")}\n]`
      assert.lengthOf(yield* Stream.runCollect(readVisits([write("array", array)], limits)), 20)
    }))

  it.effect("law: a line is whole or rejected, wherever the chunks of a file cut it", () =>
    Effect.gen(function*() {
      // Lines longer than the limit, of every length around a chunk, and good ones between them.
      const limits = { ...defaultReadLimits, recordBytes: 1000 }
      const line = (length: number): string => `{"a":"${"x".repeat(length - 8)}"}`
      for (let offset = 0; offset < 300; offset++) {
        const lengths = [10 + offset, 1000, 1001, 5000 + offset, 20, 262_144 - offset, 999, 524_288 + offset, 30]
        const file = write("cut.ndjson", `${lengths.map(line).join("\n")}\n`)
        const items = Array.from(yield* Stream.runCollect(readVisits([file], limits)))
        assert.deepStrictEqual(
          items.map((item) => item._tag === "Text" ? [item.line, item.text] : [item.problem.origin?.line, "too-large"]),
          lengths.map((length, index) => [index + 1, length <= 1000 ? line(length) : "too-large"])
        )
      }
    }))

  it("law: a document's slices are its visits", () =>
    fc.assert(fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), fc.nat(3), (visits, indent) => {
      const request = JSON.stringify({ "a]": { visits: [1] }, "visits": visits, "z": "}" }, null, indent)
      const array = JSON.stringify(visits, null, indent)
      for (const text of [request, array]) {
        const elements = present(at(present(scanText(Buffer.from(text), "visits")), 0).list).elements
        assert.deepStrictEqual(
          elements.map(({ scan: { end, start } }) => JSON.parse(Buffer.from(text).toString("utf8", start, end))),
          JSON.parse(JSON.stringify(visits))
        )
      }
    })))
})
