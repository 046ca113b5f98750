import { assert, describe, it } from "@effect/vitest"
import type { Elements } from "../../src/fhirpath/FhirPath.ts"
import { exactNumber } from "../../src/json/exactNumber.ts"
import { applyLeaf } from "../../src/mapping/apply/applyLeaf.ts"
import type { LeafContext } from "../../src/mapping/apply/FieldContext.ts"
import { readingScope } from "../../src/mapping/apply/runScope.ts"
import type { ConceptMap } from "../../src/mapping/codes/ConceptMap.ts"
import type { LeafPlan } from "../../src/mapping/MappingPlan.ts"

const span = { file: "mapping.yaml", line: 1, column: 1, endColumn: 2 }

/** What a field sends for the values that its path finds, and what it reports and counts. */
const applied = (
  values: Elements,
  { field, ...change }: Partial<Omit<LeafPlan, "field">> & { readonly field?: Partial<LeafPlan["field"]> },
  stated?: ReadonlyArray<unknown>
) => {
  const reported: Array<string> = []
  const severities: Array<string> = []
  const context: LeafContext = {
    zone: "Asia/Phnom_Penh",
    time: {
      partialTimestamp: "start-of-day",
      partialEnd: "end-of-day",
      partialDate: "reject",
      missingOffset: "zone"
    },
    unmapped: ({ blocking, code }) => void reported.push(`${blocking ? "blocking" : "counted"} ${code}`),
    problem: (_, __, { code, severity }) => {
      severities.push(severity)
      reported.push(`${severity} ${code}`)
    },
    problemCount: () => severities.length,
    timestamps: new Map(),
    hasErrorSince: (count) => severities.slice(count).includes("error"),
    evaluate: (path, focus, variables) => path.evaluate(focus, variables, readingScope),
    values: (path, focus, variables) => path.values(focus, variables, readingScope)
  }
  const find = () => values
  const leaf: LeafPlan = {
    kind: "leaf",
    name: "value",
    span,
    paths: [{
      text: "path",
      evaluate: find,
      values: find,
      sources: () => [],
      staysInRecord: () => false,
      isOfEach: () => false,
      contents: () => undefined,
      span
    }],
    required: "none",
    takeFirst: false,
    ...change,
    field: {
      name: "value",
      kind: "text-or-decimal",
      nullable: true,
      mandatory: false,
      optional: false,
      blank: null,
      section: "§2.6",
      description: "",
      ...field
    }
  }
  return [applyLeaf({ leaf, focus: [], variables: {}, row: {}, context }, stated), ...reported]
}

describe("A field that joins values", () => {
  it("keeps the digits of several numbers, and keeps a single number a number", () => {
    assert.deepStrictEqual(applied(["7.20", "8"].map(exactNumber), { join: "; " }), ["7.20; 8"])
    assert.deepStrictEqual(applied([exactNumber("7")], { join: "; " }), [7])
  })
})

describe("A field without a value", () => {
  it("that the mapping requires is an error, although a warning explains why there is none", () => {
    assert.deepStrictEqual(applied(["many"], { field: { kind: "decimal" }, required: "error" }), [
      null,
      "warning wrong-type",
      "error no-value"
    ])
    assert.deepStrictEqual(applied(["many"], { field: { kind: "decimal" }, required: "warning" }), [
      null,
      "warning wrong-type"
    ])
  })

  it("is sent as its blank if the source states that it is empty", () => {
    assert.deepStrictEqual(applied(["found"], { field: { kind: "text", blank: "" } }, []), [""])
  })

  it("keeps the visit from being sent if its code is unmapped and the mapping requires it", () => {
    const conceptMap: ConceptMap = { name: "kinds", span, rows: new Map(), unmapped: { mode: "skip" } }
    assert.deepStrictEqual(applied(["A"], { conceptMap, required: "error" }), [
      null,
      "blocking A",
      "error no-value"
    ])
    assert.deepStrictEqual(applied(["A"], { conceptMap }), [null, "counted A"])
  })
})
