import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  type ElementRules,
  ElementScanner,
  ScannedElement,
  statesKind,
  ValueForm,
  WrittenAs
} from "../../src/json/ElementScanner.ts"
import { countNames } from "../../src/json/parseRecord.ts"
import { scanValue } from "../../src/json/scanJson.ts"
import { present } from "../present.ts"
import { runs, timeout } from "../runs.ts"

interface Rules extends ElementRules {
  readonly path: string
}

const root: Rules = { path: "", refused: 0, unusual: 0, choice: 0, isHeard: true }

/** The texts of an object with their paths; `undefined` if it is refused. */
const heardIn = (text: string, rules: (path: string) => Partial<Rules> = () => ({})) => {
  const heard: Array<string> = []
  const made = (path: string): Rules => ({ ...root, path, ...rules(path) })
  const scanner = new ElementScanner<Rules>({
    rulesOf: ({ path }, name) => made(`${path}.${name}`),
    rulesOfKind: ({ path }, kind) => kind === "unknown" ? undefined : { ...root, path: `${path}(${kind})` },
    onText: ({ path }, bytes, start, end, { isListed }) => {
      heard.push(`${path}${isListed ? "[]" : ""}=${bytes.toString("utf8", start, end)}`)
      return true
    }
  })
  const element = new ScannedElement(made(""))
  const bytes = Buffer.from(`\n${text}\n{"next": 1}`)
  const end = 1 + Buffer.byteLength(text)
  const first = scanner.scan(bytes, 1, end, element)
  const { hasNull, isLossy, isUsual } = scanner
  const known = [...heard]
  heard.length = 0
  // What it learnt from a text changes nothing.
  assert.strictEqual(scanner.scan(bytes, 1, end, element), first)
  assert.deepStrictEqual([heard, scanner.hasNull, scanner.isLossy, scanner.isUsual], [known, hasNull, isLossy, isUsual])
  return first ? { heard, hasNull, isLossy, isUsual } : undefined
}

const name = fc.constantFrom("a", "b", "value", "_a", "resourceType", "x-y", "7", "ü", "a b", "")
const leaf = fc.oneof(
  fc.constantFrom<unknown>("", "text", "Ångström", "a\"b", "\n", "\u{1f600}", "\u0000", null, true, false, 0, -0, 7.2),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer()
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, tie("object"), fc.array(tie("value"), { maxLength: 3 })),
  object: fc.dictionary(name, tie("value"), { maxKeys: 4 })
}))
const object = fc.dictionary(name, value, { maxKeys: 5 })

describe("ElementScanner", () => {
  it("accepts only what JSON.parse accepts, without repeated names, and finds numbers that lose digits", () => {
    const pieces = fc.constantFrom(
      "",
      ",",
      ":",
      "\"",
      "{",
      "}",
      "[",
      "]",
      "0",
      "-",
      ".",
      "e",
      " ",
      "\\",
      "\t",
      "é",
      "tru"
    )
    let accepted = 0
    fc.assert(
      fc.property(
        object,
        fc.constantFrom(undefined, 1),
        fc.option(fc.tuple(fc.nat(), fc.nat(2), pieces)),
        (made, indent, change) => {
          let text = JSON.stringify(made, null, indent).replaceAll("\n", "")
          if (change !== null) {
            const [place, length, piece] = change
            const at = place % text.length
            text = text.slice(0, at) + piece + text.slice(at + length)
          }
          const found = heardIn(text)
          if (found === undefined) return
          accepted++
          const parsed: unknown = JSON.parse(text)
          const bytes = Buffer.from(text)
          const scan = scanValue(bytes, 0, bytes.length)
          assert.strictEqual(countNames(parsed), scan.names)
          assert.strictEqual(found.isLossy, scan.lossy !== undefined)
          assert.strictEqual(found.hasNull, scan.nulls)
          assert.isFalse(scan.surrogates)
          assert.isBelow(scan.depth, 200)
        }
      ),
      { numRuns: runs(2000) }
    )
    assert.isAbove(accepted, 100)
  }, timeout)

  it("accepts what most programs write", () => {
    for (
      const text of [
        "{}",
        "{\"a\":[],\"b\":{},\"c\":[{}]}",
        "{ \"a\" : [ 1 , 2.5 ] , \"b\" : { \"c\" : null } }",
        "{\"a\":\"\\n\\u00e9\\\"\\\\\",\"b\":-0.5,\"c\":[true,false]}",
        "{\"a\":1.50}"
      ]
    ) assert.isDefined(heardIn(text, () => ({ isHeard: false })), text)
    assert.isTrue(present(heardIn("{\"a\":1.50}")).isLossy)
    assert.isTrue(present(heardIn("{\"a\":[12345678901234567890]}")).isLossy)
    assert.isFalse(present(heardIn("{\"a\":[1.5,-7,0.25]}")).isLossy)
  })

  it("refuses what the parser must decide", () => {
    for (
      const text of [
        "{\"a\":1,\"a\":2}",
        "{\"a\":[{\"b\":1},{\"b\":1,\"b\":2}]}",
        "{\"7\":1}",
        "{\"\\u0061\":1}",
        "{\"a\":[[1]]}",
        "{\"a\":1e3}",
        `{"a":${"1".repeat(50)}}`,
        "{\"a\":\"\\ud83d\"}",
        "{\"a\":\"\\q\"}",
        "{\"a\":\"\\u00g0\"}",
        "{\"a\":\"x\ty\"}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":-}",
        "{\"a\":1,}",
        "{\"a\":[1,]}",
        "{\"a\" 1}",
        "{\"a\":1} ",
        "{\"a\":1",
        "{\"a\":\"\\",
        "{\"a\":nul}",
        "[]",
        `${"{\"a\":".repeat(70)}1${"}".repeat(70)}`
      ]
    ) assert.isUndefined(heardIn(text, () => ({ isHeard: false })), text)
    // A text that is passed on has no escapes.
    assert.isDefined(heardIn("{\"a\":\"x\\ny\"}", () => ({ isHeard: false })))
    assert.isUndefined(heardIn("{\"a\":\"x\\ny\"}"))
  })

  it("passes texts with their paths, and whether their object is in a list", () => {
    const text = "{\"a\":\"1\",\"b\":[{\"c\":\"2\"},{\"c\":\"3\",\"d\":{\"e\":[\"4\",\"5\"]}}],\"f\":7}"
    assert.deepStrictEqual(heardIn(text)?.heard, [".a=1", ".b.c[]=2", ".b.c[]=3", ".b.d.e=4", ".b.d.e=5"])
    assert.deepStrictEqual(heardIn(text, (path) => ({ isHeard: path === ".b.c" }))?.heard, [".b.c[]=2", ".b.c[]=3"])
  })

  it("refuses the forms that an element must not have", () => {
    const forms = { "1": ValueForm.scalar, "\"x\"": ValueForm.scalar, "{}": ValueForm.object, "[]": ValueForm.list }
    for (const [written, form] of Object.entries(forms)) {
      for (const refused of Object.values(ValueForm)) {
        assert.strictEqual(heardIn(`{"a":${written}}`, () => ({ refused })) === undefined, form === refused)
      }
    }
    assert.isUndefined(heardIn("{\"a\":[1]}", () => ({ refused: ValueForm.scalar })))
  })

  it("tells whether elements are written as usual", () => {
    const { list, nothing, number, object, single, text, truth } = WrittenAs
    const forms = { "1": number, "\"x\"": text, "{}": object, "true": truth, "false": truth, "null": nothing }
    const isUsual = (text: string, rules: (path: string) => Partial<Rules>) =>
      present(heardIn(text, (path) => ({ isHeard: false, ...path.startsWith(".a") ? rules(path) : {} }))).isUsual
    for (const [written, form] of Object.entries(forms)) {
      for (const unusual of Object.values(WrittenAs)) {
        assert.strictEqual(
          isUsual(`{"b":[],"a":${written}}`, () => ({ unusual })),
          unusual !== form && unusual !== single
        )
        assert.strictEqual(
          isUsual(`{"a":[${written}],"b":1}`, () => ({ unusual })),
          unusual !== form && unusual !== list
        )
      }
    }
    assert.isTrue(isUsual("{\"a\":[]}", () => ({ unusual: ~list })))
    const choices = (path: string) => ({ choice: path === ".ax" ? 2 : 1 })
    assert.isFalse(isUsual("{\"aa\":1,\"ax\":1,\"ab\":1}", choices))
    assert.isTrue(isUsual("{\"aa\":{\"ab\":1},\"ax\":1}", choices))
    assert.isFalse(isUsual("{\"b\":\"\\u0061\"}", () => ({ isHeard: false })))
  })

  it("distinguishes objects by their kind, which their first member states", () => {
    const kinds = (path: string) => path === ".c" ? { kind: statesKind("resourceType") } : {}
    const read = (item: string) => heardIn(`{"c":[${item}]}`, kinds)?.heard
    assert.deepStrictEqual(read("{\"resourceType\":\"A\",\"x\":\"1\"},{\"resourceType\":\"B\",\"x\":\"2\"}"), [
      ".c(A).resourceType[]=A",
      ".c(A).x[]=1",
      ".c(B).resourceType[]=B",
      ".c(B).x[]=2"
    ])
    assert.isUndefined(read("{\"x\":\"1\",\"resourceType\":\"A\"}"))
    assert.isUndefined(read("{\"resourceType\":\"unknown\"}"))
    assert.isUndefined(read("{\"resourceType\":\"A\",\"resourceType\":\"B\"}"))
    assert.isUndefined(read("{}"))
  })

  it("keeps a limited number of paths", () => {
    const names = Array.from({ length: 25_000 }, (_, at) => `"n${at}":1`)
    assert.isDefined(heardIn(`{${names.slice(0, 15_000).join(",")}}`))
    assert.isUndefined(heardIn(`{${names.join(",")}}`))
  })
})
