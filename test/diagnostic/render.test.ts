import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import type { Collated } from "../../src/diagnostic/collate.ts"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { displayWidth, printable } from "../../src/diagnostic/render/printable.ts"
import { render } from "../../src/diagnostic/render/render.ts"
import { problemJson, renderJson } from "../../src/diagnostic/render/renderJson.ts"
import { renderLine } from "../../src/diagnostic/render/renderLine.ts"
import { coloured, plain } from "../../src/diagnostic/render/Style.ts"
import { assertGolden } from "../golden.ts"
import { present } from "../present.ts"

const wide = "\tname: '診療所ក្រុម'.bad()   # 診"
const files: Record<string, string> = {
  "mappings/hospital-a/vital-signs.yaml": [
    "section: vital_signs",
    "resource: Observation",
    "where:",
    "  - category.coding.code = 'vital-signs'",
    "fields:",
    "  # the visit's own encounter",
    "  encounter_code: encounter.getReferenceKey()",
    "  recorded_at: effective",
    "  recorded_by: performer.display",
    "  titel: \"'Nurse'\"",
    "observations:",
    "  forEach: component",
    "  fields:",
    "    name: code.coding.display",
    "    value: value.ofType(Quantity).where(unit = 'mmHg'.value"
  ].join("\n"),
  "mappings/hospital-a/visit.yaml": [
    "section: visit",
    "resource: Encounter",
    "fields:",
    "  code: identifier.value",
    "  patient_code: subject.getReferenceKey()",
    "  discharge_type: hospitalization.dischargeDisposition",
    "",
    "  visit_type:",
    "    conceptMap: visit-type",
    "    path: class.code",
    "",
    "  admitted_at: period.start"
  ].join("\r\n"),
  "mappings/hospital-a/concepts/visit-type.yaml": [
    "# source code: value of the list",
    "",
    "",
    "concepts:",
    "  AMB: OPD",
    "  IMP: IPD"
  ]
    .join("\n"),
  "wide.yaml": wide
}
const vitals = "mappings/hospital-a/vital-signs.yaml"
const rendering = { style: plain, textOf: (file: string) => files[file], showValues: false }
const once = (first: Diagnostic): Collated => ({ first, count: 1, visits: first.visit === undefined ? 0 : 1 })

const tooMany: Diagnostic = {
  code: "too-many-values",
  severity: "error",
  title: "`recorded_by` takes one value, this path found 2",
  mapping: { file: vitals, line: 9, column: 16, endColumn: 33 },
  label: "2 values: string, string",
  path: "performer.display",
  visit: "V000117",
  field: "vital_signs[3].recorded_by",
  source: "Observation/9f2c1a",
  origin: { file: "samples/hospital-a/source/Observation.ndjson", line: 118, reference: "Observation/9f2c1a" },
  facts: [["element", "Observation.performer[0].display, Observation.performer[1].display"]],
  help: ["take one:   performer.first().display", "join them:  performer.display.join(', ')"],
  value: "Sok Dara"
}

const examples: Record<string, Collated> = {
  "1-unknown-field": once({
    code: "unknown-field",
    severity: "error",
    title: "a vital-signs record has no field `titel`",
    mapping: { file: vitals, line: 10, column: 3, endColumn: 8 },
    label: "did you mean `title`?",
    facts: [["fields", "encounter_code, recorded_at, recorded_by, title, observations  (interface §2.6)"]]
  }),
  "2-invalid-path": once({
    code: "invalid-path",
    severity: "error",
    title: "this FHIRPath is never closed",
    mapping: { file: vitals, line: 15, column: 59, endColumn: 60 },
    label: "expected `)` here",
    labels: [{ span: { file: vitals, line: 15, column: 34, endColumn: 40 }, text: "opened here" }],
    help: ["close it after the condition:  .where(unit = 'mmHg').value"]
  }),
  "3-too-many-values": { first: tooMany, count: 412, visits: 37 },
  "4-unmapped-code": {
    first: {
      code: "unmapped-code",
      severity: "error",
      title: "the concept map `visit-type` has no entry for `EMER`",
      mapping: { file: "mappings/hospital-a/visit.yaml", line: 10, column: 11, endColumn: 21 },
      label: "found `EMER`",
      labels: [{
        span: { file: "mappings/hospital-a/concepts/visit-type.yaml", line: 4, column: 1, endColumn: 9 },
        text: "lists AMB, IMP"
      }],
      path: "class.code",
      source: "Encounter/5b1e44",
      origin: { file: "samples/hospital-a/source/Encounter.ndjson", line: 31, reference: "Encounter/5b1e44" },
      visit: "V000117",
      field: "visit_type",
      facts: [["choose", "one of the service's visit_types: OPD, IPD    (list pulled 2026-11-20)"]],
      help: ["add a line to concepts/visit-type.yaml, for example  EMER: OPD"]
    },
    count: 96,
    visits: 96
  },
  "5-admission-date-changed": once({
    code: "admission-date-changed",
    severity: "error",
    title: "the service has visit V000117 with another admission date",
    mapping: { file: "mappings/hospital-a/visit.yaml", line: 12, column: 16, endColumn: 28 },
    label: "`admitted_at` came from here",
    path: "period.start",
    source: "Encounter/5b1e44",
    origin: { file: "samples/hospital-a/source/Encounter.ndjson", line: 31, reference: "Encounter/5b1e44" },
    facts: [
      ["element", "Encounter.period.start, 8 h 25 min earlier than what was stored"],
      ["service", "422 \"Submit blocked. Admission date must match the original date.\"  (interface §7)"],
      ["journal", "recorded as refused; it is not sent again until the visit changes"]
    ],
    visit: "V000117",
    field: "admitted_at",
    help: [
      "the source was corrected after the first submission: restore the first date there,",
      "or ask the operator to release the visit"
    ]
  })
}

const golden = (name: string): string => join(import.meta.dirname, "golden", name)

describe("render", () => {
  for (const [name, collated] of Object.entries(examples)) {
    it(name, () => assertGolden(golden(`${name}.txt`), render(collated, rendering)))
  }

  it("has the same words with and without colour", () => {
    const example = present(examples["3-too-many-values"])
    const drawn = render(example, { ...rendering, style: coloured })
    assertGolden(golden("3-too-many-values.ansi"), drawn)
    // oxlint-disable-next-line no-control-regex
    assert.strictEqual(drawn.replace(/\u001b\[[0-9;]*m/g, ""), render(example, rendering))
  })

  it("fits the width of a terminal, and keeps every word", () => {
    // The frame, the marks, and the source line, which is cut, are not words.
    const wordsOf = (text: string) =>
      text.replaceAll(/^ *\d+ │.*$|[│┌├]─?|[\^-]{2,}|^ *= /gmu, " ").split(/\s+/u).filter((word) => word !== "")
    for (const collated of Object.values(examples)) {
      const whole = render(collated, rendering)
      for (const width of [40, 60, 80]) {
        const drawn = render(collated, { ...rendering, width })
        assert.sameMembers(wordsOf(drawn), wordsOf(whole))
        for (const line of drawn.split("\n")) {
          const isOneWord = /^\W*(?:\w+ {2,})?\S+$/u.test(line)
          assert.isTrue(isOneWord || displayWidth(line) <= width, `${width}: ${line}`)
        }
      }
    }
  })

  it("counts the alternatives of a long path instead of showing them", () => {
    const pathIn = (...paths: ReadonlyArray<string>) =>
      /= path +(.*)/u.exec(
        render(once({ code: "no-value", severity: "warning", title: "t", path: paths.join(", otherwise ") }))
      )?.[1]
    assert.strictEqual(pathIn("period.start", "period.end"), "period.start, otherwise period.end")
    const long = `name.where(${"a".repeat(200)})`
    assert.strictEqual(pathIn("period.start", long, long), "period.start, otherwise 2 other paths")
    assert.strictEqual(pathIn("b".repeat(300)), `${"b".repeat(239)}…`)
  })

  it("puts the caret under wide characters, combining marks and tabs", () =>
    assertGolden(
      golden("wide.txt"),
      [
        once({
          code: "unknown-function",
          severity: "error",
          title: "there is no function `bad`",
          mapping: {
            file: "wide.yaml",
            line: 1,
            column: wide.indexOf("bad") + 1,
            endColumn: wide.indexOf("bad") + 4
          }
        }),
        once({
          code: "invalid-path",
          severity: "warning",
          title: "the name is not Latin",
          mapping: { file: "wide.yaml", line: 1, column: 9, endColumn: 12 },
          label: "three wide letters"
        })
      ].map((one) => render(one, rendering)).join("\n\n")
    ))

  it("renders without the file's text, and without a mapping", () =>
    assertGolden(
      golden("no-text.txt"),
      ([
        once(tooMany),
        once({
          code: "unreadable-record",
          severity: "error",
          title: "the line is not JSON",
          origin: { file: "in/Observation.ndjson", line: 7, reference: "" },
          help: ["export the file again"]
        }),
        {
          first: { code: "in-doubt", severity: "error", title: "the service has this visit code" },
          count: 2,
          visits: 2
        }
      ] satisfies ReadonlyArray<Collated>).map((one) => render(one)).join("\n\n")
    ))

  it("shows the position and the reason in an unreadable input line, but not the line", () =>
    assert.strictEqual(
      render(
        once({
          code: "unreadable-record",
          severity: "error",
          title: "a line is not JSON",
          label: "column 49: a value is expected",
          origin: { file: "export/Observation.ndjson", line: 12_345, reference: "" },
          help: ["JSON writes names and texts in double quotes"]
        }),
        rendering
      ),
      [
        "error[unreadable-record]: a line is not JSON",
        "  ┌─ export/Observation.ndjson:12345",
        "  │  column 49: a value is expected",
        "  │",
        "  = help  JSON writes names and texts in double quotes",
        "  = more  fhir2visit explain unreadable-record"
      ].join("\n")
    ))

  it("shows a value only if requested, and never in machine formats", () => {
    const collated: Collated = { first: tooMany, count: 412, visits: 37 }
    assert.include(render(collated, { ...rendering, showValues: true }), "= value    \"Sok Dara\"")
    for (
      const text of [
        render(collated, rendering),
        renderLine(collated),
        renderJson(collated, 0),
        JSON.stringify(problemJson(tooMany))
      ]
    ) {
      assert.notInclude(text, "Sok Dara")
    }
  })

  it("escapes control characters", () => {
    const hostile = "a\u001b[2Jb\u0007\nc\u202Ed"
    const collated = once({
      code: "no-encounter",
      severity: "error",
      title: hostile,
      source: hostile,
      help: [hostile],
      facts: [["x", hostile]],
      origin: { file: hostile, line: 1, reference: hostile }
    })
    for (const text of [...render(collated, rendering).split("\n"), renderLine(collated)]) {
      assert.notMatch(text, /[\p{Cc}\u202E]/u)
    }
    assert.notMatch(renderJson(collated, 0), /\p{Cc}/u)
    assert.strictEqual(printable("a\u200eb\u200fc\u061cd\u2066e"), "a\\u200eb\\u200fc\\u061cd\\u2066e")
    assert.strictEqual(printable(hostile), "a\\x1b[2Jb\\x07\\nc\\u202ed")
  })

  it("measures width in columns", () =>
    assert.deepStrictEqual(["abc", "診療", "é", "e\u0301", "👩‍⚕️", "ក្រុម", ""].map(displayWidth), [3, 4, 1, 1, 2, 2, 0]))

  it("measures Latin letters and signs the same in a text with a wide character", () => {
    for (const [first, end] of [[0x20, 0x300], [0x2000, 0x2600]] as const) {
      for (let code = first; code < end; code++) {
        const character = String.fromCharCode(code)
        for (const text of [character, `a${character}`, `${character}é`, `©${character}→`]) {
          assert.strictEqual(displayWidth(text), displayWidth(`${text}診`) - 2, `U+${code.toString(16)}`)
        }
      }
    }
  })
})

describe("messages for machines", () => {
  it("is one line: file:line:col: severity[code]: text", () => {
    assert.strictEqual(
      renderLine({ first: tooMany, count: 412, visits: 37 }),
      "mappings/hospital-a/vital-signs.yaml:9:16: error[too-many-values]: `recorded_by` takes one value, this path found 2 (2 values: string, string, 412×, first Observation/9f2c1a samples/hospital-a/source/Observation.ndjson:118, V000117 › vital_signs[3].recorded_by)"
    )
    assert.strictEqual(
      renderLine(
        once({
          code: "unreadable-record",
          severity: "error",
          title: "not JSON",
          origin: { file: "a.ndjson", line: 7, reference: "" }
        })
      ),
      "a.ndjson:7:1: error[unreadable-record]: not JSON"
    )
    assert.strictEqual(renderLine(once({ code: "in-doubt", severity: "error", title: "t" })), "error[in-doubt]: t")
  })

  it("is JSON that contains the line", () => {
    const parsed = JSON.parse(renderJson({ first: tooMany, count: 412, visits: 37 }, Date.UTC(2026, 2, 1)))
    assert.deepStrictEqual(Object.keys(parsed).slice(0, 5), ["time", "level", "code", "message", "text"])
    assert.deepStrictEqual(parsed, {
      time: "2026-03-01T00:00:00.000Z",
      level: "error",
      text: renderLine({ first: tooMany, count: 412, visits: 37 }),
      code: "too-many-values",
      severity: "error",
      message: tooMany.title,
      file: vitals,
      line: 9,
      column: 16,
      visit: "V000117",
      field: "vital_signs[].recorded_by",
      path: "performer.display",
      source: "Observation/9f2c1a",
      origin: "samples/hospital-a/source/Observation.ndjson:118",
      help: tooMany.help,
      count: 412,
      visits: 37
    })
  })
})
