import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { keysOf } from "../../src/mapping/language/grammar/Kind.ts"
import { columnKeys, tableKeys } from "../../src/mapping/language/grammar/tableGrammar.ts"
import { extractTables } from "../../src/studio/canonical/extractTables.ts"
import { FacilityCode } from "../../src/visit/values/Code.ts"
import { renderExtract, renderTables } from "../../tools/renderExtract.ts"
import { assertGolden } from "../golden.ts"
import { exampleRun, itMakesTheVisits, readPage } from "./pages.ts"

const text = readFileSync("docs/csv.md", "utf8")
const page = readPage("docs/csv.md")

describe("docs/csv.md", () => {
  it("has examples", () => assert.isAtLeast(page.cases.length, 8))

  itMakesTheVisits(
    page,
    exampleRun({
      mapping: "mappings/csv/mapping.yaml",
      settings: { facility: FacilityCode("HF0001"), timezone: "Asia/Phnom_Penh" }
    })
  )

  it("names every key of a table and of a column", () => {
    for (const word of new Set([...keysOf(tableKeys), ...keysOf(columnKeys)])) {
      if (word !== "description") assert.match(text, new RegExp(`\`${word}(?:: [^\`]*)?\``, "u"), word)
    }
  })
})

describe("the canonical extract", () => {
  it("equals the printed page and tables (UPDATE=1 rewrites them)", () => {
    assertGolden("docs/reference/csv.md", renderExtract())
    assertGolden("mappings/csv/tables.yaml", renderTables())
  })

  it("has each table once", () => {
    assert.strictEqual(new Set(extractTables.map(({ name }) => name)).size, extractTables.length)
  })
})
