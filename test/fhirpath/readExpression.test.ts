import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import fhirpath from "fhirpath"
import { readdirSync, readFileSync } from "node:fs"
import { parseDocument, visit } from "yaml"
import { readExpression } from "../../src/fhirpath/syntax/readExpression.ts"
import { runs, timeout } from "../runs.ts"

/** The library's syntax tree of a text as plain data; `undefined` if the text is invalid. */
const byLibrary = (text: string): unknown => {
  try {
    return JSON.parse(JSON.stringify(fhirpath.parse(text)))
  } catch {
    return undefined
  }
}

const asData = (tree: unknown): unknown => (tree === undefined ? undefined : JSON.parse(JSON.stringify(tree)))

/** Every text of the shipped mappings. Most are expressions. */
const written = readdirSync("mappings").flatMap((name) =>
  readdirSync(`mappings/${name}`).filter((file) => file.endsWith(".yaml")).flatMap((file) => {
    const found: Array<string> = []
    visit(parseDocument(readFileSync(`mappings/${name}/${file}`, "utf8")), {
      Scalar: (_, { value }) => {
        if (typeof value === "string") found.push(value)
      }
    })
    return found
  })
)

const name = fc.constantFrom(
  "a",
  "name",
  "Patient",
  "`b c`",
  "as",
  "contains",
  "is",
  "day",
  "and",
  "true",
  "sort",
  "_x1"
)
const { expression } = fc.letrec<{ readonly expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    name,
    fc.constantFrom(
      "'text'",
      "'it\\'s'",
      "'\\u00e9\\q'",
      "'a\n b'",
      "3",
      "07.20",
      "12L",
      "4 'mg'",
      "2 days",
      "{}",
      "%visit",
      "%`a b`",
      "%'x'",
      "$this",
      "$index",
      "@2026-03",
      "@2026-03-02T08:05:00.000+07:00",
      "@2026-03-02T",
      "@T08:05",
      "/* c */ a",
      "a // b"
    ),
    fc.tuple(tie("expression"), name).map(([of, name]) => `${of}.${name}`),
    fc.tuple(tie("expression"), name, fc.array(tie("expression"), { maxLength: 3 }))
      .map(([of, name, args]) => `${of}.${name}(${args.join(", ")})`),
    fc.tuple(tie("expression"), tie("expression")).map(([of, at]) => `${of}[${at}]`),
    fc.tuple(fc.constantFrom("-", "+", "not "), tie("expression")).map((parts) => parts.join("")),
    tie("expression").map((inner) => `( ${inner} )`),
    fc.tuple(tie("expression"), fc.constantFrom("is", "as"), fc.constantFrom("Quantity", "FHIR.string", "`x`", "day"))
      .map((parts) => parts.join(" ")),
    fc.tuple(
      tie("expression"),
      fc.constantFrom(..."* / div mod + - & | <= < > >= = ~ != !~ in contains and or xor implies , &&".split(" ")),
      fc.constantFrom(" ", "", "\n  "),
      tie("expression")
    ).map(([left, sign, space, right]) => `${left} ${sign}${space}${right}`)
  )
}))

describe("reading an expression", () => {
  it("parses every expression of a shipped mapping as the library does", () => {
    const trees = written.filter((text) => {
      const tree = byLibrary(text)
      assert.deepStrictEqual(asData(readExpression(text)), tree, text)
      return tree !== undefined
    })
    assert.isAbove(trees.length, 1000)
  }, timeout)

  it("parses as the library does, or delegates to it", () => {
    let read = 0
    fc.assert(
      fc.property(expression, (text) => {
        const tree = readExpression(text)
        if (tree === undefined) return
        read++
        assert.deepStrictEqual(asData(tree), byLibrary(text), text)
      }),
      { numRuns: runs(500) }
    )
    assert.isAbove(read, runs(100))
  }, timeout)

  it.each([
    "",
    "a.",
    "a b",
    "(a",
    "a)",
    "f(,)",
    "f(a,)",
    "'open",
    "a ? b",
    "a[0",
    "1.",
    "%",
    "a.day",
    "a is",
    "sort(a desc)",
    "Coding{}",
    "// a"
  ])(
    "leaves to the library: %s",
    (text) => assert.isUndefined(readExpression(text))
  )
})
