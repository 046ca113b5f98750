import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { at } from "../../src/at.ts"
import { runCase } from "../../src/studio/cases/runCase.ts"
import { captures } from "../captures.ts"
import { anchorOf, exampleRun, readPage } from "./pages.ts"

const text = readFileSync("docs/cookbook.md", "utf8")
const page = readPage("docs/cookbook.md")
const run = exampleRun()

/** Problems that the check of the mapping finds have no visit. */
const ofTheMapping = (line: string): boolean => !line.includes(" ")
/** The problems of a recipe's visit, without those of fields that its short records do not have. */
const ofTheRecipe =
  /^(?:foreign-code|duplicate-code|unmapped-code|unknown-unit|invalid-|path-failed|too-many-values|no-value (?!admission_type|discharge_type|visit_outcome|patient.marital_status|prescriptions))/u

describe("docs/cookbook.md", () => {
  it("has at least twenty recipes, each with lines, a visit and a reason", () => {
    assert.deepStrictEqual(page.problems, [])
    const recipes = text.split(/^## (?=\d)/mu).slice(1).map((recipe) => at(recipe.split(/^## /mu), 0))
    assert.isAtLeast(recipes.length, 20)
    assert.strictEqual(page.cases.length, recipes.length)
    for (const recipe of recipes) {
      const [situation, ...parts] = recipe.split(/^```.*$/mu).filter((_, index) => index % 2 === 0).map((part) =>
        part.trim()
      )
      assert.include(situation, "\n\n", recipe)
      assert.include(recipe, "\n```yaml mapping\n", recipe)
      assert.notStrictEqual(parts.at(-1), "", recipe)
    }
  })

  for (const one of page.cases) {
    it.effect(`makes the visit of the example, and another visit or message without the recipe: ${one.name}`, () =>
      Effect.gen(function*() {
        const { broken, differences, problems } = yield* runCase(page, one, run)
        assert.deepStrictEqual(broken, [])
        assert.deepStrictEqual(differences, [])
        assert.deepStrictEqual(problems.filter((line) => ofTheMapping(line) || ofTheRecipe.test(line)), [])
        const without = yield* runCase(page, { ...one, mappings: plain(one.mappings) }, run)
        assert.notDeepEqual([without.differences, without.problems], [[], problems])
      }).pipe(Effect.provide(NodeServices.layer)))
  }

  it("has an index that names each recipe once, in order", () => {
    const recipes = captures(text, /^## (\d.*)$/gmu).map(anchorOf)
    assert.deepStrictEqual(captures(text, /\[\d+\]\(#([^)]+)\)/gu), recipes)
  })
})

/** The base mapping of a recipe, without the recipe's lines. */
const plain = (mappings: typeof page.cases[number]["mappings"]) =>
  mappings.flatMap((block) => {
    const head = /^mapping: \w+\nextends: \w+\n/u.exec(block.text)
    return head === null ? [] : [{ ...block, text: head[0] }]
  })
