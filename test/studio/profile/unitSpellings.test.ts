import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { parse } from "yaml"
import { unitSpelt } from "../../../src/studio/profile/tables/words/unitSpellings.ts"

describe("Spellings of units in the mapping `csv`", () => {
  it("mean the units that `init` reads", () => {
    const { conceptMap } = parse(readFileSync("mappings/csv/concept-maps.yaml", "utf8"))
    const table: Readonly<Record<string, string>> = conceptMap.unit_spelling.table
    for (const [spelling, unit] of Object.entries(table)) assert.strictEqual(unitSpelt(spelling), unit, spelling)
  })
})
