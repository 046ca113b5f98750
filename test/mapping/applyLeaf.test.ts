import { assert, describe, it } from "@effect/vitest"
import { exactNumber } from "../../src/json/exactNumber.ts"
import { applyLeaf } from "../../src/mapping/apply/applyLeaf.ts"
import type { LeafContext } from "../../src/mapping/apply/FieldContext.ts"
import { readingScope } from "../../src/mapping/apply/runScope.ts"
import type { LeafPlan } from "../../src/mapping/MappingPlan.ts"

const span = { file: "mapping.yaml", line: 1, column: 1, endColumn: 2 }

const context: LeafContext = {
  zone: "Asia/Phnom_Penh",
  time: {
    partialTimestamp: "start-of-day",
    partialEnd: "end-of-day",
    partialDate: "reject",
    missingOffset: "zone"
  },
  unmapped: () => assert.fail("no code is looked up"),
  problem: (_, __, { title }) => assert.fail(title),
  problemCount: () => 0,
  timestamps: new Map(),
  hasErrorSince: () => false,
  evaluate: (path, focus, variables) => path.evaluate(focus, variables, readingScope),
  values: (path, focus, variables) => path.values(focus, variables, readingScope)
}

/** A field that joins what its path finds. */
const joined = (...digits: ReadonlyArray<string>): unknown => {
  const find = () => digits.map(exactNumber)
  const leaf: LeafPlan = {
    kind: "leaf",
    name: "value",
    field: {
      name: "value",
      kind: "text-or-decimal",
      nullable: true,
      mandatory: false,
      optional: false,
      blank: null,
      section: "§2.6",
      description: ""
    },
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
    join: "; "
  }
  return applyLeaf({ leaf, focus: [], variables: {}, row: {}, context }, undefined)
}

describe("A field that joins values", () => {
  it("keeps the digits of several numbers, and keeps a single number a number", () => {
    assert.strictEqual(joined("7.20", "8"), "7.20; 8")
    assert.strictEqual(joined("7"), 7)
  })
})
