import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Elements } from "../../src/fhirpath/FhirPath.ts"
import { exactNumber } from "../../src/json/exactNumber.ts"
import { applyLeaf } from "../../src/mapping/apply/fields/applyLeaf.ts"
import type { LeafContext } from "../../src/mapping/apply/fields/FieldContext.ts"
import { readingScope } from "../../src/mapping/apply/scope/runScope.ts"
import type { ConceptMap } from "../../src/mapping/codes/ConceptMap.ts"
import type { LeafPlan } from "../../src/mapping/MappingPlan.ts"
import { encounter, patient, visitOf } from "./visitOf.ts"

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

describe("A field that takes a text or a number", () => {
  const resultOf = (value: object) =>
    Effect.map(
      visitOf([patient, encounter, {
        resourceType: "Observation",
        id: "o1",
        status: "final",
        subject: { reference: "Patient/p1" },
        encounter: { reference: "Encounter/e1" },
        category: [{ coding: [{ code: "laboratory" }] }],
        code: { text: "Sodium" },
        ...value
      }]),
      ({ visit }) => {
        const { value, value_type } = visit.laboratories[0].results[0]
        return [value, value_type]
      }
    )

  it.effect("keeps a text a text, also if it has only digits", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* resultOf({ valueString: "12" }), ["12", "string"])
      assert.deepStrictEqual(yield* resultOf({ valueString: "none" }), ["none", "string"])
    }))

  it.effect("takes the number of a Quantity as a number, also if the source writes it as a text", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* resultOf({ valueQuantity: { value: 12.5 } }), [12.5, "float"])
      assert.deepStrictEqual(yield* resultOf({ valueQuantity: { value: "12.5" } }), [12.5, "float"])
    }))

  it.effect("takes true and false as texts", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* resultOf({ valueBoolean: true }), ["true", "string"])
    }))
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
