import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { exactDecimal } from "../../src/fhirpath/FhirPath.ts"
import { applyLeaf } from "../../src/mapping/apply/applyLeaf.ts"
import { compileLeaf } from "../../src/mapping/apply/compileLeaf.ts"
import type { ConceptMap } from "../../src/mapping/apply/ConceptMap.ts"
import type { LeafContext } from "../../src/mapping/apply/FieldContext.ts"
import type { UnmappedCode } from "../../src/mapping/draft/VisitDraft.ts"
import type { LeafPlan, PathPlan, TimePlan } from "../../src/mapping/MappingPlan.ts"
import type { Field, FieldKind } from "../../src/visit/Field.ts"
import { makeReferenceList } from "../../src/visit/values/ReferenceList.ts"
import { runs, timeout } from "../runs.ts"

const span = { file: "mapping.yaml", line: 1, column: 1, endColumn: 2 }

const kinds: ReadonlyArray<FieldKind> = [
  "code",
  "identifier",
  "timestamp",
  "date",
  "text",
  "decimal",
  "text-or-decimal",
  "boolean",
  "strings",
  "object",
  "examination"
]

/** One time in five. */
const seldom = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const field = fc.record<Field>({
  name: fc.constant("a_field"),
  kind: fc.constantFrom(...kinds),
  nullable: fc.boolean(),
  mandatory: fc.boolean(),
  optional: fc.boolean(),
  blank: fc.constantFrom("", null),
  section: fc.constant("§2.6"),
  description: fc.constant("")
})

/** Texts of every kind that a field can hold, some with a flaw. */
const text = fc.oneof(
  fc.constantFrom("F", "M", "J189", "J18.9", "true", "false", "yes", "7.20", " 8 ", "1e3", "é", "e\u0301", "a\u0007b"),
  fc.constantFrom("2026-02-03", "2026-02-30", "2026-02", "2026", "2026-02-03T04:05:06Z", "2026-02-03T04:05"),
  fc.constantFrom("J189", "j18.9"),
  fc.constantFrom("", "  ", "\t", "{\"a\":1}", "[1]", "{"),
  fc.string({ unit: "binary", maxLength: 8 })
)

const coding = fc.record({ system: fc.constantFrom("http://ex.example/s", undefined), code: text }).map(
  ({ code, system }) => (system === undefined ? { code } : { system, code })
)

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.constantFrom("7", "7.20", "-0.5", "12345678901234567890").map(exactDecimal),
  fc.constantFrom(0, 7, 1.5, -3),
  fc.boolean(),
  fc.constant(null),
  coding,
  fc.record({ coding: fc.array(coding, { maxLength: 2 }), text }),
  fc.record({
    value: fc.constantFrom("37", "98.6").map(exactDecimal),
    code: fc.constantFrom("Cel", "[degF]", "kg", "what")
  }),
  fc.constant({ value: 1, comparator: "<", code: "Cel" })
)

const rows = fc.dictionary(fc.constantFrom("F", "M", "http://ex.example/s|F", "7", "true"), text, { maxKeys: 4 })

const conceptMap = (other: ConceptMap | undefined): fc.Arbitrary<ConceptMap> =>
  fc.record({
    rows,
    unmapped: fc.constantFrom<ConceptMap["unmapped"]>(
      { mode: "reject" },
      { mode: "warn" },
      { mode: "skip" },
      { mode: "provided" },
      { mode: "fixed", value: "fixed" },
      { mode: "other-map", name: "other" }
    )
  }).map(({ rows, unmapped }) => ({
    name: other === undefined ? "other" : "own",
    span,
    rows: new Map(Object.entries(rows)),
    unmapped,
    ...(other === undefined ? {} : { other })
  }))

/** A path by what it finds; `undefined`: it fails on the record. */
const path = fc.record({
  finds: fc.option(fc.array(value, { maxLength: 2 }), { nil: undefined, freq: 8 }),
  warn: seldom(fc.constant("told"))
}).map(({ finds, warn }): PathPlan => {
  const find = () => {
    if (finds === undefined) throw new Error("this path fails")
    return finds
  }
  return {
    text: "path",
    closures: () => true,
    evaluate: find,
    values: find,
    sources: () => [],
    staysInRecord: () => false,
    isOfEach: () => false,
    span,
    ...(warn === undefined ? {} : { warn })
  }
})

const literal = fc.oneof(text, fc.constantFrom(1, 1.5, true, false))
const list = makeReferenceList([{ code: "J18.9", name: "Pneumonia" }])

const leaf = fc.record({
  field,
  paths: fc.array(path, { maxLength: 3 }),
  required: fc.constantFrom("error" as const, "warning" as const, "none" as const),
  takeFirst: fc.boolean(),
  literal: seldom(literal),
  fallback: seldom(literal),
  isTold: fc.boolean(),
  conceptMap: seldom(conceptMap(undefined).chain(conceptMap)),
  unit: seldom(fc.constant({ to: "Cel", round: 1 })),
  empty: seldom(fc.constantFrom("" as const, null)),
  join: seldom(fc.constantFrom(", ", "")),
  asWritten: fc.boolean(),
  listed: seldom(fc.constant(list))
}).map(
  (
    { asWritten, conceptMap, empty, fallback, field, isTold, join, listed, literal, paths, required, takeFirst, unit }
  ) =>
    ({
      kind: "leaf",
      name: field.name,
      field,
      span,
      paths,
      required,
      takeFirst,
      asWritten,
      ...(literal === undefined ? {} : { literal }),
      ...(fallback === undefined ? {} : { fallback }),
      ...(isTold ? { fallbackRemark: { warn: "a default is sent", span } } : {}),
      ...(conceptMap === undefined ? {} : { conceptMap }),
      ...(unit === undefined ? {} : { unit }),
      ...(empty === undefined ? {} : { empty }),
      ...(join === undefined ? {} : { join }),
      ...(listed === undefined ? {} : { listed })
    }) satisfies LeafPlan
)

const time = fc.record<TimePlan>({
  partialTimestamp: fc.constantFrom("reject", "start-of-day", "midday"),
  partialEnd: fc.constantFrom("reject", "start-of-day", "midday", "end-of-day"),
  partialDate: fc.constantFrom("reject", "blank", "first-day"),
  missingOffset: fc.constantFrom("zone", "local", "reject")
})

/** What is told while a field is filled, and the value it gets. */
const reported = (time: TimePlan, fill: (context: LeafContext) => unknown) => {
  // Something has been told of another field before.
  const problems: Array<Diagnostic> = [{ code: "no-value", severity: "error", title: "`another` has no value" }]
  const unmapped: Array<UnmappedCode> = []
  const values: LeafContext["values"] = (path, focus, variables) => {
    try {
      return path.values(focus, variables)
    } catch {
      problems.push({ code: "path-failed", severity: "error", title: "this path failed on a record" })
      return []
    }
  }
  const value = fill({
    zone: "Asia/Phnom_Penh",
    time,
    unmapped: (code) => void unmapped.push(code),
    problem: (_, __, diagnostic) => void problems.push(diagnostic),
    told: () => problems.length,
    failedSince: (reported) => problems.slice(reported).some(({ severity }) => severity === "error"),
    evaluate: values,
    values
  })
  return { value, problems, unmapped }
}

const anyField: Field = {
  name: "value",
  kind: "text",
  nullable: true,
  mandatory: false,
  optional: false,
  blank: null,
  section: "§2.6",
  description: ""
}

const anyTime: TimePlan = {
  partialTimestamp: "start-of-day",
  partialEnd: "end-of-day",
  partialDate: "reject",
  missingOffset: "zone"
}

describe("Filling a field", () => {
  it("fast and in full is the same: the value, the problems, and the codes that are not mapped", () => {
    const stated = seldom(fc.array(text, { maxLength: 2 }))
    fc.assert(
      fc.property(leaf, time, stated, (leaf, time, stated) => {
        const fill = compileLeaf(leaf)
        const fast = () => reported(time, (context) => fill(context, [], {}, {}, stated))
        const first = fast()
        const full = reported(
          time,
          (context) => applyLeaf({ leaf, focus: [], variables: {}, row: {}, context }, stated)
        )
        assert.deepStrictEqual(first, full)
        // Times that were read before are known by their texts.
        assert.deepStrictEqual(fast(), full)
      }),
      { numRuns: runs(5000) }
    )
  }, timeout)

  it("numbers that are joined keep their digits, and a number alone stays a number", () => {
    const joined = (...digits: ReadonlyArray<string>): unknown => {
      const find = () => digits.map(exactDecimal)
      const leaf = {
        kind: "leaf",
        name: "value",
        field: { ...anyField, kind: "text-or-decimal" },
        span,
        paths: [{
          text: "path",
          closures: () => true,
          evaluate: find,
          values: find,
          sources: () => [],
          staysInRecord: () => false,
          isOfEach: () => false,
          span
        }],
        required: "none",
        takeFirst: false,
        join: "; "
      } as const
      return reported(anyTime, (context) => compileLeaf(leaf)(context, [], {}, {}, undefined)).value
    }
    assert.strictEqual(joined("7"), 7)
    assert.strictEqual(joined("7.20", "8"), "7.20; 8")
  })
})
