import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { keysOf } from "../../src/mapping/language/grammar/Kind.ts"
import { columnKeys, tableKeys } from "../../src/mapping/language/grammar/tableGrammar.ts"
import { extractTables } from "../../src/studio/canonical/extractTables.ts"
import { readCases } from "../../src/studio/cases/readCases.ts"
import { runCase } from "../../src/studio/cases/runCase.ts"
import { renderExtract, renderTables } from "../../tools/renderExtract.ts"

const text = readFileSync("docs/csv.md", "utf8")
const page = readCases("docs/csv.md", text)

describe("docs/csv.md", () => {
  it("has examples", () => assert.isAtLeast(page.cases.length, 8))

  for (const one of page.cases) {
    it.effect(`makes the visit of the example: ${one.name}`, () =>
      Effect.gen(function*() {
        const result = yield* runCase(page, one, {
          mapping: "mappings/csv/mapping.yaml",
          shippedMappings: "mappings",
          settings: { facility: "HF0001", timezone: "Asia/Phnom_Penh" }
        })
        assert.deepStrictEqual(result.broken, [])
        assert.deepStrictEqual(result.differences, [])
      }).pipe(Effect.provide(NodeServices.layer)))
  }

  it("names every key of a table and of a column", () => {
    for (const word of new Set([...keysOf(tableKeys), ...keysOf(columnKeys)])) {
      if (word !== "description") assert.match(text, new RegExp(`\`${word}(?:: [^\`]*)?\``, "u"), word)
    }
  })
})

describe("the canonical extract", () => {
  const reference = "docs/reference/csv.md"
  const tables = "mappings/csv/tables.yaml"

  it("equals the printed page and tables (UPDATE=1 rewrites them)", () => {
    if (process.env.UPDATE === "1") {
      writeFileSync(reference, renderExtract())
      writeFileSync(tables, renderTables())
    }
    assert.strictEqual(readFileSync(reference, "utf8"), renderExtract())
    assert.strictEqual(readFileSync(tables, "utf8"), renderTables())
  })

  it("has each table once", () => {
    assert.strictEqual(new Set(extractTables.map(({ name }) => name)).size, extractTables.length)
  })
})
