import { assert, describe, it } from "@effect/vitest"
import type { Syntax, SyntaxMap } from "../../src/mapping/language/MappingSyntax.ts"
import { mergeOverlay } from "../../src/mapping/language/mergeOverlay.ts"
import { showMapping } from "../../src/mapping/language/showMapping.ts"
import { yamlMap } from "./yamlMap.ts"

const read = (file: string, field: string): SyntaxMap => yamlMap(file, `visit:\n  patient:\n    ${field}\n`)

const plain = (syntax: Syntax): unknown =>
  syntax.kind === "scalar"
    ? syntax.value
    : syntax.kind === "list"
    ? syntax.items.map(plain)
    : Object.fromEntries([...syntax.entries].map(([key, { value }]) => [key, plain(value)]))

const merged = (below: string, over: string): Syntax => mergeOverlay(read("below", below), read("over", over))

describe("A window of all types in an overlay", () => {
  it("changes each window of the base, and then the windows of the overlay", () => {
    const mapping = (windows: string) => yamlMap("file", `grouping:\n  window: ${windows}\n`)
    const below = mapping("{A: {enabled: false, time: a}, B: {enabled: false, time: b}}")
    const over = mapping("{\"*\": {enabled: true, after: 1 day}, B: {after: 2 days}, C: {time: c}}")
    assert.deepStrictEqual(plain(mergeOverlay(below, over)), {
      grouping: {
        window: {
          A: { enabled: true, time: "a", after: "1 day" },
          B: { enabled: true, time: "b", after: "2 days" },
          "*": { enabled: true, after: "1 day" },
          C: { time: "c" }
        }
      }
    })
  })
})

describe("A column of an overlay", () => {
  it("keeps the type of the base's column, unless the overlay sets one", () => {
    const columns = (written: string) => yamlMap("file", `table: {visit: {column: ${written}}}\n`)
    const over = columns("{at: {from: Date}, born: {type: date, from: DOB}, code: {from: VN}}")
    assert.deepStrictEqual(plain(mergeOverlay(columns("{at: timestamp, born: text, code: text}"), over)), {
      table: {
        visit: {
          column: {
            at: { type: "timestamp", from: "Date" },
            born: { type: "date", from: "DOB" },
            code: { type: "text", from: "VN" }
          }
        }
      }
    })
  })
})

describe("A row of an overlay over a concept map with `system`", () => {
  const rows = (below: string, over: string): unknown =>
    plain(
      mergeOverlay(yamlMap("below", `conceptMap: {job: ${below}}\n`), yamlMap("over", `conceptMap: {job: ${over}}\n`))
    )
  const base = "{system: http://a.example, table: {A: one, B: two, \"http://b.example|C\": three}}"

  for (
    const [what, over, merged] of [
      ["is for a code of any system", "{table: {X: four}}", {
        system: "http://a.example",
        table: { A: "one", B: "two", "http://b.example|C": "three", "*|X": "four" }
      }],
      ["replaces the row of its code, in its place", "{table: {A: four}}", {
        system: "http://a.example",
        table: { "*|A": "four", B: "two", "http://b.example|C": "three" }
      }],
      ["removes the row of its code", "{table: {A: null}}", {
        system: "http://a.example",
        table: { "*|A": null, B: "two", "http://b.example|C": "three" }
      }],
      ["is for its own system if it names one", "{table: {\"http://b.example|C\": four}}", {
        system: "http://a.example",
        table: { A: "one", B: "two", "http://b.example|C": "four" }
      }],
      ["is, with all rows, for the systems that the overlay sets", "{system: http://c.example, table: {X: four}}", {
        system: "http://c.example",
        table: { A: "one", B: "two", "http://b.example|C": "three", X: "four" }
      }]
    ] as const
  ) {
    it(what, () => assert.deepStrictEqual(rows(base, over), { conceptMap: { job: merged } }))
  }

  it("is not changed if the base has no `system`", () => {
    assert.deepStrictEqual(rows("{table: {A: one}}", "{table: {X: four}}"), {
      conceptMap: { job: { table: { A: "one", X: "four" } } }
    })
  })
})

describe("A field of an overlay over a field of its base", () => {
  for (
    const [below, over, field] of [
      ["surname: name.family", "surname: {required: warning}", { path: "name.family", required: "warning" }],
      ["surname: name.family", "surname: {empty: \"\"}", { path: "name.family", empty: "" }],
      ["phone: [a, b]", "phone: {take: first}", { path: ["a", "b"], take: "first" }],
      ["phone: [a, b]", "phone: {path: c}", { path: "c" }],
      ["phone: a", "phone: {value: none}", { value: "none" }],
      ["phone: a", "phone: b", "b"],
      ["phone: a", "phone: null", null],
      ["phone: null", "phone: {default: none}", { default: "none" }],
      ["sex: {path: gender, conceptMap: sex}", "sex: a", { path: "a", conceptMap: "sex" }],
      ["phone: {path: a, join: x, default: none}", "phone: b", { path: "b", default: "none" }],
      ["phone: {path: a, join: x}", "phone: {take: first}", { path: "a", take: "first" }],
      ["phone: {path: a, take: first}", "phone: {path: b, join: x}", { path: "b", join: "x" }],
      ["phone: {path: a, take: first}", "phone: {path: b}", { path: "b", take: "first" }],
      ["sex: {path: gender, conceptMap: sex}", "sex: [a, b]", { path: ["a", "b"], conceptMap: "sex" }],
      ["sex: {path: gender, conceptMap: sex}", "sex: {path: a, conceptMap: null}", { path: "a", conceptMap: null }],
      ["sex: {path: gender, conceptMap: sex}", "sex: {value: F}", { value: "F", conceptMap: "sex" }],
      ["sex: {path: gender, conceptMap: sex}", "sex: null", null],
      ["sex: {value: F}", "sex: gender", { path: "gender" }],
      ["sex: {value: F}", "sex: {path: gender}", { path: "gender" }],
      ["sex: {value: F, required: none}", "sex: {path: gender, value: M}", {
        value: "M",
        path: "gender",
        required: "none"
      }],
      ["height: {path: a, unit: {to: cm, round: 1}}", "height: {unit: {round: 0}}", {
        path: "a",
        unit: { to: "cm", round: 0 }
      }],
      // An overlay replaces a path, value or default together with its assumption.
      ["phone: {path: {path: a, assume: x}}", "phone: b", { path: "b" }],
      ["phone: {path: {path: a, assume: x}}", "phone: {path: {path: b, warn: words}}", {
        path: { path: "b", warn: "words" }
      }],
      ["phone: {default: {value: a, assume: x}}", "phone: {default: b}", { default: "b" }],
      ["phone: {default: {value: a, assume: x}}", "phone: {default: {value: b}}", { default: { value: "b" } }],
      ["phone: {value: {value: a, assume: x}}", "phone: b", { path: "b" }],
      ["phone: {default: {value: a, assume: x}}", "phone: b", { default: { value: "a", assume: "x" }, path: "b" }],
      // Additions to a list go before or after it. The other keys are kept.
      ["phone: [a, b]", "phone: {before: [c], after: [d]}", ["c", "a", "b", "d"]],
      ["phone: {path: a, take: first}", "phone: {after: [b]}", { path: ["a", "b"], take: "first" }],
      ["phone: {path: a, join: x}", "phone: {path: {before: [b]}}", { path: ["b", "a"], join: "x" }],
      ["phone: a", "phone: {path: {before: [b]}, take: first}", { path: ["b", "a"], take: "first" }],
      ["phone: {path: {path: a, assume: x}}", "phone: {before: [b]}", { path: ["b", { path: "a", assume: "x" }] }],
      ["phone: {path: {one: a, two: b}}", "phone: {path: {two: c}}", { path: { one: "a", two: "c" } }],
      ["phone: {path: {one: a}}", "phone: {path: {after: [b]}}", { path: [{ one: "a" }, "b"] }],
      ["identifications: {orderBy: [a]}", "identifications: {orderBy: {after: [b]}}", { orderBy: ["a", "b"] }],
      // Components: their keys are not those of a field.
      ["address: null", "address: {forEach: a, code: b}", { forEach: "a", code: "b" }],
      ["address: {forEach: a, code: b}", "address: {forEachOrNull: c}", { code: "b", forEachOrNull: "c" }],
      ["address: {forEach: a, code: b}", "address: null", null],
      ["address: {orderBy: [a], code: b}", "address: {orderBy: {path: c}}", { orderBy: { path: "c" }, code: "b" }],
      // `sameAs` replaces the component, unless it already was the same as a sibling.
      ["address: {resource: a, where: {a: b}, code: c}", "address: {sameAs: other, where: {d: e}}", {
        sameAs: "other",
        where: { d: "e" }
      }],
      ["address: {sameAs: one, where: {a: b}}", "address: {sameAs: other, where: {d: e}}", {
        sameAs: "other",
        where: { a: "b", d: "e" }
      }],
      ["address: {sameAs: one, code: c}", "address: {sameAs: null, code: d}", { sameAs: null, code: "d" }],
      ["sex: {value: F}", "sex: {value: null, path: gender}", { path: "gender" }],
      ["sex: gender", "sex: {value: null}", { path: "gender", value: null }],
      ["address: {where: {a: b}}", "address: {where: {a: {path: c}}}", { where: { a: { path: "c" } } }],
      ["address: {unionAll: {a: {code: b}}}", "address: {unionAll: {a: {code: {take: first}}}}", {
        unionAll: { a: { code: { path: "b", take: "first" } } }
      }]
    ] as const
  ) {
    it(`${below}  and  ${over}`, () => {
      const [name = ""] = over.split(":")
      assert.deepStrictEqual(plain(merged(below, over)), { visit: { patient: { [name]: field } } })
    })
  }

  it("keeps the location of each line", () => {
    assert.strictEqual(
      showMapping(merged("surname: name.family", "surname: {required: warning}"), (file) => file),
      "visit:                   # over:1\n"
        + "  patient:               # over:2\n"
        + "    surname:             # over:3\n"
        + "      path: name.family  # below:3\n"
        + "      required: warning  # over:3\n"
    )
  })

  it("treats a key as a field, but not a constant", () => {
    const both = mergeOverlay(
      yamlMap("below", "key: {visit: {path: a, mint: V}, encounter: b}\nconstant: {c: d}"),
      yamlMap("over", "key: {visit: e, encounter: {mint: E}}\nconstant: {c: {path: f}}")
    )
    assert.deepStrictEqual(plain(both), {
      key: { visit: { path: "e", mint: "V" }, encounter: { path: "b", mint: "E" } },
      constant: { c: { path: "f" } }
    })
  })
})
