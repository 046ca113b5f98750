import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import fc from "fast-check"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { readVisits, syntaxError } from "../../src/cli/readVisits.ts"
import { sliceVisits } from "../../src/cli/sliceVisits.ts"

const folder = mkdtempSync(join(tmpdir(), "visits-"))
const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const read = (...files: ReadonlyArray<string>) => Stream.runCollect(readVisits(files))
const told = (items: Iterable<Effect.Success<ReturnType<typeof read>>[number]>) =>
  Array.from(
    items,
    (
      item
    ) => (item._tag === "Text" ? `${item.line}: ${item.text}` : `${item.problem.origin!.line}! ${item.problem.title}`)
  )

describe("files of visits", () => {
  it.effect("a submission request, an array and a single visit, as they are written, with their lines", () =>
    Effect.gen(function*() {
      const request = "{\n  \"visits\": [\n    {\"code\": \"A]\\\"}\", \"n\": 7.20},\n    {\"code\":\"B\"}\n  ]}\n"
      assert.deepStrictEqual(told(yield* read(write("r.json", request))), [
        "3: {\"code\": \"A]\\\"}\", \"n\": 7.20}",
        "4: {\"code\":\"B\"}"
      ])
      assert.deepStrictEqual(told(yield* read(write("a.json", "[\n{\"a\":1}\n,{\"b\":[]}]"))), [
        "2: {\"a\":1}",
        "3: {\"b\":[]}"
      ])
      assert.deepStrictEqual(told(yield* read(write("v.json", "\n {\"code\": \"A\"}\n"))), ["2: {\"code\": \"A\"}"])
      assert.deepStrictEqual(told(yield* read(write("e.json", "{\"visits\":[]}"))), [])
    }))

  it.effect("one visit a line; blank lines count as lines; one that is not JSON does not hide the others", () =>
    Effect.gen(function*() {
      const text = "{\"a\":1}\n\n{\"b\":\r\n {\"c\":3} \n"
      const lines = ["1: {\"a\":1}", "3: {\"b\":", "4: {\"c\":3}"]
      assert.deepStrictEqual(told(yield* read(write("v.ndjson", text))), lines)
      assert.deepStrictEqual(told(yield* read(write("v.ndjson.gz", gzipSync(text)))), lines)
      assert.deepStrictEqual(told(yield* read(write("noname", text))), lines)
    }))

  it.effect("bytes that are not UTF-8 are never replaced", () =>
    Effect.gen(function*() {
      const bad = Buffer.concat([
        Buffer.from("{\"a\":1}\n{\"n\":\""),
        Buffer.from([0xe9]),
        Buffer.from("\"}\n{\"b\":2}")
      ])
      assert.deepStrictEqual(told(yield* read(write("bad.ndjson", bad))), [
        "1: {\"a\":1}",
        "2! the line is not UTF-8",
        "3: {\"b\":2}"
      ])
      assert.deepStrictEqual(told(yield* read(write("bad.json", bad))), ["1! the file is not UTF-8"])
    }))

  it.effect("a file with nothing in it has no visits, as `convert` writes one when it has none", () =>
    Effect.gen(function*() {
      for (const blank of ["", "\n", " \r\n\n", "\uFEFF"]) {
        for (const name of ["blank.json", "blank.ndjson", "blank"]) {
          assert.deepStrictEqual(told(yield* read(write(name, blank))), [], name)
        }
      }
      for (const none of ["{\"visits\":[]}", "[]"]) {
        assert.deepStrictEqual(told(yield* read(write("none.json", none))), [])
      }
      assert.deepStrictEqual(told(yield* read(write("none.json.gz", gzipSync("")))), [])
    }))

  it.effect("what is not visits says so, with its place", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(told(yield* read(write("x.json", "<html>"))), [
        "1! the file is not JSON: column 1 cannot stand there"
      ])
      assert.deepStrictEqual(told(yield* read(write("cut.json", "{\"visits\":[\n{\"a\":1},"))), [
        "2! the file is not JSON: column 9 cannot stand there"
      ])
      assert.match(told(yield* read(write("n.json", "7")))[0]!, /neither a visit/)
      for (const visits of ["5", "null", "{\"code\":\"A\"}"]) {
        assert.deepStrictEqual(told(yield* read(write("no-list.json", `{"visits": ${visits}}`))), [
          "1! `visits` is not an array (§2.3)"
        ])
      }
      assert.match(
        told(yield* read(write("long.ndjson", `"${"x".repeat(17 * 1024 * 1024)}"\n{"a":1}\n`)))[0]!,
        /^1! a visit is larger than the limit of 16 MiB$/
      )
      const large = `{"a":"${"x".repeat(17 * 1024 * 1024)}"}`
      for (const text of [large, `[{"b":1},\n${large}]`, `{"visits":[\n${large}]}`, `{"b":1}\n${large}\n`]) {
        const found = Array.from(yield* read(write("large", text))).filter(({ _tag }) => _tag === "Unreadable")
        assert.deepStrictEqual(found.map((one) => one._tag === "Unreadable" ? one.problem.code : ""), ["too-large"])
      }
    }))

  it.effect("a file that is not there, a folder and a cut gzip end the reading", () =>
    Effect.gen(function*() {
      const cut = gzipSync("{\"a\":1}\n".repeat(1000)).subarray(0, 30)
      for (
        const [file, reason] of [[join(folder, "none"), "NotFound"], [folder, "NotAFile"], [
          write("cut.ndjson.gz", cut),
          "NotReadable"
        ]] as const
      ) {
        const result = yield* Effect.result(read(file))
        assert.isTrue(Result.isFailure(result) && result.failure.reason._tag === reason, file)
      }
    }))

  it("law: the place of a mistake is the first character that cannot stand there", () =>
    fc.assert(fc.property(fc.jsonValue(), fc.nat(), (value, seed) => {
      const text = JSON.stringify({ value }, null, 1)
      assert.isUndefined(syntaxError(text))
      const at = seed % text.length
      const outside = JSON.stringify(JSON.parse(text)) !== undefined && !insideString(text, at)
      if (outside) assert.strictEqual(syntaxError(`${text.slice(0, at)}\u0000${text.slice(at)}`), at)
    })))

  it("law: a document's slices are its visits", () =>
    fc.assert(fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), fc.nat(3), (visits, indent) => {
      const request = JSON.stringify({ "a]": { visits: [1] }, "visits": visits, "z": "}" }, null, indent)
      const array = JSON.stringify(visits, null, indent)
      for (const text of [request, array]) {
        const slices = sliceVisits(text)
        if (typeof slices === "string") throw new Error(slices)
        assert.deepStrictEqual(
          slices.map(({ end, start }) => JSON.parse(text.slice(start, end))),
          JSON.parse(JSON.stringify(visits))
        )
      }
    })))
})

const insideString = (text: string, at: number): boolean => {
  let inside = false
  for (let i = 0; i < at; i++) {
    if (text[i] === "\\") i++
    else if (text[i] === "\"") inside = !inside
  }
  return inside || /[\w.+-]/.test(text[at - 1] ?? "")
}
