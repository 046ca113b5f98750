import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { at } from "../../src/at.ts"
import { loadMapping, type MappingContext } from "../../src/mapping/load/loadMapping.ts"
import { readTable } from "../../src/mapping/tables/readTable.ts"
import { guarded, unguarded } from "../../src/source/tables/cells/formulaGuard.ts"
import { writeCsv } from "../../src/source/tables/rows/writeCsv.ts"
import { makeReferenceList } from "../../src/visit/values/ReferenceList.ts"
import { only, present } from "../present.ts"
import { temporaryFolder } from "../run/converted.ts"

const head = "mapping: example\nextends: fhir-r4\n"

/** Writes the files, loads `mapping.yaml` with its tables, and removes the folder's name from source locations. */
const loaded = (
  files: Readonly<Record<string, string | Uint8Array>>,
  options: (folder: string) => MappingContext = () => ({})
) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
    const { checked, problems } = yield* loadMapping(join(folder, "mapping.yaml"), "mappings", options(folder))
    return {
      rows: (name: string) => Object.fromEntries(checked?.plan.conceptMaps.get(name)?.rows ?? []),
      hash: checked?.plan.hash,
      isChecked: checked !== undefined,
      problems: problems.map((problem) => {
        const { file, line, column } = present(problem.mapping)
        return `${
          file.replace(`${folder}/`, "")
        }:${line}:${column}: ${problem.severity}[${problem.code}]: ${problem.title}${
          problem.label === undefined ? "" : ` (${problem.label})`
        }`.replaceAll(folder, "DIR")
      })
    }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const span = { file: "facility.yaml", line: 5, column: 9, endColumn: 20 }
const sexFile = (file: string) => `${head}conceptMap: {sex: {file: ${file}}}\n`

describe("code tables in files", () => {
  for (
    const [what, text] of [
      ["commas", "code,value\n1,M\n02,F\n"],
      ["semicolons and a byte order mark", "\uFEFFCode;Value\r\n1;M\r\n02;F\r\n"],
      ["tabs, and the names FHIR uses", "target\tsource\nM\t1\nF\t02\n"],
      ["quotes, blank lines, and no line feed at the end", "\"code\",\"value\"\n\n\"1\",\"M\"\n\n02,F"],
      ["old line ends", "code,value\r1,M\r02,F\r"]
    ] as const
  ) {
    it.effect(`reads CSV with ${what}, and keeps leading zeros`, () =>
      Effect.gen(function*() {
        const { problems, rows } = yield* loaded({
          "mapping.yaml": sexFile("tables/sex.csv"),
          "tables/sex.csv": text
        })
        assert.deepStrictEqual(problems, [])
        assert.deepStrictEqual(rows("sex"), { male: "M", female: "F", "1": "M", "02": "F" })
      }))
  }

  it.effect("gives a system that is named by its OID its URL, which the rows of records have", () =>
    Effect.gen(function*() {
      const oid = "urn:oid:2.16.840.1.113883.6.96"
      const group = { source: oid, element: [{ code: "1", target: [{ code: "M", equivalence: "equal" }] }] }
      for (
        const text of [
          `code,value,system\n1,M,${oid}\n`,
          JSON.stringify({ resourceType: "ConceptMap", status: "active", group: [group] })
        ]
      ) {
        const { problems, rows } = yield* loaded({ "mapping.yaml": sexFile("sex.csv"), "sex.csv": text })
        assert.deepStrictEqual(problems, [])
        assert.deepStrictEqual(rows("sex"), { male: "M", female: "F", "http://snomed.info/sct|1": "M" })
      }
    }))

  it.effect("gives the code for names from the top down, and none for ambiguous names", () =>
    Effect.gen(function*() {
      const { problems, rows } = yield* loaded({
        "mapping.yaml":
          `${head}conceptMap: {place: {file: divisions.csv}}\nvisit: {patient: {address: {location: {path: text, conceptMap: place}}}}\n`,
        "divisions.csv":
          "code,name,parent\n12,Sample Province,\n1203,Old Town,\nN7,New Town,12\n1204,Old Mill,12\n1205,Old Mill,12\n"
      })
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual(rows("place"), {
        "Sample Province": "12",
        "Sample Province / Old Town": "1203",
        "Sample Province / New Town": "N7"
      })
    }))

  it.effect("reads system and display, ignores rows without a value, and reports other columns", () =>
    Effect.gen(function*() {
      const { problems, rows } = yield* loaded({
        "mapping.yaml": sexFile("sex.csv"),
        "sex.csv":
          "code,system,display,value,valeu,note\n1,http://a.example,\"Man, adult\",M,,x\nmale,,Male,,,\n3,,,F\n"
      })
      assert.deepStrictEqual(rows("sex"), { male: "M", female: "F", "http://a.example|1": "M", "3": "F" })
      assert.deepStrictEqual(problems, [
        "sex.csv:1:27: warning[unknown-key]: the column `valeu` of the table is not used",
        "sex.csv:1:33: warning[unknown-key]: the column `note` of the table is not used"
      ])
    }))

  it.effect("merges by code the inline table, the file, and the facility's table, the last first", () =>
    Effect.gen(function*() {
      const { problems, rows } = yield* loaded({
        "mapping.yaml": `${head}conceptMap: {sex: {table: {a: M, b: M, c: M}, file: [one.csv, two.csv]}}\n`,
        "one.csv": "code,value\nb,F\nc,F\nd,F\n",
        "two.csv": "code,value\nd,M\n",
        "facility.csv": "code,value\nc,M\nmale,F\n"
      }, (folder) => ({ tables: [{ name: "sex", file: join(folder, "facility.csv"), span }] }))
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual(rows("sex"), { male: "F", female: "F", a: "M", b: "F", c: "M", d: "M" })
    }))

  it.effect("resolves a file relative to its mapping, and lets an overlay change its rows", () =>
    Effect.gen(function*() {
      const { problems, rows } = yield* loaded({
        "mapping.yaml": "mapping: top\nextends: base/own.yaml\nconceptMap: {sex: {table: {y: F}}}\n",
        "base/own.yaml": sexFile("sex.csv"),
        "base/sex.csv": "code,value\nx,M\ny,M\n"
      })
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual(rows("sex"), { male: "M", female: "F", x: "M", y: "F" })
    }))

  it.effect("changes the hash of the mapping with the rows", () =>
    Effect.gen(function*() {
      const hash = (value: string) =>
        Effect.map(
          loaded({ "mapping.yaml": sexFile("sex.csv"), "sex.csv": `code,value\nx,${value}\n` }),
          ({ hash }) => hash
        )
      assert.strictEqual(yield* hash("M"), yield* hash("M"))
      assert.notStrictEqual(yield* hash("M"), yield* hash("F"))
    }))

  it.effect("reads YAML with a value for each code", () =>
    Effect.gen(function*() {
      const { problems, rows } = yield* loaded(
        { "mapping.yaml": head, "sex.yaml": "\"01\": M\n" },
        (folder) => ({ tables: [{ name: "sex", file: join(folder, "sex.yaml"), span }] })
      )
      assert.deepStrictEqual(problems, [])
      assert.deepInclude(rows("sex"), { "01": "M" })
    }))

  const mistakes: ReadonlyArray<readonly [what: string, table: string | Uint8Array, ...says: ReadonlyArray<string>]> = [
    [
      "a code with two values",
      "code,value\nx,M\ny,F\nx,M\nx,F\n",
      "sex.csv:5:3: error[invalid-value]: the code `x` has two values in this table (another value here)"
    ],
    [
      "no column for the value",
      "code,valu\nx,M\n",
      "sex.csv:1:1: error[missing-key]: the table has no column `value`",
      "sex.csv:1:6: warning[unknown-key]: the column `valu` of the table is not used (did you mean `value`?)"
    ],
    ["an empty file", "", "sex.csv:1:1: error[invalid-value]: the table is empty"],
    [
      "a column twice",
      "code,value,code\nx,M,y\n",
      "sex.csv:1:12: error[invalid-value]: duplicate column `code`"
    ],
    [
      "a row with more cells than the header",
      "code,value\nx,M\nManchester, City,M\n",
      "sex.csv:3:18: error[invalid-value]: this row has 3 cells, and the header names 2"
    ],
    [
      "a row without the cell of its value",
      "code,display,value\nx,of men,M\n1,Went home\n",
      "sex.csv:3:3: error[invalid-value]: this row has 2 cells, and the header names 3"
    ],
    [
      "a row that is cut by a stray carriage return",
      "code,value\nx,M\n1\r,F\n",
      "sex.csv:3:1: error[invalid-value]: this row has 1 cell, and the header names 2",
      "sex.csv:4:1: error[invalid-value]: this row has a value and no code"
    ],
    [
      "a value without a code",
      "code,value\n,M\n",
      "sex.csv:2:1: error[invalid-value]: this row has a value and no code"
    ],
    [
      "a quote that is never closed",
      "code,value\nx,M\ny,\"F\nz,F\n",
      "sex.csv:3:3: error[invalid-value]: the table is not CSV that can be read (a quote is opened here and never closed)"
    ],
    [
      "a quote inside a cell, after quoted separators",
      "code,value\n\"a,\"\"b\",M\"x\n",
      "sex.csv:2:9: error[invalid-value]: the table is not CSV that can be read (unexpected quote in an unquoted cell)"
    ],
    [
      "locations after cells of several lines",
      "code,value,display\na,M,\"one\r\ntwo\"\nb,F,\"x\"\"y\"\nb,M,\n",
      "sex.csv:5:3: error[invalid-value]: the code `b` has two values in this table (another value here)"
    ],
    [
      "another encoding",
      new Uint8Array([0x63, 0xe9, 0x2c]),
      "mapping.yaml:3:26: error[unreadable-file]: the table file `DIR/sex.csv` cannot be read: it is not UTF-8"
    ],
    [
      "JSON that is no ConceptMap",
      "{\"resourceType\": \"Patient\"}",
      "sex.csv:1:1: error[invalid-value]: the file is not a FHIR ConceptMap"
    ]
  ]
  for (const [what, table, ...says] of mistakes) {
    it.effect(`reports ${what} at its location`, () =>
      Effect.gen(function*() {
        const { isChecked, problems } = yield* loaded({ "mapping.yaml": sexFile("sex.csv"), "sex.csv": table })
        assert.deepStrictEqual(problems, says)
        assert.isFalse(isChecked)
      }))
  }

  for (
    const [what, table, says, isChecked] of [
      [
        "only a header",
        "code,value\n",
        "sex.csv:1:1: warning[invalid-value]: the table has a header and no rows",
        true
      ],
      [
        "a ConceptMap with a misspelt group",
        "{\"resourceType\": \"ConceptMap\",\n \"groups\": []}",
        "sex.csv:2:2: error[unknown-key]: a ConceptMap has no `groups` (did you mean `group`?)",
        false
      ],
      [
        "a ConceptMap without a group",
        "{\"resourceType\": \"ConceptMap\"}",
        "sex.csv:1:1: warning[invalid-value]: the ConceptMap has no `group`, and no rows",
        true
      ],
      [
        "codes with blanks inside their quotes",
        "code,value\n\" man\",M\n\"woman \",F\n",
        "sex.csv:2:1: warning[invalid-value]: 2 codes of the concept map `sex` have white space at an end, or invisible characters (the first)",
        true
      ]
    ] as const
  ) {
    it.effect(`reports ${what}`, () =>
      Effect.gen(function*() {
        const found = yield* loaded({ "mapping.yaml": sexFile("sex.csv"), "sex.csv": table })
        assert.deepStrictEqual(found.problems, [says])
        assert.strictEqual(found.isChecked, isChecked)
      }))
  }

  it.effect("accepts a separator within words of a script without spaces", () =>
    Effect.gen(function*() {
      const found = yield* loaded({
        "mapping.yaml": sexFile("sex.csv"),
        "sex.csv": "code,value\nប្រុស\u200Bស្រី,M\n"
      })
      assert.deepStrictEqual(found.problems, [])
    }))

  it.effect("reports a missing file, and a table for an unknown concept map", () =>
    Effect.gen(function*() {
      const missing = yield* loaded({ "mapping.yaml": sexFile("sex.csv") })
      assert.deepStrictEqual(missing.problems, [
        "mapping.yaml:3:26: error[unreadable-file]: the table file `DIR/sex.csv` cannot be read: there is no such file"
      ])
      const unknown = yield* loaded({ "mapping.yaml": head, "t.csv": "code,value\n" }, (folder) => ({
        tables: [{ name: "marital_states", file: join(folder, "t.csv"), span }]
      }))
      assert.deepStrictEqual(unknown.problems, [
        "facility.yaml:5:9: error[unknown-concept-map]: the table `marital_states` is for a concept map that does not exist (did you mean `marital_status`?)"
      ])
      assert.isFalse(unknown.isChecked)
    }))

  it.effect("reports a file that is not a code table at its mapping line, without its content", () =>
    Effect.gen(function*() {
      for (
        const text of [
          "root:x:0:0:Secret:/root\n",
          "PASSWORD=Secret\n",
          "Secret;b;c\n1;2;3\n",
          "[Secret",
          "\"Secret",
          "{Secret"
        ]
      ) {
        for (const name of ["t.csv", "t.txt", "t.yaml", "t.json"]) {
          const folder = yield* temporaryFolder
          writeFileSync(join(folder, "mapping.yaml"), sexFile(name))
          writeFileSync(join(folder, name), text)
          const { problems, texts } = yield* loadMapping(join(folder, "mapping.yaml"), "mappings")
          assert.deepStrictEqual(
            problems.map(({ code, mapping }) => `${mapping?.line} ${code}`),
            ["3 unreadable-file"],
            `${name}: ${text}`
          )
          assert.notInclude(JSON.stringify([problems, [...texts.values()]]), "Secret")
        }
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.effect("reports one mistake for a mapping without its base, whatever tables the facility has", () =>
    Effect.gen(function*() {
      const mistakes = [
        [
          "mapping: m\nvisit: {code: id}\n",
          "mapping.yaml:1:1: error[missing-field]: the mapping has no `grouping`, `key`"
        ],
        ["mapping: m\nextend: fhir-r4\n", "mapping.yaml:2:1: error[unknown-key]: a mapping has no key `extend`"],
        ["mapping: m\nextends: fhir-r5\n", "mapping.yaml:2:10: error[unreadable-file]: the mapping file"]
      ] as const
      for (const [text, title] of mistakes) {
        const { problems } = yield* loaded({ "mapping.yaml": text, "t.csv": "code,value\nx,Single\n" }, (folder) => ({
          tables: ["sex", "marital_status"].map((name) => ({ name, file: join(folder, "t.csv"), span }))
        }))
        assert.strictEqual(problems.length, 1, problems.join("\n"))
        assert.isTrue(problems[0]?.startsWith(title), problems[0])
      }
    }))

  it.effect("requires a file and a list of relations for `accept`", () =>
    Effect.gen(function*() {
      const without = yield* loaded({ "mapping.yaml": `${head}conceptMap: {sex: {accept: [wider]}}\n` })
      assert.deepStrictEqual(without.problems, [
        "mapping.yaml:3:20: error[missing-key]: `accept` of `sex` is about a `file` that is not named"
      ])
      const wrong = yield* loaded({
        "mapping.yaml": `${head}conceptMap: {sex: {file: s.csv, accept: [widr]}}\n`,
        "s.csv": "code,value\n1,M\n"
      })
      assert.deepStrictEqual(wrong.problems, [
        "mapping.yaml:3:42: error[invalid-value]: `accept` cannot be `widr` (did you mean `wider`?)"
      ])
    }))
})

const conceptMap = (
  relation: "equivalence" | "relationship",
  source: string,
  ...targets: ReadonlyArray<readonly [code: string, value: string, relation: string]>
) =>
  JSON.stringify({
    resourceType: "ConceptMap",
    group: [{
      source,
      target: "http://service.example/sex",
      element: targets.map(([code, value, word]) => ({ code, target: [{ code: value, [relation]: word }] }))
    }]
  })

describe("FHIR ConceptMaps as code tables", () => {
  it.effect("reads equal and equivalent targets of R4 as rows of the source's system, and reports the rest", () =>
    Effect.gen(function*() {
      const text = conceptMap(
        "equivalence",
        "http://a.example",
        ["1", "M", "equal"],
        ["2", "F", "equivalent"],
        [
          "3",
          "F",
          "wider"
        ],
        ["4", "F", "wider"],
        ["5", "F", "unmatched"]
      )
      const { problems, rows } = yield* loaded({
        "mapping.yaml": sexFile("sex.json"),
        "sex.json": text
      })
      assert.deepStrictEqual(rows("sex"), {
        male: "M",
        female: "F",
        "http://a.example|1": "M",
        "http://a.example|2": "F"
      })
      assert.deepStrictEqual(problems, [
        `sex.json:1:${
          text.indexOf("\"wider\"") + 1
        }: warning[invalid-value]: 2 targets that the ConceptMap calls \`wider\` are dropped (the first)`
      ])
    }))

  it.effect("reads `relationship` and a versioned source of R5, and accepts either name of a relation", () =>
    Effect.gen(function*() {
      const { problems, rows } = yield* loaded({
        "mapping.yaml": `${head}conceptMap: {sex: {file: sex.json, accept: [wider]}}\n`,
        "sex.json": conceptMap("relationship", "http://a.example|2.0", ["1", "M", "equivalent"], [
          "3",
          "F",
          "source-is-narrower-than-target"
        ], ["4", "F", "not-related-to"])
      })
      assert.deepStrictEqual(problems, [])
      assert.deepInclude(rows("sex"), { "http://a.example|1": "M", "http://a.example|3": "F" })
      assert.notProperty(rows("sex"), "http://a.example|4")
    }))

  it.effect("reports the location of two targets of one code, an unknown relation, and truncated JSON", () =>
    Effect.gen(function*() {
      const text = [
        "{\"resourceType\": \"ConceptMap\", \"group\": [{\"element\": [",
        "  {\"code\": \"1\", \"target\": [{\"code\": \"M\", \"equivalence\": \"equal\"},",
        "    {\"code\": \"F\", \"equivalence\": \"equal\"}]},",
        "  {\"code\": \"2\", \"target\": [{\"code\": \"F\", \"equivalence\": \"alike\"}]}",
        "]}]}"
      ].join("\n")
      const files = (content: string) => ({ "mapping.yaml": sexFile("sex.json"), "sex.json": content })
      const { problems } = yield* loaded(files(text))
      assert.deepStrictEqual(problems, [
        "sex.json:3:14: error[invalid-value]: the code `1` has two values in this table (another value here)",
        "sex.json:4:57: error[invalid-value]: a ConceptMap knows no relation `alike`"
      ])
      const cut = only((yield* loaded(files(text.slice(0, -2)))).problems)
      assert.match(cut, /^sex\.json:5:\d+: error\[invalid-value\]: the file is not JSON: /)
    }))
})

describe("a file next to the code tables that is not read", () => {
  it.effect("is a warning with the file to save it as", () =>
    Effect.gen(function*() {
      const { isChecked, problems } = yield* loaded(
        { "mapping.yaml": `${head}conceptMap: {sex: {table: {a: M}}}\n` },
        (folder) => ({
          tables: [{
            name: "sex",
            file: join(folder, "sex.xlsx"),
            span: { ...span, file: join(folder, "facility.yaml") },
            isUnread: true
          }]
        })
      )
      assert.isTrue(isChecked)
      assert.deepStrictEqual(problems, [
        "facility.yaml:5:9: warning[unreadable-file]: the file `DIR/sex.xlsx` is not read: it is not CSV, JSON or YAML"
      ])
    }))
})

const codesAndNames = ["Single", "Married", "Widowed", "Divorced"].map((name, at) => ({ code: `M-${at + 1}`, name }))

describe("values of concept maps and the standard data (§4.3)", () => {
  const lists = new Map(
    [[
      "marital_statuses",
      makeReferenceList(codesAndNames)
    ]] as const
  )

  it.effect("corrects letter case to the list's, and reports other values once, with the list", () =>
    Effect.gen(function*() {
      const { isChecked, problems, rows } = yield* loaded({
        "mapping.yaml":
          `${head}conceptMap:\n  marital_status:\n    file: m.csv\n    table: {x: Maried}\n    unmapped: {fixed: SINGLE}\n`,
        "m.csv": "code,value\n1,married\n2,WIDOWED\n3,Partner\n4,Partner\n5,M-4\n"
      }, () => ({ lists }))
      assert.isTrue(isChecked)
      assert.deepInclude(rows("marital_status"), { "*|1": "Married", "*|2": "Widowed", "*|3": "Partner", "*|5": "M-4" })
      assert.deepStrictEqual(problems, [
        "mapping.yaml:6:16: warning[unknown-list-value]: the concept map `marital_status` gives `Maried`, which is not in the list `marital_statuses` (did you mean `Married`?)",
        "m.csv:4:3: warning[unknown-list-value]: the concept map `marital_status` gives `Partner`, which is not in the list `marital_statuses`"
      ])
    }))

  it.effect("names no similar code for a code: only its parent, or the same code with other punctuation", () =>
    Effect.gen(function*() {
      const { problems } = yield* loaded(
        {
          "mapping.yaml":
            `${head}conceptMap:\n  own:\n    list: diagnoses\n    table: {a: E66.9, b: H66.8, c: K3-58, d: E66.01, e: Obesty, f: Type 3 diabetes}\n`
        },
        () => ({
          lists: new Map([[
            "diagnoses",
            makeReferenceList([
              { code: "E66", name: "Obesity" },
              { code: "H66.9", name: "Otitis media" },
              { code: "K35.8", name: "Type 2 diabetes" }
            ])
          ]])
        })
      )
      const labels = problems.flatMap((line) => {
        const [, value = "", label = "nothing"] = /gives (`[^`]+`).*?(?:\((.*)\))?$/u.exec(line) ?? []
        return value === "" ? [] : [[value, label]]
      })
      assert.deepStrictEqual(labels, [
        ["`E66.9`", "the list has its parent `E66`"],
        ["`H66.8`", "nothing"],
        ["`K3-58`", "did you mean `K35.8`?"],
        ["`E66.01`", "the list has its parent `E66`"],
        ["`Obesty`", "did you mean `Obesity`?"],
        ["`Type 3 diabetes`", "nothing"]
      ])
    }))

  it.effect("uses the field's list for a concept map without one", () =>
    Effect.gen(function*() {
      const { isChecked, problems } = yield* loaded({
        "mapping.yaml":
          `${head}conceptMap: {own: {table: {x: Maried, y: Single}}}\nvisit: {patient: {marital_status: {conceptMap: own}}}\n`
      }, () => ({ lists }))
      assert.isTrue(isChecked)
      assert.deepStrictEqual(problems, [
        "mapping.yaml:3:31: warning[unknown-list-value]: the concept map `own` gives `Maried`, which is not in the list `marital_statuses` (did you mean `Married`?)"
      ])
    }))

  it.effect("reports a fixed value that is not in the field's list", () =>
    Effect.gen(function*() {
      const { isChecked, problems } = yield* loaded({
        "mapping.yaml": `${head}visit:\n  patient: {marital_status: {default: Maried}}\n`
      }, () => ({ lists }))
      assert.isTrue(isChecked)
      assert.deepStrictEqual(problems, [
        "mapping.yaml:4:39: warning[unknown-list-value]: `default` of `marital_status` is `Maried`, which is not in the list `marital_statuses` (did you mean `Married`?)"
      ])
    }))

  it.effect("sends codes of a list instead of names if a concept map requires it, and reports an ambiguous name (§4.3)", () =>
    Effect.gen(function*() {
      const twice = makeReferenceList([...codesAndNames, { code: "M-9", name: "Divorced" }])
      const { isChecked, problems, rows } = yield* loaded({
        "mapping.yaml":
          `${head}conceptMap:\n  marital_status:\n    send: code\n    table: {"1": married, "2": M-3, "4": Divorced}\n    unmapped: {fixed: Single}\n`
      }, () => ({ lists: new Map([["marital_statuses", twice]]) }))
      assert.isTrue(isChecked)
      assert.deepInclude(rows("marital_status"), { "*|1": "M-2", "*|2": "M-3", "*|4": "Divorced", S: "M-1" })
      assert.match(only(problems), /warning\[unknown-list-value\].* has no code, or several, for `Divorced`$/u)
    }))

  it.effect("sends no codes without the list or its name", () =>
    Effect.gen(function*() {
      const { isChecked, problems } = yield* loaded({
        "mapping.yaml": `${head}conceptMap: {marital_status: {send: code}, own: {send: code, table: {}}}\n`
      })
      assert.isFalse(isChecked)
      assert.deepStrictEqual(problems, [
        "mapping.yaml:3:37: error[invalid-value]: the list `marital_statuses`, whose codes are to be sent, is not downloaded",
        "mapping.yaml:3:56: error[missing-key]: the concept map `own` has no `list` whose codes it could send"
      ])
    }))

  it.effect("reports nothing without lists", () =>
    Effect.gen(function*() {
      const { problems } = yield* loaded({
        "mapping.yaml": `${head}conceptMap: {marital_status: {table: {x: Nonsense}}}\n`
      })
      assert.deepStrictEqual(problems, [])
    }))
})

describe("cells of a spreadsheet", () => {
  it("guards texts that begin like a formula, and restores every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "\t", "\r", "a", "0") }), (text) => {
        assert.notMatch(guarded(text), /^[=+\-@\t\r]/u)
        assert.strictEqual(unguarded(guarded(text)), text)
      })
    )
  })

  it("keeps the text of a month, and of a word that begins like one", () => {
    for (const text of ["Mar 1", "MARCH1", "1 September", "07"]) assert.strictEqual(guarded(text), `'${text}`)
    for (const text of ["Married", "Decision", "Mayor", "Single"]) assert.strictEqual(guarded(text), text)
  })

  it("reads back every cell that it writes as CSV", async () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", "0", " ", ",", ";", "\"", "\n", "\r", "'", "=", "\u17D2"),
      minLength: 1
    })
    const table = fc.uniqueArray(fc.tuple(cell, cell), { selector: ([code]) => code, minLength: 1, maxLength: 8 })
    await fc.assert(fc.asyncProperty(table, (rows) =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const file = join(folder, "t.csv")
        writeFileSync(file, writeCsv([["code", "value"], ...rows.map((row) => row.map(guarded))]))
        const read = yield* readTable(file, span)
        assert.deepStrictEqual(read.problems, [])
        assert.deepStrictEqual(
          [...read.rows.entries].map(([code, { value }]) => [code, value.kind === "scalar" ? value.value : null]),
          rows
        )
        const lines = read.text.split(/\r\n|\r|\n/u)
        for (const { key } of read.rows.entries.values()) {
          const end = at(lines, key.line - 1).slice(key.column - 1, key.endColumn - 1)
          assert.notStrictEqual(end, "")
        }
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer), Effect.runPromise)))
  })
})
